// run() settles when the work is done, and rejects with what nobody caught: class, message, stack, code and cause.
import { Realm } from 'fino:realm';
import { equal, ok, rejects } from './assert.mjs';

const run = (source, options) => Realm.fromSource(source, options).run();

equal(await run('globalThis.done = 1;'), 0);
equal(await run("import { exit } from 'fino:process'; exit(7); for (;;);"), 7);
equal(await run("import process from 'fino:process'; process.exitCode = 3; await 0;"), 3);
equal(await run('setTimeout(() => {}, 5); await new Promise((resolve) => setTimeout(resolve, 10));'), 0);

const error = await rejects(run("const cause = new Error('why');\nthrow new RangeError('too far', { cause });"),
  RangeError);
equal(error.message, 'too far');
equal(error.cause.message, 'why');
ok(error.stack.includes('[source].mjs:2:7'), error.stack);
await rejects(run("Promise.reject(new TypeError('nobody listens'));"), /nobody listens/);
await rejects(run("setTimeout(() => { throw Object.assign(new Error('late'), { code: 'E_LATE' }); });"), { code: 'E_LATE' });
await rejects(run('this is no program'), SyntaxError);
await rejects(run("await new Promise(() => {});"), { code: 'ERR_REALM_UNSETTLED' });
await rejects(new Realm({ entry: './there-is-no-such-file.ts' }).run(), { code: 'ERR_MODULE_NOT_FOUND' });
equal(await run("throw { not: 'an error' };").catch((thrown) => thrown.not), 'an error');
equal(await run('throw () => 1;').catch((thrown) => thrown.message), '() => 1');
equal(await run("import process from 'fino:process'; process.on('uncaughtException', () => {}); setTimeout(() => { throw 1; });"), 0);

const twice = Realm.fromSource('');
await twice.run();
await rejects(twice.run(), /was run before/);
await rejects(twice.call(), { code: 'ERR_REALM_ENDED' });
