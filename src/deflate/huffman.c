/* huffman.c: from symbol frequencies to codeword lengths, and from lengths to canonical codewords.
 *
 * The lengths are found in three steps, none of which builds a tree of pointers:
 *
 * 1. The used symbols are sorted by frequency (a radix sort: there are up to 286 of them, thousands of times a
 *    second).
 * 2. Moffat and Katajainen, "In-place calculation of minimum-redundancy codes" (1995): one array holds first the
 *    weights, then the parents, then the depths of the inner nodes. What comes out here is only how many codewords
 *    have each length, since the symbols are taken in order of frequency.
 * 3. Depths over the limit are cut to it, which over-subscribes the code; codewords are then lengthened, cheapest
 *    (the longest below the limit) first, until Kraft's sum is 1 again. This is not always the optimum that
 *    package-merge finds, but the limit of 15 bits binds rarely and the excess is a few bits a block. */
#include "huffman.h"

enum { MAX_SYMBOLS = DEFLATE_LITLEN_SYMBOLS };

/* Sorts COUNT symbols by frequency, ties by symbol, one byte of the frequency at a time. Each step skips bytes that
 * no frequency has. */
static void sort_by_frequency(const uint32_t *frequencies, uint16_t *symbols, unsigned count, uint32_t highest) {
    uint16_t scratch[MAX_SYMBOLS];
    for (unsigned shift = 0; shift < 32 && highest >> shift; shift += 8) {
        uint16_t starts[256] = {0};
        for (unsigned i = 0; i < count; i++)
            starts[(frequencies[symbols[i]] >> shift) & 255]++;
        for (unsigned digit = 0, sum = 0; digit < 256; digit++) {
            unsigned here = starts[digit];
            starts[digit] = (uint16_t)sum;
            sum += here;
        }
        for (unsigned i = 0; i < count; i++)
            scratch[starts[(frequencies[symbols[i]] >> shift) & 255]++] = symbols[i];
        memcpy(symbols, scratch, count * sizeof *symbols);
    }
}

/* Replaces the sorted WEIGHTS of COUNT >= 2 leaves by the depths of the COUNT - 1 inner nodes, the root last. */
static void inner_node_depths(uint32_t *weights, unsigned count) {
    unsigned leaf = 0, inner = 0;
    for (unsigned node = 0; node < count - 1; node++) {
        uint32_t sum = 0;
        for (int child = 0; child < 2; child++) {
            /* Inner nodes before INNER have been used and hold their parent; those before NODE still hold weights. */
            if (leaf >= count || (inner < node && weights[inner] < weights[leaf])) {
                sum += weights[inner];
                weights[inner++] = node;
            } else {
                sum += weights[leaf++];
            }
        }
        weights[node] = sum;
    }
    weights[count - 2] = 0;
    for (unsigned node = count - 2; node-- > 0;)
        weights[node] = weights[weights[node]] + 1;
}

/* How many of COUNT >= 2 leaves have each depth, from the depths of the inner nodes; depths above MAX_BITS count
 * as MAX_BITS. */
static void count_leaf_depths(const uint32_t *depths, unsigned count, unsigned max_bits, unsigned *counts_out) {
    unsigned available = 1, next = count - 1, left = count;
    for (unsigned depth = 0; left; depth++) {
        unsigned inner = 0;
        while (next > 0 && depths[next - 1] == depth) {
            inner++;
            next--;
        }
        unsigned leaves = available - inner;
        counts_out[depth < max_bits ? depth : max_bits] += leaves;
        left -= leaves;
        available = 2 * inner;
    }
}

/* Lengthens codewords until the code is no longer over-subscribed. */
static void repair_kraft_sum(unsigned *counts, unsigned max_bits) {
    uint32_t sum = 0;
    for (unsigned bits = 1; bits <= max_bits; bits++)
        sum += counts[bits] << (max_bits - bits);
    while (sum > 1u << max_bits) {
        unsigned bits = max_bits - 1;
        while (counts[bits] == 0)
            bits--;
        /* One codeword becomes an inner node with two below it; one of those takes a codeword from the limit. */
        counts[bits]--;
        counts[bits + 1] += 2;
        counts[max_bits]--;
        sum--;
    }
}

void deflate_huffman_lengths(const uint32_t *frequencies, unsigned count, unsigned max_bits, uint8_t *lengths_out) {
    uint16_t symbols[MAX_SYMBOLS];
    uint32_t weights[MAX_SYMBOLS];
    unsigned used = 0, counts[DEFLATE_MAX_CODE_BITS + 1] = {0};
    uint32_t highest = 0;

    memset(lengths_out, 0, count);
    for (unsigned symbol = 0; symbol < count; symbol++) {
        if (!frequencies[symbol]) continue;
        symbols[used++] = (uint16_t)symbol;
        highest |= frequencies[symbol];
    }
    if (used == 0) return;
    if (used == 1) {
        lengths_out[symbols[0]] = 1;
        return;
    }
    sort_by_frequency(frequencies, symbols, used, highest);
    for (unsigned i = 0; i < used; i++)
        weights[i] = frequencies[symbols[i]];
    inner_node_depths(weights, used);
    count_leaf_depths(weights, used, max_bits, counts);
    repair_kraft_sum(counts, max_bits);
    for (unsigned bits = max_bits, i = 0; bits > 0; bits--)
        for (unsigned n = counts[bits]; n > 0; n--)
            lengths_out[symbols[i++]] = (uint8_t)bits;
}

static uint16_t reverse_bits(uint32_t value, unsigned bits) {
    value = ((value & 0x5555) << 1) | ((value >> 1) & 0x5555);
    value = ((value & 0x3333) << 2) | ((value >> 2) & 0x3333);
    value = ((value & 0x0F0F) << 4) | ((value >> 4) & 0x0F0F);
    value = ((value & 0x00FF) << 8) | ((value >> 8) & 0x00FF);
    return (uint16_t)(value >> (16 - bits));
}

void deflate_huffman_codewords(const uint8_t *lengths, unsigned count, uint16_t *codewords_out) {
    uint32_t next[DEFLATE_MAX_CODE_BITS + 2] = {0};
    unsigned counts[DEFLATE_MAX_CODE_BITS + 1] = {0};
    for (unsigned symbol = 0; symbol < count; symbol++)
        counts[lengths[symbol]]++;
    counts[0] = 0;
    for (unsigned bits = 1; bits <= DEFLATE_MAX_CODE_BITS; bits++)
        next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
    for (unsigned symbol = 0; symbol < count; symbol++)
        codewords_out[symbol] = lengths[symbol] ? reverse_bits(next[lengths[symbol]]++, lengths[symbol]) : 0;
}
