/* block.h: one DEFLATE block: choose its type by its true cost, and write it. */
#ifndef DEFLATE_BLOCK_H
#define DEFLATE_BLOCK_H

#include "bitwriter.h"
#include "format.h"

/* A run of literals, then a match. The literals stay in the input. A length of 0: no match follows (the end of a
 * block, or of a span). */
struct deflate_sequence {
    uint32_t run_and_length; /* literal count << 9 | match length */
    uint16_t offset;
    uint16_t offset_slot;
};

enum {
    DEFLATE_LENGTH_BITS = 9,
    DEFLATE_LENGTH_MASK = (1 << DEFLATE_LENGTH_BITS) - 1,
    /* Four literals of 14 bits and 7 left over fill the 64-bit word, so the encoder does not use codewords of 15. */
    DEFLATE_ENCODER_LITLEN_BITS = 14,
};

/* How often each symbol occurs. The end of block is not counted: whoever makes the block adds it. */
struct deflate_histogram {
    uint32_t litlen[DEFLATE_LITLEN_SYMBOLS];
    uint32_t offset[DEFLATE_OFFSET_SYMBOLS];
};

struct deflate_block {
    const uint8_t *in;
    size_t in_nbytes;
    const struct deflate_sequence *sequences;
    size_t sequence_count;
    struct deflate_histogram *histogram; /* of these sequences */
    bool is_final;
};

/* Writes BLOCK in whichever of the three types is smallest. Returns false when it does not fit. */
bool deflate_block_write(struct deflate_writer *writer, struct deflate_block *block);

/* Writes NBYTES of IN as stored blocks (one empty block when NBYTES is 0). Returns false when they do not fit. */
bool deflate_stored_write(struct deflate_writer *writer, const uint8_t *in, size_t nbytes, bool is_final);

/* Writes an empty final block. Returns false when it does not fit. */
bool deflate_empty_write(struct deflate_writer *writer);

/* The two Huffman codes of a block, as codeword lengths. */
struct deflate_code_lengths {
    uint8_t litlen[DEFLATE_LITLEN_SYMBOLS];
    uint8_t offset[DEFLATE_OFFSET_SYMBOLS];
};

/* The best codes for HISTOGRAM (the end of block counted). */
void deflate_make_code_lengths(const struct deflate_histogram *histogram, struct deflate_code_lengths *lengths_out);

/* The bits that a dynamic block's header takes for LENGTHS, and that its symbols take, extra bits included. */
unsigned deflate_header_bits(const struct deflate_code_lengths *lengths);
uint64_t deflate_body_bits(const struct deflate_histogram *histogram, const struct deflate_code_lengths *lengths);

#endif
