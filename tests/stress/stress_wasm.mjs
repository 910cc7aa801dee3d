// WebAssembly modules compiled, tiered up, called from and calling JavaScript, trapping, and collected.
// V8: --expose-gc --stress-wasm-code-gc --wasm-dynamic-tiering --wasm-tiering-budget=20000
import { args } from 'fino:process';

const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >> 7)]);
const section = (id, ...bytes) => [id, ...leb(bytes.length), ...bytes];
const body = (...bytes) => [...leb(bytes.length), ...bytes];
/* (import "m" "f" (func (param i32) (result i32)))
 * spin(n): sums 1..n in a loop;  callOut(n): f(n) + spin(n);  trap(n): unreachable;  deep(n): deep(n + 1) */
const spin = body(1, 1, 0x7f, 3, 0x40, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20,
  1, 0x0b);
const callOut = body(0, 0x20, 0, 0x10, 0, 0x20, 0, 0x10, 1, 0x6a, 0x0b);
const trap = body(0, 0x00, 0x0b);
const deep = body(0, 0x20, 0, 0x41, 1, 0x6a, 0x10, 4, 0x0b);
const name = (text) => [text.length, ...new TextEncoder().encode(text)];
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0,
  ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7f), ...section(2, 1, ...name('m'), ...name('f'), 0, 0), ...section(3, 4, 0, 0, 0, 0),
  ...section(7, 4, ...name('spin'), 0, 1, ...name('callOut'), 0, 2, ...name('trap'), 0, 3, ...name('deep'), 0, 4),
  ...section(10, 4, ...spin, ...callOut, ...trap, ...deep)]);

function imported(n) {
  if (n === 13) throw new RangeError('thirteen');
  return n + 1;
}
function expectError(action, type) {
  try { action(); } catch (error) { if (error instanceof type) return; throw error; } // calls (anonymous)*
  throw new Error('nothing was thrown');
}
function useModule({ exports }) {
  let total = 0;
  for (let i = 20; i < 60; i++) total += exports.callOut(i); // calls imported
  total += exports.spin(20000);
  expectError(() => exports.callOut(13), RangeError); // calls imported
  expectError(() => exports.trap(0), WebAssembly.RuntimeError);
  return total;
}
let instances = [];
async function round(number) {
  const module = number % 3 === 0 ? await WebAssembly.compile(bytes) : new WebAssembly.Module(bytes);
  for (let i = 0; i < 4; i++) instances.push(new WebAssembly.Instance(module, { m: { f: imported } }));
  instances.forEach(useModule);
  if (number % 10 === 0) expectError(() => instances[0].exports.deep(0), RangeError);
  if (instances.length > 12) instances = [];
  if (number % 8 === 0) gc();
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) await round(number);
