// profile() records while a function runs and its promise is pending, or for some milliseconds; it can't be stopped
// from elsewhere, and an exception passes through it.
import { isProfiling, profile, startProfiling, stopProfiling } from 'fino:profiler';
import { equal, ok, rejects, throws } from './assert.mjs';

const isGzip = (bytes) => bytes instanceof Uint8Array && bytes[0] === 0x1f && bytes[1] === 0x8b;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let ran = 0;
ok(isGzip(await profile(() => { ran++; })));
ok(isGzip(await profile(async () => { await sleep(5); ran++; })));
equal(ran, 2);
const began = performance.now();
ok(isGzip(await profile(30)));
ok(performance.now() - began >= 29);

// Its recording is its own.
await profile(async () => {
  equal(isProfiling(), false);
  throws(() => stopProfiling(), /nothing is being recorded/);
  startProfiling('within');
  await sleep(1);
});
ok(isProfiling('within'), 'it stops no other recording');
stopProfiling();

// Any number may overlap, and end in any order.
const all = await Promise.all([20, 5, 10, 1].map((ms) => profile(() => sleep(ms))));
ok(all.every(isGzip));

const error = new Error('thrown');
equal(await rejects(profile(() => { throw error; })), error);
equal(await rejects(profile(async () => { await sleep(1); throw error; })), error);
for (const bad of [undefined, null, 'x', -1, NaN, {}]) await rejects(profile(bad), TypeError);
ok(isGzip(await profile(0)));
