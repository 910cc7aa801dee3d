/* index.c: hashing (the only file that includes xxHash) and the growth of indexes. */
#include "pprof/index.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

uint64_t pprof_hash64(const void *data, size_t nbytes, uint64_t seed) {
    return XXH3_64bits_withSeed(data, nbytes, seed);
}

uint32_t pprof_hash(const void *data, size_t nbytes, uint64_t seed) {
    return (uint32_t)XXH3_64bits_withSeed(data, nbytes, seed);
}

void pprof_index_put(struct pprof_index *index, uint32_t hash, uint32_t id) {
    uint32_t mask = index->capacity - 1, at = hash & mask;
    while (index->slots[at].id != FINO_PPROF_NONE)
        at = (at + 1) & mask;
    index->slots[at] = (struct pprof_slot){hash, id};
    index->count++;
}

/* Doubles when three quarters are taken: chains stay short (two probes on average), 8 bytes a slot. */
bool pprof_index_reserve(const struct fino_allocator *allocator, struct pprof_index *index) {
    if (index->count < index->capacity - index->capacity / 4) return true;
    if (index->capacity > UINT32_MAX / 2) return false;
    struct pprof_index larger = {.capacity = index->capacity ? index->capacity * 2 : 16};
    larger.slots = pprof_alloc(allocator, larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0xff, larger.capacity * sizeof *larger.slots); /* every id FINO_PPROF_NONE */
    for (uint32_t i = 0; i < index->capacity; i++) {
        struct pprof_slot slot = index->slots[i];
        if (slot.id != FINO_PPROF_NONE) pprof_index_put(&larger, slot.hash, slot.id);
    }
    pprof_index_free(allocator, index);
    *index = larger;
    return true;
}

void pprof_index_free(const struct fino_allocator *allocator, struct pprof_index *index) {
    pprof_free(allocator, index->slots, index->capacity, sizeof *index->slots);
}
