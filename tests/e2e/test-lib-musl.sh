#!/usr/bin/env bash
# libfinopprof with musl, linked statically: the same bytes, and its unit tests pass.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/portable.sh"
portable "" musl-gcc -static
file there | grep 'statically linked' >/dev/null || fail "$(file there)"
