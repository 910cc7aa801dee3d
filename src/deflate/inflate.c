/* inflate.c: decodes raw DEFLATE.
 *
 * Bits are kept in a 64-bit word that is refilled with one unaligned load. Codewords are looked up in tables of 32-bit
 * entries that say all there is to know: what to consume, and what it means.
 *
 * Two loops decode a coded block. The fast one runs while 16 bytes of input and 320 of output are sure to be there, so
 * that it checks neither within a symbol, and copies matches by words, over their end. The careful one does one symbol
 * at a time near the ends of either buffer, and can stop before any symbol: that makes the decoder resumable at no
 * cost to the fast loop. Nothing is read outside [in_next, in_end) nor written outside [out_next, out_end), and no
 * match reaches before out_begin. */
#include "inflate.h"

/* Table entries.
 *
 *   literal:   LITERAL | literal << 16 | codeword bits
 *   length:    base << 16 | codeword bits << 8 | codeword bits + extra bits
 *   offset:    base << 16 | codeword bits << 8 | codeword bits + extra bits
 *   subtable:  EXCEPTION | SUBTABLE | start << 16 | bits of the subtable << 8 | bits of the main table
 *   end:       EXCEPTION | codeword bits
 *   no symbol: EXCEPTION | INVALID
 *
 * so that the low six bits are always how much to consume. */
#define ENTRY_LITERAL 0x80000000u
#define ENTRY_EXCEPTION 0x00008000u
#define ENTRY_SUBTABLE 0x00004000u
#define ENTRY_INVALID 0x00002000u

enum {
    FAST_IN_NBYTES = 16,
    FAST_OUT_NBYTES = 320, /* two literals, a match of 258, and what the copy runs over */
};

DEFLATE_INLINE unsigned entry_consumes(uint32_t entry) {
    return entry & 63;
}

/* The base plus the extra bits, for lengths and offsets. BITS still begins with the codeword. */
DEFLATE_INLINE uint32_t entry_value(uint32_t entry, uint64_t bits) {
    bits &= ((uint64_t)1 << entry_consumes(entry)) - 1;
    return (entry >> 16) + (uint32_t)(bits >> ((entry >> 8) & 63)); /* the codeword's bits; the two above are 0 */
}

/* ---- making tables ---- */

typedef uint32_t entry_maker(unsigned symbol, unsigned codeword_bits);

static uint32_t litlen_entry(unsigned symbol, unsigned bits) {
    if (symbol < 256) return ENTRY_LITERAL | symbol << 16 | bits;
    if (symbol == DEFLATE_END_OF_BLOCK) return ENTRY_EXCEPTION | bits;
    if (symbol >= DEFLATE_LITLEN_USED) return ENTRY_EXCEPTION | ENTRY_INVALID;
    unsigned slot = symbol - DEFLATE_FIRST_LENGTH;
    return (uint32_t)deflate_length_base[slot] << 16 | bits << 8 | (bits + deflate_length_extra[slot]);
}

static uint32_t offset_entry(unsigned symbol, unsigned bits) {
    if (symbol >= DEFLATE_OFFSET_USED) return ENTRY_EXCEPTION | ENTRY_INVALID;
    return (uint32_t)deflate_offset_base[symbol] << 16 | bits << 8 | (bits + deflate_offset_extra[symbol]);
}

static uint32_t precode_entry(unsigned symbol, unsigned bits) {
    return symbol << 16 | bits;
}

/* The codeword after CODEWORD, both reversed and BITS long. CODEWORD is not all ones. */
static unsigned next_codeword(unsigned codeword, unsigned bits) {
    unsigned bit = 1u << highest_bit(codeword ^ ((1u << bits) - 1));
    return (codeword & (bit - 1)) | bit;
}

/* The symbols of one code in order of their codewords. */
struct sorted_code {
    unsigned counts[DEFLATE_MAX_CODE_BITS + 1];
    unsigned used;
    uint16_t symbols[DEFLATE_LITLEN_SYMBOLS];
};

