/* Any bytes as a gzip file: the one-shot decoder and the reader agree, and neither gives more than the cap; a header
 * that is read takes as many bytes as it would be written with.
 *
 * clang -g -O1 -fsanitize=fuzzer,address,undefined -DFINO_LIBFUZZER -D_GNU_SOURCE -Isrc tests/fuzz/fuzz_gzip.c
 * src/deflate/[a-z]*.c
 */
#include "deflate/deflate.h"
#include "fuzz_slice.h"

enum { CAP_NBYTES = 100000 };

struct source {
    const uint8_t *next;
    size_t left;
};

static ptrdiff_t read_piece(void *context, void *buffer, size_t nbytes) {
    struct source *source = context;
    if (nbytes > 7) nbytes = 7;
    if (nbytes > source->left) nbytes = source->left;
    if (nbytes) memcpy(buffer, source->next, nbytes);
    source->next += nbytes;
    source->left -= nbytes;
    return (ptrdiff_t)nbytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_nbytes) {
    static uint8_t out[CAP_NBYTES + 1];
    struct source source = {in, in_nbytes};
    struct fino_inflate_reader_config config = {.is_gzip = true, .read = read_piece, .context = &source};
    enum fino_inflate_status status, reader_status, header_status;
    struct fino_gzip_header header;
    size_t nbytes, got;
    void *data;

    status = fino_gzip_decompress(NULL, in, in_nbytes, CAP_NBYTES, &data, &nbytes);
    FUZZ_CHECK(nbytes <= CAP_NBYTES && (status == FINO_INFLATE_OK || (!data && nbytes == 0)));
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    FUZZ_CHECK(reader);
    reader_status = fino_inflate_reader_read(reader, out, sizeof out, &got);
    if (status == FINO_INFLATE_OK) {
        FUZZ_CHECK(reader_status == FINO_INFLATE_OK && got == nbytes);
        FUZZ_CHECK(nbytes == 0 || memcmp(out, data, nbytes) == 0);
    } else if (status != FINO_INFLATE_OUTPUT_FULL) {
        FUZZ_CHECK(reader_status == status);
    }
    fino_inflate_reader_free(reader);
    header_status = fino_gzip_read_header(in, in_nbytes, &header, &got);
    FUZZ_CHECK(status != FINO_INFLATE_OK || header_status == FINO_INFLATE_OK);
    FUZZ_CHECK(got == (header_status == FINO_INFLATE_OK ? fino_gzip_header_nbytes(&header) : 0) && got <= in_nbytes);
    free(data);
    return 0;
}

#ifndef FINO_LIBFUZZER
size_t fuzz_seed(unsigned i, uint8_t *out) {
    struct fino_gzip_header header = {.mtime = i,
                                      .has_header_crc = i & 1,
                                      .name = i & 2 ? "seed" : NULL,
                                      .comment = i & 4 ? "" : NULL,
                                      .extra = i & 8 ? "abcd" : NULL,
                                      .extra_nbytes = 4};
    static fino_deflate_compressor *compressor;
    uint8_t in[3000];
    size_t nbytes = i * 37 % sizeof in, size;
    for (size_t at = 0; at < nbytes; at++)
        in[at] = (uint8_t)(at * at / (1 + i % 11) % 23);
    if (!compressor) compressor = fino_deflate_compressor_new(6, NULL);
    size = fino_deflate_compressor_gzip(compressor, &header, in, nbytes, out, 4096);
    if (i & 16) size += fino_gzip_compress(1, NULL, in, nbytes / 4, out + size, 4096 - size);
    return size;
}
#endif
