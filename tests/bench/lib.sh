# lib.sh: what the measurements share. Every figure is a median of runs that take turns, so that what else the machine
# does falls on all of them alike.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fino=$root/build/fino
work=$(mktemp -d "${TMPDIR:-/tmp}/fino-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

cpu_ms() { # cpu_ms COMMAND...: its CPU time, user and system, all threads
  local TIMEFORMAT='%3U %3S' used
  used=$( { time "$@" >/dev/null 2>&1; } 2>&1)
  awk '{ printf "%.0f\n", ($1 + $2) * 1000 }' <<<"$used"
}

wall_us() { # wall_us COMMAND...
  local began=$EPOCHREALTIME ended
  "$@" >/dev/null 2>&1
  ended=$EPOCHREALTIME
  echo $((${ended/./} - ${began/./}))
}

median() { sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'; }

# take_turns ROUNDS METER NAME...: runs the function run_NAME of each, in turn, and leaves the figures in NAME.figures
take_turns() {
  local rounds=$1 meter=$2 name round
  shift 2
  rm -f ./*.figures
  for ((round = 0; round < rounds; round++)); do
    for name; do "$meter" "run_$name" >>"$name.figures"; done
  done
}
figure() { median <"$1.figures"; }
