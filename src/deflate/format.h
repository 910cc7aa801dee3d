/* format.h: the constants and tables of the DEFLATE format. Source: RFC 1951 section 3.2. */
#ifndef DEFLATE_FORMAT_H
#define DEFLATE_FORMAT_H

#include "bytes.h"

enum {
    DEFLATE_BLOCK_STORED = 0,
    DEFLATE_BLOCK_FIXED = 1,
    DEFLATE_BLOCK_DYNAMIC = 2,

    DEFLATE_MIN_MATCH = 3,
    DEFLATE_MAX_MATCH = 258,
    DEFLATE_WINDOW = 32768, /* the greatest offset */

    DEFLATE_STORED_MAX = 65535, /* bytes in one stored block */

    DEFLATE_END_OF_BLOCK = 256,
    DEFLATE_FIRST_LENGTH = 257, /* the symbol of length slot 0 */

    DEFLATE_LITLEN_SYMBOLS = 288, /* 286 and 287 exist in the fixed code alone */
    DEFLATE_LITLEN_USED = 286,
    DEFLATE_OFFSET_SYMBOLS = 32, /* 30 and 31 exist in the fixed code alone */
    DEFLATE_OFFSET_USED = 30,
    DEFLATE_PRECODE_SYMBOLS = 19,
    DEFLATE_LENGTH_SLOTS = 29,

    DEFLATE_MAX_CODE_BITS = 15,
    DEFLATE_MAX_PRECODE_BITS = 7,
};

/* Where each length slot begins, and how many extra bits follow its symbol. */
extern const uint16_t deflate_length_base[DEFLATE_LENGTH_SLOTS];
extern const uint8_t deflate_length_extra[DEFLATE_LENGTH_SLOTS];
/* The slot of each match length 3 .. 258. */
extern const uint8_t deflate_length_slot[DEFLATE_MAX_MATCH + 1];
/* The same for offsets. */
extern const uint16_t deflate_offset_base[DEFLATE_OFFSET_USED];
extern const uint8_t deflate_offset_extra[DEFLATE_OFFSET_USED];
/* The order in which a dynamic block's header lists the lengths of the precode. */
extern const uint8_t deflate_precode_order[DEFLATE_PRECODE_SYMBOLS];

/* The slot of OFFSET, 1 .. 32768. Two slots share each power of two, told apart by the bit below the highest. */
DEFLATE_INLINE unsigned deflate_offset_slot(uint32_t offset) {
    uint32_t distance = offset - 1;
    unsigned top = highest_bit(distance | 2);
    return 2 * top + ((distance >> (top - 1)) & 1) - (distance < 2 ? 2 : 0);
}

/* The lengths of the fixed Huffman codes, RFC 1951 section 3.2.6. */
DEFLATE_INLINE unsigned deflate_fixed_litlen_bits(unsigned symbol) {
    return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}
enum { DEFLATE_FIXED_OFFSET_BITS = 5 };

#endif
