#!/usr/bin/env bash
# Runs every test, or those whose path contains PATTERN: tests/run.sh [PATTERN]   (./build.sh test builds fino first)
#
#   tests/unit/test_*.c                a C program, built with sanitizers (./build.sh unit NAME)
#   tests/js/test-*.{js,mjs,ts,mts}    run by build/fino
#   tests/e2e/test-*.sh                a shell script
#   tests/fuzz/fuzz_*.c, tests/stress/stress*   a slice of FUZZ_SECONDS (10), STRESS_SECONDS (4) each
#
# A test passes with exit code 0 and is skipped with 77, its last line being the reason. In its source, a comment
# "TIMEOUT: n" gives it n seconds instead of 120, and "ALONE" keeps other tests from running beside it.
# Output of failures is printed; all of it stays in build/test/. The last line is "N passed, N failed[, N skipped]".
# With CI=true a skip counts as a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export FUZZ_SEED=${FUZZ_SEED:-1} # the same inputs each time: looking for new ones is what ./build.sh fuzz is for
export FUZZ_SECONDS=${FUZZ_SECONDS:-10} STRESS_SECONDS=${STRESS_SECONDS:-4}
results=build/test
jobs=${JOBS:-$(nproc)}

list_tests() { # list_tests PATTERN
  local glob
  for glob in 'unit/test_*.c' 'js/test-*.*s' 'e2e/test-*.sh' 'fuzz/fuzz_*.c' 'stress/stress*'; do
    compgen -G "tests/$glob" | grep -F -e "$1" || true
  done
}

note() { grep -m 1 -oE "^(//|#| \*|/\*) ?$2.*" "$1" || true; } # note FILE WORD: the comment that starts with it

command_of() { # command_of TEST: sets COMMAND
  local name=${1##*/}
  name=${name%.*}
  case $1 in
    tests/unit/*) command=(./build.sh unit "$name") ;;
    tests/js/*) command=(build/fino run "$1") ;;
    tests/e2e/*) command=("$1") ;;
    tests/fuzz/*) command=(./build.sh fuzz "$FUZZ_SECONDS" "$name") ;;
    tests/stress/*) command=(./build.sh stress "$STRESS_SECONDS" "$name") ;;
  esac
}

run_one() { # run_one TEST: leaves its output and verdict in build/test/TEST.{log,verdict}
  local test=$1 base=build/test/$1 limit status=0 started verdict command
  limit=$(note "$test" 'TIMEOUT: ' | tr -dc 0-9)
  command_of "$test"
  mkdir -p "${base%/*}"
  started=$EPOCHREALTIME
  JOBS=1 timeout -k 5 "${limit:-120}" "${command[@]}" </dev/null >"$base.log" 2>&1 || status=$?
  case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict=failed ;;
  esac
  echo $verdict >"$base.verdict"
  {
    printf '%-7s %6.2f s  %s' $verdict "$(seconds_since "$started")" "$test"
    case $status in
      0) ;;
      77) printf ': %s' "$(tail -n 1 "$base.log")" ;;
      124 | 137) printf ': no end within %s s' "${limit:-120}" ;;
      *) printf ': exit code %d' $status ;;
    esac
    echo
    if [ $verdict = failed ]; then tail -n 60 "$base.log" | sed 's/^/    | /'; fi
  } >"$base.summary"
  cat "$base.summary"
}

seconds_since() { # seconds since $1
  local now=$EPOCHREALTIME
  printf '%d.%02d' $(((${now/./} - ${1/./}) / 1000000)) $(((${now/./} - ${1/./}) / 10000 % 100))
}

if [ "${1:-}" = --one ]; then
  run_one "$2"
  exit
fi

tests/tools.sh
mapfile -t tests < <(list_tests "${1:-}")
rm -rf "$results"
mkdir -p "$results"
if printf '%s\n' "${tests[@]}" | grep '^tests/unit/' >/dev/null; then ./build.sh asan; fi # what the unit tests share

alone=() together=()
for test in "${tests[@]}"; do
  if [ -n "$(note "$test" ALONE)" ]; then alone+=("$test"); else together+=("$test"); fi
done
[ ${#together[@]} -eq 0 ] || printf '%s\0' "${together[@]}" | xargs -0 -P "$jobs" -n 1 "$0" --one
for test in "${alone[@]}"; do "$0" --one "$test"; done

count() { find "$results" -name '*.verdict' -exec cat {} + | grep -c "^$1\$" || true; }
passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
if [ "$failed" -gt 0 ] || { [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; }; then
  echo
  echo "== What did not pass"
  for test in "${tests[@]}"; do
    case $(<"$results/$test.verdict") in failed | skipped) cat "$results/$test.summary" ;; esac
  done
fi
if [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; then
  echo "CI allows no skipped test: counted as failed"
  failed=$((failed + skipped)) skipped=0
fi
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line+=", $skipped skipped"
echo "$line"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
