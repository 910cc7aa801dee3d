#!/usr/bin/env bash
# Builds fino. ./build.sh --help says how; README.md tells what is where.
# shellcheck disable=SC2046,SC2086 # lists of files and flags are split on purpose
set -euo pipefail
cd "$(dirname "$0")"

export CC=${CC:-gcc} CXX=${CXX:-g++}
JOBS=${JOBS:-$(nproc)}
V8=${V8_PREFIX:-vendor/v8}

export COMMON="-g -pthread -D_GNU_SOURCE -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer
  -Wall -Wextra -Werror -Wvla -Wwrite-strings -Isrc -isystem vendor/xxhash/include"
SECTIONS="-ffunction-sections -fdata-sections" # so that -Wl,--gc-sections leaves a program what it uses
export C_ONLY="-Wstrict-prototypes -Wmissing-prototypes"
export CXX_ONLY="-std=c++17 -fno-rtti -fno-exceptions -isystem $V8/include ${V8_DEFINES:-}"

usage() {
  cat <<'USAGE'
usage: ./build.sh [release]          build/fino: -O2 -g, with symbols
       ./build.sh debug | asan       build/debug/fino, build/asan/fino (AddressSanitizer and UBSan)
       ./build.sh lib                build/lib: libfinopprof.a, libfinosampler.a and their headers, for C programs;
                                     small/libfinopprof.a, made for size, which it tells
       ./build.sh test [PATTERN]     all tests, or those whose path contains PATTERN
       ./build.sh unit NAME...       tests/unit/NAME.c only, with sanitizers (MODE=release: without)
       ./build.sh bench [PATTERN]    the measurements in tests/bench
       ./build.sh fuzz [SECONDS [NAME...]]    tests/fuzz/NAME.c, or all of them, for so long each (60)
       ./build.sh stress [SECONDS [NAME...]]  the same for tests/stress/NAME.c, .sh or .mjs, with sanitizers
       MODE=tsan ./build.sh unit|stress ...   with ThreadSanitizer: C programs without V8
       ./build.sh docs               docs/api: the reference of modules and globals, from types/
       ./build.sh install PREFIX     PREFIX/bin/fino and the libraries it needs; PREFIX may be moved later
       ./build.sh clean              remove build/ (not what vendor/fetch.sh fetched)
environment:
  CC, CXX, JOBS   compilers (gcc, g++) and how many of them run at once
  V8_PREFIX       your own V8: include/v8.h and lib/libnode.so*, lib/libv8.so or lib/libv8_monolith.a
  V8_DEFINES      what that V8 was built with, such as -DV8_COMPRESS_POINTERS
  RELOCATE=0      load V8's library as it was fetched, not the copy that vendor/relocate.c made to load faster
USAGE
}

die() { echo "build.sh: $*" >&2; exit 1; }

mode_flags() {
  case $1 in
    release) echo "-O2 -DNDEBUG" ;;
    debug) echo "-O0 -DFINO_DEBUG" ;;
    asan) echo "-O1 -DFINO_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined" ;;
    tsan) echo "-O1 -DFINO_DEBUG -fsanitize=thread" ;;
    lib) echo "-O2 -DNDEBUG -fPIC $SECTIONS" ;;
    small) echo "-Os -DNDEBUG -fPIC $SECTIONS -fno-asynchronous-unwind-tables" ;;
    musl) echo "-O2 -DNDEBUG -fPIC $SECTIONS -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu" ;; # the kernel's headers
    fuzz) echo "-O1 -DFINO_DEBUG -DFINO_LIBFUZZER -DLIBFUZZER -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" ;;
    *) die "no such mode: $1" ;;
  esac
}

# ---- What is needed

need_compilers() {
  command -v "$CC" >/dev/null && command -v "$CXX" >/dev/null && return
  die "$CC and $CXX are needed. On Debian: apt-get install gcc g++"
}

need_xxhash() { # a copy of the system's will do where V8 is the user's own
  if [ -z "${V8_PREFIX:-}" ] || ! echo '#include <xxhash.h>' | $CC -E - >/dev/null 2>&1; then vendor/fetch.sh xxhash; fi
}

