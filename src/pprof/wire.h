/* wire.h: the protobuf wire format. https://protobuf.dev/programming-guides/encoding/
 *
 * A writer without a buffer only counts, so one function per message both measures and writes it and the two can't
 * disagree. Writing does not check for room: buffers are allocated from a count.
 *
 * A reading cursor checks everything and latches the first error: loops end as if the input did, and who started them
 * looks at ERROR once.
 */
#ifndef FINO_PPROF_WIRE_H
#define FINO_PPROF_WIRE_H

#include "pprof/platform.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_GROUP = 3, WIRE_GROUP_END = 4, WIRE_FIXED32 = 5 };

#define WIRE_VARINT_NBYTES_MAX 10

struct pprof_writer {
    uint8_t *out; /* NULL: only count */
    size_t nbytes;
};

static inline size_t wire_varint_nbytes(uint64_t value) {
    size_t nbytes = 1;
    while (value >= 0x80)
        value >>= 7, nbytes++;
    return nbytes;
}

static inline uint8_t *wire_put_varint(uint8_t *out, uint64_t value) {
    while (value >= 0x80)
        *out++ = (uint8_t)(value | 0x80), value >>= 7;
    *out++ = (uint8_t)value;
    return out;
}

static inline void wire_varint(struct pprof_writer *writer, uint64_t value) {
    if (writer->out)
        writer->nbytes = (size_t)(wire_put_varint(writer->out + writer->nbytes, value) - writer->out);
    else
        writer->nbytes += wire_varint_nbytes(value);
}

static inline void wire_tag(struct pprof_writer *writer, uint32_t field, uint32_t type) {
    wire_varint(writer, field << 3 | type);
}

/* The head of a field whose NBYTES of content follow. */
static inline void wire_head(struct pprof_writer *writer, uint32_t field, size_t nbytes) {
    wire_tag(writer, field, WIRE_BYTES);
    wire_varint(writer, nbytes);
}

/* A varint field; 0 is the default and not written. */
static inline void wire_field(struct pprof_writer *writer, uint32_t field, uint64_t value) {
    if (value == 0) return;
    wire_tag(writer, field, WIRE_VARINT);
    wire_varint(writer, value);
}

static inline void wire_raw(struct pprof_writer *writer, const void *bytes, size_t nbytes) {
    if (writer->out && nbytes) memcpy(writer->out + writer->nbytes, bytes, nbytes);
    writer->nbytes += nbytes;
}

static inline void wire_bytes(struct pprof_writer *writer, uint32_t field, const void *bytes, size_t nbytes) {
    wire_head(writer, field, nbytes);
    wire_raw(writer, bytes, nbytes);
}

/* ---- Reading ---- */

struct pprof_cursor {
    const uint8_t *at;
    const uint8_t *end;
    const char *error; /* NULL, or what is wrong at AT */
};

struct pprof_field {
    uint32_t number;
    uint32_t type;
    uint64_t value;       /* of a varint or fixed field */
    const uint8_t *bytes; /* of a field of type WIRE_BYTES */
    size_t nbytes;
};

static inline bool wire_fail(struct pprof_cursor *cursor, const char *error) {
    cursor->error = error;
    return false;
}

static inline bool wire_at_end(const struct pprof_cursor *cursor) {
    return cursor->error || cursor->at == cursor->end;
}

/* Returns: the next varint, or 0 with the error latched. */
static inline uint64_t wire_read_varint(struct pprof_cursor *cursor) {
    uint64_t value = 0;
    const uint8_t *at = cursor->at;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at == cursor->end) return wire_fail(cursor, "ends inside a varint");
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            cursor->at = at;
            return value;
        }
    }
    return wire_fail(cursor, "has a varint of more than 64 bits");
}

static inline uint64_t wire_read_fixed(struct pprof_cursor *cursor, size_t nbytes) {
    uint64_t value = 0;
    if ((size_t)(cursor->end - cursor->at) < nbytes) return wire_fail(cursor, "ends inside a fixed-size number");
    for (size_t i = 0; i < nbytes; i++)
        value |= (uint64_t)*cursor->at++ << (8 * i);
    return value;
}

/* Reads the next field. Returns: false at the end and on errors. */
static inline bool wire_next(struct pprof_cursor *cursor, struct pprof_field *field) {
    if (wire_at_end(cursor)) return false;
    const uint8_t *begin = cursor->at;
    uint64_t tag = wire_read_varint(cursor);
    if (cursor->error) return false;
    *field = (struct pprof_field){.number = (uint32_t)(tag >> 3), .type = tag & 7};
    if (tag >> 3 == 0 || tag >> 3 >= UINT32_C(1) << 29) {
        cursor->at = begin;
        return wire_fail(cursor, "has a field number out of range");
    }
    switch (field->type) {
        case WIRE_VARINT: field->value = wire_read_varint(cursor); break;
        case WIRE_FIXED64: field->value = wire_read_fixed(cursor, 8); break;
        case WIRE_FIXED32: field->value = wire_read_fixed(cursor, 4); break;
        case WIRE_BYTES: {
            uint64_t nbytes = wire_read_varint(cursor);
            if (cursor->error) return false;
            if (nbytes > (size_t)(cursor->end - cursor->at)) return wire_fail(cursor, "has a length beyond its end");
            field->bytes = cursor->at;
            field->nbytes = (size_t)nbytes;
            cursor->at += field->nbytes;
            break;
        }
        default: cursor->at = begin; return wire_fail(cursor, "has a field of an unknown wire type");
    }
    return !cursor->error;
}

/* The content of a WIRE_BYTES field, as a message or as packed numbers. */
static inline struct pprof_cursor wire_content(const struct pprof_field *field) {
    return (struct pprof_cursor){.at = field->bytes, .end = field->bytes + field->nbytes};
}

#endif
