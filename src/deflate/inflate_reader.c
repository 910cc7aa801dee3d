/* inflate_reader.c: decodes from a source into any number of small pieces, in a fixed amount of memory. The decoded
 * bytes go through a window: its first 32 KiB are history, what follows is new. Those of stored blocks do not: they go
 * straight to the caller, and into the window only as far as matches may reach back to them. */
#include "allocator.h"
#include "gunzip.h"

enum {
    IN_NBYTES = 16384, /* more than INFLATE_HEADER_NBYTES, since a block header is parsed whole */
    NEW_NBYTES = 65536,
    OUT_NBYTES = DEFLATE_WINDOW + NEW_NBYTES,
};

enum phase { PHASE_HEADER, PHASE_DATA, PHASE_TRAILER, PHASE_END };

struct fino_inflate_reader {
    struct deflate_inflater inflater; /* first: refill() gets from it to the reader */
    struct fino_allocator memory;
    ptrdiff_t (*read)(void *context, void *buffer, size_t nbytes);
    void *context;
    bool is_gzip;
    enum phase phase;
    int status;               /* the first error; sticks */
    uint32_t crc;             /* of the member so far */
    uint32_t member_nbytes;   /* modulo 2^32 */
    const uint8_t *delivered; /* up to here the output has been handed out */
    uint8_t in[IN_NBYTES];
    uint8_t out[OUT_NBYTES];
};

/* Keeps what is left of the input and reads more behind it. Returns 0, TRUNCATED at the end, or READ_ERROR. */
static int refill(struct deflate_inflater *inflater) {
    fino_inflate_reader *reader = (fino_inflate_reader *)inflater;
    size_t left = (size_t)(inflater->in_end - inflater->in_next);
    ptrdiff_t got;
    if (inflater->in_is_last) return FINO_INFLATE_TRUNCATED;
    memmove(reader->in, inflater->in_next, left);
    got = reader->read(reader->context, reader->in + left, sizeof reader->in - left);
    inflater->in_next = reader->in;
    inflater->in_end = reader->in + left;
    if (got < 0 || (size_t)got > sizeof reader->in - left) return FINO_INFLATE_READ_ERROR;
    inflater->in_end += got;
    inflater->in_is_last = got == 0;
    return got ? 0 : FINO_INFLATE_TRUNCATED;
}

/* Begins a stream or a member in the window. */
static void start_data(fino_inflate_reader *reader) {
    deflate_inflate_start(&reader->inflater);
    reader->inflater.out_begin = reader->inflater.out_next = reader->out;
    reader->inflater.out_end = reader->out + sizeof reader->out;
    reader->inflater.leaves_stored = true;
    reader->delivered = reader->out;
    reader->crc = 0;
    reader->member_nbytes = 0;
    reader->phase = PHASE_DATA;
}

/* Counts what was decoded towards the member's trailer. */
static void count(fino_inflate_reader *reader, const uint8_t *bytes, size_t nbytes) {
    if (!reader->is_gzip) return;
    reader->crc = fino_crc32(reader->crc, bytes, nbytes);
    reader->member_nbytes += (uint32_t)nbytes;
}

/* Moves the history to the window's beginning when there is no room for NBYTES behind it. All has been delivered. */
static void slide(fino_inflate_reader *reader, size_t nbytes) {
    struct deflate_inflater *inflater = &reader->inflater;
    if ((size_t)(inflater->out_end - inflater->out_next) >= nbytes) return;
    memmove(reader->out, inflater->out_next - DEFLATE_WINDOW, DEFLATE_WINDOW);
    inflater->out_next = reader->out + DEFLATE_WINDOW;
    reader->delivered = inflater->out_next;
}

/* Decodes until the window is full, a stored block has something, or the data ends. */
static int decode(fino_inflate_reader *reader) {
    struct deflate_inflater *inflater = &reader->inflater;
    const uint8_t *start;
    int status;
    slide(reader, 1);
    start = inflater->out_next;
    do {
        status = deflate_inflate_run(inflater);
        if (status != INFLATE_NEED_INPUT) break;
        status = refill(inflater);
        if (status == FINO_INFLATE_TRUNCATED) status = 0; /* in_is_last makes the decoder tell, unless bits are left */
    } while (!status);
    count(reader, start, (size_t)(inflater->out_next - start));
    if (status == 0) reader->phase = reader->is_gzip ? PHASE_TRAILER : PHASE_END;
    return status < 0 ? 0 : status;
}

/* Adds what has been delivered to the history. */
static void remember(fino_inflate_reader *reader, const uint8_t *bytes, size_t nbytes) {
    if (nbytes >= DEFLATE_WINDOW) {
        bytes += nbytes - DEFLATE_WINDOW;
        nbytes = DEFLATE_WINDOW;
        reader->inflater.out_next = reader->out;
    }
    slide(reader, nbytes);
    memcpy(reader->inflater.out_next, bytes, nbytes);
    reader->inflater.out_next += nbytes;
    reader->delivered = reader->inflater.out_next;
}

