/* parse_fast.c: the parser of level 1: greedy, with two candidates per position and no chains.
 *
 * A bucket holds the last two positions of a hash of four bytes in one 32-bit word, so that a look-up and an entry are
 * one load and one store. A match is taken as found. Where nothing matches for long, ever more positions are passed
 * over unsearched: data that can't be compressed are left alone soon. */
#include "compressor.h"

enum {
    /* Every position inside a match up to this long is entered; of longer ones only the beginning and the end. */
    ENTER_WHOLE = 48,
    ENTER_END = 16,
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

/* Enters the positions inside a match, of a long one only those near its ends. */
DEFLATE_INLINE void enter_match(struct deflate_fast *fast, const uint8_t *in, uint32_t position, unsigned length) {
    unsigned i = 1;
    if (length > ENTER_WHOLE) {
        for (; i < ENTER_END; i++)
            enter(fast, load_le32(in + i), position + i);
        i = length - ENTER_END;
    }
    for (; i < length; i++)
        enter(fast, load_le32(in + i), position + i);
}

/* The longer of the matches at the two distances, of which at least one has the first four bytes: its length. */
DEFLATE_INLINE unsigned longer_match(const uint8_t *in, uint32_t newer, uint32_t older, bool is_newer, bool is_older,
                                     unsigned max_length, uint32_t *distance_out) {
    unsigned length, other;
    if (!is_newer) {
        *distance_out = older;
        return match_extend(in, in - older, 4, max_length);
    }
    *distance_out = newer;
    length = match_extend(in, in - newer, 4, max_length);
    if (!is_older || length >= FAST_NICE_LENGTH || length == max_length) return length;
    if (load_le32(in + length - 3) != load_le32(in + length - 3 - older)) return length;
    other = match_extend(in, in - older, 4, max_length);
    if (other <= length) return length;
    *distance_out = older;
    return other;
}

/* Parses from NEXT, which has history before it, until SPAN_END or the span is full. Returns where that is.
 *
 * Both candidates are compared before the first branch. What is out of reach is replaced by the furthest in reach,
 * which is as good a candidate as any; so whether there is a match at all is one question, and one possible
 * misprediction. */
static const uint8_t *parse_span(struct deflate_fast *fast, const struct deflate_input *input, const uint8_t *next,
                                 uint32_t bias, struct deflate_emitter *shared_emitter, const uint8_t *span_end) {
    struct deflate_emitter emitter = *shared_emitter;
    const struct deflate_sequence *sequence_end = emitter.sequence + DEFLATE_SPAN_SEQUENCES;
    const uint8_t *const history = input->history, *const end = input->end;
    uint32_t misses = 0;

    while (next < span_end && emitter.sequence < sequence_end) {
        uint32_t position = (uint32_t)(uintptr_t)next - bias, bytes = load_le32(next);
        uint32_t reach = (uint32_t)min_size((size_t)(next - history), DEFLATE_WINDOW);
        uint32_t bucket = enter(fast, bytes, position);
        uint32_t newer = min_u32(((position - bucket - 1) & 0xFFFF) + 1, reach);
        uint32_t older = min_u32(((position - (bucket >> 16) - 1) & 0xFFFF) + 1, reach);
        bool is_newer = load_le32(next - newer) == bytes, is_older = load_le32(next - older) == bytes;
        if (is_newer | is_older) {
            unsigned max_length = (unsigned)min_size((size_t)(end - next), DEFLATE_MAX_MATCH);
            uint32_t distance;
            unsigned length = longer_match(next, newer, older, is_newer, is_older, max_length, &distance);
            emit_match(&emitter, length, distance);
            if (DEFLATE_LIKELY((size_t)(end - next) >= length + LOOKAHEAD)) enter_match(fast, next, position, length);
            next += length;
            misses = 0;
            continue;
        }
        emit_literal(&emitter, *next++);
        if (DEFLATE_UNLIKELY(++misses >> STRIDE_SHIFT)) {
            size_t stride = min_size(misses >> STRIDE_SHIFT, (size_t)(span_end - next));
            for (; stride > 0; stride--)
                emit_literal(&emitter, *next++);
        }
    }
    *shared_emitter = emitter;
    return next;
}

bool deflate_parse_fast(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer) {
    struct deflate_spans *spans = &compressor->spans;
    uint32_t bias = (uint32_t)(uintptr_t)input->next - compressor->position;
    const uint8_t *next = input->next, *end = input->end;
    const uint8_t *search_end = end - min_size((size_t)(end - next), LOOKAHEAD - 1);
    spans->in = next;
    while (next < end) {
        const uint8_t *span_start = next, *span_end = next + min_size((size_t)(end - next), DEFLATE_SPAN_NBYTES);
        struct deflate_emitter emitter = spans_open(spans);
        if (next == input->history) emit_literal(&emitter, *next++); /* a search needs a byte of history */
        next = parse_span(&compressor->finder.fast, input, next, bias, &emitter,
                          span_end < search_end ? span_end : search_end);
        while (next >= search_end && next < end)
            emit_literal(&emitter, *next++);
        spans_close(spans, &emitter, (size_t)(next - span_start));
        if (spans_full(spans) && next < end && !deflate_spans_write(spans, writer, false, false)) return false;
    }
    compressor->position += (uint32_t)(end - input->next);
    return deflate_spans_write(spans, writer, true, input->is_final);
}
