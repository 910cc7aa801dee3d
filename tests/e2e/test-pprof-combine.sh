#!/usr/bin/env bash
# The sum, the difference, the difference to a base and the half of profiles are what pprof makes of the same files: every
# function's cost, flat and cumulative, of both types, and every stack with its labels.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && ./build.sh program tests/fixtures/pprof_combine.c "$work/pprof_combine" >/dev/null)
./pprof_combine make 1 >a.pb
./pprof_combine make 2 >b.pb
pprof() { go tool pprof -symbolize=none -nodefraction=0 -nodecount=1000 "$@" 2>>warnings; }

# same NAME OPTIONS...: pprof prints of NAME.pb what it prints with OPTIONS.
same() {
  local name=$1 type view
  shift
  for type in samples space; do
    for view in top traces; do
      pprof -$view -sample_index=$type "$name.pb" | sed '1,/^ *flat \|^---/d' | sort >ours
      pprof -$view -sample_index=$type "$@" | sed '1,/^ *flat \|^---/d' | sort >theirs
      expect_same ours theirs
      [ "$(wc -l <ours)" -gt 60 ] || fail "$name: pprof -$view says little"
    done
  done
  echo "$name: as pprof"
}

./pprof_combine add a.pb b.pb >sum.pb
same sum a.pb b.pb
./pprof_combine subtract a.pb b.pb >difference.pb
same difference -base=b.pb a.pb
./pprof_combine diff_base a.pb b.pb >diff_base.pb
same diff_base -diff_base=b.pb a.pb
./pprof_combine half a.pb >half.pb
same half -divide_by=2 a.pb
./pprof_combine subtract sum.pb b.pb >again.pb
same again a.pb
