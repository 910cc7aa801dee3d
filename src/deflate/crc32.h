/* crc32.h: the checksum of gzip. Source: RFC 1952 section 8. */
#ifndef DEFLATE_CRC32_H
#define DEFLATE_CRC32_H

#include "deflate.h"

#endif
