/* chains.h: the match finder of the middle levels and the top one: hash chains.
 *
 * `heads4` maps a hash of four bytes to the latest position where they were seen; `steps` links every position to the
 * one before it with the same hash. `heads3` maps a hash of three bytes to one position: matches of length 3 only pay
 * when near, so the latest suffices.
 *
 * A search wants ever longer matches. A match of length n lies on n - 3 chains at once, one for each four bytes of it,
 * and any of them leads to every longer match, which has the same four bytes at the same place. So the search goes on
 * along the chain with the longest step from where it is: what that step passes over can't be as long. One more
 * chain is that of the four bytes that end where the match breaks off: a longer match must have those too, and often
 * they are much rarer. Where a match is hard to improve, a few steps lead through the whole window.
 *
 * Positions are kept modulo 65536 in 16 bits, and links as the distance to the next position minus 1. An entry too old
 * to be told from a young one is only a wrong candidate: every candidate's bytes are compared, and must lie inside the
 * window. But a wrong head sends a search down a chain that has nothing to do with it; so, before heads come of an age
 * to look young again, chains_sweep marks them as old. */
#ifndef DEFLATE_CHAINS_H
#define DEFLATE_CHAINS_H

#include "format.h"

enum {
    CHAINS_HASH3_MAX_BITS = 15,
    CHAINS_HASH4_BITS = 16,
    /* Bytes that must follow a position for it to be searched or entered: four for its own hash, one more for that of
     * the next position, which is computed ahead. */
    CHAINS_LOOKAHEAD = 5,
    /* Of the positions inside a match only this many last ones are entered by their three bytes: matches of 3 are
     * wanted near the end of what is known, and the saving is a quarter of the time spent there. */
    CHAINS_SKIP_WITH_3 = 4,
    /* A match of length 3 further away than this costs more than three literals, as a rule. */
    CHAINS_MAX_OFFSET_OF_3 = 4096,
    /* So many of the chains that a match lies on are compared for the longest step: more rarely have a longer one. */
    CHAINS_COMPARED = 5,
    /* A sweep is due after so many positions. Whoever asks at least every 65536 - DEFLATE_WINDOW - CHAINS_SWEEP
     * positions keeps all heads younger than 65536. */
    CHAINS_SWEEP = 16384,
};

/* Input to compress: [next, end), with up to 32 KiB of history before it that begins at HISTORY. */
struct deflate_input {
    const uint8_t *history;
    const uint8_t *next;
    const uint8_t *end;
    bool is_final; /* the last block ends the stream */
};

struct deflate_chains {
    uint16_t heads3[1 << CHAINS_HASH3_MAX_BITS];
    uint16_t heads4[1 << CHAINS_HASH4_BITS];
    uint16_t steps[DEFLATE_WINDOW];
    uint32_t swept; /* the position of the last sweep */
};

/* Where the parser stands: what the finder needs to know of the input. */
struct chains_cursor {
    const uint8_t *next;
    const uint8_t *end;
    const uint8_t *history;
    uint32_t bias;       /* an address less this is its position: one pointer moves instead of two numbers */
    unsigned hash3_bits; /* a constant to the compiler, different by level */
    uint32_t hash3;      /* of NEXT */
    uint32_t hash4;
};

DEFLATE_INLINE uint32_t chains_hash(uint32_t bytes, unsigned bits) {
    return (bytes * 0x9E3779B1u) >> (32 - bits);
}

/* The position of NEXT, modulo 2^32. */
DEFLATE_INLINE uint32_t chains_position(const struct chains_cursor *cursor) {
    return (uint32_t)(uintptr_t)cursor->next - cursor->bias;
}

/* The bytes of history before NEXT, at most DEFLATE_WINDOW. */
DEFLATE_INLINE uint32_t chains_reach(const struct chains_cursor *cursor) {
    return (uint32_t)min_size((size_t)(cursor->next - cursor->history), DEFLATE_WINDOW);
}

/* The cursor at the beginning of INPUT, whose position is POSITION. HASH3_BITS, at most CHAINS_HASH3_MAX_BITS, stay the
 * same for all of a stream. */
DEFLATE_INLINE struct chains_cursor chains_start(const struct deflate_input *input, uint32_t position,
                                                 unsigned hash3_bits) {
    struct chains_cursor cursor = {
        .next = input->next,
        .end = input->end,
        .history = input->history,
        .bias = (uint32_t)(uintptr_t)input->next - position,
        .hash3_bits = hash3_bits,
    };
    if (cursor.end - cursor.next >= CHAINS_LOOKAHEAD) {
        cursor.hash3 = chains_hash(load_le32(cursor.next) & 0xFFFFFF, cursor.hash3_bits);
        cursor.hash4 = chains_hash(load_le32(cursor.next), CHAINS_HASH4_BITS);
    }
    return cursor;
}

