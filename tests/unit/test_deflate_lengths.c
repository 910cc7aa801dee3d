// LINK: -lz
/* Inputs of all lengths, of every kind, at every level: zlib and our own decoder give them back; neither a byte past
 * the input is read nor one past the output written. `all` as an argument tries every length up to 70,000 (minutes). */
#include "deflate/deflate.h"
#include "deflate_samples.h"

enum { MAX_NBYTES = 70000 };

static void check(fino_deflate_compressor *compressor, enum sample_kind kind, const struct guarded *in_memory,
                  const struct guarded *out_memory, size_t nbytes) {
    size_t bound = fino_deflate_bound(nbytes), size;
    uint8_t *in = in_memory->end - nbytes, *out = out_memory->end - bound;
    sample_fill(kind, in, nbytes, nbytes);
    size = fino_deflate_compressor_deflate(compressor, in, nbytes, out, bound);
    EXPECT(size > 0 && size <= bound);
    zlib_expect(-15, out, size, in, nbytes);
    inflate_expect(out, size, in, nbytes);
    /* The size it takes is enough, and one byte less is not. */
    uint8_t *exact = out_memory->end - size;
    EXPECT_EQ(fino_deflate_compressor_deflate(compressor, in, nbytes, exact, size), size);
    inflate_expect(exact, size, in, nbytes);
    EXPECT_EQ(fino_deflate_compressor_deflate(compressor, in, nbytes, exact + 1, size - 1), 0);
}

/* Dense among the short ones; level 12 is slow. */
static size_t step(bool all, size_t nbytes, int level, uint64_t *random) {
    return all ? 1 : 1 + nbytes / (level == 12 ? 1 : 3) + sample_random(random) % 7;
}

int main(int argc, char **argv) {
    bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    struct guarded in = guarded_new(MAX_NBYTES + 64), out = guarded_new(fino_deflate_bound(MAX_NBYTES) + 64);
    for (int i = 0; i < SAMPLE_LEVEL_COUNT; i++) {
        fino_deflate_compressor *compressor = fino_deflate_compressor_new(sample_levels[i], NULL);
        EXPECT(compressor != NULL);
        for (int kind = 0; kind < SAMPLE_KIND_COUNT; kind++) {
            uint64_t random = (uint64_t)kind + 1;
            for (size_t nbytes = 0; nbytes <= MAX_NBYTES; nbytes += step(all, nbytes, sample_levels[i], &random))
                check(compressor, (enum sample_kind)kind, &in, &out, nbytes);
            check(compressor, (enum sample_kind)kind, &in, &out, 32768);
            if (sample_levels[i] < 12) check(compressor, (enum sample_kind)kind, &in, &out, MAX_NBYTES);
        }
        fino_deflate_compressor_free(compressor);
    }
    guarded_free(&in);
    guarded_free(&out);
    return 0;
}
