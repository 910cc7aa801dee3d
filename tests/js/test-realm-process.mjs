// TIMEOUT: 120
// A process Realm is a Realm as any other, in a process that may crash without taking anybody along.
import { ImportMap, Realm } from 'fino:realm';
import { RealmPool } from 'fino:realm/pool';
import { DiskFileSystem } from 'fino:file';
import { env, kill, pid } from 'fino:process';
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';

const begin = (source, options) => Realm.fromSource(source, { process: true, ...options });
const next = (port) => new Promise((resolve) => port.addEventListener('message', resolve, { once: true }));
const isThere = (number) => {
  try {
    kill(number, 0);
    return true;
  } catch {
    return false;
  }
};
// Zombies are there, too: nothing may be left of a Realm that has ended.
const isGone = (number) => !isThere(number);

// --- the same API ---

const server = begin(`import { realm } from 'fino:realm/self';
import process from 'fino:process';
realm.port.onmessage = ({ data, ports: [port] }) => {
  if (port === undefined) realm.port.postMessage(data, data instanceof ArrayBuffer ? [data] : []);
  else port.postMessage({ hello: data }, []);
};
const tasks = {
  self: () => ({ name: realm.name, kind: realm.kind, args: realm.args, pid: process.pid, env: { ...process.env } }),
  throw: () => { const error = new RangeError('no', { cause: new TypeError('why') }); error.code = 'E_NO'; throw error; },
  later: (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms)),
  loop: () => { for (;;); },
  shared: () => new SharedArrayBuffer(8),
  port: () => { const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => { port1.postMessage(data + 1); port1.close(); }; realm.port.postMessage('a port', [port2]); },
};
export default (task, ...args) => tasks[task](...args);`, { name: 'server', args: [1, new Map([['a', [1n, new Date(5)]]])], env: { A: 'b' } });
const self = await server.call('self');
equal(self.name, 'server');
equal(self.kind, 'thread');
deepEqual(self.args, [1, new Map([['a', [1n, new Date(5)]]])]);
deepEqual(self.env, { A: 'b' });
ok(self.pid !== pid && isThere(self.pid));
deepEqual(await Promise.all([server.call('later', 30), server.call('later', 1), server.call('later', 10)]), [30, 1, 10]);
const error = await rejects(server.call('throw'), RangeError);
deepEqual([error.message, error.code, error.cause instanceof TypeError, error.cause.message], ['no', 'E_NO', true, 'why']);
ok(/\[source\]\.mjs/.test(error.stack), error.stack);

// --- messages: transferred buffers are copied, shared memory is not to be had ---

const { port } = server;
port.start();
port.ref();
const large = new Uint8Array(20 << 20).fill(3);
large[12345] = 7;
port.postMessage(large.buffer, [large.buffer]);
equal(large.byteLength, 0);
const back = new Uint8Array((await next(port)).data);
deepEqual([back.length, back[12344], back[12345]], [20 << 20, 3, 7]);
for (const value of [null, 'x'.repeat(1 << 20), 'ü€😀', [1, , 3], new Uint16Array([1, 2]), new Error('e'), -0, 2n ** 70n, { a: { b: null } }]) {
  port.postMessage(value);
  deepEqual((await next(port)).data, value);
}
for (const value of [new SharedArrayBuffer(8), [new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))], () => {}]) {
  const kept = new ArrayBuffer(8);
  throws(() => port.postMessage([value, kept], [kept]), { name: 'DataCloneError' });
  equal(kept.byteLength, 8);
  await rejects(server.call(value), { name: 'DataCloneError' });
}
await rejects(server.call('shared'), { name: 'DataCloneError' });
throws(() => begin('', { args: [new SharedArrayBuffer(8)] }).call(), { name: 'DataCloneError' });

// Ports, either way, and through a third Realm; what closes one closes the other.
const channel = new MessageChannel();
port.postMessage('you', [channel.port2]);
channel.port1.start();
deepEqual((await next(channel.port1)).data, { hello: 'you' });
channel.port1.close();
server.call('port');
const [theirs] = (await next(port)).ports;
theirs.start();
theirs.postMessage(41);
equal((await next(theirs)).data, 42);
await new Promise((resolve) => { theirs.onclose = resolve; });
const middle = Realm.fromSource(`import { realm } from 'fino:realm/self';
realm.port.onmessage = ({ ports: [port] }) => { port.onmessage = ({ data }) => { realm.port.postMessage(data.hello); port.close(); }; };`);
const between = new MessageChannel();
middle.port.start();
middle.port.ref();
middle.run();
middle.port.postMessage('take it', [between.port1]);
port.postMessage('through', [between.port2]);
equal((await next(middle.port)).data, 'through');
await middle.terminate();
// What was posted before a port was known to lead out of the process can't be read there.
const late = new MessageChannel();
late.port1.postMessage(new SharedArrayBuffer(8));
late.port1.postMessage(7);
const reader = begin(`import { realm } from 'fino:realm/self'; let kinds = [];
realm.port.onmessage = ({ ports: [port] }) => { port.onmessageerror = () => kinds.push('error'); port.onmessage = ({ data }) => { kinds.push(data); realm.port.postMessage(kinds); }; };
export default () => {};`);
reader.port.start();
reader.port.ref();
reader.port.postMessage(0, [late.port2]);
await reader.call();
deepEqual((await next(reader.port)).data, ['error', 7]);

// --- ends: of their own, by terminate(), and by what would be this process's end ---

