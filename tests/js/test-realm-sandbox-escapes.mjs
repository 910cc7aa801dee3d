// TIMEOUT: 120
// Ways out of a sandbox that programs try, and ways to take the process down from within one. None leads anywhere: what
// is refused is refused, the Realm alone ends, and this one goes on.
import { ImportMap, Realm } from 'fino:realm';
import { deepEqual, equal, ok, rejects } from './assert.mjs';

const SELF = { allow: 'fino:realm/self' };
const overrides = ImportMap.deny([SELF]);
const begin = (body, options) => Realm.fromSource(`import { realm } from 'fino:realm/self';
export default async (given) => { ${body} };`, { overrides, ...options });
const inside = async (body, given, options) => {
  const realm = begin(body, options);
  return realm.call(given).finally(() => realm.terminate());
};
const HEAP = { code: 'ERR_REALM_HEAP_LIMIT' };

// --- imports, however they are written ---

const names = ['fino:file', 'fino:process', 'fino:realm', 'fino:net/tcp', 'fino:profiler', 'FINO:file', ' fino:file', 'fino:file?x',
  'fino:./file', 'node:fs', 'fs', '/etc/passwd', '/proc/self/environ', 'file:///etc/passwd', 'file:/etc/passwd', 'FILE:///etc/passwd',
  'file://localhost/etc/passwd', 'file:///%65tc/passwd', '//etc/passwd', './tests/js/assert.mjs', '../../etc/passwd',
  'data:text/javascript,export default 1', 'http://127.0.0.1:1/x.mjs', 'blob:x', import.meta.url, ''];
const ways = {
  'import()': '(name) => import(name)',
  eval: "(name) => eval('import(name)')",
  'indirect eval': '(name) => (0, eval)(`import(${JSON.stringify(name)})`)',
  Function: "(name) => new Function('name', 'return import(name)')(name)",
  'a generator': "(name) => Object.getPrototypeOf(async function () {}).constructor('name', 'return await import(name)')(name)",
  'a constructor of a constructor': "(name) => ({}).constructor.constructor('name', 'return import(name)')(name)",
  'a timer': "(name) => new Promise((resolve, reject) => setTimeout(() => import(name).then(resolve, reject)))",
  'an assertion': "(name) => import(name, { assert: { type: 'json' } })",
};
const imports = await inside(`
  const kept = [];
  for (const name of given) {
    for (const [how, way] of Object.entries({ ${Object.entries(ways).map(([how, way]) => `'${how}': ${way}`)} })) {
      await way(name).then(() => kept.push([how, name, 'is there']),
        (error) => { if (error.code !== 'ERR_IMPORT_REFUSED') kept.push([how, name, String(error)]); });
    }
  }
  return kept;`, names);
deepEqual(imports, []);
// A name that is another when it is read again.
equal(await inside(`let n = 0;
  const name = { toString() { return n++ === 0 ? 'fino:realm/self' : 'fino:file'; } };
  return Object.keys(await import(name)).sort().join();`), 'default,realm');
equal(await inside("return [typeof process, typeof require, typeof module, typeof Deno, typeof Bun].join();"),
  'undefined,undefined,undefined,undefined,undefined');

// --- constructors: of what comes from outside, too, they are the sandbox's own ---

const receiver = begin(`
  const fromOwner = await new Promise((resolve) => { realm.port.onmessage = (event) => resolve(event.data); });
  const channel = new MessageChannel();
  const all = { given, fromOwner, realm, port: realm.port, channel, timer: setTimeout, console, 'import.meta': import.meta,
    namespace: await import('fino:realm/self'), refusal: await import('fino:file').catch((error) => error),
    error: given.error, list: given.list, map: given.map, bytes: given.bytes, args: realm.args, performance, fetch };
  const strange = [];
  for (const [name, value] of Object.entries(all)) {
    for (let at = value; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
      const of = at.constructor?.constructor;
      if (of !== undefined && of !== Function) strange.push(name);
      if (of !== undefined && of('return this')() !== globalThis) strange.push(name + ' has another global');
    }
  }
  return strange;`, { args: [{ a: 1 }] });
receiver.port.postMessage({ a: [new Map()] });
deepEqual(await receiver.call({ error: new TypeError('t'), list: [1], map: new Map(), bytes: new Uint8Array(1) }), []);
await receiver.terminate();

// --- the built-ins' own objects: nothing that user code can change or be called by hands them out ---

