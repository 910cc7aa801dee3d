#!/usr/bin/env bash
# Every kind of code is named: WebAssembly, regular expressions, eval, new Function, callbacks from builtins; in the order in
# which they called one another.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >kinds.mjs <<'EOF'
const body = [1, 1, 0x7f, 3, 0x40, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 1, 0x0b];
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f, 3, 2, 1, 0, 7, 8, 1, 4,
  115, 112, 105, 110, 0, 0, 10, body.length + 2, 1, body.length, ...body]);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
function callWasm() { let t = 0; for (let k = 0; k < 400; k++) t += exports.spin(2000000); return t; }
function callRegexp() { let n = 0; for (let k = 0; k < 60; k++) n += /^(a|aa)+$/.test('a'.repeat(26) + 'b') ? 1 : 0; return n; }
function callSort() {
  const a = Array.from({ length: 200000 }, (_, i) => (i * 7919) % 200003);
  for (let k = 0; k < 6; k++) a.slice().sort(function compareThem(x, y) { return x - y; });
}
class Slow { toJSON() { let s = 0; for (let i = 0; i < 6000; i++) s = Math.sqrt(s + i); return s; } }
function callJson() { for (let k = 0; k < 4000; k++) JSON.stringify([new Slow()]); }
const evalled = eval('(function evalled(n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; })');
const built = new Function('n', 'let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s;');
callWasm(); callRegexp(); callSort(); callJson(); evalled(2e7); built(2e7);
console.log('done');
EOF
expect_status 0 "$fino" run --profile --profile-interval=1ms kinds.mjs
go tool pprof -traces profile.pb 2>/dev/null >traces

expect_stack() { # expect_stack FRAME...: some stack has these frames, each anywhere above the next
  awk -v wanted="$(printf '%s\n' "$@")" '
    BEGIN { count = split(wanted, frames, "\n") }
    /^-----/ { at = 1 }
    at <= count && index($0, frames[at]) { at++; if (at > count) { found = 1; exit } }
    END { exit !found }' traces || fail "no stack has: $*"
}
expect_stack '[wasm] wasm-function[0]' callWasm '(module) kinds.mjs' main _start
expect_stack '[regexp] ^' callRegexp # pprof leaves out what is in brackets
expect_stack compareThem '[builtin] SortCompareUserFn' '[builtin] ArrayPrototypeSort' callSort
expect_stack toJSON 'v8::internal::JsonStringify(' 'v8::internal::Builtin_JsonStringify' callJson
expect_stack evalled '(module) kinds.mjs'
expect_stack '(anonymous) [eval]:1' '(module) kinds.mjs'
tool complete profile.pb 99
