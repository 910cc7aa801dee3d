/* memory.h: growing arrays on the caller's allocator.
 *
 * Everything this library allocates passes through here, so that every allocation can be counted, limited and failed.
 */
#ifndef FINO_PPROF_MEMORY_H
#define FINO_PPROF_MEMORY_H

#include "pprof/platform.h"
#include "pprof/pprof.h"

/* The allocator to use where the caller names none: malloc and free, or one that always fails under
 * FINO_NO_MALLOC. */
extern const struct fino_allocator pprof_default_allocator;

/* Returns: NULL when COUNT * ITEM_NBYTES is 0, too large for size_t, or more than there is. */
void *pprof_alloc(const struct fino_allocator *allocator, size_t count, size_t item_nbytes);
void *pprof_alloc_zeroed(const struct fino_allocator *allocator, size_t count, size_t item_nbytes);
/* ITEMS, COUNT of them, moved to an allocation of NEW_COUNT: as many as fit. ITEMS may be NULL with COUNT 0. The
 * default allocator does it by realloc, which moves large ones without copying them. Returns: NULL when memory is
 * short; ITEMS are then as they were. */
void *pprof_resize(const struct fino_allocator *allocator, void *items, size_t count, size_t new_count,
                   size_t item_nbytes);
/* ITEMS may be NULL. */
void pprof_free(const struct fino_allocator *allocator, void *items, size_t count, size_t item_nbytes);

/* An array that grows, its elements numbered by uint32_t; FINO_PPROF_NONE is never an index. */
#define PPROF_VECTOR(type)                                                                                             \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        uint32_t count;                                                                                                \
        uint32_t capacity;                                                                                             \
    }

/* Makes room for EXTRA more items, moving them if need be. Evaluates to false when memory is short; the vector is then
 * as it was. */
#define PPROF_RESERVE(allocator, vector, extra)                                                                        \
    ((vector)->capacity - (vector)->count >= (extra) ||                                                                \
     ((vector)->items = pprof_grow((allocator), (vector)->items, (vector)->count, &(vector)->capacity, (extra),        \
                                   sizeof *(vector)->items),                                                           \
      (vector)->capacity - (vector)->count >= (extra)))

#define PPROF_VECTOR_FREE(allocator, vector)                                                                           \
    pprof_free((allocator), (vector)->items, (vector)->capacity, sizeof *(vector)->items)

/* Returns: the items at their new place and the new *CAPACITY, or both unchanged when memory is short. */
void *pprof_grow(const struct fino_allocator *allocator, void *items, uint32_t count, uint32_t *capacity, size_t extra,
                 size_t item_nbytes);

#endif
