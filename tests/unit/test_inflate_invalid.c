/* Invalid streams, each with its own cause, get the status that names it; a valid one cut at any byte is truncated,
 * whether decoded in one call or through a reader. Input ends at a guard page. */
#include "deflate/deflate.h"
#include "deflate_samples.h"

/* Bits of a stream under construction. */
struct bits {
    uint8_t bytes[512];
    unsigned count;
};

static void put(struct bits *bits, unsigned value, unsigned count) {
    for (unsigned i = 0; i < count; i++, bits->count++)
        bits->bytes[bits->count / 8] |= (uint8_t)((value >> i & 1) << bits->count % 8);
}

/* A dynamic header: HLIT, HDIST, and the lengths of the precode's symbols in the order of the format. */
static struct bits dynamic(unsigned hlit, unsigned hdist, unsigned hclen, const uint8_t *precode_lengths) {
    struct bits bits = {{0}, 0};
    put(&bits, 1 | 2 << 1, 3);
    put(&bits, hlit, 5);
    put(&bits, hdist, 5);
    put(&bits, hclen, 4);
    for (unsigned i = 0; i < hclen + 4; i++)
        put(&bits, precode_lengths[i], 3);
    return bits;
}

static void expect(const struct bits *bits, enum fino_inflate_status status) {
    uint8_t out[1024];
    struct guarded guarded = guarded_new(sizeof bits->bytes);
    size_t got;
    /* Enough bytes behind it for the fast loop, and none. */
    for (unsigned padding = 0; padding <= 64; padding += 64) {
        size_t nbytes = (bits->count + 7) / 8 + padding;
        memcpy(guarded.end - nbytes, bits->bytes, nbytes);
        EXPECT_EQ(fino_inflate(guarded.end - nbytes, nbytes, out, sizeof out, NULL, &got), status);
    }
    guarded_free(&guarded);
}

static void test_causes(void) {
    struct bits bits = {{0}, 0};
    put(&bits, 1 | 3 << 1, 3);
    expect(&bits, FINO_INFLATE_BAD_BLOCK_TYPE);

    bits = (struct bits){{0}, 0};
    put(&bits, 1, 8);
    put(&bits, 5, 16);
    put(&bits, 5, 16);
    expect(&bits, FINO_INFLATE_BAD_STORED_LENGTH);

    /* Order: 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1 15. */
    bits = dynamic(30, 0, 14, (uint8_t[19]){0});
    expect(&bits, FINO_INFLATE_BAD_CODE_LENGTHS);
    bits = dynamic(0, 30, 14, (uint8_t[19]){0});
    expect(&bits, FINO_INFLATE_BAD_CODE_LENGTHS);
    bits = dynamic(0, 0, 14, (uint8_t[19]){1, 1, 1});
    expect(&bits, FINO_INFLATE_OVERSUBSCRIBED_CODE);
    bits = dynamic(0, 0, 14, (uint8_t[19]){1});
    expect(&bits, FINO_INFLATE_INCOMPLETE_CODE);
    bits = dynamic(0, 0, 14, (uint8_t[19]){0});
    expect(&bits, FINO_INFLATE_INCOMPLETE_CODE);

    /* Precode: 16 -> 0, 18 -> 1. A repeat with nothing before it. */
    bits = dynamic(0, 0, 14, (uint8_t[19]){1, 0, 1});
    put(&bits, 0, 3);
    expect(&bits, FINO_INFLATE_BAD_CODE_LENGTHS);
    /* 138 + 138 zeros are more than 258. */
    bits = dynamic(0, 0, 14, (uint8_t[19]){1, 0, 1});
    put(&bits, 1 | 127 << 1, 8);
    put(&bits, 1 | 127 << 1, 8);
    expect(&bits, FINO_INFLATE_BAD_CODE_LENGTHS);

    /* Precode: symbol 1 (the 18th in order) -> 0, symbol 18 -> 1. */
    const uint8_t zeros_and_ones[19] = {[2] = 1, [17] = 1};
    bits = dynamic(0, 0, 14, zeros_and_ones);
    put(&bits, 1 | 127 << 1, 8);
    put(&bits, 1 | 109 << 1, 8); /* 138 + 120 = 258: no end of block, no offsets, no symbols at all */
    expect(&bits, FINO_INFLATE_NO_END_OF_BLOCK);
    bits = dynamic(0, 0, 14, zeros_and_ones);
    for (int i = 0; i < 258; i++)
        put(&bits, 0, 1);
    expect(&bits, FINO_INFLATE_OVERSUBSCRIBED_CODE);
    /* The end of block alone, with one bit: valid, and its other codeword is not. */
    bits = dynamic(0, 0, 14, zeros_and_ones);
    put(&bits, 1 | 127 << 1, 8);
    put(&bits, 1 | 107 << 1, 8); /* 256 zeros */
    put(&bits, 0, 1);            /* 256 has one bit */
    put(&bits, 0, 1);            /* and so has the offset 0 */
    put(&bits, 0, 1);
    expect(&bits, FINO_INFLATE_OK);
    bits.count--;
    put(&bits, 1, 1);
    expect(&bits, FINO_INFLATE_BAD_SYMBOL);

    /* Fixed codes: symbols 286 (11000110) and 287; offsets 30 and 31; a match before the beginning. */
    bits = (struct bits){{0}, 0};
    put(&bits, 1 | 1 << 1, 3);
    put(&bits, 0x63, 8);
    expect(&bits, FINO_INFLATE_BAD_SYMBOL);
    bits = (struct bits){{0}, 0};
    put(&bits, 1 | 1 << 1, 3);
    put(&bits, 0x0C, 8);   /* literal 0 */
    put(&bits, 1 << 6, 7); /* length 3: 0000001 reversed */
    put(&bits, 0xF, 5);    /* offset symbol 30: 11110 reversed */
    expect(&bits, FINO_INFLATE_BAD_SYMBOL);
    bits = (struct bits){{0}, 0};
    put(&bits, 1 | 1 << 1, 3);
    put(&bits, 0x0C, 8);
    put(&bits, 1 << 6, 7);
    put(&bits, 1 << 4, 5); /* offset 2 */
    put(&bits, 0, 7);
    expect(&bits, FINO_INFLATE_OFFSET_TOO_FAR);
}

