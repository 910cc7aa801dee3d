#!/usr/bin/env bash
# acorn parses 600 kB, terser minifies acorn.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/terser.mjs"
