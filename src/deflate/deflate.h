/* deflate.h: DEFLATE and gzip, both ways, from and to memory or as a stream. See RFC 1951 and RFC 1952.
 *
 * Compression: `fino_gzip_compress` and `fino_deflate_compress` in one call; a `fino_deflate_compressor` to do so many
 * times without allocating; a `fino_deflate_stream` when the input comes in pieces.
 * Decompression: `fino_inflate` into a buffer; `fino_gzip_decompress` of untrusted files, with a cap on the size; a
 * `fino_inflate_reader` for any size in little memory.
 *
 * Memory:   a compressor takes, in KiB: 362 at level 1, 490 at levels 2 to 9, 7,915 above; a stream 289 more.
 *           fino_deflate_compressor_nbytes gives the exact figure. A reader takes 123. The one-shot decoders allocate
 *           nothing but the output.
 * Output:   depends on the input, the level, the pieces and flushes of a stream and the version of this library
 *           alone: not on the machine, its byte order, or what an object did before.
 * Stack:    up to 20 KiB.
 * Threads:  an object belongs to one thread at a time; different objects are independent.
 * Needs:    memcpy, memmove, memset; malloc and free unless FINO_NO_MALLOC is defined (then a NULL allocator is one
 *           that has no memory).
 */
#ifndef FINO_DEFLATE_H
#define FINO_DEFLATE_H

#include <stdbool.h>
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

/* ---- compression in one call ---- */

/* The largest gzip stream that fino_gzip_compress can make of IN_NBYTES bytes. */
size_t fino_gzip_bound(size_t in_nbytes);

/* Compresses IN into one gzip member at LEVEL (1 fastest .. 9, 12 searches longest for what is small; others are
 * clamped). Returns: the size written to OUT, or 0 when it does not fit in OUT_NBYTES_AVAIL or memory is short; with
 * fino_gzip_bound(IN_NBYTES) bytes it fits always. */
size_t fino_gzip_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                          void *out, size_t out_nbytes_avail);

/* The same for raw DEFLATE. */
size_t fino_deflate_bound(size_t in_nbytes);
size_t fino_deflate_compress(int level, const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                             void *out, size_t out_nbytes_avail);

/* ---- compression, again and again ---- */

typedef struct fino_deflate_compressor fino_deflate_compressor;

/* Returns: a compressor for LEVEL, or NULL when memory is short.
 * Owns:    fino_deflate_compressor_free frees it. ALLOCATOR may be NULL for malloc and free; it is copied. */
fino_deflate_compressor *fino_deflate_compressor_new(int level, const struct fino_allocator *allocator);
void fino_deflate_compressor_free(fino_deflate_compressor *compressor);

/* The memory that a compressor for LEVEL takes. */
size_t fino_deflate_compressor_nbytes(int level);

/* Compresses IN into one raw DEFLATE stream. Returns: the size written, or 0 when it does not fit. */
size_t fino_deflate_compressor_deflate(fino_deflate_compressor *compressor, const void *in, size_t in_nbytes, void *out,
                                       size_t out_nbytes_avail);

/* The optional fields of a gzip header. All zero: none. Source: RFC 1952 section 2.3. */
struct fino_gzip_header {
    uint32_t mtime;      /* seconds since 1970; 0: unknown */
    bool is_text;        /* a hint */
    bool has_header_crc; /* protect the header by a CRC-16 */
    const char *name;    /* ISO 8859-1, no directory; NULL: none */
    const char *comment; /* ISO 8859-1; NULL: none */
    const void *extra;   /* subfields; NULL: none */
    uint16_t extra_nbytes;
};

/* The size of HEADER when written; NULL is the plain one. */
size_t fino_gzip_header_nbytes(const struct fino_gzip_header *header);

/* Compresses IN into one gzip member with HEADER, which may be NULL. Returns: the size written, or 0 when it does not
 * fit; fino_gzip_header_nbytes(HEADER) + fino_deflate_bound(IN_NBYTES) + 8 bytes suffice. */
size_t fino_deflate_compressor_gzip(fino_deflate_compressor *compressor, const struct fino_gzip_header *header,
                                    const void *in, size_t in_nbytes, void *out, size_t out_nbytes_avail);

/* ---- compression of a stream ---- */

typedef struct fino_deflate_stream fino_deflate_stream;

struct fino_deflate_stream_config {
    int level;
    bool is_gzip;                           /* false: raw */
    const struct fino_gzip_header *header;  /* may be NULL; used during fino_deflate_stream_new alone */
    const struct fino_allocator *allocator; /* NULL: malloc and free */
    /* Takes the output as it arises, up to 129 KiB at a time, and a gzip header whole. Returns 0, or else an error,
     * after which the stream calls it no more. */
    int (*write)(void *context, const void *data, size_t nbytes);
    void *context;
};

/* Returns: a stream, or NULL when memory is short. Owns: fino_deflate_stream_free frees it, at any time. */
fino_deflate_stream *fino_deflate_stream_new(const struct fino_deflate_stream_config *config);
void fino_deflate_stream_free(fino_deflate_stream *stream);

