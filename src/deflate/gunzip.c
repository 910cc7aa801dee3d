/* gunzip.c: reads gzip files: the container, and all of a file into memory. Source: RFC 1952. */
#include "gunzip.h"

#include "allocator.h"

enum {
    FLAG_TEXT = 1,
    FLAG_HEADER_CRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    FLAGS_RESERVED = 0xE0,

    /* No byte of DEFLATE makes more than 1032 bytes: a match of 258 from two bits. What a trailer claims beyond that is
     * not believed. */
    MAX_EXPANSION = 1032,
};

typedef int refill_function(struct deflate_inflater *inflater);

/* A header being read byte by byte; the first error sticks. */
struct header_reader {
    struct deflate_inflater *inflater;
    refill_function *refill;
    int status;
    uint32_t crc;
};

static uint8_t next_byte(struct header_reader *reader) {
    struct deflate_inflater *inflater = reader->inflater;
    if (!reader->status && inflater->in_next == inflater->in_end) reader->status = reader->refill(inflater);
    if (reader->status) return 0;
    reader->crc = fino_crc32(reader->crc, inflater->in_next, 1);
    return *inflater->in_next++;
}

static uint32_t next_number(struct header_reader *reader, unsigned nbytes) {
    uint32_t number = 0;
    for (unsigned i = 0; i < nbytes; i++)
        number |= (uint32_t)next_byte(reader) << (8 * i);
    return number;
}

/* Passes over NBYTES, and returns where they are. */
static const void *next_bytes(struct header_reader *reader, uint32_t nbytes) {
    const void *bytes = reader->inflater->in_next;
    for (; nbytes > 0 && !reader->status; nbytes--)
        next_byte(reader);
    return bytes;
}

/* The same for a text, which a zero ends. */
static const char *next_text(struct header_reader *reader) {
    const void *text = reader->inflater->in_next;
    while (next_byte(reader)) {
    }
    return text;
}

int deflate_gunzip_read_header(struct deflate_inflater *inflater, refill_function *refill,
                               struct fino_gzip_header *header_out) {
    struct header_reader reader = {inflater, refill, 0, 0};
    struct fino_gzip_header header = {0};
    uint32_t magic = next_number(&reader, 2);
    uint8_t method, flags;

    if (!reader.status && magic != 0x8B1F) return FINO_INFLATE_BAD_HEADER;
    method = next_byte(&reader);
    flags = next_byte(&reader);
    if (reader.status) return reader.status;
    if (method != 8 || (flags & FLAGS_RESERVED)) return FINO_INFLATE_BAD_HEADER;
    header.is_text = flags & FLAG_TEXT;
    header.mtime = next_number(&reader, 4);
    next_number(&reader, 2); /* extra flags, operating system */
    if (flags & FLAG_EXTRA) {
        header.extra_nbytes = (uint16_t)next_number(&reader, 2);
        header.extra = next_bytes(&reader, header.extra_nbytes);
    }
    if (flags & FLAG_NAME) header.name = next_text(&reader);
    if (flags & FLAG_COMMENT) header.comment = next_text(&reader);
    if (flags & FLAG_HEADER_CRC) {
        uint32_t crc = reader.crc & 0xFFFF, expected = next_number(&reader, 2);
        if (!reader.status && crc != expected) return FINO_INFLATE_BAD_HEADER_CRC;
        header.has_header_crc = true;
    }
    if (header_out) *header_out = header;
    return reader.status;
}

int deflate_gunzip_read_trailer(struct deflate_inflater *inflater, refill_function *refill, uint32_t crc,
                                uint32_t nbytes) {
    struct header_reader reader = {inflater, refill, 0, 0};
    uint32_t expected_crc = next_number(&reader, 4), expected_nbytes = next_number(&reader, 4);
    if (reader.status) return reader.status;
    if (crc != expected_crc) return FINO_INFLATE_BAD_CRC;
    return nbytes == expected_nbytes ? 0 : FINO_INFLATE_BAD_SIZE;
}