/* Sorts the symbols and checks the code. Codes are complete, but for the one with a single codeword of one bit, and the
 * one without any, where MAY_BE_INCOMPLETE; as in zlib. Returns 0 or a status. */
static int sort_code(struct sorted_code *code, const uint8_t *lengths, unsigned count, bool may_be_incomplete) {
    unsigned starts[DEFLATE_MAX_CODE_BITS + 2] = {0};
    uint32_t space = 0; /* used, of 2^15 */
    memset(code->counts, 0, sizeof code->counts);
    for (unsigned symbol = 0; symbol < count; symbol++)
        code->counts[lengths[symbol]]++;
    code->used = count - code->counts[0];
    code->counts[0] = 0;
    for (unsigned bits = 1; bits <= DEFLATE_MAX_CODE_BITS; bits++) {
        starts[bits + 1] = starts[bits] + code->counts[bits];
        space += code->counts[bits] << (DEFLATE_MAX_CODE_BITS - bits);
    }
    if (space > 1u << DEFLATE_MAX_CODE_BITS) return FINO_INFLATE_OVERSUBSCRIBED_CODE;
    if (space < 1u << DEFLATE_MAX_CODE_BITS) {
        bool lone_bit = code->used == 1 && code->counts[1] == 1;
        if (!may_be_incomplete || !(lone_bit || code->used == 0)) return FINO_INFLATE_INCOMPLETE_CODE;
    }
    for (unsigned symbol = 0; symbol < count; symbol++)
        if (lengths[symbol]) code->symbols[starts[lengths[symbol]]++] = (uint16_t)symbol;
    return 0;
}

/* Fills TABLE, whose main part has 1 << TABLE_BITS entries. Codewords come in order of length. The main table holds
 * those so far as if it were just large enough for them; it doubles by copying itself when they become longer. */
static void fill_table(uint32_t *table, unsigned table_bits, const struct sorted_code *code, entry_maker *make) {
    unsigned codeword = 0, bits = 1, i = 0, sub_prefix = ~0u, sub_start = 0, sub_bits = 0;
    unsigned end = 1u << table_bits, left;

    if (code->used < 2) { /* none, or the lone codeword 0 */
        for (unsigned entry = 0; entry < end; entry++)
            table[entry] = ENTRY_EXCEPTION | ENTRY_INVALID;
        for (unsigned entry = 0; code->used && entry < end; entry += 2)
            table[entry] = make(code->symbols[0], 1);
        return;
    }
    for (;; bits++) {
        for (left = code->counts[bits]; left > 0; left--) {
            if (bits <= table_bits) {
                table[codeword] = make(code->symbols[i], bits);
            } else {
                unsigned prefix = codeword & ((1u << table_bits) - 1), stride;
                if (prefix != sub_prefix) {
                    /* A new subtable: as large as the codewords that share this prefix need. */
                    unsigned space = left;
                    sub_prefix = prefix;
                    sub_start = end;
                    sub_bits = bits - table_bits;
                    while (space < 1u << sub_bits) {
                        sub_bits++;
                        space = (space << 1) + code->counts[table_bits + sub_bits];
                    }
                    end += 1u << sub_bits;
                    table[prefix] = ENTRY_EXCEPTION | ENTRY_SUBTABLE | sub_start << 16 | sub_bits << 8 | table_bits;
                }
                stride = 1u << (bits - table_bits);
                for (unsigned entry = codeword >> table_bits; entry < 1u << sub_bits; entry += stride)
                    table[sub_start + entry] = make(code->symbols[i], bits - table_bits);
            }
            if (++i == code->used) {
                for (; bits < table_bits; bits++)
                    memcpy(table + (1u << bits), table, sizeof *table << bits);
                return;
            }
            codeword = next_codeword(codeword, bits);
        }
        if (bits < table_bits) memcpy(table + (1u << bits), table, sizeof *table << bits);
    }
}

