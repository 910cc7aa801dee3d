#!/usr/bin/env bash
# How a script ends is what the shell sees.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

run() { printf '%s' "$2" > script.mjs; expect_status "$1" timeout 20 "$fino" run script.mjs; }
run 0 ''
run 1 'throw 1'
run 1 'await Promise.reject(new Error("x"))'
run 1 'setTimeout(() => { null.x }, 1)'
run 1 'queueMicrotask(() => { throw 1 }); setTimeout(() => console.log("went on"), 50)'
[ ! -s out ] || fail "it went on after an uncaught error"
run 1 'Promise.reject(1); setTimeout(() => console.log("went on"), 50)'
[ ! -s out ] || fail "it went on after an unhandled rejection"
run 0 'const p = Promise.reject(1); await null; p.catch(() => {})'
run 7 'import { exit } from "fino:process"; try { exit(7); console.log("came back") } finally { console.log("finally") }'
[ ! -s out ] || fail "exit() came back"
run 9 'import { exit } from "fino:process"; setInterval(() => {}, 1); setTimeout(() => exit(9), 5)'
run 3 'import process from "fino:process"; process.exitCode = 3'
run 5 'import process from "fino:process"; process.on("exit", () => { process.exitCode = 5 })'
run 13 'await new Promise(() => {})'
expect_text err 'awaits a promise'
run 0 'setTimeout(() => {}, 1); new Promise(() => {})'
run 1 'import "./nothing.mjs"'
echo 'globalThis.exitNow(6)' > exits.cjs
echo 'import "./exits.cjs"; console.log("went on")' > exits.mjs
run 6 'import { exit } from "fino:process"; globalThis.exitNow = exit; await import("./exits.mjs"); console.log("went on")'
[ ! -s out ] || fail "exit() in a CommonJS module came back"
expect_status 1 "$fino" run nothing.mjs
expect_text err "cannot find the script 'nothing.mjs'"
expect_status 1 "$fino" run .
expect_text err 'it is a directory'
