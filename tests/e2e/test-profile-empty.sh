#!/usr/bin/env bash
# A program that ends before its first sample has a valid profile all the same, which names its program: pprof reads it
# without a word of warning.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
: >empty.mjs
expect_status 0 "$fino" run --profile --profile-interval=100ms empty.mjs
expect_only empty.mjs profile.pb
expect_valid_profile profile.pb
