#!/usr/bin/env bash
# profiled.sh PROGRAM SECONDS: runs PROGRAM under the sanitizers' fino for so long in all, at 10,000 samples a second, with
# the flags of V8 that its line "// V8:" names; then nothing has crashed, hung or leaked, the profile is valid and no
# function in it has a wrong name (check.mjs). A line "// UNKNOWN: n" allows that n % of the samples have frames without one (1).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "$1") seconds=$2
slice=20 # of one process, at most: starting and ending under sampling are part of it
work=$(mktemp -d "${TMPDIR:-/tmp}/fino-stress.XXXXXX")
trap 'rm -rf "$work"' EXIT
note() { sed -n "s,^// $1: ,,p" "$program"; }
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:${ASAN_OPTIONS:-} UBSAN_OPTIONS=print_stacktrace=1
unknown=$(note UNKNOWN)

cd "$work"
end=$((SECONDS + seconds))
while [ $SECONDS -lt "$end" ]; do
  left=$((end - SECONDS))
  part=$((left < slice ? left : slice))
  status=0
  timeout -k 5 $((part * 4 + 60)) "$root/build/asan/fino" run --profile=stress.pb --profile-interval=100us \
    --v8-flags="$(note V8)" "$program" $part >out 2>err || status=$?
  if [ $status != 0 ] || grep -Evq '^fino: (stress\.pb: | *[0-9.]+[a-z]+ +[0-9.]+% )' err; then
    cat out err
    echo "${program##*/}: exit code $status"
    exit 1
  fi
  node "$root/tests/profile_tool.mjs" check stress.pb
  node "$root/tests/stress/check.mjs" stress.pb "$program" "${unknown:-1}" || {
    [ -z "${KEEP_PROFILE:-}" ] || cp stress.pb "$KEEP_PROFILE"
    exit 1
  }
done
