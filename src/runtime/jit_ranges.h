/* jit_ranges.h: machine code by address: which code's range holds a PC.
 *
 * Ranges do not overlap: what is inserted takes the place of what was there. Each holds one reference to its code.
 */
#ifndef FINO_RT_JIT_RANGES_H
#define FINO_RT_JIT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_code;
struct chunk;

/* A sorted list of short sorted chunks: inserting moves little. Zeroed is empty. */
struct jit_ranges {
    struct chunk **chunks;
    size_t chunk_count, chunk_cap;
};

/* The code whose range holds PC, and where that range starts; NULL: none. */
struct jit_code *jit_ranges_find(const struct jit_ranges *ranges, uintptr_t pc, uintptr_t *start_out);
bool jit_ranges_overlap(const struct jit_ranges *ranges, uintptr_t start, size_t nbytes);
void jit_ranges_insert(struct jit_ranges *ranges, uintptr_t start, struct jit_code *code);
/* Removes every range that overlaps [START, START + NBYTES). */
void jit_ranges_clear(struct jit_ranges *ranges, uintptr_t start, size_t nbytes);
void jit_ranges_each(const struct jit_ranges *ranges, void (*visit)(void *context, struct jit_code *code),
                     void *context);
void jit_ranges_free(struct jit_ranges *ranges);

#endif
