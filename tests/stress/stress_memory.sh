#!/usr/bin/env bash
# stress_memory.sh SECONDS: a busy load sampled at 1 ms for so long, and for 6 s before, in which V8's heap finds its size:
# from the first fifth on, memory grows by less than 32 MB beyond what the distinct stacks take. Prints the curve. FINO
# names another fino than the sanitizers'.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
warm=6 seconds=$(($1 + 6))
fino=${FINO:-$root/build/fino}
work=$(mktemp -d "${TMPDIR:-/tmp}/fino-stress.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$fino" run --profile="$work/memory.pb" --profile-interval=1ms "$root/tests/stress/memory.mjs" "$seconds" 2>"$work/err" &
pid=$!
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true; }
first='' last='' began=$SECONDS points=20
for ((point = 1; point <= points; point++)); do
  while [ $(((SECONDS - began) * points)) -lt $((point * seconds)) ] && kill -0 $pid 2>/dev/null; do sleep 0.2; done
  now=$(resident)
  [ -n "$now" ] || break
  last=$now
  if [ $((point * seconds * 5)) -ge $((points * (warm * 5 + seconds - warm))) ] && [ -z "$first" ]; then first=$now; fi
  printf '  %5d s  %7.1f MB\n' $((SECONDS - began)) "$((now / 1024)).$((now % 1024 * 10 / 1024))"
done
status=0
wait $pid || status=$?
cat "$work/err"
[ $status = 0 ] || { echo "exit code $status"; exit 1; }
summary=$(node "$root/tests/profile_tool.mjs" check "$work/memory.pb")
stacks=$(sed -E 's/.* ([0-9]+) stacks.*/\1/' <<<"$summary")
echo "  $summary; $((last - first)) kB more than after the first fifth"
[ $((last - first - stacks / 2)) -lt 32768 ] || { echo "that is more than 32 MB beyond $stacks stacks of 512 bytes"; exit 1; }