static int make_tables(struct deflate_inflater *inflater, const uint8_t *lengths, unsigned litlen_count,
                       unsigned offset_count) {
    struct sorted_code code;
    int status = sort_code(&code, lengths, litlen_count, true);
    if (status) return status;
    if (lengths[DEFLATE_END_OF_BLOCK] == 0) return FINO_INFLATE_NO_END_OF_BLOCK;
    fill_table(inflater->litlen, INFLATE_LITLEN_BITS, &code, litlen_entry);
    status = sort_code(&code, lengths + litlen_count, offset_count, true);
    if (status) return status;
    fill_table(inflater->offset, INFLATE_OFFSET_BITS, &code, offset_entry);
    return 0;
}

/* ---- bits, carefully ---- */

/* Takes bytes until COUNT (at most 56) bits are there. Returns false when the input has fewer. */
static bool want_bits(struct deflate_inflater *inflater, unsigned count) {
    inflater->bits &= ((uint64_t)1 << inflater->bit_count) - 1;
    while (inflater->bit_count < count) {
        if (inflater->in_next == inflater->in_end) return false;
        inflater->bits |= (uint64_t)*inflater->in_next++ << inflater->bit_count;
        inflater->bit_count += 8;
    }
    return true;
}

static uint32_t take_bits(struct deflate_inflater *inflater, unsigned count) {
    uint32_t value = (uint32_t)(inflater->bits & (((uint64_t)1 << count) - 1));
    inflater->bits >>= count;
    inflater->bit_count -= count;
    return value;
}

/* Gives whole bytes back to the input. */
static void return_bytes(struct deflate_inflater *inflater) {
    if (inflater->bit_count >= 8) inflater->in_next -= inflater->bit_count >> 3; /* else it may be NULL */
    inflater->bit_count &= 7;
    inflater->bits &= ((uint64_t)1 << inflater->bit_count) - 1;
}

static int short_input(const struct deflate_inflater *inflater) {
    return inflater->in_is_last ? FINO_INFLATE_TRUNCATED : INFLATE_NEED_INPUT;
}

/* ---- block headers ---- */

static int read_code_lengths(struct deflate_inflater *inflater, uint8_t *lengths, unsigned count,
                             const uint32_t *precode) {
    static const uint8_t base[3] = {3, 3, 11}, extra[3] = {2, 3, 7};
    for (unsigned i = 0; i < count;) {
        unsigned symbol, run;
        uint8_t value;
        uint32_t entry;
        bool enough = want_bits(inflater, DEFLATE_MAX_PRECODE_BITS + 7);
        entry = precode[inflater->bits & ((1u << DEFLATE_MAX_PRECODE_BITS) - 1)];
        symbol = entry >> 16;
        if (!enough) { /* the last few bits may still do */
            unsigned needs = entry_consumes(entry) + (symbol >= 16 ? extra[symbol - 16] : 0);
            if (needs > inflater->bit_count) return short_input(inflater);
        }
        take_bits(inflater, entry_consumes(entry));
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && i == 0) return FINO_INFLATE_BAD_CODE_LENGTHS;
        value = symbol == 16 ? lengths[i - 1] : 0;
        run = base[symbol - 16] + take_bits(inflater, extra[symbol - 16]);
        if (run > count - i) return FINO_INFLATE_BAD_CODE_LENGTHS;
        memset(lengths + i, value, run);
        i += run;
    }
    return 0;
}

