/* file_memory.c: memory for what is read: mapped in large pages where there is much of it, which is filled several
 * times faster than page by page. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/file.h"

/* From here on memory is mapped: its size is its own pages', and mremap moves it without a copy. */
#define MAPPED_BYTES (1u << 20)
#define LARGE_PAGE_BYTES (2u << 20)

static bool is_mapped(size_t capacity) {
    return capacity >= MAPPED_BYTES;
}

static void release(void *bytes, size_t capacity) {
    if (is_mapped(capacity))
        munmap(bytes, capacity);
    else
        free(bytes);
}

static void *map(void *old, size_t old_capacity, size_t capacity) {
    void *bytes = old ? mremap(old, old_capacity, capacity, MREMAP_MAYMOVE)
                      : mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return NULL;
    if (capacity >= 2 * LARGE_PAGE_BYTES) madvise(bytes, capacity, MADV_HUGEPAGE); /* or not: it's only speed */
    return bytes;
}

int file_memory_reserve(struct file_memory *memory, size_t capacity) {
    if (capacity <= memory->capacity && memory->bytes) return 0;
    if (capacity == 0) capacity = 1;
    void *bytes;
    if (!is_mapped(capacity)) {
        bytes = realloc(memory->bytes, capacity);
    } else if (!memory->bytes || is_mapped(memory->capacity)) {
        bytes = map(memory->bytes, memory->capacity, capacity);
    } else {
        bytes = map(NULL, 0, capacity);
        if (bytes) memcpy(bytes, memory->bytes, memory->nbytes);
        if (bytes) free(memory->bytes);
    }
    if (!bytes) return -ENOMEM;
    memory->bytes = bytes;
    memory->capacity = capacity;
    return 0;
}

void file_memory_free(struct file_memory *memory) {
    if (memory->bytes) release(memory->bytes, memory->capacity);
    *memory = (struct file_memory){0};
}

void file_memory_dispose(void *bytes, size_t nbytes, void *capacity) {
    (void)nbytes;
    release(bytes, (size_t)capacity);
}
