#!/usr/bin/env bash
# A program that ends at once has few samples or none, and a valid profile.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
: >empty.mjs
expect_status 0 "$fino" run --profile --profile-interval=100ms empty.mjs
expect_only empty.mjs profile.pb
expect_valid_profile profile.pb
