/* stream.c: compression of input that comes in pieces.
 *
 * The pieces gather in a buffer of 128 KiB behind the last 32 KiB, which matches may reach into. When it is full it is
 * compressed, as blocks of its own, with the match finder's tables going on from where they were. Matches end with
 * the buffer, and so do blocks; that costs about 0.2 % against one call. */
#include "allocator.h"
#include "compressor.h"
#include "gzip.h"

enum {
    CHUNK_NBYTES = 131072,
    /* The blocks of a full chunk at the bound of fino_deflate_bound, an empty block, pending bits, a trailer. */
    OUT_NBYTES = CHUNK_NBYTES + CHUNK_NBYTES / 256 + 64,
};

struct fino_deflate_stream {
    struct fino_allocator memory;
    struct fino_deflate_compressor *compressor;
    int (*write)(void *context, const void *data, size_t nbytes);
    void *context;
    int error; /* what write returned; sticks */
    bool is_gzip;
    uint32_t crc;
    uint32_t total_nbytes;        /* modulo 2^32 */
    uint32_t history_nbytes;      /* at the beginning of IN: already compressed */
    uint32_t pending_nbytes;      /* behind it: not yet */
    struct deflate_writer writer; /* into OUT; between calls only bits are pending */
    uint8_t in[DEFLATE_WINDOW + CHUNK_NBYTES];
    uint8_t out[OUT_NBYTES];
};

/* Passes on the whole bytes of OUT. */
static int drain(struct fino_deflate_stream *stream) {
    size_t nbytes = (size_t)(stream->writer.next - stream->out);
    if (nbytes && !stream->error) stream->error = stream->write(stream->context, stream->out, nbytes);
    stream->writer.next = stream->out;
    return stream->error;
}

/* Compresses what is pending and keeps the end of it as history. OUT is empty and holds all of it. */
static void compress_pending(struct fino_deflate_stream *stream, bool is_final) {
    const uint8_t *start = stream->in + stream->history_nbytes, *end = start + stream->pending_nbytes;
    struct deflate_input input = {stream->in, start, end, is_final};
    size_t keep = min_size((size_t)(end - stream->in), DEFLATE_WINDOW);
    if (stream->pending_nbytes == 0) {
        if (is_final) deflate_empty_write(&stream->writer);
        return;
    }
    if (stream->is_gzip) stream->crc = fino_crc32(stream->crc, start, stream->pending_nbytes);
    stream->total_nbytes += stream->pending_nbytes;
    deflate_compressor_run(stream->compressor, &input, &stream->writer);
    memmove(stream->in, end - keep, keep);
    stream->history_nbytes = (uint32_t)keep;
    stream->pending_nbytes = 0;
}

int fino_deflate_stream_write(fino_deflate_stream *stream, const void *in, size_t in_nbytes) {
    const uint8_t *next = in;
    while (in_nbytes > 0 && !stream->error) {
        uint32_t used = stream->history_nbytes + stream->pending_nbytes;
        size_t nbytes = min_size(in_nbytes, min_size(sizeof stream->in - used, CHUNK_NBYTES - stream->pending_nbytes));
        memcpy(stream->in + used, next, nbytes);
        stream->pending_nbytes += (uint32_t)nbytes;
        next += nbytes;
        in_nbytes -= nbytes;
        if (stream->pending_nbytes == CHUNK_NBYTES) {
            compress_pending(stream, false);
            drain(stream);
        }
    }
    return stream->error;
}

int fino_deflate_stream_flush(fino_deflate_stream *stream) {
    if (stream->error) return stream->error;
    compress_pending(stream, false);
    deflate_stored_write(&stream->writer, NULL, 0, false);
    return drain(stream);
}

int fino_deflate_stream_finish(fino_deflate_stream *stream) {
    if (stream->error) return stream->error;
    compress_pending(stream, true);
    writer_align(&stream->writer);
    if (stream->is_gzip) {
        deflate_gzip_put_trailer(stream->writer.next, stream->crc, stream->total_nbytes);
        stream->writer.next += GZIP_TRAILER_NBYTES;
    }
    return drain(stream);
}

static int write_header(struct fino_deflate_stream *stream, const struct fino_gzip_header *header) {
    size_t nbytes = fino_gzip_header_nbytes(header);
    uint8_t *bytes = nbytes <= sizeof stream->out ? stream->out : stream->memory.alloc(stream->memory.context, nbytes);
    if (!bytes) return -1;
    deflate_gzip_put_header(bytes, header, stream->compressor->level);
    stream->error = stream->write(stream->context, bytes, nbytes);
    if (bytes != stream->out) stream->memory.free(stream->memory.context, bytes, nbytes);
    return 0;
}

fino_deflate_stream *fino_deflate_stream_new(const struct fino_deflate_stream_config *config) {
    struct fino_allocator memory = deflate_allocator(config->allocator);
    struct fino_deflate_stream *stream = memory.alloc(memory.context, sizeof *stream);
    if (!stream) return NULL;
    memset(stream, 0, offsetof(struct fino_deflate_stream, in));
    stream->memory = memory;
    stream->write = config->write;
    stream->context = config->context;
    stream->is_gzip = config->is_gzip;
    stream->writer.next = stream->out;
    stream->writer.end = stream->out + sizeof stream->out;
    stream->compressor = fino_deflate_compressor_new(config->level, config->allocator);
    if (!stream->compressor) goto fail_compressor;
    deflate_compressor_reset(stream->compressor);
    if (config->is_gzip && write_header(stream, config->header) != 0) goto fail_header;
    return stream;

fail_header:
    fino_deflate_compressor_free(stream->compressor);
fail_compressor:
    memory.free(memory.context, stream, sizeof *stream);
    return NULL;
}

void fino_deflate_stream_free(fino_deflate_stream *stream) {
    struct fino_allocator memory;
    if (!stream) return;
    memory = stream->memory;
    fino_deflate_compressor_free(stream->compressor);
    memory.free(memory.context, stream, sizeof *stream);
}
