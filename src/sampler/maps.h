/* maps.h: the mapped ELF objects as maps.c keeps them for unwind_sig.c and symbol.c. */
#ifndef FINO_SAMPLER_MAPS_H
#define FINO_SAMPLER_MAPS_H

#include <stdatomic.h>

#include "sampler/module.h"
#include "sampler/unwind.h"

/* What a `const struct sampler_object *` really points to. */
struct sampler_map {
    struct sampler_object object;
    struct sampler_module *module;
};

static inline const struct sampler_map *sampler_map_of(const struct sampler_object *object) {
    return (const struct sampler_map *)object;
}

/* The executable mappings of one moment, by start address, without overlaps. Immutable and never freed. */
struct sampler_map_set {
    size_t count;
    const struct sampler_map *maps[];
};

/* Written by sampler_maps_refresh, read by handlers. */
extern _Atomic(const struct sampler_map_set *) sampler_maps_current;

/* How often mappings went away. Rules that a handler remembers for a PC are valid within one generation; the set is
 * published before the generation changes. */
extern _Atomic uint32_t sampler_maps_generation;

/* Forgets every remembered rule (unwind_sig.c); also touches the memory in which they are kept. */
void sampler_unwind_cache_clear(void);

#endif
