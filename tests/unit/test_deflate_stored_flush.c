// LINK: -lz
/* A flush with nothing to store, and inputs of no bytes at NULL: adding an offset to a null pointer, which deflate once
 * did there, is undefined and found by UBSan. What comes out is still a stream that zlib reads. */
#include "deflate_samples.h"

struct sink {
    uint8_t bytes[1000];
    size_t nbytes;
};

static int write_sink(void *context, const void *data, size_t nbytes) {
    struct sink *sink = context;
    EXPECT(nbytes <= sizeof sink->bytes - sink->nbytes);
    memcpy(sink->bytes + sink->nbytes, data, nbytes);
    sink->nbytes += nbytes;
    return 0;
}

static void test_flushes(int level) {
    struct sink sink = {.nbytes = 0};
    struct fino_deflate_stream_config config = {.level = level, .write = write_sink, .context = &sink};
    fino_deflate_stream *stream = fino_deflate_stream_new(&config);
    EXPECT(stream != NULL);
    EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    EXPECT_EQ(sink.nbytes, 5); /* an empty stored block */
    EXPECT_EQ(fino_deflate_stream_write(stream, NULL, 0), 0);
    EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    EXPECT_EQ(fino_deflate_stream_write(stream, "text", 4), 0);
    EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    EXPECT_EQ(fino_deflate_stream_finish(stream), 0);
    fino_deflate_stream_free(stream);
    zlib_expect(-15, sink.bytes, sink.nbytes, (const uint8_t *)"text", 4);
    inflate_expect(sink.bytes, sink.nbytes, (const uint8_t *)"text", 4);
}

static void test_nothing(int level) {
    uint8_t out[64];
    size_t size = fino_deflate_compress(level, NULL, NULL, 0, out, sizeof out), got, used;
    EXPECT(size > 0 && size <= fino_deflate_bound(0));
    zlib_expect(-15, out, size, out, 0);
    EXPECT_EQ(fino_inflate(out, size, NULL, 0, &used, &got), FINO_INFLATE_OK);
    EXPECT(used == size && got == 0);
    size = fino_gzip_compress(level, NULL, NULL, 0, out, sizeof out);
    EXPECT(size > 0 && size <= fino_gzip_bound(0));
    zlib_expect(31, out, size, out, 0);
    EXPECT_EQ(fino_inflate(NULL, 0, out, sizeof out, &used, &got), FINO_INFLATE_TRUNCATED);
    EXPECT_EQ(fino_crc32(0, NULL, 0), 0);
}

int main(void) {
    for (int i = 0; i < SAMPLE_LEVEL_COUNT; i++) {
        test_flushes(sample_levels[i]);
        test_nothing(sample_levels[i]);
    }
    return 0;
}
