# portable.sh: libfinopprof on another platform; sourced by test-lib-<platform>.sh.
# shellcheck shell=bash source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sources=("$root"/src/pprof/*.c "$root"/src/deflate/*.c)
flags=(-Wall -Wextra -Werror -I"$root/src" -idirafter "$root/vendor/xxhash/include")

# portable RUNNER COMPILER...: what COMPILER makes runs under RUNNER, which may be empty.
#  - the example writes the same bytes as it does here;
#  - the unit tests of src/pprof pass, and those of src/deflate that need no other library.
portable() {
  local runner=$1 test name
  shift
  gcc -std=c11 -O1 "${flags[@]}" "$root/examples/embed_pprof.c" "${sources[@]}" -o here
  ./here >here.pb.gz
  "$@" -std=c11 -O1 "${flags[@]}" "$root/examples/embed_pprof.c" "${sources[@]}" -o there || fail "does not build"
  $runner ./there >there.pb.gz || fail "does not run"
  expect_same here.pb.gz there.pb.gz

  mkdir objects
  (cd objects && "$@" -std=c11 -O1 -DFINO_DEBUG "${flags[@]}" -c "${sources[@]}")
  for test in "$root"/tests/unit/test_{pprof,deflate}_*.c; do
    if grep -q '^// LINK: ' "$test"; then continue; fi # it needs a library more
    name=$(basename "$test" .c)
    "$@" -std=c17 -O1 -D_GNU_SOURCE -DFINO_DEBUG "${flags[@]}" "$test" objects/*.o -o "$name" -lm -pthread || fail "$name does not build"
    $runner "./$name" >"$name.log" 2>&1 || { cat "$name.log" >&2; fail "$name fails"; }
    echo "$name: ok"
  done
}
