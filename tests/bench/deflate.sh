#!/usr/bin/env bash
# Compression and decompression beside zlib and libdeflate, in alternated runs of one process: real profiles of about 1, 4 and
# 10 MB (typescript.js transpiling, ever shorter intervals), typescript.js, libc.so.6, 4 MB of JSON (the syntax tree of acorn),
# 8 MB of random bytes, and 200 pieces of 1 to 50 kB of all these. With ZOPFLI=1 also zopfli's sizes, once (minutes).
#   LEVELS=1,6,9,12   RUNS=5   FILES=FOLDER: keeps the corpus there, or takes it from there
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
corpus=${FILES:-$work/corpus}
mkdir -p "$corpus"

profile() { # profile NAME INTERVAL
  "$fino" run --profile=profile.pb --profile-interval="$2" "$root/tests/programs/typescript.mjs" >/dev/null 2>&1
  gzip -dc profile.pb >"$corpus/$1"
}

if [ ! -e "$corpus/random" ]; then
  "$root/tests/npm.sh" && node "$root/tests/programs/prepare.mjs"
  profile pprof_1mb 3ms
  profile pprof_4mb 400us
  profile pprof_10mb 200us
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
fi

files=("$corpus"/{pprof_1mb,pprof_4mb,pprof_10mb,typescript.js,libc.so.6,ast.json,random})
wc -c "${files[@]}" | sed '$d'
(cd "$root" && ./build.sh program tests/bench/bench_deflate.c "$work/bench_deflate" >/dev/null)
./bench_deflate -r "${RUNS:-5}" -l "${LEVELS:-1,6,9,12}" "${files[@]}"

if [ -n "${ZOPFLI:-}" ]; then
  printf '\n| file | zopfli, 5 rounds: ratio |\n| --- | --- |\n'
  for file in "$corpus"/{pprof_1mb,pprof_4mb,libc.so.6,ast.json}; do
    zopfli --i5 --deflate -c "$file" | wc -c | awk -v all="$(stat -c %s "$file")" -v name="${file##*/}" \
      '{ printf "| %-16s | %.5f |\n", name, $1 / all }'
  done
fi
