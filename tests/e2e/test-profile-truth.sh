#!/usr/bin/env bash
# The programs in tests/truth spend known shares of their time in each function, most of them inlined: the profile says so,
# within 2 points. (tests/bench/truth.sh prints Node's answers beside ours.)
# TIMEOUT: 400
# ALONE
set -euo pipefail
cd "$(dirname "$0")/../.."
fino=${FINO:-$PWD/build/fino}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for program in tests/truth/*.mjs; do
  truth=$(sed -n 's,^// TRUTH: ,,p' "$program")
  [ -n "$truth" ] || continue
  "$fino" run --profile="$work/profile.pb" --profile-interval=200us "$program" >"$work/out" 2>"$work/err" ||
    { echo "$program: exit code $?"; cat "$work/err"; exit 1; }
  [ "$truth" != measured ] || truth=$(sed -n 's,^measured: ,,p' "$work/out")
  # shellcheck disable=SC2086
  tests/truth/compare.mjs "$work/profile.pb" 2 $truth >"$work/line" || failed=1
  echo "$(basename "$program"): $(cat "$work/line")"
done
exit $failed
