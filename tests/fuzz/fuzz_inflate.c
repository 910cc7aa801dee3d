// LINK: -lz
/* Any bytes as raw DEFLATE: ours and zlib agree on whether they are a stream, and on what comes out; in one call, with
 * too little room, and through a reader in pieces.
 *
 * clang -g -O1 -fsanitize=fuzzer,address,undefined -DFINO_LIBFUZZER -D_GNU_SOURCE -Isrc tests/fuzz/fuzz_inflate.c
 * src/deflate/[a-z]*.c -lz
 */
#include <zlib.h>

#include "deflate/deflate.h"
#include "fuzz_slice.h"

enum { OUT_NBYTES = 1 << 17 };

struct source {
    const uint8_t *next;
    size_t left;
};

static ptrdiff_t read_piece(void *context, void *buffer, size_t nbytes) {
    struct source *source = context;
    if (nbytes > 1 + source->left % 97) nbytes = 1 + source->left % 97;
    if (nbytes > source->left) nbytes = source->left;
    if (nbytes) memcpy(buffer, source->next, nbytes);
    source->next += nbytes;
    source->left -= nbytes;
    return (ptrdiff_t)nbytes;
}

static void check_reader(const uint8_t *in, size_t in_nbytes, enum fino_inflate_status status, const uint8_t *expected,
                         size_t expected_nbytes) {
    static uint8_t out[OUT_NBYTES + 1];
    struct source source = {in, in_nbytes};
    struct fino_inflate_reader_config config = {.read = read_piece, .context = &source};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    enum fino_inflate_status got_status;
    size_t got;
    FUZZ_CHECK(reader);
    got_status = fino_inflate_reader_read(reader, out, sizeof out, &got);
    FUZZ_CHECK(got_status == status);
    FUZZ_CHECK(got == expected_nbytes && memcmp(out, expected, got) == 0);
    fino_inflate_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_nbytes) {
    static uint8_t out[OUT_NBYTES], control[OUT_NBYTES];
    size_t used, got, less;
    enum fino_inflate_status status = fino_inflate(in, in_nbytes, out, sizeof out, &used, &got);
    z_stream stream;
    int zlib_status;

    memset(&stream, 0, sizeof stream);
    inflateInit2(&stream, -15);
    stream.next_in = (uint8_t *)(uintptr_t)in;
    stream.avail_in = (uInt)in_nbytes;
    stream.next_out = control;
    stream.avail_out = sizeof control;
    zlib_status = inflate(&stream, Z_FINISH);
    if (status != FINO_INFLATE_OUTPUT_FULL) {
        FUZZ_CHECK((status == FINO_INFLATE_OK) == (zlib_status == Z_STREAM_END));
        check_reader(in, in_nbytes, status, out, got);
    }
    if (status == FINO_INFLATE_OK) {
        FUZZ_CHECK(got == stream.total_out && memcmp(out, control, got) == 0);
        FUZZ_CHECK(used == stream.total_in);
        if (got > 0) {
            uint8_t *tight = malloc(got);
            FUZZ_CHECK(fino_inflate(in, in_nbytes, tight, got, NULL, &less) == FINO_INFLATE_OK);
            FUZZ_CHECK(memcmp(tight, out, got) == 0);
            FUZZ_CHECK(fino_inflate(in, in_nbytes, tight, got - 1, NULL, &less) == FINO_INFLATE_OUTPUT_FULL);
            free(tight);
        }
    }
    inflateEnd(&stream);
    return 0;
}

#ifndef FINO_LIBFUZZER
size_t fuzz_seed(unsigned i, uint8_t *out) {
    uint8_t in[6000];
    size_t nbytes = 1 + i * 131 % (i % 5 ? 700 : sizeof in - 1);
    for (size_t at = 0; at < nbytes; at++)
        in[at] = (uint8_t)(i % 3 ? (at * at >> i % 7) % (5 + i % 50) : at % (2 + i % 9) * 41);
    return fino_deflate_compress(i % 13, NULL, in, nbytes, out, 4096);
}
#endif
