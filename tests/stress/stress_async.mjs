// Generators and async functions suspended, resumed, thrown into and abandoned; microtasks, timers, interrupts.
// V8: --interrupt-budget=4000 --stress-scavenge=60
import { args } from 'fino:process';

function work(n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; }
function* count(n) {
  try { for (let i = 0; i < n; i++) yield work(50) + i; } finally { work(20); }
}
function* nest(n) { yield* count(n); yield* count(n); }
function drainSome() {
  let total = 0;
  for (const value of nest(20)) { total += value; if (total > 100) break; } // calls nest, count
  const abandoned = count(3);
  abandoned.next(); // calls count
  try { abandoned.throw(new Error('in')); } catch { total++; } // calls count
  return total;
}
async function step(n) { await null; return work(n); }
async function chain(n) {
  let total = 0;
  for (let i = 0; i < n; i++) total += await step(60); // calls step
  return total;
}
async function* stream(n) { for (let i = 0; i < n; i++) yield await step(30); } // calls step
async function consume() {
  let total = 0;
  for await (const value of stream(10)) { total += value; if (total > 20) break; } // calls stream
  return total;
}
async function fail() { await step(10); throw new Error('async'); } // calls step
async function recover() { try { await fail(); } catch { return work(30); } } // calls fail
function onTimer(resolve) { resolve(work(40)); }
const timer = () => new Promise((resolve) => setTimeout(onTimer, 0, resolve)); // calls (anonymous)*
async function round() {
  drainSome();
  await Promise.all([chain(20), chain(10), consume(), recover(), Promise.race([chain(2), chain(3)])]);
  await Promise.allSettled(Array.from({ length: 20 }, fail));
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) {
  await round();
  if (number % 20 === 0) await timer();
}
