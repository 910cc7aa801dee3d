#!/usr/bin/env bash
# Some 450 small programs, for each thing that TypeScript adds: they print under fino what they print under Node when
# TypeScript has compiled them.
source "$(dirname "$0")/lib.sh"
"$root/tests/npm.sh" typescript
expect_status 0 node "$root/tests/ts/run_cases.mjs" "$fino" "$work"
count=$(awk '{ print $1 }' out)
[ "$count" -ge 400 ] || fail "only $count programs"
