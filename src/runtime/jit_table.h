/* jit_table.h: a hash table from words to words, and growing arrays: what the tables of code are built of.
 *
 * Memory: the profiler's tables are small beside V8's heap; where there is none left for them the process ends (a wrong
 * name would be worse, and V8 ends it at the next allocation anyway).
 */
#ifndef FINO_RT_JIT_TABLE_H
#define FINO_RT_JIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MEMORY, which must not be NULL. */
void *jit_must(void *memory);

/* ARRAY with room for NEED elements. */
void *jit_reserve(void *array, size_t *cap, size_t need, size_t element_nbytes);

/* Open addressing; zeroed is empty. Keys are above JIT_TABLE_KEY_MIN. */
struct jit_table {
    uint64_t *keys;
    uint64_t *values;
    size_t cap, used;
};
#define JIT_TABLE_KEY_MIN 2

bool jit_table_get(const struct jit_table *table, uint64_t key, uint64_t *value_out);
void jit_table_set(struct jit_table *table, uint64_t key, uint64_t value);
void jit_table_remove(struct jit_table *table, uint64_t key);
void jit_table_free(struct jit_table *table);

#endif
