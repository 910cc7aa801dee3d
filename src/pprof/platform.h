/* platform.h: what this library takes from the C library, or makes up for where there is none (-ffreestanding): memcpy,
 * memmove and memset must always be there; the error codes are those of Linux; malloc and free are in memory.c. */
#ifndef FINO_PPROF_PLATFORM_H
#define FINO_PPROF_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __STDC_HOSTED__
#include <errno.h>
#else
enum { ENOMEM = 12, EINVAL = 22, EFBIG = 27 };
#endif

static inline bool pprof_bytes_equal(const void *a, const void *b, size_t nbytes) {
    const unsigned char *at_a = a, *at_b = b;
    uint64_t word_a, word_b;
    for (; nbytes >= sizeof word_a; at_a += sizeof word_a, at_b += sizeof word_b, nbytes -= sizeof word_a) {
        memcpy(&word_a, at_a, sizeof word_a);
        memcpy(&word_b, at_b, sizeof word_b);
        if (word_a != word_b) return false;
    }
    for (; nbytes > 0; at_a++, at_b++, nbytes--)
        if (*at_a != *at_b) return false;
    return true;
}

static inline size_t pprof_text_nbytes(const char *text) {
    size_t nbytes = 0;
    while (text[nbytes])
        nbytes++;
    return nbytes;
}

#endif
