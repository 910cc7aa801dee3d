/* gunzip.h: reading the gzip container, from memory and from a source alike. */
#ifndef DEFLATE_GUNZIP_H
#define DEFLATE_GUNZIP_H

#include "inflate.h"

/* Reads a header at in_next. REFILL gets more input when it is used up: it returns 0, or a status (TRUNCATED at the
 * end). Returns 0 or a status. HEADER_OUT may be NULL, and is when REFILL ever gets any: it points into the input. */
int deflate_gunzip_read_header(struct deflate_inflater *inflater, int (*refill)(struct deflate_inflater *),
                               struct fino_gzip_header *header_out);

/* Reads the trailer and compares it with what was decoded. */
int deflate_gunzip_read_trailer(struct deflate_inflater *inflater, int (*refill)(struct deflate_inflater *),
                                uint32_t crc, uint32_t nbytes);

/* Looks at what follows a member. *AGAIN_OUT: another header. Returns 0 or a status. */
int deflate_gunzip_read_between(struct deflate_inflater *inflater, int (*refill)(struct deflate_inflater *),
                                bool *again_out);

#endif
