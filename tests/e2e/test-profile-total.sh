#!/usr/bin/env bash
# The CPU time in the profile of a program that keeps V8's own threads busy (concurrent compilation, parallel collections) is
# what getrusage says the process used, within 1 %; each of these threads has samples and a label of its own.
# TIMEOUT: 200
# ALONE
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cpu_ns() { tool json "$1" | sed -n 's/^  "cpu": \([0-9]*\).*/\1/p'; }
for program in typescript.mjs allocation.ts; do
  expect_status 0 bash -c 'TIMEFORMAT="seconds %U %S"; time "$@"' run "$fino" run --profile=whole.pb --profile-interval=1ms \
    "$programs/measure.mjs" "$programs/$program" program.pb
  expect_valid_profile whole.pb
  measured=$(sed -n 's/^process_cpu_ns //p' err)
  tool cpu program.pb "$measured" 1
  # The run's own profile begins before the program, and ends after it and before the process does.
  awk -v got="$(cpu_ns whole.pb)" -v least="$measured" -v most="$(sed -n 's/^seconds //p' err)" 'BEGIN {
    split(most, seconds)
    most = seconds[1] * 1e9 + seconds[2] * 1e9
    printf "%.1f ms in the whole profile, %.1f of the program, %.1f of the process\n", got / 1e6, least / 1e6, most / 1e6
    exit got < least * 0.99 || got > most * 1.01 }' || fail "$program: the total of the whole run is wrong"
  tool json program.pb | tr -d ' \n' | grep -o '"v8-worker-[0-9]*",[0-9]*' >workers || fail "$program: no worker of V8's"
  sed 's/^/  /' workers
done
