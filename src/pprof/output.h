/* output.h: the way of encoded bytes from the encoder to whoever takes them, as they are or through gzip. */
#ifndef FINO_PPROF_OUTPUT_H
#define FINO_PPROF_OUTPUT_H

#include "pprof/memory.h"

/* Takes bytes. Returns 0, or else an error, which ends the output. */
typedef int pprof_write(void *context, const void *data, size_t nbytes);

struct pprof_output {
    const struct fino_allocator *allocator;
    pprof_write *write;
    void *context;
    fino_deflate_stream *gzip; /* NULL: plain */
    int error;                 /* 0, or what was latched: -ENOMEM or what WRITE returned */
    uint8_t *buffer;
    size_t capacity;
    size_t used;
};

/* Opens an output to WRITE. GZIP_LEVEL: 0 for plain. Failures are latched. */
void pprof_output_open(struct pprof_output *output, const struct fino_allocator *allocator, int gzip_level,
                       pprof_write *write, void *context);

/* Returns: room for NBYTES, which the caller fills before the next call, or NULL with the error latched. */
uint8_t *pprof_output_room(struct pprof_output *output, size_t nbytes);

/* Puts BYTES out; many of them pass without being copied. */
void pprof_output_bytes(struct pprof_output *output, const void *bytes, size_t nbytes);

/* Writes out what is left and gives back the memory. Returns: 0 or the error latched. */
int pprof_output_close(struct pprof_output *output);

/* ---- Collecting an output of unknown size in memory ---- */

struct pprof_collector {
    const struct fino_allocator *allocator;
    uint8_t *bytes;
    size_t nbytes, capacity;
};

/* A pprof_write whose context is a pprof_collector. */
int pprof_collect(void *collector, const void *data, size_t nbytes);

/* Returns: what was collected, in an allocation of exactly its size, or NULL when there is nothing or memory is short.
 * Either way the collector has nothing left. */
uint8_t *pprof_collector_finish(struct pprof_collector *collector);

#endif
