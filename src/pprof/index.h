/* index.h: a hash index from content to id, shared by all that is interned.
 *
 * Open addressing with linear probing. A slot holds 32 bits of hash beside the id, so a probe almost never looks at
 * a wrong item and growing never looks at items at all. What "equal" means is the caller's business:
 *
 *     for (uint32_t at = hash, id; (id = pprof_index_next(index, hash, &at)) != FINO_PPROF_NONE;)
 *         if (equal(id, wanted)) return id;
 */
#ifndef FINO_PPROF_INDEX_H
#define FINO_PPROF_INDEX_H

#include "pprof/memory.h"

struct pprof_slot {
    uint32_t hash;
    uint32_t id; /* FINO_PPROF_NONE: empty */
};

struct pprof_index {
    struct pprof_slot *slots;
    uint32_t capacity; /* 0 or a power of two */
    uint32_t count;
};

/* XXH3 of the bytes. The caller's seed keeps hostile names from colliding on purpose. */
uint32_t pprof_hash(const void *data, size_t nbytes, uint64_t seed);
uint64_t pprof_hash64(const void *data, size_t nbytes, uint64_t seed);

/* Returns: the id in the next slot from *AT whose hash is HASH, or FINO_PPROF_NONE where the chain ends. */
static inline uint32_t pprof_index_next(const struct pprof_index *index, uint32_t hash, uint32_t *at) {
    if (index->capacity == 0) return FINO_PPROF_NONE;
    for (;;) {
        const struct pprof_slot *slot = &index->slots[(*at)++ & (index->capacity - 1)];
        if (slot->hash == hash || slot->id == FINO_PPROF_NONE) return slot->id;
    }
}

/* Has the slot where a search for HASH begins brought near. */
static inline void pprof_index_prefetch(const struct pprof_index *index, uint32_t hash) {
    if (index->capacity) __builtin_prefetch(&index->slots[hash & (index->capacity - 1)]);
}

/* Makes room for one more entry. Returns: false when memory is short. */
bool pprof_index_reserve(const struct fino_allocator *allocator, struct pprof_index *index);

/* Adds an entry, for which there is room. */
void pprof_index_put(struct pprof_index *index, uint32_t hash, uint32_t id);

void pprof_index_free(const struct fino_allocator *allocator, struct pprof_index *index);

#endif
