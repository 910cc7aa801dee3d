#!/usr/bin/env bash
# Compares the eraser with typescript and amaro: README.md. Prints what was tried, what agreed, and each difference.
#   run.sh             hand-made cases, and every file of the corpus: some minutes
#   run.sh --slice     some of both: half a minute
#   run.sh PACKAGE...  these packages of build/npm only; or FILE...
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/npm.sh
eraser=build/asan/ts_erase_cli
MODE=asan ./build.sh program tests/ts/ts_erase_cli.c $eraser
case ${1:-} in
  --slice)
    node tests/ts/cases.mjs --eraser=$eraser --part=20
    node tests/ts/differential.mjs --eraser=$eraser --part=40
    ;;
  '')
    node tests/ts/cases.mjs --eraser=$eraser
    node tests/ts/differential.mjs --eraser=$eraser
    ;;
  *) node tests/ts/differential.mjs --eraser=$eraser --verbose "$@" ;;
esac
