/* samples.c: stacks, the samples that have them, and snapshots of their values. builder.h tells how stacks are kept. */
#include "pprof/builder.h"

/* ---- Samples ---- */

/* Deeper than any stack, small enough that no size computed from it overflows. */
#define DEPTH_MAX ((size_t)1 << 28)

/* A stack as the caller gives it, leaf first. */
struct stack {
    const uint32_t *locations;
    uint32_t depth;
    uint32_t label_set;
};

/* No branch depends on a chunk, so that all of them are fetched at once. */
static bool sample_is(const fino_pprof *profile, uint32_t id, const struct stack *stack) {
    struct pprof_sample sample = pprof_sample(profile, id);
    if (sample.depth != stack->depth || sample.label_set != stack->label_set) return false;
    const uint32_t *locations = stack->locations;
    uint32_t difference = 0;
    for (uint32_t i = 0; i < sample.chunk_count; i++) {
        const struct pprof_chunk *chunk = &profile->chunks.items[sample.chunks[i]];
        const uint32_t *wanted = locations + sample.tail_count + (size_t)i * CHUNK_DEPTH;
        for (int at = 0; at < CHUNK_DEPTH; at++)
            difference |= chunk->locations[at] ^ wanted[at];
    }
    for (uint32_t i = 0; i < sample.tail_count; i++)
        difference |= sample.tail[i] ^ locations[i];
    return difference == 0;
}

/* Returns: the id, or FINO_PPROF_NONE when memory is short. */
static uint32_t intern_chunk(fino_pprof *profile, const uint32_t *locations) {
    uint32_t hash = pprof_hash(locations, sizeof(struct pprof_chunk), profile->seed);
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->chunk_index, hash, &at)) != FINO_PPROF_NONE;)
        if (pprof_bytes_equal(&profile->chunks.items[id], locations, sizeof(struct pprof_chunk))) return id;
    if (!PPROF_RESERVE_BOTH(profile, &profile->chunks, &profile->chunk_index)) return FINO_PPROF_NONE;
    uint32_t id = profile->chunks.count++;
    memcpy(&profile->chunks.items[id], locations, sizeof(struct pprof_chunk));
    pprof_index_put(&profile->chunk_index, hash, id);
    return id;
}

/* Writes the record of a new sample. Returns: false with the error latched. */
static bool append_record(fino_pprof *profile, const struct stack *stack) {
    uint32_t tail_count = stack->depth % CHUNK_DEPTH, chunk_count = stack->depth / CHUNK_DEPTH;
    uint32_t word_count = SAMPLE_HEAD_COUNT + tail_count + chunk_count;
    if (!PPROF_RESERVE(&profile->allocator, &profile->records, word_count)) return pprof_fail(profile, -ENOMEM), false;
    uint32_t *word = profile->records.items + profile->records.count;
    const uint32_t *locations = stack->locations;
    *word++ = stack->depth;
    *word++ = stack->label_set;
    for (uint32_t i = 0; i < tail_count; i++)
        *word++ = *locations++;
    for (uint32_t i = 0; i < chunk_count; i++, locations += CHUNK_DEPTH) {
        *word = intern_chunk(profile, locations);
        if (*word++ == FINO_PPROF_NONE) return pprof_fail(profile, -ENOMEM), false;
    }
    profile->records.count += word_count;
    return true;
}

static bool reserve_values(fino_pprof *profile) {
    if (profile->values_capacity > profile->samples.count) return true;
    profile->values = pprof_grow(&profile->allocator, profile->values, profile->samples.count,
                                 &profile->values_capacity, 1, profile->sample_types.count * sizeof *profile->values);
    return profile->values_capacity > profile->samples.count;
}

/* Returns: the new sample with all values 0, or FINO_PPROF_NONE with the error latched. */
static uint32_t new_sample(fino_pprof *profile, const struct stack *stack, uint32_t hash) {
    if (stack->label_set >= profile->label_sets.count) return pprof_fail(profile, -EINVAL);
    for (uint32_t i = 0; i < stack->depth; i++)
        if (stack->locations[i] >= profile->locations.count) return pprof_fail(profile, -EINVAL);
    if (!PPROF_RESERVE_BOTH(profile, &profile->samples, &profile->sample_index) || !reserve_values(profile))
        return pprof_fail(profile, -ENOMEM);
    uint32_t begin = profile->records.count;
    if (!append_record(profile, stack)) return FINO_PPROF_NONE;

    uint32_t id = profile->samples.count++;
    profile->samples.items[id] = begin;
    size_t values_nbytes = profile->sample_types.count * sizeof *profile->values;
    memset(profile->values + (size_t)id * profile->sample_types.count, 0, values_nbytes);
    pprof_index_put(&profile->sample_index, hash, id);
    return id;
}

static uint32_t find_sample(const fino_pprof *profile, const struct stack *stack, uint32_t hash) {
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->sample_index, hash, &at)) != FINO_PPROF_NONE;) {
        __builtin_prefetch(profile->values + (size_t)id * profile->sample_types.count, 1);
        if (sample_is(profile, id, stack)) return id;
    }
    return FINO_PPROF_NONE;
}

