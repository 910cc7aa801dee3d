#!/usr/bin/env bash
# Profiles are right for a user without privileges, where perf_event_open is forbidden or deadly, in a PID namespace and
# without /proc; where there are no timers to be had, fino says so.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
chmod 755 .
"$root/build.sh" program tests/fixtures/confine.c "$work/confine" >build.log || { cat build.log >&2; fail "can't build confine"; }
"$root/build.sh" install "$work/prefix" >build.log # other users may not reach what was built
chmod -R a+rX prefix
fino=$work/prefix/bin/fino
cat >load.mjs <<'EOS'
import { threadCpuUsage } from 'fino:process';
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; }
function outer() { return inner(20000) + 1; }
const before = threadCpuUsage();
for (let k = 0; k < 2000; k++) outer();
const used = threadCpuUsage(before);
console.log(`thread_cpu_ns ${Math.round((used.user + used.system) * 1000)}`);
EOS
mkdir -m 777 out.d
profile=$work/out.d/profile.pb
run=("$fino" run "--profile=$profile" --profile-interval=1ms load.mjs)

expect_right() { # expect_right HOW: the profile there has all of the load, with whole stacks
  local used
  used=$(sed -n 's/^thread_cpu_ns //p' out)
  expect_valid_profile "$profile"
  tool complete "$profile" 95 || fail "$1: stacks are cut"
  [ "$(tool share "$profile" inner outer | cut -d. -f1)" -ge 97 ] || fail "$1: inner has $(tool share "$profile" inner outer)"
  [ "$(tool thread "$profile" main)" -ge "$used" ] || fail "$1: less CPU time than the load alone used, $used ns"
  rm -f "$profile"
}

user=()
[ "$(id -u)" != 0 ] || user=(user=4711) # nobody else's timers count for this one
for filter in perf=errno perf=kill; do
  expect_status 0 ./confine "${user[@]}" $filter "${run[@]}"
  expect_right "${user[*]} $filter"
done

if [ ${#user[@]} -gt 0 ]; then
  expect_status 1 ./confine "${user[@]}" sigpending=0 "${run[@]}"
  expect_text err 'no timer to be had'
  [ ! -e "$profile" ] || fail "a profile without timers"
fi

new=(unshare)
[ "$(id -u)" = 0 ] || new=(unshare -r)
if ! "${new[@]}" -pfm true 2>/dev/null; then
  echo "no namespaces here: PID namespaces and /proc were not tested"
  exit 0
fi
expect_status 0 "${new[@]}" -pf "${run[@]}"
expect_right "PID namespace, outer /proc"
expect_status 0 "${new[@]}" -pf --mount-proc "${run[@]}"
expect_right "PID namespace, its own /proc"
# The loader finds fino's libraries through /proc.
# shellcheck disable=SC2016
expect_status 0 "${new[@]}" -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh env "LD_LIBRARY_PATH=$work/prefix/lib/fino" "${run[@]}"
expect_right "no /proc"
