#!/usr/bin/env bash
# Options before the script are fino's, all after it the script's; mistakes are explained with exit code 2.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

echo "import { args } from 'fino:process'; console.log(JSON.stringify(args));" > args.mjs
expect_status 0 "$fino" run args.mjs --profile -- --help -v ''
expect_text out '["--profile","--","--help","-v",""]'
expect_status 0 "$fino" args.mjs run
expect_text out '["run"]'
cp args.mjs ./-dash.mjs
expect_status 0 "$fino" run -- -dash.mjs --x
expect_text out '["--x"]'
[ ! -e profile.pb ] || fail "an option of the script's was taken"

expect_status 0 "$fino" --help
expect_text out '--profile-interval=DURATION'
expect_status 0 "$fino" run --help
expect_text out 'usage: fino run'
expect_status 0 "$fino" --version
grep -qE '^fino [0-9.]+' out && grep -qE '^V8 [0-9.]+' out || fail "no versions"

expect_status 2 "$fino" run --profil args.mjs
expect_text err 'did you mean --profile?'
expect_status 2 "$fino" run --frobnicate args.mjs
expect_text err 'no option --frobnicate'
expect_status 2 "$fino"
expect_text err 'which script?'
expect_status 2 "$fino" run --profile= args.mjs
expect_text err 'names no file'
expect_status 2 "$fino" run --version=3
expect_text err 'takes no value'
expect_status 2 "$fino" run --v8-flags
expect_text err 'needs a value'
for interval in 99us 101ms 1 1s -5ms ms '' nanus; do
  expect_status 2 "$fino" run --profile --profile-interval="$interval" args.mjs
  expect_text err 'not a duration from 100us to 100ms'
done
expect_status 2 "$fino" run --profile-interval=1ms args.mjs
expect_text err '--profile is not there'
[ ! -e profile.pb ] || fail "a profile although nothing ran"

echo 'console.log(typeof gc)' > gc.mjs
expect_status 0 "$fino" run --v8-flags=--expose-gc gc.mjs
expect_text out 'function'