need_v8() { # sets V8_LINK
  local rpath="\$ORIGIN/../lib/fino" lib=$V8/lib
  [ -n "${V8_PREFIX:-}" ] || vendor/fetch.sh v8
  [ -e "$V8/include/v8.h" ] || die "no V8 there: $V8/include/v8.h is missing"
  if [ -e "$lib/libv8_monolith.a" ]; then
    V8_LINK="$lib/libv8_monolith.a -ldl -lrt -lm"
  elif [ -e "$lib/libv8.so" ] && [ -e "$lib/libv8_libplatform.so" ]; then
    V8_LINK="$lib/libv8.so $lib/libv8_libplatform.so $lib/libv8_libbase.so"
  else
    V8_LINK=$(compgen -G "$lib/libnode.so*" | head -n 1) || die "no V8 there: nothing known in $lib"
  fi
  # DT_RPATH, not DT_RUNPATH: V8's library finds its own libraries through it too.
  if [ -n "${V8_PREFIX:-}" ]; then
    rpath+=:$(realpath "$lib")
  else
    if relocate_v8; then rpath+=:\$ORIGIN/$1/vendor/v8/relocated; fi
    rpath+=:\$ORIGIN/$1/vendor/v8/lib
  fi
  V8_LINK+=" -Wl,--disable-new-dtags,-rpath,$rpath,-rpath-link,$lib,--allow-shlib-undefined"
}

# Makes $V8/relocated/libnode.so.108, which loads in half the time; vendor/relocate.c says how. Of the libraries that it
# leaves out V8 calls nothing. Without it (RELOCATE=0, or a library that the tool refuses) $V8/lib is loaded as it is.
relocate_v8() {
  local name=libnode.so.108 tool=build/relocate left_out
  [ "${RELOCATE:-1}" != 0 ] || return 1
  link $tool $CC -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror $C_ONLY vendor/relocate.c
  if [ ! "$V8/relocated/$name" -nt "$V8/lib/$name" ] || [ ! "$V8/relocated/$name" -nt $tool ]; then
    left_out=$(LD_LIBRARY_PATH=$V8/lib ldd "$V8/lib/$name" | awk '/^\t(libz|libcares|libcrypto|libssl)\.so/ { print $3 }')
    rm -rf "$V8/relocated" && mkdir "$V8/relocated"
    $tool "$V8/lib/$name" "$V8/relocated/$name" $left_out || { echo "build.sh: notice: V8 loads more slowly" >&2; return 1; }
  fi
}

# ---- Compiling: each source to build/MODE/obj/SOURCE.o, again when it or anything it includes has changed

