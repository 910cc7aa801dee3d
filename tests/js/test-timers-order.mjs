// Timers run by expiry, those of one duration in the order they were set; microtasks run between them; immediates after.
import { deepEqual } from './assert.mjs';

const order = [];
const note = (name) => () => {
  order.push(name);
  queueMicrotask(() => order.push(`${name} micro`));
};
setTimeout(note('10'), 10);
setTimeout(note('1 first'), 1);
setTimeout(note('1 second'), 1);
setTimeout(note('0 is 1'), 0);
queueMicrotask(note('before all'));

// Both are due when this long turn ends.
setTimeout(() => {
  deepEqual(order, [
    'before all', 'before all micro', '1 first', '1 first micro', '1 second', '1 second micro', '0 is 1', '0 is 1 micro',
    '10', '10 micro',
  ]);
}, 40);
