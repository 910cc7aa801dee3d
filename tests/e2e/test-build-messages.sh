#!/usr/bin/env bash
# Where something is missing, build.sh names it and what to do. Nothing is compiled before.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
mkdir tree && cd tree
cp -R "$root"/{build.sh,src} . && mkdir tests vendor && cp "$root"/tests/{check.sh,signal_symbols.txt} tests/
cp "$root"/vendor/{fetch.sh,pins} vendor/

says() { # says TEXT COMMAND...
  local text=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ $status != 0 ] || fail "succeeds: $*"
  expect_text err "$text"
  if grep -q compile out; then fail "compiles in spite of it: $*"; fi
}

says 'apt-get install gcc g++' env CC=no-such-compiler ./build.sh
says 'apt-get install gcc g++' env CXX=no-such-compiler ./build.sh
says "$work/nothing/include/v8.h" env "V8_PREFIX=$work/nothing" ./build.sh
mkdir -p "$work/no-lib/include" && touch "$work/no-lib/include/v8.h"
says "$work/no-lib/lib" env "V8_PREFIX=$work/no-lib" ./build.sh
says usage: ./build.sh no-such-mode
says usage: ./build.sh install

# A machine without apt-get: only what else the scripts call is found.
mkdir "$work/bin"
for tool in bash env sh dirname nproc gcc g++ as ld cc1 cat cmp mkdir sed grep awk sort head find xargs touch mv rm realpath; do
  path=$(command -v $tool) && ln -s "$path" "$work/bin/$tool"
done
says 'V8_PREFIX=' env PATH="$work/bin" ./build.sh
expect_text err 'apt-get is missing'
