// LINK: -lz
/* Stored blocks through a reader, whose bytes do not pass through its window: matches after them reach back into them,
 * however the source and the caller cut the data, and a stream cut within one gives what there is of it. */
#include "deflate_samples.h"

enum {
    NBYTES = 500000,
    PACKED_NBYTES = NBYTES + 100000,
    REACH = 32768 - 262, /* how far back zlib looks */
};

struct source {
    const uint8_t *bytes;
    size_t nbytes;
    size_t piece; /* at most so many at a time */
    bool fails;   /* at the end */
};

static ptrdiff_t read_source(void *context, void *buffer, size_t nbytes) {
    struct source *source = context;
    if (nbytes > source->piece) nbytes = source->piece;
    if (nbytes > source->nbytes) nbytes = source->nbytes;
    if (nbytes == 0 && source->fails) return -1;
    memcpy(buffer, source->bytes, nbytes);
    source->bytes += nbytes;
    source->nbytes -= nbytes;
    return (ptrdiff_t)nbytes;
}

/* Stored and coded blocks in turns, of ever other sizes. What is coded repeats what is REACH before. */
static size_t pack(const uint8_t *in, uint8_t *packed) {
    z_stream stream;
    size_t at = 0;
    memset(&stream, 0, sizeof stream);
    EXPECT_EQ(deflateInit2(&stream, 0, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (uint8_t *)(uintptr_t)in;
    stream.next_out = packed;
    stream.avail_out = PACKED_NBYTES;
    for (size_t turn = 1; at < NBYTES; turn++) {
        size_t nbytes = turn * turn * 1009 % 120000 + 1;
        if (nbytes > NBYTES - at) nbytes = NBYTES - at;
        EXPECT_EQ(deflateParams(&stream, turn % 3 ? 0 : 9, Z_DEFAULT_STRATEGY), Z_OK);
        stream.avail_in = (uInt)nbytes;
        at += nbytes;
        EXPECT_EQ(deflate(&stream, at < NBYTES ? Z_BLOCK : Z_FINISH), at < NBYTES ? Z_OK : Z_STREAM_END);
    }
    deflateEnd(&stream);
    return stream.total_out;
}

/* Reads PACKED in pieces. Returns how it ends, and how much there was before. */
static enum fino_inflate_status read_all(struct source source, size_t piece, uint8_t *out, size_t *nbytes_out) {
    struct fino_inflate_reader_config config = {.is_gzip = true, .read = read_source, .context = &source};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    enum fino_inflate_status status;
    size_t total = 0, got;
    EXPECT(reader != NULL);
    do {
        status = fino_inflate_reader_read(reader, out + total, piece, &got);
        EXPECT(got <= piece);
        total += got;
    } while (status == FINO_INFLATE_OK && got == piece);
    EXPECT_EQ(fino_inflate_reader_read(reader, out + total, piece, &got), status); /* it stays so */
    EXPECT_EQ(got, 0);
    fino_inflate_reader_free(reader);
    *nbytes_out = total;
    return status;
}

int main(void) {
    static const size_t pieces[] = {1, 7, 1000, 16383, 16384, 32768, 65536, 100000, NBYTES + 1};
    enum { COUNT = sizeof pieces / sizeof *pieces };
    uint8_t *in = malloc(NBYTES), *packed = malloc(PACKED_NBYTES), *out = malloc(2 * NBYTES + 2);
    size_t packed_nbytes, got;
    for (size_t at = 0; at < NBYTES; at += REACH)
        sample_fill(SAMPLE_RANDOM, in + at, NBYTES - at < REACH ? NBYTES - at : REACH, at / 200000);
    packed_nbytes = pack(in, packed);
    EXPECT(packed_nbytes < NBYTES * 9 / 10);
    for (int i = 0; i < COUNT * COUNT; i++) {
        struct source source = {packed, packed_nbytes, pieces[i / COUNT], false};
        memset(out, 0, NBYTES);
        EXPECT_EQ(read_all(source, pieces[i % COUNT], out, &got), FINO_INFLATE_OK);
        EXPECT(got == NBYTES && memcmp(out, in, NBYTES) == 0);
    }
    for (size_t cut = 11; cut < packed_nbytes; cut += 9973) {
        struct source source = {packed, cut, pieces[cut % COUNT], cut % 2};
        z_stream control;
        memset(&control, 0, sizeof control);
        EXPECT_EQ(inflateInit2(&control, 31), Z_OK);
        control.next_in = packed;
        control.avail_in = (uInt)cut;
        control.next_out = out;
        control.avail_out = NBYTES;
        inflate(&control, Z_SYNC_FLUSH);
        EXPECT_EQ(read_all(source, pieces[cut / 2 % COUNT], out, &got),
                  source.fails ? FINO_INFLATE_READ_ERROR : FINO_INFLATE_TRUNCATED);
        EXPECT_EQ(got, control.total_out);
        EXPECT(memcmp(out, in, got) == 0);
        inflateEnd(&control);
    }
    free(in);
    free(packed);
    free(out);
    return 0;
}
