// A pool spreads calls over its Realms, survives those that crash or hang, and drains when it is closed.
import { RealmPool } from 'fino:realm/pool';
import process from 'fino:process';
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';

const entry = new URL('../fixtures/realms/calls.ts', import.meta.url);
const pool = new RealmPool({ entry, size: 2, realm: { name: 'of the pool', args: [1] } });
const values = Array.from({ length: 40 }, (unused, value) => value);
deepEqual(await Promise.all(values.map((value) => pool.call({ what: 'sleep', ms: value % 7, value }))), values);
equal(pool.pending, 0);

// Two at once are in two Realms; one after the other needs no second.
const seen = await Promise.all([1, 2].map(() => pool.call({ what: 'self' })));
ok(seen[0].id !== seen[1].id);
deepEqual(seen[0].args, [1]);
const single = new RealmPool({ entry, size: 2 });
equal((await single.call({ what: 'self' })).id, (await single.call({ what: 'self' })).id);
await single.close();

// A crash rejects the calls of its Realm, and no others.
const slow = [1, 2].map((value) => pool.call({ what: 'sleep', ms: 1e6, value })); // one in each
const crashed = pool.call({ what: 'crash' });
const outcomes = Promise.allSettled(slow);
await rejects(crashed, /crashed on purpose/);
equal(pool.pending, 1, 'one of the slow calls went down with it');
equal(await pool.call({ what: '', value: 'replaced' }), 'replaced');

// What is still pending when close() has waited long enough is given up.
const hasty = new RealmPool({ entry, size: 1, closeTimeout: 10 });
const given = hasty.call({ what: 'forever' });
const handled = rejects(given, { code: 'ERR_REALM_TERMINATED' });
await hasty.close();
await handled;
await rejects(hasty.call(), { code: 'ERR_REALM_POOL_CLOSED' });

// A call that hangs costs its Realm.
const impatient = new RealmPool({ entry, size: 1, timeout: 300 });
await rejects(impatient.call({ what: 'forever' }), { code: 'ERR_REALM_TIMEOUT' });
await impatient.close();

// close() waits for what is under way.
const draining = new RealmPool({ entry, size: 1 });
const last = draining.call({ what: 'sleep', ms: 30, value: 'last' });
const closed = draining[Symbol.asyncDispose]();
equal(await last, 'last');
await closed;

throws(() => new RealmPool({ entry, size: 0 }), RangeError);
throws(() => new RealmPool({}), /entry/);
const broken = new RealmPool({ entry: './there-is-no-such-file.mjs' });
await rejects(broken.call(), { code: 'ERR_MODULE_NOT_FOUND' });
await rejects(broken.call(), { code: 'ERR_MODULE_NOT_FOUND' });

await Promise.all([outcomes, new RealmPool({ entry }).close(), (async () => {
  const ended = pool.close();
  equal(pool.pending, 1);
  await Promise.race([ended, new Promise((resolve) => { setTimeout(resolve, 20); })]);
  equal(pool.pending, 1, 'close() without a limit waits');
})().then(() => process.exit(0))]);
