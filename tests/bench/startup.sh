#!/usr/bin/env bash
# How long an empty script takes from start to exit.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
rounds=${ROUNDS:-41}
: >empty.mjs

run_fino() { "$fino" run empty.mjs; }
run_fino_profile() { "$fino" run --profile empty.mjs; }
run_node() { node empty.mjs; }

take_turns "$rounds" wall_us fino fino_profile node
echo "median of $rounds alternated runs of an empty script, wall time"
for name in fino fino_profile node; do awk -v name=$name -v us="$(figure $name)" 'BEGIN { printf "%-13s %6.1f ms\n", name, us / 1e3 }'; done