static int read_dynamic_header(struct deflate_inflater *inflater) {
    uint8_t lengths[DEFLATE_LITLEN_SYMBOLS + DEFLATE_OFFSET_SYMBOLS];
    uint8_t precode_lengths[DEFLATE_PRECODE_SYMBOLS] = {0};
    uint32_t precode[1 << DEFLATE_MAX_PRECODE_BITS];
    struct sorted_code code;
    unsigned litlen_count, offset_count, precode_count;
    int status;

    if (!want_bits(inflater, 14)) return short_input(inflater);
    litlen_count = 257 + take_bits(inflater, 5);
    offset_count = 1 + take_bits(inflater, 5);
    precode_count = 4 + take_bits(inflater, 4);
    if (litlen_count > DEFLATE_LITLEN_USED || offset_count > DEFLATE_OFFSET_USED) return FINO_INFLATE_BAD_CODE_LENGTHS;
    for (unsigned i = 0; i < precode_count; i++) {
        if (!want_bits(inflater, 3)) return short_input(inflater);
        precode_lengths[deflate_precode_order[i]] = (uint8_t)take_bits(inflater, 3);
    }
    status = sort_code(&code, precode_lengths, DEFLATE_PRECODE_SYMBOLS, false);
    if (status) return status;
    fill_table(precode, DEFLATE_MAX_PRECODE_BITS, &code, precode_entry);
    status = read_code_lengths(inflater, lengths, litlen_count + offset_count, precode);
    if (status) return status;
    return make_tables(inflater, lengths, litlen_count, offset_count);
}

static void make_fixed_tables(struct deflate_inflater *inflater) {
    uint8_t lengths[DEFLATE_LITLEN_SYMBOLS + DEFLATE_OFFSET_SYMBOLS];
    for (unsigned symbol = 0; symbol < DEFLATE_LITLEN_SYMBOLS; symbol++)
        lengths[symbol] = (uint8_t)deflate_fixed_litlen_bits(symbol);
    memset(lengths + DEFLATE_LITLEN_SYMBOLS, DEFLATE_FIXED_OFFSET_BITS, DEFLATE_OFFSET_SYMBOLS);
    make_tables(inflater, lengths, DEFLATE_LITLEN_SYMBOLS, DEFLATE_OFFSET_SYMBOLS);
}

static int read_stored_header(struct deflate_inflater *inflater) {
    uint32_t nbytes;
    take_bits(inflater, inflater->bit_count & 7);
    if (!want_bits(inflater, 32)) return short_input(inflater);
    nbytes = take_bits(inflater, 16);
    if ((nbytes ^ 0xFFFF) != take_bits(inflater, 16)) return FINO_INFLATE_BAD_STORED_LENGTH;
    return_bytes(inflater);
    inflater->left = nbytes;
    inflater->state = INFLATE_IN_STORED;
    return 0;
}

static int read_block_type(struct deflate_inflater *inflater) {
    int status;
    if (!want_bits(inflater, 3)) return short_input(inflater);
    inflater->is_final_block = take_bits(inflater, 1);
    switch (take_bits(inflater, 2)) {
        case DEFLATE_BLOCK_STORED: return read_stored_header(inflater);
        case DEFLATE_BLOCK_FIXED:
            if (!inflater->has_fixed_tables) make_fixed_tables(inflater);
            inflater->has_fixed_tables = true;
            break;
        case DEFLATE_BLOCK_DYNAMIC:
            inflater->has_fixed_tables = false;
            status = read_dynamic_header(inflater);
            if (status) return status;
            break;
        default: return FINO_INFLATE_BAD_BLOCK_TYPE;
    }
    inflater->left = 0;
    inflater->state = INFLATE_IN_CODED;
    return 0;
}

/* A header is parsed whole or not at all: when the input ends inside, all its bits are given back. */
static int read_block_header(struct deflate_inflater *inflater) {
    const uint8_t *in_next;
    uint64_t bits;
    unsigned bit_count;
    int status;
    return_bytes(inflater);
    in_next = inflater->in_next;
    bits = inflater->bits;
    bit_count = inflater->bit_count;
    status = read_block_type(inflater);
    if (status != INFLATE_NEED_INPUT) return status;
    inflater->in_next = in_next;
    inflater->bits = bits;
    inflater->bit_count = bit_count;
    return status;
}

