// What setTimeout takes: arguments for the callback, odd delays, and no callback that is not a function.
import { deepEqual, equal, ok, throws } from './assert.mjs';

setTimeout((...args) => deepEqual(args, [1, 'two']), 1, 1, 'two');
const timer = setTimeout(function () { equal(this, timer, 'this is the Timeout'); }, 1);
throws(() => setTimeout('code'), TypeError);
throws(() => setInterval(), TypeError);
throws(() => setImmediate(null), TypeError);
throws(() => queueMicrotask(5), TypeError);

const start = performance.now();
let ran = 0;
for (const delay of [2 ** 31, -5, NaN, 'x', undefined, Infinity]) {
  setTimeout(() => {
    ran++;
    ok(performance.now() - start < 1000, `delay ${delay} counts as 1 ms`);
  }, delay);
}
setTimeout(() => equal(ran, 6), 60);

// Never early.
for (let ms = 1; ms < 20; ms++) {
  const set = performance.now();
  setTimeout(() => ok(performance.now() - set >= ms, `${ms} ms have passed`), ms);
}
