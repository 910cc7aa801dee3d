/* parse_optimal.c: the parser of level 12: the cheapest way through the input under a model of what symbols cost.
 *
 * For every position of a section (up to 192 KiB) all matches worth knowing are found once: for each length the
 * nearest offset. The cheapest sequence of literals and matches is then a shortest path, found from the end backwards:
 * the cost of a position is the least, over all steps that begin there, of the step's cost plus that of where it leads.
 *
 * What symbols cost is only known when the block is encoded, which is what the path decides. So it is iterated: the
 * path's histogram gives new costs (its entropy, in 1/256 bits, smoother than whole bits), these a new path, and so on
 * while the true size, header included, shrinks. The costs of the best round are kept and its path made again.
 *
 * Where blocks end comes from the histograms of a first path over the whole section (see split.c); each block then has
 * its own rounds. Unless the input ends, the last block of a section is left to be part of the next. */
#include "compressor.h"

enum {
    MAX_ROUNDS = 10,
    /* A cost no path has, but small enough to add to. */
    UNREACHABLE = 0x40000000,
    COST_BITS = 8, /* costs are in 1/256 bits */
    /* What a symbol that did not occur is taken to cost: as if it had occurred half a time. */
    UNSEEN_PENALTY = 1 << COST_BITS,
};

/* The least distance between possible ends of blocks: a match may reach over the place of one, and what is left must
 * still be what the bound relies on. */
enum { CUT_MIN_NBYTES = DEFLATE_SPAN_MIN_NBYTES + DEFLATE_MAX_MATCH };

struct costs {
    uint32_t literal[256];
    uint32_t length[DEFLATE_MAX_MATCH + 1];
    uint32_t offset[DEFLATE_OFFSET_USED];
};

/* ---- finding matches ---- */

/* Finds the matches at the cursor, ever longer and further away, entering it and moving on by one. Returns the end of
 * the list; at most DEFLATE_MAX_MATCH - 2 are found. */
static struct deflate_match *find_all(struct deflate_chains *chains, struct chains_cursor *cursor, unsigned depth,
                                      struct deflate_match *out) {
    const uint8_t *in = cursor->next;
    uint32_t position = chains_position(cursor), reach = chains_reach(cursor), near3, bytes = load_le32(in);
    unsigned max_length = (unsigned)min_size((size_t)(cursor->end - in), DEFLATE_MAX_MATCH), best_length = 3;
    uint32_t distance;

    chains_step(chains, cursor, &near3, &distance);
    if (near3 <= reach && ((load_le32(in - near3) ^ bytes) & 0xFFFFFF) == 0)
        *out++ = (struct deflate_match){3, (uint16_t)near3};
    while (best_length < max_length) {
        /* Follow the chain of the last four bytes that a longer match has. What is nearer than the best so far was on
         * the chains before. */
        const uint8_t *tail = in + best_length - 3;
        uint32_t tail_position = position + best_length - 3, tail_bytes = load_le32(tail);
        unsigned length = 0;
        if (best_length > 3)
            distance = (uint16_t)(tail_position - chains->heads4[chains_hash(tail_bytes, CHAINS_HASH4_BITS)] - 1) + 1u;
        for (;; distance += chains->steps[(tail_position - distance) % DEFLATE_WINDOW] + 1u) {
            if (distance > reach || depth-- == 0) return out;
            if (load_le32(in - distance) != bytes || load_le32(tail - distance) != tail_bytes) continue;
            length = match_extend(in, in - distance, 4, max_length);
            if (length > best_length) break;
        }
        best_length = length;
        *out++ = (struct deflate_match){(uint16_t)length, (uint16_t)distance};
    }
    return out;
}

