#!/usr/bin/env bash
# Recordings that Realms start and stop, overlapping and nested, one stopped in another Realm than it was started in,
# alone and beside --profile: each holds what ran while it was on, of every Realm, and nothing else; also of a Realm
# that was busy before anybody recorded, and of Realms that came or went meanwhile.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >realm.mjs <<'JS'
import { isProfiling, startProfiling, stopProfiling } from 'fino:profiler';
import { realm } from 'fino:realm/self';

let sink = 0;
const burn = (rounds) => { for (let i = 0; i < rounds * 1e6; i++) sink = Math.sqrt(sink + i); };
const functions = {
  alpha() { burn(5); return 'alpha'; },
  beta() { burn(5); return 'beta'; },
  gamma() { burn(5); return 'gamma'; },
  delta() { burn(5); return 'delta'; },
};
function endless() { for (;;) burn(1); }

export default function (what, name) {
  if (what === 'start') return startProfiling(name, { interval: '500us' });
  if (what === 'stop') return stopProfiling(name);
  if (what === 'is') return isProfiling(name);
  if (what === 'endless') { realm.port.postMessage('on'); endless(); }
  return functions[what]();
}
JS
cat >main.mjs <<'JS'
import { isProfiling, startProfiling, stopProfiling } from 'fino:profiler';
import { Realm } from 'fino:realm';
import process from 'fino:process';

const thread = process.args[0] === 'thread';
const make = (name) => new Realm({ entry: './realm.mjs', name, thread });
const rejects = async (promise, text) => {
  const error = await promise.then(() => null, (thrown) => thrown);
  if (!error?.message.includes(text)) throw new Error(`${error?.message} instead of ${text}`);
};
const report = (name, bytes) => console.log(name, Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(''));
const both = (what) => Promise.all([a.call(what), b.call(what)]);

const busy = new Realm({ entry: './realm.mjs', name: 'busy' });
const on = new Promise((resolve) => { busy.port.onmessage = resolve; });
busy.call('endless').catch(() => {});
await on;
const a = make('a'), b = make('b');
await both('alpha');

await a.call('start', 'outer');
await both('beta');
await a.call('start', 'inner');
await both('gamma');
report('inner', await a.call('stop', 'inner'));

await b.call('start', 'left');
await a.call('beta');
await rejects(b.call('start', 'left'), "a recording 'left' already");
await rejects(a.call('start', 'left'), "a recording 'left' already");
await b.call('start', 'right');
await b.call('gamma');
report('left', await a.call('stop', 'left')); // which b has started
await rejects(b.call('stop', 'left'), "no recording 'left'");
await rejects(a.call('stop', 'never'), "no recording 'never'");
await a.call('delta');
if (!isProfiling('right') || !await a.call('is', 'right')) throw new Error('right is not there');
report('right', stopProfiling('right'));

startProfiling('guests');
const guest = make('guest');
await guest.call('alpha');
await guest.call('start'); // it goes on when its Realm is gone
await guest.close();
const late = make('late');
await late.call('delta');
report('unnamed', await a.call('stop')); // the one started last
report('guests', await b.call('stop', 'guests'));
report('outer', await b.call('stop')); // the only one left
await rejects(b.call('stop'), 'nothing is being recorded');
if (isProfiling()) throw new Error('something is being recorded');
await busy.terminate();
await Promise.all([a.close(), b.close(), late.close()]);
JS
cat >check.mjs <<JS
import { readFileSync, writeFileSync } from 'node:fs';
import { decode } from '$root/tests/profile_tool.mjs';
JS
cat >>check.mjs <<'JS'
const expected = {
  inner: 'a:gamma b:gamma busy:endless',
  left: 'a:beta b:gamma busy:endless',
  right: 'a:delta b:gamma busy:endless',
  unnamed: 'busy:endless late:delta',
  guests: 'busy:endless guest:alpha late:delta',
  outer: 'a:beta a:delta a:gamma b:beta b:gamma busy:endless guest:alpha late:delta',
  all: 'a:alpha a:beta a:delta a:gamma b:alpha b:beta b:gamma busy:endless guest:alpha late:delta',
};
const known = ['alpha', 'beta', 'gamma', 'delta', 'endless'];
function check(name, bytes) {
  const found = new Set(), { samples, comments } = decode(bytes);
  for (const { labels, locations } of samples) {
    for (const { lines } of locations) {
      for (const line of lines) if (known.includes(line.function.name)) found.add(`${labels.thread}:${line.function.name}`);
    }
  }
  const text = [...found].sort().join(' ');
  console.log(`${name}: ${text}`);
  if (text !== expected[name]) throw new Error(`${name}: ${text} instead of ${expected[name]}`);
  const called = comments.filter((comment) => comment.startsWith('recording: ')).join();
  const wanted = name === 'unnamed' || name === 'all' ? '' : `recording: ${name}`;
  if (called !== wanted) throw new Error(`${name} calls itself '${called}'`);
}
for (const line of readFileSync('out', 'utf8').trim().split('\n')) {
  const [name, hex] = line.split(' ');
  writeFileSync(`${name}.pb`, Buffer.from(hex, 'hex'));
  check(name, readFileSync(`${name}.pb`));
}
if (process.argv[2]) check('all', readFileSync(process.argv[2]));
JS
for run in 'thread' 'thread all.pb' 'shared all.pb'; do
  read -r kind profile <<<"$run"
  # shellcheck disable=SC2086 # an empty word is none
  expect_status 0 "$fino" run ${profile:+--profile=$profile} main.mjs $kind
  [ "$(wc -l <out)" = 6 ] || fail "$(wc -l <out) recordings instead of 6"
  node check.mjs $profile
done
for name in unnamed outer all; do expect_valid_profile $name.pb; done
