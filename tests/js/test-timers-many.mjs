// TIMEOUT: 60
// A million timers of a hundred durations, and a hundred thousand of as many durations, run in order.
import { equal, ok } from './assert.mjs';

let count = 0;
let last = 0;
for (let i = 0; i < 1e6; i++) setTimeout(() => { count++; }, i % 100);
const base = 200000;
for (let i = 0; i < 1e5; i++) {
  const timer = setTimeout(() => { throw new Error('cleared'); }, base + ((i * 7919) % 100003));
  if (i % 2) clearTimeout(timer);
  else timer.unref();
}
for (const ms of [50, 10, 30, 20, 40]) setTimeout(() => { ok(ms > last); last = ms; }, ms);
setTimeout(() => equal(count, 1e6), 3000);
