#!/usr/bin/env bash
# Pooled Realms share threads, and nothing else: each has its own label and the CPU time that it says it used, to 2 %, in
# slices of a few microseconds or for ever; what all of them used is what the kernel says the process did.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

# Each works off its share in small pieces, between which it waits for others: a message to and fro.
cat >piece.ts <<'TS'
import { realm } from 'fino:realm/self';
import process from 'fino:process';

export function work(us: number): number {
  let sum = 0;
  for (const end = process.threadCpuUsage().user + us; process.threadCpuUsage().user < end;) {
    for (let i = 0; i < 1000; i++) sum += Math.sqrt(i);
  }
  return sum;
}
export default (us: number) => {
  work(us);
  return process.threadCpuUsage().user;
};
TS
cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
import process from 'fino:process';
const shares = [1, 1.5, 2]; // seconds
const pieces = [100, 700, 5000]; // microseconds
const before = process.cpuUsage();
const realms = shares.map((share, i) => new Realm({ entry: './piece.ts', name: `pooled ${i}` }));
const used = await Promise.all(realms.map(async (realm, i) => {
  let us = 0;
  while (us < shares[i] * 1e6) us = await realm.call(pieces[i]);
  return us;
}));
for (let i = 0; i < realms.length; i++) console.log(`pooled ${i}:${Math.round(used[i] * 1000)}`);
await Promise.all(realms.map((realm) => realm.close()));
const { user, system } = process.cpuUsage(before);
console.log(`process:${Math.round((user + system) * 1000)}`);
JS
expect_status 0 "$fino" run --profile --profile-interval=1ms main.mjs
expect_valid_profile profile.pb

within() { # within WHAT ACTUAL EXPECTED PER_MILLE
  echo "$1: $2 ns in the profile, $3 ns measured"
  local gap=$(($2 - $3))
  [ $((gap < 0 ? -gap : gap)) -le $(($3 * $4 / 1000)) ] || fail "$1: $2 ns are not within $4 per mille of $3 ns"
}
while IFS=: read -r name ns; do
  [ "$name" = process ] || within "$name" "$(tool thread profile.pb "$name")" "$ns" 20
done <out
go tool pprof -tags profile.pb >tags 2>tags.err
[ "$(grep -cE ': pooled [0-2]$' tags)" = 3 ] || { cat tags >&2; fail 'a Realm is missing'; }
grep -qE ': pooled$' tags || { cat tags >&2; fail "pprof shows no realm_kind 'pooled'"; }
grep -q 'work' <(go tool pprof -top -tagfocus 'pooled 1' profile.pb) || fail 'no function of pooled 1'