/* ---- block bodies ---- */

void deflate_inflate_skip_stored(struct deflate_inflater *inflater, size_t nbytes) {
    inflater->left -= (uint32_t)nbytes;
    if (inflater->left == 0) inflater->state = inflater->is_final_block ? INFLATE_DONE : INFLATE_BLOCK_START;
}

static int run_stored(struct deflate_inflater *inflater) {
    size_t nbytes = inflater->left;
    if (nbytes && inflater->leaves_stored) return INFLATE_AT_STORED;
    nbytes = min_size(nbytes, (size_t)(inflater->in_end - inflater->in_next));
    nbytes = min_size(nbytes, (size_t)(inflater->out_end - inflater->out_next));
    if (nbytes) memcpy(inflater->out_next, inflater->in_next, nbytes);
    inflater->in_next += nbytes;
    inflater->out_next += nbytes;
    deflate_inflate_skip_stored(inflater, nbytes);
    if (inflater->state != INFLATE_IN_STORED) return 0;
    return inflater->out_next == inflater->out_end ? INFLATE_NEED_OUTPUT : short_input(inflater);
}

/* Copies LENGTH bytes from OFFSET back by words, up to 21 bytes too far. */
DEFLATE_INLINE void copy_match_fast(uint8_t *out, uint32_t offset, uint32_t length) {
    const uint8_t *from = out - offset, *const end = out + length;
    if (DEFLATE_LIKELY(offset >= 8)) {
        store_le64(out, load_le64(from));
        store_le64(out + 8, load_le64(from + 8));
        store_le64(out + 16, load_le64(from + 16));
        for (out += 24, from += 24; out < end; out += 16, from += 16) {
            store_le64(out, load_le64(from));
            store_le64(out + 8, load_le64(from + 8));
        }
    } else if (offset == 1) {
        uint64_t run = 0x0101010101010101u * *from;
        for (; out < end; out += 16) {
            store_le64(out, run);
            store_le64(out + 8, run);
        }
    } else {
        for (; out < end; out += offset, from += offset) /* a word has OFFSET new bytes that are right already */
            store_le64(out, load_le64(from));
    }
}

/* Decodes while both buffers have room for the worst symbol. Returns 0 to go on carefully.
 *
 * ENTRY is always looked up ahead: what comes next is on its way from memory while a match is copied. Of BIT_COUNT the
 * low six bits count, so that a whole entry can be taken off it. After a refill there are 56 bits: enough for two
 * literals of at most 11 looked up in the main table, a length of at most 20, and to look up the offset; then again for
 * an offset of at most 28, and to look up what follows. */