compile() { # compile MODE SOURCE...
  local mode=$1 flags source stale=() dir=build/$1
  shift
  need_compilers
  mkdir -p "$dir"
  flags="$(mode_flags "$mode") $COMMON"
  remember "$dir/flags" "$CC|$CXX|$flags|$C_ONLY|$CXX_ONLY"
  for source; do is_fresh "$dir" "$source" || stale+=("$source"); done
  [ ${#stale[@]} -eq 0 ] ||
    printf "%s\n" "${stale[@]}" | FLAGS=$flags xargs -P "$JOBS" -I{} bash -c "compile_one $dir {}"
}

# Several builds may run in one tree: an object appears whole, and no younger than what was read for it.
compile_one() { # compile_one DIR SOURCE
  local object=$1/obj/$2.o compiler
  local new=$object.$$
  mkdir -p "${object%/*}"
  case $2 in
    *.cc) compiler="$CXX $CXX_ONLY" ;;
    src/deflate/* | src/pprof/*) compiler="$CC -std=c11 $C_ONLY" ;;
    *) compiler="$CC -std=c17 $C_ONLY" ;;
  esac
  echo "  compile $2"
  : >"$new.begun"
  if ! $compiler $FLAGS -MMD -MP -MF "$new.d" -MT object -c "$2" -o "$new"; then rm -f "$new"*; return 1; fi
  touch -r "$new.begun" "$new"
  mv "$new.d" "$object.d" && mv "$new" "$object" && rm "$new.begun"
}
export -f compile_one

is_fresh() { # is_fresh DIR SOURCE
  local object=$1/obj/$2.o rule file
  [ -e "$object.d" ] && [ "$object" -nt "$1/flags" ] || return 1
  rule=$(<"$object.d")
  rule=${rule//\\$'\n'/}
  rule=${rule%%$'\n'*}
  for file in ${rule#object:}; do [ -e "$file" ] && [ "$object" -nt "$file" ] || return 1; done
  case $2 in # what these embed is in no rule
    src/runtime/builtins.c) set -- src/runtime/js/* ;;
    src/runtime/declarations.c) set -- types/* ;;
    src/runtime/report_flame.c) set -- src/runtime/flame/* ;;
    *) return 0 ;;
  esac
  for file; do [ "$object" -nt "$file" ] || return 1; done
}

remember() { # remember FILE TEXT: FILE is younger than all that was made while it said something else
  [ -e "$1" ] && [ "$(<"$1")" = "$2" ] || echo "$2" >"$1"
}

link() { # link OUT COMMAND...: runs COMMAND -o OUT unless neither it nor any file it names has changed
  local out=$1 word
  shift
  mkdir -p "${out%/*}"
  remember "$out.link" "$*"
  for word in "$out.link" "$@"; do
    if [ -f "$word" ] && [ ! "$out" -nt "$word" ]; then
      "$@" -o "$out.$$" && mv "$out.$$" "$out"
      return
    fi
  done
}

objects() { local mode=$1 source; shift; for source; do echo "build/$mode/obj/$source.o"; done; }

# ---- The parts: deflate <- pprof <- sampler <- runtime

sources() { compgen -G "src/$1/*.c" | grep -v '_interpose\.c$' || true; }
library_sources() { # library_sources LAYER: its own and those of all below it
  case $1 in
    deflate) sources deflate ;;
    pprof) sources deflate && sources pprof ;;
    sampler) sources deflate && sources pprof && sources sampler ;;
  esac
}

build() { # build MODE
  local mode=$1 out=build/$1/fino up=../.. all
  if [ "$mode" = release ]; then out=build/fino up=..; fi
  need_compilers
  need_xxhash
  need_v8 $up
  tests/check.sh includes
  all="$(library_sources sampler) $(compgen -G 'src/sampler/*_interpose.c') $(compgen -G 'src/runtime/*.c*')"
  compile "$mode" $all
  [ "$mode" != release ] || tests/check.sh signals
  link "$out" "$CXX" $(mode_flags "$mode") -pthread -Wl,-z,now -Wl,--export-dynamic-symbol=pthread_create \
    $(objects "$mode" $all) $V8_LINK
}

build_libraries() { # build_libraries MODE DIR
  need_xxhash
  compile "$1" $(library_sources sampler)
  mkdir -p "$2/include"/{deflate,pprof,sampler}
  archive "$2/libfinopprof.a" $(objects "$1" $(library_sources pprof))
  archive "$2/libfinosampler.a" $(objects "$1" $(library_sources sampler))
  cp src/deflate/deflate.h "$2/include/deflate/"
  cp src/pprof/pprof.h "$2/include/pprof/"
  cp src/sampler/sampler.h src/sampler/managed.h "$2/include/sampler/"
}
build_small_library() { # the smallest libfinopprof.a, and what it comes to
  local dir=build/lib/small
  COMMON="$COMMON -fomit-frame-pointer" compile small $(library_sources pprof)
  mkdir -p $dir
  archive $dir/libfinopprof.a $(objects small $(library_sources pprof))
  $CC -Os -Isrc examples/embed_pprof.c $dir/libfinopprof.a -Wl,--gc-sections -s -o $dir/embed_pprof
  echo "$dir/libfinopprof.a: $(text_nbytes $dir/libfinopprof.a) bytes of text and constants, of which a program that" \
    "writes profiles (examples/embed_pprof.c) has $(text_nbytes $dir/embed_pprof)"
}
text_nbytes() { size -A "$1" | awk '/^\.(text|rodata|data\.rel\.ro)/ { sum += $2 } END { print sum }'; }
archive() { rm -f "$1.$$" && ar rcsD "$1.$$" "${@:2}" && mv "$1.$$" "$1"; } # whole: several builds may run in one tree

build_test() { # build_test MODE SOURCE OUT [FLAG...]: a test program with the libraries whose headers it includes
  local mode=$1 source=$2 out=$3 layer all
  shift 3
  all="$source $(sed -n 's,^// SOURCES: ,,p' "$source")"
  need_xxhash
  if grep -q '^// V8$' "$source"; then
    need_v8 ../../..
    set -- "$@" $V8_LINK -lstdc++
  fi
  compile "$mode" $all
  for layer in sampler pprof deflate none; do
    ! grep -qE "(^| )src/$layer/" $(printf "build/$mode/obj/%s.o.d " $all) || break
  done
  compile "$mode" $(library_sources $layer)
  link "$out" "$CC" $(mode_flags "$mode") -pthread -Wl,-z,now $(objects "$mode" $all $(library_sources $layer)) "$@" \
    $(sed -n 's,^// LINK: ,,p' "$source") -lm
}

# ---- Tests, one at a time; tests/run.sh runs them all

run_unit() { # run_unit NAME
  local mode=${MODE:-asan}
  build_test "$mode" "tests/unit/$1.c" "build/$mode/unit/$1"
  "build/$mode/unit/$1"
}

run_fuzz() { # run_fuzz SECONDS [NAME...]: each is a LLVMFuzzerTestOneInput; its corpus grows in build/fuzz
  local seconds=$1 name
  shift
  command -v clang >/dev/null || die "fuzzing needs clang. On Debian: apt-get install clang"
  [ $# -gt 0 ] || set -- $(compgen -G 'tests/fuzz/fuzz_*.c' | sed 's,.*/\(.*\)\.c,\1,')
  for name; do
    CC=clang CXX=clang++ build_test fuzz "tests/fuzz/$name.c" "build/fuzz/$name" -fsanitize=fuzzer
    mkdir -p "build/fuzz/corpus/$name"
    # libFuzzer's own code for a failure, 77, is a skipped test's.
    "build/fuzz/$name" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -artifact_prefix="build/fuzz/$name-" -verbosity=0 \
      -error_exitcode=1 -print_final_stats=1 "build/fuzz/corpus/$name" $(compgen -G "tests/fuzz/corpus/${name#fuzz_}")
  done
}

run_stress() { # run_stress SECONDS [NAME...]: with sanitizers; each takes SECONDS as its last argument
  local seconds=$1 name mode=${MODE:-asan}
  shift
  [ $# -gt 0 ] || set -- $(compgen -G 'tests/stress/stress*.*' | sed 's,.*/\(.*\)\..*,\1,')
  for name; do
    echo "== stress/$name for $seconds s"
    if [ -e "tests/stress/$name.c" ]; then
      build_test "$mode" "tests/stress/$name.c" "build/$mode/stress/$name"
      "build/$mode/stress/$name" "$seconds"
    elif [ -e "tests/stress/$name.sh" ]; then
      build asan >/dev/null
      "tests/stress/$name.sh" "$seconds"
    else
      build asan >/dev/null
      tests/stress/profiled.sh "$(compgen -G "tests/stress/$name.*")" "$seconds"
    fi
  done
}

run_bench() { # run_bench PATTERN
  local script
  build release
  for script in $(compgen -G "tests/bench/*${1}*.sh" | grep -v '/lib\.sh$'); do
    echo "== $script"
    "$script"
  done
}

install_below() { # install_below PREFIX
  mkdir -p "$1/bin" "$1/lib/fino"
  cp build/fino "$1/bin/fino"
  find "$V8/lib" -name '*.so*' -exec cp -a -t "$1/lib/fino" {} +
  if [ "${RELOCATE:-1}" != 0 ] && [ -d "$V8/relocated" ]; then cp -a "$V8/relocated/." "$1/lib/fino/"; fi
  echo "installed $1/bin/fino"
}

case ${1:-release} in
  release | debug | asan) build "${1:-release}" ;;
  lib)
    build_libraries lib build/lib
    if command -v musl-gcc >/dev/null; then CC=musl-gcc build_libraries musl build/lib/musl; fi
    build_small_library
    ;;
  test) shift; build release; exec tests/run.sh "$@" ;;
  unit) shift; for name; do run_unit "$name"; done ;;
  bench) run_bench "${2:-}" ;;
  program) build_test "${MODE:-release}" "$2" "$3" ;; # program SOURCE OUT: for scripts that need a C program of tests/
  fuzz | stress) "run_$1" "${2:-60}" "${@:3}" ;;
  docs) tests/npm.sh typescript-5.8 && node docs/reference.mjs docs/api ;;
  install) [ $# -eq 2 ] || { usage >&2; exit 2; }; build release; install_below "$2" ;;
  fetch) vendor/fetch.sh ;;
  clean) rm -rf build ;;
  -h | --help | help) usage ;;
  *) usage >&2; exit 2 ;;
esac
