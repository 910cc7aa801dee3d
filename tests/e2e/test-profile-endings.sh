#!/usr/bin/env bash
# However a program ends, its profile is whole, its exit code is kept, and nothing else is left behind.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

busy='const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end) Math.sqrt(end); };'

ends() { # ends STATUS SCRIPT: it runs for some time, then ends so
  echo "-- $2"
  echo "$busy busy(100); $2" >script.mjs
  expect_status "$1" "$fino" run --profile --profile-interval=1ms script.mjs
  expect_text err samples
  expect_only profile.pb script.mjs
  expect_valid_profile profile.pb
  [ "$(tool json profile.pb | sed -n 's/^  "samples": \([0-9]*\),/\1/p')" -gt 50 ] || fail "too few samples"
  rm profile.pb
}

ends 0 ''
ends 0 'await new Promise((done) => setTimeout(done, 20)); busy(50);'
ends 0 'import("fino:process").then(({ exit }) => exit(0));'
ends 7 'import("fino:process").then(({ exit }) => exit(7));'
ends 3 'import { exit } from "fino:process"; function deep(n) { if (n === 0) exit(3); deep(n - 1); } deep(50);'
ends 1 'throw new Error("on purpose");'
ends 1 'Promise.reject(new Error("on purpose"));'
ends 1 'setTimeout(() => { busy(50); throw new Error("on purpose"); });'
ends 1 'await import("./missing.mjs");'
