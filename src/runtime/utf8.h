/* utf8.h: UTF-8 that may be malformed, and file names, which need not be UTF-8 at all. */
#ifndef FINO_RT_UTF8_H
#define FINO_RT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the well-formed character at BYTES, or 0; then *BAD_OUT is how many bytes make one U+FFFD: as many as
 * the Encoding standard says ("maximal subparts"). NBYTES is at least 1. */
size_t rt_utf8_character(const uint8_t *bytes, size_t nbytes, size_t *bad_out);

/* How many bytes from the start are well-formed. */
size_t rt_utf8_valid_prefix(const uint8_t *bytes, size_t nbytes);
bool rt_utf8_is_ascii(const void *text, size_t nbytes);

/* A copy, to free, with each malformed part replaced by U+FFFD; *NBYTES_OUT is its size. NULL: memory is short. */
char *rt_utf8_replace(const uint8_t *bytes, size_t nbytes, size_t *nbytes_out);

/* A file name as UTF-16 and back, without loss: a byte 0xNN that isn't part of UTF-8 becomes the lone surrogate U+DCNN,
 * which no text contains. UNITS has room for NBYTES, NAME for 3 * COUNT. The second returns -1 when there is a lone
 * surrogate of another kind: no file has such a name. */
size_t rt_name_to_units(const char *name, size_t nbytes, uint16_t *units);
ptrdiff_t rt_name_from_units(const uint16_t *units, size_t count, char *name);

#endif
