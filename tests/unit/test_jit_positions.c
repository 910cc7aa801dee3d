/* V8's source position tables: the last entry at or before an offset is found, with its inlining; a table that is cut
 * short or runs on is no reason to read past it. The first offset counts from -1, the function's entry: taken from 0,
 * each call that began a line had the line before it. */
// SOURCES: src/runtime/jit_layout.c
// LINK: -ldl
#include <stdint.h>

#include "../test.h"
#include "runtime/jit_layout.h"

static uint8_t table[4096];
static size_t nbytes;

/* Zig-zag, 7 bits a byte, lowest first. */
static void put(int64_t value) {
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    do {
        table[nbytes++] = (uint8_t)((bits & 0x7f) | (bits > 0x7f ? 0x80 : 0));
        bits >>= 7;
    } while (bits != 0);
}

static int64_t pack(int offset, int inlining) {
    return ((int64_t)(inlining + 1) << 31) | ((int64_t)(offset + 1) << 1);
}

struct entry {
    int code_offset, offset, inlining, statement;
};
static const struct entry entries[] = {
    {-1, 9, -1, 1}, {0, 12, -1, 1},           {3, 40, 0, 0},    {3, 41, 1, 0},
    {90, 7, 2, 1},  {5000, 100000, 65000, 0}, {5001, 3, -1, 1},
};
#define COUNT (int)(sizeof entries / sizeof *entries)

static void encode(void) {
    int last_offset = -1;
    int64_t last_packed = 0;
    for (int i = 0; i < COUNT; i++) {
        int delta = entries[i].code_offset - last_offset;
        put(entries[i].statement ? delta : -delta - 1);
        put(pack(entries[i].offset, entries[i].inlining) - last_packed);
        last_offset = entries[i].code_offset;
        last_packed = pack(entries[i].offset, entries[i].inlining);
    }
}

int main(void) {
    struct jit_position position;
    encode();
    for (int at = 0; at < 6000; at++) {
        const struct entry *expected = entries;
        for (int i = 0; i < COUNT; i++)
            if (entries[i].code_offset <= at) expected = &entries[i];
        EXPECT(jit_positions_find(table, nbytes, at, &position));
        EXPECT_EQ(position.offset, expected->offset);
        EXPECT_EQ(position.inlining, expected->inlining);
    }
    EXPECT(!jit_positions_find(table, 0, 10, &position));
    EXPECT(!jit_positions_find(NULL, 0, 10, &position));

    /* Cut anywhere, in memory that ends there: the sanitizer sees a read too far. */
    for (size_t cut = 0; cut < nbytes; cut++) {
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy + 1, table, cut);
        (void)jit_positions_find(copy + 1, cut, 6000, &position);
        free(copy);
    }
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    EXPECT(!jit_positions_find(endless, sizeof endless, 6000, &position));
    return 0;
}
