// Exceptions that cross native frames: out of callbacks of sort, JSON, replace, getters, proxies, iterators, promises.
// V8: --stress-scavenge=60
import { args } from 'fino:process';

class Thrown extends Error {}
let countdown = 0;
function mayThrow() {
  if (--countdown <= 0) throw new Thrown('now');
  return 1;
}
function compare(a, b) { mayThrow(); return a - b; }
function sortIt() { [5, 3, 9, 1, 7, 2, 8].sort(compare); }
const holder = { toJSON() { return { value: mayThrow() }; } };
function stringifyIt() { JSON.stringify([holder, holder, [holder]]); } // calls toJSON
function revive(key, value) { mayThrow(); return value; }
function parseIt() { JSON.parse('{"a":[1,2,{"b":3}],"c":4}', revive); }
function replaceOne(match) { mayThrow(); return match; }
function replaceIt() { 'a b c d e'.replace(/[a-e]/g, replaceOne); }
const accessor = { get value() { return mayThrow(); }, set value(unused) { mayThrow(); } };
function useAccessor() { accessor.value = accessor.value + Reflect.get(accessor, 'value'); } // calls get value, set value
const proxy = new Proxy({}, { get(target, name) { mayThrow(); return name; }, has() { return mayThrow() > 0; } });
function useProxy() { return `${String(proxy.name)} ${'x' in proxy}`; } // calls get, has
function* numbers() { try { yield mayThrow(); yield mayThrow(); } finally { countdown = Math.max(countdown, 0); } }
function iterate() { return Array.from(numbers(), mayThrow); }
function spread() { return Math.max(...numbers()); }
class Construct { constructor() { mayThrow(); } }
function construct() { return Reflect.construct(Construct, []); }
function mapIt() { return [1, 2, 3].map(mayThrow).flatMap(mayThrow); }
function convert() { return +{ valueOf: mayThrow } + Number({ [Symbol.toPrimitive]: mayThrow }); }
function executor(resolve) { resolve(mayThrow()); }
function promiseIt() { new Promise(executor).catch(() => {}); }
function applyIt() { return Function.prototype.apply.call(mayThrow, null, [1]); }
function tagged() { return String.raw({ raw: { length: 2, get 0() { return mayThrow(); }, 1: 'x' } }); } // calls get 0
const all = [sortIt, stringifyIt, parseIt, replaceIt, useAccessor, useProxy, iterate, spread, construct, mapIt, convert,
  promiseIt, applyIt, tagged];
let caught = 0;
function attempt(action, steps) {
  countdown = steps;
  try {
    try { action(); /* calls *It, use*, iterate, spread, construct, convert, tagged */ } finally { countdown = 0; }
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    caught++;
  }
}
function round(number) {
  for (const action of all) attempt(action, number % 9 + 1);
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) {
  round(number);
  if (number % 100 === 0) await null;
}
if (caught === 0) throw new Error('nothing was thrown');
