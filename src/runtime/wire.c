/* wire.c: see wire.h. Owns the bytes of frames; sockets are link.c's. */
#include "runtime/wire.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"

#define NO_TEXT UINT32_MAX

/* ---- Writing ---- */

static uint8_t *extend(struct rt_wire_buffer *buffer, size_t nbytes) {
    size_t needed = buffer->nbytes + nbytes;
    if (needed > buffer->capacity) {
        size_t capacity = buffer->capacity * 2 > needed ? buffer->capacity * 2 : needed;
        buffer->bytes = rt_must(realloc(buffer->bytes, capacity));
        buffer->capacity = capacity;
    }
    uint8_t *at = buffer->bytes + buffer->nbytes;
    buffer->nbytes = needed;
    return at;
}

static void write_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void rt_wire_put_u32(struct rt_wire_buffer *buffer, uint32_t value) {
    write_u32(extend(buffer, 4), value);
}

void rt_wire_put_u64(struct rt_wire_buffer *buffer, uint64_t value) {
    rt_wire_put_u32(buffer, (uint32_t)value);
    rt_wire_put_u32(buffer, (uint32_t)(value >> 32));
}

void rt_wire_put_bytes(struct rt_wire_buffer *buffer, const void *bytes, size_t nbytes) {
    if (nbytes > 0) memcpy(extend(buffer, nbytes), bytes, nbytes);
}

void rt_wire_put_text(struct rt_wire_buffer *buffer, const char *text) {
    size_t nbytes = text ? strlen(text) : 0;
    rt_wire_put_u32(buffer, text && nbytes < NO_TEXT ? (uint32_t)nbytes : NO_TEXT);
    rt_wire_put_bytes(buffer, text, nbytes);
}

void rt_wire_put_message(struct rt_wire_buffer *buffer, const v8s_message *message) {
    bool can_leave = message && v8s_message_can_leave(message);
    size_t count = can_leave ? v8s_message_part_count(message) : 0, nbytes;
    rt_wire_put_u32(buffer, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        v8s_message_part(message, i, &nbytes);
        rt_wire_put_u64(buffer, nbytes);
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = v8s_message_part(message, i, &nbytes);
        rt_wire_put_bytes(buffer, bytes, nbytes);
    }
}

size_t rt_wire_begin_frame(struct rt_wire_buffer *buffer, enum rt_wire_type type, uint32_t channel) {
    size_t start = buffer->nbytes;
    rt_wire_put_u32(buffer, 0);
    rt_wire_put_u32(buffer, type);
    rt_wire_put_u32(buffer, channel);
    return start;
}

bool rt_wire_end_frame(struct rt_wire_buffer *buffer, size_t start) {
    size_t nbytes = buffer->nbytes - start - RT_WIRE_HEADER_NBYTES;
    if (nbytes > RT_WIRE_BODY_NBYTES_MAX) {
        buffer->nbytes = start;
        return false;
    }
    write_u32(buffer->bytes + start, (uint32_t)nbytes);
    return true;
}

/* ---- Reading ---- */

const uint8_t *rt_wire_get_bytes(struct rt_wire_reader *reader, size_t nbytes) {
    if (reader->is_bad || nbytes > (size_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += nbytes;
    return bytes;
}

uint32_t rt_wire_get_u32(struct rt_wire_reader *reader) {
    const uint8_t *bytes = rt_wire_get_bytes(reader, 4);
    uint32_t value = 0;
    for (int i = 0; bytes && i < 4; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

uint64_t rt_wire_get_u64(struct rt_wire_reader *reader) {
    uint64_t low = rt_wire_get_u32(reader);
    return low | (uint64_t)rt_wire_get_u32(reader) << 32;
}

char *rt_wire_get_text(struct rt_wire_reader *reader) {
    uint32_t nbytes = rt_wire_get_u32(reader);
    if (nbytes == NO_TEXT) return NULL;
    const uint8_t *bytes = rt_wire_get_bytes(reader, nbytes);
    if (bytes && memchr(bytes, 0, nbytes)) reader->is_bad = true;
    return bytes && !reader->is_bad ? rt_must(strndup((const char *)bytes, nbytes)) : NULL;
}

v8s_message *rt_wire_get_message(struct rt_wire_reader *reader) {
    uint32_t count = rt_wire_get_u32(reader);
    if (count > RT_WIRE_PARTS_MAX) reader->is_bad = true;
    if (reader->is_bad) return NULL;
    struct rt_wire_reader sizes = *reader;
    if (!rt_wire_get_bytes(reader, count * sizeof(uint64_t))) return NULL;
    v8s_message *message = v8s_message_new();
    for (uint32_t i = 0; i < count; i++) {
        uint64_t nbytes = rt_wire_get_u64(&sizes);
        const uint8_t *bytes = rt_wire_get_bytes(reader, nbytes);
        if (bytes && v8s_message_add_part(message, bytes, nbytes)) continue;
        reader->is_bad = true;
        v8s_message_free(message);
        return NULL;
    }
    return message;
}

bool rt_wire_get_header(const uint8_t *bytes, struct rt_wire_header *header_out) {
    struct rt_wire_reader reader = {bytes, bytes + RT_WIRE_HEADER_NBYTES, false};
    header_out->body_nbytes = rt_wire_get_u32(&reader);
    uint32_t type = rt_wire_get_u32(&reader);
    header_out->type = (enum rt_wire_type)type;
    header_out->channel = rt_wire_get_u32(&reader);
    return type >= RT_WIRE_PLAN && type <= RT_WIRE_ALIVE && header_out->body_nbytes <= RT_WIRE_BODY_NBYTES_MAX;
}
