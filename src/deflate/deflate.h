/* deflate.h: DEFLATE and gzip, both ways, from and to memory. See RFC 1951 and RFC 1952. */
#ifndef FINO_DEFLATE_H
#define FINO_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where memory comes from. ALLOC returns NULL when there is none; FREE takes back what ALLOC gave, with its size. */
struct fino_allocator {
    void *(*alloc)(void *context, size_t nbytes);
    void (*free)(void *context, void *memory, size_t nbytes);
    void *context;
};

/* The largest gzip stream that fino_gzip_compress can make of IN_NBYTES bytes. */
size_t fino_gzip_bound(size_t in_nbytes);

/* Compresses IN into one gzip member at LEVEL (1 fastest .. 9, 12 smallest).
 * Returns: the size written to OUT, or 0 when it does not fit in OUT_NBYTES_AVAIL or memory is short; with
 * fino_gzip_bound(IN_NBYTES) bytes it fits always. */
size_t fino_gzip_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                          void *out, size_t out_nbytes_avail);

/* The largest raw DEFLATE stream made of IN_NBYTES bytes. */
size_t fino_deflate_bound(size_t in_nbytes);

/* A compressor that can be used again and again: it saves the allocation. */
typedef struct fino_deflate_compressor fino_deflate_compressor;

/* Returns: a compressor for LEVEL, or NULL when memory is short. Owns: fino_deflate_compressor_free frees it. */
fino_deflate_compressor *fino_deflate_compressor_new(int level, const struct fino_allocator *allocator);
void fino_deflate_compressor_free(fino_deflate_compressor *compressor);

/* Compresses IN into one raw DEFLATE stream. Returns: the size written, or 0 when it does not fit. */
size_t fino_deflate_compressor_compress(fino_deflate_compressor *compressor, const void *in, size_t in_nbytes,
                                        void *out, size_t out_nbytes_avail);

/* The CRC-32 of what gave CRC (0 for nothing) followed by IN. */
uint32_t fino_crc32(uint32_t crc, const void *in, size_t in_nbytes);

#ifdef __cplusplus
}
#endif
#endif
