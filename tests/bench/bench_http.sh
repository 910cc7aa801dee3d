#!/usr/bin/env bash
# Hello-world over HTTP with 100 connections (wrk): requests a second, the 99th percentile of latency and the server's CPU
# time per request, beside Node and, if BUN and DENO name them, Bun and Deno; and fino profiled. Server and load have a
# processor each. ROUNDS (3), SECONDS_EACH (3): figures are to be read as medians, and machines differ.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v wrk >/dev/null || { echo "wrk is needed: apt-get install wrk"; exit 77; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

cat >"$work/fino.mjs" <<'JS'
import { serveHttp } from 'fino:net/http/server';
import { env } from 'fino:process';
serveHttp({ port: Number(env.PORT) }, () => new Response('Hello, World!'));
JS
cat >"$work/node.mjs" <<'JS'
import http from 'node:http';
http.createServer((request, response) => {
  response.setHeader('content-type', 'text/plain;charset=UTF-8');
  response.end('Hello, World!');
}).listen(Number(process.env.PORT), '127.0.0.1');
JS
cat >"$work/bun.js" <<'JS'
Bun.serve({ port: Number(process.env.PORT), hostname: '127.0.0.1', fetch() { return new Response('Hello, World!'); } });
JS
cat >"$work/deno.js" <<'JS'
const options = { port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1', onListen() {} };
Deno.serve(options, () => new Response('Hello, World!'));
JS

cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
load() { taskset -c 1 wrk -t1 -c100 -d"$1" --latency "http://127.0.0.1:$PORT/"; }

measure() { # measure NAME COMMAND...
  local name=$1 before after
  shift
  export PORT=$((20000 + RANDOM % 10000))
  taskset -c 0 "$@" >/dev/null 2>"$work/err" &
  server=$!
  for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && break; sleep 0.1; done
  load 1 >/dev/null
  before=$(cpu_ticks)
  load "${SECONDS_EACH:-3}" >"$work/out"
  after=$(cpu_ticks)
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
  awk -v name="$name" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" '
    /requests in/ { count = $1 } /Requests\/sec/ { rate = $2 } /99%/ { p99 = $2 } /Socket errors|Non-2xx/ { bad = $0 }
    END { printf "%-22s %9.0f/s  p99 %8s  %6.2f us CPU a request %s\n", name, rate, p99, ticks / hz * 1e6 / count, bad }' \
    "$work/out"
}

for _ in $(seq "${ROUNDS:-3}"); do
  measure fino build/fino run "$work/fino.mjs"
  measure "fino --profile" build/fino run --profile="$work/a.pb" "$work/fino.mjs"
  measure "fino --profile, 10 ms" build/fino run --profile="$work/a.pb" --profile-interval=10ms "$work/fino.mjs"
  measure node node "$work/node.mjs"
  [ -z "${BUN:-}" ] || measure bun "$BUN" run "$work/bun.js"
  [ -z "${DENO:-}" ] || measure deno "$DENO" run -A "$work/deno.js"
done
