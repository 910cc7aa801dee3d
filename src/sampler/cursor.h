/* cursor.h: reads little-endian binary data that may be truncated or hostile.
 *
 * A cursor never reads outside [at, end). The first read that would latches FAILED, and from then on every read
 * yields 0 and moves nowhere; so a parser reads a whole record and checks once. All functions are SIGNAL_SAFE.
 */
#ifndef FINO_SAMPLER_CURSOR_H
#define FINO_SAMPLER_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sampler_cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static inline struct sampler_cursor cursor_make(const uint8_t *data, size_t nbytes) {
    return (struct sampler_cursor){data, data == NULL ? NULL : data + nbytes, false};
}

static inline size_t cursor_left(const struct sampler_cursor *cursor) {
    return cursor->failed || cursor->at == NULL ? 0 : (size_t)(cursor->end - cursor->at);
}

static inline bool cursor_need(struct sampler_cursor *cursor, uint64_t nbytes) {
    if (!cursor->failed && cursor_left(cursor) >= nbytes) return true;
    cursor->failed = true;
    return false;
}

static inline void cursor_skip(struct sampler_cursor *cursor, uint64_t nbytes) {
    if (cursor_need(cursor, nbytes) && nbytes != 0) cursor->at += nbytes;
}

/* The next NBYTES as a cursor of their own; a failed one when there are not that many. */
static inline struct sampler_cursor cursor_split(struct sampler_cursor *cursor, uint64_t nbytes) {
    struct sampler_cursor part = {cursor->at, cursor->at, false};
    if (!cursor_need(cursor, nbytes)) {
        part.failed = true;
    } else if (nbytes != 0) {
        part.end = cursor->at += nbytes;
    }
    return part;
}

#define CURSOR_INTEGER(NAME, TYPE)                                                                                     \
    static inline TYPE NAME(struct sampler_cursor *cursor) {                                                           \
        TYPE value = 0;                                                                                                \
        if (!cursor_need(cursor, sizeof value)) return 0;                                                              \
        memcpy(&value, cursor->at, sizeof value);                                                                      \
        cursor->at += sizeof value;                                                                                    \
        return value;                                                                                                  \
    }
CURSOR_INTEGER(cursor_u8, uint8_t)
CURSOR_INTEGER(cursor_u16, uint16_t)
CURSOR_INTEGER(cursor_u32, uint32_t)
CURSOR_INTEGER(cursor_u64, uint64_t)
#undef CURSOR_INTEGER

/* An unsigned integer of NBYTES: 1, 2, 4 or 8; any other width fails. */
static inline uint64_t cursor_unsigned(struct sampler_cursor *cursor, unsigned nbytes) {
    switch (nbytes) {
        case 1: return cursor_u8(cursor);
        case 2: return cursor_u16(cursor);
        case 4: return cursor_u32(cursor);
        case 8: return cursor_u64(cursor);
        default: cursor->failed = true; return 0;
    }
}

/* LEB128 (DWARF 5 section 7.6). Bits beyond the 64th are dropped. *SHIFT_OUT: how many bits there were; *LAST_OUT: the byte
 * that ended them. */
static inline uint64_t cursor_leb(struct sampler_cursor *cursor, unsigned *shift_out, uint8_t *last_out) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = cursor_u8(cursor);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    *shift_out = shift;
    *last_out = byte;
    return value;
}

static inline uint64_t cursor_uleb(struct sampler_cursor *cursor) {
    unsigned shift;
    uint8_t last;
    uint64_t value = cursor_leb(cursor, &shift, &last);
    return cursor->failed ? 0 : value;
}

static inline int64_t cursor_sleb(struct sampler_cursor *cursor) {
    unsigned shift;
    uint8_t last;
    uint64_t value = cursor_leb(cursor, &shift, &last);
    if (shift < 64 && (last & 0x40)) value |= ~(uint64_t)0 << shift;
    return cursor->failed ? 0 : (int64_t)value;
}

/* A string with its terminating zero, which lies inside the data; "" on failure. */
static inline const char *cursor_string(struct sampler_cursor *cursor) {
    const uint8_t *start = cursor->at;
    size_t left = cursor_left(cursor);
    for (size_t i = 0; i < left; i++) {
        if (start[i] != 0) continue;
        cursor->at += i + 1;
        return (const char *)start;
    }
    cursor->failed = true;
    return "";
}

#endif