/* Compresses IN. Returns: 0, or the error that `write` has returned, now or before. */
int fino_deflate_stream_write(fino_deflate_stream *stream, const void *in, size_t in_nbytes);
/* Passes on all that was written so far, on a byte boundary (an empty stored block): the receiver can decode it. */
int fino_deflate_stream_flush(fino_deflate_stream *stream);
/* Ends the stream. After it only fino_deflate_stream_free may follow: more would come out as if it belonged to it. */
int fino_deflate_stream_finish(fino_deflate_stream *stream);

/* ---- decompression ---- */

enum fino_inflate_status {
    FINO_INFLATE_OK = 0,
    FINO_INFLATE_TRUNCATED,           /* the input ends inside the stream */
    FINO_INFLATE_BAD_BLOCK_TYPE,      /* block type 3 */
    FINO_INFLATE_BAD_STORED_LENGTH,   /* a stored block's length and its complement differ */
    FINO_INFLATE_BAD_CODE_LENGTHS,    /* more symbols than exist, or a repeat of nothing or past the end */
    FINO_INFLATE_OVERSUBSCRIBED_CODE, /* more codewords than fit */
    FINO_INFLATE_INCOMPLETE_CODE,     /* fewer */
    FINO_INFLATE_NO_END_OF_BLOCK,     /* a code without the symbol that ends the block */
    FINO_INFLATE_BAD_SYMBOL,          /* a codeword or symbol that means nothing */
    FINO_INFLATE_OFFSET_TOO_FAR,      /* a match from before the beginning */
    FINO_INFLATE_OUTPUT_FULL,         /* the output or its cap is too small */
    FINO_INFLATE_BAD_HEADER,          /* not gzip, or a method or flag that is unknown */
    FINO_INFLATE_BAD_HEADER_CRC,
    FINO_INFLATE_BAD_CRC,
    FINO_INFLATE_BAD_SIZE,      /* gzip's ISIZE is not the size of the data */
    FINO_INFLATE_TRAILING_DATA, /* bytes other than zeros and further members follow */
    FINO_INFLATE_NO_MEMORY,
    FINO_INFLATE_READ_ERROR, /* the reader's source failed */
};

/* A few words for STATUS, for messages. */
const char *fino_inflate_status_text(enum fino_inflate_status status);

/* Decodes one raw DEFLATE stream from IN into OUT. OUT's bytes past *OUT_NBYTES_OUT are undefined.
 * Output:  *OUT_NBYTES_OUT is what was decoded, *IN_NBYTES_OUT (unless NULL) the bytes of IN that the stream takes;
 * both are set on errors too, up to which they tell how far decoding came. */
enum fino_inflate_status fino_inflate(const void *in, size_t in_nbytes, void *out, size_t out_nbytes_avail,
                                      size_t *in_nbytes_out, size_t *out_nbytes_out);

/* Whether IN begins as gzip does. */
bool fino_is_gzip(const void *in, size_t in_nbytes);

/* Reads the header of the gzip member that IN begins with.
 * Output:  *HEADER_OUT, whose texts and extra field stay in IN; *NBYTES_OUT bytes into IN the DEFLATE stream begins.
 * Returns: FINO_INFLATE_OK, or else FINO_INFLATE_TRUNCATED, BAD_HEADER or BAD_HEADER_CRC, and nothing is in either. */
enum fino_inflate_status fino_gzip_read_header(const void *in, size_t in_nbytes, struct fino_gzip_header *header_out,
                                               size_t *nbytes_out);

/* Decodes all members of a gzip file; zeros may follow the last. At most MAX_OUT_NBYTES bytes come out (more is
 * FINO_INFLATE_OUTPUT_FULL), and no more than twice that is ever allocated.
 * Owns: *OUT_OUT, *OUT_NBYTES_OUT long, is freed by the caller through ALLOCATOR (NULL: free). It is NULL on errors,
 * and when there is nothing. */
enum fino_inflate_status fino_gzip_decompress(const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                                              size_t max_out_nbytes, void **out_out, size_t *out_nbytes_out);

/* ---- decompression of a stream ---- */

typedef struct fino_inflate_reader fino_inflate_reader;

struct fino_inflate_reader_config {
    bool is_gzip; /* all members, like fino_gzip_decompress; false: one raw stream, whatever follows it */
    const struct fino_allocator *allocator; /* NULL: malloc and free */
    /* Fills BUFFER. Returns: how many bytes, 0 at the end, negative on errors. */
    ptrdiff_t (*read)(void *context, void *buffer, size_t nbytes);
    void *context;
};

/* Returns: a reader, or NULL when memory is short. Owns: fino_inflate_reader_free frees it. */
fino_inflate_reader *fino_inflate_reader_new(const struct fino_inflate_reader_config *config);
void fino_inflate_reader_free(fino_inflate_reader *reader);

/* Decodes up to NBYTES into OUT. *NBYTES_OUT is less than NBYTES only at the end of the data and on errors.
 * Returns: FINO_INFLATE_OK, or what is wrong with the stream after the bytes delivered; it stays so. */
enum fino_inflate_status fino_inflate_reader_read(fino_inflate_reader *reader, void *out, size_t nbytes,
                                                  size_t *nbytes_out);

/* ---- checksum ---- */

/* The CRC-32 of the bytes that gave CRC (0 for none) followed by IN. */
uint32_t fino_crc32(uint32_t crc, const void *in, size_t in_nbytes);

#ifdef __cplusplus
}
#endif
#endif
