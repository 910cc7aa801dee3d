#!/usr/bin/env bash
# What changed is compiled again, and nothing else: by header, by flags, by failure. Layers and warnings are enforced.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
mkdir tree && cd tree
mkdir -p tests src
cp "$root/build.sh" . && cp "$root"/tests/{check.sh,signal_symbols.txt} tests/ && ln -s "$root/vendor" vendor
cp -R "$root/examples" . && cp -R "$root"/src/{deflate,pprof,sampler} src/

compiled() { # compiled COMMAND...: what it compiles, in any of the library's variants, sorted, on one line
  "$@" 2>err | sed -n 's/^  compile //p' | sort -u | xargs
}
all=$(ls src/*/*.c | grep -v _interpose | sort | xargs)
expect_compiled() { # expect_compiled FILES COMMAND...
  local want=$1 got
  shift
  got=$(compiled "$@") || { cat err >&2; fail "fails: $*"; }
  [ "$got" = "$want" ] || fail "compiled '$got' instead of '$want'"
}

expect_compiled "$all" ./build.sh lib
expect_compiled "" ./build.sh lib

echo "-- a header"
touch src/pprof/strings.h
only=$(for file in $(grep -l strings.h build/lib/obj/src/*/*.d); do file=${file#build/lib/obj/}; echo "${file%.o.d}"; done | sort | xargs)
[ -n "$only" ] && [ "$only" != "$all" ] || fail "the test's own choice of a header is bad"
expect_compiled "$only" ./build.sh lib

echo "-- a failure, then its repair"
echo 'int no_prototype(void) { return 0; }' >src/pprof/zz.c
if ./build.sh lib >out 2>err; then fail "a warning is no error"; fi
expect_text err no_prototype
echo 'static int unused(void) { return 0; }' >src/pprof/zz.c
if ./build.sh lib >out 2>err; then fail "a warning is no error"; fi
printf 'int pprof_zz(void);\nint pprof_zz(void) { return 0; }\n' >src/pprof/zz.c
expect_compiled src/pprof/zz.c ./build.sh lib
rm src/pprof/zz.c

echo "-- layers"
violates() { # violates FILE TEXT: a source of that text is refused
  echo "$2" >"$1"
  if tests/check.sh includes 2>err; then fail "$1 may say: $2"; fi
  expect_text err "$1:1"
  rm "$1"
}
tests/check.sh includes || fail "the tree itself violates its layers"
mkdir src/runtime
violates src/deflate/zz.c '#include "pprof/pprof.h"'
violates src/pprof/zz.h '#include "sampler/sampler.h"'
violates src/sampler/zz.c '#include "runtime/realm.h"'
violates src/sampler/zz.c '#include "pprof/strings.h"'
violates src/sampler/zz.c '#include "../pprof/pprof.h"'
violates src/runtime/zz.c '#include "sampler/threads.h"'
violates src/runtime/zz.c '#include <v8.h>'
violates src/runtime/zz.cc '#include <libplatform/libplatform.h>'
violates src/runtime/mod_a.c '#include "runtime/mod_b.h"'
violates src/runtime/zz.c '#include "common/list.h"'

echo "-- signal-safe code"
printf '#include <stdlib.h>\nvoid *zz_sig(void);\nvoid *zz_sig(void) { return malloc(1); }\n' >src/sampler/zz_sig.c
mkdir -p build/release/obj/src/sampler
gcc -c src/sampler/zz_sig.c -o build/release/obj/src/sampler/zz_sig.c.o
if tests/check.sh signals 2>err; then fail "signal-safe code may call malloc"; fi
expect_text err malloc
