#!/usr/bin/env bash
# Every Realm is in the one profile, by its name and kind, with the CPU time that it used; also those that never end.
. "$(dirname "$0")/lib.sh"

cat >busy.ts <<'TS'
import { realm } from 'fino:realm/self';
import process from 'fino:process';

function burn(us: number): number {
  let sum = 0;
  for (const end = process.threadCpuUsage().user + us; process.threadCpuUsage().user < end;) {
    for (let i = 0; i < 1e5; i++) sum += Math.sqrt(i);
  }
  return sum;
}

burn(realm.args[0] as number);
TS
cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
const realms = [1, 1, 2].map((n) => new Realm({ entry: './busy.ts', args: [n * 2e5] }));
realms.push(new Realm({ entry: './busy.ts', name: 'my own', args: [2e5] }));
await Promise.all(realms.map((realm) => realm.run()));
console.log(realms.map((realm) => realm.thread).join(','));
const endless = Realm.fromSource("import { realm } from 'fino:realm/self'; realm.port.postMessage(0); for (;;);",
  { name: 'endless', thread: true });
endless.run();
await new Promise((resolve) => { endless.port.onmessage = resolve; });
endless.unref();
await new Promise((resolve) => { setTimeout(resolve, 200); });
JS
expect_status 0 "$fino" run --profile --profile-interval=1ms main.mjs
expect_text out 'busy.ts,busy.ts#2,busy.ts#3,my own'
expect_valid_profile profile.pb
expect_only busy.ts main.mjs profile.pb

go tool pprof -tags profile.pb >tags 2>tags.err
for label in main busy.ts busy.ts#2 busy.ts#3 'my own' endless; do
  grep -qE ": $label\$" tags || { cat tags >&2; fail "pprof shows no thread '$label'"; }
done
for kind in main pooled thread; do
  grep -qE ": $kind\$" tags || { cat tags >&2; fail "pprof shows no realm_kind '$kind'"; }
done

# Each used what it was told to, and what its start and end cost.
for want in 'busy.ts 200' 'busy.ts#2 200' 'busy.ts#3 400' 'my own 200'; do
  used=$(tool thread profile.pb "${want% *}")
  least=$((${want##* } * 1000000 - 5000000))
  [ "$used" -ge "$least" ] || fail "${want% *} has $used ns of at least $least"
done
tool json profile.pb >profile.json
grep -q 'burn' <(go tool pprof -top -tagfocus 'my own' profile.pb) || fail 'no function of my own'
