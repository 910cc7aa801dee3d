/* port.h: pairs of ports: what is posted to one comes out of the other, in order, from one Realm to another or the
 * same.
 *
 * A port belongs to whoever holds it: a Realm's JavaScript, or a parcel that is under way. Nothing is lost when it
 * moves: what was posted to it waits in it.
 *
 * Threads: a port's functions on the thread of its holder; the two ports of a pair may have holders on two threads.
 */
#ifndef FINO_RT_PORT_H
#define FINO_RT_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/loop.h"
#include "runtime/v8_shim.h"

struct rt_port;

/* How much of one sender's waits in ports, or is under way. Reference counted; any thread. */
struct rt_allowance;
struct rt_allowance *rt_allowance_new(void);
void rt_allowance_release(struct rt_allowance *allowance); /* NULL is fine */
size_t rt_allowance_used(const struct rt_allowance *allowance);

/* A message with the ports that move with it. */
struct rt_parcel {
    struct rt_parcel *next; /* the port's */
    v8s_message *message;
    struct rt_port **ports; /* NULL: taken out */
    size_t port_count;
    struct rt_allowance *allowance; /* NULL: nobody counts it */
    size_t nbytes;                  /*   as so much */
};
/* Takes MESSAGE, and PORTS as a copy of the array. */
struct rt_parcel *rt_parcel_new(v8s_message *message, struct rt_port *const *ports, size_t port_count);
/* Counts PARCEL until it is freed. Returns what of the same sender waits now, in bytes. */
size_t rt_parcel_count(struct rt_parcel *parcel, struct rt_allowance *allowance);
/* Frees the message and closes the ports. NULL is fine. */
void rt_parcel_free(struct rt_parcel *parcel);

void rt_port_pair(struct rt_port *pair_out[2]);

/* Closes PORT: what waits in it is thrown away; the other one gets what was posted, then learns that it is alone. NULL
 * is fine. */
void rt_port_free(struct rt_port *port);

/* Takes PARCEL; to a port whose other end is closed it is lost. */
void rt_port_post(struct rt_port *port, struct rt_parcel *parcel);

/* From now on ON_READY(CONTEXT) is called in LOOP whenever there is something to take. */
void rt_port_attach(struct rt_port *port, struct rt_loop *loop, void (*on_ready)(void *context), void *context);
/* Not any more: ON_READY is not called after this. */
void rt_port_detach(struct rt_port *port);

/* The oldest parcel, or NULL: nothing is there; *CLOSED_OUT: nor will be. */
struct rt_parcel *rt_port_take(struct rt_port *port, bool *closed_out);
/* Call ON_READY again soon: the holder has left something in the port to let others have their turn. */
void rt_port_again(struct rt_port *port);

/* What is posted to its other end will leave the process. Any thread. */
void rt_port_leaves_process(struct rt_port *port);
/* Does what is posted to PORT? */
bool rt_port_is_far(const struct rt_port *port);

/* Are they the two ends of one pair? */
bool rt_port_is_other_end(const struct rt_port *a, const struct rt_port *b);

#endif