struct memory_source {
    const uint8_t *next;
    size_t left;
    size_t piece;
};

static ptrdiff_t read_memory(void *context, void *buffer, size_t nbytes) {
    struct memory_source *source = context;
    if (nbytes > source->piece) nbytes = source->piece;
    if (nbytes > source->left) nbytes = source->left;
    memcpy(buffer, source->next, nbytes);
    source->next += nbytes;
    source->left -= nbytes;
    return (ptrdiff_t)nbytes;
}

static enum fino_inflate_status read_all(bool is_gzip, const uint8_t *in, size_t in_nbytes, size_t piece, uint8_t *out,
                                         size_t *total_out) {
    struct memory_source source = {in, in_nbytes, piece};
    struct fino_inflate_reader_config config = {is_gzip, NULL, read_memory, &source};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    enum fino_inflate_status status;
    size_t got;
    EXPECT(reader != NULL);
    *total_out = 0;
    do {
        status = fino_inflate_reader_read(reader, out + *total_out, 7777, &got);
        *total_out += got;
    } while (status == FINO_INFLATE_OK && got == 7777);
    fino_inflate_reader_free(reader);
    return status;
}

static void test_truncation(void) {
    enum { NBYTES = 3000 };
    uint8_t in[NBYTES], packed[NBYTES + 100], out[NBYTES + 7777];
    struct guarded guarded = guarded_new(sizeof packed);
    for (int level = 1; level <= 12; level += 11) {
        void *back;
        size_t size, got;
        sample_fill(SAMPLE_TEXT, in, NBYTES, 1);
        size = fino_gzip_compress(level, NULL, in, NBYTES, packed, sizeof packed);
        EXPECT(size > 0);
        for (size_t cut = 0; cut <= size; cut++) {
            uint8_t *start = guarded.end - cut;
            enum fino_inflate_status wanted = cut < size ? FINO_INFLATE_TRUNCATED : FINO_INFLATE_OK;
            memcpy(start, packed, cut);
            EXPECT_EQ(fino_gzip_decompress(NULL, start, cut, NBYTES, &back, &got), wanted);
            EXPECT_EQ(got, cut < size ? 0 : NBYTES);
            free(back);
            if (cut > 0 || wanted != FINO_INFLATE_OK) EXPECT_EQ(read_all(true, start, cut, 13, out, &got), wanted);
        }
        EXPECT_EQ(got, NBYTES);
        EXPECT(memcmp(out, in, NBYTES) == 0);
        /* A wrong byte behind the header is noticed, unless the data stay the same (padding; a match from elsewhere).
         */
        for (size_t at = 10; at < size; at++) {
            packed[at] ^= 0x10;
            if (fino_gzip_decompress(NULL, packed, size, NBYTES, &back, &got) == FINO_INFLATE_OK) {
                EXPECT(got == NBYTES && memcmp(back, in, NBYTES) == 0);
                free(back);
            }
            packed[at] ^= 0x10;
        }
        packed[size - 8] ^= 1;
        EXPECT_EQ(fino_gzip_decompress(NULL, packed, size, NBYTES, &back, &got), FINO_INFLATE_BAD_CRC);
        packed[size - 8] ^= 1;
        packed[size - 4] ^= 1;
        EXPECT_EQ(fino_gzip_decompress(NULL, packed, size, NBYTES, &back, &got), FINO_INFLATE_BAD_SIZE);
        packed[size - 4] ^= 1;
        EXPECT_EQ(fino_gzip_decompress(NULL, packed, size, NBYTES - 1, &back, &got), FINO_INFLATE_OUTPUT_FULL);
        packed[size] = 1;
        EXPECT_EQ(fino_gzip_decompress(NULL, packed, size + 1, NBYTES, &back, &got), FINO_INFLATE_TRAILING_DATA);
        packed[size] = 0;
        EXPECT_EQ(fino_gzip_decompress(NULL, packed, size + 1, NBYTES, &back, &got), FINO_INFLATE_OK);
        free(back);
    }
    guarded_free(&guarded);
}

int main(void) {
    test_causes();
    test_truncation();
    for (int status = 0; status <= FINO_INFLATE_READ_ERROR; status++)
        EXPECT(strlen(fino_inflate_status_text((enum fino_inflate_status)status)) > 5);
    return 0;
}
