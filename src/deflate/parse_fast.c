/* parse_fast.c: the parser of level 1: greedy, with two candidates per position and no chains.
 *
 * A bucket holds the last two positions of a hash of four bytes in one 32-bit word, so that a look-up and an entry are
 * one load and one store. A match is taken as found. Where nothing matches for long, ever more positions are passed
 * over unsearched: data that can't be compressed are left alone soon. */
#include "compressor.h"

enum {
    /* Every position inside a match up to this long is entered; of longer ones only the beginning and the end. */
    ENTER_WHOLE = 40,
    ENTER_END = 8,
    /* Each 2^6 literals without a match make the stride one longer. */
    STRIDE_SHIFT = 6,
    LOOKAHEAD = 4, /* bytes that the hash takes */
};

DEFLATE_INLINE uint32_t hash(uint32_t bytes) {
    return (bytes * 0x9E3779B1u) >> (32 - FAST_HASH_BITS);
}

DEFLATE_INLINE uint32_t enter(struct deflate_fast *fast, uint32_t bytes, uint32_t position) {
    uint32_t *bucket = &fast->buckets[hash(bytes)], before = *bucket;
    *bucket = before << 16 | (position & 0xFFFF);
    return before;
}

/* The length of the match of BYTES at DISTANCE back, or 0. */
DEFLATE_INLINE unsigned try_candidate(const uint8_t *in, uint32_t bytes, uint32_t distance, uint32_t reach,
                                      unsigned max_length) {
    if (distance > reach || load_le32(in - distance) != bytes) return 0;
    return match_extend(in, in - distance, 4, max_length);
}

static void enter_match(struct deflate_fast *fast, const uint8_t *in, const uint8_t *end, uint32_t position,
                        unsigned length) {
    unsigned last = (unsigned)min_size(length, (size_t)(end - in) < LOOKAHEAD ? 0 : (size_t)(end - in) - LOOKAHEAD + 1);
    for (unsigned i = 1; i < last; i++) {
        if (length > ENTER_WHOLE && i == ENTER_END) i = length - ENTER_END;
        if (i < last) enter(fast, load_le32(in + i), position + i);
    }
}

/* Parses from *NEXT until the span is full. */
static const uint8_t *parse_span(struct deflate_fast *fast, const struct deflate_input *input, const uint8_t *next,
                                 uint32_t base, struct deflate_emitter *emitter, const uint8_t *span_end) {
    const struct deflate_sequence *sequence_end = emitter->sequence + DEFLATE_SPAN_SEQUENCES;
    uint32_t misses = 0;
    do {
        size_t left = (size_t)(input->end - next);
        if (left < LOOKAHEAD) {
            emit_literal(emitter, *next++);
            continue;
        }
        uint32_t position = base + (uint32_t)(next - input->next), bytes = load_le32(next);
        uint32_t reach = (uint32_t)min_size((size_t)(next - input->history), DEFLATE_WINDOW);
        uint32_t bucket = enter(fast, bytes, position);
        uint32_t distance = ((position - bucket - 1) & 0xFFFF) + 1,
                 older = ((position - (bucket >> 16) - 1) & 0xFFFF) + 1;
        unsigned max_length = (unsigned)min_size(left, DEFLATE_MAX_MATCH);
        unsigned length = try_candidate(next, bytes, distance, reach, max_length);
        if (length < FAST_NICE_LENGTH) {
            unsigned other = try_candidate(next, bytes, older, reach, max_length);
            if (other > length) {
                length = other;
                distance = older;
            }
        }
        if (length) {
            emit_match(emitter, length, distance);
            enter_match(fast, next, input->end, position, length);
            next += length;
            misses = 0;
            continue;
        }
        size_t stride = min_size(1 + (misses++ >> STRIDE_SHIFT), (size_t)(span_end - next));
        for (size_t i = 0; i < stride; i++)
            emit_literal(emitter, next[i]);
        next += stride;
    } while (next < span_end && emitter->sequence < sequence_end);
    return next;
}

bool deflate_parse_fast(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer) {
    struct deflate_spans *spans = &compressor->spans;
    const uint8_t *next = input->next;
    spans->in = next;
    while (next < input->end) {
        const uint8_t *span_start = next;
        struct deflate_emitter emitter = spans_open(spans);
        next = parse_span(&compressor->finder.fast, input, next, compressor->position, &emitter,
                          next + min_size((size_t)(input->end - next), DEFLATE_SPAN_NBYTES));
        spans_close(spans, &emitter, (size_t)(next - span_start));
        if (spans_full(spans) && next < input->end && !deflate_spans_write(spans, writer, false, false)) return false;
    }
    compressor->position += (uint32_t)(input->end - input->next);
    return deflate_spans_write(spans, writer, true, input->is_final);
}