static int add_sample(fino_pprof *profile, const struct stack *stack, uint32_t hash, const int64_t *values) {
    uint32_t id = find_sample(profile, stack, hash);
    if (id == FINO_PPROF_NONE) id = new_sample(profile, stack, hash);
    if (id == FINO_PPROF_NONE) return profile->error;
    int64_t *sums = profile->values + (size_t)id * profile->sample_types.count;
    for (uint32_t type = 0; type < profile->sample_types.count; type++)
        sums[type] = (int64_t)((uint64_t)sums[type] + (uint64_t)values[type]);
    return 0;
}

static uint32_t hash_stack(const fino_pprof *profile, const struct stack *stack) {
    return pprof_hash(stack->locations, stack->depth * sizeof *stack->locations, profile->seed + stack->label_set);
}

int fino_pprof_add_sample(fino_pprof *profile, const uint32_t *locations, size_t count, uint32_t label_set,
                          const int64_t *values) {
    if (profile->error) return profile->error;
    if (count > DEPTH_MAX) return pprof_fail(profile, -EINVAL), profile->error;
    struct stack stack = {locations, (uint32_t)count, label_set};
    return add_sample(profile, &stack, hash_stack(profile, &stack), values);
}

/* ---- Many samples ---- */

/* Once the tables are larger than the caches, finding a sample is three misses, each at an address that the one before
 * gave: the index's slot, the record, its chunks. A batch takes these steps for all its samples together, so that the
 * misses of a step overlap. What is fetched ahead is only a guess (the first slot may not be the right one, and
 * samples added meanwhile move things); finding does not rely on it. */

/* Enough misses in flight to keep the memory busy. 8 are 15 % slower in tests/bench/bench_pprof.c, 32 not faster. */
#define BATCH_COUNT 16

struct batch {
    struct stack stacks[BATCH_COUNT];
    uint32_t hashes[BATCH_COUNT];
    uint32_t ids[BATCH_COUNT]; /* what is probably the sample, or FINO_PPROF_NONE */
    size_t count;
};

static void fetch_ahead(const fino_pprof *profile, struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t at = batch->hashes[i], id = pprof_index_next(&profile->sample_index, at, &at);
        batch->ids[i] = id;
        if (id == FINO_PPROF_NONE) continue;
        __builtin_prefetch(profile->records.items + profile->samples.items[id]);
        __builtin_prefetch(profile->values + (size_t)id * profile->sample_types.count, 1);
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->ids[i] == FINO_PPROF_NONE) continue;
        struct pprof_sample sample = pprof_sample(profile, batch->ids[i]);
        for (uint32_t chunk = 0; chunk < sample.chunk_count; chunk++)
            __builtin_prefetch(&profile->chunks.items[sample.chunks[chunk]]);
    }
}

int fino_pprof_add_samples(fino_pprof *profile, const struct fino_pprof_addition *additions, size_t count) {
    while (count > 0 && profile->error == 0) {
        struct batch batch = {.count = count < BATCH_COUNT ? count : BATCH_COUNT};
        for (size_t i = 0; i < batch.count; i++) {
            if (additions[i].count > DEPTH_MAX) return pprof_fail(profile, -EINVAL), profile->error;
            batch.stacks[i] =
                (struct stack){additions[i].locations, (uint32_t)additions[i].count, additions[i].label_set};
            batch.hashes[i] = hash_stack(profile, &batch.stacks[i]);
            pprof_index_prefetch(&profile->sample_index, batch.hashes[i]);
        }
        fetch_ahead(profile, &batch);
        for (size_t i = 0; i < batch.count && profile->error == 0; i++)
            add_sample(profile, &batch.stacks[i], batch.hashes[i], additions[i].values);
        additions += batch.count;
        count -= batch.count;
    }
    return profile->error;
}

/* ---- Snapshots ---- */

fino_pprof_snapshot *fino_pprof_take_snapshot(const fino_pprof *profile) {
    size_t value_count = (size_t)profile->samples.count * profile->sample_types.count;
    size_t nbytes = sizeof(fino_pprof_snapshot) + value_count * sizeof *profile->values;
    fino_pprof_snapshot *snapshot = pprof_alloc(&profile->allocator, nbytes, 1);
    if (!snapshot) return NULL;
    snapshot->allocator = profile->allocator;
    snapshot->sample_count = profile->samples.count;
    snapshot->nbytes = nbytes;
    if (value_count) memcpy(snapshot->values, profile->values, value_count * sizeof *profile->values);
    return snapshot;
}

void fino_pprof_snapshot_free(fino_pprof_snapshot *snapshot) {
    if (!snapshot) return;
    struct fino_allocator allocator = snapshot->allocator;
    pprof_free(&allocator, snapshot, snapshot->nbytes, 1);
}
