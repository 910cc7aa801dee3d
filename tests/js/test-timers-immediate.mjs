// Immediates run in order, after the current turn; what they add runs in the next one; microtasks in between.
import { deepEqual } from './assert.mjs';

const order = [];
setImmediate((...args) => {
  order.push(...args);
  Promise.resolve().then(() => order.push('micro'));
  setImmediate(() => order.push('next turn'));
}, 'first', 'argument');
setImmediate(() => order.push('second'));
setTimeout(() => deepEqual(order, ['first', 'argument', 'micro', 'second', 'next turn']), 30);
