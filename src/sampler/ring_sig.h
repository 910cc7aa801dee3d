/* ring_sig.h: one thread's samples between its signal handler and whoever folds them.
 *
 * One producer, the handler of the thread, and one consumer at a time, who holds the accumulator's lock. Records have
 * as many words as they need, one after another in memory; a record becomes visible as a whole when HEAD moves past it.
 *
 * A record that finds the ring empty begins at the start of its memory again. As rings are emptied long before they are
 * full, all that is ever written is their first few pages, which stay in the processor's caches, and which are touched
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
    uint64_t word_count;   /* a power of two; behind these there is room for the rest of a record that begins in them */
    _Atomic uint64_t head; /* words ever written: the handler's */
    _Atomic uint64_t tail; /* words ever read: the consumer's */
    uint64_t origin;       /* the position of the start of WORDS: the handler's, while nothing waits */
};

/* A record: header, CPU nanoseconds, the runtime's state, what was mapped, then the frames, leaf first. */
#define SAMPLER_RECORD_FIXED_WORDS 4

/* The longest record: three words for each frame, up to the limit and those of one step more. It must fit the smallest
 * ring. */
#define SAMPLER_FRAME_LIMIT 512
#define SAMPLER_FRAME_MAX_WORDS 3
#define SAMPLER_RECORD_MAX_WORDS                                                                                       \
    (SAMPLER_RECORD_FIXED_WORDS + SAMPLER_FRAME_MAX_WORDS * (SAMPLER_FRAME_LIMIT + SAMPLER_STEP_FRAMES))

/* The memory of a ring of WORD_COUNT words. */
static inline size_t sampler_ring_nbytes(uint64_t word_count) {
    return (word_count + SAMPLER_RECORD_MAX_WORDS) * sizeof(uint64_t);
}

/* So much of it is touched beforehand: what a thread samples in 40 ms, and more. */
#define SAMPLER_RING_TOUCHED_NBYTES (64 * 1024)

/* The record at position AT. */
static inline uint64_t *sampler_ring_record(const struct sampler_ring *ring, uint64_t at) {
    return &ring->words[(at - ring->origin) & (ring->word_count - 1)];
}

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
    uint64_t *record;
    uint64_t *next;
    uint64_t *limit;
    uint32_t frame_count;
    bool full;
};

/* SIGNAL_SAFE. */
static inline struct sampler_ring_writer sampler_ring_begin_sig(struct sampler_ring *ring) {
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t room = ring->word_count - (head - tail);
    /* The consumer, who has read all there is, sees the new origin with the next head. */
    if (head == tail) ring->origin = head;
    uint64_t *record = sampler_ring_record(ring, head);
    return (struct sampler_ring_writer){
        .record = record,
        .next = record + SAMPLER_RECORD_FIXED_WORDS,
        .limit = record + (room < SAMPLER_RECORD_MAX_WORDS ? room : SAMPLER_RECORD_MAX_WORDS),
        .full = room < SAMPLER_RECORD_FIXED_WORDS,
    };
}

/* SIGNAL_SAFE. Writes all three words, as that is cheaper than asking how many there are. */
static inline void sampler_ring_put_frame_sig(struct sampler_ring_writer *writer,
                                              const struct sampler_raw_frame *frame) {
    if (writer->full || writer->limit - writer->next < SAMPLER_FRAME_MAX_WORDS) {
        writer->full = true;
        return;
    }
    writer->next[0] = sampler_frame_pack(frame);
    writer->next[1] = frame->extra[0];
    writer->next[2] = frame->extra[1];
    writer->next += 1 + frame->extra_count;
    writer->frame_count++;
}

/* SIGNAL_SAFE. Makes the record visible. Only when writer->full is false. */
static inline void sampler_ring_publish_sig(struct sampler_ring *ring, const struct sampler_ring_writer *writer,
                                            enum sampler_end end, uint64_t cpu_ns, uintptr_t state,
                                            const struct sampler_map_set *maps) {
    uint32_t word_count = (uint32_t)(writer->next - writer->record);
    struct sampler_record_header header = {word_count, (uint16_t)writer->frame_count, (uint8_t)end};
    writer->record[0] = sampler_record_pack(header);
    writer->record[1] = cpu_ns;
    writer->record[2] = state;
    writer->record[3] = (uintptr_t)maps;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    atomic_store_explicit(&ring->head, head + word_count, memory_order_release);
}

/* SIGNAL_SAFE. The number of words that wait. */
static inline uint64_t sampler_ring_used_sig(const struct sampler_ring *ring) {
    return atomic_load_explicit(&ring->head, memory_order_relaxed) -
           atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

#endif
