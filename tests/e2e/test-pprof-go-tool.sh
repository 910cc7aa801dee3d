#!/usr/bin/env bash
# A profile we wrote means the same to `go tool pprof` as what it makes of it itself, and it warns of nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v go >/dev/null || { echo "needs go: tests/tools.sh"; exit 77; }
${CC:-gcc} -std=c11 -O1 -Wall -Wextra -Werror -Isrc -Ivendor/xxhash/include examples/embed_pprof.c src/pprof/*.c \
  src/deflate/*.c -o "$work/embed_pprof"
"$work/embed_pprof" >"$work/ours.pb.gz"
gzip -t "$work/ours.pb.gz"

pprof() { PPROF_TMPDIR=$work go tool pprof "$@" 2>>"$work/warnings"; }
pprof -raw "$work/ours.pb.gz" >"$work/ours.raw"
pprof -proto -output "$work/theirs.pb.gz" "$work/ours.pb.gz" >/dev/null
pprof -raw "$work/theirs.pb.gz" >"$work/theirs.raw"
diff "$work/ours.raw" "$work/theirs.raw"
pprof -top "$work/ours.pb.gz" | grep '4200 97.67% 97.67% *4200 97.67%  scan' >/dev/null
pprof -traces "$work/ours.pb.gz" | grep 4200 >/dev/null

# Profiles without a mapping have no binary to name; everything else on stderr is a complaint.
if grep -vE '^(Generating report in |Main binary filename not available\.$)' "$work/warnings"; then
  echo "go tool pprof warned"
  exit 1
fi
