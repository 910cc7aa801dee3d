#!/usr/bin/env bash
# What the sampler's own tests record (deep stacks, states, unloaded libraries, managed frames, overlapping recordings, nothing
# at all) is valid by fino's check, which they ask themselves, and pprof reads every profile without a warning.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
export FINO_TEST_PROFILES=$work/profiles
mkdir profiles
for test in deep_stack dlopen_names empty label_kept managed mapping_flags overlap states; do
  (cd "$root" && MODE=release ./build.sh unit "test_sampler_$test") >out 2>&1 || { tail -n 20 out >&2; fail "test_sampler_$test"; }
done
count=0
for profile in profiles/*.pb; do
  go tool pprof -raw "$profile" >raw 2>err || { cat err >&2; fail "pprof does not read $profile"; }
  if grep -vE '^(Main binary filename not available\.)?$' err >&2; then fail "pprof warns of $profile"; fi
  grep -q '^PeriodType: cpu nanoseconds$' raw || fail "$profile: no period"
  count=$((count + 1))
done
echo "$count profiles"
[ $count -ge 8 ]
