// startProfiling takes an interval in milliseconds or as the command line does; others are refused before anything starts.
import { isProfiling, profile, startProfiling, stats, stopProfiling } from 'fino:profiler';
import { equal, ok, rejects, throws } from './assert.mjs';

for (const interval of [undefined, 0.1, 1, 100, '100us', '0.5ms', '100ms', '1.25ms']) {
  startProfiling('x', { interval });
  stopProfiling('x');
}
for (const interval of [0, 0.09, 101, -1, NaN, Infinity, '1', '1s', ' 1ms', '1 ms', '99us', '1e1ms', 'auto ', null, {}]) {
  throws(() => startProfiling('x', { interval }), RangeError);
  await rejects(profile(() => { throw new Error('ran'); }, { interval }), RangeError);
  equal(isProfiling(), false);
}
throws(() => startProfiling('x', 5), TypeError);
equal(isProfiling(), false);

// The shorter interval of two applies to both: the longer one gets many more samples than its own.
const burn = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); };
startProfiling('slow', { interval: '100ms' });
burn(20);
const few = stats('slow').samples;
startProfiling('fast', { interval: '200us' });
burn(400);
const { samples, cpuNs } = stats('slow');
ok(samples - few > cpuNs / 5e6, `${samples - few} samples in ${cpuNs / 1e6} ms of CPU`);
stopProfiling();
stopProfiling();
