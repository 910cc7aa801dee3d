#!/usr/bin/env bash
# `fino profile PID` and SIGUSR2 profile a program that runs, be it in an endless loop or asleep, several at once; what is being
# recorded when it ends, or is ended, isn't lost; and nobody else's process gets a signal.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >loop.ts <<'EOT'
function spin(): number { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i) % 3; return s; }
for (;;) spin();
EOT
cat >wait.mjs <<'EOT'
import process from 'fino:process';
process.on('SIGUSR2', () => console.log('mine'));
setTimeout(() => {}, 60000);
EOT
trap 'kill $loop $wait $other 2>/dev/null || true; rm -rf "$work"' EXIT
loop='' wait='' other=''
start() { # start FILE SCRIPT: its pid is in $pid once it catches SIGUSR2
  timeout 120 "$fino" run "$2" >"$1.out" 2>"$1" & pid=$!
  for _ in $(seq 400); do
    pid=$(pgrep -P $! | head -n 1) && [ $((0x$(awk '/^SigCgt/ { print $2 }' "/proc/$pid/status") >> 11 & 1)) = 1 ] && return
    sleep 0.02
  done
  fail "$2 can not be profiled"
}
expect_function() { # expect_function PROFILE NAME
  expect_valid_profile "$1"
  "$fino" pprof top "$1" >shown
  grep -qE " $2\$" shown || { cat shown >&2; fail "$2 is not in $1"; }
}
until_text() { # until_text FILE TEXT
  for _ in $(seq 400); do
    ! grep -qF "$2" "$1" || return 0
    sleep 0.02
  done
  cat "$1" >&2
  fail "'$2' does not come"
}

start loop.err loop.ts; loop=$pid
start wait.err wait.mjs; wait=$pid

expect_status 0 "$fino" profile --seconds=1 "$loop"
expect_text err "profile.$loop.pb: "
expect_text err ' spin'
expect_function "profile.$loop.pb" spin
[ "$(stat -c %a "/tmp/fino-$(id -u)")" = 700 ] || fail 'others can get at the sockets'

# Eight at once, one more is refused; an interrupt ends them early.
clients=()
for i in 1 2 3 4 5 6 7 8 9; do
  "$fino" profile --seconds=600 --interval=1ms -o "many.$i.pb" "$loop" 2>"many.$i.err" & clients+=($!)
done
for _ in $(seq 400); do
  ! grep -l 'eight are profiling it already' many.*.err >refused || break
  sleep 0.02
done
[ "$(wc -l <refused)" = 1 ] || { cat many.*.err >&2; fail 'not one of nine is refused'; }
kill -INT "${clients[@]:0:4}" 2>/dev/null || true
kill -TERM "${clients[@]:4}" 2>/dev/null || true
ended=0
for i in 1 2 3 4 5 6 7 8 9; do
  ! wait "${clients[i - 1]}" || { expect_valid_profile "many.$i.pb"; ended=$((ended + 1)); }
done
[ $ended = 8 ] || { cat many.*.err >&2; fail "$ended profiles of eight who were interrupted"; }

expect_status 0 "$fino" profile --seconds=1 --format=collapsed "$loop"
grep -q '^main;.*;spin [0-9]' "profile.$loop.collapsed" || fail 'not collapsed'
expect_status 0 "$fino" profile --seconds=1 -o asleep.pb "$wait"
expect_valid_profile asleep.pb
[ ! -s wait.err.out ] || fail 'JavaScript got the request'

# A client that goes away leaves the program as it was.
"$fino" profile --seconds=600 -o gone.pb "$loop" 2>gone.err & gone=$!
sleep 0.3
kill -KILL $gone
wait $gone || true
expect_status 0 "$fino" profile --seconds=1 -o after.pb "$loop"
[ ! -e gone.pb ] || fail 'a profile of somebody who is gone'

# SIGUSR2 begins and ends; never over a file that is there; a signal that ends the program doesn't lose it.
rm "profile.$loop.pb"
kill -USR2 "$loop"
until_text loop.err "recording until the next one, into profile.$loop.pb"
sleep 0.3
kill -USR2 "$loop"
until_text loop.err "wrote profile.$loop.pb"
expect_function "profile.$loop.pb" spin
kill -USR2 "$loop"
until_text loop.err "into profile.$loop.2.pb"
sleep 0.3
kill -TERM "$loop"
until_text loop.err "wrote profile.$loop.2.pb"
expect_function "profile.$loop.2.pb" spin
for _ in $(seq 400); do [ -e "/proc/$loop" ] || break; sleep 0.02; done
[ ! -e "/proc/$loop" ] || fail 'it does not end'
kill -USR2 "$wait"
until_text wait.err.out mine

echo 'import process from "fino:process"; process.kill(process.pid, "SIGUSR2"); setTimeout(() => console.log("ended"), 500);' >ends.mjs
expect_status 0 "$fino" run ends.mjs
expect_text out ended
expect_text err wrote

# Who takes no requests gets no signal.
sleep 60 & other=$!
expect_status 1 "$fino" profile $other
expect_text err 'it is no fino that runs a program'
kill -0 $other
(trap '' USR2; exec timeout 60 "$fino" run wait.mjs) & ignoring=$!
sleep 0.5
expect_status 1 "$fino" profile "$(pgrep -P $ignoring)"
kill "$(pgrep -P $ignoring)"
expect_status 1 "$fino" profile 99999999
expect_text err 'process 99999999: there is none'
expect_status 1 "$fino" profile -o /nowhere/x.pb "$wait"
expect_text err 'directory /nowhere/'
for bad in '' x 0 -1 1x; do expect_status 2 "$fino" profile $bad; done
expect_status 2 "$fino" profile "$wait" 2
expect_text err 'one process at a time'
for bad in 0 86401 x ''; do expect_status 2 "$fino" profile --seconds=$bad "$wait"; done
expect_status 2 "$fino" profile --interval=1s "$wait"
expect_status 2 "$fino" profile --format=svg "$wait"
expect_status 2 "$fino" profile --nothing "$wait"
expect_status 0 "$fino" profile --help
expect_text out 'usage: fino profile'
