#!/usr/bin/env bash
# Bodies far larger than memory should ever hold go out and come in, and through an echo, with memory flat: MEGABYTES (200) of
# each, sized and chunked; what the server takes at its highest is little more than after the first 16 MB.
# TIMEOUT: 240
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
megabytes=${MEGABYTES:-200}

cat >server.mjs <<'JS'
import { serveHttp } from 'fino:net/http/server';
const chunk = new Uint8Array(1 << 16).fill(120);
function* chunks(count) { for (let i = 0; i < count; i++) yield chunk; }
const server = serveHttp({ bodyLimitBytes: Infinity }, async (request) => {
  const { pathname, searchParams } = new URL(request.url);
  const nbytes = Number(searchParams.get('mb')) << 20;
  if (pathname === '/sized') return new Response(chunks(nbytes >> 16), { headers: { 'content-length': `${nbytes}` } });
  if (pathname === '/chunked') return new Response(chunks(nbytes >> 16));
  if (pathname === '/echo') return new Response(request.body);
  let sum = 0;
  for await (const bytes of request.body) sum += bytes.length;
  return new Response(`${sum}`);
});
console.log(server.url);
JS
"$fino" run server.mjs >url 2>err &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s url ] && break; sleep 0.1; done
url=$(<url)
highest_kb() { awk '/^VmHWM/ { print $2 }' "/proc/$server/status"; }
call() { curl -sSf --max-time 200 "$@"; }

round() { # round MB
  local nbytes=$(($1 << 20)) path
  for path in sized chunked; do
    [ "$(call "${url}$path?mb=$1" | wc -c)" = $nbytes ] || fail "$path: not all has come"
  done
  [ "$(head -c $nbytes /dev/zero | call -T - "${url}count")" = $nbytes ] || fail "a chunked body of $1 MB"
  [ "$(head -c $nbytes /dev/zero | call -H "content-length: $nbytes" -H 'transfer-encoding:' -T - "${url}count")" = $nbytes ] || fail "a sized body of $1 MB"
  [ "$(head -c $nbytes /dev/zero | call -T - "${url}echo" | wc -c)" = $nbytes ] || fail "an echo of $1 MB"
}

round 16
before=$(highest_kb)
round "$megabytes"
after=$(highest_kb)
echo "five bodies of $megabytes MB: at most $((after / 1024)) MB resident, $((after - before)) kB more than for 16 MB"
[ $((after - before)) -lt 49152 ] || fail "memory grows with the body"
[ ! -s err ] || fail "$(<err)"
