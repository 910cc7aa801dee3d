#!/usr/bin/env bash
# What profiling costs: CPU time of typescript.js transpiling itself, as it is, with an empty signal handler at the same rate
# (the floor), with fino's profile at several intervals and budgets, and with Node's --cpu-prof against plain Node.
# ROUNDS=3 is quick. Each figure is the median over rounds of what a run cost more than the plain runs of its round, with
# the quartiles. fino samples every thread, the empty handler disturbs one: what it costs for each of its signals, times
# fino's signals, is the floor at fino's rate.
# shellcheck source-path=SCRIPTDIR disable=SC2317
source "$(dirname "$0")/lib.sh"
rounds=${ROUNDS:-9}
program=$root/tests/programs/typescript.mjs
"$root/tests/npm.sh" && node "$root/tests/programs/prepare.mjs"
gcc -O2 -D_GNU_SOURCE -shared -fPIC -o empty_handler.so "$root/tests/bench/empty_handler.c"

run_fino() { "$fino" run "$program"; }
run_floor_1ms() { LD_PRELOAD=$work/empty_handler.so EMPTY_HANDLER_US=1000 EMPTY_HANDLER_COUNT=floor_1ms.count "$fino" run "$program"; }
run_floor_10ms() { LD_PRELOAD=$work/empty_handler.so EMPTY_HANDLER_US=10000 EMPTY_HANDLER_COUNT=floor_10ms.count "$fino" run "$program"; }
run_1ms() { "$fino" run --profile=1ms.pb --profile-interval=1ms "$program"; }
run_10ms() { "$fino" run --profile=10ms.pb --profile-interval=10ms "$program"; }
run_auto() { "$fino" run --profile=auto.pb "$program"; }
run_budget() { "$fino" run --profile=budget.pb --profile-budget=1% "$program"; }
run_node() { node "$program"; }
run_node_profile() { node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name=node.cpuprofile "$program"; }

# What a run's profile says, a line each: samples, samples that were asked for, signals, the handler's p50, p99 and mean
# in us, folding a sample in us, its own word on the cost in %.
note_fino() { # note_fino NAME
  node "$root/tests/profile_tool.mjs" json "$1.pb" | awk -v OFS=' ' '
    function number(text) { gsub(/[^0-9.]/, "", text); return text + 0 }
    /"samples: [0-9]+ of / { samples = number($2); asked = number($4) }
    /"handler: / { signals = number($2); p50 = number($5); p99 = number($8); in_all = number($10) }
    /"cost: / { cost = number($2); folding = $0; sub(/.*folding /, "", folding); sub(/ .*/, "", folding) }
    END { print samples, asked, signals, p50, p99, 1000 * in_all / signals, 1000 * folding / samples, cost }' >>"$1.said"
}
note_floor() { od -An -td8 "$1.count" >>"$1.signals"; }
note_node() { # what is asked for is a sample for each millisecond of CPU time, as of fino
  echo "$(node -p 'JSON.parse(fs.readFileSync("node.cpuprofile")).samples.length') $(tail -n 1 node_profile.figures)" >>node_profile.said
}

for ((round = 0; round < rounds; round++)); do
  for name in fino floor_1ms 1ms 10ms floor_10ms fino auto budget node node_profile node; do cpu_ms "run_$name" >>"$name.figures"; done
  for name in 1ms 10ms auto budget; do note_fino $name; done
  for name in floor_1ms floor_10ms; do note_floor $name; done
  note_node
done