// Every method and accessor of every intrinsic is replaced by one that remembers what it gets; then each global is used.
const sniffed = await inside(`
  const Get = Reflect.getOwnPropertyDescriptor, keysOf = Reflect.ownKeys, define = Reflect.defineProperty, apply = Reflect.apply;
  const setPrototypeOf = Object.setPrototypeOf, getPrototypeOf = Reflect.getPrototypeOf;
  const seen = [];
  let count = 0;
  const remember = (value) => {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') define(seen, count++, { __proto__: null, value, configurable: true });
  };
  const spy = (original) => {
    const watched = function (...args) {
      remember(this);
      for (let i = 0; i < args.length; i++) remember(args[i]);
      return new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args);
    };
    return watched;
  };
  const arrayIterator = Array.prototype[Symbol.iterator];
  const holders = [Object, Array, Function, Promise, Map, Set, WeakMap, WeakSet, RegExp, String, Number, Date, Error, Uint8Array,
    ArrayBuffer, DataView, Symbol].map((of) => of.prototype);
  holders.push(getPrototypeOf(Uint8Array.prototype), getPrototypeOf([][Symbol.iterator]()), Object, Array, Promise, Reflect, JSON, Math);
  for (let i = 0; i < holders.length; i++) {
    const keys = keysOf(holders[i]);
    for (let j = 0; j < keys.length; j++) {
      const key = keys[j];
      if (key === 'constructor' || key === 'prototype' || (key === Symbol.iterator && holders[i] === Array.prototype)) continue;
      if (holders[i] === getPrototypeOf(arrayIterator.call([])) && key === 'next') continue;
      const { value, get, set, writable, configurable } = Get(holders[i], key);
      if (!configurable) continue;
      if (typeof value === 'function') define(holders[i], key, { __proto__: null, value: spy(value), writable: true, configurable: true });
      else if (get) define(holders[i], key, { __proto__: null, get: spy(get), set: set && spy(set), configurable: true });
    }
  }
  // What is set on an object that has no such property of its own.
  for (const key of ['load', 'modules', 'then', 'get', 'set', 'value', 'message', 'type', 'id', 'args', 'port', 'handler', 'callback',
    'listener', 'realmArguments', 'realmEnv', 'self', 'checkRealmOptions', 'key', 'next', 'signal', 'code', 'native', 'internal', '0', '1', '2']) {
    define(Object.prototype, key, { __proto__: null, configurable: true, set(value) {
      remember(this);
      remember(value);
      define(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    } });
  }
  const works = [
    () => console.log === 1, () => structuredClone({ a: [1, new Map([[1, 2]])] }), () => new URL('http://a/b?c=d').searchParams.get('c'),
    () => new TextDecoder().decode(new TextEncoder().encode('a')), () => atob(btoa('a')), () => new AbortController().abort(),
    () => AbortSignal.timeout(1), () => new EventTarget().addEventListener('a', () => {}), () => new CustomEvent('a', { detail: 1 }),
    () => { const t = new EventTarget(); t.addEventListener('a', { handleEvent: remember }); t.dispatchEvent(new Event('a')); },
    () => new Headers([['a', 'b']]).get('a'), () => new Request('http://a/', { headers: { a: 'b' } }), () => new Response('x').text(),
    () => fetch('http://127.0.0.1:1/').catch(remember), () => new ReadableStream({ pull(c) { remember(c); c.enqueue(1); c.close(); } }).getReader().read(),
    () => new WritableStream({ write(x, c) { remember(c); } }).getWriter().write(1), () => new TransformStream().readable,
    () => { const { port1, port2 } = new MessageChannel(); port1.onmessage = remember; port2.postMessage({ a: 1 }); },
    () => performance.mark('a'), () => performance.measure('b'), () => queueMicrotask(function () { remember(this); }),
    () => setTimeout(function () { remember(this); }, 0), () => setImmediate(function () { remember(this); }), () => clearInterval(setInterval(() => {}, 1)),
    () => new DOMException('a', 'b').stack, () => reportError === 1, () => navigator.userAgent, () => realm.port.postMessage({}),
    () => import('fino:file').catch(remember), () => import('fino:realm/self'), () => new SuppressedError(1, 2),
    // Classes whose parents are replaced: what is passed to super() is theirs.
    () => { for (const name of keysOf(globalThis)) { const of = globalThis[name]; if (typeof of !== 'function' || of.prototype === undefined) continue;
      const parent = getPrototypeOf(of); if (parent === Function.prototype) continue;
      setPrototypeOf(of, spy(parent)); } new MessageChannel(); performance.mark('c'); performance.measure('d'); new AbortController().abort(); },
  ];
  for (let i = 0; i < works.length; i++) {
    try { await works[i](); } catch (error) { remember(error); }
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  // Is any of the hosts' objects among what was seen, or can be reached from it?
  const known = new Set(), found = [];
  const queue = [];
  for (let i = 0; i < count; i++) queue[i] = seen[i];
  for (let i = 0; i < queue.length && i < 200000; i++) {
    const at = queue[i];
    if ((typeof at !== 'object' || at === null) && typeof at !== 'function') continue;
    if (known.has(at)) continue;
    known.add(at);
    let keys;
    try { keys = keysOf(at); } catch { continue; }
    if (keys.includes('primordials') || keys.includes('fileDo') || keys.includes('realmNew') || keys.includes('portPost')) found.push(keys.join().slice(0, 100));
    for (let j = 0; j < keys.length; j++) {
      const property = Get(at, keys[j]);
      if (property !== undefined) queue.push(property.value, property.get, property.set);
    }
    queue.push(getPrototypeOf(at));
  }
  return { count, known: known.size, found };`);