int deflate_gunzip_read_between(struct deflate_inflater *inflater, refill_function *refill, bool *again_out) {
    bool has_zeros = false;
    *again_out = false;
    for (;; inflater->in_next++, has_zeros = true) {
        if (inflater->in_next == inflater->in_end) {
            int status = refill(inflater);
            if (status) return status == FINO_INFLATE_TRUNCATED ? 0 : status;
        }
        if (*inflater->in_next != 0) break;
    }
    if (has_zeros || *inflater->in_next != 0x1F) return FINO_INFLATE_TRAILING_DATA;
    *again_out = true;
    return 0;
}

static int no_refill(struct deflate_inflater *inflater) {
    (void)inflater;
    return FINO_INFLATE_TRUNCATED;
}

enum fino_inflate_status fino_gzip_read_header(const void *in, size_t in_nbytes, struct fino_gzip_header *header_out,
                                               size_t *nbytes_out) {
    struct deflate_inflater inflater = {.in_next = in, .in_end = end_of(in, in_nbytes)};
    struct fino_gzip_header header;
    int status = deflate_gunzip_read_header(&inflater, no_refill, &header);
    *header_out = status ? (struct fino_gzip_header){0} : header;
    *nbytes_out = status ? 0 : (size_t)(inflater.in_next - (const uint8_t *)in);
    return (enum fino_inflate_status)status;
}

/* The growing output of fino_gzip_decompress. */
struct output {
    struct fino_allocator memory;
    uint8_t *bytes;
    size_t capacity;
    size_t max_nbytes;
};

/* Resizes to CAPACITY, keeping NBYTES. Returns 0 or a status. */
static int output_resize(struct output *output, size_t capacity, size_t nbytes) {
    uint8_t *bytes = NULL;
    if (capacity) {
        bytes = output->memory.alloc(output->memory.context, capacity);
        if (!bytes) return FINO_INFLATE_NO_MEMORY;
        if (nbytes) memcpy(bytes, output->bytes, nbytes);
    }
    if (output->bytes) output->memory.free(output->memory.context, output->bytes, output->capacity);
    output->bytes = bytes;
    output->capacity = capacity;
    return 0;
}

static int output_grow(struct output *output, struct deflate_inflater *inflater, size_t member_start) {
    size_t nbytes = (size_t)(inflater->out_next - output->bytes), capacity = output->capacity;
    int status;
    if (capacity >= output->max_nbytes) return FINO_INFLATE_OUTPUT_FULL;
    capacity = capacity < output->max_nbytes / 2 ? 2 * capacity : output->max_nbytes;
    status = output_resize(output, capacity, nbytes);
    if (status) return status;
    inflater->out_begin = output->bytes + member_start;
    inflater->out_next = output->bytes + nbytes;
    inflater->out_end = output->bytes + output->capacity;
    return 0;
}

static int read_member(struct deflate_inflater *inflater, struct output *output) {
    size_t start = (size_t)(inflater->out_next - output->bytes), nbytes;
    int status = deflate_gunzip_read_header(inflater, no_refill, NULL);
    if (status) return status;
    deflate_inflate_start(inflater);
    inflater->out_begin = inflater->out_next;
    while ((status = deflate_inflate_run(inflater)) == INFLATE_NEED_OUTPUT) {
        status = output_grow(output, inflater, start);
        if (status) return status;
    }
    if (status) return status;
    nbytes = (size_t)(inflater->out_next - inflater->out_begin);
    return deflate_gunzip_read_trailer(inflater, no_refill, fino_crc32(0, inflater->out_begin, nbytes),
                                       (uint32_t)nbytes);
}

