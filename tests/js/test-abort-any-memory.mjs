// A long-lived signal does not keep the signals that were combined with it, unless somebody waits for them.
import process from 'fino:process';
import { equal, ok } from './assert.mjs';

const shutdown = new AbortController();
let reached = 0;
function waitUnreachably() {
  AbortSignal.any([shutdown.signal]).addEventListener('abort', () => { reached++; });
}
for (let i = 0; i < 10; i++) waitUnreachably();

const round = () => {
  for (let i = 0; i < 20000; i++) {
    const signal = AbortSignal.any([shutdown.signal, new AbortController().signal]);
    const listener = () => {};
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
  }
};
let before;
for (let i = 0; i < 10; i++) {
  round();
  // Weak references are cleared between turns only.
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (i === 4) before = process.memoryUsage().heapUsed;
}
const growth = process.memoryUsage().heapUsed - before;
ok(growth < 60e6, `the heap grew by ${growth} bytes`);
shutdown.abort();
equal(reached, 10);
