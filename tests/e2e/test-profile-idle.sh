#!/usr/bin/env bash
# A program that waits costs nothing while it is profiled: asleep in a timer, in Atomics.wait, reading an empty standard
# input, writing to a full pipe. Its thread is not woken (each wake-up is a context switch, as the kernel counts them);
# the sampler's helper looks for new threads and libraries about once a second. What was done before and after is in the
# profile.
# ALONE
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
seconds=${SECONDS_IDLE:-2}

cat >burn.mjs <<'JS'
export function burn() { let s = 0; for (let i = 0; i < 1e7; i++) s = Math.sqrt(s + i); return s; }
JS
cat >timer.mjs <<'JS'
import { burn } from './burn.mjs';
burn();
console.error('waiting');
setTimeout(burn, Number(process.env.WAIT_MS));
JS
cat >atomics.mjs <<'JS'
import { burn } from './burn.mjs';
burn();
console.error('waiting');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.WAIT_MS));
burn();
JS
cat >stdin.mjs <<'JS'
import { burn } from './burn.mjs';
burn();
console.error('waiting');
for await (const chunk of process.stdin) burn(chunk);
burn();
JS
cat >stdout.mjs <<'JS'
import { burn } from './burn.mjs';
burn();
console.error('waiting');
process.stdout.write('x'.repeat(1 << 20));
burn();
JS
sed -i "1i import process from 'fino:process';" timer.mjs atomics.mjs stdin.mjs stdout.mjs

switches() { awk '/ctxt_switches/ { sum += $2 } END { print sum }' "$@"; } # switches STATUS_FILE...
cpu_us() { awk '{ sum += $1 } END { printf "%d\n", sum / 1000 }' "$@"; }   # cpu_us SCHEDSTAT_FILE...

watch() { # watch NAME PID: while it waits, from a moment after it said so
  local tries
  for ((tries = 0; tries < 400; tries++)); do
    ! grep -q waiting "$1.err" || break
    sleep 0.05
  done
  sleep 0.3
  local task=/proc/$2/task main_switches main_us all_switches all_us
  main_switches=$(switches "$task/$2/status") main_us=$(cpu_us "$task/$2/schedstat")
  all_switches=$(switches "$task"/*/status) all_us=$(cpu_us "$task"/*/schedstat)
  sleep "$seconds"
  main_switches=$(($(switches "$task/$2/status") - main_switches)) main_us=$(($(cpu_us "$task/$2/schedstat") - main_us))
  all_switches=$(($(switches "$task"/*/status) - all_switches)) all_us=$(($(cpu_us "$task"/*/schedstat) - all_us))
  echo "$1: in $seconds s its thread is woken $main_switches times and uses $main_us us of CPU time;" \
    "with the sampler's helper: $all_switches times, $all_us us"
  [ $((main_switches + main_us)) = 0 ] || fail "$1: woken while it waits"
  [ $all_switches -le $((2 * seconds)) ] || fail "$1: the sampler is awake while the program waits"
}

expect_burnt() { # expect_burnt NAME
  tool check "$1.pb"
  [ "$(tool share "$1.pb" burn)" = 100.0 ] || fail "$1: nothing burnt"
}

trap 'kill "$child" 2>/dev/null || true; rm -rf "$work"' EXIT
export WAIT_MS=$((seconds * 1000 + 2000))
for name in timer atomics; do
  "$fino" run --profile=$name.pb --profile-interval=1ms $name.mjs 2>$name.err &
  child=$!
  watch $name $child
  wait $child || fail "$name: exit code $?"
  expect_burnt $name
done

mkfifo input output
"$fino" run --profile=stdin.pb --profile-interval=1ms stdin.mjs <input 2>stdin.err &
exec 3>input
child=$!
watch stdin $child
exec 3>&-
wait $child || fail "stdin: exit code $?"
expect_burnt stdin

"$fino" run --profile=stdout.pb --profile-interval=1ms stdout.mjs >output 2>stdout.err &
exec 4<output
child=$!
watch stdout $child
[ "$(wc -c <&4)" = 1048576 ] || fail "stdout: not all was written"
wait $child || fail "stdout: exit code $?"
expect_burnt stdout
