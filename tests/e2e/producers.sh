# producers.sh: profiles of other producers; sourced by test-pprof-producers-*.sh, which put them into ./profiles.
# shellcheck shell=bash source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(cd "$root" && ./build.sh program tests/fixtures/pprof_reencode.c "$work/reencode" >/dev/null)
mkdir profiles
count=0 lines=0

pprof() { go tool pprof "$@" 2>>warnings; }

# same_as_ours FILE: it is valid by our check, and what we make of it is canonical and says the same. pprof prints equal tables
# of both for each sample type, and prints ours exactly as what it makes of ours itself.
same_as_ours() {
  local index types
  ./reencode "$1" >ours.pb.gz || fail "$1 is not read"
  types=$(pprof -raw -symbolize=none "$1" | awk '/^Samples:$/ { getline; print NF }')
  for index in $(seq 0 $((types - 1))); do
    table -traces "$index" "$1" | sed 1,/---/d | sort >theirs.traces
    table -traces "$index" ours.pb.gz | sed 1,/---/d | sort >ours.traces
    expect_same theirs.traces ours.traces
    table -top "$index" "$1" | grep -v '^File:' | sort >theirs.top
    table -top "$index" ours.pb.gz | grep -v '^File:' | sort >ours.top
    expect_same theirs.top ours.top
    lines=$((lines + $(wc -l <theirs.traces) + $(wc -l <theirs.top)))
  done
  pprof -raw -symbolize=none ours.pb.gz >ours.raw
  pprof -proto -symbolize=none -output again.pb.gz ours.pb.gz >/dev/null
  pprof -raw -symbolize=none again.pb.gz >again.raw
  expect_same ours.raw again.raw
  count=$((count + 1))
}
table() { pprof "$1" -symbolize=none -nodefraction=0 -sample_index="$2" "$3"; }

# all_same_as_ours COUNT LINES: so are all in ./profiles, as they are and as pprof writes them, at least so many with as much
# to say.
all_same_as_ours() {
  local profile
  for profile in profiles/*; do
    same_as_ours "$profile"
    pprof -proto -symbolize=none -output theirs.pb.gz "$profile" >/dev/null
    same_as_ours theirs.pb.gz
  done
  echo "$count profiles, $lines lines of theirs are ours too"
  [ $count -ge "$1" ] && [ $lines -ge "$2" ]
}
