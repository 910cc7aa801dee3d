// Microtasks run before anything else, after each callback; immediates in the turn after I/O; timers when due.
import { deepEqual } from './assert.mjs';

const order = [];
const both = (name) => () => { order.push(name); queueMicrotask(() => order.push(`${name} micro`)); };
setTimeout(both('timer 1'), 1);
setTimeout(both('timer 2'), 1);
setImmediate(both('immediate'));
Promise.resolve().then(() => order.push('promise'));
queueMicrotask(() => order.push('micro'));
order.push('script');
await new Promise((resolve) => setTimeout(resolve, 30));
const timers = order.filter((name) => name.startsWith('timer'));
deepEqual(order.slice(0, 3), ['script', 'promise', 'micro']);
deepEqual(timers, ['timer 1', 'timer 1 micro', 'timer 2', 'timer 2 micro']);
deepEqual(order.filter((name) => name.startsWith('immediate')), ['immediate', 'immediate micro']);
