/* output.c: the buffer in front of whoever takes the bytes, and the collector for those who want them in one piece. */
#include "pprof/output.h"

/* Some hundreds of samples: few calls, and all of it stays near the core. */
#define BUFFER_NBYTES ((size_t)16 << 10)

static void pass_on(struct pprof_output *output, const void *bytes, size_t nbytes) {
    if (output->error || nbytes == 0) return;
    int error = output->gzip ? fino_deflate_stream_write(output->gzip, bytes, nbytes)
                             : output->write(output->context, bytes, nbytes);
    if (error) output->error = error;
}

static void flush(struct pprof_output *output) {
    pass_on(output, output->buffer, output->used);
    output->used = 0;
}

void pprof_output_open(struct pprof_output *output, const struct fino_allocator *allocator, int gzip_level,
                       pprof_write *write, void *context) {
    *output = (struct pprof_output){.allocator = allocator, .write = write, .context = context};
    if (gzip_level == 0) return;
    output->gzip = fino_deflate_stream_new(&(struct fino_deflate_stream_config){
        .level = gzip_level, .is_gzip = true, .allocator = allocator, .write = write, .context = context});
    if (!output->gzip) output->error = -ENOMEM;
}

/* The buffer is as large as the largest message asked for: one with a very deep stack, as a rule. */
static bool enlarge(struct pprof_output *output, size_t nbytes) {
    size_t capacity = nbytes < BUFFER_NBYTES ? BUFFER_NBYTES : nbytes;
    pprof_free(output->allocator, output->buffer, output->capacity, 1);
    output->buffer = pprof_alloc(output->allocator, capacity, 1);
    output->capacity = output->buffer ? capacity : 0;
    return output->buffer != NULL;
}

uint8_t *pprof_output_room(struct pprof_output *output, size_t nbytes) {
    if (output->error) return NULL;
    if (nbytes > output->capacity - output->used) {
        flush(output);
        if (nbytes > output->capacity && !enlarge(output, nbytes)) output->error = -ENOMEM;
        if (output->error) return NULL;
    }
    uint8_t *room = output->buffer + output->used;
    output->used += nbytes;
    return room;
}

void pprof_output_bytes(struct pprof_output *output, const void *bytes, size_t nbytes) {
    if (nbytes > BUFFER_NBYTES) {
        flush(output);
        pass_on(output, bytes, nbytes);
        return;
    }
    uint8_t *room = pprof_output_room(output, nbytes);
    if (room && nbytes) memcpy(room, bytes, nbytes);
}

int pprof_output_close(struct pprof_output *output) {
    flush(output);
    if (output->gzip && !output->error) output->error = fino_deflate_stream_finish(output->gzip);
    fino_deflate_stream_free(output->gzip);
    pprof_free(output->allocator, output->buffer, output->capacity, 1);
    return output->error;
}

/* ---- Collecting ---- */

static bool resize(struct pprof_collector *collector, size_t capacity) {
    uint8_t *bytes = pprof_resize(collector->allocator, collector->bytes, collector->capacity, capacity, 1);
    if (!bytes) return false;
    collector->bytes = bytes;
    collector->capacity = capacity;
    return true;
}

int pprof_collect(void *context, const void *data, size_t nbytes) {
    struct pprof_collector *collector = context;
    if (nbytes > collector->capacity - collector->nbytes) {
        size_t needed = collector->nbytes + nbytes, capacity = collector->capacity + collector->capacity / 2;
        if (needed < nbytes || !resize(collector, needed > capacity ? needed : capacity)) return -ENOMEM;
    }
    memcpy(collector->bytes + collector->nbytes, data, nbytes);
    collector->nbytes += nbytes;
    return 0;
}

uint8_t *pprof_collector_finish(struct pprof_collector *collector) {
    if (collector->nbytes == collector->capacity || resize(collector, collector->nbytes)) return collector->bytes;
    pprof_free(collector->allocator, collector->bytes, collector->capacity, 1);
    return NULL;
}
