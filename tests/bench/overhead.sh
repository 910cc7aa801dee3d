#!/usr/bin/env bash
# What profiling costs: CPU time of typescript.js transpiling itself, with and without it, here and in Node.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
rounds=${ROUNDS:-9}
program=$root/tests/programs/typescript.mjs
"$root/tests/npm.sh" && node "$root/tests/programs/prepare.mjs"

run_fino() { "$fino" run "$program"; }
run_fino_profile() { "$fino" run --profile=fino.pb --profile-interval=1ms "$program"; }
run_node() { node "$program"; }
run_node_profile() { node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name=node.cpuprofile "$program"; }

take_turns "$rounds" cpu_ms fino fino_profile node node_profile
more() { awk -v with="$(figure "$2")" -v without="$(figure "$1")" 'BEGIN { printf "%+.1f %%", 100 * (with / without - 1) }'; }
echo "median of $rounds alternated runs, process CPU time"
echo "fino     $(figure fino) ms, --profile at 1 ms   $(figure fino_profile) ms: $(more fino fino_profile)"
echo "Node     $(figure node) ms, --cpu-prof at 1 ms  $(figure node_profile) ms: $(more node node_profile)"
run_fino_profile 2>&1 >/dev/null | tail -n 1
echo "size of the profile: fino $(stat -c %s fino.pb) bytes, Node $(stat -c %s node.cpuprofile)"
