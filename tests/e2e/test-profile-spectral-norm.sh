#!/usr/bin/env bash
# The largest singular value of an infinite matrix: small functions that an optimising compiler inlines into one another.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/spectral_norm.ts" "$root/build/programs/spectral_norm.mjs"
