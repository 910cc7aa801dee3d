// User code that breaks the prototypes of the language does not break the built-ins.
import process from 'fino:process';

const broken = () => { throw new Error('a patched method was called'); };
const shown = new Map([[1, new Set(['x'])]]);
const victims = [];
for (const Class of [Array, String, Map, Set, WeakMap, RegExp, Function, Promise, Number, Symbol, Object, Date]) {
  for (const key of Reflect.ownKeys(Class.prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(Class.prototype, key);
    if (key === 'constructor' || !descriptor.configurable || typeof descriptor.value !== 'function') continue;
    // toString is what a program itself uses in template strings.
    if (key === 'toString' || key === 'valueOf' || key === Symbol.toPrimitive || key === Symbol.hasInstance) continue;
    victims.push({ holder: Class.prototype, key });
  }
}
for (let i = 0; i < victims.length; i++) {
  Object.defineProperty(victims[i].holder, victims[i].key, { value: broken });
}
Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())).next = broken;
Object.keys = broken;
Object.create = broken;
Object.defineProperty = broken;
Object.assign = broken;
JSON.stringify = broken;
Reflect.apply = broken;
Reflect.ownKeys = broken;

console.log({ a: [1, 2, , 3], m: shown, e: new Error('m'), d: new Date(0), r: /x/ }, 'text', 5n);
console.log('%s %d %j %o', 'a', 1, { b: 2 }, [3]);
console.error(new TypeError('printed', { cause: 1 }));
console.table([{ a: 1 }, { b: 2 }]);
console.group('group');
console.count();
console.groupEnd();
const url = new URL('../x?a=1#y', 'https://m\u00fcnchen.de:8080/a/b');
url.searchParams.append('k', 'v w');
if (url.href !== 'https://xn--mnchen-3ya.de:8080/x?a=1&k=v+w#y') process.exit(2);
if (new TextDecoder('latin1').decode(new TextEncoder().encode('abc')) !== 'abc') process.exit(3);
if (atob(btoa('xyz')) !== 'xyz') process.exit(4);
const target = new EventTarget();
let events = 0;
target.addEventListener('x', () => { events++; }, { once: true });
target.dispatchEvent(new Event('x'));
const controller = new AbortController();
controller.abort();
performance.mark('m');
performance.measure('n', 'm');
structuredClone({ a: [1] });
let runs = 0;
setTimeout(() => { runs++; }, 1);
setTimeout(() => { runs++; }, 2);
setImmediate(() => { runs++; });
setTimeout(() => { if (runs !== 3 || events !== 1) process.exit(5); }, 30);
