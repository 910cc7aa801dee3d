// LINK: -lz
/* The fields of a gzip header, in all combinations: zlib reads what is written here and the other way round, and every
 * decoder passes over them. A header that is cut is truncated, one with a wrong byte is noticed if it has a checksum.
 * One that is larger than a stream's buffer takes an allocation of its own, which may fail. */
#include "deflate_samples.h"

enum { PACKED_NBYTES = 400000, LONG_NBYTES = 150000 };

static const uint8_t data[] = "hello hello hello hello";

static void expect_same_text(const char *actual, const char *expected) {
    EXPECT((actual == NULL) == (expected == NULL));
    if (expected) EXPECT_STR(actual, expected);
}

static void expect_same(const struct fino_gzip_header *actual, const struct fino_gzip_header *expected) {
    EXPECT_EQ(actual->mtime, expected->mtime);
    EXPECT(actual->is_text == expected->is_text && actual->has_header_crc == expected->has_header_crc);
    expect_same_text(actual->name, expected->name);
    expect_same_text(actual->comment, expected->comment);
    EXPECT((actual->extra == NULL) == (expected->extra == NULL));
    EXPECT_EQ(actual->extra_nbytes, expected->extra_nbytes);
    EXPECT(!expected->extra || memcmp(actual->extra, expected->extra, expected->extra_nbytes) == 0);
}

/* The combination of fields that the bits of I say. */
static struct fino_gzip_header combination(unsigned i) {
    return (struct fino_gzip_header){
        .mtime = i & 1 ? 0xFEDCBA98 : 0,
        .is_text = i & 2,
        .has_header_crc = i & 4,
        .name = i & 8    ? "profile.pb\xE9"
                : i & 64 ? ""
                         : NULL,
        .comment = i & 16   ? "a comment"
                   : i & 64 ? ""
                            : NULL,
        .extra = i & 32   ? "AB\1\0x"
                 : i & 64 ? ""
                          : NULL,
        .extra_nbytes = i & 32 ? 5 : 0,
    };
}

/* The header that zlib reads in PACKED. */
static void expect_zlib_reads(uint8_t *packed, size_t nbytes, const struct fino_gzip_header *expected) {
    static uint8_t extra[65536], name[64], comment[64];
    gz_header read = {
        .extra = extra, .extra_max = sizeof extra, .name = name, .name_max = 64, .comment = comment, .comm_max = 64};
    uint8_t back[sizeof data];
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    EXPECT(inflateInit2(&stream, 31) == Z_OK && inflateGetHeader(&stream, &read) == Z_OK);
    stream.next_in = packed;
    stream.avail_in = (uInt)nbytes;
    stream.next_out = back;
    stream.avail_out = sizeof back;
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(read.done, 1);
    struct fino_gzip_header header = {.mtime = (uint32_t)read.time,
                                      .is_text = read.text,
                                      .has_header_crc = read.hcrc,
                                      .name = (const char *)read.name,
                                      .comment = (const char *)read.comment,
                                      .extra = read.extra,
                                      .extra_nbytes = read.extra ? (uint16_t)read.extra_len : 0};
    expect_same(&header, expected);
    inflateEnd(&stream);
}

/* DATA as a gzip member by zlib. Returns its size. */
static size_t pack_with_zlib(const struct fino_gzip_header *header, uint8_t *packed) {
    gz_header written = {.text = header->is_text,
                         .time = header->mtime,
                         .extra = (uint8_t *)(uintptr_t)header->extra,
                         .extra_len = header->extra_nbytes,
                         .name = (uint8_t *)(uintptr_t)header->name,
                         .comment = (uint8_t *)(uintptr_t)header->comment,
                         .hcrc = header->has_header_crc};
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    EXPECT(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, 0) == Z_OK && deflateSetHeader(&stream, &written) == Z_OK);
    stream.next_in = (uint8_t *)(uintptr_t)data;
    stream.avail_in = sizeof data;
    stream.next_out = packed;
    stream.avail_out = PACKED_NBYTES;
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

static ptrdiff_t read_byte(void *context, void *buffer, size_t nbytes) {
    const uint8_t **range = context;
    if (range[0] == range[1]) return 0;
    EXPECT(nbytes > 0);
    memcpy(buffer, range[0]++, 1);
    return 1;
}

/* Whether both decoders read PACKED as DATA. */
static bool decodes(const uint8_t *packed, size_t nbytes) {
    const uint8_t *range[2] = {packed, packed + nbytes};
    struct fino_inflate_reader_config config = {.is_gzip = true, .read = read_byte, .context = range};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    enum fino_inflate_status status, reader_status;
    uint8_t back[sizeof data + 1];
    size_t got, reader_got;
    void *whole;
    status = fino_gzip_decompress(NULL, packed, nbytes, sizeof data, &whole, &got);
    reader_status = fino_inflate_reader_read(reader, back, sizeof back, &reader_got);
    fino_inflate_reader_free(reader);
    EXPECT_EQ(reader_status, status);
    if (status != FINO_INFLATE_OK) return false;
    EXPECT(got == sizeof data && memcmp(whole, data, got) == 0);
    EXPECT(reader_got == sizeof data && memcmp(back, data, got) == 0);
    free(whole);
    return true;
}

/* PACKED has HEADER, and is read as such up to the guard page behind it, and no less will do. */
static void check_reading(const struct guarded *guarded, const uint8_t *packed, size_t nbytes,
                          const struct fino_gzip_header *expected) {
    struct fino_gzip_header header;
    size_t size = fino_gzip_header_nbytes(expected), got;
    EXPECT(decodes(packed, nbytes));
    for (size_t cut = size < 1000 ? 0 : size - 100; cut <= size; cut++) {
        memcpy(guarded->end - cut, packed, cut);
        EXPECT_EQ(fino_gzip_read_header(guarded->end - cut, cut, &header, &got),
                  cut < size ? FINO_INFLATE_TRUNCATED : FINO_INFLATE_OK);
        EXPECT_EQ(got, cut < size ? 0 : size);
        if (cut < size) EXPECT(!header.name && !header.comment && !header.extra);
    }
    expect_same(&header, expected);
}

