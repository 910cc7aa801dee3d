/* inflate.h: the decoder's state, shared by the one-shot functions and the reader. */
#ifndef DEFLATE_INFLATE_H
#define DEFLATE_INFLATE_H

#include "deflate.h"
#include "format.h"

enum {
    /* Bits of codeword that one look-up resolves; longer codewords take a second one. 11 and 8 keep both tables in the
     * first-level cache beside the window's hot part. */
    INFLATE_LITLEN_BITS = 11,
    INFLATE_OFFSET_BITS = 8,
    /* The most entries that any complete code can need with those, subtables included (zlib's `enough 288 11 15` and
     * `enough 32 8 15`). */
    INFLATE_LITLEN_ENTRIES = 2342,
    INFLATE_OFFSET_ENTRIES = 402,

    /* Bytes of input that hold any block header: 14 bits, 19 * 3, and 320 codewords of 7 + 7. A reader's buffer must be
     * larger, since a header is parsed whole or not at all. */
    INFLATE_HEADER_NBYTES = 600,
};

/* What the core returns besides the public statuses. */
enum { INFLATE_NEED_INPUT = -1, INFLATE_NEED_OUTPUT = -2, INFLATE_AT_STORED = -3 };

enum inflate_state { INFLATE_BLOCK_START, INFLATE_IN_STORED, INFLATE_IN_CODED, INFLATE_DONE };

struct deflate_inflater {
    const uint8_t *in_next;
    const uint8_t *in_end;
    bool in_is_last; /* nothing follows IN_END */
    uint64_t bits;   /* taken from the input, not yet used; above BIT_COUNT undefined */
    unsigned bit_count;

    uint8_t *out_begin; /* the oldest byte a match may reach */
    uint8_t *out_next;
    uint8_t *out_end;

    enum inflate_state state;
    bool is_final_block;
    bool has_fixed_tables;
    bool leaves_stored;    /* what stored blocks hold is for the caller to take: see deflate_inflate_skip_stored */
    uint32_t left;         /* of a stored block, or of a match that the output's end has cut */
    uint32_t match_offset; /* of that match */

    uint32_t litlen[INFLATE_LITLEN_ENTRIES];
    uint32_t offset[INFLATE_OFFSET_ENTRIES];
};

/* Begins a raw stream; input and output are set by the caller. */
void deflate_inflate_start(struct deflate_inflater *inflater);

/* Decodes until the stream ends (0), the input or the output is used up (INFLATE_NEED_*), or the stream is found
 * invalid (a fino_inflate_status). At NEED_INPUT the bytes left between in_next and in_end must be given again, with
 * more behind them. When it returns 0, in_next is the first byte after the stream. With leaves_stored it returns
 * INFLATE_AT_STORED when the next `left` bytes of input are what a stored block holds. */
int deflate_inflate_run(struct deflate_inflater *inflater);

/* The caller has taken NBYTES, at most `left`, of the stored block from the input. */
void deflate_inflate_skip_stored(struct deflate_inflater *inflater, size_t nbytes);

#endif
