#!/usr/bin/env bash
# What we compress at every level, of lengths from all between 0 and 70,000, is read by Go, gzip, zlib and libdeflate as by our
# own decoder. tests/stress/stress_deflate_lengths.sh goes through all lengths.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && ./build.sh program tests/fixtures/deflate_lengths.c "$work/deflate_lengths" >/dev/null)
export GOCACHE=$work/go-cache GO111MODULE=off
go build -o gunzip "$root/tests/fixtures/gunzip.go"

./deflate_lengths 60 >all.gz
gzip -t all.gz
[ "$(gzip -dc all.gz | wc -c)" = "$(./gunzip <all.gz)" ] || fail "Go and gzip differ"
# Go does complain of a wrong bit somewhere in the middle.
printf '\x55\xaa\x55\xaa' | dd of=all.gz bs=1 seek=100000 conv=notrunc 2>/dev/null
if ./gunzip <all.gz >/dev/null 2>&1; then fail "Go notices nothing"; fi
