#!/usr/bin/env bash
# Many pooled Realms in one process, a tenth of them busy now and then, under --profile: all are in the profile, which has
# the CPU time that the kernel says the process used, to 2 %. While nobody has anything to do, the threads other than the
# sampler's helper are woken 4 times in 2 s at most. REALMS says how many there are (100; with 1,000 it fails so far, woken 28
# times), SETTLE how many seconds after the last work they are watched: by then the reactors beyond one for each processor
# have left.
# ALONE
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
count=${REALMS:-100} seconds=${SECONDS_IDLE:-2} settle=${SETTLE:-3}

cat >realm.mjs <<'JS'
export default function work(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum = Math.sqrt(sum + i);
  return sum;
}
JS
cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
import process from 'fino:process';
const [count, idleMs] = process.args.map(Number);
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const realms = Array.from({ length: count }, () => new Realm({ entry: './realm.mjs', name: 'one of many' }));
await Promise.all(realms.map((realm) => realm.call(1)));
for (let i = 0; i < 20; i++) {
  await Promise.all(realms.slice(0, count / 10).map((realm) => realm.call(2e5)));
  await sleep(5);
}
console.error('waiting');
await sleep(idleMs);
await Promise.all(realms.map((realm) => realm.close()));
const { user, system } = process.cpuUsage();
console.log(Math.round((user + system) * 1000));
JS
switches() { awk '/ctxt_switches/ { sum += $2 } END { print sum }' "$@"; }
cpu_us() { awk '{ sum += $1 } END { printf "%d\n", sum / 1000 }' "$@"; }
# shellcheck disable=SC2329
stop() { kill "$child" 2>/dev/null || true; rm -rf "$work"; }

"$fino" run --profile --profile-interval=1ms main.mjs "$count" $(((settle + seconds + 2) * 1000)) >out 2>err &
child=$!
trap stop EXIT
until grep -q waiting err; do
  kill -0 $child 2>/dev/null || { cat out err >&2; fail 'it ended too early'; }
  sleep 0.1
done
sleep "$settle"
tasks=()
for task in /proc/$child/task/*; do
  [ "$(<"$task/comm")" = fino-sampler ] || tasks+=("$task")
done
before=$(switches "${tasks[@]/%//status}") before_us=$(cpu_us "${tasks[@]/%//schedstat}")
sleep "$seconds"
woken=$(($(switches "${tasks[@]/%//status}") - before)) used=$(($(cpu_us "${tasks[@]/%//schedstat}") - before_us))
echo "$count Realms, ${#tasks[@]} threads, $(awk '/VmRSS/ { print $2 }' "/proc/$child/status") kB: in $seconds s woken $woken times, $used us used"
[ "$woken" -le 4 ] || fail "woken $woken times while there is nothing to do"
wait $child || { cat out err >&2; fail "exit code $?"; }

expect_valid_profile profile.pb
tool json profile.pb >profile.json
labels=$(grep -oE '"one of many(#[0-9]+)?"' profile.json | sort -u | wc -l)
[ "$labels" = "$count" ] || fail "$labels of $count Realms are in the profile"
total=$(go tool pprof -comments profile.pb | sed -n 's/.* CPU \([0-9.]*\) ms (.*/\1/p')
awk -v got="$total" -v ns="$(<out)" 'BEGIN { ms = ns / 1e6; printf "%.1f ms in the profile, %.1f ms used until shortly before its end\n", got, ms
  exit got < ms * 0.98 || got > ms * 1.02 + 100 }' || fail 'the total is wrong'
