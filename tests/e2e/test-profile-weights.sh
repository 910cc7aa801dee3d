#!/usr/bin/env bash
# JavaScript functions whose shares of the thread's CPU time are measured by its clock come out within one percentage point at
# 5,000 samples or more: even mixes, lopsided ones, phases in every relation to the interval, system calls.
# (tests/unit/test_sampler_known_mix.c is the same for C; tests/bench/weights.sh prints Node's answers beside ours.)
# TIMEOUT: 200
# ALONE
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$root/tests/weights/cases.sh"
failed=0
for case in "${weight_cases[@]}"; do
  # shellcheck disable=SC2086
  set -- ${case#*: }
  "$fino" run --profile=weights.pb --profile-interval=200us "$root/tests/weights/$1" "${@:2}" >out 2>err || { tail err >&2; fail "$case"; }
  # shellcheck disable=SC2046
  "$root/tests/truth/compare.mjs" weights.pb 1 $(sed -n 's,^measured: ,,p' out) >line || failed=1
  samples=$(tool json weights.pb | sed -n 's/^  "samples": \([0-9]*\).*/\1/p')
  echo "${case%%:*}: $(<line), $samples samples"
  [ "$samples" -ge 5000 ] || failed=1
done
exit $failed
