/* Where there are no bytes there need be no buffer: NULL is good for every input, output and cap of 0 bytes. Not even 0
 * may be added to NULL, which clang's UBSan tells of. */
#include <stdint.h>

#include "../test.h"
#include "deflate/deflate.h"

static uint8_t packed[100];

static ptrdiff_t read_packed(void *context, void *buffer, size_t nbytes) {
    size_t *left = context;
    if (nbytes > *left) nbytes = *left;
    memcpy(buffer, packed, nbytes);
    *left -= nbytes;
    return (ptrdiff_t)nbytes;
}

static void test_compression(int level) {
    EXPECT_EQ(fino_deflate_compress(level, NULL, "a", 1, NULL, 0), 0);
    EXPECT_EQ(fino_deflate_compress(level, NULL, NULL, 0, NULL, 0), 0);
    EXPECT_EQ(fino_gzip_compress(level, NULL, "a", 1, NULL, 0), 0);
    EXPECT_EQ(fino_gzip_compress(level, NULL, NULL, 0, NULL, 0), 0);
    EXPECT(fino_deflate_compress(level, NULL, NULL, 0, packed, fino_deflate_bound(0)) > 0);
    EXPECT(fino_gzip_compress(level, NULL, NULL, 0, packed, fino_gzip_bound(0)) > 0);
}

static void test_inflate(void) {
    size_t nbytes = fino_deflate_compress(6, NULL, NULL, 0, packed, sizeof packed), used, got = 1;
    EXPECT_EQ(fino_inflate(packed, nbytes, NULL, 0, &used, &got), FINO_INFLATE_OK);
    EXPECT(used == nbytes && got == 0);
    EXPECT_EQ(fino_inflate(NULL, 0, NULL, 0, NULL, &got), FINO_INFLATE_TRUNCATED);
    nbytes = fino_deflate_compress(6, NULL, "a", 1, packed, sizeof packed);
    EXPECT_EQ(fino_inflate(packed, nbytes, NULL, 0, NULL, &got), FINO_INFLATE_OUTPUT_FULL);
    EXPECT_EQ(got, 0);
}

static void test_gunzip(void) {
    size_t nbytes = fino_gzip_compress(6, NULL, NULL, 0, packed, sizeof packed), got = 1;
    void *bytes = packed;
    EXPECT_EQ(fino_gzip_decompress(NULL, packed, nbytes, 0, &bytes, &got), FINO_INFLATE_OK);
    EXPECT(bytes == NULL && got == 0);
    EXPECT_EQ(fino_gzip_decompress(NULL, NULL, 0, 0, &bytes, &got), FINO_INFLATE_TRUNCATED);
    nbytes = fino_gzip_compress(6, NULL, "a", 1, packed, sizeof packed);
    EXPECT_EQ(fino_gzip_decompress(NULL, packed, nbytes, 0, &bytes, &got), FINO_INFLATE_OUTPUT_FULL);
    EXPECT(bytes == NULL && got == 0);
}

static void test_reader(void) {
    size_t left = fino_gzip_compress(6, NULL, "a", 1, packed, sizeof packed), got = 1;
    struct fino_inflate_reader_config config = {.is_gzip = true, .read = read_packed, .context = &left};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    char byte;
    EXPECT_EQ(fino_inflate_reader_read(reader, NULL, 0, &got), FINO_INFLATE_OK);
    EXPECT_EQ(got, 0);
    EXPECT_EQ(fino_inflate_reader_read(reader, &byte, 1, &got), FINO_INFLATE_OK);
    EXPECT(got == 1 && byte == 'a');
    EXPECT_EQ(fino_inflate_reader_read(reader, NULL, 0, &got), FINO_INFLATE_OK);
    EXPECT_EQ(got, 0);
    fino_inflate_reader_free(reader);
}

int main(void) {
    for (int level = 1; level <= 12; level++)
        test_compression(level);
    test_inflate();
    test_gunzip();
    test_reader();
    EXPECT_EQ(fino_crc32(0, NULL, 0), 0);
    return 0;
}