ok(sniffed.count > 100 && sniffed.known > 200, `${sniffed.count} ${sniffed.known}`);
deepEqual(sniffed.found, []);

// Frames of the built-ins show neither their functions nor their receivers.
deepEqual(await inside(`
  const frames = [];
  const look = () => {
    Error.prepareStackTrace = (error, sites) => sites;
    for (const site of new Error().stack) {
      if (site.getFileName()?.startsWith('[source]')) continue;
      if (site.getFunction() !== undefined) frames.push('the function ' + site.getFunctionName());
      if (site.getThis() !== undefined) frames.push('the receiver of ' + site.getFunctionName());
    }
    try { frames.push(...[look.caller].filter((caller) => caller)); } catch {}
  };
  const target = new EventTarget();
  target.addEventListener('a', look);
  target.dispatchEvent(new Event('a'));
  structuredClone({ get a() { look(); return 1; } });
  new URLSearchParams({ get a() { look(); return 1; } });
  [1, 2].sort(look);
  await new Promise((resolve) => setTimeout(() => { look(); resolve(); }));
  await new Promise((resolve) => queueMicrotask(() => { look(); resolve(); }));
  await new ReadableStream({ pull(controller) { look(); controller.close(); } }).getReader().read();
  return frames;`), []);

// A port is a pointer for C: none but real ones count.
deepEqual(await inside(`
  const Host = Object.getPrototypeOf(MessagePort), { postMessage, start, close } = MessagePort.prototype;
  const { port1 } = new MessageChannel();
  const made = [{}, null, 7, Object.create(port1), new Proxy(port1, {}), Object.setPrototypeOf({}, MessagePort.prototype), Reflect.construct(Object, [], MessagePort)];
  const passed = [];
  for (const object of made) {
    for (const method of [postMessage, start, close]) {
      try { method.call(object, 1); passed.push(String(object)); } catch (error) { if (!(error instanceof TypeError)) passed.push(String(error)); }
    }
  }
  const empty = new Host(); // real, and of no port
  start.call(empty);
  close.call(empty);
  try { new MessagePort(); passed.push('new MessagePort()'); } catch {}
  try { port1.postMessage(0, [empty]); passed.push('a transfer'); } catch {}
  return passed;`), []);

// --- what crosses the port is data ---

const polluter = begin(`
  const evil = JSON.parse('{ "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 2 } }, "toString": 3, "then": 4 }');
  realm.port.postMessage(evil);
  realm.port.postMessage(new Map([['__proto__', { polluted: 1 }]]));
  realm.port.postMessage(Object.assign([1], { __proto__: { polluted: 1 }, length: 5 }));
  Object.prototype.polluted = 1;
  Array.prototype.polluted = 1;
  Object.defineProperty(Object.prototype, 'type', { value: 'call', configurable: true });
  const error = new Error('e', { cause: evil });
  Object.assign(error, { code: { polluted: 1 } });
  Object.defineProperty(error, 'name', { get() { throw 1; } });
  Object.defineProperty(error, 'stack', { value: { toString() { throw 2; } } });
  throw error;`);
