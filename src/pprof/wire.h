/* wire.h: the protobuf wire format, writing half first. https://protobuf.dev/programming-guides/encoding/
 *
 * A writer without a buffer only counts, so one function per message both measures and writes it and the two can't
 * disagree. Nothing here checks for room: buffers are allocated from a count.
 */
#ifndef FINO_PPROF_WIRE_H
#define FINO_PPROF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static inline void wire_bytes(struct pprof_writer *writer, uint32_t field, const void *bytes, size_t nbytes) {
    wire_head(writer, field, nbytes);
    if (writer->out && nbytes) memcpy(writer->out + writer->nbytes, bytes, nbytes);
    writer->nbytes += nbytes;
}

#endif
