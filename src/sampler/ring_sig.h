/* ring_sig.h: one thread's samples between its signal handler and whoever folds them.
 *
 * One producer, the handler of the thread, and one consumer at a time, who holds the accumulator's lock. Records have
 * as many words as they need; a record becomes visible as a whole when HEAD moves past it. The memory is touched
 * before the first signal, because a page fault costs more than a sample.
 */
#ifndef FINO_SAMPLER_RING_SIG_H
#define FINO_SAMPLER_RING_SIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/managed.h"

struct sampler_map_set; /* maps.h */

struct sampler_ring {
    uint64_t *words;
    uint64_t word_count;   /* a power of two */
    _Atomic uint64_t head; /* words ever written: the handler's */
    _Atomic uint64_t tail; /* words ever read: the consumer's */
};

/* A record: header, CPU nanoseconds, the runtime's state, what was mapped, then the frames, leaf first. */
#define SAMPLER_RECORD_FIXED_WORDS 4

/* The longest record: the frame limit at three words each. It must fit the smallest ring. */
#define SAMPLER_FRAME_LIMIT 512
#define SAMPLER_RECORD_MAX_WORDS (SAMPLER_RECORD_FIXED_WORDS + 3 * (SAMPLER_FRAME_LIMIT + 2))

/* Where a walk ended. */
enum sampler_end {
    SAMPLER_END_COMPLETE,
    SAMPLER_END_DEPTH,     /* more frames than the limit */
    SAMPLER_END_NO_CFI,    /* nothing says how to step over a native frame */
    SAMPLER_END_BAD_FRAME, /* a native frame pointed out of the stack */
    SAMPLER_END_MANAGED,   /* the runtime couldn't prove the caller */
    SAMPLER_END_NO_STACK,  /* the stack's bounds are not known (yet), or the thread runs on another stack */
    SAMPLER_END_COUNT
};

struct sampler_record_header {
    uint32_t word_count; /* of the whole record */
    uint16_t frame_count;
    uint8_t end; /* enum sampler_end */
};

static inline uint64_t sampler_record_pack(struct sampler_record_header header) {
    return header.word_count | (uint64_t)header.frame_count << 32 | (uint64_t)header.end << 48;
}

static inline struct sampler_record_header sampler_record_unpack(uint64_t word) {
    return (struct sampler_record_header){(uint32_t)word, (uint16_t)(word >> 32), (uint8_t)(word >> 48)};
}

/* A frame's first word: user addresses have at most 56 bits, so the top byte says what the frame is. */
#define SAMPLER_FRAME_PC_MASK ((UINT64_C(1) << 56) - 1)

static inline uint64_t sampler_frame_pack(const struct sampler_raw_frame *frame) {
    uint64_t what = (uint64_t)frame->kind | (uint64_t)frame->extra_count << 4 | (uint64_t)frame->is_leaf << 6;
    return ((uint64_t)frame->pc & SAMPLER_FRAME_PC_MASK) | what << 56;
}

static inline void sampler_frame_unpack(uint64_t word, struct sampler_raw_frame *frame) {
    uint8_t what = (uint8_t)(word >> 56);
    frame->pc = (uintptr_t)(word & SAMPLER_FRAME_PC_MASK);
    frame->kind = what & 15;
    frame->extra_count = (what >> 4) & 3;
    frame->is_leaf = (what >> 6) & 1;
}

/* Writes one record. A record that doesn't fit is dropped as a whole. */
struct sampler_ring_writer {
    struct sampler_ring *ring;
    uint64_t at;
    uint64_t limit;
    uint32_t frame_count;
    bool full;
};

/* SIGNAL_SAFE. */
static inline struct sampler_ring_writer sampler_ring_begin_sig(struct sampler_ring *ring) {
    struct sampler_ring_writer writer = {.ring = ring};
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    writer.at = atomic_load_explicit(&ring->head, memory_order_relaxed) + SAMPLER_RECORD_FIXED_WORDS;
    writer.limit = tail + ring->word_count;
    writer.full = writer.at > writer.limit;
    return writer;
}

/* SIGNAL_SAFE. */
static inline void sampler_ring_put_word_sig(struct sampler_ring_writer *writer, uint64_t word) {
    if (writer->full || writer->at == writer->limit) {
        writer->full = true;
        return;
    }
    writer->ring->words[writer->at++ & (writer->ring->word_count - 1)] = word;
}

/* SIGNAL_SAFE. */
static inline void sampler_ring_put_frame_sig(struct sampler_ring_writer *writer,
                                              const struct sampler_raw_frame *frame) {
    sampler_ring_put_word_sig(writer, sampler_frame_pack(frame));
    for (uint8_t i = 0; i < frame->extra_count; i++)
        sampler_ring_put_word_sig(writer, frame->extra[i]);
    writer->frame_count++;
}

/* SIGNAL_SAFE. Makes the record visible. Only when writer->full is false. */
static inline void sampler_ring_publish_sig(struct sampler_ring_writer *writer, enum sampler_end end, uint64_t cpu_ns,
                                            uintptr_t state, const struct sampler_map_set *maps) {
    struct sampler_ring *ring = writer->ring;
    uint64_t mask = ring->word_count - 1, head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    struct sampler_record_header header = {(uint32_t)(writer->at - head), (uint16_t)writer->frame_count, (uint8_t)end};
    ring->words[head & mask] = sampler_record_pack(header);
    ring->words[(head + 1) & mask] = cpu_ns;
    ring->words[(head + 2) & mask] = state;
    ring->words[(head + 3) & mask] = (uintptr_t)maps;
    atomic_store_explicit(&ring->head, writer->at, memory_order_release);
}

/* SIGNAL_SAFE. The number of words that wait. */
static inline uint64_t sampler_ring_used_sig(const struct sampler_ring *ring) {
    return atomic_load_explicit(&ring->head, memory_order_relaxed) -
           atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

/* The consumer's. */
static inline uint64_t sampler_ring_word(const struct sampler_ring *ring, uint64_t at) {
    return ring->words[at & (ring->word_count - 1)];
}

#endif
