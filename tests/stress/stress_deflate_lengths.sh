#!/usr/bin/env bash
# Inputs of all lengths from 0 to 70,000, of four kinds, at every level: see tests/fixtures/deflate_lengths.c, and Go's decoder
# reads along. As many as the seconds given allow; then it says FIRST, with which the next run goes on where this one ended.
# All of them take a processor about 70 minutes, two thirds of it at level 12; LEVELS="1 2 3" means these alone.
# shellcheck source-path=SCRIPTDIR disable=SC2086 # levels are split on purpose
source "$(dirname "$0")/../e2e/lib.sh"
seconds=${1:-60} first=${FIRST:-0} slice=20
(cd "$root" && ./build.sh program tests/fixtures/deflate_lengths.c "$work/deflate_lengths" >/dev/null)
export GOCACHE=$work/go-cache GO111MODULE=off
go build -o gunzip "$root/tests/fixtures/gunzip.go"
end=$((SECONDS + seconds)) next=$first bytes=0
while [ $SECONDS -lt $end ] && [ "$next" -lt 70001 ]; do
  [ $((next + slice)) -le 70001 ] || slice=$((70001 - next))
  read=$(./deflate_lengths $slice "$next" ${LEVELS:-} 2>err | ./gunzip) || { cat err >&2; fail "lengths from FIRST=$next on"; }
  bytes=$((bytes + read)) next=$((next + slice))
done
echo "$((next - first)) lengths, $bytes bytes; the next is FIRST=$next"
