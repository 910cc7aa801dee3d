/* block.c: writes one block. It owns the three block types and the choice between them; which symbols a block
 * holds was decided before (by the parsers, and split.c).
 *
 * The choice is by true cost: the dynamic codes are made, the header with its run-length code is built, and the bits
 * of all three types are added up before the first is written. So the size is known too, and the writer need not
 * look for the end of the output at every codeword. */
#include "block.h"

#include "huffman.h"

/* A dynamic block's header, ready to be written: the run-length coded lengths of both codes. */
struct header {
    unsigned litlen_count;  /* HLIT + 257 */
    unsigned offset_count;  /* HDIST + 1 */
    unsigned precode_count; /* HCLEN + 4 */
    unsigned item_count;
    uint16_t items[DEFLATE_LITLEN_SYMBOLS + DEFLATE_OFFSET_SYMBOLS]; /* symbol | extra bits << 5 */
    uint8_t precode_lengths[DEFLATE_PRECODE_SYMBOLS];
    unsigned bits; /* what all of it takes, without the three bits that begin every block */
};

static const uint8_t precode_extra[DEFLATE_PRECODE_SYMBOLS] = {[16] = 2, [17] = 3, [18] = 7};

/* One codeword with what follows it in the same breath: a length's symbol together with its extra bits. */
struct codeword {
    uint32_t bits;
    uint32_t count;
};

/* Both codes, ready for the writer. Match lengths are looked up whole. */
struct codes {
    struct codeword literal[256];
    struct codeword end_of_block;
    struct codeword length[DEFLATE_MAX_MATCH + 1];
    struct codeword offset[DEFLATE_OFFSET_SYMBOLS];
};

void deflate_make_code_lengths(const struct deflate_histogram *histogram, struct deflate_code_lengths *lengths_out) {
    deflate_huffman_lengths(histogram->litlen, DEFLATE_LITLEN_SYMBOLS, DEFLATE_ENCODER_LITLEN_BITS,
                            lengths_out->litlen);
    deflate_huffman_lengths(histogram->offset, DEFLATE_OFFSET_SYMBOLS, DEFLATE_MAX_CODE_BITS, lengths_out->offset);
}

uint64_t deflate_body_bits(const struct deflate_histogram *histogram, const struct deflate_code_lengths *lengths) {
    uint64_t bits = 0;
    for (unsigned symbol = 0; symbol < DEFLATE_FIRST_LENGTH; symbol++)
        bits += histogram->litlen[symbol] * lengths->litlen[symbol];
    for (unsigned slot = 0; slot < DEFLATE_LENGTH_SLOTS; slot++) {
        unsigned symbol = DEFLATE_FIRST_LENGTH + slot;
        bits += histogram->litlen[symbol] * (lengths->litlen[symbol] + deflate_length_extra[slot]);
    }
    for (unsigned slot = 0; slot < DEFLATE_OFFSET_USED; slot++)
        bits += histogram->offset[slot] * (lengths->offset[slot] + deflate_offset_extra[slot]);
    return bits;
}

static void add_item(struct header *header, uint32_t *frequencies, unsigned symbol, unsigned extra) {
    header->items[header->item_count++] = (uint16_t)(symbol | extra << 5);
    frequencies[symbol]++;
}

/* Run-length codes LENGTHS (litlen then offset, as one list): zeros by 17 and 18, repeats by 16. */
static void add_run_lengths(struct header *header, const uint8_t *lengths, unsigned count, uint32_t *frequencies) {
    for (unsigned i = 0; i < count;) {
        unsigned value = lengths[i], run = 1;
        while (i + run < count && lengths[i + run] == value)
            run++;
        i += run;
        if (value == 0) {
            for (; run >= 11; run -= min_u32(run, 138))
                add_item(header, frequencies, 18, min_u32(run, 138) - 11);
            if (run >= 3) {
                add_item(header, frequencies, 17, run - 3);
                run = 0;
            }
        } else if (run >= 4) {
            add_item(header, frequencies, value, 0);
            run--;
            for (; run >= 3; run -= min_u32(run, 6))
                add_item(header, frequencies, 16, min_u32(run, 6) - 3);
        }
        for (; run > 0; run--)
            add_item(header, frequencies, value, 0);
    }
}

