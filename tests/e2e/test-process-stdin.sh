#!/usr/bin/env bash
# Standard input: as text, as bytes, in pieces, empty, late.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >stdin.mjs <<'PROGRAM'
import { args, stdin } from 'fino:process';
if (args[0] === 'text') console.log(JSON.stringify(await stdin.text()));
else if (args[0] === 'bytes') console.log((await stdin.bytes()).length);
else {
  let length = 0;
  for await (const chunk of stdin) length += chunk.length;
  console.log(length, await stdin.read());
}
PROGRAM
expect_output() { # expect_output TEXT ARGUMENT: input comes from this function's own standard input
  local found
  found=$("$fino" run stdin.mjs "$2")
  [ "$found" = "$1" ] || fail "'$found' instead of '$1'"
}
printf 'hello\n' | expect_output '"hello\n"' text
head -c 3000000 /dev/zero | expect_output 3000000 bytes
head -c 3000000 /dev/zero | expect_output '3000000 null' pieces
expect_output '0 null' pieces </dev/null
{ sleep 0.2; echo late; } | expect_output '"late\n"' text
