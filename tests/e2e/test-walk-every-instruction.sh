#!/usr/bin/env bash
# V8's frames are walked right at every instruction that JavaScript runs, in every tier: interpreted, baseline, optimised with
# and without inlining, and while a function is deoptimised. tests/walk/step.cc is the stepper and its oracle.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
walk=$root/tests/walk
flags=(-O1 -g -fPIC -mno-red-zone -fvisibility=hidden -D_GNU_SOURCE -Wall -Wextra -Werror "-I$root/src" "-I$walk")
for source in "$walk/walk.c" "$root/src/runtime/"{jit_walk_sig,jit_deopt_entry,jit_layout}.c; do
  "${CC:-gcc}" -std=c17 "${flags[@]}" -c "$source" -o "$(basename "$source").o"
done
"${CXX:-g++}" -std=c++17 -fno-rtti -fno-exceptions "${flags[@]}" -isystem "${V8_PREFIX:-$root/vendor/v8}/include" \
  -c "$walk/step.cc" -o step.o
"${CXX:-g++}" -shared -Wl,-z,now ./*.o -o step.so

failed=0
step() { # step WARM_UP_ROUNDS FLAGS
  LD_PRELOAD=$work/step.so "$fino" run --v8-flags="$2" "$walk/program.mjs" "$1" >out 2>err || failed=1
  echo "${2:-(as always)}: $(<err)"
}
export WALK_STEPS=${WALK_STEPS:-40000}
step 20 '--no-opt --no-sparkplug'
step 20 '--always-sparkplug --no-opt'
export WALK_DEOPTIMISATIONS=2
step 3000 ''
step 3000 '--no-turbo-inlining'
exit $failed
