// TIMEOUT: 240
// A Realm that passes a limit of its own ends, and says which it was; this one, and what it does meanwhile, goes on.
import { ImportMap, Realm } from 'fino:realm';
import { equal, ok, rejects, throws } from './assert.mjs';

const HEAP = { code: 'ERR_REALM_HEAP_LIMIT' };
const CPU = { code: 'ERR_REALM_CPU_LIMIT' };
const run = (source, limits, options) => Realm.fromSource(source, { limits, ...options }).run();
let ticks = 0;
const ticking = setInterval(() => ticks++, 1);

// --- heapMB: many small things, and single ones that are larger than all there is ---

const hungry = {
  objects: 'const list = []; for (;;) list.push({ a: [1, 2, 3] });',
  strings: 'const list = []; for (let i = 0;; i++) list.push(`${i}`.repeat(100).split("").join("-"));',
  'a map': 'const map = new Map(); for (let i = 0;; i++) map.set(i, { i });',
  'one array': 'export const array = new Array(3e7).fill(1);',
  'a sparse array': 'new Array(1e9).fill(1);',
  'arrays of arrays': 'let a = [1]; for (;;) a = [...a, ...a];',
  'a long string': "export const text = 'x'.repeat(2 ** 29 - 24); text.charCodeAt(7); /y/.test(text);",
  'a doubled string': "let s = 'ab'; const kept = []; for (;;) { s += s; if (s.length > 1e8) s = 'ab'; kept.push(s.split('')); }",
  'a flood of promises': 'const list = []; for (;;) list.push(Promise.resolve().then(() => list));',
  'rejections that nobody handles': 'const list = []; for (;;) list.push(Promise.reject(new Error("no")));',
  microtasks: 'function more() { queueMicrotask(more); queueMicrotask(more); } more();',
  timers: 'for (;;) setTimeout(() => {}, 1e6);',
  buffers: 'const list = []; for (;;) list.push(new Uint8Array(1 << 20).fill(1));',
  'shared buffers': 'const list = []; for (;;) list.push(new SharedArrayBuffer(1 << 20));',
  'messages that nobody takes': `const { port1 } = new MessageChannel(); const text = 'x'.repeat(1 << 20);
    for (;;) port1.postMessage(text);`,
  ports: 'const list = []; for (;;) list.push(new MessageChannel().port1);',
};
for (const [what, source] of Object.entries(hungry)) {
  const error = await rejects(run(source, { heapMB: 32 }), HEAP, what);
  ok(/, 32 MB \(limits\.heapMB\)$/.test(error.message), error.message);
}
// A buffer that can't be had is refused at once, and ends the Realm.
await rejects(run('try { new ArrayBuffer(2 ** 32); } catch {} for (;;);', { heapMB: 32, cpuMs: 60000 }), HEAP);
// What is garbage does not count.
equal(await run('for (let i = 0; i < 400; i++) new Uint8Array(1 << 20).fill(1); for (let i = 0; i < 1e6; i++) [i];',
  { heapMB: 32 }), 0);
equal(await run("if (typeof WebAssembly !== 'undefined') throw 1;", { heapMB: 32 }), 0);
// Calls that were under way hear of it, too.
const serving = Realm.fromSource('export default (n) => { const a = []; while (n) a.push([n]); return 7; };',
  { limits: { heapMB: 32 } });
equal(await serving.call(0), 7);
await rejects(serving.call(1), HEAP);
await rejects(serving.call(0), HEAP);

// --- cpuMs: of what it does, not of the time that passes ---

const error = await rejects(run('for (;;);', { cpuMs: 50 }), CPU);
ok(/, 50 ms \(limits\.cpuMs\)$/.test(error.message), error.message);
await rejects(run('(function spin() { Promise.resolve().then(spin); })();', { cpuMs: 50 }), CPU);
await rejects(run('setInterval(() => { for (let i = 0; i < 1e5; i++); });', { cpuMs: 50 }), CPU);
await rejects(run('/(a+)+$/.test("a".repeat(60) + "b");', { cpuMs: 50 }), CPU);
await rejects(run('for (;;) { try { for (;;); } finally { continue; } }', { cpuMs: 50 }), CPU);
equal(await run('await new Promise((resolve) => setTimeout(resolve, 400));', { cpuMs: 300 }), 0);

// --- stackKB ---

const depth = 'let n = 0; function down() { n++; down(); } try { down(); } catch (error) { if (!(error instanceof RangeError)) throw error; } export default () => n;';
const deep = async (limits) => {
  const realm = Realm.fromSource(depth, { limits, thread: true });
  return realm.call().finally(() => realm.terminate());
};
const [shallow, middle, usual] = [await deep({ stackKB: 128 }), await deep({ stackKB: 1024 }), await deep(undefined)];
ok(shallow > 100 && middle > 4 * shallow && usual > 4 * middle, `${shallow} ${middle} ${usual}`);
await rejects(run('(function down() { down(); })();', { stackKB: 128 }), RangeError);

// --- nobody is given more than their owner has ---

const maker = `import { Realm } from 'fino:realm';
export default async (source, limits) => { await Realm.fromSource(source, { limits }).run(); };`;
const owner = Realm.fromSource(maker, { limits: { heapMB: 64, cpuMs: 60000 } });
await rejects(owner.call(hungry.objects, { heapMB: 1000 }), HEAP);
await rejects(owner.call(hungry.objects), HEAP);
await rejects(owner.call('for (;;);', { cpuMs: 20 }), CPU);
await owner.terminate();
await rejects(run('for (;;);', { cpuMs: 20 }, { overrides: ImportMap.deny() }), CPU);

// --- wrong limits ---

for (const [limits, pattern] of [
  [{ heapMB: 1 }, /heapMB must be an integer from 16 to/], [{ cpuMs: 0 }, /cpuMs/], [{ stackKB: 1e9 }, /stackKB/],
  [{ cpuMs: '5' }, /integer/], [{ memory: 5 }, /limits\.memory is unknown/], [7, /must be an object/],
]) throws(() => Realm.fromSource('', { limits }), pattern);
throws(() => Realm.fromSource('', { limits: {}, thread: false }), /thread can't be false/);

clearInterval(ticking);
ok(ticks > 0);
