# real.sh: profiles a real program and compares with Node; sourced by test-profile-<program>.sh.
# shellcheck shell=bash source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# real_program FILE [NODE_FILE]: FILE under fino with --profile, NODE_FILE (else FILE) under Node with --cpu-prof.
#  - same output, exit code 0; the profile is valid, and pprof reads it without a warning;
#  - 99 % of the stacks reach their thread's start;
#  - its thread's CPU total, in a recording from the program's first line to its last, is what the thread's clock says,
#    within 2 %, and the whole run's profile has no less;
#  - Node's top ten functions by self time are on the stacks here, with the same file and line. How large each is
#    here is printed beside it and not compared: Node attributes inlined code, and what frameless built-ins use,
#    to callers (see test-profile-truth.sh), and its V8 is another one that inlines differently.
real_program() {
  local program=$1 for_node=${2:-$1} measured
  node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name=node.cpuprofile "$for_node" >node.out 2>node.err ||
    { cat node.err >&2; fail "Node fails"; }
  expect_status 0 "$fino" run --profile=fino.pb --profile-interval=1ms "$programs/measure.mjs" "$program" program.pb
  cat err
  expect_same node.out out
  expect_valid_profile fino.pb
  tool complete fino.pb 99
  tool compare fino.pb node.cpuprofile
  measured=$(sed -n 's/^thread_cpu_ns //p' err)
  tool cpu program.pb "$measured" 2 main
  [ "$(tool thread fino.pb main)" -ge $((measured * 98 / 100)) ] || fail 'less CPU time in fino.pb than the program used'
}