const arrived = [];
polluter.port.onmessage = ({ data }) => arrived.push(data);
const thrown = await rejects(polluter.call());
equal(thrown.message, 'e');
ok(thrown instanceof Error && Object.getPrototypeOf(thrown) === Error.prototype && typeof thrown.stack === 'string');
while (arrived.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
for (const data of arrived) {
  const own = Object.getPrototypeOf(data);
  ok(own === Object.prototype || own === Map.prototype || own === Array.prototype);
}
equal(Object.hasOwn(arrived[0], '__proto__'), true);
equal({}.polluted, undefined);
equal([].polluted, undefined);
await polluter.terminate();

// --- import.meta ---

deepEqual(await inside(`return [Object.getPrototypeOf(import.meta) === null, Object.keys(import.meta).sort().join(), import.meta.url,
  await (async () => import.meta.resolve('fino:file'))().catch((error) => error.code)];`).then(([bare, , ...rest]) => [bare, ...rest]),
[true, '[source].mjs', 'ERR_IMPORT_REFUSED']);

// --- huge messages ---

const limits = { heapMB: 32 };
await rejects(inside("const list = []; for (;;) realm.port.postMessage(new Uint8Array(1 << 24));", 0, { limits }), HEAP);
await rejects(inside("return 'x'.repeat(2 ** 27);", 0, { limits }), HEAP);
equal((await inside('return new Uint8Array(64 << 20).fill(3);')).length, 64 << 20);
equal(await inside(`let deep = []; for (let i = 0; i < 2e5; i++) deep = [deep];
  try { realm.port.postMessage(deep); } catch (error) { return error.name; }`), 'RangeError');
await rejects(inside("realm.port.postMessage(() => {});"), { name: 'DataCloneError' });
await rejects(inside('return Symbol();'), { name: 'DataCloneError' });

// --- SharedArrayBuffer, WebAssembly ---

const shared = new SharedArrayBuffer(8);
equal(await inside('Atomics.store(new Int32Array(given), 0, 7); return 1;', shared), 1);
equal(new Int32Array(shared)[0], 7);
const waiting = begin("realm.port.postMessage('waits'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);");
await new Promise((resolve) => {
  waiting.port.onmessage = resolve;
  waiting.call().catch(() => {});
});
await waiting.terminate();

// (module (memory 1) (func (export "loop") (loop br 0)) (func (export "deep") call 1)
//   (func (export "load") (result i32) i32.const -4 i32.load))
const section = (id, ...body) => [id, body.length, ...body];
const exported = (name, index) => [name.length, ...new TextEncoder().encode(name), 0, index];
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...section(1, 2, 96, 0, 0, 96, 0, 1, 127), ...section(3, 3, 0, 0, 1),
  ...section(5, 1, 0, 1), ...section(7, 3, ...exported('loop', 0), ...exported('deep', 1), ...exported('load', 2)),
  ...section(10, 3, 7, 0, 3, 64, 12, 0, 11, 11, 4, 0, 16, 1, 11, 7, 0, 65, 124, 40, 2, 0, 11)]);
const wasm = 'const { exports } = new WebAssembly.Instance(new WebAssembly.Module(given)); ';
equal(await inside(`${wasm} try { exports.load(); } catch (error) { return error.name; }`, bytes), 'RuntimeError');
equal(await inside(`${wasm} try { exports.deep(); } catch (error) { return error.name; }`, bytes), 'RangeError');
const spinning = begin(`${wasm} realm.port.postMessage('spins'); exports.loop();`);
await new Promise((resolve) => {
  spinning.port.onmessage = resolve;
  spinning.call(bytes).catch(() => {});
});
await spinning.terminate();
await rejects(inside(`${wasm} exports.loop();`, bytes, { limits: { cpuMs: 50 } }), { code: 'ERR_REALM_CPU_LIMIT' });
equal(await inside('return typeof WebAssembly;', 0, { limits }), 'undefined');
// A module that is compiled already leads neither to an instance nor to a memory or another module.
const smuggled = begin(`const module = await new Promise((resolve) => { realm.port.onmessage = (event) => resolve(event.data); });
  const Module = module.constructor;
  try { new Module(given); } catch (error) { return [error.name, Module.Instance, Module.Memory, typeof Module.prototype.constructor.instantiate]; }`,
{ limits });
smuggled.port.postMessage(new WebAssembly.Module(bytes));
deepEqual(await smuggled.call(bytes), ['CompileError', undefined, undefined, 'undefined']);
await smuggled.terminate();

// --- deep recursion: everything that recurses says so, or copes ---