static int run_fast(struct deflate_inflater *inflater) {
    const uint32_t *const litlen = inflater->litlen, *const offsets = inflater->offset;
    const uint8_t *in = inflater->in_next, *const in_limit = inflater->in_end - FAST_IN_NBYTES;
    uint8_t *out = inflater->out_next, *const out_limit = inflater->out_end - FAST_OUT_NBYTES;
    uint64_t bits = inflater->bits & (((uint64_t)1 << inflater->bit_count) - 1), before;
    uint32_t bit_count = inflater->bit_count, entry, length, distance;
    int status = 0;

#define REFILL()                                                                                                       \
    do {                                                                                                               \
        bits |= load_le64(in) << (bit_count & 63);                                                                     \
        in += 7 - ((bit_count >> 3) & 7);                                                                              \
        bit_count |= 56;                                                                                               \
    } while (0)
#define CONSUME(entry) (before = bits, bits >>= entry_consumes(entry), bit_count -= (entry))
#define LITLEN() litlen[bits & ((1u << INFLATE_LITLEN_BITS) - 1)]

    REFILL();
    entry = LITLEN();
    while (in <= in_limit && out <= out_limit) {
        if (entry & ENTRY_LITERAL) {
            CONSUME(entry);
            *out++ = (uint8_t)(entry >> 16);
            entry = LITLEN();
            if (entry & ENTRY_LITERAL) {
                CONSUME(entry);
                *out++ = (uint8_t)(entry >> 16);
                entry = LITLEN();
                if (entry & ENTRY_LITERAL) {
                    CONSUME(entry);
                    *out++ = (uint8_t)(entry >> 16);
                    REFILL();
                    entry = LITLEN();
                    continue;
                }
            }
        }
        if (DEFLATE_UNLIKELY(entry & ENTRY_EXCEPTION)) {
            if (entry & ENTRY_SUBTABLE) {
                CONSUME(entry);
                entry = litlen[(entry >> 16) + (bits & ((1u << ((entry >> 8) & 15)) - 1))];
                if (entry & ENTRY_LITERAL) {
                    CONSUME(entry);
                    *out++ = (uint8_t)(entry >> 16);
                    REFILL();
                    entry = LITLEN();
                    continue;
                }
            }
            if (entry & ENTRY_EXCEPTION) {
                if (entry & ENTRY_INVALID) {
                    status = FINO_INFLATE_BAD_SYMBOL;
                    break;
                }
                CONSUME(entry);
                inflater->state = inflater->is_final_block ? INFLATE_DONE : INFLATE_BLOCK_START;
                break;
            }
        }
        CONSUME(entry);
        length = entry_value(entry, before);
        entry = offsets[bits & ((1u << INFLATE_OFFSET_BITS) - 1)];
        REFILL();
        if (DEFLATE_UNLIKELY(entry & ENTRY_EXCEPTION)) {
            if (entry & ENTRY_SUBTABLE) {
                CONSUME(entry);
                entry = offsets[(entry >> 16) + (bits & ((1u << ((entry >> 8) & 15)) - 1))];
            }
            if (entry & ENTRY_INVALID) {
                status = FINO_INFLATE_BAD_SYMBOL;
                break;
            }
        }
        CONSUME(entry);
        distance = entry_value(entry, before);
        if (DEFLATE_UNLIKELY(distance > (size_t)(out - inflater->out_begin))) {
            status = FINO_INFLATE_OFFSET_TOO_FAR;
            break;
        }
        REFILL();
        entry = LITLEN();
        copy_match_fast(out, distance, length);
        out += length;
    }
#undef REFILL
#undef CONSUME
#undef LITLEN
    inflater->in_next = in;
    inflater->out_next = out;
    inflater->bits = bits;
    inflater->bit_count = bit_count & 63;
    return status;
}

/* Copies what there is room for of the match that begins or goes on at out_next. */
static int run_match(struct deflate_inflater *inflater) {
    while (inflater->left) {
        if (inflater->out_next == inflater->out_end) return INFLATE_NEED_OUTPUT;
        *inflater->out_next = *(inflater->out_next - inflater->match_offset);
        inflater->out_next++;
        inflater->left--;
    }
    return 0;
}

/* The entry that BITS begins with, through the subtable if need be; *SHIFT_OUT is the part of its
 * codeword that the main table stood for. */
static uint32_t look_up(const uint32_t *table, unsigned table_bits, uint64_t bits, unsigned *shift_out) {
    uint32_t entry = table[bits & ((1u << table_bits) - 1)];
    *shift_out = 0;
    if (!(entry & ENTRY_LITERAL) && (entry & ENTRY_EXCEPTION) && (entry & ENTRY_SUBTABLE)) {
        *shift_out = table_bits;
        entry = table[(entry >> 16) + ((bits >> table_bits) & ((1u << ((entry >> 8) & 15)) - 1))];
    }
    return entry;
}

