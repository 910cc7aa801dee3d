#!/usr/bin/env bash
# tests/js/file-fifo.mjs with FIFOs; and a program that ends while a thread waits for one.
source "$(dirname "$0")/lib.sh"

for i in {0..11}; do mkfifo "fifo$i"; done
[ "$("$fino" run "$root/tests/js/file-fifo.mjs" "$work")" = done ] || fail "it did not get to its end"

cat >leaves.mjs <<'JS'
import { DiskFileSystem } from 'fino:file';
import { exit } from 'fino:process';
new DiskFileSystem().readFile('fifo0').finally(() => console.log('settled'));
setTimeout(() => exit(7), 30);
JS
expect_status 7 "$fino" run leaves.mjs
[ ! -s out ] || fail "something was settled"
