#!/usr/bin/env bash
# Without handlers SIGINT and SIGTERM do what they always do; with one, JavaScript decides; a loop without end stops too.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

echo 'console.log("ready"); for (;;);' > endless.mjs
echo 'console.log("ready"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);' > blocked.mjs
cat > handler.mjs <<'JS'
import process from 'fino:process';
process.on('SIGINT', () => { console.log('interrupted'); process.exit(5); });
process.on('SIGUSR1', () => console.log('usr1'));
setTimeout(() => {}, 20000);
console.log('ready');
JS
wrapper='timeout -k 1 20' # which hands a signal on twice, to its child and to its group: that must count as one
start() { # start PROGRAM [OPTION...]: waits until it says so
  local program=$1
  shift
  : > out
  $wrapper "$fino" run "$@" "$program" > out 2> err &
  pid=$!
  for _ in $(seq 200); do grep -q ready out && return; sleep 0.05; done
  fail "$program does not start"
}
ended() { # ended STATUS
  local status=0
  wait "$pid" || status=$?
  [ "$status" = "$1" ] || fail "exit code $status instead of $1"
}
start endless.mjs; kill -TERM "$pid"; ended 143
for signal in INT TERM; do
  for program in endless.mjs blocked.mjs; do
    rm -f profile.pb
    start $program --profile
    kill -$signal "$pid"
    ended $((128 + $(kill -l $signal)))
    [ -s profile.pb ] || fail "$signal in $program left no profile"
  done
done
wrapper= # the signal that timeout itself does not know must reach the program
start handler.mjs; kill -USR1 "$pid"; sleep 0.3; kill -INT "$pid"; ended 5
expect_text out usr1
expect_text out interrupted
start handler.mjs --profile; kill -INT "$pid"; ended 5
expect_text out interrupted
