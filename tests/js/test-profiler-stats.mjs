// stats() tells what a recording has seen so far.
import { startProfiling, stats, stopProfiling } from 'fino:profiler';
import { threadCpuUsage } from 'fino:process';
import { equal, ok, throws } from './assert.mjs';

const burn = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); };

equal(stats(), null);
throws(() => stats('a'), /no recording 'a'/);
startProfiling('a');
const before = threadCpuUsage();
burn(300);
const { user } = threadCpuUsage(before);
const first = stats('a');
ok(Object.values(first).every((value) => Number.isInteger(value) && value >= 0));
ok(first.samples > 20, `${first.samples} samples`);
ok(first.cpuNs > user * 1e3 * 0.9, `${first.cpuNs} ns in samples, ${user} us measured`);
ok(first.wallNs >= 299e6);
equal(first.complete + first.truncated, first.samples);
ok(first.handlerNsP50 > 0 && first.handlerNsP50 <= first.handlerNsP99 && first.handlerNsTotal > 0);

// Without a name, those of the recording started last.
startProfiling('b');
burn(20);
ok(stats().wallNs < stats('a').wallNs && stats('a').samples > stats().samples);
stopProfiling('b');
ok(stats().samples >= first.samples);
stopProfiling('a');
equal(stats(), null);
