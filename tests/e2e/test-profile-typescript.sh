#!/usr/bin/env bash
# typescript.js transpiles 600 kB of itself, twice.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/typescript.mjs"
