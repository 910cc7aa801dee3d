/* jit_table.c: see jit_table.h. Linear probing; a removed key leaves a tombstone, which growing sweeps away. */
#include "runtime/jit_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

#define TOMBSTONE 1

void *jit_must(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

void *jit_reserve(void *array, size_t *cap, size_t need, size_t element_nbytes) {
    if (need <= *cap) return array;
    while (*cap < need)
        *cap = *cap ? *cap * 2 : 64;
    return jit_must(realloc(array, *cap * element_nbytes));
}

static size_t table_slot(const struct jit_table *table, uint64_t key) {
    size_t mask = table->cap - 1, i = (size_t)XXH3_64bits(&key, sizeof key) & mask;
    size_t free_slot = SIZE_MAX;
    for (; table->keys[i] != 0; i = (i + 1) & mask) {
        if (table->keys[i] == key) return i;
        if (table->keys[i] == TOMBSTONE && free_slot == SIZE_MAX) free_slot = i;
    }
    return free_slot != SIZE_MAX ? free_slot : i;
}

bool jit_table_get(const struct jit_table *table, uint64_t key, uint64_t *value_out) {
    if (table->cap == 0 || key <= TOMBSTONE) return false;
    size_t i = table_slot(table, key);
    if (table->keys[i] != key) return false;
    *value_out = table->values[i];
    return true;
}

static void table_grow(struct jit_table *table) {
    struct jit_table grown = {.cap = table->cap ? table->cap * 2 : 1024};
    grown.keys = jit_must(calloc(grown.cap, sizeof *grown.keys));
    grown.values = jit_must(calloc(grown.cap, sizeof *grown.values));
    for (size_t i = 0; i < table->cap; i++) {
        if (table->keys[i] <= TOMBSTONE) continue;
        size_t slot = table_slot(&grown, table->keys[i]);
        grown.keys[slot] = table->keys[i];
        grown.values[slot] = table->values[i];
        grown.used++;
    }
    free(table->keys);
    free(table->values);
    *table = grown;
}

void jit_table_set(struct jit_table *table, uint64_t key, uint64_t value) {
    if (2 * (table->used + 1) > table->cap) table_grow(table);
    size_t i = table_slot(table, key);
    if (table->keys[i] == 0) table->used++; /* a tombstone taken was counted already */
    table->keys[i] = key;
    table->values[i] = value;
}

void jit_table_remove(struct jit_table *table, uint64_t key) {
    uint64_t ignored;
    if (jit_table_get(table, key, &ignored)) table->keys[table_slot(table, key)] = TOMBSTONE;
}

void jit_table_free(struct jit_table *table) {
    free(table->keys);
    free(table->values);
}
