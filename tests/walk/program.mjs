// Calls of every kind, many of them, for the stepper: first to warm up, so often as the first argument says, then step by step.
import { args } from 'fino:process';
function small(a, b) { if (a > b) return a - b; return a + b * 2; }
function many(a, b, c, d) { return small(a, b) + small(c, d); }
const object = { x: 1, get half() { return small(this.x, 2); }, set half(v) { this.x = v; }, method(z) { return this.x + z; } };
class Base { constructor(q) { this.q = q; } get double() { return this.q * 2; } }
class Derived extends Base { #own = 1; constructor(q) { super(q); this.r = q; } own() { return this.#own + super.double; } }
const list = [5, 3, 8, 1];
function* generate(n) { for (let i = 0; i < n; i++) yield i; }
function throwing(i) { if (i % 16 === 3) throw new Error('x'); return i; }
function tagged(strings, ...values) { return strings.length + values.length; }
function closing(i) { return () => i + 1; }
function shape(i) { return i % 3 === 0 ? { a: i } : i % 3 === 1 ? { b: 1, a: i } : { c: 1, b: 2, a: i }; }
// Optimised while it sees one kind of value only: leaves this code at once with another.
function eager(value) { let t = 0; for (let i = 0; i < 3; i++) t += value * 2; return t; }
// Leaves it when the call returns that took away what it was compiled for.
class Constant { get() { return 1; } }
function lazy(constant, call, i) {
  let t = 0;
  for (let k = 0; k < 5; k++) { t += constant.get(); if (k === 4) call(i); }
  return t + constant.get();
}
const keep = [(i) => i, (i) => i + 1, (i) => i + 2, (i) => small(i, 1), (i) => many(i, 1, 2, 3)];
function change() { Constant.prototype.get = () => 2; }
const constant = new Constant();
function work(n, deoptimise) {
  let t = 0, s = '';
  if (deoptimise) t += eager(1.5) + eager('2') + lazy(constant, change, 1);
  for (let i = 0; i < n; i++) {
    t += eager(i) + lazy(constant, keep[i % keep.length], i);
    t += many(i, 3, 4, i & 7) + object.half + object.method(i);
    object.half = i & 3;
    t += new Derived(i).own() + new Base(2).double;
    s = 'a' + i; t += s.length + s.charCodeAt(0) + tagged`x${i}y${t}`;
    t += list.map((x) => x + 1).length + Math.max(i, 3) + list.reduce((a, b) => a + b, 0);
    try { t += throwing(i); } catch { t++; } finally { t += 1; }
    t += [...list].length + Object.keys(object).length + [...generate(3)].length;
    t += /a(\d+)/.exec(s) ? 1 : 0;
    t += many(...[i, 2, 3]) | 0;
    t += closing(i)() + shape(i).a + (i % 2 ? 1 : 1.5) * i;
    t += small.call(null, i, 2) + small.apply(null, [i, 3]) + small.bind(null, 1)(2) + Reflect.apply(small, null, [1, 2]);
    t += many(i) === undefined ? 1 : 2;
    t += small(i, 1, 2, 3, 4, 5);
    t += new Map([[1, i]]).get(1) + JSON.stringify([i]).length + [3, 1, 2].sort((a, b) => a - b)[0];
  }
  return t;
}
work(Number(args[0]));
console.log('@step');
work(1e9, true);
