// Ports: structured clones and transfers between Realms, in order.
import { Realm } from 'fino:realm';
import { deepEqual, equal, ok, throws } from './assert.mjs';

const realm = new Realm({ entry: new URL('../fixtures/realms/echo.mjs', import.meta.url) });
const run = realm.run();
const next = () => new Promise((resolve) => { realm.port.onmessage = resolve; });
async function echo(value, transfer) {
  const answer = next();
  realm.port.postMessage(value, transfer);
  return answer;
}

const cyclic = { list: [1, 'two', 3n, null, undefined], map: new Map([[{ k: 1 }, new Set([2])]]), at: new Date(5) };
cyclic.self = cyclic;
const { data } = await echo(cyclic);
equal(data.self, data);
deepEqual(data.list, cyclic.list);
deepEqual([...data.map], [...cyclic.map]);
equal(data.at.getTime(), 5);
const error = (await echo(new RangeError('far'))).data;
ok(error instanceof RangeError && error.message === 'far');

const buffer = new Uint8Array([1, 2, 3]).buffer;
const back = (await echo(buffer, [buffer])).data;
equal(buffer.byteLength, 0);
deepEqual([...new Uint8Array(back)], [1, 2, 3]);

const shared = new Int32Array(new SharedArrayBuffer(8));
const again = new Int32Array((await echo(shared.buffer)).data);
Atomics.store(again, 1, 77);
equal(Atomics.load(shared, 1), 77);

// Bursts keep their order.
const got = [];
const all = new Promise((resolve) => {
  realm.port.onmessage = ({ data }) => { if (got.push(data) === 1000) resolve(); };
});
for (let i = 0; i < 1000; i++) realm.port.postMessage(i);
await all;
deepEqual(got, Array.from({ length: 1000 }, (unused, i) => i));

// A port that travels keeps what waits in it, and works from where it arrives.
const { port1, port2 } = new MessageChannel();
port1.postMessage('before');
const { data: nothing, ports } = await echo({ port: port2 }, [port2]);
ok(nothing.port === ports[0] && ports[0] instanceof MessagePort && ports[0] instanceof EventTarget);
const heard = [];
await new Promise((resolve) => {
  ports[0].onmessage = ({ data }) => { if (heard.push(data) === 2) resolve(); };
  port1.postMessage('after');
});
deepEqual(heard, ['before', 'after']);
ports[0].close();

for (const [value, transfer, message] of [
  [() => {}, [], /could not be cloned/], [{ port1 }, [], /transfer list/], [1, [port2], /closed or was transferred/],
  [1, [realm.port], /through itself/], [1, [port1, port1], /twice/], [1, [{}], /only an ArrayBuffer/],
]) throws(() => realm.port.postMessage(value, transfer), message);
throws(() => realm.port.postMessage(), TypeError);
throws(() => new MessagePort(), /Illegal constructor/);
throws(() => MessagePort.prototype.postMessage.call({}, 1), /Illegal invocation/);
port1.close();

const closed = new Promise((resolve) => { realm.port.onclose = resolve; });
realm.port.postMessage('bye');
await closed;
equal(await run, 0);