/* Finds the matches of positions until the section is full or the input ends. */
static void fill_section(struct fino_deflate_compressor *compressor, struct deflate_optimal *optimal,
                         struct chains_cursor *cursor) {
    struct deflate_match *next = optimal->matches + optimal->match_start[optimal->nbytes];
    const struct deflate_match *limit = optimal->matches + OPTIMAL_MATCH_COUNT - DEFLATE_MAX_MATCH;
    while (optimal->nbytes < OPTIMAL_SECTION_NBYTES && next < limit && cursor->next < cursor->end) {
        if (optimal->skip_count > 0) {
            optimal->skip_count--;
            chains_skip(&optimal->chains, cursor, 1);
        } else if (cursor->end - cursor->next < CHAINS_LOOKAHEAD) {
            chains_skip(&optimal->chains, cursor, 1);
        } else {
            const struct deflate_match *first = next;
            chains_sweep(&optimal->chains, chains_position(cursor));
            next = find_all(&optimal->chains, cursor, compressor->effort->depth, next);
            /* Within the longest of matches nothing better will be found; a few positions before its end are enough to
             * go on from. */
            if (next > first && next[-1].length == DEFLATE_MAX_MATCH) optimal->skip_count = DEFLATE_MAX_MATCH - 8;
        }
        optimal->match_start[++optimal->nbytes] = (uint32_t)(next - optimal->matches);
    }
}

/* ---- costs ---- */

/* The cost of each symbol under the frequencies it had. */
static void entropy_costs(const uint32_t *log2_fraction, const uint32_t *frequencies, unsigned count,
                          uint32_t *costs_out) {
    uint32_t total = 0;
    for (unsigned i = 0; i < count; i++)
        total += frequencies[i];
    uint32_t most = deflate_log2(log2_fraction, total ? total : 1);
    for (unsigned i = 0; i < count; i++) {
        costs_out[i] = frequencies[i] ? most - deflate_log2(log2_fraction, frequencies[i]) : most + UNSEEN_PENALTY;
        if (costs_out[i] < 1 << COST_BITS) costs_out[i] = 1 << COST_BITS; /* no codeword is shorter than a bit */
    }
}

static void costs_from_histogram(const uint32_t *log2_fraction, const struct deflate_histogram *histogram,
                                 struct costs *costs) {
    uint32_t litlen[DEFLATE_LITLEN_USED];
    entropy_costs(log2_fraction, histogram->litlen, DEFLATE_LITLEN_USED, litlen);
    memcpy(costs->literal, litlen, sizeof costs->literal);
    for (unsigned length = DEFLATE_MIN_MATCH; length <= DEFLATE_MAX_MATCH; length++) {
        unsigned slot = deflate_length_slot[length];
        costs->length[length] =
            litlen[DEFLATE_FIRST_LENGTH + slot] + ((uint32_t)deflate_length_extra[slot] << COST_BITS);
    }
    entropy_costs(log2_fraction, histogram->offset, DEFLATE_OFFSET_USED, costs->offset);
    for (unsigned slot = 0; slot < DEFLATE_OFFSET_USED; slot++)
        costs->offset[slot] += (uint32_t)deflate_offset_extra[slot] << COST_BITS;
}

/* Where nothing is known: literals as they are in the input, matches as is common. */
static void first_costs(const uint32_t *log2_fraction, const uint8_t *in, size_t nbytes, struct costs *costs) {
    struct deflate_histogram histogram;
    memset(&histogram, 0, sizeof histogram);
    for (size_t i = 0; i < nbytes; i++)
        histogram.litlen[in[i]]++;
    for (unsigned slot = 0; slot < DEFLATE_LENGTH_SLOTS; slot++)
        histogram.litlen[DEFLATE_FIRST_LENGTH + slot] = (uint32_t)nbytes / (16 + 4 * slot) + 1;
    for (unsigned slot = 0; slot < DEFLATE_OFFSET_USED; slot++)
        histogram.offset[slot] = 1;
    costs_from_histogram(log2_fraction, &histogram, costs);
}

/* ---- paths ---- */

