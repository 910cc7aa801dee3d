/* parse_lazy.c: the parser of the middle levels: hash chains, with a look at the next position or two before a match
 * is taken. */
#include "compressor.h"

/* Up to level 7 few matches of length 3 are worth more than the cache that a large table of them takes: a small one
 * forgets the far ones, which cost about what literals do. */
enum { SMALL_HASH3_BITS = 12 };

/* The heads are swept, when that is due, after so many bytes. */
enum { STRIDE_NBYTES = 12288 };

/* After so many literals in a row the data look incompressible: for every 2^8 of them one more position is passed over
 * after each that is searched. */
enum { PASS_SHIFT = 8 };

struct match {
    unsigned length;
    unsigned offset;
};

/* What NEXT, one position on, is worth over CURRENT: a byte longer counts four, a bit of offset less one. */
DEFLATE_INLINE int gain(struct match current, struct match next) {
    return 4 * ((int)next.length - (int)current.length) +
           ((int)highest_bit(current.offset) - (int)highest_bit(next.offset));
}

static void pass_literals(struct chains_cursor *cursor, struct deflate_emitter *emitter, const uint8_t *stride_end) {
    unsigned count = emitter->run >> PASS_SHIFT;
    if (cursor->next >= stride_end) return;
    count = (unsigned)min_size(count, (size_t)(stride_end - cursor->next));
    for (unsigned i = 0; i < count; i++)
        emit_literal(emitter, cursor->next[i]);
    chains_pass(cursor, count);
}

/* Parses until STRIDE_END, or as far beyond it as a match leads, or until the sequences reach SEQUENCE_END. */
DEFLATE_INLINE void parse_stride(struct fino_deflate_compressor *compressor, struct chains_cursor *cursor,
                                 struct deflate_emitter *emitter, const uint8_t *stride_end,
                                 const struct deflate_sequence *sequence_end, unsigned lookahead) {
    struct deflate_chains *chains = &compressor->finder.chains;
    const struct deflate_effort effort = *compressor->effort;
    const unsigned nice_length = effort.nice_length, depth = effort.depth;

    do {
        struct match match = {2, 0}, next = {2, 0};
        if (DEFLATE_UNLIKELY(cursor->end - cursor->next < CHAINS_LOOKAHEAD)) {
            emit_literal(emitter, *cursor->next);
            chains_skip(chains, cursor, 1);
            continue;
        }
        match.length = chains_find(chains, cursor, 2, nice_length, depth, &match.offset);
        if (match.length < DEFLATE_MIN_MATCH) {
            emit_literal(emitter, cursor->next[-1]);
            if (DEFLATE_UNLIKELY(emitter->run >> PASS_SHIFT)) pass_literals(cursor, emitter, stride_end);
            continue;
        }
        for (;;) { /* here the cursor is one past the beginning of MATCH */
            if (match.length >= effort.lazy_length || cursor->end - cursor->next < CHAINS_LOOKAHEAD) {
                emit_match(emitter, match.length, match.offset);
                chains_skip(chains, cursor, match.length - 1);
                break;
            }
            next.length = chains_find(chains, cursor, match.length - 1, nice_length,
                                      match.length < effort.good_length ? effort.lazy_depth : effort.lazy_depth / 2,
                                      &next.offset);
            if (next.length >= match.length && gain(match, next) > 2) {
                emit_literal(emitter, cursor->next[-2]);
                match = next;
                continue;
            }
            if (lookahead == 1) {
                emit_match(emitter, match.length, match.offset);
                chains_skip(chains, cursor, match.length - 2);
                break;
            }
            if (cursor->end - cursor->next >= CHAINS_LOOKAHEAD) {
                next.length = chains_find(
                    chains, cursor, match.length - 1, nice_length,
                    match.length < effort.good_length ? effort.lazy_depth / 2 : effort.lazy_depth / 4, &next.offset);
                if (next.length >= match.length && gain(match, next) > 6) {
                    emit_literal(emitter, cursor->next[-3]);
                    emit_literal(emitter, cursor->next[-2]);
                    match = next;
                    continue;
                }
                emit_match(emitter, match.length, match.offset);
                if (match.length > 3) chains_skip(chains, cursor, match.length - 3);
                break;
            }
            emit_match(emitter, match.length, match.offset);
            chains_skip(chains, cursor, match.length - 2);
            break;
        }
    } while (cursor->next < stride_end && emitter->sequence < sequence_end);
}

DEFLATE_INLINE bool parse(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                          struct deflate_writer *writer, unsigned lookahead, unsigned hash3_bits) {
    struct deflate_spans *spans = &compressor->spans;
    struct chains_cursor cursor = chains_start(input, compressor->position, hash3_bits);

    spans->in = input->next;
    while (cursor.next < input->end) {
        const uint8_t *span_start = cursor.next;
        const uint8_t *span_end = span_start + min_size((size_t)(input->end - span_start), DEFLATE_SPAN_NBYTES);
        struct deflate_emitter emitter = spans_open(spans);
        const struct deflate_sequence *sequence_end = emitter.sequence + DEFLATE_SPAN_SEQUENCES;
        do {
            const uint8_t *stride_end = cursor.next + min_size((size_t)(span_end - cursor.next), STRIDE_NBYTES);
            chains_sweep(&compressor->finder.chains, chains_position(&cursor));
            parse_stride(compressor, &cursor, &emitter, stride_end, sequence_end, lookahead);
        } while (cursor.next < span_end && emitter.sequence < sequence_end);
        spans_close(spans, &emitter, (size_t)(cursor.next - span_start));
        if (spans_full(spans) && cursor.next < input->end && !deflate_spans_write(spans, writer, false, false))
            return false;
    }
    compressor->position = chains_position(&cursor);
    return deflate_spans_write(spans, writer, true, input->is_final);
}

bool deflate_parse_lazy(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                        struct deflate_writer *writer) {
    return parse(compressor, input, writer, 1, SMALL_HASH3_BITS);
}

bool deflate_parse_lazy2(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                         struct deflate_writer *writer) {
    return parse(compressor, input, writer, 2, CHAINS_HASH3_MAX_BITS);
}
