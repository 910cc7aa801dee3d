#!/usr/bin/env bash
# From samples to a gzipped profile: 1,000,000 samples over 100,000 stacks of depth 40, added, encoded and compressed at level
# 6, by fino and, where they can be had, by npm's pprof-format with Node's zlib, by C++ protobuf with zlib (Debian:
# libprotobuf-dev protobuf-compiler) and by Go's profile package (golang-github-google-pprof-dev). All take turns; medians of
# CPU time, and the most memory that each had.
#   ROUNDS=5   LEVEL=6
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
level=${LEVEL:-6} rounds=${ROUNDS:-5}
proto=/usr/share/gocode/src/github.com/google/pprof
(cd "$root" && ./build.sh program tests/bench/bench_pprof.c "$work/bench_pprof" >/dev/null)
./bench_pprof generate workload
"$root/tests/npm.sh" pprof-format
who=(fino pprof_format)
run_fino() { ./bench_pprof run workload "$level"; }
run_pprof_format() { node --max-old-space-size=4096 "$root/tests/bench/bench_pprof.mjs" workload "$level" "$root/build/npm/pprof-format"; }

if command -v protoc >/dev/null && [ -e $proto/proto/profile.proto ]; then
  protoc -I$proto/proto --cpp_out=. profile.proto
  g++ -O2 -std=c++17 -I. "$root/tests/bench/bench_pprof_protobuf.cc" profile.pb.cc -lprotobuf -lz -pthread -o protobuf
  who+=(protobuf)
  run_protobuf() { ./protobuf workload "$level"; }
fi
if [ -d $proto/profile ]; then
  GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$work/go-cache go build -o go_profile "$root/tests/bench/bench_pprof.go"
  who+=(go)
  run_go() { ./go_profile workload "$level"; }
fi
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
