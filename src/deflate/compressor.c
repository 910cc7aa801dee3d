/* compressor.c: the compressor object: levels, memory, and one-shot raw DEFLATE. */
#include "compressor.h"

#include "allocator.h"

struct level {
    struct deflate_effort effort;
    bool (*parse)(struct fino_deflate_compressor *, const struct deflate_input *, struct deflate_writer *);
    size_t finder_nbytes;
};

/* Level 1 has its own constants. */
static const struct level levels[] = {
    [1] = {{0}, deflate_parse_fast, sizeof(struct deflate_fast)},
    [2] = {{3, 1, 20, 8, 8}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [3] = {{5, 2, 32, 16, 8}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [4] = {{8, 3, 48, 24, 8}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [5] = {{12, 5, 96, 48, 8}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [6] = {{22, 8, 130, 65, 8}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [7] = {{48, 16, 258, 130, 16}, deflate_parse_lazy, sizeof(struct deflate_chains)},
    [8] = {{80, 40, 258, 258, 258}, deflate_parse_lazy2, sizeof(struct deflate_chains)},
    [9] = {{400, 200, 258, 258, 258}, deflate_parse_lazy2, sizeof(struct deflate_chains)},
    [12] = {{400, 200, 258, 258, 258}, deflate_parse_optimal, sizeof(struct deflate_optimal)},
};

static int clamp_level(int level) {
    return level < 1 ? 1 : level < 10 ? level : 12;
}

size_t fino_deflate_compressor_nbytes(int level) {
    return offsetof(struct fino_deflate_compressor, finder) + levels[clamp_level(level)].finder_nbytes;
}

struct fino_deflate_compressor *fino_deflate_compressor_new(int level, const struct fino_allocator *allocator) {
    struct fino_allocator memory = deflate_allocator(allocator);
    const struct level *settings = &levels[clamp_level(level)];
    size_t nbytes = fino_deflate_compressor_nbytes(level);
    struct fino_deflate_compressor *compressor = memory.alloc(memory.context, nbytes);
    if (!compressor) return NULL;
    compressor->allocator = memory;
    compressor->nbytes = nbytes;
    compressor->level = clamp_level(level);
    compressor->effort = &settings->effort;
    compressor->parse = settings->parse;
    deflate_spans_init(&compressor->spans);
    return compressor;
}

void fino_deflate_compressor_free(struct fino_deflate_compressor *compressor) {
    if (!compressor) return;
    struct fino_allocator memory = compressor->allocator;
    memory.free(memory.context, compressor, compressor->nbytes);
}

void deflate_compressor_reset(struct fino_deflate_compressor *compressor) {
    /* Every finder but the fast one begins with the chains, and nothing else in it outlives a call. */
    size_t finder_nbytes = compressor->nbytes - offsetof(struct fino_deflate_compressor, finder);
    memset(&compressor->finder, 0, min_size(finder_nbytes, sizeof compressor->finder.chains));
    compressor->position = 0;
}

bool deflate_compressor_run(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                            struct deflate_writer *writer) {
    compressor->spans.span_count = 0;
    compressor->spans.sequence_count = 0;
    return compressor->parse(compressor, input, writer);
}

size_t fino_deflate_compressor_deflate(struct fino_deflate_compressor *compressor, const void *in, size_t in_nbytes,
                                       void *out, size_t out_nbytes_avail) {
    struct deflate_writer writer = {.next = out, .end = (uint8_t *)(uintptr_t)end_of(out, out_nbytes_avail)};
    struct deflate_input input = {in, in, end_of(in, in_nbytes), true};
    bool fits;
    if (in_nbytes == 0) {
        fits = deflate_empty_write(&writer);
    } else {
        deflate_compressor_reset(compressor);
        fits = deflate_compressor_run(compressor, &input, &writer);
    }
    return fits && writer_align(&writer) ? (size_t)(writer.next - (uint8_t *)out) : 0;
}

size_t fino_deflate_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                             void *out, size_t out_nbytes_avail) {
    struct fino_deflate_compressor *compressor = fino_deflate_compressor_new(level, allocator);
    size_t nbytes;
    if (!compressor) return 0;
    nbytes = fino_deflate_compressor_deflate(compressor, in, in_nbytes, out, out_nbytes_avail);
    fino_deflate_compressor_free(compressor);
    return nbytes;
}

size_t fino_deflate_bound(size_t in_nbytes) {
    return in_nbytes + 5 * (in_nbytes / DEFLATE_SPAN_MIN_NBYTES + 1) + 1;
}
