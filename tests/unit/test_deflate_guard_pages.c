// LINK: -lz
/* Between two pages that can't be touched, at either end: whoever reads or writes a byte too many faults. Compressors,
 * both decoders, of whole streams, cut ones and for outputs that are too small, and the checksum, which also say the
 * same wherever their input is. */
#include "deflate_samples.h"

enum { MAX_NBYTES = 70000, CUT_MAX_NBYTES = 700, FOLLOWING_NBYTES = 50 };

/* In and out, and the two again. */
static struct guarded in_memory, packed_memory, out_memory;

/* NBYTES of BYTES at the beginning or the end of MEMORY. */
static uint8_t *place(const struct guarded *memory, bool at_end, const uint8_t *bytes, size_t nbytes) {
    uint8_t *at = at_end ? memory->end - nbytes : memory->begin;
    if (nbytes) memcpy(at, bytes, nbytes);
    return at;
}

struct source {
    const uint8_t *next;
    size_t left;
};

static ptrdiff_t read_source(void *context, void *buffer, size_t nbytes) {
    struct source *source = context;
    if (nbytes > source->left) nbytes = source->left;
    memcpy(buffer, source->next, nbytes);
    source->next += nbytes;
    source->left -= nbytes;
    return (ptrdiff_t)nbytes;
}

static void check_reader(const uint8_t *packed, size_t packed_nbytes, uint8_t *out, const uint8_t *in, size_t nbytes) {
    struct source source = {packed, packed_nbytes};
    struct fino_inflate_reader_config config = {.read = read_source, .context = &source};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    size_t got;
    EXPECT(reader != NULL);
    EXPECT_EQ(fino_inflate_reader_read(reader, out, nbytes, &got), FINO_INFLATE_OK);
    EXPECT(got == nbytes && (nbytes == 0 || memcmp(out, in, nbytes) == 0));
    fino_inflate_reader_free(reader);
}

/* Decodes PACKED, cut to PACKED_NBYTES, into OUT_NBYTES. What comes out is how IN begins. */
static void check_cut(const uint8_t *packed, size_t packed_nbytes, const uint8_t *in, size_t out_nbytes,
                      enum fino_inflate_status expected) {
    const uint8_t *cut = place(&packed_memory, true, packed, packed_nbytes);
    size_t used, got;
    EXPECT_EQ(fino_inflate(cut, packed_nbytes, out_memory.end - out_nbytes, out_nbytes, &used, &got), expected);
    EXPECT(used <= packed_nbytes && got <= out_nbytes);
    EXPECT(got == 0 || memcmp(out_memory.end - out_nbytes, in, got) == 0);
}

/* PACKED, which FOLLOWING_NBYTES of anything follow, gives IN. */
static void check_inflate(const uint8_t *packed, size_t packed_nbytes, const uint8_t *in, size_t nbytes) {
    for (int edges = 0; edges < 4; edges++) {
        const uint8_t *from = place(&packed_memory, edges & 1, packed, packed_nbytes);
        uint8_t *out = edges & 2 ? out_memory.end - nbytes : out_memory.begin;
        size_t used, got;
        EXPECT_EQ(fino_inflate(from, packed_nbytes, out, nbytes, &used, &got), FINO_INFLATE_OK);
        EXPECT(used == packed_nbytes && got == nbytes && (nbytes == 0 || memcmp(out, in, nbytes) == 0));
        check_reader(from, packed_nbytes, out, in, nbytes);
    }
    if (nbytes > CUT_MAX_NBYTES) return;
    for (size_t cut = 0; cut < packed_nbytes; cut++)
        check_cut(packed, cut, in, nbytes, FINO_INFLATE_TRUNCATED);
    for (size_t room = 0; room < nbytes; room++) /* what follows the stream lets the fast loop go on for longer */
        check_cut(packed, packed_nbytes + FOLLOWING_NBYTES, in, room, FINO_INFLATE_OUTPUT_FULL);
}

