#!/usr/bin/env bash
# --perf-map: V8 writes the map by which perf names JavaScript, interpreted functions too; and refuses company that would read
# wrong code.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

cat >work.mjs <<'JS'
import { pid } from 'fino:process';
import { DiskFileSystem } from 'fino:file';
function interpretedOnce() { return 1; }
function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
let sum = interpretedOnce();
for (const end = Date.now() + 300; Date.now() < end;) sum += hotLoop(1e5);
const map = await new DiskFileSystem().readFile(`/tmp/perf-${pid}.map`);
console.log(pid, /^[0-9a-f]+ [0-9a-f]+ .*[*^]hotLoop .*work\.mjs/m.test(map), /^[0-9a-f]+ [0-9a-f]+ .*interpretedOnce .*work\.mjs/m.test(map),
  typeof gc, sum > 0);
JS
expect_status 0 "$fino" run --perf-map --v8-flags=--expose-gc work.mjs
read -r pid words <out
rm -f "/tmp/perf-$pid.map"
[ "$words" = "true true function true" ] || fail "the map: $words"
expect_status 2 "$fino" run --perf-map --profile work.mjs
expect_text err 'use one of them'
expect_status 2 "$fino" run --pprof-listen=127.0.0.1:0 --perf-map work.mjs
expect_text err '--pprof-listen would name it wrongly'
echo 'import { pid } from "fino:process"; console.log(pid); setTimeout(() => {}, 60000);' >wait.mjs
timeout 60 "$fino" run --perf-map wait.mjs >waiting &
until [ -s waiting ]; do sleep 0.05; done
read -r pid <waiting
expect_status 1 "$fino" profile "$pid"
expect_text err 'it is no fino that runs a program'
kill "$pid"
rm -f "/tmp/perf-$pid.map"