static void check_wrong_bytes(uint8_t *packed, size_t nbytes, size_t header_nbytes) {
    struct fino_gzip_header header;
    size_t got;
    for (size_t at = 0; at < header_nbytes; at++) {
        packed[at] ^= 1;
        EXPECT(fino_gzip_read_header(packed, nbytes, &header, &got) != FINO_INFLATE_OK);
        EXPECT(!decodes(packed, nbytes));
        packed[at] ^= 1;
    }
    packed[3] |= 0x20; /* a flag that doesn't exist */
    EXPECT_EQ(fino_gzip_read_header(packed, nbytes, &header, &got), FINO_INFLATE_BAD_HEADER);
    packed[3] &= 0x1F;
    packed[2] = 7; /* a method that doesn't */
    EXPECT_EQ(fino_gzip_read_header(packed, nbytes, &header, &got), FINO_INFLATE_BAD_HEADER);
    packed[2] = 8;
    packed[4] ^= 1;
    EXPECT_EQ(fino_gzip_read_header(packed, nbytes, &header, &got), FINO_INFLATE_BAD_HEADER_CRC);
    packed[4] ^= 1;
}

static void test_combinations(void) {
    fino_deflate_compressor *compressor = fino_deflate_compressor_new(6, NULL);
    uint8_t *packed = malloc(PACKED_NBYTES);
    struct guarded guarded = guarded_new(PACKED_NBYTES);
    for (unsigned i = 0; i < 128; i++) {
        struct fino_gzip_header header = combination(i);
        size_t needed = fino_gzip_header_nbytes(&header) + fino_deflate_bound(sizeof data) + 8;
        size_t nbytes =
            fino_deflate_compressor_gzip(compressor, &header, data, sizeof data, guarded.end - needed, needed);
        EXPECT(nbytes > 0);
        memcpy(packed, guarded.end - needed, nbytes);
        expect_zlib_reads(packed, nbytes, &header);
        check_reading(&guarded, packed, nbytes, &header);
        if (header.has_header_crc) check_wrong_bytes(packed, nbytes, fino_gzip_header_nbytes(&header));
        for (size_t less = 0; less < fino_gzip_header_nbytes(&header) + 8; less++)
            EXPECT_EQ(fino_deflate_compressor_gzip(compressor, &header, data, sizeof data, guarded.end - less, less),
                      0);
        check_reading(&guarded, packed, pack_with_zlib(&header, packed), &header);
    }
    fino_deflate_compressor_free(compressor);
    guarded_free(&guarded);
    free(packed);
}

/* ---- a header larger than a stream's buffer ---- */

struct memory {
    int left; /* allocations */
    int live;
};

static void *limited_alloc(void *context, size_t nbytes) {
    struct memory *memory = context;
    if (memory->left-- <= 0) return NULL;
    memory->live++;
    return malloc(nbytes);
}

static void limited_free(void *context, void *bytes, size_t nbytes) {
    struct memory *memory = context;
    (void)nbytes;
    memory->live--;
    free(bytes);
}

struct sink {
    uint8_t *bytes;
    size_t nbytes;
    bool fails;
};

static int write_sink(void *context, const void *bytes, size_t nbytes) {
    struct sink *sink = context;
    EXPECT(nbytes <= PACKED_NBYTES - sink->nbytes);
    if (sink->fails) return -5;
    memcpy(sink->bytes + sink->nbytes, bytes, nbytes);
    sink->nbytes += nbytes;
    return 0;
}

static void test_long_header(void) {
    static char name[LONG_NBYTES], extra[65535];
    struct fino_gzip_header header = {
        .name = memset(name, 'n', LONG_NBYTES - 1), .extra = extra, .extra_nbytes = 65535, .has_header_crc = true};
    struct guarded guarded = guarded_new(PACKED_NBYTES);
    struct memory memory = {0};
    struct fino_allocator allocator = {limited_alloc, limited_free, &memory};
    struct sink sink = {malloc(PACKED_NBYTES), 0, false};
    struct fino_deflate_stream_config config = {6, true, &header, &allocator, write_sink, &sink};
    for (int allowed = 0; allowed < 3; allowed++) {
        memory.left = allowed;
        EXPECT(fino_deflate_stream_new(&config) == NULL);
        EXPECT(memory.live == 0 && sink.nbytes == 0);
    }
    for (int fails = 0; fails < 2; fails++) {
        memory.left = 3;
        sink.fails = fails;
        sink.nbytes = 0;
        fino_deflate_stream *stream = fino_deflate_stream_new(&config);
        EXPECT(stream != NULL && memory.live == 2); /* what the header took is free again */
        EXPECT_EQ(fino_deflate_stream_write(stream, data, sizeof data), fails ? -5 : 0);
        EXPECT_EQ(fino_deflate_stream_finish(stream), fails ? -5 : 0);
        fino_deflate_stream_free(stream);
        EXPECT_EQ(memory.live, 0);
        if (!fails) check_reading(&guarded, sink.bytes, sink.nbytes, &header);
    }
    free(sink.bytes);
    guarded_free(&guarded);
}

int main(void) {
    struct fino_gzip_header header;
    size_t got;
    EXPECT_EQ(fino_gzip_read_header(NULL, 0, &header, &got), FINO_INFLATE_TRUNCATED);
    test_combinations();
    test_long_header();
    return 0;
}
