#!/usr/bin/env bash
# How fast types are erased, beside esbuild, amaro (swc) and typescript; and what an empty .ts costs beside an empty .js.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
rounds=${ROUNDS:-61}
(cd "$root" && tests/npm.sh && ./build.sh program tests/bench/bench_typescript.c build/release/bench_typescript >/dev/null)
node "$root/tests/ts/bench.mjs" "$root/build/release/bench_typescript"

: >empty.ts
: >empty.js
run_ts() { "$fino" run empty.ts; }
run_js() { "$fino" run empty.js; }

take_turns "$rounds" wall_us ts js
echo "median of $rounds alternated runs of an empty file, wall time"
for name in ts js; do awk -v name=$name -v us="$(figure $name)" 'BEGIN { printf "  empty.%-6s %8.2f ms\n", name, us / 1e3 }'; done
