#!/usr/bin/env bash
# gperftools writes formats that are older than profile.proto: our check says so and what converts them; and what pprof makes of
# a CPU and a heap profile of a C program means to us what it means to pprof.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/producers.sh"
cat >load.c <<'END'
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void inner(long n) { for (long i = 0; i < n; i++) sink += (unsigned long)(i * i); }
__attribute__((noinline)) static void outer(long n) { inner(n); sink++; inner(n); sink++; }
__attribute__((noinline)) static void *keep(size_t nbytes) { return malloc(nbytes); }
int main(void) {
    for (int i = 0; i < 60; i++) { outer(4000000); sink += (unsigned long)keep(100000); }
    return 0;
}
END
gcc -g -O1 -fno-omit-frame-pointer load.c -Wl,--no-as-needed -lprofiler -ltcmalloc -o load
CPUPROFILE=cpu.legacy CPUPROFILE_FREQUENCY=1000 HEAPPROFILE=heap HEAP_PROFILE_ALLOCATION_INTERVAL=1000000 ./load 2>err || fail "$(<err)"
cp "$(compgen -G 'heap.*.heap' | sort | tail -n 1)" heap.legacy

refused() { # refused FILE TEXT
  if ./reencode "$1" >/dev/null 2>err; then fail "$1 is read"; fi
  expect_text err "$1: check: -22: profile 0 is $2"
  expect_text err 'go tool pprof -proto'
}
refused cpu.legacy "a CPU profile in gperftools' legacy format"
refused heap.legacy 'in a legacy text format'

for kind in cpu heap; do
  pprof -proto -output profiles/gperftools-$kind load $kind.legacy >/dev/null
  pprof -raw profiles/gperftools-$kind >raw
  expect_text raw main
done
all_same_as_ours 4 100
