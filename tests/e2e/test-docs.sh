#!/usr/bin/env bash
# Every example in types/ runs and prints what it says it does; the reference made of them has all modules.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

node "$root/docs/reference.mjs" "$work/examples" examples
count=0
for directory in "$work"/examples/*; do
  cd "$directory"
  timeout 60 "$fino" run example.ts >out 2>err </dev/null || { cat example.ts err >&2; fail "the example fails"; }
  [ ! -s err ] || { cat example.ts err >&2; fail "the example complains"; }
  if [ -e expected ]; then expect_same out expected; fi
  count=$((count + 1))
done
[ "$count" -ge 12 ] || fail "only $count examples"

cd "$work"
node "$root/docs/reference.mjs" api >out
while read -r module; do expect_text api/README.md "[$module]"; done < <(node "$root/tests/types/compare.mjs" modules)
for words in api/net-http-server.md:headersTimeoutMs api/file.md:'class DiskFileSystem' api/globals.md:'class FormData'; do
  expect_text "${words%%:*}" "${words#*:}"
done
