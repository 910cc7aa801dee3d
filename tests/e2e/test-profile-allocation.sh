#!/usr/bin/env bash
# Makes far more objects than it keeps: the collector's share is visible, above the JavaScript that caused it.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/real.sh"
real_program "$programs/allocation.ts" "$root/build/programs/allocation.mjs"
tool gc fino.pb 3
