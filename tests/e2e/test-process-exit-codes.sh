#!/usr/bin/env bash
# Exit codes: exit(), exitCode, exceptions, rejections, and what listeners of 'exit' make of them.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >exit.mjs <<'PROGRAM'
import process from 'fino:process';
const cases = {
  exit: () => process.exit(4),
  exitText: () => process.exit('3'),
  exitCode: () => { process.exitCode = 5; },
  exitUsesCode: () => { process.exitCode = 5; process.exit(); },
  exitWins: () => { process.exitCode = 5; process.exit(6); },
  listener: () => process.on('exit', (code) => { process.exitCode = code + 9; }),
  nested: () => process.on('exit', () => process.exit(7)),
  beforeExit: () => process.once('beforeExit', () => setTimeout(() => { process.exitCode = 8; }, 1)),
  thrown: () => { throw new Error('thrown'); },
  thrownLater: () => setTimeout(() => { throw new Error('thrown later'); }),
  rejected: () => { Promise.reject(new Error('rejected')); },
  handledLater: () => { const promise = Promise.reject(1); promise.catch(() => {}); },
  reported: () => reportError(new Error('reported')),
  thrownInListener: () => process.on('exit', () => { throw new Error('in exit'); }),
  stopsAtOnce: () => { process.exit(2); console.log('not reached'); },
  wrongCode: () => process.exit('x'),
};
cases[process.args[0]]();
PROGRAM
expect_code() { # expect_code CODE CASE...
  local code=$1 name
  shift
  for name; do expect_status "$code" "$fino" run exit.mjs "$name"; done
}
expect_code 4 exit
expect_code 3 exitText
expect_code 5 exitCode exitUsesCode
expect_code 6 exitWins
expect_code 9 listener
expect_code 7 nested
expect_code 8 beforeExit
expect_code 1 thrown thrownLater rejected reported thrownInListener wrongCode
expect_code 0 handledLater
expect_code 2 stopsAtOnce
[ ! -s out ] || fail 'code after exit() ran'
expect_code 1 thrown
expect_text err 'Error: thrown'
expect_text err 'exit.mjs:'
