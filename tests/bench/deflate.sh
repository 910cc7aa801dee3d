#!/usr/bin/env bash
# Compression and decompression beside zlib, libdeflate and zopfli in one process, in alternated runs: real profiles of about
# 1, 4 and 10 MB (typescript.js transpiling, ever shorter intervals), typescript.js, libc.so.6, 4 MB of JSON (the syntax tree
# of acorn), 8 MB of random bytes, and 200 pieces of 1 to 50 kB of all these.
#   deflate.sh [-l LEVEL,LEVEL,...] [-r RUNS] [-z ROUNDS] [MEMBER...]
#     -l  level 0 is decompression (1,6,9,12,0)    -r  runs of each (5)    -z  rounds of zopfli (5; 0: without)
#     MEMBER  pprof_1mb pprof_4mb pprof_10mb typescript.js libc.so.6 ast.json random pieces (all)
#   FILES=FOLDER keeps the corpus there, or takes it from there (build/bench/corpus).
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
levels=1,6,9,12,0 runs=5 rounds=5
while getopts l:r:z: option; do
  case $option in
    l) levels=$OPTARG ;;
    r) runs=$OPTARG ;;
    z) rounds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
case ,$levels, in *,12,*) ;; *) rounds=0 ;; esac # beside level 12 alone: it is as slow
corpus=${FILES:-$root/build/bench/corpus}
files=(pprof_1mb pprof_4mb pprof_10mb typescript.js libc.so.6 ast.json random)

profile() { # profile NAME INTERVAL NBYTES: NBYTES at most
  "$fino" run --profile=profile.pb --profile-interval="$2" "$root/tests/programs/typescript.mjs" >/dev/null 2>&1
  gzip -dc profile.pb | head -c "$3" >"$corpus/$1" || [ -s "$corpus/$1" ]
}

make_corpus() {
  mkdir -p "$corpus"
  "$root/tests/npm.sh" && (cd "$root" && node tests/programs/prepare.mjs)
  profile pprof_1mb 3ms 1000000
  profile pprof_4mb 400us 4000000
  profile pprof_10mb 100us 10500000
  cp "$root/build/programs/typescript.mjs" "$corpus/typescript.js"
  cp "$(ldconfig -p | sed -n 's,.*libc\.so\.6 .*=> ,,p' | head -n 1)" "$corpus/libc.so.6"
  node --input-type=module >"$corpus/ast.json" <<END
import { parse } from '$root/build/programs/acorn.mjs';
import text from '$root/build/programs/acorn_text.mjs';
let json = '';
for (let part = 0; json.length < 4e6; part++)
  json += JSON.stringify(parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: part % 2 === 1 }));
process.stdout.write(json.slice(0, 4e6));
END
  # The same bytes each time, as random as a cipher.
  openssl enc -aes-128-ctr -pass pass:fino -nosalt </dev/zero 2>/dev/null | head -c 8000000 >"$corpus/random" || true
}

[ -e "$corpus/random" ] || make_corpus
[ $# -gt 0 ] || set -- "${files[@]}" pieces
(cd "$root" && ./build.sh program tests/bench/bench_deflate.c "$work/bench_deflate" >/dev/null)
members=() pieces=
for name; do if [ "$name" = pieces ]; then pieces=1; else members+=("$corpus/$name"); fi; done
if [ ${#members[@]} -gt 0 ]; then
  wc -c "${members[@]}"
  ./bench_deflate -r "$runs" -l "$levels" -z "$rounds" "${members[@]}"
fi
if [ -n "$pieces" ]; then ./bench_deflate -p -r "$runs" -l "$levels" -z "$rounds" "${files[@]/#/$corpus/}"; fi
