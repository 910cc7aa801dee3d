/* strings.h: a table of distinct UTF-8 strings that never move. Id 0 is "". */
#ifndef FINO_PPROF_STRINGS_H
#define FINO_PPROF_STRINGS_H

#include "pprof/index.h"

struct pprof_string {
    const char *text; /* ends with a NUL beyond NBYTES */
    uint32_t nbytes;
    uint32_t hash;
};

struct pprof_string_block; /* one piece of memory that holds the bytes of many strings */

struct pprof_strings {
    PPROF_VECTOR(struct pprof_string) list;
    struct pprof_index index;
    struct pprof_string_block *blocks; /* the newest first; only it has room left */
    uint64_t seed;
};

/* Adds "". Returns: false when memory is short; the table may be freed all the same. */
bool pprof_strings_init(const struct fino_allocator *allocator, struct pprof_strings *strings, uint64_t seed);
size_t pprof_strings_nbytes(const struct pprof_strings *strings); /* of memory in use */
void pprof_strings_free(const struct fino_allocator *allocator, struct pprof_strings *strings);

/* Interns any bytes; what is not UTF-8 becomes U+FFFD. Returns: FINO_PPROF_NONE when memory is short. */
uint32_t pprof_strings_intern(const struct fino_allocator *allocator, struct pprof_strings *strings, const char *text,
                              size_t nbytes);

/* Returns: the id in STRINGS of a string out of a table with the same seed, or FINO_PPROF_NONE. */
uint32_t pprof_strings_find(const struct pprof_strings *strings, const struct pprof_string *wanted);

#endif
