#!/usr/bin/env bash
# ThreadSanitizer finds no race in the sampler while everything happens at once. (Not one measures time here: it puts off
# signals, so that stacks are those of a moment later.)
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
export MODE=tsan TSAN_OPTIONS=die_after_fork=0
"$root/build.sh" stress 4 stress_sampler >out 2>&1 || { cat out >&2; fail "races, or no end"; }
grep -E 'threads|samples' out
