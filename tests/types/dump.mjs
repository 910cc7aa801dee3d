// What fino has at run time, as JSON, for compare.mjs: the names in each of its modules and on the global object, and
// the members of what they stand for. Arguments: the names of the modules.

import { DiskFileSystem } from 'fino:file';
import { serveHttp } from 'fino:net/http/server';
import { connect, listen } from 'fino:net/tcp';
import { args } from 'fino:process';
import { Realm } from 'fino:realm';
import { RealmPool } from 'fino:realm/pool';

const files = new DiskFileSystem();
const { value: entry } = await files.dir('.').next();
const watcher = files.watch('.');
const handle = await files.open('.');
const http = serveHttp(() => new Response());
const tcp = listen({ port: 0 }, (connection) => connection.close());
const connection = await connect({ port: tcp.port });
const realm = Realm.fromSource(`
  import * as self from 'fino:realm/self';
  export default () => [Object.keys(self), Object.getOwnPropertyNames(self.realm)];
`);
const pool = new RealmPool({ entry: 'none.mjs' });
const channel = new MessageChannel();

// Instances, whose own properties belong to their class.
const samples = [
  await files.stat('.'), entry, watcher, files, handle, http, tcp, connection, realm, pool,
  channel, channel.port1, new Event('x'), new ErrorEvent('x'), new AbortController(), new DOMException(), performance,
  new SuppressedError(1, 2), new DisposableStack(), new AsyncDisposableStack(), performance.mark('x'),
  new WebAssembly.Memory({ initial: 1 }),
];

const hasMembers = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const ofFunctions = ['length', 'name', 'prototype', 'arguments', 'caller'];
const builtin = [Object.prototype, Function.prototype, Error, Error.prototype, Array.prototype, Uint8Array.prototype];

function members(value) {
  const names = new Set();
  for (let at = value; hasMembers(at) && !builtin.includes(at); at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === 'constructor' || (typeof at === 'function' && ofFunctions.includes(name))) continue;
      names.add(name);
    }
  }
  return [...names].sort();
}

function instanceMembers(Class) {
  if (typeof Class !== 'function' || !hasMembers(Class.prototype)) return undefined;
  const names = new Set(members(Class.prototype));
  for (const sample of samples) {
    if (sample?.constructor === Class) for (const name of Object.getOwnPropertyNames(sample)) names.add(name);
  }
  return [...names].sort();
}

const shape = (value) => hasMembers(value) ? { members: members(value), instance: instanceMembers(value) } : {};
const shapes = (object) => Object.fromEntries(Object.getOwnPropertyNames(object)
  .map((name) => [name, name === 'globalThis' || name === 'self' ? {} : shape(object[name])]));

// Those that only programs for Node look for: @types/node has them.
delete globalThis.process;
delete globalThis.Buffer;

const modules = {};
for (const name of args) if (name !== 'fino:realm/self') modules[name] = shapes(await import(name));
const [names, inSelf] = await realm.call();
modules['fino:realm/self'] = Object.fromEntries(names.map((name) => [name, { members: inSelf }]));
const unknown = await import('fino:none').catch((error) => error.message);

console.log(JSON.stringify({ modules, known: unknown.match(/fino:[a-z/]+/g).slice(1), globals: shapes(globalThis) }));

connection.close();
await Promise.all([watcher.close(), handle.close(), http.close(), tcp.close(), realm.close(), pool.close()]);
