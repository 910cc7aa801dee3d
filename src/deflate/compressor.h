/* compressor.h: the compressor object, and the parsers behind the levels. */
#ifndef DEFLATE_COMPRESSOR_H
#define DEFLATE_COMPRESSOR_H

#include "chains.h"
#include "deflate.h"
#include "spans.h"

/* Input to compress: [next, end), with up to 32 KiB of history before it that begins at HISTORY. */
struct deflate_input {
    const uint8_t *history;
    const uint8_t *next;
    const uint8_t *end;
    bool is_final; /* the last block ends the stream */
};

struct deflate_compressor_lazy {
    struct deflate_chains chains;
};

struct fino_deflate_compressor {
    struct fino_allocator allocator;
    size_t nbytes; /* of this object */
    int level;
    unsigned depth;       /* candidates tried per position */
    unsigned nice_length; /* good enough to stop looking */
    uint32_t position;    /* of the next byte of input, modulo 2^32; 0 only for a new stream */
    bool (*parse)(struct fino_deflate_compressor *, const struct deflate_input *, struct deflate_writer *);
    struct deflate_spans spans;
    union {
        struct deflate_compressor_lazy lazy;
    } finder; /* last: only as much of it is allocated as the level uses */
};

bool deflate_parse_lazy(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer);
bool deflate_parse_lazy2(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                         struct deflate_writer *writer);

/* Makes COMPRESSOR forget the stream before. */
void deflate_compressor_reset(struct fino_deflate_compressor *compressor);

/* Compresses INPUT, the continuation of the stream since the last reset. Returns false when the output is full. */
bool deflate_compressor_run(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                            struct deflate_writer *writer);

#endif
