/* deflate_samples.h: what the DEFLATE tests share: data of many kinds, buffers that end at a guard page, and zlib as
 * the control. */
#ifndef FINO_DEFLATE_SAMPLES_H
#define FINO_DEFLATE_SAMPLES_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "../test.h"
#include "deflate/deflate.h"

static const int sample_levels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
enum { SAMPLE_LEVEL_COUNT = sizeof sample_levels / sizeof *sample_levels };

enum sample_kind {
    SAMPLE_ZEROS,
    SAMPLE_RANDOM,
    SAMPLE_TEXT,    /* words of a small vocabulary */
    SAMPLE_VARINTS, /* like the locations of a profile: stacks that share their ends */
    SAMPLE_PERIOD,  /* a short period with rare errors */
    SAMPLE_SKEWED,  /* few symbols, Fibonacci frequencies: long codewords */
    SAMPLE_MIXED,   /* the kinds above in turns: many blocks */
    SAMPLE_FAR,     /* repeats at exactly 32768 and 32769 back */
    SAMPLE_KIND_COUNT
};

static inline uint64_t sample_random(uint64_t *state) {
    uint64_t x = (*state += 0x9E3779B97F4A7C15u);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static inline void sample_fill(enum sample_kind kind, uint8_t *out, size_t nbytes, uint64_t seed) {
    uint64_t state = seed * 1000003 + kind;
    size_t i = 0;
    switch (kind) {
        case SAMPLE_ZEROS: memset(out, 0, nbytes); break;
        case SAMPLE_RANDOM:
            while (i < nbytes)
                out[i++] = (uint8_t)sample_random(&state);
            break;
        case SAMPLE_TEXT:
            while (i < nbytes) {
                uint64_t word = sample_random(&state) % 300, letters = word * word + 77;
                for (uint64_t left = 2 + word % 9; left > 0 && i < nbytes; left--, letters = letters * 31 + 7)
                    out[i++] = (uint8_t)('a' + letters / 5 % 26);
                if (i < nbytes) out[i++] = sample_random(&state) % 12 ? ' ' : '\n';
            }
            break;
        case SAMPLE_VARINTS:
            while (i < nbytes) {
                uint64_t stack = sample_random(&state) % 200, depth = 10 + stack % 30;
                for (uint64_t frame = 0; frame < depth && i + 1 < nbytes; frame++) {
                    uint64_t location = frame < 3 ? sample_random(&state) % 4000 : (stack / 4 * 40 + frame) % 4000;
                    out[i++] = (uint8_t)(location | 128);
                    out[i++] = (uint8_t)(location >> 7);
                }
                if (i < nbytes) out[i++] = (uint8_t)depth;
            }
            break;
        case SAMPLE_PERIOD:
            for (; i < nbytes; i++)
                out[i] =
                    sample_random(&state) % 500 ? (uint8_t)(i % (3 + seed % 40) * 7) : (uint8_t)sample_random(&state);
            break;
        case SAMPLE_SKEWED:
            while (i < nbytes) {
                uint64_t bits = sample_random(&state), symbol = bits ? (uint64_t)__builtin_ctzll(bits) : 64;
                out[i++] = (uint8_t)(symbol * 37);
            }
            break;
        case SAMPLE_MIXED:
            while (i < nbytes) {
                size_t here = 1 + sample_random(&state) % 9000;
                if (here > nbytes - i) here = nbytes - i;
                sample_fill((enum sample_kind)(sample_random(&state) % SAMPLE_MIXED), out + i, here, seed + i);
                i += here;
            }
            break;
        default:
            sample_fill(SAMPLE_RANDOM, out, nbytes < 33000 ? nbytes : 33000, seed);
            for (i = 33000; i < nbytes; i++)
                out[i] = out[i - 32768 - i / 40 % 2];
            break;
    }
}

/* Memory between two pages that can't be touched. */
struct guarded {
    uint8_t *map;
    size_t map_nbytes;
    uint8_t *begin;
    uint8_t *end;
};

static inline struct guarded guarded_new(size_t nbytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), usable = (nbytes + page - 1) / page * page;
    struct guarded guarded = {.map_nbytes = usable + 2 * page};
    guarded.map = mmap(NULL, guarded.map_nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(guarded.map != MAP_FAILED);
    guarded.begin = guarded.map + page;
    guarded.end = guarded.begin + usable;
    EXPECT(mprotect(guarded.end, page, PROT_NONE) == 0);
    EXPECT(mprotect(guarded.map, page, PROT_NONE) == 0);
    return guarded;
}

static inline void guarded_free(struct guarded *guarded) {
    munmap(guarded->map, guarded->map_nbytes);
}

/* Decodes with zlib: WINDOW_BITS is -15 for raw, 31 for gzip. Expects exactly IN to be used and EXPECTED to come out.
 */
static inline void zlib_expect(int window_bits, const uint8_t *in, size_t in_nbytes, const uint8_t *expected,
                               size_t expected_nbytes) {
    static uint8_t *out;
    static size_t capacity;
    z_stream stream;
    if (capacity < expected_nbytes + 1) {
        capacity = expected_nbytes + 1;
        out = realloc(out, capacity);
    }
    memset(&stream, 0, sizeof stream);
    EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
    stream.next_in = (uint8_t *)(uintptr_t)in;
    stream.avail_in = (uInt)in_nbytes;
    stream.next_out = out;
    stream.avail_out = (uInt)(expected_nbytes + 1);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0);
    EXPECT_EQ(stream.total_out, expected_nbytes);
    EXPECT(expected_nbytes == 0 || memcmp(out, expected, expected_nbytes) == 0);
    inflateEnd(&stream);
}

/* Decodes raw DEFLATE with ours, and expects the same. */
static inline void inflate_expect(const uint8_t *in, size_t in_nbytes, const uint8_t *expected,
                                  size_t expected_nbytes) {
    uint8_t *out = malloc(expected_nbytes + 1);
    size_t used, got;
    EXPECT_EQ(fino_inflate(in, in_nbytes, out, expected_nbytes, &used, &got), FINO_INFLATE_OK);
    EXPECT_EQ(used, in_nbytes);
    EXPECT_EQ(got, expected_nbytes);
    EXPECT(expected_nbytes == 0 || memcmp(out, expected, expected_nbytes) == 0);
    free(out);
}

#endif
