/* spans.h: what a parser puts out: sequences, and a histogram for every short span of them; and the choice of where
 * blocks end. */
#ifndef DEFLATE_SPANS_H
#define DEFLATE_SPANS_H

#include "block.h"

enum {
    /* A span ends after this many sequences or bytes of input. Shorter spans place the ends of blocks more exactly;
     * longer ones cost less to compare. */
    DEFLATE_SPAN_SEQUENCES = 768,
    DEFLATE_SPAN_NBYTES = 24576,
    /* The least bytes in a span that is not the last: matches have three or more. */
    DEFLATE_SPAN_MIN_NBYTES = 3 * DEFLATE_SPAN_SEQUENCES,
    /* How many spans and sequences are gathered before blocks are made of them. */
    DEFLATE_SPAN_COUNT = 32,
    DEFLATE_SEQUENCE_COUNT = DEFLATE_SPAN_COUNT * (DEFLATE_SPAN_SEQUENCES + 1),
};

struct deflate_span {
    size_t in_nbytes;
    size_t sequence_count;
    struct deflate_histogram histogram;
};

/* A store of spans. Position: IN is where the first span begins; the open span is spans[span_count]. */
struct deflate_spans {
    const uint8_t *in;
    size_t span_count;           /* closed ones */
    size_t sequence_count;       /* in all */
    uint32_t log2_fraction[256]; /* see split.c */
    struct deflate_span spans[DEFLATE_SPAN_COUNT];
    struct deflate_sequence sequences[DEFLATE_SEQUENCE_COUNT];
};

void deflate_spans_init(struct deflate_spans *spans);

/* The open span, while a parser fills it. */
struct deflate_emitter {
    struct deflate_histogram *histogram;
    struct deflate_sequence *sequence; /* the next to be written */
    uint32_t run;                      /* literals since the last match */
};

DEFLATE_INLINE struct deflate_emitter spans_open(struct deflate_spans *spans) {
    struct deflate_histogram *histogram = &spans->spans[spans->span_count].histogram;
    memset(histogram, 0, sizeof *histogram);
    return (struct deflate_emitter){histogram, spans->sequences + spans->sequence_count, 0};
}

DEFLATE_INLINE void emit_literal(struct deflate_emitter *emitter, uint8_t literal) {
    emitter->histogram->litlen[literal]++;
    emitter->run++;
}

DEFLATE_INLINE void emit_match(struct deflate_emitter *emitter, unsigned length, unsigned offset) {
    unsigned slot = deflate_offset_slot(offset);
    emitter->histogram->litlen[DEFLATE_FIRST_LENGTH + deflate_length_slot[length]]++;
    emitter->histogram->offset[slot]++;
    *emitter->sequence++ =
        (struct deflate_sequence){emitter->run << DEFLATE_LENGTH_BITS | length, (uint16_t)offset, (uint16_t)slot};
    emitter->run = 0;
}

/* Closes the open span, which covers IN_NBYTES. */
DEFLATE_INLINE void spans_close(struct deflate_spans *spans, struct deflate_emitter *emitter, size_t in_nbytes) {
    struct deflate_span *span = &spans->spans[spans->span_count++];
    size_t before = spans->sequence_count;
    if (emitter->run) *emitter->sequence++ = (struct deflate_sequence){emitter->run << DEFLATE_LENGTH_BITS, 0, 0};
    spans->sequence_count = (size_t)(emitter->sequence - spans->sequences);
    span->sequence_count = spans->sequence_count - before;
    span->in_nbytes = in_nbytes;
}

/* Whether there is no room for another span. */
DEFLATE_INLINE bool spans_full(const struct deflate_spans *spans) {
    return spans->span_count == DEFLATE_SPAN_COUNT ||
           spans->sequence_count > DEFLATE_SEQUENCE_COUNT - (DEFLATE_SPAN_SEQUENCES + 1);
}

/* The log2 of VALUE, not 0, in 1/256 bits. */
DEFLATE_INLINE uint32_t deflate_log2(const uint32_t *log2_fraction, uint32_t value) {
    unsigned top = highest_bit(value);
    return ((top << 16) + log2_fraction[(top <= 8 ? value << (8 - top) : value >> (top - 8)) & 255]) >> 8;
}

/* Cuts the gathered spans into blocks. Returns their number; ENDS_OUT are their ends, in bytes from the first span's
 * beginning. The histograms are used up. */
unsigned deflate_spans_cut(struct deflate_spans *spans, size_t *ends_out);

/* Writes the gathered spans, ending at IN_END, as blocks. Unless IS_LAST, the last block's spans may stay behind, since
 * what follows may belong to it. Returns false when the output is full. */
bool deflate_spans_write(struct deflate_spans *spans, struct deflate_writer *writer, bool is_last, bool is_final);

#endif
