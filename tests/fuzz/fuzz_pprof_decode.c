/* fuzz_pprof_decode.c: any bytes decode or fail cleanly; what decodes encodes to a profile that decodes to
 * the same one again.
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -Ivendor/xxhash/include tests/fuzz/fuzz_pprof_decode.c \
 *     src/pprof/[a-z]*.c src/deflate/[a-z]*.c */
#include <stdlib.h>
#include <string.h>

#include "pprof/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

static void expect(int condition) {
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    struct fino_pprof_decode_config config = {.nbytes_max = 1 << 20};
    struct fino_pprof_problem problem;
    fino_pprof *first, *second;
    uint8_t *bytes, *again;
    size_t bytes_nbytes, again_nbytes;
    if (fino_pprof_decode(data, nbytes, &config, &first, &problem) != 0) return 0;
    fino_pprof_check(data, nbytes, FINO_PPROF_CANONICAL, &config, &problem);
    expect(fino_pprof_encode(first, NULL, fino_pprof_get_header(first), 0, &bytes, &bytes_nbytes) == 0);
    if (bytes_nbytes > 0) {
        expect(fino_pprof_decode(bytes, bytes_nbytes, NULL, &second, &problem) == 0);
        expect(fino_pprof_encode(second, NULL, fino_pprof_get_header(second), 0, &again, &again_nbytes) == 0);
        expect(again_nbytes == bytes_nbytes && memcmp(again, bytes, bytes_nbytes) == 0);
        fino_pprof_bytes_free(second, again, again_nbytes);
        fino_pprof_free(second);
    }
    fino_pprof_bytes_free(first, bytes, bytes_nbytes);
    fino_pprof_free(first);
    return 0;
}