/* Marks the heads that have left the window as one position too old. To be called before every CHAINS_SWEEP positions
 * or so. */
DEFLATE_INLINE void chains_sweep(struct deflate_chains *chains, uint32_t position) {
    if (DEFLATE_LIKELY(position - chains->swept < CHAINS_SWEEP)) return;
    chains->swept = position;
    for (unsigned i = 0; i < 1 << CHAINS_HASH4_BITS; i++) {
        uint16_t age = (uint16_t)(position - chains->heads4[i]); /* the excess: one saturating subtraction of vectors */
        uint16_t excess = age > DEFLATE_WINDOW + 1 ? (uint16_t)(age - (DEFLATE_WINDOW + 1)) : 0;
        chains->heads4[i] = (uint16_t)(chains->heads4[i] + excess);
    }
}

/* Enters NEXT, moves on by one, and returns the head of the entered position's chain as a distance from it. */
DEFLATE_INLINE void chains_step(struct deflate_chains *chains, struct chains_cursor *cursor, uint32_t *near3_out,
                                uint32_t *near4_out) {
    uint32_t position = chains_position(cursor);
    uint32_t bytes = load_le32(cursor->next + 1);
    uint16_t *head3 = &chains->heads3[cursor->hash3], *head4 = &chains->heads4[cursor->hash4];

    *near3_out = (uint16_t)(position - *head3 - 1) + 1u;
    *near4_out = (uint16_t)(position - *head4 - 1) + 1u;
    chains->steps[position % DEFLATE_WINDOW] = (uint16_t)(*near4_out - 1);
    *head3 = (uint16_t)position;
    *head4 = (uint16_t)position;

    cursor->hash3 = chains_hash(bytes & 0xFFFFFF, cursor->hash3_bits);
    cursor->hash4 = chains_hash(bytes, CHAINS_HASH4_BITS);
    __builtin_prefetch(&chains->heads3[cursor->hash3], 1);
    __builtin_prefetch(&chains->heads4[cursor->hash4], 1);
    cursor->next++;
}

/* Enters POSITION by HASH4, that of its four bytes, alone. Returns the hash of BYTES, the four of the next position. */
DEFLATE_INLINE uint32_t chains_enter(struct deflate_chains *chains, uint32_t position, uint32_t hash4, uint32_t bytes) {
    chains->steps[position % DEFLATE_WINDOW] = (uint16_t)(position - chains->heads4[hash4] - 1);
    chains->heads4[hash4] = (uint16_t)position;
    return chains_hash(bytes, CHAINS_HASH4_BITS);
}

/* Enters COUNT positions without searching them. */
DEFLATE_INLINE void chains_skip(struct deflate_chains *chains, struct chains_cursor *cursor, unsigned count) {
    const uint8_t *next = cursor->next;
    uint32_t position = chains_position(cursor), hash3 = cursor->hash3, hash4 = cursor->hash4;
    cursor->next += count;
    if (DEFLATE_UNLIKELY(cursor->end - cursor->next < CHAINS_LOOKAHEAD)) return;
    for (; count > CHAINS_SKIP_WITH_3; count--)
        hash4 = chains_enter(chains, position++, hash4, load_le32(++next));
    hash3 = chains_hash(load_le32(next) & 0xFFFFFF, cursor->hash3_bits);
    for (; count > 0; count--) {
        uint32_t bytes = load_le32(++next);
        chains->heads3[hash3] = (uint16_t)position;
        hash3 = chains_hash(bytes & 0xFFFFFF, cursor->hash3_bits);
        hash4 = chains_enter(chains, position++, hash4, bytes);
    }
    cursor->hash3 = hash3;
    cursor->hash4 = hash4;
    __builtin_prefetch(&chains->heads3[hash3], 1);
    __builtin_prefetch(&chains->heads4[hash4], 1);
}

/* Passes over COUNT positions without entering them. */
DEFLATE_INLINE void chains_pass(struct chains_cursor *cursor, unsigned count) {
    cursor->next += count;
    if (cursor->end - cursor->next < CHAINS_LOOKAHEAD) return;
    cursor->hash3 = chains_hash(load_le32(cursor->next) & 0xFFFFFF, cursor->hash3_bits);
    cursor->hash4 = chains_hash(load_le32(cursor->next), CHAINS_HASH4_BITS);
}

