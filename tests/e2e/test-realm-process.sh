#!/usr/bin/env bash
# The process of a process Realm: begins clean whatever its owner does, ends when its owner does, however that is, and
# with --profile-children leaves a profile of its own.
. "$(dirname "$0")/lib.sh"

cat >kid.mjs <<'JS'
import process from 'fino:process';
function childWork(us) {
  let sum = 0;
  for (const end = process.cpuUsage().user + us; process.cpuUsage().user < end;) for (let i = 0; i < 1e5; i++) sum += i % 7;
  return sum;
}
export default (us) => (us === undefined ? process.pid : childWork(us));
JS

gone() { # gone PID: within a minute
  for _ in $(seq 600); do
    [ -e "/proc/$1" ] && [ "$(awk '/^State/ { print $2 }' "/proc/$1/status" 2>/dev/null)" != Z ] || return 0
    sleep 0.1
  done
  return 1
}

# --- its owner is killed while both are busy ---

cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
const realm = new Realm({ entry: './kid.mjs', process: true });
console.log(await realm.call());
realm.call(1e12);
JS
"$fino" run main.mjs >pid &
owner=$!
for _ in $(seq 600); do [ -s pid ] && break || sleep 0.1; done
child=$(<pid)
kill -0 "$child" || fail "there is no process $child"
kill -KILL $owner
wait $owner || true
gone "$child" || fail "the process of the Realm is still there, and its owner isn't"

# --- nothing is inherited of a sampled owner: no mask, no timers, no descriptors ---

cat >clean.mjs <<'JS'
import { Realm } from 'fino:realm';
import { DiskFileSystem } from 'fino:file';
const disk = new DiskFileSystem();
const realm = new Realm({ entry: './kid.mjs', process: true });
const pid = await realm.call();
const status = await disk.readFile(`/proc/${pid}/status`);
const set = (name) => BigInt(`0x${new RegExp(`${name}:\\t(.*)`).exec(status)[1]}`) & ~0x180000000n; // 32 and 33 are libc's
console.log(set('SigBlk').toString(16), set('SigIgn').toString(16));
console.log(JSON.stringify(await disk.readFile(`/proc/${pid}/timers`).catch((error) => error.code === 'ENOENT' ? '' : error)));
await realm.call(1e5);
await realm.terminate();
JS
(
  exec 7</dev/null # what the owner has open by chance
  "$fino" run --profile clean.mjs >out 2>err || { cat err; fail "the run failed"; }
)
# SIGHUP and SIGINT are the owner's business; writing to a closed pipe is an error. Nothing else.
[ "$(<out)" = $'0 1003\n""' ] || fail "the process does not begin clean: $(<out)"
rm profile.pb

# --- a profile of its own, also of one that is terminated in the middle ---

cat >profiled.mjs <<'JS'
import { Realm } from 'fino:realm';
const [ended, stopped] = [1, 2].map((n) => new Realm({ entry: new URL('./kid.mjs', import.meta.url), name: `kid ${n}`, process: true }));
await ended.call(2e5);
await stopped.call(2e5);
console.log(await ended.call(), await stopped.call());
await ended.close();
const call = stopped.call(1e12).catch((error) => error.code);
await new Promise((resolve) => setTimeout(resolve, 50));
await stopped.terminate();
console.log(await call);
JS
mkdir profiles && cd profiles
"$fino" run --profile=p.pb --profile-children ../profiled.mjs >../out 2>../err || { cat ../err; fail "the run failed"; }
read -r first second <../out
[ "$(tail -n 1 ../out)" = ERR_REALM_TERMINATED ] || fail "$(<../out)"
expect_only $(printf '%s\n' p.pb "p.$first.pb" "p.$second.pb" | sort)
for name in "p.$first.pb" "p.$second.pb"; do
  tool check "$name" || fail "$name is not valid"
  "$fino" pprof top "$name" >../top
  grep -q childWork ../top || { cat ../top; fail "childWork is not in $name"; }
done
"$fino" pprof top p.pb >../top
! grep -q childWork ../top || fail "a process Realm is in its owner's profile"
rm ./*
"$fino" run --profile=p.pb ../profiled.mjs >../out 2>../err
expect_only p.pb
