/* pages.h: memory for large tables, in few page faults.
 *
 * The first touch of a page costs 0.3 us where the processor walks the tables of a virtual machine by itself, and 10 us
 * where its host keeps shadows of them: there a table of 2 MB costs 5 ms before anything is computed, populated or not.
 * One page of 2 MB costs 0.2 ms anywhere. */
#ifndef FINO_SAMPLER_PAGES_H
#define FINO_SAMPLER_PAGES_H

#include <stddef.h>

/* Smaller tables are malloc's: a large page would mostly be wasted on them. */
#define SAMPLER_PAGES_MIN_NBYTES (256 * 1024)

/* NBYTES (> 0) of zeros, from malloc or, for SAMPLER_PAGES_MIN_NBYTES and more, in large pages if there are any.
 * Returns NULL when memory is short. Owns: sampler_pages_free with the same NBYTES. */
void *sampler_pages_new(size_t nbytes);

/* NULL is ignored. */
void sampler_pages_free(void *memory, size_t nbytes);

#endif
