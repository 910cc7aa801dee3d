/* Memory for tables is zeros of the size that was asked for, on both sides of the limit from which it comes in large
 * pages: those begin at a large page, and leave no mapping behind. */
#include "sampler/pages.h"

#include <stdint.h>

#include "../test.h"

#define LARGE_PAGE_NBYTES ((size_t)2 << 20)

/* The address space of this process, in pages. */
static unsigned long mapped_pages(void) {
    unsigned long count = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file != NULL && fscanf(file, "%lu", &count) == 1);
    fclose(file);
    return count;
}

static void expect_zeros_then_dirty(uint8_t *memory, size_t nbytes) {
    for (size_t i = 0; i < nbytes; i++) {
        EXPECT_EQ(memory[i], 0);
        memory[i] = 0xA5;
    }
}

static void expect_use(size_t nbytes) {
    uint8_t *first = sampler_pages_new(nbytes), *second = sampler_pages_new(nbytes);
    EXPECT(first != NULL && second != NULL);
    expect_zeros_then_dirty(first, nbytes);
    expect_zeros_then_dirty(second, nbytes); /* not the same memory */
    if (nbytes >= SAMPLER_PAGES_MIN_NBYTES) EXPECT_EQ((uintptr_t)first % LARGE_PAGE_NBYTES, 0);
    sampler_pages_free(first, nbytes);
    sampler_pages_free(second, nbytes);
}

int main(void) {
    static const size_t sizes[] = {1,
                                   4096,
                                   SAMPLER_PAGES_MIN_NBYTES - 1,
                                   SAMPLER_PAGES_MIN_NBYTES,
                                   SAMPLER_PAGES_MIN_NBYTES + 1,
                                   LARGE_PAGE_NBYTES - 1,
                                   LARGE_PAGE_NBYTES,
                                   LARGE_PAGE_NBYTES + 1,
                                   3 * LARGE_PAGE_NBYTES + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        expect_use(sizes[i]);
    unsigned long before = mapped_pages();
    for (int i = 0; i < 1000; i++)
        sampler_pages_free(sampler_pages_new(LARGE_PAGE_NBYTES + 1), LARGE_PAGE_NBYTES + 1);
    EXPECT_EQ(mapped_pages(), before);
    EXPECT(sampler_pages_new(SIZE_MAX) == NULL);
    EXPECT(sampler_pages_new(SIZE_MAX / 2 - 1) == NULL);
    sampler_pages_free(NULL, LARGE_PAGE_NBYTES);
    sampler_pages_free(NULL, 1);
    return 0;
}
