// Regular expressions interpreted, compiled and collected, backtracking deep, and calling back.
// V8: --expose-gc --regexp-tier-up-ticks=2 --stress-scavenge=50
import { args } from 'fino:process';

const long = 'ab'.repeat(2000), lines = 'key=value; other=thing\n'.repeat(200);
function backtrack() { return /^(a|aa)+$/.test('a'.repeat(20) + 'b'); }
function matchLong() { return /(?:(ab)+?)c|(?:a|b)*$/u.exec(long)?.length; }
function shout(all, key) { return key.toUpperCase(); }
function replaceAll() { return lines.replace(/(\w+)=(\w+)/g, shout).length; }
function makeMany(number) {
  let found = 0;
  for (let i = 0; i < 40; i++) found += new RegExp(`k(e|${number}_${i})y=(?<v>[^;]+)`, i % 2 ? 'gi' : 'yu').test(lines) ? 1 : 0;
  return found;
}
function splitIt() { return lines.split(/[;=\n]+\s*/).length; }
function matchAll() {
  let total = 0;
  for (const match of lines.matchAll(/(?<=;)\s(\w+)/g)) total += match.index;
  return total;
}
function overflowIt() {
  try { return new RegExp('(?:a?'.repeat(300) + ')'.repeat(300)).test('a'.repeat(300)); } catch { return false; }
}
function round(number) {
  backtrack(); matchLong(); replaceAll(); makeMany(number); splitIt(); matchAll(); overflowIt();
  if (number % 50 === 0) gc();
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) round(number);