/* Takes up to NBYTES, not 0, of what a stored block holds: from the input that is there, else from the source, past IN
 * when that would be full. *NBYTES_OUT is how many. */
static int take_stored(fino_inflate_reader *reader, uint8_t *out, size_t nbytes, size_t *nbytes_out) {
    struct deflate_inflater *inflater = &reader->inflater;
    ptrdiff_t got;
    *nbytes_out = 0;
    if (inflater->in_next == inflater->in_end && (inflater->in_is_last || nbytes < sizeof reader->in)) {
        int status = refill(inflater);
        if (status) return status;
    }
    if (inflater->in_next < inflater->in_end) {
        *nbytes_out = min_size(nbytes, (size_t)(inflater->in_end - inflater->in_next));
        memcpy(out, inflater->in_next, *nbytes_out);
        inflater->in_next += *nbytes_out;
        return 0;
    }
    got = reader->read(reader->context, out, nbytes);
    if (got < 0 || (size_t)got > nbytes) return FINO_INFLATE_READ_ERROR;
    inflater->in_is_last = got == 0;
    *nbytes_out = (size_t)got;
    return got ? 0 : FINO_INFLATE_TRUNCATED;
}

/* Copies a stored block to OUT until it ends or NBYTES are there. *NBYTES_OUT is how many are. */
static int copy_stored(fino_inflate_reader *reader, uint8_t *out, size_t nbytes, size_t *nbytes_out) {
    size_t wanted = min_size(reader->inflater.left, nbytes), total = 0, got;
    int status = 0;
    while (total < wanted && !status) {
        status = take_stored(reader, out + total, wanted - total, &got);
        total += got;
    }
    deflate_inflate_skip_stored(&reader->inflater, total);
    count(reader, out, total);
    remember(reader, out, total);
    *nbytes_out = total;
    return status;
}

/* Does one step of whatever comes next. */
static int advance(fino_inflate_reader *reader) {
    struct deflate_inflater *inflater = &reader->inflater;
    bool again;
    int status;
    switch (reader->phase) {
        case PHASE_HEADER:
            status = deflate_gunzip_read_header(inflater, refill, NULL);
            if (!status) start_data(reader);
            return status;
        case PHASE_DATA: return decode(reader);
        case PHASE_TRAILER:
            status = deflate_gunzip_read_trailer(inflater, refill, reader->crc, reader->member_nbytes);
            if (!status) status = deflate_gunzip_read_between(inflater, refill, &again);
            if (!status) reader->phase = again ? PHASE_HEADER : PHASE_END;
            return status;
        default: return 0;
    }
}

enum fino_inflate_status fino_inflate_reader_read(fino_inflate_reader *reader, void *out, size_t nbytes,
                                                  size_t *nbytes_out) {
    uint8_t *next = out;
    for (;;) {
        size_t got = min_size((size_t)(reader->inflater.out_next - reader->delivered), nbytes);
        if (got) {
            memcpy(next, reader->delivered, got);
            reader->delivered += got;
            next += got;
            nbytes -= got;
        }
        if (nbytes == 0 || reader->status || reader->phase == PHASE_END) break;
        if (reader->phase == PHASE_DATA && reader->inflater.state == INFLATE_IN_STORED) {
            reader->status = copy_stored(reader, next, nbytes, &got);
            next += got;
            nbytes -= got;
        } else {
            reader->status = advance(reader);
        }
    }
    *nbytes_out = (size_t)(next - (uint8_t *)out);
    if (reader->delivered != reader->inflater.out_next) return FINO_INFLATE_OK; /* an error comes after these */
    return (enum fino_inflate_status)reader->status;
}

fino_inflate_reader *fino_inflate_reader_new(const struct fino_inflate_reader_config *config) {
    struct fino_allocator memory = deflate_allocator(config->allocator);
    fino_inflate_reader *reader = memory.alloc(memory.context, sizeof *reader);
    if (!reader) return NULL;
    reader->memory = memory;
    reader->read = config->read;
    reader->context = config->context;
    reader->is_gzip = config->is_gzip;
    reader->status = 0;
    reader->inflater.in_next = reader->inflater.in_end = reader->in;
    reader->inflater.in_is_last = false;
    start_data(reader);
    if (config->is_gzip) reader->phase = PHASE_HEADER;
    return reader;
}

void fino_inflate_reader_free(fino_inflate_reader *reader) {
    struct fino_allocator memory;
    if (!reader) return;
    memory = reader->memory;
    memory.free(memory.context, reader, sizeof *reader);
}
