// An exception in a listener is reported as uncaught; the other listeners still run.
import process from 'fino:process';
import { deepEqual } from './assert.mjs';

const seen = [];
process.on('uncaughtException', (error) => seen.push(error.message));
const target = new EventTarget();
target.addEventListener('x', () => { throw new Error('first'); });
target.addEventListener('x', () => seen.push('second'));
target.dispatchEvent(new Event('x'));
seen.push('dispatched');
process.on('exit', () => deepEqual(seen, ['second', 'dispatched', 'first']));
