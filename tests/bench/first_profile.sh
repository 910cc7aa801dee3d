#!/usr/bin/env bash
# From a bare clone to the first profile: what the README's first command takes, with everything still to be fetched.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
began=$EPOCHREALTIME
git clone -q "$root" fino
cd fino
./build.sh >/dev/null
built=$EPOCHREALTIME
build/fino run --profile examples/words.ts
ended=$EPOCHREALTIME
seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f s", to - from }'; }
echo "clone, fetch and build $(seconds "$began" "$built"), profile $(seconds "$built" "$ended"): $(seconds "$began" "$ended") in all"
