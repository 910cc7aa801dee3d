// A proxy is looked through without calling its handler.
import { equal, inspect } from './assert.mjs';

const handler = new Proxy({}, { get(target, trap) { throw new Error(`trap ${String(trap)} was called`); } });
equal(inspect(new Proxy({ a: 1 }, handler)), '{ a: 1 }');
equal(inspect(new Proxy([1, 2], handler)), '[ 1, 2 ]');
equal(inspect(new Proxy(new Proxy({ a: 1 }, handler), handler)), '{ a: 1 }');
equal(inspect(new Proxy({ a: 1 }, {}), { showProxy: true }), 'Proxy [ { a: 1 }, {} ]');
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
equal(inspect(proxy), '<Revoked Proxy>');
