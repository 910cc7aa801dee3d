#!/usr/bin/env bash
# prettier formats a file of 220 kB to two widths.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/prettier.mjs"
