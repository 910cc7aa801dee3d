#!/usr/bin/env bash
# The CPU time in the profile of a program that keeps V8's own threads busy (concurrent compilation, parallel collections) is
# what getrusage says the process used, within 1 %; each of these threads has samples and a label of its own.
# TIMEOUT: 200
# ALONE
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >total.mjs <<'JS'
import process, { args, cpuUsage } from 'fino:process';
process.on('exit', () => { // of the whole process, since its start
  const { user, system } = cpuUsage();
  console.error(`process_cpu_us ${user + system}`);
});
await import(args[0]);
JS
echo >empty.mjs

measure() { # measure NAME PROGRAM: sets RUSAGE_US and PROFILE_US
  expect_status 0 "$fino" run --profile="$1.pb" --profile-interval=1ms total.mjs "$2"
  rusage_us=$(sed -n 's/^process_cpu_us //p' err)
  profile_us=$(($(tool json "$1.pb" | sed -n 's/^  "cpu": \([0-9]*\).*/\1/p') / 1000))
}

measure empty "$work/empty.mjs" # what comes before the recording and after the program's end
around_us=$((profile_us - rusage_us))
for program in typescript.mjs allocation.ts; do
  measure "$program" "$programs/$program"
  expected_us=$((rusage_us + around_us))
  awk -v name="$program" -v got=$profile_us -v want=$expected_us 'BEGIN {
    off = 100 * (got / want - 1)
    printf "%s: %.1f ms in the profile, %.1f ms by getrusage: off by %.2f %%\n", name, got / 1e3, want / 1e3, off
    exit off < -1 || off > 1 }' || fail "$program: the total is wrong"
  tool json "$program.pb" | tr -d ' \n' | grep -o '"v8-worker-[0-9]*",[0-9]*' >workers || fail "$program: no worker of V8's"
  sed 's/^/  /' workers
done
