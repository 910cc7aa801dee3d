#!/usr/bin/env bash
# stress_http.sh SECONDS: thousands of requests that two servers could understand differently (both lengths, bad chunks, folded
# lines, bare LF, NUL, blanks before a colon, huge fields, pipelined, cut anywhere) to a fino with sanitizers. It takes none
# for another request than Node's parser does, refuses the others with a status of its own, closes, and neither crashes nor
# leaks. FINO names another fino than the sanitizers'. The same seed, FUZZ_SEED, gives the same requests; without it they are new.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/fino-stress.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:${ASAN_OPTIONS:-} UBSAN_OPTIONS=print_stacktrace=1

mkfifo "$work/in"
"${FINO:-$root/build/asan/fino}" run "$root/tests/stress/http_server.mjs" <"$work/in" >"$work/out" 2>"$work/err" &
server=$!
exec 3>"$work/in"
for _ in $(seq 300); do if [ -s "$work/out" ]; then break; fi; sleep 0.1; done
status=0
node "$root/tests/stress/http_client.mjs" "$(<"$work/out")" "$1" "${FUZZ_SEED:-$RANDOM}" || status=$?
exec 3>&-
wait "$server" || status=$?
server=
cat "$work/err"
[ $status = 0 ] && [ ! -s "$work/err" ]