/* Finds the cheapest path from BEGIN to END of the section. */
static void find_path(struct deflate_optimal *optimal, const uint8_t *in, size_t begin, size_t end,
                      const struct costs *costs) {
    uint32_t *cost_to_end = optimal->cost_to_end;
    cost_to_end[end] = 0;
    for (size_t i = 1; i <= DEFLATE_MAX_MATCH; i++) /* no step leads past the end */
        cost_to_end[end + i] = UNREACHABLE;
    for (size_t i = end; i-- > begin;) {
        const struct deflate_match *match = optimal->matches + optimal->match_start[i];
        const struct deflate_match *last = optimal->matches + optimal->match_start[i + 1];
        uint32_t best = costs->literal[in[i]] + cost_to_end[i + 1], choice = 1;
        unsigned length = DEFLATE_MIN_MATCH;
        for (; match < last; match++) {
            uint32_t offset_cost = costs->offset[deflate_offset_slot(match->offset)];
            for (; length <= match->length; length++) {
                uint32_t cost = offset_cost + costs->length[length] + cost_to_end[i + length];
                if (cost < best) {
                    best = cost;
                    choice = (uint32_t)match->offset << DEFLATE_LENGTH_BITS | length;
                }
            }
        }
        cost_to_end[i] = best;
        optimal->choices[i] = choice;
    }
}

/* Counts the symbols of the path from BEGIN, as far as it goes below END. Returns where that is. */
static size_t count_path(const struct deflate_optimal *optimal, const uint8_t *in, size_t begin, size_t end,
                         struct deflate_histogram *histogram) {
    size_t i = begin;
    memset(histogram, 0, sizeof *histogram);
    while (i < end) {
        uint32_t length = optimal->choices[i] & DEFLATE_LENGTH_MASK;
        if (length == 1) {
            histogram->litlen[in[i]]++;
        } else {
            histogram->litlen[DEFLATE_FIRST_LENGTH + deflate_length_slot[length]]++;
            histogram->offset[deflate_offset_slot(optimal->choices[i] >> DEFLATE_LENGTH_BITS)]++;
        }
        i += length;
    }
    return i;
}

static size_t make_sequences(struct deflate_optimal *optimal, size_t begin, size_t end) {
    struct deflate_sequence *next = optimal->sequences;
    uint32_t run = 0;
    for (size_t i = begin; i < end;) {
        uint32_t length = optimal->choices[i] & DEFLATE_LENGTH_MASK,
                 offset = optimal->choices[i] >> DEFLATE_LENGTH_BITS;
        i += length;
        if (length == 1) {
            run++;
            continue;
        }
        *next++ = (struct deflate_sequence){run << DEFLATE_LENGTH_BITS | length, (uint16_t)offset,
                                            (uint16_t)deflate_offset_slot(offset)};
        run = 0;
    }
    if (run) *next++ = (struct deflate_sequence){run << DEFLATE_LENGTH_BITS, 0, 0};
    return (size_t)(next - optimal->sequences);
}

/* Finds the best path for the block from BEGIN to END, beginning with COSTS, and leaves the costs it came from there.
 */
static void optimize_block(struct deflate_optimal *optimal, const uint32_t *log2_fraction, const uint8_t *in,
                           size_t begin, size_t end, struct costs *costs, struct deflate_histogram *histogram) {
    struct costs best_costs = *costs;
    uint64_t best_bits = UINT64_MAX;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        struct deflate_code_lengths lengths;
        uint64_t bits;
        find_path(optimal, in, begin, end, costs);
        count_path(optimal, in, begin, end, histogram);
        histogram->litlen[DEFLATE_END_OF_BLOCK] = 1;
        deflate_make_code_lengths(histogram, &lengths);
        bits = deflate_header_bits(&lengths) + deflate_body_bits(histogram, &lengths);
        if (bits < best_bits) {
            best_bits = bits;
            best_costs = *costs;
        } else if (round > 2) {
            break;
        }
        costs_from_histogram(log2_fraction, histogram, costs);
    }
    *costs = best_costs;
    find_path(optimal, in, begin, end, costs);
    count_path(optimal, in, begin, end, histogram);
}

