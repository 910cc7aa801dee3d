#!/usr/bin/env bash
# libfinopprof on a big-endian machine (s390x, emulated): the same bytes, and its unit tests pass.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/portable.sh"
portable qemu-s390x s390x-linux-gnu-gcc -static
