#!/usr/bin/env bash
# libfinopprof without a C library: of all functions it wants memcpy, memmove and memset alone, and a program that has no
# others makes a profile that pprof reads. With an allocator it takes the memory that pprof.h states, and bears having none.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

cat >bare.c <<'END'
#include "pprof/pprof.h"

void *memcpy(void *to, const void *from, size_t nbytes) {
    for (size_t i = 0; i < nbytes; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memmove(void *to, const void *from, size_t nbytes) {
    if (to <= from) return memcpy(to, from, nbytes);
    while (nbytes-- > 0) ((char *)to)[nbytes] = ((const char *)from)[nbytes];
    return to;
}
void *memset(void *to, int value, size_t nbytes) {
    for (size_t i = 0; i < nbytes; i++) ((char *)to)[i] = (char)value;
    return to;
}

static long system_call(long number, long a, long b, long c) {
    __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return number;
}

/* Memory that is only ever taken, from an array. */
static void *take(void *used, size_t nbytes) {
    static _Alignas(16) char memory[4 << 20];
    size_t begin = *(size_t *)used, end = begin + (nbytes + 15) / 16 * 16;
    if (end > sizeof memory) return NULL;
    *(size_t *)used = end;
    return memory + begin;
}
static void leave(void *used, void *memory, size_t nbytes) { (void)used, (void)memory, (void)nbytes; }

static int to_stdout(void *context, const void *data, size_t nbytes) {
    (void)context;
    return system_call(1, 1, (long)data, (long)nbytes) == (long)nbytes ? 0 : -1;
}

static int make(void) {
    static size_t used;
    struct fino_allocator allocator = {take, leave, &used};
    struct fino_pprof_value_type types[] = {{"work", "count"}};
    if (fino_pprof_new(&(struct fino_pprof_config){types, 1, NULL, 0})) return 1; /* no allocator: no memory */
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){types, 1, &allocator, 0});
    struct fino_pprof_function function = {.name = fino_pprof_string(profile, "kernel_main", 11)};
    struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), 7, 0};
    uint32_t location = fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
    fino_pprof_add_sample(profile, &location, 1, 0, (int64_t[]){42});
    return fino_pprof_write(profile, NULL, NULL, 6, to_stdout, NULL);
}

__attribute__((force_align_arg_pointer)) void _start(void) {
    system_call(60, make(), 0, 0);
}
END

flags=(-std=c11 -ffreestanding -DFINO_NO_MALLOC -fno-stack-protector -Wall -Wextra -Werror -I"$root/src" -isystem "$root/vendor/xxhash/include"
  -ffunction-sections -fdata-sections)

freestanding() { # freestanding COMPILER FLAG...
  rm -rf objects && mkdir objects
  (cd objects && "$@" "${flags[@]}" -c "$root"/src/pprof/*.c "$root"/src/deflate/*.c) || fail "does not build: $*"
  gcc -nostdlib -static bare.o objects/*.o -o bare || fail "wants more than it should: $*"
  ./bare >bare.pb.gz || fail "exit code $?: $*"
  go tool pprof -top bare.pb.gz 2>&1 | grep '42 .*kernel_main' >/dev/null || fail "pprof does not read what $* made"
  ld -r -o whole.o objects/*.o
  nm -u whole.o | awk '{ print $2 }' | grep -vx '_GLOBAL_OFFSET_TABLE_' | sort | xargs
}

# The option keeps gcc from making memcpy of memcpy's own loop.
gcc "${flags[@]}" -fno-tree-loop-distribute-patterns -c bare.c
for command in "gcc -Os" "gcc -O2 -DFINO_NO_SIMD" "clang -Os"; do
  # shellcheck disable=SC2086
  wanted=$(freestanding $command) || exit 1
  [ "$wanted" = "memcpy memmove memset" ] || fail "$command: it wants $wanted"
  echo "$command: wants $wanted"
done

for test in test_pprof_memory test_pprof_allocation_failure; do # the last of these, in a program that has a C library
  gcc -std=c17 -O1 -D_GNU_SOURCE -I"$root/src" -isystem "$root/vendor/xxhash/include" "$root/tests/unit/$test.c" objects/*.o -o $test
  ./$test
done
