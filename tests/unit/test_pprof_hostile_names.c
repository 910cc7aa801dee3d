/* Names made to collide: 100,000 function names that all have one hash under XXH3 without a seed. With a seed they
 * spread as any others do, so that finding one takes a few steps; without it they are one chain, as is shown with the
 * first of them.
 *
 * XXH3 of eight bytes is a bijection, and every step of it can be undone: so the names are what has the hash wanted,
 * of all 2^32 those that are ASCII. */
#include "../test.h"
#include "pprof/strings.h"

enum { NAME_COUNT = 100000, UNSEEDED_COUNT = 1000, STEPS_MAX = 200 };

static uint64_t rotate(uint64_t value, unsigned bits) {
    return bits %= 64, bits ? value << bits | value >> (64 - bits) : value;
}

/* Undoes x ^= rotate(x, 49) ^ rotate(x, 24). With r for a rotation by one that is p = 1 + r^24 + r^49; squaring doubles
 * the exponents, so p^64 is 1, and p^63 the inverse. */
static uint64_t undo_rotations(uint64_t x) {
    for (unsigned power = 1; power < 64; power *= 2)
        x ^= rotate(x, 24 * power) ^ rotate(x, 49 * power);
    return x;
}

static uint64_t undo_multiply(uint64_t x) {
    const uint64_t factor = UINT64_C(0x9FB21C651E98DF25);
    uint64_t inverse = factor;
    for (int i = 0; i < 6; i++) /* Newton: each round doubles the bits that are right */
        inverse *= 2 - factor * inverse;
    return x * inverse;
}

/* The eight bytes whose XXH3 without a seed is HASH, as a little-endian number. */
static uint64_t name_with_hash(uint64_t hash) {
    const uint64_t flip = UINT64_C(0x1cad21f72c81017c) ^ UINT64_C(0xdb979083e96dd4de); /* of XXH3's secret */
    hash ^= hash >> 28 ^ hash >> 56;
    hash = undo_multiply(hash);
    hash ^= (hash >> 35) + 8; /* the high 35 bits are as they were */
    hash = undo_rotations(undo_multiply(hash)) ^ flip;
    return hash << 32 | hash >> 32;
}

static char names[NAME_COUNT][8];

static void make_names(void) {
    uint64_t high = 0, bytes;
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        do
            bytes = name_with_hash(high++ << 32 | 0x12345678);
        while (bytes & UINT64_C(0x8080808080808080));
        for (int at = 0; at < 8; at++)
            names[i][at] = (char)(bytes >> (8 * at));
    }
}

/* Interns COUNT names under SEED. Returns: the most slots that finding one of them looks at. */
static uint32_t longest_search(uint32_t count, uint64_t seed) {
    struct pprof_strings strings;
    uint32_t longest = 0;
    EXPECT(pprof_strings_init(&pprof_default_allocator, &strings, seed));
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(pprof_strings_intern(&pprof_default_allocator, &strings, names[i], sizeof names[i]), i + 1);
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t hash = strings.list.items[i].hash, at = hash, id;
        EXPECT(seed || hash == 0x12345678); /* the names are what they are meant to be */
        while ((id = pprof_index_next(&strings.index, hash, &at)) != i)
            EXPECT(id != FINO_PPROF_NONE);
        longest = at - hash > longest ? at - hash : longest;
    }
    pprof_strings_free(&pprof_default_allocator, &strings);
    return longest;
}

int main(void) {
    make_names();
    EXPECT(longest_search(UNSEEDED_COUNT, 0) >= UNSEEDED_COUNT);
    for (uint64_t seed = 1; seed <= 3; seed++)
        EXPECT(longest_search(NAME_COUNT, seed * UINT64_C(0x9E3779B97F4A7C15)) < STEPS_MAX);
    return 0;
}
