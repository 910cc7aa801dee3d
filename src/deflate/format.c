/* format.c: the tables of format.h. */
#include "format.h"

const uint16_t deflate_length_base[DEFLATE_LENGTH_SLOTS] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};

const uint8_t deflate_length_extra[DEFLATE_LENGTH_SLOTS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

#define TIMES_2(slot) slot, slot
#define TIMES_4(slot) TIMES_2(slot), TIMES_2(slot)
#define TIMES_8(slot) TIMES_4(slot), TIMES_4(slot)
#define TIMES_16(slot) TIMES_8(slot), TIMES_8(slot)
#define TIMES_31(slot) TIMES_16(slot), TIMES_8(slot), TIMES_4(slot), TIMES_2(slot), slot
#define TIMES_32(slot) TIMES_16(slot), TIMES_16(slot)

/* clang-format off */
const uint8_t deflate_length_slot[DEFLATE_MAX_MATCH + 1] = {
    0, 0, 0, /* no match is shorter than 3 */
    0, 1, 2, 3, 4, 5, 6, 7,
    TIMES_2(8), TIMES_2(9), TIMES_2(10), TIMES_2(11),
    TIMES_4(12), TIMES_4(13), TIMES_4(14), TIMES_4(15),
    TIMES_8(16), TIMES_8(17), TIMES_8(18), TIMES_8(19),
    TIMES_16(20), TIMES_16(21), TIMES_16(22), TIMES_16(23),
    TIMES_32(24), TIMES_32(25), TIMES_32(26), TIMES_31(27),
    28, /* 258 has a slot of its own */
};
/* clang-format on */

const uint16_t deflate_offset_base[DEFLATE_OFFSET_USED] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

const uint8_t deflate_offset_extra[DEFLATE_OFFSET_USED] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

const uint8_t deflate_precode_order[DEFLATE_PRECODE_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
