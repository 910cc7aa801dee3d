#!/usr/bin/env bash
# What cannot be imported: who wanted it, what was tried, what may have been meant.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

mkdir -p lib
echo 'export const a = 1;' > lib/real.ts
echo 'export const b = 1;' > lib/index.ts
miss() { # miss SPECIFIER TEXT...
  printf '\n  import "%s";\n' "$1" > main.mjs
  expect_status 1 "$fino" run main.mjs
  expect_text err "main.mjs:2:10"
  expect_text err '         ^'
  expect_text err "Cannot find module '$1' imported from $(pwd -P)/main.mjs:2:10"
  shift
  for text; do expect_text err "$text"; done
}
miss ./lib/none.mjs "tried $(pwd -P)/lib/none.mjs and $(pwd -P)/lib/none.mts" 'no such file'
miss ./lib/real "did you mean './lib/real.ts'?"
miss ./lib "did you mean './lib/index.ts'?"
miss ./lib/ "did you mean './lib/index.ts'?"
miss ./lib/real.json "did you mean './lib/real.ts'?"
miss lib/real.ts "did you mean './lib/real.ts'?"
miss lodash "no package 'lodash' in $(pwd -P)/node_modules or in one above it"
miss node:http2 "does not have Node's module 'node:http2'"
miss https://example.com/a.js "no 'https:' modules"
miss file://host/a.js 'absolute path on this machine'
miss ./a%2fb.js "encoded '/'"
echo 'import { a } from "./lib/real.js"; console.log(a);' > main.mjs
expect_status 0 "$fino" run main.mjs
