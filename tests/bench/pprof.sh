#!/usr/bin/env bash
# From samples to a gzipped profile: 1,000,000 samples over 100,000 stacks of depth 40, added, encoded and compressed at level
# 6, by fino and, where they can be had, by npm's pprof-format with Node's zlib, by Go's profile package
# (golang-github-google-pprof-dev), and with zlib by C++ protobuf (Debian: libprotobuf-dev protobuf-compiler), protozero
# (libprotozero-dev), protobuf-c (protobuf-c-compiler libprotobuf-c-dev) and nanopb (nanopb libnanopb-dev); the fastest of
# those also with libdeflate. Debian's libupb-dev lacks headers that its own include. All say the same, by pprof's word. They
# take turns; medians of CPU time, and the most memory that each had.
#   ROUNDS=5   LEVEL=6
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
level=${LEVEL:-6} rounds=${ROUNDS:-5}
proto=/usr/share/gocode/src/github.com/google/pprof
(cd "$root" && ./build.sh program tests/bench/bench_pprof.c "$work/bench_pprof" >/dev/null)
./bench_pprof generate workload
"$root/tests/npm.sh" pprof-format
bench=$root/tests/bench
who=(fino pprof_format)
run_fino() { ./bench_pprof run workload "$level" "$@"; }
run_pprof_format() { node --max-old-space-size=4096 "$bench/bench_pprof.mjs" workload "$level" "$root/build/npm/pprof-format" "$@"; }

row() { # row NAME SOURCE FLAG...: an encoder in C++
  who+=("$1")
  g++ -O2 -std=c++17 "$bench/bench_pprof_$2.cc" "${@:3}" -o "$1"
  eval "run_$1() { ./$1 workload $level \"\$@\"; }"
}
if [ -e $proto/proto/profile.proto ]; then
  if command -v protoc >/dev/null; then
    mkdir cpp && protoc -I$proto/proto --cpp_out=cpp profile.proto
    row protobuf protobuf -Icpp cpp/profile.pb.cc -lprotobuf -lz -pthread
  fi
  if command -v protoc-c >/dev/null; then
    mkdir c && protoc-c -I$proto/proto --c_out=c profile.proto && gcc -O2 -c c/profile.pb-c.c -o c/profile.o
    row protobuf_c protobuf_c -Ic c/profile.o -lprotobuf-c -lz
  fi
  if command -v protoc-gen-nanopb >/dev/null; then
    mkdir nano && cp "$bench/bench_pprof_nanopb.options" nano/profile.options && cp $proto/proto/profile.proto nano
    (cd nano && protoc -I. --nanopb_out=. profile.proto 2>/dev/null && gcc -O2 -c profile.pb.c -o profile.o)
    row nanopb nanopb -Inano nano/profile.o -lprotobuf-nanopb -lz
  fi
fi
if [ -e /usr/include/protozero ]; then
  row protozero protozero -lz
  row protozero_libdeflate protozero -DBENCH_LIBDEFLATE -ldeflate
fi
if [ -d $proto/profile ]; then
  GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$work/go-cache go build -o go_profile "$bench/bench_pprof.go"
  who+=(go)
  run_go() { ./go_profile workload "$level" "$@"; }
fi

# What each of them wrote, in pprof's words.
for name in "${who[@]}"; do
  "run_$name" "$name.pb.gz" >/dev/null
  PPROF_TMPDIR=$work go tool pprof -symbolize=none -top -nodecount=100000 -nodefraction=0 "$name.pb.gz" 2>/dev/null | sed 1,/flat%/d | sort >"$name.top"
  cmp "$name.top" fino.top || { echo "$name says something else than fino" >&2; exit 1; }
done
[ "$(wc -l <fino.top)" -gt 7000 ]
for ((round = 0; round < rounds; round++)); do
  for name in "${who[@]}"; do "run_$name" >>"$name.json"; done
done
node --input-type=module - "${who[@]}" <<'END'
import { readFileSync } from 'node:fs';
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
let ours;
console.log('| who | add, ms | encode | gzip | total | samples/s | fino is | plain, bytes | gzip, bytes | peak, MB |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const name of process.argv.slice(2)) {
  const runs = readFileSync(`${name}.json`, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const of = (key) => median(runs.map((run) => run[key]));
  const total = of('total_ms');
  ours ??= total;
  console.log(`| ${runs[0].who} | ${of('add_ms').toFixed(0)} | ${of('encode_ms').toFixed(0)} | ${of('gzip_ms').toFixed(0)} | ` +
    `${total.toFixed(0)} | ${(1e9 / total).toFixed(0)} | x${(total / ours).toFixed(1)} | ${of('plain_bytes')} | ` +
    `${of('gzip_bytes')} | ${(of('peak_bytes') / 2 ** 20).toFixed(0)} |`);
}
END
