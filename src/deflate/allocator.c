/* allocator.c: malloc and free as the default allocator, and their only use. With FINO_NO_MALLOC the library needs
 * neither, and a NULL allocator means that there is no memory. */
#include "allocator.h"

#ifdef FINO_NO_MALLOC

static void *default_alloc(void *context, size_t nbytes) {
    (void)context;
    (void)nbytes;
    return NULL;
}

static void default_free(void *context, void *memory, size_t nbytes) {
    (void)context;
    (void)memory;
    (void)nbytes;
}

#else

#include <stdlib.h>

static void *default_alloc(void *context, size_t nbytes) {
    (void)context;
    return malloc(nbytes);
}

static void default_free(void *context, void *memory, size_t nbytes) {
    (void)context;
    (void)nbytes;
    free(memory);
}

#endif

struct fino_allocator deflate_allocator(const struct fino_allocator *given) {
    return given ? *given : (struct fino_allocator){default_alloc, default_free, NULL};
}
