// A Realm with limits.heapMB that gave its buffers away is not charged for them any more (100 MB in all ended one of 32):
// who got them is.
import { memoryUsage } from 'fino:process';
import { Realm } from 'fino:realm';
import { equal, ok, rejects } from './assert.mjs';

const MB = 1 << 20;
const HEAP = { code: 'ERR_REALM_HEAP_LIMIT' };
const giver = Realm.fromSource(`import { realm } from 'fino:realm/self';
export default (count) => {
  for (let i = 0; i < count; i++) {
    const { buffer } = new Uint8Array(${MB}).fill(i);
    realm.port.postMessage(buffer, [buffer]);
  }
};`, { limits: { heapMB: 32 } });
const keeper = Realm.fromSource(`import { realm } from 'fino:realm/self';
const kept = [];
let isKeeping = true;
realm.port.onmessage = ({ data }) => {
  if (isKeeping) kept.push(data);
  realm.port.postMessage('taken');
};
export default (keep) => { isKeeping = keep; };`, { limits: { heapMB: 32 } });

const received = [];
let receive;
giver.port.onmessage = ({ data }) => {
  received.push(data);
  receive?.();
};
giver.port.unref();
const before = memoryUsage().arrayBuffers;
for (let i = 0; i < 10; i++) {
  await giver.call(10);
  while (received.length < 10 * (i + 1)) await new Promise((resolve) => { receive = resolve; });
}
equal(new Uint8Array(received[99])[7], 9);
ok(memoryUsage().arrayBuffers - before >= 100 * MB, `${memoryUsage().arrayBuffers - before}`);
await giver.terminate();

// What is given on is charged once more, and what the next one drops is not.
await keeper.call(false);
keeper.port.start();
keeper.port.ref();
for (const buffer of received.slice(0, 60)) {
  keeper.port.postMessage(buffer, [buffer]);
  await new Promise((resolve) => keeper.port.addEventListener('message', resolve, { once: true }));
}
await keeper.call(true);
keeper.port.unref();
ok(memoryUsage().arrayBuffers - before < 60 * MB, `${memoryUsage().arrayBuffers - before}`);
for (const buffer of received.slice(60)) keeper.port.postMessage(buffer, [buffer]);
await rejects(keeper.run(), HEAP);
