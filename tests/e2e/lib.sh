# lib.sh: what end-to-end tests share; they source it first. $fino is the program, $work a folder of the test's own.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fino=$root/build/fino
programs=$root/tests/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/fino-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
export PPROF_TMPDIR=$work
cd "$work"

fail() { echo "${0##*/}: $*" >&2; exit 1; }
skip() { echo "$*"; exit 77; }
tool() { node "$root/tests/profile_tool.mjs" "$@"; }

expect_status() { # expect_status STATUS COMMAND...: its output is in $work/out and $work/err
  local want=$1 status=0
  shift
  "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" = "$want" ] || { cat "$work/out" "$work/err" >&2; fail "exit code $status instead of $want: $*"; }
}

expect_same() { # expect_same FILE FILE
  cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 20 >&2; fail "$1 and $2 differ"; }
}

expect_text() { # expect_text FILE TEXT: it is somewhere in there
  grep -qF -e "$2" "$1" || { cat "$1" >&2; fail "'$2' is not in ${1##*/}"; }
}

expect_only() { # expect_only NAME...: nothing else is in the working directory but these, out and err
  local found
  found=$(find . -mindepth 1 -maxdepth 1 ! -name out ! -name err -printf '%f ' | xargs -n 1 | sort | xargs)
  [ "$found" = "$*" ] || fail "files there: '$found', expected: '$*'"
}

# pprof itself reads FILE in every view without a word of warning.
expect_pprof_reads() {
  local view
  for view in top traces raw tags; do
    go tool pprof "-$view" "$1" >"pprof.$view" 2>pprof.err || { cat pprof.err >&2; fail "pprof -$view fails"; }
    [ ! -s pprof.err ] || { cat pprof.err >&2; fail "pprof -$view warns"; }
  done
  rm -f pprof.*
}

expect_valid_profile() { # by our decoder's and by pprof's word
  [ -s "$1" ] || fail "no profile $1"
  tool check "$1" || fail "$1 is not valid"
  expect_pprof_reads "$1"
}
