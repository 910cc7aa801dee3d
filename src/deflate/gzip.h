/* gzip.h: the gzip container, for one-shot and stream. */
#ifndef DEFLATE_GZIP_H
#define DEFLATE_GZIP_H

#include "deflate.h"

enum { GZIP_TRAILER_NBYTES = 8 };

/* Writes HEADER (NULL: the plain one), fino_gzip_header_nbytes(HEADER) long, for LEVEL. */
void deflate_gzip_put_header(uint8_t *out, const struct fino_gzip_header *header, int level);

/* Writes the trailer. */
void deflate_gzip_put_trailer(uint8_t *out, uint32_t crc, uint32_t nbytes);

#endif
