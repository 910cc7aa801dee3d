/* builder.h: what a builder holds. Between the .c files of this folder; everyone else sees pprof.h.
 *
 * Stacks. A sample's stack is cut, from the root, into chunks of CHUNK_DEPTH locations, which are hash-consed: a chunk
 * that occurs in many stacks, at whatever depth, is stored once. What is left over at the leaf (the "tail") is stored
 * as it is. A sample is a record of words:
 *
 *     depth | label set | tail: depth % CHUNK_DEPTH locations | depth / CHUNK_DEPTH chunk ids     (all leaf first)
 *
 * Stacks of a program differ near the leaf and agree near the root, so a new stack adds about one chunk and its record.
 * Adding a sample hashes the whole stack once, finds the record through one index and proves the match by comparing
 * chunk for chunk. The chunks' addresses do not depend on each other, so their cache misses overlap: that is why a
 * record lists its chunks, where a prefix tree would have the next one found in the last. Chunks are only searched for
 * when a stack is new.
 */
#ifndef FINO_PPROF_BUILDER_H
#define FINO_PPROF_BUILDER_H

#include "pprof/memory.h"
#include "pprof/strings.h"

/* Locations in a chunk. Fewer share more but take longer lists and more index entries, more share less: between 2 and
 * 32 the whole builder of tests/bench/bench_pprof.c stays within 15 and 18 MB (150 to 180 bytes a stack of depth 40);
 * at 64 it is 25 MB. 8 make 32 bytes: two chunks a cache line. */
#define CHUNK_DEPTH 8

struct pprof_value_type {
    uint32_t type; /* string ids */
    uint32_t unit;
};

struct pprof_location {
    uint64_t address;
    uint32_t mapping; /* or FINO_PPROF_NONE */
    uint32_t line_begin;
    uint32_t line_count;
    bool added_unnamed; /* it had no lines when it was added */
    bool is_folded;
};

struct pprof_label_set {
    uint32_t label_begin;
    uint32_t label_count;
};

struct pprof_chunk {
    uint32_t locations[CHUNK_DEPTH];
};

/* A sample's record, taken apart. */
struct pprof_sample {
    uint32_t depth;
    uint32_t label_set;
    uint32_t tail_count;
    uint32_t chunk_count;
    const uint32_t *tail;
    const uint32_t *chunks;
};

enum { SAMPLE_HEAD_COUNT = 2 }; /* words of a record before its tail */

struct fino_pprof {
    struct fino_allocator allocator;
    uint64_t seed;
    int error; /* 0, or what was latched */
    PPROF_VECTOR(struct pprof_value_type) sample_types;

    struct pprof_strings strings;
    PPROF_VECTOR(struct fino_pprof_function) functions;
    struct pprof_index function_index;
    PPROF_VECTOR(struct fino_pprof_mapping) mappings;
    struct pprof_index mapping_index;
    PPROF_VECTOR(struct pprof_location) locations;
    struct pprof_index location_index; /* one entry for what was added and, after set_lines, one for what it became */
    PPROF_VECTOR(struct fino_pprof_line) lines;
    uint32_t same_count; /* locations that set_lines made equal to another */

    PPROF_VECTOR(struct pprof_label_set) label_sets;
    struct pprof_index label_set_index;
    PPROF_VECTOR(struct fino_pprof_label) labels;

    PPROF_VECTOR(struct pprof_chunk) chunks;
    struct pprof_index chunk_index;
    PPROF_VECTOR(uint32_t) records;
    PPROF_VECTOR(uint32_t) samples; /* where its record begins */
    struct pprof_index sample_index;
    int64_t *values;          /* one per sample type for each sample */
    uint32_t values_capacity; /* in samples */

    struct fino_pprof_header header; /* of a decoded profile */
};

struct fino_pprof_snapshot {
    struct fino_allocator allocator;
    uint32_t sample_count;
    size_t nbytes; /* of this allocation */
    int64_t values[];
};

/* Makes room for one more in a vector and its index. Evaluates to false when memory is short. */
#define PPROF_RESERVE_BOTH(profile, vector, index)                                                                     \
    (PPROF_RESERVE(&(profile)->allocator, (vector), 1) && pprof_index_reserve(&(profile)->allocator, (index)))

/* Latches ERROR unless one is latched already. Returns: FINO_PPROF_NONE. */
uint32_t pprof_fail(fino_pprof *profile, int error);

/* An empty builder with the sample types, the seed and the allocator of another. */
fino_pprof *pprof_new_alike(const fino_pprof *profile);

/* An empty builder without sample types, and one more type for a builder without samples. Memory may be short: NULL
 * and false. */
fino_pprof *pprof_new_bare(const struct fino_allocator *allocator, uint64_t seed);
bool pprof_add_sample_type(fino_pprof *profile, struct pprof_value_type type);

static inline struct pprof_sample pprof_sample(const fino_pprof *profile, uint32_t id) {
    const uint32_t *record = profile->records.items + profile->samples.items[id];
    struct pprof_sample sample = {.depth = record[0], .label_set = record[1]};
    sample.tail_count = sample.depth % CHUNK_DEPTH;
    sample.chunk_count = sample.depth / CHUNK_DEPTH;
    sample.tail = record + SAMPLE_HEAD_COUNT;
    sample.chunks = sample.tail + sample.tail_count;
    return sample;
}

/* What sample SAMPLE gained since SINCE in dimension TYPE. */
static inline int64_t pprof_gain(const fino_pprof *profile, const fino_pprof_snapshot *since, uint32_t sample,
                                 uint32_t type) {
    size_t at = (size_t)sample * profile->sample_types.count + type;
    uint64_t then = since && sample < since->sample_count ? (uint64_t)since->values[at] : 0;
    return (int64_t)((uint64_t)profile->values[at] - then);
}

/* Did sample SAMPLE gain anything since SINCE? */
static inline bool pprof_has_gain(const fino_pprof *profile, const fino_pprof_snapshot *since, uint32_t sample) {
    for (uint32_t type = 0; type < profile->sample_types.count; type++)
        if (pprof_gain(profile, since, sample, type) != 0) return true;
    return false;
}

#endif
