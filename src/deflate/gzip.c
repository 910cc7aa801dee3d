/* gzip.c: the gzip container around DEFLATE. Source: RFC 1952. */
#include "compressor.h"
#include "crc32.h"

enum { HEADER_NBYTES = 10, TRAILER_NBYTES = 8 };

size_t fino_gzip_bound(size_t in_nbytes) {
    return HEADER_NBYTES + fino_deflate_bound(in_nbytes) + TRAILER_NBYTES;
}

size_t fino_gzip_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                          void *out, size_t out_nbytes_avail) {
    static const uint8_t header[HEADER_NBYTES] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
    uint8_t *bytes = out;
    struct fino_deflate_compressor *compressor;
    size_t nbytes;
    if (out_nbytes_avail < HEADER_NBYTES + TRAILER_NBYTES) return 0;
    compressor = fino_deflate_compressor_new(level, allocator);
    if (!compressor) return 0;
    memcpy(bytes, header, HEADER_NBYTES);
    nbytes = fino_deflate_compressor_compress(compressor, in, in_nbytes, bytes + HEADER_NBYTES,
                                              out_nbytes_avail - HEADER_NBYTES - TRAILER_NBYTES);
    fino_deflate_compressor_free(compressor);
    if (nbytes == 0) return 0;
    store_le32(bytes + HEADER_NBYTES + nbytes, fino_crc32(0, in, in_nbytes));
    store_le32(bytes + HEADER_NBYTES + nbytes + 4, (uint32_t)in_nbytes);
    return HEADER_NBYTES + nbytes + TRAILER_NBYTES;
}
