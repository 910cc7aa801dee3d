/* fuzz_slice.h: without libFuzzer, a main that feeds a target with a short, deterministic slice of mutated seeds. */
#ifndef FINO_FUZZ_SLICE_H
#define FINO_FUZZ_SLICE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_nbytes);

#ifndef FINO_LIBFUZZER

/* Makes seed number I in OUT (at most 4096 bytes). Returns its size. */
size_t fuzz_seed(unsigned i, uint8_t *out);

static uint32_t fuzz_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* usage: fuzz_... [EXECUTIONS] */
int main(int argc, char **argv) {
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
    uint64_t state = 1;
    for (unsigned i = 0; i < count; i++) {
        uint8_t bytes[4096];
        size_t nbytes = fuzz_seed(i, bytes);
        for (uint32_t changes = fuzz_random(&state) % 6; changes > 0 && nbytes > 0; changes--) {
            size_t at = fuzz_random(&state) % nbytes;
            switch (fuzz_random(&state) % 4) {
                case 0: bytes[at] ^= (uint8_t)(1 << fuzz_random(&state) % 8); break;
                case 1: bytes[at] = (uint8_t)fuzz_random(&state); break;
                case 2: nbytes = at; break;
                default: memmove(bytes + at, bytes + at / 2, (nbytes - at) / 2); break;
            }
        }
        uint8_t *exact = malloc(nbytes ? nbytes : 1); /* so that the sanitizer knows its end */
        if (nbytes) memcpy(exact, bytes, nbytes);
        LLVMFuzzerTestOneInput(exact, nbytes);
        free(exact);
    }
    printf("%u executions\n", count);
    return 0;
}

#endif
#endif
