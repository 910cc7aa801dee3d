#!/usr/bin/env bash
# Functions that the compiler inlined get the time that is theirs: 10, 30 and 60 % by construction. Node says `main`.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
expect_status 0 "$fino" run --profile "$root/tests/truth/inlined.mjs"
expect_valid_profile profile.pb
shares=$(tool share profile.pb la lb lc)
echo "la lb lc: $shares %"
read -r la lb lc <<<"$shares"
node -e 'process.exit([[process.argv[1], 10], [process.argv[2], 30], [process.argv[3], 60]].every(([got, want]) => Math.abs(got - want) <= 2) ? 0 : 1)' \
  "$la" "$lb" "$lc" || fail "expected 10 30 60, within 2 points"
