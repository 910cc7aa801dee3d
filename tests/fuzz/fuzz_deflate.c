// LINK: -lz
/* Any bytes compressed (the first two choose level, checks and pieces): zlib and our decoder give them back, from one
 * call, from a buffer that just suffices and from a stream with flushes; a buffer one byte shorter does not suffice.
 *
 * What an execution takes longest for is memory: so the compressors live on, as those who compress much keep them, and
 * the stream's is an array.
 *
 * clang -g -O1 -fsanitize=fuzzer,address,undefined -DFINO_LIBFUZZER -D_GNU_SOURCE -Isrc tests/fuzz/fuzz_deflate.c
 * src/deflate/[a-z]*.c -lz
 */
#include <zlib.h>

#include "deflate/deflate.h"
#include "fuzz_slice.h"

enum { MAX_IN_NBYTES = 1 << 16, OUT_NBYTES = 2 * MAX_IN_NBYTES, ARENA_NBYTES = 10 << 20 };

/* What is asked of one input beside that it comes back. */
enum { CHECK_EXACT, CHECK_SHORT, CHECK_STREAM, CHECK_COUNT };

static fino_deflate_compressor *compressors[13];
static size_t arena_used;

static void *arena_alloc(void *context, size_t nbytes) {
    static _Alignas(16) uint8_t arena[ARENA_NBYTES];
    void *memory = arena + arena_used;
    (void)context;
    arena_used += (nbytes + 15) / 16 * 16;
    FUZZ_CHECK(arena_used <= ARENA_NBYTES);
    return memory;
}

static void arena_free(void *context, void *memory, size_t nbytes) {
    (void)context, (void)memory, (void)nbytes;
}

struct sink {
    uint8_t bytes[OUT_NBYTES * 4];
    size_t nbytes;
};

static int write_sink(void *context, const void *data, size_t nbytes) {
    struct sink *sink = context;
    FUZZ_CHECK(nbytes <= sizeof sink->bytes - sink->nbytes);
    memcpy(sink->bytes + sink->nbytes, data, nbytes);
    sink->nbytes += nbytes;
    return 0;
}

static void expect(const uint8_t *packed, size_t packed_nbytes, const uint8_t *in, size_t in_nbytes) {
    static uint8_t out[MAX_IN_NBYTES + 1];
    z_stream stream;
    size_t used, got;
    FUZZ_CHECK(fino_inflate(packed, packed_nbytes, out, in_nbytes, &used, &got) == FINO_INFLATE_OK);
    FUZZ_CHECK(used == packed_nbytes && got == in_nbytes && (got == 0 || memcmp(out, in, got) == 0));
    memset(&stream, 0, sizeof stream);
    inflateInit2(&stream, -15);
    stream.next_in = (uint8_t *)(uintptr_t)packed;
    stream.avail_in = (uInt)packed_nbytes;
    stream.next_out = out;
    stream.avail_out = sizeof out;
    FUZZ_CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    FUZZ_CHECK(stream.avail_in == 0 && stream.total_out == in_nbytes);
    FUZZ_CHECK(in_nbytes == 0 || memcmp(out, in, in_nbytes) == 0);
    inflateEnd(&stream);
}

static void check_stream(int level, size_t piece, const uint8_t *in, size_t in_nbytes) {
    static const struct fino_allocator arena = {arena_alloc, arena_free, NULL};
    static struct sink sink;
    struct fino_deflate_stream_config config = {
        .level = level, .allocator = &arena, .write = write_sink, .context = &sink};
    arena_used = 0;
    sink.nbytes = 0;
    fino_deflate_stream *stream = fino_deflate_stream_new(&config);
    FUZZ_CHECK(stream);
    if (piece < in_nbytes / 50) piece = in_nbytes / 50; /* few enough flushes */
    for (size_t at = 0; at < in_nbytes; at += piece) {
        fino_deflate_stream_write(stream, in + at, in_nbytes - at < piece ? in_nbytes - at : piece);
        if (piece % 3 == 0) fino_deflate_stream_flush(stream);
    }
    FUZZ_CHECK(fino_deflate_stream_finish(stream) == 0);
    fino_deflate_stream_free(stream);
    expect(sink.bytes, sink.nbytes, in, in_nbytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_nbytes) {
    static uint8_t out[OUT_NBYTES];
    if (in_nbytes < 2 || in_nbytes > MAX_IN_NBYTES) return 0;
    int level = in[0] % 11 == 10 ? 12 : 1 + in[0] % 11 % 9, check = in[0] / 11 % CHECK_COUNT;
    size_t piece = 1 + (size_t)in[1] * in[1], size;
    in += 2;
    in_nbytes -= 2;
    if (in_nbytes == 0) in = NULL; /* nothing may be anywhere */

    if (!compressors[level]) compressors[level] = fino_deflate_compressor_new(level, NULL);
    fino_deflate_compressor *compressor = compressors[level];
    size = fino_deflate_compressor_deflate(compressor, in, in_nbytes, out, fino_deflate_bound(in_nbytes));
    FUZZ_CHECK(size > 0 && size <= fino_deflate_bound(in_nbytes));
    expect(out, size, in, in_nbytes);
    if (check == CHECK_STREAM) {
        check_stream(level, piece, in, in_nbytes);
        return 0;
    }
    uint8_t *tight = malloc(size); /* so that the sanitizer knows its end */
    if (check == CHECK_EXACT) {
        FUZZ_CHECK(fino_deflate_compressor_deflate(compressor, in, in_nbytes, tight, size) == size);
        FUZZ_CHECK(memcmp(out, tight, size) == 0);
    } else {
        FUZZ_CHECK(fino_deflate_compressor_deflate(compressor, in, in_nbytes, tight + 1, size - 1) == 0);
    }
    free(tight);
    return 0;
}

#ifndef FINO_LIBFUZZER
size_t fuzz_seed(unsigned i, uint8_t *out) {
    size_t nbytes = 2 + i * 131 % 4094;
    for (size_t at = 0; at < nbytes; at++)
        out[at] = (uint8_t)(i % 3 ? (at * at >> i % 7) % (5 + i % 50) : at % (2 + i % 9) * 41);
    out[0] = (uint8_t)i;
    out[1] = (uint8_t)(i / 11);
    return nbytes;
}
#endif
