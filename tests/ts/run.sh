#!/usr/bin/env bash
# Compares the eraser with TypeScript: hand-made cases and a corpus from npm, pinned. `run.sh` takes a slice that ends in
# a minute, `run.sh --long` every file of every package. Fetches into build/ts; needs node and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/ts
mkdir -p "$out"
[ -e "$out/package.json" ] || echo '{"private":true}' > "$out/package.json"
tools="typescript@5.4.5 acorn@8.11.3 amaro@0.1.9 esbuild@0.20.2"
corpus="rxjs@7.8.1 immer@10.1.1"
long="zod@3.23.8 effect@3.1.3 date-fns@3.6.0 hono@4.3.6 valibot@0.30.0 ts-pattern@5.1.1 type-fest@4.18.2 @types/node@20.12.11 fp-ts@2.16.5"
[ "${1:-}" = --long ] && corpus="$corpus $long"
# shellcheck disable=SC2086
(cd "$out" && npm install --no-save --no-audit --no-fund --loglevel=error $tools $corpus > /dev/null)
${CC:-gcc} -O1 -g -std=c17 -D_GNU_SOURCE -Isrc -fsanitize=address,undefined -fno-sanitize-recover=undefined \
  tests/ts/ts_erase_cli.c src/runtime/typescript*.c -lm -o "$out/ts_erase_cli"
common="--eraser=$out/ts_erase_cli --modules=$out/node_modules"
# shellcheck disable=SC2086
node tests/ts/cases.mjs $common
paths="$out/node_modules/rxjs/src $out/node_modules/immer/src $out/node_modules/typescript/lib"
[ "${1:-}" = --long ] && paths=$out/node_modules
# shellcheck disable=SC2086
node tests/ts/differential.mjs $common $paths