static void make_header(struct header *header, const struct deflate_code_lengths *lengths) {
    uint8_t list[DEFLATE_LITLEN_SYMBOLS + DEFLATE_OFFSET_SYMBOLS];
    uint32_t frequencies[DEFLATE_PRECODE_SYMBOLS] = {0};

    header->litlen_count = DEFLATE_LITLEN_USED;
    while (header->litlen_count > DEFLATE_FIRST_LENGTH && lengths->litlen[header->litlen_count - 1] == 0)
        header->litlen_count--;
    header->offset_count = DEFLATE_OFFSET_USED;
    while (header->offset_count > 1 && lengths->offset[header->offset_count - 1] == 0)
        header->offset_count--;
    memcpy(list, lengths->litlen, header->litlen_count);
    memcpy(list + header->litlen_count, lengths->offset, header->offset_count);

    header->item_count = 0;
    add_run_lengths(header, list, header->litlen_count + header->offset_count, frequencies);
    deflate_huffman_lengths(frequencies, DEFLATE_PRECODE_SYMBOLS, DEFLATE_MAX_PRECODE_BITS, header->precode_lengths);
    header->precode_count = DEFLATE_PRECODE_SYMBOLS;
    while (header->precode_count > 4 && header->precode_lengths[deflate_precode_order[header->precode_count - 1]] == 0)
        header->precode_count--;

    header->bits = 5 + 5 + 4 + 3 * header->precode_count;
    for (unsigned symbol = 0; symbol < DEFLATE_PRECODE_SYMBOLS; symbol++)
        header->bits += frequencies[symbol] * (header->precode_lengths[symbol] + precode_extra[symbol]);
}

unsigned deflate_header_bits(const struct deflate_code_lengths *lengths) {
    struct header header;
    make_header(&header, lengths);
    return header.bits;
}

static void write_header(struct deflate_writer *writer, const struct header *header, bool careful) {
    uint16_t codewords[DEFLATE_PRECODE_SYMBOLS];
    deflate_huffman_codewords(header->precode_lengths, DEFLATE_PRECODE_SYMBOLS, codewords);
    writer_add(writer, header->litlen_count - 257, 5);
    writer_add(writer, header->offset_count - 1, 5);
    writer_add(writer, header->precode_count - 4, 4);
    writer_flush(writer, careful);
    for (unsigned i = 0; i < header->precode_count; i++) {
        writer_add(writer, header->precode_lengths[deflate_precode_order[i]], 3);
        writer_flush(writer, careful);
    }
    for (unsigned i = 0; i < header->item_count; i++) {
        unsigned symbol = header->items[i] & 31;
        writer_add(writer, codewords[symbol], header->precode_lengths[symbol]);
        writer_add(writer, (unsigned)header->items[i] >> 5, precode_extra[symbol]);
        writer_flush(writer, careful);
    }
}

static void make_codes(struct codes *codes, const struct deflate_code_lengths *lengths) {
    uint16_t words[DEFLATE_LITLEN_SYMBOLS];
    deflate_huffman_codewords(lengths->litlen, DEFLATE_LITLEN_SYMBOLS, words);
    for (unsigned symbol = 0; symbol < 256; symbol++)
        codes->literal[symbol] = (struct codeword){words[symbol], lengths->litlen[symbol]};
    codes->end_of_block = (struct codeword){words[DEFLATE_END_OF_BLOCK], lengths->litlen[DEFLATE_END_OF_BLOCK]};
    for (unsigned length = DEFLATE_MIN_MATCH; length <= DEFLATE_MAX_MATCH; length++) {
        unsigned slot = deflate_length_slot[length], symbol = DEFLATE_FIRST_LENGTH + slot;
        uint32_t extra = length - deflate_length_base[slot];
        codes->length[length] = (struct codeword){words[symbol] | extra << lengths->litlen[symbol],
                                                  lengths->litlen[symbol] + deflate_length_extra[slot]};
    }
    deflate_huffman_codewords(lengths->offset, DEFLATE_OFFSET_SYMBOLS, words);
    for (unsigned slot = 0; slot < DEFLATE_OFFSET_SYMBOLS; slot++)
        codes->offset[slot] = (struct codeword){words[slot], lengths->offset[slot]};
}

DEFLATE_INLINE void add_codeword(struct deflate_writer *writer, struct codeword codeword) {
    writer_add(writer, codeword.bits, codeword.count);
}

/* The body of a Huffman-coded block: the hot loop of the writer, in one version per kind of flush. */
DEFLATE_INLINE void write_sequences(struct deflate_writer *shared_writer, const struct deflate_block *block,
                                    const struct codes *codes, bool careful) {
    struct deflate_writer local = *shared_writer, *writer = &local;
    const uint8_t *in = block->in;
    const struct deflate_sequence *sequence = block->sequences, *end = sequence + block->sequence_count;

    for (; sequence < end; sequence++) {
        uint32_t run = sequence->run_and_length >> DEFLATE_LENGTH_BITS;
        uint32_t length = sequence->run_and_length & DEFLATE_LENGTH_MASK;
        for (; run >= 4; run -= 4, in += 4) {
            add_codeword(writer, codes->literal[in[0]]);
            add_codeword(writer, codes->literal[in[1]]);
            add_codeword(writer, codes->literal[in[2]]);
            add_codeword(writer, codes->literal[in[3]]);
            writer_flush(writer, careful);
        }
        if (run) {
            add_codeword(writer, codes->literal[*in++]);
            if (run > 1) add_codeword(writer, codes->literal[*in++]);
            if (run > 2) add_codeword(writer, codes->literal[*in++]);
            writer_flush(writer, careful);
        }
        if (length) {
            /* 19 bits of length and 28 of offset: one flush. */
            unsigned slot = sequence->offset_slot;
            add_codeword(writer, codes->length[length]);
            add_codeword(writer, codes->offset[slot]);
            writer_add(writer, sequence->offset - deflate_offset_base[slot], deflate_offset_extra[slot]);
            writer_flush(writer, careful);
            in += length;
        }
    }
    add_codeword(writer, codes->end_of_block);
    writer_flush(writer, careful);
    *shared_writer = local;
}

