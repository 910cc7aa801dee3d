#!/usr/bin/env bash
# The planets of the solar system attract one another: nothing but floating-point numbers.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/nbody.ts" "$root/build/programs/nbody.mjs"
