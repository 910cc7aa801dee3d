// A Realm has its own globals, modules, arguments and environment.
import { Realm } from 'fino:realm';
import process from 'fino:process';
import { deepEqual, equal, ok, rejects } from './assert.mjs';

const entry = new URL('../fixtures/realms/calls.ts', import.meta.url);
globalThis.leaked = true;
process.env.FINO_TEST_OWNER = 'yes';

const first = new Realm({ entry, args: ['a', { b: 1 }], env: { ONLY: 1 } });
const second = new Realm({ entry, name: 'second' });
deepEqual(await first.call({ what: 'self' }), { args: ['a', { b: 1 }], id: first.id, kind: 'pooled', name: first.thread });
const third = new Realm({ entry, thread: true });
equal((await third.call({ what: 'self' })).kind, 'thread');
deepEqual(await first.call({ what: 'process' }), { args: ['a', '[object Object]'], env: { ONLY: '1' } });
equal((await second.call({ what: 'process' })).env.FINO_TEST_OWNER, 'yes');
equal(second.thread, 'second');
equal(first.thread, 'calls.ts');
ok(second.id !== first.id);
await Promise.all([first.terminate(), second.terminate(), third.terminate()]);

equal(await Realm.fromSource('if (globalThis.leaked) throw 1;').run(), 0);
await rejects(Realm.fromSource("import process from 'fino:process'; process.chdir('/');").run(), /main Realm/);
await rejects(Realm.fromSource("import process from 'fino:process'; process.on('SIGINT', () => {});").run(), /main Realm/);
equal(await Realm.fromSource("import process from 'fino:process'; process.env.FINO_TEST_INNER = 1;").run(), 0);
equal(process.env.FINO_TEST_INNER, undefined);
await rejects(import('fino:realm/self'), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' });

// Names are made unique.
const names = [1, 2, 3].map(() => new Realm({ entry, name: 'same' }).thread);
deepEqual(names, ['same', 'same#2', 'same#3']);
equal(new Realm({ entry, name: 'same#2' }).thread, 'same#2#1');