/* Decodes one symbol, and the offset when it is a length; takes nothing unless all of it is there. */
static int run_symbol(struct deflate_inflater *inflater) {
    uint64_t bits;
    unsigned shift, used;
    uint32_t entry, length;

    want_bits(inflater, 48); /* 20 and 28 are the most; fewer may do at the end of the input */
    bits = inflater->bits;
    entry = look_up(inflater->litlen, INFLATE_LITLEN_BITS, bits, &shift);
    used = shift + entry_consumes(entry);
    if (used > inflater->bit_count) return short_input(inflater);
    if (entry & ENTRY_LITERAL) {
        if (inflater->out_next == inflater->out_end) return INFLATE_NEED_OUTPUT;
        *inflater->out_next++ = (uint8_t)(entry >> 16);
        take_bits(inflater, used);
        return 0;
    }
    if (entry & ENTRY_EXCEPTION) {
        if (entry & ENTRY_INVALID) return inflater->bit_count ? FINO_INFLATE_BAD_SYMBOL : short_input(inflater);
        take_bits(inflater, used);
        inflater->state = inflater->is_final_block ? INFLATE_DONE : INFLATE_BLOCK_START;
        return 0;
    }
    length = entry_value(entry, bits >> shift);
    bits >>= used;
    entry = look_up(inflater->offset, INFLATE_OFFSET_BITS, bits, &shift);
    if (used + shift + entry_consumes(entry) > inflater->bit_count) return short_input(inflater);
    if (entry & ENTRY_INVALID) return used < inflater->bit_count ? FINO_INFLATE_BAD_SYMBOL : short_input(inflater);
    inflater->match_offset = entry_value(entry, bits >> shift);
    take_bits(inflater, used);
    take_bits(inflater, shift + entry_consumes(entry));
    if (inflater->match_offset > (size_t)(inflater->out_next - inflater->out_begin)) return FINO_INFLATE_OFFSET_TOO_FAR;
    inflater->left = length;
    return run_match(inflater);
}

static int run_coded(struct deflate_inflater *inflater) {
    int status = run_match(inflater);
    while (!status && inflater->state == INFLATE_IN_CODED) {
        if (inflater->in_end - inflater->in_next >= FAST_IN_NBYTES &&
            inflater->out_end - inflater->out_next >= FAST_OUT_NBYTES)
            status = run_fast(inflater);
        else
            status = run_symbol(inflater);
    }
    return status;
}

void deflate_inflate_start(struct deflate_inflater *inflater) {
    inflater->bits = 0;
    inflater->bit_count = 0;
    inflater->state = INFLATE_BLOCK_START;
    inflater->has_fixed_tables = false;
    inflater->leaves_stored = false;
    inflater->left = 0;
}

int deflate_inflate_run(struct deflate_inflater *inflater) {
    int status = 0;
    while (!status && inflater->state != INFLATE_DONE) {
        switch (inflater->state) {
            case INFLATE_BLOCK_START: status = read_block_header(inflater); break;
            case INFLATE_IN_STORED: status = run_stored(inflater); break;
            default: status = run_coded(inflater); break;
        }
    }
    return_bytes(inflater);
    return status;
}

enum fino_inflate_status fino_inflate(const void *in, size_t in_nbytes, void *out, size_t out_nbytes_avail,
                                      size_t *in_nbytes_out, size_t *out_nbytes_out) {
    struct deflate_inflater inflater;
    int status;
    deflate_inflate_start(&inflater);
    inflater.in_next = in;
    inflater.in_end = end_of(in, in_nbytes);
    inflater.in_is_last = true;
    inflater.out_begin = inflater.out_next = out;
    inflater.out_end = (uint8_t *)(uintptr_t)end_of(out, out_nbytes_avail);
    status = deflate_inflate_run(&inflater);
    if (in_nbytes_out) *in_nbytes_out = (size_t)(inflater.in_next - (const uint8_t *)in);
    *out_nbytes_out = (size_t)(inflater.out_next - inflater.out_begin);
    return status == INFLATE_NEED_OUTPUT ? FINO_INFLATE_OUTPUT_FULL : (enum fino_inflate_status)status;
}
