/* compressor.h: the compressor object, and the parsers behind the levels. */
#ifndef DEFLATE_COMPRESSOR_H
#define DEFLATE_COMPRESSOR_H

#include "chains.h"
#include "deflate.h"
#include "spans.h"

enum {
    /* The optimal parser's section: as far as it looks ahead, and how many matches it can remember of it. */
    OPTIMAL_SECTION_NBYTES = 196608,
    OPTIMAL_MATCH_COUNT = 6 * OPTIMAL_SECTION_NBYTES,
};

struct deflate_match {
    uint16_t length;
    uint16_t offset;
};

/* What the optimal parser knows of its section; see parse_optimal.c. */
struct deflate_optimal {
    struct deflate_chains chains;
    size_t nbytes;                                    /* of the section */
    unsigned skip_count;                              /* positions to come that are not searched */
    uint32_t match_start[OPTIMAL_SECTION_NBYTES + 1]; /* the matches of position i: from [i] to [i + 1] */
    struct deflate_match matches[OPTIMAL_MATCH_COUNT];
    uint32_t cost_to_end[OPTIMAL_SECTION_NBYTES + DEFLATE_MAX_MATCH + 1];
    uint32_t choices[OPTIMAL_SECTION_NBYTES]; /* offset << 9 | length; a literal has length 1 */
    struct deflate_sequence sequences[OPTIMAL_SECTION_NBYTES / DEFLATE_MIN_MATCH + 1];
};

enum {
    FAST_HASH_BITS = 15,  /* 128 KiB of buckets */
    FAST_NICE_LENGTH = 32 /* the second candidate isn't tried after such a match */
};

struct deflate_fast {
    uint32_t buckets[1 << FAST_HASH_BITS]; /* older position << 16 | newer */
};

/* How hard a level tries. */
struct deflate_effort {
    unsigned depth;       /* candidates tried per position */
    unsigned lazy_depth;  /* candidates tried at the next position, when there is a match already */
    unsigned nice_length; /* a match this long ends a search */
    unsigned lazy_length; /* a match this long is taken without a look at the next position */
    unsigned good_length; /* a match this long halves that depth */
};

struct fino_deflate_compressor {
    struct fino_allocator allocator;
    size_t nbytes; /* of this object */
    int level;
    const struct deflate_effort *effort;
    uint32_t position; /* of the next byte of input, modulo 2^32; 0 only for a new stream */
    bool (*parse)(struct fino_deflate_compressor *, const struct deflate_input *, struct deflate_writer *);
    struct deflate_spans spans;
    union {
        struct deflate_fast fast;
        struct deflate_chains chains;
        struct deflate_optimal optimal;
    } finder; /* last: only as much of it is allocated as the level uses */
};

bool deflate_parse_fast(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer);
bool deflate_parse_lazy(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer);
bool deflate_parse_lazy2(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                         struct deflate_writer *writer);

bool deflate_parse_optimal(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                           struct deflate_writer *writer);

/* Makes COMPRESSOR forget the stream before. */
void deflate_compressor_reset(struct fino_deflate_compressor *compressor);

/* Compresses INPUT, the continuation of the stream since the last reset. Returns false when the output is full. */
bool deflate_compressor_run(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                            struct deflate_writer *writer);

#endif
