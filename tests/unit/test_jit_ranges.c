/* Code is found by any address inside it, and by none outside, whatever was inserted and cleared before: compared with a
 * plain array of bytes. */
// SOURCES: src/runtime/jit_ranges.c src/runtime/jit_table.c
#include <stdint.h>

#include "../test.h"
#include "runtime/jit_code.h"

#define SPACE 60000
static struct jit_code *owner[SPACE]; /* of each address; the model */
static uintptr_t start_of[SPACE];
static int live;

struct jit_code *jit_code_retain(struct jit_code *code) {
    code->references++;
    live++;
    return code;
}

void jit_code_release(struct jit_code *code) {
    live--;
    if (--code->references == 0) free(code);
}

static void model_clear(uintptr_t start, size_t nbytes) {
    for (uintptr_t at = start; at < start + nbytes; at++) {
        struct jit_code *code = owner[at];
        if (code == NULL) continue;
        uintptr_t from = start_of[at];
        for (uintptr_t i = from; i < SPACE && owner[i] == code && start_of[i] == from; i++) owner[i] = NULL;
    }
}

static void insert(struct jit_ranges *ranges, uintptr_t start, size_t nbytes) {
    struct jit_code *code = calloc(1, sizeof *code);
    code->nbytes = nbytes;
    jit_ranges_insert(ranges, start, code);
    model_clear(start, nbytes);
    for (uintptr_t at = start; at < start + nbytes; at++) {
        owner[at] = code;
        start_of[at] = start;
    }
}

static void compare(const struct jit_ranges *ranges) {
    for (uintptr_t at = 0; at < SPACE; at++) {
        uintptr_t start = 0;
        EXPECT(jit_ranges_find(ranges, at, &start) == owner[at]);
        if (owner[at] != NULL) EXPECT_EQ(start, start_of[at]);
        EXPECT_EQ(jit_ranges_overlap(ranges, at, 1), owner[at] != NULL);
    }
}

int main(void) {
    struct jit_ranges ranges = {0};
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        size_t nbytes = 1 + (random >> 8) % ((round % 50 == 0) ? 3000 : 12);
        uintptr_t start = (random >> 4) % (SPACE - nbytes);
        if (round % 7 == 6) {
            jit_ranges_clear(&ranges, start, nbytes);
            model_clear(start, nbytes);
        } else {
            insert(&ranges, start, nbytes);
        }
        if (round % 2500 == 0) compare(&ranges);
    }
    compare(&ranges);
    jit_ranges_free(&ranges);
    EXPECT_EQ(live, 0);
    return 0;
}
