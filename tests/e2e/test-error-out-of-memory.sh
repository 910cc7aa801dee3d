#!/usr/bin/env bash
# Out of memory is one clear message and exit code 134, and the profile is written.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

echo 'const keep = []; for (;;) keep.push(new Array(1000).fill(1.5));' > eat.mjs
expect_status 134 timeout 60 "$fino" run --v8-flags=--max-old-space-size=64 eat.mjs
expect_text err 'out of memory: the JavaScript heap reached its limit of 64 MB'
expect_status 134 timeout 60 "$fino" run --profile --v8-flags=--max-old-space-size=64 eat.mjs
[ -s profile.pb ] || fail "no profile"
