/* allocator.h: the allocator that stands for NULL. */
#ifndef DEFLATE_ALLOCATOR_H
#define DEFLATE_ALLOCATOR_H

#include "deflate.h"

/* *GIVEN, or malloc and free when GIVEN is NULL. */
struct fino_allocator deflate_allocator(const struct fino_allocator *given);

#endif
