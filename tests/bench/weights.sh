#!/usr/bin/env bash
# Programs whose functions have known shares of the thread's CPU time, as their own clock says: what fino says of them, and
# what Node's --cpu-prof says of the same (timed by its own run). Both sample every 200 us.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$root/tests/weights/cases.sh"
for case in "${weight_cases[@]}"; do
  # shellcheck disable=SC2086
  set -- ${case#*: }
  echo "${case%%:*}"
  for answer in fino.pb node.cpuprofile; do
    if [ $answer = fino.pb ]; then
      "$fino" run --profile=fino.pb --profile-interval=200us "$root/tests/weights/$1" "${@:2}" >out 2>/dev/null
    else
      node --cpu-prof --cpu-prof-interval 200 --cpu-prof-name=node.cpuprofile "$root/tests/weights/$1" "${@:2}" >out 2>/dev/null
    fi
    # shellcheck disable=SC2046
    printf '  %-5s %s\n' "${answer%.*}" "$("$root/tests/truth/compare.mjs" "$answer" 100 $(sed -n 's,^measured: ,,p' out))"
  done
done