/* How far back the latest entry with the hash of BYTES is from POSITION. */
DEFLATE_INLINE uint32_t chains_near(const struct deflate_chains *chains, uint32_t position, uint32_t bytes) {
    return (uint16_t)(position - chains->heads4[chains_hash(bytes, CHAINS_HASH4_BITS)] - 1) + 1u;
}

/* The step from the candidate DISTANCE back from POSITION to the next one on its chain. */
DEFLATE_INLINE uint32_t chains_next(const struct deflate_chains *chains, uint32_t position, uint32_t distance) {
    return chains->steps[(position - distance) % DEFLATE_WINDOW] + 1u;
}

/* Of the chains that the match of LENGTH from CANDIDATE lies on, the one that goes furthest from there. Returns the
 * step; *SHIFT_OUT is how far into the match the chain's bytes are. */
DEFLATE_INLINE uint32_t chains_longest_step(const struct deflate_chains *chains, uint32_t candidate, unsigned length,
                                            unsigned *shift_out) {
    unsigned longest = chains->steps[candidate % DEFLATE_WINDOW], shift = 0, last = length - 4;
    for (unsigned i = 1; i < CHAINS_COMPARED; i++) {
        unsigned at = last * i / (CHAINS_COMPARED - 1), step = chains->steps[(candidate + at) % DEFLATE_WINDOW];
        shift = step > longest ? at : shift;
        longest = step > longest ? step : longest;
    }
    *shift_out = shift;
    return longest + 1;
}

/* Looks for a match longer than BEST_LENGTH (2 or more) at NEXT, entering it and moving on by one; at most DEPTH
 * candidates of four bytes are tried, and one of NICE_LENGTH ends the search. Returns the length, or BEST_LENGTH when
 * there is none longer; *OFFSET_OUT is undefined then. At least CHAINS_LOOKAHEAD bytes follow NEXT. */
DEFLATE_INLINE unsigned chains_find(struct deflate_chains *chains, struct chains_cursor *cursor, unsigned best_length,
                                    unsigned nice_length, unsigned depth, unsigned *offset_out) {
    const uint8_t *in = cursor->next;
    uint32_t position = chains_position(cursor), reach = chains_reach(cursor), distance, near3,
             first_bytes = load_le32(in);
    unsigned max_length = (unsigned)min_size((size_t)(cursor->end - in), DEFLATE_MAX_MATCH), shift = 0;

    if (nice_length > max_length) nice_length = max_length;
    chains_step(chains, cursor, &near3, &distance);

    if (best_length < 4) {
        if (best_length < 3) { /* without a branch: about half of the time it would be mispredicted */
            uint32_t reach3 = min_u32(reach, CHAINS_MAX_OFFSET_OF_3),
                     candidate3 = load_le32(in - min_u32(near3, reach3));
            best_length += (near3 <= reach3) & (((candidate3 ^ first_bytes) & 0xFFFFFF) == 0);
            *offset_out = near3;
        }
        /* The first four bytes decide until there is a match of four. */
        for (;; distance += chains_next(chains, position, distance)) {
            if (distance > reach) return best_length;
            if (load_le32(in - distance) == first_bytes) break;
            if (--depth == 0) return best_length;
        }
        best_length = match_extend(in, in - distance, 4, max_length);
        *offset_out = distance;
        if (best_length >= nice_length || --depth == 0) return best_length;
        distance += chains_longest_step(chains, position - distance, best_length, &shift);
    } else if (best_length >= max_length) {
        return best_length;
    }

    for (;;) {
        /* DISTANCE is where a longer match can be at the nearest, by the chain of the bytes at SHIFT. */
        unsigned tail = best_length - 3, length;
        uint32_t tail_bytes = load_le32(in + tail), tail_distance = chains_near(chains, position + tail, tail_bytes);
        if (tail_distance >= distance) {
            distance = tail_distance;
            shift = tail;
        }
        for (;; distance += chains_next(chains, position + shift, distance)) {
            if (distance > reach) return best_length;
            if (((load_le32(in - distance) ^ first_bytes) | (load_le32(in + tail - distance) ^ tail_bytes)) == 0) {
                length = match_extend(in, in - distance, 4, max_length);
                if (length > best_length) break;
            }
            if (--depth == 0) return best_length;
        }
        best_length = length;
        *offset_out = distance;
        if (best_length >= nice_length || --depth == 0) return best_length;
        distance += chains_longest_step(chains, position - distance, best_length, &shift);
    }
}

#endif
