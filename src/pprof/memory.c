/* memory.c: allocation with overflow checks, growth of arrays, and the default allocator. */
#include "pprof/memory.h"

#ifndef FINO_NO_MALLOC
#include <stdlib.h>

static void *default_alloc(void *context, size_t nbytes) {
    (void)context;
    return malloc(nbytes);
}

static void default_free(void *context, void *memory, size_t nbytes) {
    (void)context, (void)nbytes;
    free(memory);
}

static void *default_resize(void *memory, size_t nbytes) {
    return realloc(memory, nbytes);
}
#else
static void *default_alloc(void *context, size_t nbytes) {
    (void)context, (void)nbytes;
    return NULL;
}

static void default_free(void *context, void *memory, size_t nbytes) {
    (void)context, (void)memory, (void)nbytes;
}

static void *default_resize(void *memory, size_t nbytes) {
    (void)memory, (void)nbytes;
    return NULL;
}
#endif

const struct fino_allocator pprof_default_allocator = {default_alloc, default_free, NULL};

void *pprof_alloc(const struct fino_allocator *allocator, size_t count, size_t item_nbytes) {
    if (count == 0 || item_nbytes == 0 || count > SIZE_MAX / 2 / item_nbytes) return NULL;
    return allocator->alloc(allocator->context, count * item_nbytes);
}

void *pprof_alloc_zeroed(const struct fino_allocator *allocator, size_t count, size_t item_nbytes) {
    void *items = pprof_alloc(allocator, count, item_nbytes);
    if (items) memset(items, 0, count * item_nbytes);
    return items;
}

void pprof_free(const struct fino_allocator *allocator, void *items, size_t count, size_t item_nbytes) {
    if (items) allocator->free(allocator->context, items, count * item_nbytes);
}

void *pprof_resize(const struct fino_allocator *allocator, void *items, size_t count, size_t new_count,
                   size_t item_nbytes) {
    if (new_count == 0 || item_nbytes == 0 || new_count > SIZE_MAX / 2 / item_nbytes) return NULL;
    if (allocator->alloc == default_alloc) return default_resize(items, new_count * item_nbytes);
    void *resized = pprof_alloc(allocator, new_count, item_nbytes);
    if (!resized) return NULL;
    if (items) memcpy(resized, items, (count < new_count ? count : new_count) * item_nbytes);
    pprof_free(allocator, items, count, item_nbytes);
    return resized;
}

/* Grows by half: the sum of all copying stays linear, and at most a third of an array is unused. */
void *pprof_grow(const struct fino_allocator *allocator, void *items, uint32_t count, uint32_t *capacity, size_t extra,
                 size_t item_nbytes) {
    const uint32_t most = UINT32_MAX - 1;
    if (extra > most - count) return items;
    uint32_t needed = count + (uint32_t)extra, larger = *capacity <= most / 3 * 2 ? *capacity + *capacity / 2 : most;
    if (larger < needed) larger = needed;
    if (larger < 8) larger = 8;
    void *grown = pprof_resize(allocator, items, *capacity, larger, item_nbytes);
    if (!grown) return items;
    *capacity = larger;
    return grown;
}
