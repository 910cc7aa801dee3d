#!/usr/bin/env bash
# Babel turns 220 kB of modern JavaScript into what two old browsers understand.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/babel.mjs"
