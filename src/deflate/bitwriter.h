/* bitwriter.h: puts codewords into the output, least significant bit first.
 *
 * Bits gather in a 64-bit word that a flush stores whole, moving on by the full bytes. After a flush at most 7 bits
 * are left, so that up to 57 bits may be added before the next. A block is measured before it is written, so there
 * is no check of the space per codeword: where fewer than 8 bytes of slack follow the block, the careful flush
 * stores byte by byte. */
#ifndef DEFLATE_BITWRITER_H
#define DEFLATE_BITWRITER_H

#include "bytes.h"

struct deflate_writer {
    uint64_t bits;
    unsigned bit_count;
    uint8_t *next;
    uint8_t *end;
};

DEFLATE_INLINE void writer_add(struct deflate_writer *writer, uint64_t bits, unsigned bit_count) {
    writer->bits |= bits << writer->bit_count;
    writer->bit_count += bit_count;
}

DEFLATE_INLINE void writer_flush(struct deflate_writer *writer, bool careful) {
    if (careful) {
        while (writer->bit_count >= 8) {
            *writer->next++ = (uint8_t)writer->bits;
            writer->bits >>= 8;
            writer->bit_count -= 8;
        }
        return;
    }
    store_le64(writer->next, writer->bits);
    writer->next += writer->bit_count >> 3;
    writer->bits >>= writer->bit_count & ~7u;
    writer->bit_count &= 7;
}

/* How many bits the output still takes. */
DEFLATE_INLINE uint64_t writer_room(const struct deflate_writer *writer) {
    return 8 * (uint64_t)(writer->end - writer->next) - writer->bit_count;
}

/* Completes the last byte with zero bits. Returns false when there is no room for it. */
DEFLATE_INLINE bool writer_align(struct deflate_writer *writer) {
    writer_flush(writer, true);
    if (writer->bit_count == 0) return true;
    if (writer->next == writer->end) return false;
    *writer->next++ = (uint8_t)writer->bits;
    writer->bits = 0;
    writer->bit_count = 0;
    return true;
}

#endif
