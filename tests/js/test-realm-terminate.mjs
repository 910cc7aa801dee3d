// terminate() ends a Realm wherever it is: before its start, at its start, in an endless loop, waiting, idle, ended.
import { Realm } from 'fino:realm';
import { equal, rejects } from './assert.mjs';

const { port1, port2 } = new MessageChannel();
port1.close();
port2.close();

// begun(source): a Realm that has got as far as `begun()` in its source.
async function begun(source) {
  const realm = Realm.fromSource(`import { realm } from 'fino:realm/self';
    const begun = () => realm.port.postMessage('begun'); ${source}`);
  const ended = realm.run();
  await new Promise((resolve) => { realm.port.onmessage = resolve; });
  return [realm, ended];
}

const sources = [
  'begun(); for (;;);',
  'begun(); Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0);',
  'begun(); setInterval(() => {}, 1e9);',
  'begun(); await new Promise((resolve) => setTimeout(resolve, 1e9));',
  'begun(); (function forever() { try { for (;;); } finally { forever(); } })();',
  'begun(); const forever = () => Promise.resolve().then(forever); forever();',
  'begun(); /^(a+)+$/.exec("a".repeat(50) + "b");',
  'begun(); const kept = []; for (;;) { kept.push(new Array(1000)); if (kept.length > 1000) kept.length = 0; }',
  "begun(); import { exit } from 'fino:process'; setInterval(() => {}, 1);",
];
for (const source of sources) {
  const [realm, ended] = await begun(source);
  await realm.terminate();
  await rejects(ended, { code: 'ERR_REALM_TERMINATED' }, source);
  await realm.terminate();
}

const unborn = Realm.fromSource('');
await unborn.terminate();
await rejects(unborn.run(), { code: 'ERR_REALM_TERMINATED' });
for (let i = 0; i < 20; i++) {
  const starting = Realm.fromSource('for (;;);');
  const ended = starting.run();
  if (i % 2) await new Promise((resolve) => setTimeout(resolve, i / 2));
  starting.terminate();
  await rejects(ended, { code: 'ERR_REALM_TERMINATED' });
}
const done = Realm.fromSource('');
equal(await done.run(), 0);
await done.terminate();

// Disposal is termination, and whoever disposes of a Realm need not listen to its end.
const disposed = Realm.fromSource('for (;;);');
disposed.run();
disposed[Symbol.dispose]();
const later = Realm.fromSource('for (;;);');
later.run();
await later[Symbol.asyncDispose]();

// A Realm's Realms end with it; unref'd ones don't keep their owner.
const outer = Realm.fromSource(`import { Realm } from 'fino:realm';
  const inner = Realm.fromSource('for (;;);'); inner.unref(); inner.run();`);
equal(await outer.run(), 0);
const unreferenced = Realm.fromSource('for (;;);').unref();
unreferenced.run();
equal(unreferenced.hasRef(), false);
