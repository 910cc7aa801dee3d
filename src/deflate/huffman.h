/* huffman.h: length-limited Huffman codes for the encoder. */
#ifndef DEFLATE_HUFFMAN_H
#define DEFLATE_HUFFMAN_H

#include "format.h"

/* Gives each of COUNT symbols (at most 288) the length of its codeword, at most MAX_BITS; 0 where FREQUENCIES is 0.
 * A single used symbol gets one bit. The frequencies add up to less than 2^31. */
void deflate_huffman_lengths(const uint32_t *frequencies, unsigned count, unsigned max_bits, uint8_t *lengths_out);

/* The canonical codewords (RFC 1951 section 3.2.2) of LENGTHS, bit-reversed as the stream wants them. */
void deflate_huffman_codewords(const uint8_t *lengths, unsigned count, uint16_t *codewords_out);

#endif
