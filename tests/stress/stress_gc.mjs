// Code and bytecode that every collection moves, while they run and while samples of them wait.
// V8: --expose-gc --stress-compaction --stress-scavenge=40 --stress-marking=40 --compact-code-space-with-stack
import { args } from 'fino:process';

let kept = [];
function makeTree(depth) {
  if (depth === 0) return { leaf: [depth] };
  return { left: makeTree(depth - 1), right: makeTree(depth - 1), text: `node ${depth}` };
}
function sumTree(tree) {
  if (tree.leaf) return tree.leaf[0] + 1;
  return sumTree(tree.left) + sumTree(tree.right);
}
function churnArrays(count) {
  const all = [];
  for (let i = 0; i < count; i++) all.push(new Array(20).fill(i));
  return all.reduce(function addLengths(total, one) { return total + one.length; }, 0);
}
function churnMaps(count) {
  const map = new Map();
  for (let i = 0; i < count; i++) map.set({ i }, String(i));
  let total = 0;
  map.forEach(function addValue(value) { total += value.length; });
  return total;
}
function keepSome() {
  kept.push(new Float64Array(1000), { big: 'x'.repeat(1000) });
  if (kept.length > 200) kept = kept.slice(100);
}
function collectNow() {
  gc();
}
function round(number) {
  sumTree(makeTree(9));
  churnArrays(2000);
  churnMaps(2000);
  keepSome();
  if (number % 20 === 0) collectNow();
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) round(number);
