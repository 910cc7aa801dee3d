#!/usr/bin/env bash
# Builds fino. See ./build.sh --help; README.md tells what is where.
set -euo pipefail
cd "$(dirname "$0")"

CC=${CC:-gcc}
CXX=${CXX:-g++}
V8=${V8_PREFIX:-$PWD/vendor/v8}
JOBS=${JOBS:-$(nproc)}

WARN="-Wall -Wextra -Werror -Wvla -Wwrite-strings"
COMMON="-g -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer -pthread -D_GNU_SOURCE $WARN"
CFLAGS_C="-std=c17 -Wstrict-prototypes -Wmissing-prototypes"
CFLAGS_CXX="-std=c++17 -fno-rtti -fno-exceptions -Wno-unused-parameter -isystem $V8/include"
INCLUDE="-Isrc -Ivendor/xxhash/include"

usage() {
  cat <<'EOF'
usage: ./build.sh [release|debug|asan]   build fino (default: release, into build/fino)
       ./build.sh test [PATTERN]         build, then run the tests (whose path contains PATTERN)
       ./build.sh unit NAME...           build and run tests/unit/NAME.c only (NAME without .c)
       ./build.sh bench | fuzz | stress  the long runs in tests/bench, tests/fuzz, tests/stress
       ./build.sh install PREFIX         copy fino and the libraries it needs below PREFIX
       ./build.sh clean                  remove build/
environment: CC, CXX, JOBS, V8_PREFIX (your own V8: include/ and lib/)
EOF
}

mode_flags() {
  case $1 in
    release) echo "-O2 -DNDEBUG" ;;
    debug) echo "-O0 -DFINO_DEBUG" ;;
    asan) echo "-O1 -DFINO_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined" ;;
  esac
}

fetch() {
  [ -n "${V8_PREFIX:-}" ] || [ -e vendor/v8/lib/libnode.so ] || vendor/fetch.sh
  [ -e vendor/xxhash/include/xxhash.h ] || vendor/fetch.sh
}

# compile MODE FILE...: each to build/MODE/obj/FILE.o unless it is newer than all it includes.
compile() {
  local mode=$1 flags src obj stale=()
  shift
  flags="$(mode_flags "$mode") $COMMON $INCLUDE"
  for src; do
    obj=build/$mode/obj/$src.o
    fresh "$obj" || stale+=("$src")
  done
  [ ${#stale[@]} -gt 0 ] || return 0
  printf '%s\n' "${stale[@]}" | FLAGS="$flags" MODE=$mode CC=$CC CXX=$CXX C="$CFLAGS_C" X="$CFLAGS_CXX" \
    xargs -P "$JOBS" -I{} sh -c '
      obj=build/$MODE/obj/{}.o; mkdir -p "$(dirname "$obj")"; echo "  compile {}"
      case {} in
        *.cc) $CXX $FLAGS $X -MMD -MP -c {} -o "$obj" ;;
        *)    $CC $FLAGS $C -MMD -MP -c {} -o "$obj" ;;
      esac || { rm -f "$obj"; exit 255; }'
}

fresh() { # fresh OBJECT: it exists and nothing in its .d file is newer
  local obj=$1 dep
  [ -e "$obj" ] && [ "$obj" -nt build.sh ] || return 1
  for dep in $(sed -e 's/^[^:]*://' -e 's/\\$//' "${obj%.o}.d" 2>/dev/null | tr '\n' ' '); do
    dep=${dep%:}
    [ ! "$dep" -nt "$obj" ] && [ -e "$dep" ] || return 1
  done
}

objects() { local mode=$1 src; shift; for src; do echo "build/$mode/obj/$src.o"; done; }
library_sources() { ls src/deflate/*.c src/pprof/*.c src/sampler/*.c 2>/dev/null; }
runtime_sources() { ls src/runtime/*.c src/runtime/*.cc 2>/dev/null; }

build() { # build MODE
  local mode=$1 out=build/$1/fino
  fetch
  # shellcheck disable=SC2046
  compile "$mode" $(library_sources) $(runtime_sources)
  [ "$mode" = release ] && out=build/fino
  # DT_RPATH, not DT_RUNPATH: libnode finds its own libraries through it too.
  # shellcheck disable=SC2046
  $CXX $(mode_flags "$mode") -pthread -o "$out" $(objects "$mode" $(library_sources) $(runtime_sources)) \
    -Wl,-z,now -Wl,--disable-new-dtags "-Wl,-rpath,\$ORIGIN/../lib/fino:$V8/lib" \
    -L"$V8/lib" -lnode -Wl,--allow-shlib-undefined
}

build_unit() { # build_unit MODE NAME -> build/MODE/unit/NAME; '// LINK: ...' in the file names further libraries
  local mode=$1 src=tests/unit/$2.c out=build/$1/unit/$2 link
  link=$(sed -n 's,^// LINK: ,,p' "$src")
  # shellcheck disable=SC2046
  compile "$mode" $(library_sources) "$src"
  mkdir -p "build/$mode/unit"
  # shellcheck disable=SC2046,SC2086
  $CC $(mode_flags "$mode") -pthread -o "$out" "build/$mode/obj/$src.o" \
    $(objects "$mode" $(library_sources)) $link -lm
}

case ${1:-release} in
  release | debug | asan) build "${1:-release}" ;;
  test) shift; build release; exec tests/run.sh "$@" ;;
  unit) shift; fetch; for name; do build_unit "${MODE:-asan}" "$name" && "build/${MODE:-asan}/unit/$name"; done ;;
  fetch) fetch ;;
  clean) rm -rf build ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
