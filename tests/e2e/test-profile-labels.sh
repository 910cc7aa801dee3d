#!/usr/bin/env bash
# Labels of withLabels and setLabel are on the samples taken inside, and follow await, timers, immediates and
# microtasks: each label's share is what the program itself measured of its CPU time, to one point.
# ALONE
source "$(dirname "$0")/lib.sh"

cat >mix.mjs <<'JS'
import { setLabel, withLabels } from 'fino:profiler';
import { threadCpuUsage } from 'fino:process';
const spent = {};
let sink = 0;
function work(name, ms) { // so much CPU time, however busy the machine is
  const start = threadCpuUsage().user;
  while (threadCpuUsage().user - start < ms * 1000) for (let i = 0; i < 2000; i++) sink += Math.sqrt(i);
  spent[name] = (spent[name] ?? 0) + threadCpuUsage().user - start;
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function request(name, ms) {
  for (let i = 0; i < 10; i++) {
    work(name, ms / 20);
    await (i % 2 ? sleep(1) : null);
    work(name, ms / 20);
  }
}
work('', 150);
await Promise.all([
  withLabels({ route: 'a' }, () => request('a', 300)),
  withLabels({ route: 'b' }, () => request('b', 600)),
  withLabels({ route: 'c' }, async () => {
    await request('c', 200);
    await withLabels({ route: 'd' }, () => request('d', 300));
    await request('c', 200);
  }),
  request('', 150),
]);
withLabels({ route: 'timer' }, () => {
  setTimeout(() => work('timer', 100), 1);
  setImmediate(() => work('timer', 100));
  queueMicrotask(() => work('timer', 100));
});
setTimeout(() => { setLabel('route', 'set'); work('set', 150); Promise.resolve().then(() => work('set', 150)); }, 20);
setTimeout(() => work('', 150), 20);
await sleep(50);
work('', 150);
for (let i = 0; i < 3; i++) withLabels({ depth: i, route: 'many', even: i % 2 === 0 }, () => work('many', 50));
const total = Object.values(spent).reduce((sum, us) => sum + us);
for (const [name, us] of Object.entries(spent)) console.log(name || '-', (100 * us / total).toFixed(2));
JS
"$fino" run --profile --profile-interval=1ms mix.mjs >expected
expect_valid_profile profile.pb
go tool pprof -tags -unit=us profile.pb >tags 2>err
cat >compare.mjs <<'JS'
import { readFileSync } from 'node:fs';
const expected = readFileSync('expected', 'utf8').trim().split('\n').map((line) => line.split(' '));
const labelled = expected.filter(([name]) => name !== '-');
const route = /^ route: [^]*?\n\n/m.exec(readFileSync('tags', 'utf8') + '\n\n')[0];
const got = new Map([...route.matchAll(/\(\s*([\d.]+)%\): (\w+)/g)].map(([, share, name]) => [name, +share]));
const total = labelled.reduce((sum, [, share]) => sum + +share, 0);
let bad = got.size !== labelled.length;
for (const [name, share] of labelled) {
  console.log(name, 100 * share / total, got.get(name));
  if (!(Math.abs(got.get(name) - 100 * share / total) <= 1)) bad = true;
}
process.exit(bad ? 1 : 0);
JS
node compare.mjs || { cat tags; fail "shares differ by more than a point"; }
# What has no label: what was worked without one, and what is not work (the start, resolving samples).
main=$(go tool pprof -top -unit=us -tagfocus='thread=^main$' profile.pb 2>/dev/null | awk '/^Showing nodes/ { sub(/us,/, "", $5); print $5 }')
with=$(go tool pprof -top -unit=us -tagfocus='route=.' profile.pb 2>/dev/null | awk '/^Showing nodes/ { sub(/us,/, "", $5); print $5 }')
awk -v main="$main" -v with="$with" -v worked="$(awk '$1 == "-" { print $2 }' expected)" 'BEGIN {
  without = 100 * (main - with) / main; print "without:", without, worked; exit !(without > worked - 3 && without < worked + 8) }' ||
  fail "labels are where they should not be"
for tag in route depth even thread; do expect_text tags " $tag:"; done