static void write_huffman_block(struct deflate_writer *writer, const struct deflate_block *block,
                                const struct header *header, const struct deflate_code_lengths *lengths,
                                uint64_t block_bits) {
    struct codes codes;
    bool careful = writer_room(writer) < block_bits + 64;
    make_codes(&codes, lengths);
    writer_add(writer, block->is_final, 1);
    writer_add(writer, header ? DEFLATE_BLOCK_DYNAMIC : DEFLATE_BLOCK_FIXED, 2);
    writer_flush(writer, careful);
    if (header) write_header(writer, header, careful);
    if (careful)
        write_sequences(writer, block, &codes, true);
    else
        write_sequences(writer, block, &codes, false);
}

static void fixed_code_lengths(struct deflate_code_lengths *lengths_out) {
    for (unsigned symbol = 0; symbol < DEFLATE_LITLEN_SYMBOLS; symbol++)
        lengths_out->litlen[symbol] = (uint8_t)deflate_fixed_litlen_bits(symbol);
    memset(lengths_out->offset, DEFLATE_FIXED_OFFSET_BITS, sizeof lengths_out->offset);
}

/* The bits of NBYTES in stored blocks, when BIT_COUNT bits of a byte are pending. */
static uint64_t stored_bits(size_t nbytes, unsigned bit_count) {
    uint64_t block_count = nbytes ? ((uint64_t)nbytes + DEFLATE_STORED_MAX - 1) / DEFLATE_STORED_MAX : 1;
    unsigned first = 3 + (-(bit_count + 3) & 7) + 32;
    return 8 * (uint64_t)nbytes + first + (block_count - 1) * 40;
}

bool deflate_stored_write(struct deflate_writer *writer, const uint8_t *in, size_t nbytes, bool is_final) {
    if (writer_room(writer) < stored_bits(nbytes, writer->bit_count)) return false;
    do {
        size_t here = min_size(nbytes, DEFLATE_STORED_MAX);
        writer_add(writer, is_final && here == nbytes, 1);
        writer_add(writer, DEFLATE_BLOCK_STORED, 2);
        if (!writer_align(writer)) return false;
        writer_add(writer, here | (here ^ 0xFFFF) << 16, 32);
        writer_flush(writer, true);
        if (here == 0) break; /* IN may be NULL */
        memcpy(writer->next, in, here);
        writer->next += here;
        in += here;
        nbytes -= here;
    } while (nbytes);
    return true;
}

bool deflate_empty_write(struct deflate_writer *writer) {
    if (writer_room(writer) < 10) return false;
    writer_add(writer, 1 | DEFLATE_BLOCK_FIXED << 1, 10); /* the fixed codeword of the end is seven zeros */
    writer_flush(writer, true);
    return true;
}

bool deflate_block_write(struct deflate_writer *writer, struct deflate_block *block) {
    struct deflate_code_lengths dynamic, fixed;
    struct header header;
    uint64_t dynamic_bits, fixed_bits, best_bits, stored = stored_bits(block->in_nbytes, writer->bit_count);

    block->histogram->litlen[DEFLATE_END_OF_BLOCK] = 1;
    deflate_make_code_lengths(block->histogram, &dynamic);
    make_header(&header, &dynamic);
    fixed_code_lengths(&fixed);
    dynamic_bits = 3 + header.bits + deflate_body_bits(block->histogram, &dynamic);
    fixed_bits = 3 + deflate_body_bits(block->histogram, &fixed);

    best_bits = dynamic_bits < fixed_bits ? dynamic_bits : fixed_bits;
    if (stored <= best_bits) return deflate_stored_write(writer, block->in, block->in_nbytes, block->is_final);
    if (writer_room(writer) < best_bits) return false;
    if (dynamic_bits < fixed_bits)
        write_huffman_block(writer, block, &header, &dynamic, dynamic_bits);
    else
        write_huffman_block(writer, block, NULL, &fixed, fixed_bits);
    return true;
}