const recursions = {
  functions: 'const f = () => f(); f();',
  proxies: 'let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x;',
  'a getter': 'const o = { get a() { return this.a; } }; o.a;',
  'toString': 'const o = { toString() { return `${this}`; } }; `${o}`;',
  'JSON.stringify': 'let a = []; for (let i = 0; i < 2e5; i++) a = [a]; JSON.stringify(a);',
  'JSON.parse': "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6), (k, v) => v);",
  structuredClone: 'let a = []; for (let i = 0; i < 2e5; i++) a = [a]; structuredClone(a);',
  'a sort': 'const f = () => [1, 2].sort(f); f();',
  'a replacement': "const f = () => 'a'.replace('a', f); f();",
  flat: 'let a = []; for (let i = 0; i < 2e5; i++) a = [a]; a.flat(Infinity);',
  parentheses: "eval('('.repeat(1e6));",
  brackets: "new Function('['.repeat(1e6));",
  functions2: "eval('function f(){'.repeat(1e5));",
  'a pattern': "new RegExp('('.repeat(1e6) + ')'.repeat(1e6)).test('a');",
  'a ternary': "eval('1?'.repeat(1e6) + '1' + ':1'.repeat(1e6));",
  'classes': "let C = class {}; for (let i = 0; i < 2e4; i++) C = class extends C {}; new C();",
  'bound functions': 'let f = () => {}; for (let i = 0; i < 2e5; i++) f = f.bind(); f();',
  'a string': "let s = ''; for (let i = 0; i < 2e5; i++) s = 'a' + s + 'b'; s.charCodeAt(1e6); /x/.test(s);",
  'an event': "const t = new EventTarget(); t.addEventListener('a', () => t.dispatchEvent(new Event('a'))); t.dispatchEvent(new Event('a'));",
  'causes': "let e = new Error(); for (let i = 0; i < 1e5; i++) e = new Error('', { cause: e }); realm.port.postMessage(e);",
  'spread arguments': 'Math.max(...new Array(1e7).fill(1));',
  'apply': 'Math.max.apply(null, { length: 1e6 });',
  'an async function': 'const f = async () => { await f(); }; await f();',
  'promises': 'let p = Promise.resolve(); for (let i = 0; i < 1e5; i++) p = Promise.resolve(p).then(() => {}); await p;',
  'thenables': 'const t = { then(f) { f(t); } }; let n = 0; t.then = (f) => (n++ < 1e5 ? f(t) : f(1)); await t;',
};
for (const [what, source] of Object.entries(recursions)) {
  const outcome = await inside(`try { ${source} } catch (error) { return error?.name; }`).catch((error) => error.name);
  ok([undefined, 'RangeError', 'SyntaxError', 'DataCloneError'].includes(outcome), `${what}: ${outcome}`);
}

// --- heap exhaustion, floods ---

for (const source of ['const list = []; for (;;) list.push({ list });', 'const list = []; for (;;) list.push(Promise.resolve().then(() => list));',
  "function more() { queueMicrotask(more); queueMicrotask(more); } more();", 'const list = []; for (;;) list.push(new Uint8Array(1 << 20));',
  'const list = []; for (;;) list.push(new MessageChannel());']) {
  await rejects(inside(`${source} await new Promise(() => {});`, 0, { limits }), HEAP, source);
}
await rejects(inside('(function spin() { Promise.resolve().then(spin); })(); await new Promise(() => {});', 0, { limits: { cpuMs: 50 } }), { code: 'ERR_REALM_CPU_LIMIT' });

// --- 10,000 ports: made, sent out, used by this side, and closed ---

const COUNT = 10000;
const many = begin(`const ports = []; let answers = 0;
  const all = new Promise((resolve) => {
    for (let i = 0; i < ${COUNT}; i++) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { if (++answers === ${COUNT}) resolve(); };
      ports.push(port2);
    }
  });
  try { realm.port.postMessage(0, ports); return 'all at once'; } catch (error) { if (error.name !== 'DataCloneError') throw error; }
  for (let i = 0; i < ports.length; i += 1000) realm.port.postMessage(i, ports.slice(i, i + 1000));
  await all;
  return answers;`);
const taken = [];
many.port.onmessage = ({ ports }) => {
  taken.push(...ports);
  for (const port of ports) port.postMessage('hello');
};
equal(await many.call(), COUNT);
equal(taken.length, COUNT);
for (const port of taken) port.close();
await many.terminate();
equal(await inside('return 7;'), 7);