equal(await begin("import process from 'fino:process'; process.exit(7);").run(), 7);
equal(await begin("import { realm } from 'fino:realm/self'; realm.port.postMessage('last');").run(), 0);
await rejects(begin("throw new TypeError('top');").run(), TypeError);
await rejects(begin('await new Promise(() => {});').run(), { code: 'ERR_REALM_UNSETTLED' });
await rejects(new Realm({ entry: './no/such/file.mjs', process: true }).run(), /Cannot find the entry/);
const looping = server.call('loop');
await Promise.all([server.terminate(), rejects(looping, { code: 'ERR_REALM_TERMINATED' })]);
ok(isGone(self.pid));
await rejects(server.call('self'), { code: 'ERR_REALM_TERMINATED' });
await reader.terminate();

const PROCESS = "import process from 'fino:process'; ";
for (const signal of ['SIGSEGV', 'SIGKILL', 'SIGABRT', 'SIGTERM']) {
  const dying = begin(`${PROCESS} export default (signal) => process.kill(process.pid, signal);`);
  const { message } = await rejects(dying.call(signal), { code: 'ERR_REALM_CRASHED', signal });
  ok(message.endsWith(`its process was ended by ${signal}`), message);
  await rejects(dying.call(signal), { code: 'ERR_REALM_CRASHED' });
}
const victim = begin(`${PROCESS} export default () => process.pid;`);
kill(await victim.call(), 'SIGKILL');
await victim.close();
await rejects(victim.call(), { code: 'ERR_REALM_CRASHED', signal: 'SIGKILL' });
// The terminal's signals are the owner's.
equal(await begin(`${PROCESS} process.kill(process.pid, 'SIGINT'); await new Promise((resolve) => setTimeout(resolve, 20));`).run(), 0);

// --- limits, and rules: the other process has them ---

const run = (source, options) => begin(source, options).run();
await rejects(run('const list = []; for (;;) list.push([1]);', { limits: { heapMB: 32 } }), { code: 'ERR_REALM_HEAP_LIMIT' });
await rejects(run('for (;;);', { limits: { cpuMs: 50 } }), { code: 'ERR_REALM_CPU_LIMIT' });
await rejects(run('(function down() { down(); })();', { limits: { stackKB: 128 } }), RangeError);
await rejects(run(`import { realm } from 'fino:realm/self'; const text = 'x'.repeat(1 << 20); for (;;) { realm.port.postMessage(text); await 0; }`,
  { limits: { heapMB: 32 } }), { code: 'ERR_REALM_HEAP_LIMIT' });
const directory = await new DiskFileSystem().mkdtemp(`${env.TMPDIR ?? '/tmp'}/fino-test-`);
const disk = new DiskFileSystem();
await disk.writeFile(`${directory}/a%20b.mjs`, 'export default 1;');
const overrides = ImportMap.deny([{ allow: 'fino:realm/self' }, { source: 'config', text: 'export default 7;' },
  { remap: 'words', to: `${directory}/a%2520b.mjs` }, { facade: 'fino:process', exports: ['arch'] }, { block: 'config/*' }]);
const sandbox = begin(`import { realm } from 'fino:realm/self'; export default async (name) => Object.entries(await import(name)).map(([k, v]) => k + typeof v).join();
export const kind = realm.kind;`, { overrides });
equal(await sandbox.call('config'), 'defaultnumber');
equal(await sandbox.call('words'), 'defaultnumber');
equal(await sandbox.call('fino:process'), 'archstring');
ok(/rule 5, block 'config\/\*', forbids it/.test((await rejects(sandbox.call('config/a'), { code: 'ERR_IMPORT_REFUSED' })).message));
await rejects(sandbox.call('fino:file'), { code: 'ERR_IMPORT_REFUSED' });
await sandbox.terminate();
// A sandbox's own process Realms are held by its rules.
const maker = Realm.fromSource(`import { ImportMap, Realm } from 'fino:realm';
export default (source) => Realm.fromSource(source, { process: true, overrides: ImportMap.deny([{ allow: '**' }]) }).run();`,
{ overrides: ImportMap.deny([{ allow: 'fino:realm' }]) });
equal(await maker.call('1'), 0);
await rejects(maker.call("import 'fino:file';"), { code: 'ERR_IMPORT_REFUSED' });
await maker.terminate();
await disk.rmdir(directory, { recursive: true });

// --- pools, disposal, and Realms within Realms ---

const pool = new RealmPool({ entry: new URL('realm_pid.mjs', import.meta.url), size: 2, realm: { process: true } });
const pids = new Set(await Promise.all([pool.call(), pool.call(), pool.call(), pool.call()]));
equal(pids.size, 2);
await rejects(pool.call('SIGKILL'), { code: 'ERR_REALM_CRASHED' });
ok(!pids.has(pid) && typeof (await pool.call()) === 'number');
await pool.close();
ok([...pids].every(isGone));
const nested = begin(`import { Realm } from 'fino:realm';
export default () => { const inner = Realm.fromSource("import process from 'fino:process'; export default () => process.pid;", { process: true });
  return inner.call(); };`);
const inner = await nested.call();
ok(isThere(inner));
await nested.terminate();
while (!isGone(inner)) await new Promise((resolve) => setTimeout(resolve, 5)); // its owner is gone, so it goes

// --- wrong options ---

for (const [options, pattern] of [[{ process: 1 }, /process must be true or false/], [{ process: true, thread: false }, /elsewhere/],
  [{ process: true, remote: 'a:1', token: 't' }, /not both/], [{ remote: 'nowhere', token: 't' }, /host:port/], [{ remote: 'a:1' }, /token/],
  [{ token: 't' }, /without remote/]]) throws(() => Realm.fromSource('', options), pattern);
