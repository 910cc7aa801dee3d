/* jit_ranges.c: see jit_ranges.h. */
#include "runtime/jit_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/jit_code.h"
#include "runtime/jit_table.h"

#define CHUNK_CAP 128
struct chunk {
    size_t count;
    uintptr_t starts[CHUNK_CAP];
    struct jit_code *codes[CHUNK_CAP];
};

/* The chunk where ADDRESS is or would be: the last one that starts at or before it. */
static size_t chunk_of(const struct jit_ranges *ranges, uintptr_t address) {
    size_t low = 0, high = ranges->chunk_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (ranges->chunks[middle]->starts[0] <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many of CHUNK's starts are at or before ADDRESS. */
static size_t rank_in(const struct chunk *chunk, uintptr_t address) {
    size_t low = 0, high = chunk->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunk->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct jit_code *jit_ranges_find(const struct jit_ranges *ranges, uintptr_t pc, uintptr_t *start_out) {
    if (ranges->chunk_count == 0) return NULL;
    const struct chunk *chunk = ranges->chunks[chunk_of(ranges, pc)];
    size_t rank = rank_in(chunk, pc);
    if (rank == 0 || pc - chunk->starts[rank - 1] >= chunk->codes[rank - 1]->nbytes) return NULL;
    *start_out = chunk->starts[rank - 1];
    return chunk->codes[rank - 1];
}

static void insert_chunk(struct jit_ranges *ranges, size_t index, struct chunk *chunk) {
    ranges->chunks = jit_reserve(ranges->chunks, &ranges->chunk_cap, ranges->chunk_count + 1, sizeof *ranges->chunks);
    memmove(ranges->chunks + index + 1, ranges->chunks + index, (ranges->chunk_count - index) * sizeof *ranges->chunks);
    ranges->chunks[index] = chunk;
    ranges->chunk_count++;
}

static void split_chunk(struct jit_ranges *ranges, size_t index) {
    struct chunk *full = ranges->chunks[index], *upper = jit_must(malloc(sizeof *upper));
    size_t half = CHUNK_CAP / 2;
    upper->count = full->count - half;
    memcpy(upper->starts, full->starts + half, upper->count * sizeof *upper->starts);
    memcpy(upper->codes, full->codes + half, upper->count * sizeof *upper->codes);
    full->count = half;
    insert_chunk(ranges, index + 1, upper);
}

static void remove_at(struct jit_ranges *ranges, size_t index, size_t slot) {
    struct chunk *chunk = ranges->chunks[index];
    jit_code_release(chunk->codes[slot]);
    chunk->count--;
    memmove(chunk->starts + slot, chunk->starts + slot + 1, (chunk->count - slot) * sizeof *chunk->starts);
    memmove(chunk->codes + slot, chunk->codes + slot + 1, (chunk->count - slot) * sizeof *chunk->codes);
    if (chunk->count > 0) return;
    free(chunk);
    ranges->chunk_count--;
    memmove(ranges->chunks + index, ranges->chunks + index + 1, (ranges->chunk_count - index) * sizeof *ranges->chunks);
}

/* Finds the first range that overlaps [START, START + NBYTES). */
static bool find_overlap(const struct jit_ranges *ranges, uintptr_t start, size_t nbytes, size_t *index_out,
                         size_t *slot_out) {
    if (ranges->chunk_count == 0) return false;
    size_t index = chunk_of(ranges, start);
    const struct chunk *chunk = ranges->chunks[index];
    size_t slot = rank_in(chunk, start);
    if (slot > 0 && start - chunk->starts[slot - 1] < chunk->codes[slot - 1]->nbytes) {
        slot--;
    } else if (slot == chunk->count) {
        if (++index == ranges->chunk_count) return false;
        chunk = ranges->chunks[index];
        slot = 0;
    }
    *index_out = index;
    *slot_out = slot;
    return chunk->starts[slot] < start + nbytes;
}

void jit_ranges_clear(struct jit_ranges *ranges, uintptr_t start, size_t nbytes) {
    size_t index, slot;
    while (find_overlap(ranges, start, nbytes, &index, &slot))
        remove_at(ranges, index, slot);
}

void jit_ranges_insert(struct jit_ranges *ranges, uintptr_t start, struct jit_code *code) {
    jit_ranges_clear(ranges, start, code->nbytes);
    if (ranges->chunk_count == 0) {
        struct chunk *first = jit_must(malloc(sizeof *first));
        first->count = 0;
        insert_chunk(ranges, 0, first);
    }
    size_t index = chunk_of(ranges, start);
    if (ranges->chunks[index]->count == CHUNK_CAP) {
        split_chunk(ranges, index);
        index = chunk_of(ranges, start);
    }
    struct chunk *chunk = ranges->chunks[index];
    size_t slot = rank_in(chunk, start);
    memmove(chunk->starts + slot + 1, chunk->starts + slot, (chunk->count - slot) * sizeof *chunk->starts);
    memmove(chunk->codes + slot + 1, chunk->codes + slot, (chunk->count - slot) * sizeof *chunk->codes);
    chunk->starts[slot] = start;
    chunk->codes[slot] = jit_code_retain(code);
    chunk->count++;
}

bool jit_ranges_overlap(const struct jit_ranges *ranges, uintptr_t start, size_t nbytes) {
    size_t index, slot;
    return find_overlap(ranges, start, nbytes, &index, &slot);
}

void jit_ranges_each(const struct jit_ranges *ranges, void (*visit)(void *context, struct jit_code *code),
                     void *context) {
    for (size_t i = 0; i < ranges->chunk_count; i++)
        for (size_t j = 0; j < ranges->chunks[i]->count; j++)
            visit(context, ranges->chunks[i]->codes[j]);
}

void jit_ranges_free(struct jit_ranges *ranges) {
    jit_ranges_clear(ranges, 0, SIZE_MAX);
    free(ranges->chunks);
}
