#!/usr/bin/env bash
# From samples to a gzipped profile: 1,000,000 samples over 100,000 stacks of depth 40, added, encoded and compressed, by fino
# and by the encoders below, all in alternated runs: medians of CPU time, and the most memory that each had. All of them say
# the same, by pprof's word.
#   pprof.sh [-l LEVEL] [-r ROUNDS] [ENCODER...]
#     -l  of gzip (6)    -r  runs of each (5; 0: only build them and compare what they say)
#     ENCODER, all by default:
#       pprof_format          npm's, with Node's zlib
#       go                    Go's profile package and gzip (golang-github-google-pprof-dev)
#     with zlib, in C++ and C:
#       protobuf              libprotobuf-dev, protobuf-compiler
#       protobuf_c            libprotobuf-c-dev, protobuf-c-compiler
#       nanopb                libnanopb-dev, nanopb
#       protozero             libprotozero-dev
#     and, as it is the fastest of these, with libdeflate:
#       protozero_libdeflate
#   FILES=FOLDER keeps the workload and the programs there, or takes them from there.
# Debian's libupb-dev lacks headers that its own include.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
level=6 rounds=5
while getopts l:r: option; do
  case $option in
    l) level=$OPTARG ;;
    r) rounds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- pprof_format go protobuf protobuf_c nanopb protozero protozero_libdeflate
bench=$root/tests/bench go_path=/usr/share/gocode
proto=$go_path/src/github.com/google/pprof/proto
[ -z "${FILES:-}" ] || { mkdir -p "$FILES" && cd "$FILES"; }

cxx() { g++ -O2 -std=c++17 "$bench/bench_pprof_${1%_libdeflate}.cc" "${@:2}" -o "$1"; } # cxx ENCODER FLAG...
build_fino() { (cd "$root" && ./build.sh program tests/bench/bench_pprof.c "$OLDPWD/fino" >/dev/null); }
build_pprof_format() { "$root/tests/npm.sh" pprof-format && touch pprof_format; }
build_go() { GO111MODULE=off GOPATH=$go_path GOCACHE=$work/go-cache go build -o go "$bench/bench_pprof.go"; }
build_protobuf() { protoc -I$proto --cpp_out=. profile.proto && cxx protobuf -I. profile.pb.cc -lprotobuf -lz -pthread; }
build_protobuf_c() {
  protoc-c -I$proto --c_out=. profile.proto && gcc -O2 -c profile.pb-c.c -o profile.pb-c.o
  cxx protobuf_c -I. profile.pb-c.o -lprotobuf-c -lz
}
build_nanopb() {
  mkdir -p nano && cp "$bench/bench_pprof_nanopb.options" nano/profile.options && cp $proto/profile.proto nano
  (cd nano && protoc -I. --nanopb_out=. profile.proto 2>/dev/null && gcc -O2 -c profile.pb.c -o profile.o)
  cxx nanopb -Inano nano/profile.o -lprotobuf-nanopb -lz
}
build_protozero() { cxx protozero -lz; }
build_protozero_libdeflate() { cxx protozero_libdeflate -DBENCH_LIBDEFLATE -ldeflate; }

run() { # run ENCODER [OUT]
  case $1 in
    fino) ./fino run workload "$level" "${@:2}" ;;
    pprof_format)
      node --max-old-space-size=4096 "$bench/bench_pprof.mjs" workload "$level" "$root/build/npm/pprof-format" "${@:2}"
      ;;
    *) "./$1" workload "$level" "${@:2}" ;;
  esac
}

# What it wrote, in pprof's words.
table() {
  PPROF_TMPDIR=$work go tool pprof -symbolize=none -top -nodecount=100000 -nodefraction=0 "$1" 2>/dev/null |
    sed 1,/flat%/d | sort
}

build_fino
[ -e workload ] || ./fino generate workload
for name in fino "$@"; do
  [ -e "$name" ] || "build_$name"
  [ ! -e "$name.same" ] || [ "$name" = fino ] || continue
  run "$name" "$work/$name.pb.gz" >/dev/null
  table "$work/$name.pb.gz" >"$work/$name.top"
  cmp "$work/$name.top" "$work/fino.top" || { echo "$name says something else than fino" >&2; exit 1; }
  touch "$name.same"
done
[ "$(wc -l <"$work/fino.top")" -gt 7000 ]

for ((round = 0; round < rounds; round++)); do
  for name in fino "$@"; do run "$name" >>"$work/$name.json"; done
done
[ "$rounds" -gt 0 ] || exit 0
(cd "$work" && node --input-type=module - fino "$@") <<'END'
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
