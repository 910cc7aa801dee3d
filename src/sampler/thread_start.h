/* thread_start.h: where threads start in a C library that has no CFI to say so. */
#ifndef FINO_SAMPLER_THREAD_START_H
#define FINO_SAMPLER_THREAD_START_H

#include "sampler/elf.h"

/* Code at link-time addresses [start, limit). */
struct sampler_code_range {
    uint64_t start;
    uint64_t limit;
};

#define SAMPLER_THREAD_STARTS_MAX 4

/* Finds the functions of musl that call a program's main and its threads' functions, where ELF's symbol table proves
 * that they are musl's. Returns: how many there are in STARTS_OUT; 0 for any other file. */
size_t sampler_thread_starts_find(const struct sampler_elf *elf,
                                  struct sampler_code_range starts_out[SAMPLER_THREAD_STARTS_MAX]);

#endif
