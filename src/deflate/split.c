/* split.c: where blocks end.
 *
 * A new block pays for new Huffman codes (a header of 40 to 100 bytes) with codes that fit its symbols better. The
 * parser leaves a histogram for every short span of the input. Blocks are made bottom-up: every span begins as a
 * block of its own; then the two neighbours whose union costs least more than both apart, or saves most, are joined,
 * again and again, until no join saves anything. That takes fewer than three cost estimates per span, looks both
 * ways, and has no threshold to tune but the estimate of the header.
 *
 * The cost of a histogram is its entropy, in 1/256 bits and integers only (the same on every machine), plus the
 * estimated header. Extra bits are the same however blocks are cut, so they are left out.
 *
 * When the store is full and more input follows, the last block's spans stay behind as one span: what comes next may
 * belong to it. */
#include "spans.h"

enum {
    /* A header's estimated cost, in bits: for being there, and per used symbol. Dynamic headers of all kinds of data
     * come out near this; only differences between one header and two matter. */
    HEADER_BITS = 90,
    HEADER_BITS_PER_SYMBOL = 3,
    FRACTION_BITS = 8,
};

/* A block being grown: spans first .. first + count - 1. */
struct group {
    unsigned first;
    unsigned count;
    struct deflate_histogram *histogram; /* of all of them; lives in the first span */
    int64_t cost;
    int64_t joined_cost; /* of this and the next group as one */
};

/* Computes log2 of 1 + i/256, times 2^16, by repeated squaring. */
void deflate_spans_init(struct deflate_spans *spans) {
    spans->span_count = 0;
    spans->sequence_count = 0;
    for (unsigned i = 0; i < 256; i++) {
        uint64_t mantissa = ((uint64_t)256 + i) << 22; /* 1 is 2^30 */
        uint32_t log = 0;
        for (int bit = 0; bit < 16; bit++) {
            mantissa = mantissa * mantissa >> 30;
            log <<= 1;
            if (mantissa >> 31) {
                mantissa >>= 1;
                log |= 1;
            }
        }
        spans->log2_fraction[i] = log;
    }
}

/* VALUE, less than 2^24, times its log2, in 1/256 bits. Without a branch: which symbols occur can't be predicted. */
DEFLATE_INLINE uint64_t times_log2(const uint32_t *log2_fraction, uint32_t value) {
    unsigned top = highest_bit(value | 1);
    uint32_t log = (top << 16) + log2_fraction[((value << 8) >> top) & 255];
    return (uint64_t)value * log >> (16 - FRACTION_BITS);
}

static int64_t code_cost(const uint32_t *log2_fraction, const uint32_t *a, const uint32_t *b, unsigned count) {
    uint64_t total = 0, sum = 0;
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t frequency = a[i] + (b ? b[i] : 0);
        used += frequency != 0;
        total += frequency;
        sum += times_log2(log2_fraction, frequency);
    }
    return (int64_t)(times_log2(log2_fraction, (uint32_t)total) - sum) +
           ((int64_t)used * HEADER_BITS_PER_SYMBOL << FRACTION_BITS);
}

/* What a block with the symbols of A, and of B unless it is NULL, would take. */
static int64_t estimate(const uint32_t *log2_fraction, const struct deflate_histogram *a,
                        const struct deflate_histogram *b) {
    return ((int64_t)HEADER_BITS << FRACTION_BITS) +
           code_cost(log2_fraction, a->litlen, b ? b->litlen : NULL, DEFLATE_LITLEN_USED) +
           code_cost(log2_fraction, a->offset, b ? b->offset : NULL, DEFLATE_OFFSET_USED);
}

static void add_histogram(struct deflate_histogram *to, const struct deflate_histogram *from) {
    for (unsigned i = 0; i < DEFLATE_LITLEN_SYMBOLS; i++)
        to->litlen[i] += from->litlen[i];
    for (unsigned i = 0; i < DEFLATE_OFFSET_SYMBOLS; i++)
        to->offset[i] += from->offset[i];
}

