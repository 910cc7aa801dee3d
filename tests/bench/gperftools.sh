#!/usr/bin/env bash
# The sampler alone, in a C program, beside gperftools (Debian: libgoogle-perftools-dev): what each says of functions with known
# shares, and what each costs.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
ldconfig -p | grep 'libprofiler\.so\.0' >/dev/null || echo "gperftools is not installed: its lines are missing below"
for program in bench_sampler_split bench_sampler_overhead; do
  (cd "$root" && MODE=release ./build.sh program "tests/bench/$program.c" "$work/$program" >/dev/null)
  "./$program" 2>&1 | grep -v '^PROFILE: '
done
