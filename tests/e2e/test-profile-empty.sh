#!/usr/bin/env bash
# A program that ends before its first sample has a valid profile all the same. (With no native frame there is no mapping,
# on which pprof remarks that it knows no main binary; that is all it may say.)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
: >empty.mjs
expect_status 0 "$fino" run --profile --profile-interval=100ms empty.mjs
expect_only empty.mjs profile.pb
tool check profile.pb
for view in top traces raw tags; do
  go tool pprof "-$view" profile.pb >pprof.out 2>pprof.err || { cat pprof.err >&2; fail "pprof -$view fails"; }
  if grep -vxF 'Main binary filename not available.' pprof.err; then fail "pprof -$view warns"; fi
done
