/* port.c: see port.h. A pair shares one lock and one allocation; each end has a queue and, while it is attached, the
 * loop that shall hear of it. A delivery is a task of its own, because a port may move on while one is under way.
 */
#include "runtime/port.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"

struct rt_port {
    struct pair *pair;
    /* The rest is protected by the pair's lock. */
    bool is_closed;
    struct rt_parcel *oldest, **newest;
    struct rt_poster *poster;  /* NULL: not attached */
    struct delivery *delivery; /* under way to POSTER; NULL: none */
    void (*on_ready)(void *context);
    void *context;
};

struct pair {
    pthread_mutex_t mutex;
    atomic_bool is_far; /* one end is held by what takes messages out of the process */
    struct rt_port ports[2];
    unsigned reference_count; /* of open ports */
};

/* PORT is NULL, and the delivery nobody's, once the port was detached. It is changed and read on the loop's thread, and
 * by whoever posts, under the pair's lock, before the loop has it. */
struct delivery {
    struct rt_task task;
    struct rt_port *port;
};

/* ---- Allowances ---- */

struct rt_allowance {
    atomic_int reference_count;
    atomic_size_t used_bytes;
};

struct rt_allowance *rt_allowance_new(void) {
    struct rt_allowance *allowance = rt_must(calloc(1, sizeof *allowance));
    atomic_init(&allowance->reference_count, 1);
    return allowance;
}

void rt_allowance_release(struct rt_allowance *allowance) {
    if (allowance && atomic_fetch_sub(&allowance->reference_count, 1) == 1) free(allowance);
}

size_t rt_allowance_used(const struct rt_allowance *allowance) {
    return atomic_load(&allowance->used_bytes);
}

/* ---- Parcels ---- */

struct rt_parcel *rt_parcel_new(v8s_message *message, struct rt_port *const *ports, size_t port_count) {
    struct rt_parcel *parcel = rt_must(calloc(1, sizeof *parcel));
    parcel->message = message;
    if (port_count == 0) return parcel;
    parcel->ports = rt_must(malloc(port_count * sizeof(struct rt_port *)));
    memcpy(parcel->ports, ports, port_count * sizeof(struct rt_port *));
    parcel->port_count = port_count;
    return parcel;
}

size_t rt_parcel_count(struct rt_parcel *parcel, struct rt_allowance *allowance) {
    atomic_fetch_add(&allowance->reference_count, 1);
    parcel->allowance = allowance;
    parcel->nbytes = sizeof *parcel + v8s_message_nbytes(parcel->message) + parcel->port_count * sizeof(struct pair);
    return atomic_fetch_add(&allowance->used_bytes, parcel->nbytes) + parcel->nbytes;
}

void rt_parcel_free(struct rt_parcel *parcel) {
    if (!parcel) return;
    if (parcel->allowance) atomic_fetch_sub(&parcel->allowance->used_bytes, parcel->nbytes);
    rt_allowance_release(parcel->allowance);
    for (size_t i = 0; i < parcel->port_count; i++)
        rt_port_free(parcel->ports[i]);
    free(parcel->ports);
    v8s_message_free(parcel->message);
    free(parcel);
}

static void free_parcels(struct rt_parcel *parcel) {
    while (parcel) {
        struct rt_parcel *next = parcel->next;
        rt_parcel_free(parcel);
        parcel = next;
    }
}

/* ---- Deliveries ---- */

static void run_delivery(struct rt_loop *loop, struct rt_task *task) {
    struct delivery *delivery = (struct delivery *)task;
    struct rt_port *port = delivery->port; /* detaching happens on this thread */
    (void)loop;
    free(delivery);
    if (!port) return;
    pthread_mutex_lock(&port->pair->mutex);
    port->delivery = NULL;
    pthread_mutex_unlock(&port->pair->mutex);
    port->on_ready(port->context);
}

static void drop_delivery(struct rt_task *task) {
    free(task);
}

