/* link.h: ports of two processes, entangled over a socket: what is posted to one comes out of its other end there.
 *
 * A link speaks wire.h on a stream socket, in a loop. Each channel is a port that it holds: it posts to it
 * what comes, and sends what the port gets. Ports that move in a message become channels of their own.
 *
 * Threads: the loop's.
 */
#ifndef FINO_RT_LINK_H
#define FINO_RT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/loop.h"
#include "runtime/port.h"
#include "runtime/wire.h"

struct rt_link;

/* Each gets DATA. */
struct rt_link_hooks {
    void *data;
    /* A frame of no channel. */
    void (*on_frame)(void *data, enum rt_wire_type type, struct rt_wire_reader *body);
    /* CHANNEL is no more: the other end of its PORT was closed, on this side, or the peer's was; all that came before
     * is on its way. PORT is the hook's to free. */
    void (*on_closed)(void *data, uint32_t channel, struct rt_port *port);
    /* Nothing comes any more: ERROR is 0 at the end of the stream, else a negative errno; -EPROTO: the peer said what
     * can't be. Once. */
    void (*on_over)(void *data, int error);
};

/* Takes FD. IS_OWNER: which side of wire.h this is. */
struct rt_link *rt_link_new(struct rt_loop *loop, int fd, bool is_owner, const struct rt_link_hooks *hooks);
/* Closes the socket and all ports. Not within a hook. */
void rt_link_free(struct rt_link *link);

/* Takes PORT. */
void rt_link_add_port(struct rt_link *link, uint32_t channel, struct rt_port *port);
/* CHANNEL is no more, without the peer's hearing of it. Returns its port, or NULL: there is no such channel. */
struct rt_port *rt_link_take_port(struct rt_link *link, uint32_t channel);
/* What the ports have got so far is sent before what follows. */
void rt_link_drain(struct rt_link *link);

/* Sends the frame that FILL(CONTEXT) puts the body of; FILL NULL: it has none. Without a connection it is lost. */
void rt_link_send(struct rt_link *link, enum rt_wire_type type,
                  void (*fill)(struct rt_wire_buffer *buffer, const void *context), const void *context);
/* Once all is sent, the peer's stream ends. */
void rt_link_finish(struct rt_link *link);

/* Of what came and nobody took yet, in bytes. */
size_t rt_link_untaken_bytes(const struct rt_link *link);
/* In each turn of the loop, for links that may break without a word (all but those within a machine): tells the peer
 * now and then that this side is there, and is over, with -ETIMEDOUT, when nothing was heard for long. Returns the time
 * to the next call, or -1: there is no need for one. */
int64_t rt_link_look_after(struct rt_link *link);

#endif
