// Realms that start, work, ping each other, throw at their start and are terminated at any moment, under the profiler: two
// in three of them pooled, the others with threads of their own.
// V8: --stress-scavenge=60
import { args } from 'fino:process';
import { Realm } from 'fino:realm';

const sources = [
  'for (;;);',
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0);',
  'const kept = []; for (;;) { kept.push(new Array(1000).fill({})); if (kept.length > 500) kept.length = 0; }',
  "throw new Error('at start');",
  'export default 1;',
  'const forever = () => Promise.resolve().then(forever); forever();',
  'setInterval(() => { JSON.parse(JSON.stringify(Array.from({ length: 500 }, (unused, i) => ({ i })))); });',
  "import { Realm } from 'fino:realm'; Realm.fromSource('for (;;);').run();",
  "import { startProfiling, stopProfiling } from 'fino:profiler'; for (;;) { const name = `${Math.random()}`; " +
    'startProfiling(name); stopProfiling(name); }',
  'const turn = () => setImmediate(turn); turn(); setInterval(() => {}, 1);',
  "setInterval(() => { fetch('http://127.0.0.1:1/').catch(() => {}); }, 1);",
];
const pinger = `import { realm } from 'fino:realm/self';
  realm.port.onmessage = ({ ports: [peer] }) => {
    peer.onmessage = ({ data }) => peer.postMessage(data + 1);
    peer.postMessage(0);
  };`;

const sleep = (ms) => new Promise(function wake(resolve) { setTimeout(resolve, ms); });
const realms = { pinged: 0, ended: 0 };

let made = 0;
const make = (source) => Realm.fromSource(source, { thread: ++made % 3 === 0, name: `of ${made % 50}` });

async function live(source, ms) {
  const realm = make(source);
  const ended = realm.run().catch(() => {});
  await sleep(ms);
  await realm.terminate();
  await ended;
  realms.ended++;
}

function ping() {
  const { port1, port2 } = new MessageChannel();
  for (const port of [port1, port2]) {
    const realm = make(pinger);
    realm.run().catch(() => {});
    realm.port.postMessage(null, [port]);
    realms.pinged++;
    realm.unref();
  }
}

const end = performance.now() + 1000 * Number(args[0] ?? 10);
for (let i = 0; i < 8; i++) ping(); // for ever: still at it when this Realm ends
async function churn(kind) {
  for (let i = kind; performance.now() < end; i++) await live(sources[i % sources.length], (i * 7) % 23);
}
await Promise.all([0, 3, 6].map(churn));
console.log(`${realms.ended} Realms ended, ${realms.pinged} pinging`);
