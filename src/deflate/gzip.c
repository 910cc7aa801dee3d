/* gzip.c: the gzip container around DEFLATE. Source: RFC 1952. */
#include "gzip.h"

#include "compressor.h"

enum {
    FIXED_HEADER_NBYTES = 10,
    FLAG_TEXT = 1,
    FLAG_HEADER_CRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    /* XFL: how hard the compressor tried. */
    EXTRA_FLAG_SMALLEST = 2,
    EXTRA_FLAG_FASTEST = 4,
    SYSTEM_UNKNOWN = 255,
};

static size_t text_nbytes(const char *text) {
    size_t nbytes = 0;
    if (!text) return 0;
    while (text[nbytes])
        nbytes++;
    return nbytes + 1;
}

size_t fino_gzip_header_nbytes(const struct fino_gzip_header *header) {
    if (!header) return FIXED_HEADER_NBYTES;
    return FIXED_HEADER_NBYTES + (header->extra ? 2 + (size_t)header->extra_nbytes : 0) + text_nbytes(header->name) +
           text_nbytes(header->comment) + (header->has_header_crc ? 2 : 0);
}

static uint8_t *put_text(uint8_t *out, const char *text) {
    size_t nbytes = text_nbytes(text);
    if (nbytes) memcpy(out, text, nbytes);
    return out + nbytes;
}

static uint8_t *put_u16(uint8_t *out, uint32_t value) {
    *out++ = (uint8_t)value;
    *out++ = (uint8_t)(value >> 8);
    return out;
}

void deflate_gzip_put_header(uint8_t *out, const struct fino_gzip_header *header, int level) {
    static const struct fino_gzip_header plain;
    uint8_t *next = out;
    if (!header) header = &plain;
    *next++ = 0x1F;
    *next++ = 0x8B;
    *next++ = 8; /* DEFLATE */
    *next++ = (uint8_t)((header->is_text ? FLAG_TEXT : 0) | (header->has_header_crc ? FLAG_HEADER_CRC : 0) |
                        (header->extra ? FLAG_EXTRA : 0) | (header->name ? FLAG_NAME : 0) |
                        (header->comment ? FLAG_COMMENT : 0));
    store_le32(next, header->mtime);
    next += 4;
    *next++ = level >= 9 ? EXTRA_FLAG_SMALLEST : level <= 1 ? EXTRA_FLAG_FASTEST : 0;
    *next++ = SYSTEM_UNKNOWN;
    if (header->extra) {
        next = put_u16(next, header->extra_nbytes);
        memcpy(next, header->extra, header->extra_nbytes);
        next += header->extra_nbytes;
    }
    next = put_text(next, header->name);
    next = put_text(next, header->comment);
    if (header->has_header_crc) put_u16(next, fino_crc32(0, out, (size_t)(next - out)));
}

void deflate_gzip_put_trailer(uint8_t *out, uint32_t crc, uint32_t nbytes) {
    store_le32(out, crc);
    store_le32(out + 4, nbytes);
}

size_t fino_gzip_bound(size_t in_nbytes) {
    return FIXED_HEADER_NBYTES + fino_deflate_bound(in_nbytes) + GZIP_TRAILER_NBYTES;
}

size_t fino_deflate_compressor_gzip(fino_deflate_compressor *compressor, const struct fino_gzip_header *header,
                                    const void *in, size_t in_nbytes, void *out, size_t out_nbytes_avail) {
    uint8_t *bytes = out;
    size_t before = fino_gzip_header_nbytes(header), nbytes;
    if (out_nbytes_avail < before + GZIP_TRAILER_NBYTES) return 0;
    deflate_gzip_put_header(bytes, header, compressor->level);
    nbytes = fino_deflate_compressor_deflate(compressor, in, in_nbytes, bytes + before,
                                             out_nbytes_avail - before - GZIP_TRAILER_NBYTES);
    if (nbytes == 0) return 0;
    deflate_gzip_put_trailer(bytes + before + nbytes, fino_crc32(0, in, in_nbytes), (uint32_t)in_nbytes);
    return before + nbytes + GZIP_TRAILER_NBYTES;
}

size_t fino_gzip_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                          void *out, size_t out_nbytes_avail) {
    struct fino_deflate_compressor *compressor = fino_deflate_compressor_new(level, allocator);
    size_t nbytes;
    if (!compressor) return 0;
    nbytes = fino_deflate_compressor_gzip(compressor, NULL, in, in_nbytes, out, out_nbytes_avail);
    fino_deflate_compressor_free(compressor);
    return nbytes;
}
