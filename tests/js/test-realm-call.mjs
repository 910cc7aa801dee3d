// call() invokes the default export, any number at once; each result finds its call.
import { Realm } from 'fino:realm';
import { deepEqual, equal, rejects } from './assert.mjs';

const entry = new URL('../fixtures/realms/calls.ts', import.meta.url);
const realm = new Realm({ entry });
const delays = Array.from({ length: 100 }, (unused, i) => (i * 37) % 50);
deepEqual(await Promise.all(delays.map((ms, value) => realm.call({ what: 'sleep', ms, value }))),
  delays.map((unused, value) => value));
const error = await rejects(realm.call({ what: 'throw-range' }), RangeError);
equal(error.cause.message, 'inner');
await rejects(realm.call({ what: 'function' }), /could not be cloned/);
await rejects(realm.call({ what: '', value: () => {} }), /could not be cloned/);
equal(realm.pending, 0);
equal(await realm.call({ what: 'throw', value: 5 }).catch((thrown) => thrown), 5);

// close() lets what is under way end; terminate() does not.
const last = realm.call({ what: 'sleep', ms: 20, value: 'last' });
await realm.close();
equal(await last, 'last');
await rejects(realm.call({ what: '' }), { code: 'ERR_REALM_ENDED' });

const stuck = new Realm({ entry });
const calls = [stuck.call({ what: 'forever' }), stuck.call({ what: '' })];
await stuck.terminate();
for (const call of calls) await rejects(call, { code: 'ERR_REALM_TERMINATED' });

await rejects(Realm.fromSource('export default 1;').call(), /not a function/);
await rejects(Realm.fromSource("throw new TypeError('at start'); export default () => 1;").call(), TypeError);