/* The pair of neighbours whose join saves most, as the index of its first; GROUP_COUNT when none saves. */
static unsigned best_join(const struct group *groups, unsigned group_count) {
    unsigned best = group_count;
    int64_t best_saving = 0;
    for (unsigned i = 0; i + 1 < group_count; i++) {
        int64_t saving = groups[i].cost + groups[i + 1].cost - groups[i].joined_cost;
        if (saving > best_saving) {
            best_saving = saving;
            best = i;
        }
    }
    return best;
}

static void update_join(const struct deflate_spans *spans, struct group *groups, unsigned i) {
    groups[i].joined_cost = estimate(spans->log2_fraction, groups[i].histogram, groups[i + 1].histogram);
}

/* Makes groups of the spans. Returns their number. */
static unsigned group_spans(struct deflate_spans *spans, struct group *groups) {
    unsigned group_count = (unsigned)spans->span_count, i;
    for (i = 0; i < group_count; i++) {
        struct deflate_histogram *histogram = &spans->spans[i].histogram;
        groups[i] = (struct group){i, 1, histogram, estimate(spans->log2_fraction, histogram, NULL), 0};
    }
    for (i = 0; i + 1 < group_count; i++)
        update_join(spans, groups, i);
    while ((i = best_join(groups, group_count)) < group_count) {
        add_histogram(groups[i].histogram, groups[i + 1].histogram);
        groups[i].count += groups[i + 1].count;
        groups[i].cost = groups[i].joined_cost;
        group_count--;
        memmove(&groups[i + 1], &groups[i + 2], (group_count - i - 1) * sizeof *groups);
        if (i + 1 < group_count) update_join(spans, groups, i);
        if (i > 0) update_join(spans, groups, i - 1);
    }
    return group_count;
}

unsigned deflate_spans_cut(struct deflate_spans *spans, size_t *ends_out) {
    struct group groups[DEFLATE_SPAN_COUNT];
    unsigned group_count = group_spans(spans, groups);
    size_t end = 0;
    for (unsigned i = 0; i < group_count; i++) {
        for (unsigned span = 0; span < groups[i].count; span++)
            end += spans->spans[groups[i].first + span].in_nbytes;
        ends_out[i] = end;
    }
    return group_count;
}

/* Keeps the spans of GROUP, whose sequences begin at FIRST_SEQUENCE, as the one span left. */
static void keep_group(struct deflate_spans *spans, const struct group *group, size_t first_sequence,
                       size_t in_nbytes) {
    spans->sequence_count -= first_sequence;
    memmove(spans->sequences, spans->sequences + first_sequence, spans->sequence_count * sizeof *spans->sequences);
    if (group->first) spans->spans[0].histogram = *group->histogram;
    spans->spans[0].sequence_count = spans->sequence_count;
    spans->spans[0].in_nbytes = in_nbytes;
    spans->span_count = 1;
}

bool deflate_spans_write(struct deflate_spans *spans, struct deflate_writer *writer, bool is_last, bool is_final) {
    struct group groups[DEFLATE_SPAN_COUNT];
    unsigned group_count = group_spans(spans, groups);
    size_t first_sequence = 0;

    for (unsigned i = 0; i < group_count; i++) {
        struct deflate_block block = {.in = spans->in,
                                      .sequences = spans->sequences + first_sequence,
                                      .histogram = groups[i].histogram,
                                      .is_final = is_final && i + 1 == group_count};
        for (unsigned span = 0; span < groups[i].count; span++) {
            block.in_nbytes += spans->spans[groups[i].first + span].in_nbytes;
            block.sequence_count += spans->spans[groups[i].first + span].sequence_count;
        }
        if (!is_last && i > 0 && i + 1 == group_count) {
            keep_group(spans, &groups[i], first_sequence, block.in_nbytes);
            return true;
        }
        if (!deflate_block_write(writer, &block)) return false;
        spans->in += block.in_nbytes;
        first_sequence += block.sequence_count;
    }
    spans->span_count = 0;
    spans->sequence_count = 0;
    return true;
}
