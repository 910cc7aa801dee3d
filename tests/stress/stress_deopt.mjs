// Optimised code that is thrown away all the time, at entry, in loops and under inlined calls, and comes back by
// on-stack replacement.
// V8: --deopt-every-n-times=300 --interrupt-budget=3000 --stress-inline --always-osr --stress-concurrent-inlining
import { args } from 'fino:process';

const shapes = [
  (n) => ({ a: n }), (n) => ({ b: 0, a: n }), (n) => ({ c: 0, a: n + 0.5 }), (n) => ({ d: 0, a: String(n) }),
  (n) => ({ get a() { return n; } }), (n) => Object.create({ a: n }), (n) => [n], (n) => ({ a: BigInt(n) }),
];
function readA(object) { return object.a; }
function addTwo(left, right) { return Number(left) + Number(right); }
function inner(object, i) {
  return addTwo(readA(object) ?? 0, i);
}
function middle(object, i) {
  return inner(object, i) + inner(object, i + 1);
}
function loop(object, count) {
  let total = 0;
  for (let i = 0; i < count; i++) total += middle(object, i);
  return total;
}
function overflow(count) {
  let small = 1;
  for (let i = 0; i < count; i++) small = (small * 3) | 0 || small + 1073741823;
  return small;
}
class Base { step(i) { return i; } }
function makeClass(number) {
  return class extends Base { step(i) { return i + number; } };
}
function callStep(base, i) {
  return base.step(i); // calls step
}
function changeClasses(number) {
  const made = new (makeClass(number))(); // calls (anonymous)*
  let total = 0;
  for (let i = 0; i < 300; i++) total += callStep(made, i);
  return total;
}
function holes(count) {
  const array = new Array(50);
  for (let i = 0; i < count; i++) array[i % 70] = i % 11 === 0 ? 'text' : i % 7 === 0 ? 1.5 : i;
  return array.length;
}
function round(number) {
  loop(shapes[number % shapes.length](number), 300); // calls (anonymous)*
  overflow(2000);
  changeClasses(number);
  holes(2000);
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) round(number);
