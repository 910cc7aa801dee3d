#!/usr/bin/env bash
# SIGINT and SIGTERM end a program with exit code 128+n and a whole profile: also while it waits, also in an endless loop.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

killed() { # killed SIGNAL STATUS SCRIPT
  local pid status=0
  echo "-- $1: $3"
  echo "$3" >script.mjs
  # A shell starts background jobs with SIGINT ignored, and a program must leave an ignored signal so: not with env.
  env --default-signal=INT "$fino" run --profile script.mjs >out 2>err &
  pid=$!
  for ((i = 0; i < 200; i++)); do
    if grep -q ready out; then break; fi
    sleep 0.05
  done
  grep -q ready out || { kill -9 $pid; cat err >&2; fail "did not start"; }
  sleep 0.4
  kill "-$1" $pid
  wait $pid || status=$?
  [ $status = "$2" ] || { cat err >&2; fail "exit code $status instead of $2"; }
  expect_only profile.pb script.mjs
  expect_valid_profile profile.pb
  rm profile.pb
}

for loop in 'console.log("ready"); for (;;);' \
  'console.log("ready"); const f = (n) => n === 0 ? 1 : f(n - 1) + f(n - 1); for (;;) f(10);' \
  'console.log("ready"); for (;;) { try { for (;;) JSON.parse("[1"); } catch {} }' \
  'console.log("ready"); const again = () => Promise.resolve().then(again); again();' \
  'console.log("ready"); const again = () => setImmediate(again); again();' \
  'console.log("ready"); setTimeout(() => {}, 1e6);' \
  'console.log("ready"); await new Promise((done) => setTimeout(done, 1e6));'; do
  killed INT 130 "$loop"
done
killed TERM 143 'console.log("ready"); for (;;);'
killed TERM 143 'console.log("ready"); setTimeout(() => {}, 1e6);'