/* How much to allocate at first: what the last trailer claims, as far as that is possible. */
static size_t first_capacity(const uint8_t *in, size_t in_nbytes, size_t max_nbytes) {
    size_t claimed = in_nbytes >= 4 ? load_le32(in + in_nbytes - 4) : 0;
    if (in_nbytes < SIZE_MAX / MAX_EXPANSION) claimed = min_size(claimed, in_nbytes * MAX_EXPANSION);
    if (claimed < 64) claimed = 64;
    return min_size(claimed, max_nbytes);
}

enum fino_inflate_status fino_gzip_decompress(const struct fino_allocator *allocator, const void *in, size_t in_nbytes,
                                              size_t max_out_nbytes, void **out_out, size_t *out_nbytes_out) {
    struct output output = {.memory = deflate_allocator(allocator), .max_nbytes = max_out_nbytes};
    struct deflate_inflater inflater;
    bool again = true;
    size_t nbytes;
    int status;

    *out_out = NULL;
    *out_nbytes_out = 0;
    if (!fino_is_gzip(in, in_nbytes)) return in_nbytes < 2 ? FINO_INFLATE_TRUNCATED : FINO_INFLATE_BAD_HEADER;
    status = output_resize(&output, first_capacity(in, in_nbytes, max_out_nbytes), 0);
    inflater.in_next = in;
    inflater.in_end = inflater.in_next + in_nbytes;
    inflater.in_is_last = true;
    inflater.out_next = output.bytes;
    inflater.out_end = (uint8_t *)(uintptr_t)end_of(output.bytes, output.capacity);
    while (!status && again) {
        status = read_member(&inflater, &output);
        if (!status) status = deflate_gunzip_read_between(&inflater, no_refill, &again);
    }
    nbytes = status ? 0 : (size_t)(inflater.out_next - output.bytes);
    if (!status && nbytes < output.capacity) status = output_resize(&output, nbytes, nbytes);
    if (status) {
        if (output.bytes) output.memory.free(output.memory.context, output.bytes, output.capacity);
        return (enum fino_inflate_status)status;
    }
    *out_out = output.bytes;
    *out_nbytes_out = nbytes;
    return FINO_INFLATE_OK;
}

bool fino_is_gzip(const void *in, size_t in_nbytes) {
    const uint8_t *bytes = in;
    return in_nbytes >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

const char *fino_inflate_status_text(enum fino_inflate_status status) {
    static const char *const texts[] = {
        [FINO_INFLATE_OK] = "no error",
        [FINO_INFLATE_TRUNCATED] = "the data ends too early",
        [FINO_INFLATE_BAD_BLOCK_TYPE] = "a block has a type that does not exist",
        [FINO_INFLATE_BAD_STORED_LENGTH] = "a stored block's length contradicts its complement",
        [FINO_INFLATE_BAD_CODE_LENGTHS] = "a block's list of code lengths is invalid",
        [FINO_INFLATE_OVERSUBSCRIBED_CODE] = "a Huffman code has too many codewords",
        [FINO_INFLATE_INCOMPLETE_CODE] = "a Huffman code has too few codewords",
        [FINO_INFLATE_NO_END_OF_BLOCK] = "a Huffman code can't end its block",
        [FINO_INFLATE_BAD_SYMBOL] = "a codeword means nothing",
        [FINO_INFLATE_OFFSET_TOO_FAR] = "a match begins before the data",
        [FINO_INFLATE_OUTPUT_FULL] = "the data is larger than allowed",
        [FINO_INFLATE_BAD_HEADER] = "the gzip header is invalid",
        [FINO_INFLATE_BAD_HEADER_CRC] = "the gzip header's checksum is wrong",
        [FINO_INFLATE_BAD_CRC] = "the checksum is wrong",
        [FINO_INFLATE_BAD_SIZE] = "the size is not the one recorded",
        [FINO_INFLATE_TRAILING_DATA] = "something follows the compressed data",
        [FINO_INFLATE_NO_MEMORY] = "memory is short",
        [FINO_INFLATE_READ_ERROR] = "the source of the data failed",
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}