/* ---- sections ---- */

/* Cuts the section into blocks by the path that COSTS give. Returns their number; ENDS_OUT are their ends. */
static unsigned cut_section(struct deflate_spans *spans, struct deflate_optimal *optimal, const uint8_t *in,
                            const struct costs *costs, size_t *ends_out) {
    size_t nbytes = optimal->nbytes, step = nbytes / DEFLATE_SPAN_COUNT + 1, i = 0;
    unsigned count;
    if (step < CUT_MIN_NBYTES) step = CUT_MIN_NBYTES;
    find_path(optimal, in, 0, nbytes, costs);
    for (spans->span_count = 0; i < nbytes; spans->span_count++) {
        struct deflate_span *span = &spans->spans[spans->span_count];
        size_t span_end = min_size(nbytes, step * (spans->span_count + 1));
        size_t begin = i;
        i = count_path(optimal, in, begin, span_end, &span->histogram);
        span->in_nbytes = i - begin;
        span->sequence_count = 0;
    }
    count = deflate_spans_cut(spans, ends_out);
    spans->span_count = 0;
    return count;
}

/* Writes the blocks of the section, but not the last of several when more input follows. Returns how many bytes are
 * done, or 0 when the output is full. */
static size_t write_section(struct fino_deflate_compressor *compressor, struct deflate_writer *writer,
                            const uint8_t *in, struct costs *costs, bool is_last, bool is_final) {
    struct deflate_optimal *optimal = &compressor->finder.optimal;
    size_t ends[DEFLATE_SPAN_COUNT], begin = 0;
    unsigned count = cut_section(&compressor->spans, optimal, in, costs, ends);
    for (unsigned i = 0; i < count; i++) {
        struct deflate_histogram histogram;
        struct deflate_block block = {.in = in + begin, .in_nbytes = ends[i] - begin, .histogram = &histogram};
        if (!is_last && i > 0 && i + 1 == count) break;
        optimize_block(optimal, compressor->spans.log2_fraction, in, begin, ends[i], costs, &histogram);
        block.sequences = optimal->sequences;
        block.sequence_count = make_sequences(optimal, begin, ends[i]);
        block.is_final = is_last && is_final && i + 1 == count;
        if (!deflate_block_write(writer, &block)) return 0;
        begin = ends[i];
    }
    return begin;
}

/* Forgets the first NBYTES of the section. */
static void drop_front(struct deflate_optimal *optimal, size_t nbytes) {
    uint32_t first = optimal->match_start[nbytes], last = optimal->match_start[optimal->nbytes];
    memmove(optimal->matches, optimal->matches + first, (last - first) * sizeof *optimal->matches);
    optimal->nbytes -= nbytes;
    for (size_t i = 0; i <= optimal->nbytes; i++)
        optimal->match_start[i] = optimal->match_start[i + nbytes] - first;
}

bool deflate_parse_optimal(struct fino_deflate_compressor *compressor, const struct deflate_input *input,
                           struct deflate_writer *writer) {
    struct deflate_optimal *optimal = &compressor->finder.optimal;
    struct chains_cursor cursor = chains_start(input, compressor->position, CHAINS_HASH3_MAX_BITS);
    const uint8_t *in = input->next;
    struct costs costs;

    optimal->nbytes = 0;
    optimal->match_start[0] = 0;
    optimal->skip_count = 0;
    first_costs(compressor->spans.log2_fraction, in, min_size((size_t)(input->end - in), OPTIMAL_SECTION_NBYTES),
                &costs);
    while (in < input->end) {
        bool is_last;
        size_t done;
        fill_section(compressor, optimal, &cursor);
        is_last = cursor.next == input->end;
        done = write_section(compressor, writer, in, &costs, is_last, input->is_final);
        if (done == 0) return false;
        in += done;
        drop_front(optimal, done);
    }
    compressor->position = chains_position(&cursor);
    return true;
}
