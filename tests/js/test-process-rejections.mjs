// Listeners of unhandledRejection and uncaughtException keep the process going.
import process from 'fino:process';
import { deepEqual, equal } from './assert.mjs';

const seen = [];
process.on('unhandledRejection', (reason, promise) => {
  seen.push(reason);
  equal(promise, rejected);
});
process.on('uncaughtException', (error) => seen.push(error.message));
const rejected = Promise.reject('r');
setTimeout(() => { throw new Error('u'); }, 5);
setTimeout(() => reportError(new Error('reported')), 10);
process.on('exit', () => deepEqual(seen, ['r', 'u', 'reported']));
