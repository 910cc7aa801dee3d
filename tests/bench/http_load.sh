#!/usr/bin/env bash
# A server under mixed load for LOAD_SECONDS (60; 1800 for the real thing): small answers, bodies both ways, streams, forms, files,
# errors, clients that go away in the middle. Prints its memory and open files over time; fails when memory grows by more
# than 32 MB after the first third, or files stay open.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${LOAD_SECONDS:-60}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

cat >"$work/server.mjs" <<'JS'
import { DiskFileSystem } from 'fino:file';
import { serveHttp } from 'fino:net/http/server';
import { args } from 'fino:process';
const files = new DiskFileSystem(args[0]);
const chunk = new Uint8Array(20000).fill(65);
async function* chunks() { for (let i = 0; i < 20; i++) { yield chunk; if (i % 5 === 0) await null; } }
const routes = {
  '/text': () => new Response('Hello'),
  '/json': (request) => Response.json({ url: request.url, headers: [...request.headers] }),
  '/stream': () => new Response(chunks()),
  '/echo': (request) => new Response(request.body),
  '/form': async (request) => new Response([...(await request.formData()).keys()].join()),
  '/file': async (request) => {
    const name = `file${Math.floor(Math.random() * 50)}`;
    await files.writeFile(name, await request.bytes(), { atomic: true });
    return new Response(await files.readBytes(name));
  },
  '/error': () => new Response('wrong', { status: 500 }),
  '/proxy': async () => new Response((await fetch(`${server.url}stream`)).body),
};
const server = serveHttp({}, (request) => routes[new URL(request.url).pathname](request));
console.log(server.port);
JS
cat >"$work/client.mjs" <<'JS'
import http from 'node:http';
const [port, seconds] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
const end = Date.now() + seconds * 1000;
const body = Buffer.alloc(50000, 66);
const boundary = 'XX';
const form = `--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX\r\nContent-Disposition: form-data; name="b"; filename="f"\r\n\r\n${'z'.repeat(9000)}\r\n--XX--`;
const kinds = [['/text'], ['/json'], ['/stream'], ['/echo', body], ['/file', body], ['/error'], ['/proxy'], ['/form', form, { 'content-type': `multipart/form-data; boundary=${boundary}` }]];
let done = 0, gone = 0;
function call([path, data, headers], leaves) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path, agent: leaves ? undefined : agent, method: data ? 'POST' : 'GET', headers }, (response) => {
      if (leaves) { response.once('data', () => { gone++; request.destroy(); resolve(); }); return; }
      response.resume().on('end', () => { done++; resolve(); }).on('error', reject);
    });
    request.on('error', leaves ? resolve : reject);
    request.end(data);
  });
}
await Promise.all(Array.from({ length: 40 }, async (_, i) => {
  for (let n = i; Date.now() < end; n++) await call(kinds[n % kinds.length], n % 29 === 0);
}));
console.log(`${done} requests answered, ${gone} left in the middle`);
process.exit(0);
JS
mkdir "$work/files"
build/fino run "$work/server.mjs" "$work/files" >"$work/port" &
server=$!
for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
open_files() { find "/proc/$server/fd" -mindepth 1 | wc -l; }
node "$work/client.mjs" "$(<"$work/port")" 1 >/dev/null
sleep 6 # connections that fetch keeps wait for so long
files_before=$(open_files)
node "$work/client.mjs" "$(<"$work/port")" "$seconds" & client=$!
first=0 last=0
for point in $(seq 12); do
  sleep "$(awk -v s="$seconds" 'BEGIN { print s / 12.5 }')"
  last=$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")
  printf '  %5d s  %6d kB  %4d open files\n' $((point * seconds / 12)) "$last" "$(open_files)"
  if [ "$point" = 4 ]; then first=$last; fi
done
wait $client
sleep 6
echo "$((last - first)) kB more than after the first third; $(($(open_files) - files_before)) more files open than at first"
[ $((last - first)) -lt 32768 ] && [ "$(open_files)" -le "$files_before" ]
