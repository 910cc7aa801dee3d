#!/usr/bin/env bash
# --profile-interval=auto, which is the default, and --profile-budget: short programs are sampled every 1 ms, longer ones as
# often as the budget allows; the intervals and the cost are in the summary and in the comments, the mean is the period.
# TIMEOUT: 60
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
echo 'import { args } from "fino:process"; const end = performance.now() + Number(args[0]); while (performance.now() < end);' >burn.mjs

line() { grep ' samples, every ' err; }
comment() { tool json "$1" | grep -F "\"$2"; } # comment FILE START
number() { sed -nE "s/.*$1.*/\\1/p"; }         # the part of stdin that REGEX has in parentheses
holds() { awk "BEGIN { exit !($1) }" || fail "$1 does not hold: $(line)"; }

expect_status 0 "$fino" run --profile burn.mjs 150
line | grep -E '^fino: profile\.pb: [0-9]+ samples, every 1(-[0-9.]+)? ms, [0-9.]+ s CPU, [0-9.]+ % of it for sampling, 0 lost, ' >/dev/null ||
  fail "not what a short program's summary should be: $(line)"
comment profile.pb 'sampler: interval auto, for 2.0 % of the CPU time; of CPU time it was ' >out || fail "no such comment"
# What the budget buys at 1 ms where a signal costs 100 us; later samples come less often.
holds "$(line | number ' ([0-9]+) samples') >= 20"
expect_valid_profile profile.pb

# The smallest budget can't be kept at 1 ms on any machine.
expect_status 0 "$fino" run --profile=small.pb --profile-interval=auto --profile-budget=0.1% burn.mjs 1500
expect_valid_profile small.pb
holds "$(line | number 'every 1-([0-9.]+) ms') > 1"
holds "$(comment small.pb 'sampler: ' | number 'it was ([0-9.]+) us in the mean') > 1000"
mean=$(comment small.pb 'sampler: ' | number 'it was ([0-9]+)\.[0-9] us in the mean')
period=$(tool json small.pb | number '"period": ([0-9]+)')
holds "$period > ${mean}000 - 1000 && $period < ${mean}000 + 1000"
comment small.pb 'cost: ' | grep -E 'cost: [0-9.]+ % of the CPU time: signals [0-9.]+ ms \([0-9.]+ us each by [1-9][0-9]* probes\)' >/dev/null ||
  fail "no cost: $(comment small.pb 'cost: ')"

# The largest one can.
expect_status 0 "$fino" run --profile=large.pb --profile-budget=50% burn.mjs 700
expect_text err ' samples, every 1 ms, '

# An interval that is given is what counts, and fino says so.
expect_status 0 "$fino" run --profile=fixed.pb --profile-budget=1% --profile-interval=5ms burn.mjs 100
expect_text err 'notice: --profile-interval fixes the interval; --profile-budget has no effect beside it'
expect_text err ' samples, every 5 ms, '

for bad in 0 1 0% 0.09% 51% 100% -1% 1%% '1 %' % nan% inf% 2percent ''; do
  expect_status 2 "$fino" run --profile=bad.pb "--profile-budget=$bad" burn.mjs 1
  expect_text err 'from 0.1% to 50%, such as 1%'
done
expect_status 2 "$fino" run --profile-budget=1% burn.mjs 1
expect_text err '--profile-budget says how to profile, but --profile is not there'
expect_status 2 "$fino" run --profile-interval=auto burn.mjs 1
expect_text err '--profile-interval says how to profile'
[ ! -e bad.pb ] || fail "a profile in spite of a bad budget"