/* With the lock. */
static void schedule(struct rt_port *port) {
    if (!port->poster || port->delivery) return;
    struct delivery *delivery = rt_must(calloc(1, sizeof *delivery));
    delivery->task = (struct rt_task){.run = run_delivery, .drop = drop_delivery};
    delivery->port = port;
    port->delivery = delivery;
    if (rt_poster_post(port->poster, &delivery->task)) return;
    port->delivery = NULL;
    free(delivery);
}

/* ---- Ports ---- */

static struct rt_port *other_end(const struct rt_port *port) {
    return &port->pair->ports[port == &port->pair->ports[0]];
}

bool rt_port_is_other_end(const struct rt_port *a, const struct rt_port *b) {
    return other_end(a) == b;
}

void rt_port_leaves_process(struct rt_port *port) {
    atomic_store(&port->pair->is_far, true);
}

bool rt_port_is_far(const struct rt_port *port) {
    return atomic_load(&port->pair->is_far);
}

void rt_port_pair(struct rt_port *pair_out[2]) {
    struct pair *pair = rt_must(calloc(1, sizeof *pair));
    pthread_mutex_init(&pair->mutex, NULL);
    pair->reference_count = 2;
    for (int i = 0; i < 2; i++) {
        pair->ports[i].pair = pair;
        pair->ports[i].newest = &pair->ports[i].oldest;
        pair_out[i] = &pair->ports[i];
    }
}

/* With the lock. Returns what the caller frees without it. */
static struct rt_poster *detach(struct rt_port *port) {
    struct rt_poster *poster = port->poster;
    if (port->delivery) port->delivery->port = NULL;
    port->delivery = NULL;
    port->poster = NULL;
    return poster;
}

void rt_port_free(struct rt_port *port) {
    if (!port) return;
    struct pair *pair = port->pair;
    struct rt_port *other = other_end(port);
    pthread_mutex_lock(&pair->mutex);
    struct rt_poster *poster = detach(port);
    struct rt_parcel *waiting = port->oldest;
    port->oldest = NULL;
    port->is_closed = true;
    if (!other->is_closed) schedule(other);
    bool last = --pair->reference_count == 0;
    pthread_mutex_unlock(&pair->mutex);
    rt_poster_free(poster);
    free_parcels(waiting);
    if (!last) return;
    pthread_mutex_destroy(&pair->mutex);
    free(pair);
}

void rt_port_post(struct rt_port *port, struct rt_parcel *parcel) {
    struct rt_port *other = other_end(port);
    pthread_mutex_lock(&port->pair->mutex);
    bool is_lost = other->is_closed;
    if (!is_lost) {
        parcel->next = NULL;
        *other->newest = parcel;
        other->newest = &parcel->next;
        schedule(other);
    }
    pthread_mutex_unlock(&port->pair->mutex);
    if (is_lost) rt_parcel_free(parcel);
}

void rt_port_attach(struct rt_port *port, struct rt_loop *loop, void (*on_ready)(void *context), void *context) {
    struct rt_poster *poster = rt_loop_poster(loop);
    pthread_mutex_lock(&port->pair->mutex);
    struct rt_poster *before = detach(port);
    port->poster = poster;
    port->on_ready = on_ready;
    port->context = context;
    if (port->oldest || other_end(port)->is_closed) schedule(port);
    pthread_mutex_unlock(&port->pair->mutex);
    rt_poster_free(before);
}

void rt_port_detach(struct rt_port *port) {
    pthread_mutex_lock(&port->pair->mutex);
    struct rt_poster *poster = detach(port);
    pthread_mutex_unlock(&port->pair->mutex);
    rt_poster_free(poster);
}

struct rt_parcel *rt_port_take(struct rt_port *port, bool *closed_out) {
    pthread_mutex_lock(&port->pair->mutex);
    struct rt_parcel *parcel = port->oldest;
    if (parcel) {
        port->oldest = parcel->next;
        if (!port->oldest) port->newest = &port->oldest;
    }
    *closed_out = !parcel && other_end(port)->is_closed;
    pthread_mutex_unlock(&port->pair->mutex);
    return parcel;
}

void rt_port_again(struct rt_port *port) {
    pthread_mutex_lock(&port->pair->mutex);
    schedule(port);
    pthread_mutex_unlock(&port->pair->mutex);
}
