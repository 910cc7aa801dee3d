#!/usr/bin/env bash
# What a connection costs that waits for its next request: CONNECTIONS (10000) of them, each after one request, to fino and to
# Node: memory of the server, and of the kernel for the sockets of both sides, per connection; CPU time of 5 idle seconds.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -H -n)"

cat >"$work/fino.mjs" <<'JS'
import { serveHttp } from 'fino:net/http/server';
console.log(serveHttp({ idleTimeoutMs: 0 }, () => new Response('Hello, World!')).port);
JS
cat >"$work/node.mjs" <<'JS'
import http from 'node:http';
const server = http.createServer((request, response) => response.end('Hello, World!'));
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
cat >"$work/client.mjs" <<'JS'
import net from 'node:net';
const [port, count] = process.argv.slice(2).map(Number);
let answered = 0;
function open(left) {
  if (left <= 0) return;
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  socket.once('data', () => { if (++answered === count) console.log('all'); open(left - 50); });
  socket.on('error', (error) => { console.error(error); process.exit(1); });
}
for (let i = 0; i < 50; i++) open(count - i);
JS

field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$server/status"; }
kernel_kb() { awk '/^Slab/ { print $2 }' /proc/meminfo; }
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }

measure() { # measure NAME COMMAND...
  local name=$1 count=${CONNECTIONS:-10000} client before kernel after burnt
  shift
  "$@" >"$work/port" &
  server=$!
  for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
  node "$work/client.mjs" "$(<"$work/port")" 200 >"$work/warm" & client=$!
  for _ in $(seq 300); do [ -s "$work/warm" ] && break; sleep 0.1; done
  kill $client && wait $client 2>/dev/null || true
  before=$(field VmRSS) kernel=$(kernel_kb)
  node "$work/client.mjs" "$(<"$work/port")" "$count" >"$work/all" & client=$!
  for _ in $(seq 600); do [ -s "$work/all" ] && break; sleep 0.1; done
  [ -s "$work/all" ] || { echo "$name: not all connections were answered"; exit 1; }
  after=$(field VmRSS) burnt=$(ticks)
  sleep 5
  burnt=$((($(ticks) - burnt) * 1000 / $(getconf CLK_TCK)))
  echo "$name: $count connections: $(((after - before) * 1024 / count)) bytes resident each ($before kB before, $after kB with them)," \
    "$((($(kernel_kb) - kernel) * 1024 / count)) bytes of the kernel's, $burnt ms CPU in 5 s"
  kill $client "$server"
  wait $client "$server" 2>/dev/null || true
  server=
  rm -f "$work"/{port,all,warm}
}
measure fino build/fino run "$work/fino.mjs"
measure node node "$work/node.mjs"
