// LINK: -lz
/* The stream compressor and the reader, with header fields, pieces of all sizes and flushes: zlib reads what the stream
 * writes, and what zlib writes the reader reads; members follow one another; every allocation may fail. */
#include "deflate/deflate.h"
#include "deflate_samples.h"

enum { NBYTES = 400000 };

struct sink {
    uint8_t *bytes;
    size_t nbytes;
    int calls_left; /* fails when used up */
};

static int write_sink(void *context, const void *data, size_t nbytes) {
    struct sink *sink = context;
    if (sink->calls_left-- <= 0) return -5;
    memcpy(sink->bytes + sink->nbytes, data, nbytes);
    sink->nbytes += nbytes;
    return 0;
}

static ptrdiff_t read_sink(void *context, void *buffer, size_t nbytes) {
    struct sink *source = context;
    if (nbytes > 1000) nbytes = 1 + source->nbytes % 1000;
    if (nbytes > source->nbytes) nbytes = source->nbytes;
    memcpy(buffer, source->bytes, nbytes);
    source->bytes += nbytes;
    source->nbytes -= nbytes;
    return (ptrdiff_t)nbytes;
}

static void expect_reader(bool is_gzip, uint8_t *packed, size_t packed_nbytes, const uint8_t *expected,
                          size_t expected_nbytes) {
    struct sink source = {packed, packed_nbytes, 0};
    struct fino_inflate_reader_config config = {is_gzip, NULL, read_sink, &source};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    uint8_t *out = malloc(expected_nbytes + 1);
    size_t total = 0, got, piece = 1;
    do {
        size_t room = expected_nbytes + 1 - total;
        if (piece > room) piece = room;
        EXPECT_EQ(fino_inflate_reader_read(reader, out + total, piece, &got), FINO_INFLATE_OK);
        total += got;
        if (got < piece) break;
        piece = piece * 2 + 1;
    } while (total <= expected_nbytes);
    EXPECT_EQ(total, expected_nbytes);
    EXPECT(memcmp(out, expected, expected_nbytes) == 0);
    free(out);
    fino_inflate_reader_free(reader);
}

static void check_stream(int level, bool is_gzip, enum sample_kind kind, size_t nbytes, size_t piece, bool flush,
                         const uint8_t *in) {
    struct fino_gzip_header header = {.mtime = 1234567,
                                      .has_header_crc = true,
                                      .name = "name",
                                      .comment = "a comment",
                                      .extra = "xx\2\0ab",
                                      .extra_nbytes = 6};
    struct sink sink = {malloc(2 * NBYTES + 100000), 0, 1 << 20};
    struct fino_deflate_stream_config config = {level, is_gzip, &header, NULL, write_sink, &sink};
    fino_deflate_stream *stream = fino_deflate_stream_new(&config);
    (void)kind;
    EXPECT(stream != NULL);
    for (size_t at = 0; at < nbytes; at += piece) {
        EXPECT_EQ(fino_deflate_stream_write(stream, in + at, nbytes - at < piece ? nbytes - at : piece), 0);
        if (flush) EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    }
    EXPECT_EQ(fino_deflate_stream_finish(stream), 0);
    fino_deflate_stream_free(stream);
    zlib_expect(is_gzip ? 31 : -15, sink.bytes, sink.nbytes, in, nbytes);
    expect_reader(is_gzip, sink.bytes, sink.nbytes, in, nbytes);
    if (!is_gzip) inflate_expect(sink.bytes, sink.nbytes, in, nbytes);
    free(sink.bytes);
}

static void test_streams(void) {
    uint8_t *in = malloc(NBYTES);
    for (int kind = 0; kind < SAMPLE_KIND_COUNT; kind++) {
        sample_fill((enum sample_kind)kind, in, NBYTES, 3);
        check_stream(6, true, (enum sample_kind)kind, NBYTES, 100000, false, in);
        check_stream(1, false, (enum sample_kind)kind, NBYTES, 33333, true, in);
        check_stream(9, true, (enum sample_kind)kind, 40000, 997, true, in);
        check_stream(12, false, (enum sample_kind)kind, 150000, 140000, false, in);
    }
    check_stream(6, true, SAMPLE_ZEROS, 0, 1, false, in);
    check_stream(6, false, SAMPLE_ZEROS, 0, 1, false, in);
    free(in);
}

