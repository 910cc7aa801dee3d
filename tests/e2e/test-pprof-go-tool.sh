#!/usr/bin/env bash
# A profile we wrote means the same to `go tool pprof` as what it makes of it itself, and it warns of nothing: that of
# examples/embed_pprof.c, one that says all that profile.proto can say, and one that fino recorded.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./build.sh program examples/embed_pprof.c "$work/embed_pprof"
./build.sh program tests/fixtures/pprof_every_field.c "$work/every_field"
pprof() { PPROF_TMPDIR=$work go tool pprof -symbolize=none "$@" 2>>"$work/warnings"; }
has() { grep -F -e "$2" "$work/$1" >/dev/null || { cat "$work/$1"; echo "'$2' is not in $1"; exit 1; }; }

for name in embed_pprof every_field; do "$work/$name" >"$work/$name.pb.gz"; done
cat >"$work/busy.mjs" <<'END'
for (const end = Date.now() + 300; Date.now() < end; ) JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i })));
END
build/fino run --profile="$work/recorded.pb.gz" "$work/busy.mjs" 2>/dev/null

for name in embed_pprof every_field recorded; do
  gzip -t "$work/$name.pb.gz"
  pprof -raw "$work/$name.pb.gz" >"$work/$name.raw"
  pprof -proto -output "$work/$name.theirs.pb.gz" "$work/$name.pb.gz" >/dev/null
  pprof -raw "$work/$name.theirs.pb.gz" >"$work/$name.theirs.raw"
  diff "$work/$name.raw" "$work/$name.theirs.raw"
  pprof -traces "$work/$name.pb.gz" >/dev/null
done
pprof -top "$work/embed_pprof.pb.gz" | grep '4200 97.67% 97.67% *4200 97.67%  scan' >/dev/null
pprof -tags "$work/every_field.pb.gz" >"$work/every_field.tags"

# What pprof prints is what was said. It would drop allocate_memory, but for keep_frames.
for line in 'Comment: first comment' 'Comment: second: 50% of it' 'PeriodType: cpu nanoseconds' 'Period: 10000000' \
  'Duration: 5s' 'samples/count cpu/nanoseconds[dflt] space/bytes' '3   30000000    1048576: ' \
  '2   20000000 2305843009213693951: ' 'thread:[worker é 1 second value]' 'request:[4096 bytes]' 'attempts:[-3]' \
  '0x400000/0x500000/0x1000 /usr/bin/program 00ff12 [FN][FL][LN][IN]' '/usr/lib/libnameless.so.1' \
  '0x401000 M=1 inlined<T> src/a file.c:100' 's=95(_Z7inlinedIT)' 'outer src/a file.c:20' '[F] main' 'allocate_memory'; do
  has every_field.raw "$line"
done
has every_field.tags 'worker é 1'

# What it does not print is still there in what it wrote, but for doc_url, which old versions do not know.
"$work/every_field" "$work/every_field.pb.gz" >"$work/ours"
"$work/every_field" "$work/every_field.theirs.pb.gz" >"$work/theirs"
has ours 'doc_url https://example.org/what-this-means'
has ours 'cpu allocate_.* allocate_memory'
if ! grep -F 'doc_url (none)' "$work/theirs" >/dev/null; then has theirs 'doc_url https://example.org/what-this-means'; fi
diff <(grep -v doc_url "$work/ours") <(grep -v doc_url "$work/theirs")

# Everything else on stderr is a complaint.
if grep -v '^Generating report in ' "$work/warnings"; then
  echo "go tool pprof warned"
  exit 1
fi
