// A busy load for stress_memory.sh: many call paths, garbage, code that comes and goes; what it keeps itself does not grow.
import { args } from 'fino:process';

const kept = new Map();
function leafA(n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; }
function leafB(n) { return JSON.stringify({ n, list: Array.from({ length: n % 50 }, (_, i) => i * n) }).length; }
function leafC(n) { return `${n}:${'x'.repeat(n % 100)}`.replace(/x{2,9}/g, (all) => all.length).length; }
function walk(path, depth) {
  if (depth === 0) return path & 1 ? leafA(path % 300) : path & 2 ? leafB(path % 97) : leafC(path % 211);
  return path & 1 ? left(path >>> 1, depth - 1) : right(path >>> 1, depth - 1);
}
function left(path, depth) { return walk(path, depth) + 1; }
function right(path, depth) { return [path, depth].map((one) => one + 1).length + walk(path, depth); }
function round(number) {
  for (let i = 0; i < 200; i++) walk((number * 7919 + i * 104729) >>> 0, 3 + (i % 8));
  kept.set(number % 500, new Array(200).fill(number));
  if (number % 100 === 0) new Function('n', `let s = 0; for (let i = 0; i < n; i++) s += i; return s; // ${number % 1000}`)(1000);
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) round(number);
