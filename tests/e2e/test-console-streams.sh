#!/usr/bin/env bash
# What the console writes where, colours by FORCE_COLOR and on a terminal only, and output that nobody reads.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >streams.mjs <<'PROGRAM'
console.log('log', [1]);
console.info('info');
console.debug('debug');
console.warn('warn');
console.error('error');
console.trace('trace %s', 1);
console.assert(false, 'assert');
console.time();
console.timeEnd();
console.timeEnd('missing');
console.countReset('missing');
PROGRAM
unset NO_COLOR FORCE_COLOR
expect_status 0 "$fino" run streams.mjs
printf 'log [ 1 ]\ninfo\ndebug\n' >want.out
grep -v '^default: ' out >plain.out
expect_same want.out plain.out
grep -qE '^default: [0-9.]+(ms|s)$' out || fail 'no time was printed'
printf 'warn\nerror\nTrace: trace 1\nAssertion failed: assert\n' >want.err
grep -vE '^    at |^Warning' err >plain.err
expect_same want.err plain.err
expect_text err "streams.mjs:6:9"
expect_text err "Warning: No such label 'missing' for console.timeEnd()"
expect_text err "Warning: Count for 'missing' does not exist"

FORCE_COLOR=1 expect_status 0 "$fino" run streams.mjs
expect_text out "$(printf 'log [ \033[33m1\033[39m ]')"
FORCE_COLOR=0 expect_status 0 "$fino" run streams.mjs
expect_text out 'log [ 1 ]'
if command -v script >/dev/null; then
  script -qec "'$fino' run streams.mjs" /dev/null >terminal
  expect_text terminal "$(printf '\033[33m1\033[39m')"
  script -qec "NO_COLOR=1 '$fino' run streams.mjs" /dev/null >terminal
  expect_text terminal 'log [ 1 ]'
fi

# A closed pipe or a full disk is no exception.
echo 'for (let i = 0; i < 1000; i++) console.log("x".repeat(1000)); console.error("end");' >much.mjs
{ "$fino" run much.mjs 2>err || fail 'a closed pipe ended it'; } | head -c 10 >/dev/null
expect_text err end
"$fino" run much.mjs >/dev/full 2>err || fail 'a full disk ended it'
expect_text err end
