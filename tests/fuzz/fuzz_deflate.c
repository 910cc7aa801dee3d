// LINK: -lz
/* Any bytes compressed (the first two choose level and pieces): zlib and our decoder give them back, from one call,
 * from a tight buffer and from a stream with flushes.
 *
 * clang -g -O1 -fsanitize=fuzzer,address,undefined -DFINO_LIBFUZZER -D_GNU_SOURCE -Isrc tests/fuzz/fuzz_deflate.c
 * src/deflate/[a-z]*.c -lz
 */
#include <zlib.h>

#include "deflate/deflate.h"
#include "fuzz_slice.h"

enum { MAX_IN_NBYTES = 1 << 16, OUT_NBYTES = 2 * MAX_IN_NBYTES };

static fino_deflate_compressor *compressors[13];

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
    FUZZ_CHECK(used == packed_nbytes && got == in_nbytes && memcmp(out, in, got) == 0);
    memset(&stream, 0, sizeof stream);
    inflateInit2(&stream, -15);
    stream.next_in = (uint8_t *)(uintptr_t)packed;
    stream.avail_in = (uInt)packed_nbytes;
    stream.next_out = out;
    stream.avail_out = sizeof out;
    FUZZ_CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    FUZZ_CHECK(stream.avail_in == 0 && stream.total_out == in_nbytes && memcmp(out, in, in_nbytes) == 0);
    inflateEnd(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_nbytes) {
    static struct sink sink;
    if (in_nbytes < 2 || in_nbytes > MAX_IN_NBYTES) return 0;
    int level = in[0] % 11 == 10 ? 12 : 1 + in[0] % 9;
    size_t piece = 1 + (size_t)in[1] * in[1], size, bound;
    in += 2;
    in_nbytes -= 2;

    if (!compressors[level]) compressors[level] = fino_deflate_compressor_new(level, NULL);
    bound = fino_deflate_bound(in_nbytes);
    uint8_t *out = malloc(bound);
    size = fino_deflate_compressor_deflate(compressors[level], in, in_nbytes, out, bound);
    FUZZ_CHECK(size > 0);
    expect(out, size, in, in_nbytes);
    uint8_t *tight = malloc(size);
    FUZZ_CHECK(fino_deflate_compressor_deflate(compressors[level], in, in_nbytes, tight, size) == size);
    FUZZ_CHECK(memcmp(out, tight, size) == 0);
    FUZZ_CHECK(fino_deflate_compressor_deflate(compressors[level], in, in_nbytes, tight, size - 1) == 0);
    free(tight);
    free(out);

    if (level == 12 && in_nbytes > 1000) return 0; /* slow, and the same code */
    struct fino_deflate_stream_config config = {.level = level, .write = write_sink, .context = &sink};
    fino_deflate_stream *stream = fino_deflate_stream_new(&config);
    FUZZ_CHECK(stream);
    sink.nbytes = 0;
    if (piece < in_nbytes / 50) piece = in_nbytes / 50; /* few enough flushes */
    for (size_t at = 0; at < in_nbytes; at += piece) {
        fino_deflate_stream_write(stream, in + at, in_nbytes - at < piece ? in_nbytes - at : piece);
        if (piece % 3 == 0) fino_deflate_stream_flush(stream);
    }
    FUZZ_CHECK(fino_deflate_stream_finish(stream) == 0);
    fino_deflate_stream_free(stream);
    expect(sink.bytes, sink.nbytes, in, in_nbytes);
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
