/* crc32.c: CRC-32 by tables, eight bytes at a time, and by carry-less multiplication where the processor has it.
 *
 * Slicing: slices[k][b] is the CRC of byte b followed by k zero bytes. The CRC is linear, so the CRCs of eight bytes at
 * their distances from the end add up (by XOR) to that of the eight together.
 *
 * Folding (Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ", 2009): a 128-bit block may be
 * moved d bits on by multiplying its halves with x^d mod P and x^(d+64) mod P, and added to the block there. Four
 * blocks are folded in parallel; what remains is one block with the same CRC as all the input, and the tables finish
 * it. */
#include "bytes.h"
#include "deflate.h"

#ifdef __OPTIMIZE_SIZE__ /* a table of 64 bytes for 9 KiB of tables and code */

uint32_t fino_crc32(uint32_t crc, const void *in, size_t in_nbytes) {
    static const uint32_t nibbles[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                         0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                         0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    crc = ~crc;
    for (const uint8_t *next = in, *end = end_of(in, in_nbytes); next < end; next++) {
        crc = crc >> 4 ^ nibbles[(crc ^ *next) & 15];
        crc = crc >> 4 ^ nibbles[(crc ^ *next >> 4) & 15];
    }
    return ~crc;
}

#else

/* A table is linear too: eight entries give the other 248. */
#define ENTRY(i, b0, b1, b2, b3, b4, b5, b6, b7)                                                                       \
    (((i)&1 ? b0 : 0) ^ ((i)&2 ? b1 : 0) ^ ((i)&4 ? b2 : 0) ^ ((i)&8 ? b3 : 0) ^ ((i)&16 ? b4 : 0) ^                   \
     ((i)&32 ? b5 : 0) ^ ((i)&64 ? b6 : 0) ^ ((i)&128 ? b7 : 0))
#define ENTRIES_4(i, ...)                                                                                              \
    ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__), ENTRY((i) + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)                                                                                             \
    ENTRIES_4(i, __VA_ARGS__), ENTRIES_4((i) + 4, __VA_ARGS__), ENTRIES_4((i) + 8, __VA_ARGS__),                       \
        ENTRIES_4((i) + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)                                                                                             \
    ENTRIES_16(i, __VA_ARGS__), ENTRIES_16((i) + 16, __VA_ARGS__), ENTRIES_16((i) + 32, __VA_ARGS__),                  \
        ENTRIES_16((i) + 48, __VA_ARGS__)
#define SLICE(...)                                                                                                     \
    {                                                                                                                  \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),                         \
            ENTRIES_64(192, __VA_ARGS__)                                                                               \
    }

static const uint32_t slices[8][256] = {
    SLICE(0x77073096, 0xEE0E612C, 0x076DC419, 0x0EDB8832, 0x1DB71064, 0x3B6E20C8, 0x76DC4190, 0xEDB88320),
    SLICE(0x191B3141, 0x32366282, 0x646CC504, 0xC8D98A08, 0x4AC21251, 0x958424A2, 0xF0794F05, 0x3B83984B),
    SLICE(0x01C26A37, 0x0384D46E, 0x0709A8DC, 0x0E1351B8, 0x1C26A370, 0x384D46E0, 0x709A8DC0, 0xE1351B80),
    SLICE(0xB8BC6765, 0xAA09C88B, 0x8F629757, 0xC5B428EF, 0x5019579F, 0xA032AF3E, 0x9B14583D, 0xED59B63B),
    SLICE(0x3D6029B0, 0x7AC05360, 0xF580A6C0, 0x30704BC1, 0x60E09782, 0xC1C12F04, 0x58F35849, 0xB1E6B092),
    SLICE(0xCB5CD3A5, 0x4DC8A10B, 0x9B914216, 0xEC53826D, 0x03D6029B, 0x07AC0536, 0x0F580A6C, 0x1EB014D8),
    SLICE(0xA6770BB4, 0x979F1129, 0xF44F2413, 0x33EF4E67, 0x67DE9CCE, 0xCFBD399C, 0x440B7579, 0x8816EAF2),
    SLICE(0xCCAA009E, 0x4225077D, 0x844A0EFA, 0xD3E51BB5, 0x7CBB312B, 0xF9766256, 0x299DC2ED, 0x533B85DA),
};

/* The functions below work on the CRC without the inversions at both ends. */

static uint32_t crc_by_tables(uint32_t crc, const uint8_t *in, size_t in_nbytes) {
    for (; in_nbytes >= 8; in += 8, in_nbytes -= 8) {
        uint32_t low = load_le32(in) ^ crc, high = load_le32(in + 4);
        crc = slices[7][low & 255] ^ slices[6][(low >> 8) & 255] ^ slices[5][(low >> 16) & 255] ^ slices[4][low >> 24] ^
              slices[3][high & 255] ^ slices[2][(high >> 8) & 255] ^ slices[1][(high >> 16) & 255] ^
              slices[0][high >> 24];
    }
    for (; in_nbytes > 0; in++, in_nbytes--)
        crc = crc >> 8 ^ slices[0][(crc ^ *in) & 255];
    return crc;
}

#if defined(__x86_64__) && !defined(FINO_NO_SIMD)
#include <immintrin.h>

enum { FOLD_MIN_NBYTES = 128 }; /* below, the tables are as fast */

__attribute__((target("pclmul"))) static inline __m128i fold(__m128i block, __m128i factors, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(block, factors, 0x00), high = _mm_clmulepi64_si128(block, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__attribute__((target("pclmul"))) static uint32_t crc_by_folding(uint32_t crc, const uint8_t *in, size_t in_nbytes) {
    const __m128i by_64_bytes = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
    const __m128i by_16_bytes = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    const __m128i *blocks = (const __m128i *)in;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(blocks), _mm_cvtsi32_si128((int)crc));
    __m128i b = _mm_loadu_si128(blocks + 1), c = _mm_loadu_si128(blocks + 2), d = _mm_loadu_si128(blocks + 3);
    uint8_t last[16];

    for (blocks += 4, in_nbytes -= 64; in_nbytes >= 64; blocks += 4, in_nbytes -= 64) {
        a = fold(a, by_64_bytes, _mm_loadu_si128(blocks));
        b = fold(b, by_64_bytes, _mm_loadu_si128(blocks + 1));
        c = fold(c, by_64_bytes, _mm_loadu_si128(blocks + 2));
        d = fold(d, by_64_bytes, _mm_loadu_si128(blocks + 3));
    }
    a = fold(fold(fold(a, by_16_bytes, b), by_16_bytes, c), by_16_bytes, d);
    for (; in_nbytes >= 16; blocks++, in_nbytes -= 16)
        a = fold(a, by_16_bytes, _mm_loadu_si128(blocks));
    _mm_storeu_si128((__m128i *)last, a);
    return crc_by_tables(crc_by_tables(0, last, sizeof last), (const uint8_t *)blocks, in_nbytes);
}

static uint32_t crc_by_best(uint32_t crc, const uint8_t *in, size_t in_nbytes) {
    if (in_nbytes >= FOLD_MIN_NBYTES && __builtin_cpu_supports("pclmul")) return crc_by_folding(crc, in, in_nbytes);
    return crc_by_tables(crc, in, in_nbytes);
}

#else

static uint32_t crc_by_best(uint32_t crc, const uint8_t *in, size_t in_nbytes) {
    return crc_by_tables(crc, in, in_nbytes);
}

#endif

uint32_t fino_crc32(uint32_t crc, const void *in, size_t in_nbytes) {
    return ~crc_by_best(~crc, in, in_nbytes);
}

#endif
