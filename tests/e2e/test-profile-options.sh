#!/usr/bin/env bash
# --profile=FILE and --profile-interval: where the file goes, what an interval may be, and that it is the period.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
echo 'import { args } from "fino:process"; console.log(args.join()); const end = performance.now() + 300; while (performance.now() < end);' >script.mjs
mkdir folder

period() { # period FILE NANOSECONDS
  [ "$(tool json "$1" | sed -n 's/^  "period": \([0-9]*\),/\1/p')" = "$2" ] || fail "$1 has not the period $2"
}

expect_status 0 "$fino" run --profile --profile-interval 1ms script.mjs
period profile.pb 1000000
expect_status 0 "$fino" run --profile=folder/other.pb script.mjs
[ -s folder/other.pb ] || fail "not written to folder/other.pb"
expect_status 0 "$fino" run "--profile=$work/with space.pb" script.mjs
[ -s "with space.pb" ] || fail "not written to 'with space.pb'"
expect_status 0 "$fino" run --profile=a.pb --profile-interval=100us script.mjs
period a.pb 100000
expect_status 0 "$fino" run --profile-interval=100ms --profile=b.pb script.mjs
period b.pb 100000000
expect_status 0 "$fino" run --profile=c.pb --profile-interval=5ms script.mjs --profile --profile-interval=9
period c.pb 5000000
expect_text out "--profile,--profile-interval=9"
expect_status 0 "$fino" --profile=d.pb script.mjs
[ -s d.pb ] || fail "fino --profile=FILE script does not profile"

rm -rf ./*.pb folder
for bad in 99us 101ms 1s 0 -1ms 1 ms 1.5.2ms 99999999999999999999ms ''; do
  expect_status 2 "$fino" run --profile "--profile-interval=$bad" script.mjs
  expect_text err 100us
  [ ! -s out ] || fail "ran the script in spite of --profile-interval=$bad"
done
expect_status 2 "$fino" run --profile= script.mjs
expect_only script.mjs
