#!/usr/bin/env bash
# Programs that spend known shares of their time in each function: what fino says, and what Node's --cpu-prof says of the same.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
for program in "$root"/tests/truth/*.mjs; do
  truth=$(sed -n 's,^// TRUTH: ,,p' "$program")
  [ -n "$truth" ] || continue
  "$fino" run --profile=fino.pb --profile-interval=1ms "$program" >out 2>/dev/null
  [ "$truth" != measured ] || truth=$(sed -n 's,^measured: ,,p' out)
  node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name=node.cpuprofile "$program" >/dev/null
  echo "$(basename "$program" .mjs)"
  for answer in fino.pb node.cpuprofile; do
    # shellcheck disable=SC2086
    printf '  %-5s %s\n' "${answer%.*}" "$("$root/tests/truth/compare.mjs" "$answer" 100 $truth)"
  done
done