/* zlib's output at all its strategies is read back. */
static void test_reads_zlib(void) {
    uint8_t *in = malloc(NBYTES), *packed = malloc(2 * NBYTES);
    for (int kind = 0; kind < SAMPLE_KIND_COUNT; kind++) {
        sample_fill((enum sample_kind)kind, in, NBYTES, 9);
        for (int strategy = 0; strategy <= Z_FIXED; strategy++) {
            z_stream stream;
            void *back;
            size_t got;
            memset(&stream, 0, sizeof stream);
            EXPECT_EQ(deflateInit2(&stream, 1 + kind, Z_DEFLATED, 31, 8, strategy), Z_OK);
            stream.next_in = in;
            stream.next_out = packed;
            stream.avail_out = 2 * NBYTES;
            stream.avail_in = NBYTES;
            EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
            EXPECT_EQ(fino_gzip_decompress(NULL, packed, stream.total_out, NBYTES, &back, &got), FINO_INFLATE_OK);
            EXPECT(got == NBYTES && memcmp(back, in, NBYTES) == 0);
            free(back);
            expect_reader(true, packed, stream.total_out, in, NBYTES);
            deflateEnd(&stream);
        }
    }
    free(in);
    free(packed);
}

static void test_members(void) {
    uint8_t in[5000], packed[20000];
    size_t size = 0, got;
    void *back;
    sample_fill(SAMPLE_TEXT, in, sizeof in, 5);
    size += fino_gzip_compress(6, NULL, in, 2000, packed, sizeof packed);
    size += fino_gzip_compress(6, NULL, in, 0, packed + size, sizeof packed - size);
    size += fino_gzip_compress(1, NULL, in + 2000, 3000, packed + size, sizeof packed - size);
    EXPECT_EQ(fino_gzip_decompress(NULL, packed, size, sizeof in, &back, &got), FINO_INFLATE_OK);
    EXPECT(got == sizeof in && memcmp(back, in, got) == 0);
    free(back);
    expect_reader(true, packed, size, in, sizeof in);
    EXPECT_EQ(fino_gzip_decompress(NULL, packed, size, sizeof in - 1, &back, &got), FINO_INFLATE_OUTPUT_FULL);
}

/* ---- allocations that fail ---- */

struct counted {
    int allowed;
    int live;
    bool fails_once; /* the one after those allowed alone, and not all that follow */
};

static void *counted_alloc(void *context, size_t nbytes) {
    struct counted *counted = context;
    int left = counted->allowed--;
    if (counted->fails_once ? left == 0 : left <= 0) return NULL;
    counted->live++;
    return malloc(nbytes);
}

static void counted_free(void *context, void *memory, size_t nbytes) {
    struct counted *counted = context;
    (void)nbytes;
    counted->live--;
    free(memory);
}

/* Two members in PACKED, whose second is larger than the last trailer says: the output must grow. */
static void fail_decompression(struct counted *counted, const uint8_t *packed, size_t size, size_t expected) {
    struct fino_allocator allocator = {counted_alloc, counted_free, counted};
    for (int allowed = 0;; allowed++) {
        size_t got;
        void *back;
        counted->allowed = allowed;
        enum fino_inflate_status status = fino_gzip_decompress(&allocator, packed, size, 1 << 20, &back, &got);
        if (status == FINO_INFLATE_OK) {
            EXPECT(allowed >= 2 && got == expected && counted->live == 1);
            counted_free(counted, back, got);
            return;
        }
        EXPECT_EQ(status, FINO_INFLATE_NO_MEMORY);
        EXPECT(back == NULL && got == 0);
        EXPECT_EQ(counted->live, 0);
    }
}