static void check_deflate(fino_deflate_compressor *compressor, const uint8_t *in, size_t nbytes) {
    static uint8_t packed[MAX_NBYTES * 2];
    size_t bound = fino_deflate_bound(nbytes), size = 0;
    for (int edges = 0; edges < 4; edges++) {
        const uint8_t *from = place(&in_memory, edges & 1, in, nbytes);
        uint8_t *out = edges & 2 ? packed_memory.end - bound : packed_memory.begin;
        size_t got = fino_deflate_compressor_deflate(compressor, from, nbytes, out, bound);
        EXPECT(got > 0 && got <= bound);
        EXPECT(edges == 0 || (got == size && memcmp(out, packed, size) == 0));
        size = got;
        memcpy(packed, out, size);
    }
    check_inflate(packed, size, in, nbytes);
    EXPECT_EQ(fino_deflate_compressor_deflate(compressor, in, nbytes, packed_memory.end - size, size), size);
    for (size_t room = nbytes > CUT_MAX_NBYTES ? size - 1 : 0; room < size; room++)
        EXPECT_EQ(fino_deflate_compressor_deflate(compressor, in, nbytes, packed_memory.end - room, room), 0);
}

/* What zlib makes of IN by each strategy, stored and coded in turns. */
static void check_zlib(const uint8_t *in, size_t nbytes) {
    static uint8_t packed[MAX_NBYTES * 2];
    for (int strategy = 0; strategy <= Z_FIXED; strategy++) {
        z_stream stream;
        memset(&stream, 0, sizeof stream);
        EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, strategy), Z_OK);
        stream.next_in = (uint8_t *)(uintptr_t)in;
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        for (int turn = 0; turn < 4; turn++) {
            stream.avail_in = (uInt)(nbytes * (size_t)(turn + 1) / 4 - stream.total_in);
            EXPECT(deflate(&stream, turn < 3 ? Z_FULL_FLUSH : Z_FINISH) >= Z_OK);
            if (turn < 3) EXPECT_EQ(deflateParams(&stream, turn % 2 ? 9 : 0, strategy), Z_OK);
        }
        check_inflate(packed, stream.total_out, in, nbytes);
        deflateEnd(&stream);
    }
}

static void test_crc(void) {
    static uint8_t in[5000];
    sample_fill(SAMPLE_RANDOM, in, sizeof in, 4);
    for (size_t nbytes = 0; nbytes < sizeof in; nbytes += 1 + nbytes / 300) {
        uint32_t expected = (uint32_t)crc32(0, in, (uInt)nbytes);
        EXPECT_EQ(fino_crc32(0, place(&in_memory, false, in, nbytes), nbytes), expected);
        EXPECT_EQ(fino_crc32(0, place(&in_memory, true, in, nbytes), nbytes), expected);
    }
}

int main(void) {
    static const size_t lengths[] = {0,  1,  2,   3,   4,    5,    7,     8,     9,     15,
                                     16, 17, 100, 700, 1000, 5000, 32767, 32769, 65536, MAX_NBYTES};
    static uint8_t in[MAX_NBYTES];
    in_memory = guarded_new(MAX_NBYTES);
    packed_memory = guarded_new(2 * MAX_NBYTES);
    out_memory = guarded_new(MAX_NBYTES);
    test_crc();
    for (int i = 0; i < SAMPLE_LEVEL_COUNT; i++) {
        fino_deflate_compressor *compressor = fino_deflate_compressor_new(sample_levels[i], NULL);
        EXPECT(compressor != NULL);
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            for (int kind = 0; kind < SAMPLE_KIND_COUNT; kind++) {
                if (lengths[j] > CUT_MAX_NBYTES && kind != (i + (int)j) % SAMPLE_KIND_COUNT) continue;
                sample_fill((enum sample_kind)kind, in, lengths[j], j);
                check_deflate(compressor, in, lengths[j]);
                if (i == 0) check_zlib(in, lengths[j]);
            }
        }
        fino_deflate_compressor_free(compressor);
    }
    guarded_free(&in_memory);
    guarded_free(&packed_memory);
    guarded_free(&out_memory);
    return 0;
}