# cost NAME PLAIN: what NAME's runs cost more than PLAIN's of the same round (two of them): in ms and in %, a line each round
cost() {
  paste -d ' ' <(paste -d ' ' - - <"$2.figures") "$1.figures" |
    awk '{ plain = ($1 + $2) / 2; printf "%.3f %.4f\n", $3 - plain, 100 * ($3 / plain - 1) }'
}
percent() { cost "$1" "$2" | awk '{ print $2 }' | median; }
quartiles() { cost "$1" "$2" | awk '{ print $2 }' | sort -n | awk '{ v[NR] = $1 } END { printf "%+.1f..%+.1f", v[int((NR + 3) / 4)], v[int((3 * NR + 3) / 4)] }'; }
# floor_at NAME FLOOR PLAIN: in %, what an empty handler would cost for as many signals as NAME's runs had
floor_at() { paste -d ' ' <(cost "$2" "$3") "$2.signals" "$1.said" <(paste -d ' ' - - <"$3.figures") | awk '{ print 100 * $1 / $3 * $6 / (($12 + $13) / 2) }' | median; }
said() { awk -v n="$2" '{ print $n }' "$1.said" | median; } # said NAME COLUMN
per_sample() { paste -d ' ' <(cost "$1" "$2") "$1.said" | awk '{ print 1000 * $1 / $3 }' | median; }
row() { # row TITLE NAME PLAIN
  printf '%-34s %+6.2f %% %14s' "$1" "$(percent "$2" "$3")" "($(quartiles "$2" "$3"))"
  [ ! -e "$2.said" ] || printf '  %6.0f of %5.0f  %8.1f us' "$(said "$2" 1)" "$(said "$2" 2)" "$(per_sample "$2" "$3")"
  case $2 in
    floor*) printf '  %6.0f signals\n' "$(median <"$2.signals")" ;;
    node*) echo ;;
    *) printf '  %12.2f %%  %5.1f  %5.1f  %5.1f  %5.1f\n' "$(said "$2" 8)" "$(said "$2" 4)" "$(said "$2" 5)" "$(said "$2" 6)" "$(said "$2" 7)" ;;
  esac
}
bar() { # bar WHAT EXPRESSION
  awk "BEGIN { exit !($2) }" && echo "  holds   $1" || echo "  MISSED  $1"
}

echo "medians of $rounds rounds; CPU time of the whole process, $(figure fino) ms without a profile (Node: $(figure node) ms)"
noise() { paste -d ' ' - - <"$1.figures" | awk '{ print 100 * ($1 > $2 ? $1 / $2 - 1 : $2 / $1 - 1) }' | median; }
printf 'two plain runs of one round differ by %.1f %% (Node: %.1f %%): the figures below are no better than that\n' "$(noise fino)" "$(noise node)"
echo "                                       cost   (quartiles)  samples of asked   per sample  by its own account  handler p50, p99, mean; folding (us)"
row "an empty handler every 1 ms" floor_1ms fino
row "an empty handler every 10 ms" floor_10ms fino
row "fino, every 1 ms" 1ms fino
row "fino, every 10 ms" 10ms fino
row "fino, auto (2 %)" auto fino
row "fino, --profile-budget=1%" budget fino
row "Node, --cpu-prof every 1 ms" node_profile node
printf 'an empty handler for as many signals as fino has at 1 ms: %+.2f %%\n' "$(floor_at 1ms floor_1ms fino)"
bar "1 ms: at most 2 points above an empty handler" "$(percent 1ms fino) - $(floor_at 1ms floor_1ms fino) <= 2"
bar "1 ms: handler p50 at most 3 us" "$(said 1ms 4) <= 3"
bar "1 ms: handler p99 at most 20 us" "$(said 1ms 5) <= 20"
bar "1 ms: a sample costs at most half of Node's" "$(per_sample 1ms fino) <= $(per_sample node_profile node) / 2"
bar "10 ms: at most 1 %" "$(percent 10ms fino) <= 1"
bar "auto: at most 2 %" "$(percent auto fino) <= 2"
bar "--profile-budget=1%: at most 1 %" "$(percent budget fino) <= 1"
echo "size of the profile at 1 ms: fino $(stat -c %s 1ms.pb) bytes, Node $(stat -c %s node.cpuprofile)"
