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
// Weak references are cleared between turns only, and only once the collector has run, which on a busy machine takes its
// time: what counts is that the heap comes down again at all. 400,000 kept signals are more than 200 MB and never go.
const used = [];
const growth = () => Math.min(...used.slice(10)) - Math.min(...used.slice(0, 10));
for (let i = 0; i < 20 || (i < 60 && growth() >= 30e6); i++) {
  round();
  await new Promise((resolve) => setTimeout(resolve, 1));
  used.push(process.memoryUsage().heapUsed);
}
ok(growth() < 30e6, `the heap grew by ${growth()} bytes: ${used}`);
shutdown.abort();
equal(reached, 10);
