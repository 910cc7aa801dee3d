#!/usr/bin/env bash
# How complete the stacks of real programs are: per program, how many walks did not reach the thread's start and why, and
# how many samples have a frame without a name. Sampled every 200 us, to see rare ones.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
"$root/tests/npm.sh" && node "$root/tests/programs/prepare.mjs"
printf '%-14s  samples complete too deep   no CFI bad frame  managed no stack  unkn.js unkn.code unsampl. ring full  merged\n' program
for program in typescript.mjs babel.mjs prettier.mjs terser.mjs allocation.ts nbody.ts spectral_norm.ts; do
  "$fino" run --profile=fino.pb --profile-interval=200us "$root/tests/programs/$program" >/dev/null 2>&1
  printf '%-14s%s\n' "${program%.*}" "$(node "$root/tests/profile_tool.mjs" stacks fino.pb)"
done
