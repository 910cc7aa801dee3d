// What a recording costs the program that starts and stops it, with 10,000 functions compiled: medians and worst cases of
// 40 recordings of 20 ms of work each; then what 10,000 start/stop cycles leave behind, three times. Run by recording.sh.
import { startProfiling, stopProfiling } from 'fino:profiler';
import process from 'fino:process';

const functions = [];
for (let i = 0; i < 10000; i++) functions.push(new Function('x', `let sum = ${i}; for (let k = 0; k < 3; k++) sum += x * k; return sum;`));
const work = () => functions.reduce((sum, f) => sum + f(sum & 255), 0);
work();

const now = () => Number(process.hrtime.bigint()) / 1e6;
const say = (what, times) => {
  times.sort((a, b) => a - b);
  console.log(`${what}: ${times[times.length >> 1].toFixed(2)} ms, at worst ${times.at(-1).toFixed(2)} ms`);
};
const starts = [], stops = [];
for (let i = 0; i < 41; i++) {
  const began = now();
  startProfiling();
  const started = now();
  while (now() - started < 20) work();
  const ends = now();
  stopProfiling();
  if (i === 0) console.log(`the first: start ${(started - began).toFixed(2)} ms, stop ${(now() - ends).toFixed(2)} ms`);
  else starts.push(started - began), stops.push(now() - ends);
}
say('start', starts);
say('stop', stops);

const resident = () => process.memoryUsage().rss / 1024;
const cycle = (count) => { for (let i = 0; i < count; i++) { startProfiling(); stopProfiling(); } };
cycle(1000);
for (let time = 0; time < 3; time++) {
  const before = resident(), began = now();
  cycle(10000);
  const us = (now() - began) / 10000 * 1000;
  console.log(`10,000 cycles: ${us.toFixed(0)} us each, ${(resident() - before).toFixed(0)} kB more resident`);
}
