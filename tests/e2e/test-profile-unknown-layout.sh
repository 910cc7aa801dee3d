#!/usr/bin/env bash
# On a V8 whose objects are not as expected, fino says so once and names by machine code alone, or not at all: never a function
# that it isn't. (unit/test_jit_selftest.c tries every constant.)
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
"$root/build.sh" asan >build.log 2>&1 || { cat build.log >&2; fail "no sanitizers' fino"; }
rm build.log
cat >calls.mjs <<'EOS'
function burn(n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; }
function middle(n) { return burn(n) + 1; }
for (let k = 0; k < 3000; k++) middle(10000);
EOS
for wrong in deopt_literals=3 frame_bytecode_array=-24; do
  FINO_TEST_JIT_LAYOUT=$wrong expect_status 0 "$root/build/asan/fino" run --profile calls.mjs
  [ "$(grep -c 'are not known' err)" = 1 ] || { cat err >&2; fail "$wrong: not noticed once"; }
  expect_valid_profile profile.pb
  tool json profile.pb >json
  grep -q '"main"' json || fail "$wrong: no samples of the main thread"
done
expect_status 0 "$root/build/asan/fino" run --profile calls.mjs
! grep -q 'are not known' err || fail "the layout is not known here"
