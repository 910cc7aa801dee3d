#!/usr/bin/env bash
# example_profile.ts at the top level: a server under load writes a profile on GET /stop and ends, by itself and under
# --profile. The handler, fino's HTTP code, V8's entry and the system calls are in one stack, below one root.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

cat >load.mjs <<'JS'
import http from 'node:http';
import { once } from 'node:events';
const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
async function get(path) {
  const request = http.get({ port, path, agent });
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  return text;
}
const worker = async (n) => { for (let i = 0; i < 400; i++) await get(`/page/${n}`); };
await Promise.all(Array.from({ length: 20 }, (_, n) => worker(n)));
const last = JSON.parse(await get('/page/7'));
if (last.path !== '/page/7' || last.visit !== 401) throw new Error(JSON.stringify(last));
if (await get('/stop') !== 'profile.pb is written\n') throw new Error('not stopped');
process.exit(0);
JS

serve_and_stop() { # serve_and_stop FINO_OPTION...: example_profile.ts from start to GET /stop
  local port=
  rm -f profile.pb
  PORT=0 "$fino" run "$@" "$root/example_profile.ts" >out 2>err &
  server=$!
  for _ in $(seq 200); do
    port=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/.*,\1,p' out)
    [ -z "$port" ] || break
    sleep 0.1
  done
  timeout 120 node load.mjs "$port" || { cat err >&2; fail "the load failed"; }
  wait "$server" || { cat err >&2; fail "the server's exit code is $?"; }
}
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

check_profile() { # check_profile STACK...: functions from the leaf on, others between them
  local frames
  expect_valid_profile profile.pb
  go tool pprof -traces profile.pb >traces 2>/dev/null
  for frames; do
    awk -v frames="$frames" '
      /^-+\+-/ { if (stack ~ wanted()) found = 1; stack = ""; next }
      { sub(/^ *[0-9.]+[a-z]+ +/, ""); sub(/^ +/, ""); stack = stack $0 "\n" }
      function wanted(w) { w = frames; gsub(/\$\.\*/, "\n(.*\n)?", w); sub(/\$$/, "\n", w); return "(^|\n)" w }
      END { if (stack ~ wanted()) found = 1; exit !found }' traces || fail "no stack $frames in the profile"
  done
}

serve_and_stop
check_profile 'send$.*http_flush_batch$.*http_pump$.*main$'
serve_and_stop --profile --profile-interval=500us
check_profile 'send$.*http_flush_batch$.*http_pump$.*main$' 'recv$.*http_pump$.*poll_events$.*main$' \
  'handle$.*onRequest$.*.builtin. JSEntry$.*on_request$.*http_pump$.*main$'
expect_text err 'fino: profile.pb: '