static void fail_objects(struct counted *counted, uint8_t *packed) {
    struct fino_allocator allocator = {counted_alloc, counted_free, counted};
    for (int allowed = 0; allowed <= 2; allowed++) {
        struct sink sink = {packed, 0, 100};
        struct fino_deflate_stream_config config = {6, true, NULL, &allocator, write_sink, &sink};
        struct fino_inflate_reader_config reader_config = {true, &allocator, read_sink, &sink};
        counted->allowed = allowed;
        fino_deflate_stream *stream = fino_deflate_stream_new(&config);
        EXPECT((stream == NULL) == (allowed < 2));
        fino_deflate_stream_free(stream);
        counted->allowed = allowed;
        fino_deflate_compressor *compressor = fino_deflate_compressor_new(6, &allocator);
        EXPECT((compressor == NULL) == (allowed < 1));
        fino_deflate_compressor_free(compressor);
        counted->allowed = allowed;
        fino_inflate_reader *reader = fino_inflate_reader_new(&reader_config);
        EXPECT((reader == NULL) == (allowed < 1));
        fino_inflate_reader_free(reader);
        EXPECT_EQ(counted->live, 0);
    }
}

static void test_failures(void) {
    uint8_t in[20000], packed[30000];
    sample_fill(SAMPLE_TEXT, in, sizeof in, 2);
    for (int once = 0; once < 2; once++) {
        struct counted counted = {.fails_once = once};
        struct fino_allocator allocator = {counted_alloc, counted_free, &counted};
        EXPECT_EQ(fino_gzip_compress(6, &allocator, in, sizeof in, packed, sizeof packed), 0);
        counted.allowed = 1;
        size_t size = fino_gzip_compress(6, &allocator, in, sizeof in, packed, sizeof packed);
        EXPECT(size > 0);
        EXPECT_EQ(counted.live, 0);
        memmove(packed + size, packed, size);
        fail_decompression(&counted, packed, 2 * size, 2 * sizeof in);
        fail_objects(&counted, packed);
    }
    for (int calls = 0; calls < 3; calls++) { /* a sink that fails is heard of, and sticks */
        struct sink sink = {packed, 0, calls};
        struct fino_deflate_stream_config config = {6, true, NULL, NULL, write_sink, &sink};
        fino_deflate_stream *stream = fino_deflate_stream_new(&config);
        fino_deflate_stream_write(stream, in, sizeof in);
        fino_deflate_stream_flush(stream);
        EXPECT_EQ(fino_deflate_stream_finish(stream), -5);
        EXPECT_EQ(fino_deflate_stream_write(stream, in, 1), -5);
        fino_deflate_stream_free(stream);
    }
}

/* An object's past leaves no trace in its output. */
static void test_determinism(void) {
    uint8_t *in = malloc(NBYTES), *first = malloc(NBYTES + 10000), *second = malloc(NBYTES + 10000);
    for (int i = 0; i < SAMPLE_LEVEL_COUNT; i++) {
        fino_deflate_compressor *compressor = fino_deflate_compressor_new(sample_levels[i], NULL);
        sample_fill(SAMPLE_VARINTS, in, 100000, 8);
        size_t size = fino_deflate_compressor_deflate(compressor, in, 100000, first, NBYTES + 10000);
        sample_fill(SAMPLE_MIXED, in, 90000, 8);
        EXPECT(fino_deflate_compressor_deflate(compressor, in, 90000, second, NBYTES + 10000) > 0);
        sample_fill(SAMPLE_VARINTS, in, 100000, 8);
        EXPECT_EQ(fino_deflate_compressor_deflate(compressor, in, 100000, second, NBYTES + 10000), size);
        EXPECT(memcmp(first, second, size) == 0);
        EXPECT(fino_deflate_compressor_nbytes(sample_levels[i]) <= (sample_levels[i] < 10 ? 1u << 20 : 10u << 20));
        fino_deflate_compressor_free(compressor);
    }
    free(in);
    free(first);
    free(second);
}

static void test_crc(void) {
    uint8_t in[1000];
    sample_fill(SAMPLE_RANDOM, in, sizeof in, 4);
    for (size_t nbytes = 0; nbytes < sizeof in; nbytes++) {
        size_t start = nbytes % 17 < sizeof in - nbytes ? nbytes % 17 : 0;
        EXPECT_EQ(fino_crc32(0, in + start, nbytes), crc32(0, in + start, (uInt)nbytes));
        EXPECT_EQ(fino_crc32(fino_crc32(0, in, start), in + start, nbytes), crc32(0, in, (uInt)(start + nbytes)));
    }
}

int main(void) {
    test_crc();
    test_members();
    test_failures();
    test_determinism();
    test_reads_zlib();
    test_streams();
    return 0;
}
