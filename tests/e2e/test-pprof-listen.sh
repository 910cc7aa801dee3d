#!/usr/bin/env bash
# --pprof-listen serves profiles of a running program as `go tool pprof URL` asks for them: of one whose main Realm is in an
# endless loop and of one that waits; one at a time, to this machine alone, and with what is wrong said.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
export PPROF_TMPDIR=$work HOME=$work
cat >loop.ts <<'EOF'
function spin(): number { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i) % 3; return s; }
for (;;) spin();
EOF
echo 'setTimeout(() => console.log("done"), 60000);' >wait.mjs
trap 'kill $loop $wait $full 2>/dev/null || true; rm -rf "$work"' EXIT
loop='' wait='' full=''

url_of() { # url_of FILE: once it is there
  for _ in $(seq 200); do
    sed -n 's/^fino: profiles at \(http:.*\)$/\1/p' "$1" | grep . && return
    sleep 0.05
  done
  cat "$1" >&2
  fail 'does not listen'
}
status() { curl -s -m 60 -o body -w '%{http_code}' "$@"; } # the answer is in ./body
expect_answer() { # expect_answer STATUS TEXT CURL_ARGUMENTS...
  local want=$1 text=$2 got
  shift 2
  got=$(status "$@")
  [ "$got" = "$want" ] || { cat body >&2; fail "$got instead of $want: $*"; }
  expect_text body "$text"
}

timeout 120 "$fino" run --pprof-listen=127.0.0.1:0 loop.ts 2>loop.err &
loop=$!
timeout 120 "$fino" run '--pprof-listen=[::1]:0' wait.mjs 2>wait.err &
wait=$!
url=$(url_of loop.err) waiting=$(url_of wait.err)

# The tool itself, as it is.
timeout 60 go tool pprof -top "${url}profile?seconds=1" >top 2>top.err || { cat top.err >&2; fail 'pprof can not fetch a profile'; }
grep -qE '^ .* spin$' top || { cat top >&2; fail 'what runs is not in the profile'; }
[ "$(status "${url}profile?seconds=1&hz=500")" = 200 ] || fail 'no profile'
cp body live.pb
expect_valid_profile live.pb
tool json live.pb >live.json
grep -q '"period": 2000000,' live.json || fail 'hz=500 is not 2 ms'
[ "$(status -g "${waiting}profile?seconds=1")" = 200 ] || fail 'a program that waits has no profile'
expect_valid_profile body

# One at a time; a client that leaves ends its recording.
curl -sf -m 120 --retry 100 --retry-delay 1 --retry-all-errors -o first "${url}profile?seconds=600" & first=$!
for _ in $(seq 100); do
  [ "$(status "${url}profile?seconds=1")" != 409 ] || break
  sleep 0.3 # long enough for the first one to come before the next
done
expect_text body 'being recorded already'
kill $first
for _ in $(seq 100); do
  [ "$(status "${url}profile?seconds=1")" != 200 ] || break
  sleep 0.1
done
expect_valid_profile body

for bad in seconds=0 seconds=601 seconds=x seconds=1x seconds= seconds=-1; do expect_answer 400 '1 to 600' "${url}profile?$bad"; done
for bad in hz=9 hz=10001 hz=x; do expect_answer 400 '10 to 10000' "${url}profile?seconds=1&$bad"; done
expect_answer 404 /debug/pprof/ "${url}nothing"
expect_answer 404 /debug/pprof/ "${url%debug*}"
[ "$(status "${url%/}")" = 301 ] || fail 'an address without its last slash'
expect_answer 200 'this page' -L "${url%/}"
expect_answer 405 GET -X DELETE "${url}profile"
expect_answer 403 loopback -H 'Host: evil.example' "${url}profile?seconds=1"
expect_answer 403 loopback -H 'Host: 127.0.0.1.evil.example' "$url"
expect_answer 403 loopback -H 'Host: 10.0.0.1' "$url"
expect_answer 200 profile -H 'Host: localhost:1' "$url"
expect_answer 200 num_symbols -d 0x1234 "${url}symbol"
[ "$(status "${url}cmdline")" = 200 ] && tr '\0' '\n' <body | grep -qx loop.ts || fail 'no command line'
port=${url##*127.0.0.1:} port=${port%%/*}
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'nonsense\r\n\r\n' >&3
timeout 20 head -n 1 <&3 | grep -q ' 400 ' || fail 'nonsense is not refused'
exec 3>&-

# While it has no descriptors left, a connection that waits costs nothing; then it is answered.
(ulimit -n 16 && exec timeout 60 "$fino" run --pprof-listen=127.0.0.1:0 wait.mjs) 2>full.err & full=$!
full_port=$(url_of full.err) full_port=${full_port##*127.0.0.1:} full_port=${full_port%%/*}
node - "$full_port" "$(pgrep -P $full)" <<'EOF' || fail 'a connection that can not be accepted'
const [port, pid] = process.argv.slice(2);
const { readFileSync, readdirSync } = require('node:fs');
const { createConnection } = require('node:net');
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ticks = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' '); return +f[11] + +f[12]; };
const sockets = Array.from({ length: 12 }, () => createConnection(+port, '127.0.0.1').on('error', () => {}));
(async () => {
  while (readdirSync(`/proc/${pid}/fd`).length < 16) await wait(10);
  const before = ticks();
  await wait(1000);
  if (ticks() - before > 20) throw new Error(`${ticks() - before} ticks of CPU time for nothing`);
  for (const socket of sockets) socket.destroy();
  const answer = await fetch(`http://127.0.0.1:${port}/debug/pprof/`);
  if (answer.status !== 200) throw new Error(`${answer.status}`);
})();
EOF
kill $full
full=''

# A program that ends does not wait for a recording.
echo 'setTimeout(() => {}, 1500);' >short.mjs
timeout 60 "$fino" run --pprof-listen=127.0.0.1:0 short.mjs 2>short.err & short=$!
curl -s -m 60 -o cut "$(url_of short.err)profile?seconds=600" || true
wait $short || fail 'the program does not end as it should'

for bad in 127.0.0.1 '[::1]' 127.0.0.1:x 127.0.0.1:65536 nowhere '' :; do
  expect_status 1 "$fino" run --pprof-listen="$bad" wait.mjs
  expect_text err 'is not an address and a port'
done
expect_status 1 "$fino" run --pprof-listen=0.0.0.0:0 wait.mjs
expect_text err 'on loopback addresses only'
expect_status 1 "$fino" run --pprof-listen="127.0.0.1:$port" wait.mjs
expect_text err 'Address already in use'
