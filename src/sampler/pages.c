/* pages.c: see pages.h. */
#include "sampler/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What x86-64 has. Where large pages are of another size, or forbidden, these are merely aligned. */
#define LARGE_PAGE_NBYTES ((size_t)2 << 20)

static size_t whole_pages(size_t nbytes) {
    return (nbytes + LARGE_PAGE_NBYTES - 1) & ~(LARGE_PAGE_NBYTES - 1);
}

void *sampler_pages_new(size_t nbytes) {
    if (nbytes < SAMPLER_PAGES_MIN_NBYTES) return calloc(1, nbytes);
    if (nbytes > SIZE_MAX / 2) return NULL;
    size_t wanted = whole_pages(nbytes), mapped = wanted + LARGE_PAGE_NBYTES;
    uint8_t *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)memory & (LARGE_PAGE_NBYTES - 1), after = mapped - before - wanted;
    if (before > 0) munmap(memory, before);
    if (after > 0) munmap(memory + before + wanted, after);
    madvise(memory + before, wanted, MADV_HUGEPAGE);
    return memory + before;
}

void sampler_pages_free(void *memory, size_t nbytes) {
    if (nbytes < SAMPLER_PAGES_MIN_NBYTES)
        free(memory);
    else if (memory != NULL)
        munmap(memory, whole_pages(nbytes));
}
