// An exception in one timer, handled by uncaughtException, leaves the others alone.
import process from 'fino:process';
import { deepEqual } from './assert.mjs';

const seen = [];
process.on('uncaughtException', (error) => seen.push(error.message));
setTimeout(() => { throw new Error('a'); }, 1);
setTimeout(() => seen.push('b'), 1);
setImmediate(() => { throw new Error('c'); });
setImmediate(() => seen.push('d'));
process.on('exit', () => deepEqual(seen.sort(), ['a', 'b', 'c', 'd']));
