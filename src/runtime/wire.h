/* wire.h: what Realms of different processes say to one another: frames over a stream of bytes.
 *
 *   frame:    u32 nbytes of the body | u8 type | u8 0 | u16 0 | u32 channel | body
 *   MESSAGE:  u32 count, u32 channel each: the ports that move with it | u32 count, u64 nbytes each: its parts | parts
 *
 * All numbers are little-endian. A channel is a port on one side that speaks for one on the other: 0 is the control
 * port, 1 the Realm's; of all others the owner's side allots the even ones, the Realm's the odd ones, none of them
 * twice. The parts of a message are V8's serialisation of the value and the bytes of each ArrayBuffer that was
 * transferred.
 *
 * Over a network (realm_host.h) a greeting comes first, so that nobody parses a stranger's frames.
 *
 * Inputs: what is read may be anything. A reader that ran past the end, or met what can't be, gives zeros and
 * remembers. Threads: any; a buffer or reader belongs to its caller.
 */
#ifndef FINO_RT_WIRE_H
#define FINO_RT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/v8_shim.h"

#define RT_WIRE_VERSION 1u /* changes with anything that this page says */

/* Channels. */
#define RT_WIRE_CONTROL 0u
#define RT_WIRE_PORT 1u
#define RT_WIRE_FIRST_ALLOTTED 2u

#define RT_WIRE_HEADER_NBYTES 12u
/* Of a frame's body: by then a message costs more memory than whoever gets it may have. */
#define RT_WIRE_BODY_NBYTES_MAX (1u << 30)
/* Of a message, by v8s_message_nbytes: with all that a frame has beside it, it fits into one. */
#define RT_WIRE_MESSAGE_NBYTES_MAX (RT_WIRE_BODY_NBYTES_MAX - (1u << 20))
#define RT_WIRE_PORTS_MAX 1024u
#define RT_WIRE_PARTS_MAX 65536u

enum rt_wire_type {
    RT_WIRE_PLAN = 1, /* owner: what to make (plan_wire.h); the first frame, once */
    RT_WIRE_MESSAGE,  /* both */
    RT_WIRE_CLOSE,    /* both: nothing more comes on this channel, and nothing is wanted */
    RT_WIRE_STOP,     /* owner: end soon, but properly */
    RT_WIRE_END,      /* Realm: how it ended (plan_wire.h); its last frame */
    RT_WIRE_ALIVE,    /* both: nothing new */
};

struct rt_wire_header {
    uint32_t body_nbytes;
    enum rt_wire_type type;
    uint32_t channel;
};

/* ---- Writing ---- */

struct rt_wire_buffer {
    uint8_t *bytes; /* to free */
    size_t nbytes, capacity;
};
void rt_wire_put_u32(struct rt_wire_buffer *buffer, uint32_t value);
void rt_wire_put_u64(struct rt_wire_buffer *buffer, uint64_t value);
void rt_wire_put_bytes(struct rt_wire_buffer *buffer, const void *bytes, size_t nbytes);
void rt_wire_put_text(struct rt_wire_buffer *buffer, const char *text); /* NULL: another thing than "" */
/* Of a message that can't leave the process (NULL, too): one that nobody can read comes out. */
void rt_wire_put_message(struct rt_wire_buffer *buffer, const v8s_message *message);

/* Begins a frame in BUFFER; what is put then is its body, until rt_wire_end_frame(START). Returns START. */
size_t rt_wire_begin_frame(struct rt_wire_buffer *buffer, enum rt_wire_type type, uint32_t channel);
/* Returns: false if the body is too large for a frame; then the frame is taken back. */
bool rt_wire_end_frame(struct rt_wire_buffer *buffer, size_t start);

/* ---- Reading ---- */

struct rt_wire_reader {
    const uint8_t *at, *end;
    bool is_bad;
};
uint32_t rt_wire_get_u32(struct rt_wire_reader *reader);
uint64_t rt_wire_get_u64(struct rt_wire_reader *reader);
/* NULL: there aren't so many. */
const uint8_t *rt_wire_get_bytes(struct rt_wire_reader *reader, size_t nbytes);
char *rt_wire_get_text(struct rt_wire_reader *reader); /* to free; NULL: it was, or bad */
/* To free; NULL: bad. What V8 thinks of its bytes is found out by v8s_message_read. */
v8s_message *rt_wire_get_message(struct rt_wire_reader *reader);

/* The header in the RT_WIRE_HEADER_NBYTES bytes at BYTES. Returns: false if it can't be one. */
bool rt_wire_get_header(const uint8_t *bytes, struct rt_wire_header *header_out);

#endif
