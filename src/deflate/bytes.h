/* bytes.h: unaligned little-endian access and the bit tricks shared by the encoder and the decoder.
 *
 * Everything is written so that the result is the same on either byte order and on 32 bits: hashes are taken of
 * little-endian loads, so that a stream does not depend on the machine that made it. */
#ifndef DEFLATE_BYTES_H
#define DEFLATE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEFLATE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define DEFLATE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#ifdef __OPTIMIZE_SIZE__
#define DEFLATE_INLINE static inline /* one copy for all who call it: that halves the parsers */
#else
#define DEFLATE_INLINE static inline __attribute__((always_inline))
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define DEFLATE_LE32(value) __builtin_bswap32(value)
#define DEFLATE_LE64(value) __builtin_bswap64(value)
#else
#define DEFLATE_LE32(value) (value)
#define DEFLATE_LE64(value) (value)
#endif

DEFLATE_INLINE uint32_t load_le32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return DEFLATE_LE32(value);
}

DEFLATE_INLINE uint64_t load_le64(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return DEFLATE_LE64(value);
}

DEFLATE_INLINE void store_le32(uint8_t *bytes, uint32_t value) {
    value = DEFLATE_LE32(value);
    memcpy(bytes, &value, sizeof value);
}

DEFLATE_INLINE void store_le64(uint8_t *bytes, uint64_t value) {
    value = DEFLATE_LE64(value);
    memcpy(bytes, &value, sizeof value);
}

/* The index of the highest set bit; VALUE is not 0. */
DEFLATE_INLINE unsigned highest_bit(uint32_t value) {
    return 31 - (unsigned)__builtin_clz(value);
}

DEFLATE_INLINE uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

DEFLATE_INLINE size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Where NBYTES at BYTES end. Nothing may be at NULL, to which not even 0 may be added. */
DEFLATE_INLINE const uint8_t *end_of(const void *bytes, size_t nbytes) {
    return nbytes ? (const uint8_t *)bytes + nbytes : bytes;
}

/* How many bytes A and B have in common, from LENGTH (known to be equal) up to MAX_LENGTH. Reads no byte at or past
 * MAX_LENGTH of either. */
DEFLATE_INLINE unsigned match_extend(const uint8_t *a, const uint8_t *b, unsigned length, unsigned max_length) {
    while (length + 8 <= max_length) {
        uint64_t difference = load_le64(a + length) ^ load_le64(b + length);
        if (difference) return length + ((unsigned)__builtin_ctzll(difference) >> 3);
        length += 8;
    }
    while (length < max_length && a[length] == b[length])
        length++;
    return length;
}

#endif
