/* link.c: see link.h. Owns the socket, the bytes on their way in and out, and the table of channels. */
#include "runtime/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/resolve.h"

/* Taken from the socket at once. */
#define READ_NBYTES (64u << 10)
/* Buffers that a large message made grow beyond this are given back. */
#define KEPT_NBYTES (1u << 20)

/* How often the peer hears that this side is there, and how long it may be silent. */
#define ALIVE_NS 5000000000u
#define SILENCE_NS_MAX 20000000000u

struct channel {
    struct channel *next;
    struct rt_link *link;
    uint32_t number;
    struct rt_port *port;
};

struct rt_link {
    struct rt_loop *loop;
    struct rt_link_hooks hooks;
    struct rt_watch watch;
    struct channel *channels; /* the newest first */
    uint32_t next_channel;    /* of those that this side allots */
    uint32_t owns;            /* the lowest bit of the numbers that this side allots */
    struct rt_wire_buffer in, out;
    size_t out_at; /* of OUT, sent already */
    struct rt_allowance *untaken;
    uint64_t heard_ns, spoke_ns; /* CLOCK_MONOTONIC; the latter: to say that it is there */
    bool may_break, is_over, is_finishing;
};

/* ---- Out ---- */

static void over(struct rt_link *link, int error) {
    if (link->is_over) return;
    link->is_over = true;
    rt_loop_unwatch(link->loop, &link->watch);
    link->hooks.on_over(link->hooks.data, error);
}

static void wish(struct rt_link *link, uint32_t events) {
    if (link->is_over || link->watch.events == events) return;
    link->watch.events = events;
    int error = rt_loop_watch(link->loop, &link->watch);
    if (error) over(link, error);
}

static void empty(struct rt_wire_buffer *buffer) {
    buffer->nbytes = 0;
    if (buffer->capacity <= KEPT_NBYTES) return;
    free(buffer->bytes);
    *buffer = (struct rt_wire_buffer){0};
}

static void flush(struct rt_link *link) {
    while (!link->is_over && link->out_at < link->out.nbytes) {
        ssize_t sent = send(link->watch.fd, link->out.bytes + link->out_at, link->out.nbytes - link->out_at,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            link->out_at += (size_t)sent;
        else if (errno == EAGAIN)
            break;
        else if (errno == EPIPE || errno == ECONNRESET)
            link->out_at = link->out.nbytes; /* what came before that is still to be read, and then says the same */
        else if (errno != EINTR)
            over(link, -errno);
    }
    bool is_done = link->out_at == link->out.nbytes;
    if (is_done) {
        empty(&link->out);
        link->out_at = 0;
        if (link->is_finishing) shutdown(link->watch.fd, SHUT_WR);
    }
    wish(link, is_done ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void rt_link_send(struct rt_link *link, enum rt_wire_type type,
                  void (*fill)(struct rt_wire_buffer *buffer, const void *context), const void *context) {
    if (link->is_over) return;
    size_t start = rt_wire_begin_frame(&link->out, type, 0);
    if (fill) fill(&link->out, context);
    if (!rt_wire_end_frame(&link->out, start)) over(link, -EMSGSIZE);
    flush(link);
}

void rt_link_finish(struct rt_link *link) {
    link->is_finishing = true;
    if (!link->is_over) flush(link);
}

static void send_close(struct rt_link *link, uint32_t number) {
    size_t start = rt_wire_begin_frame(&link->out, RT_WIRE_CLOSE, number);
    rt_wire_end_frame(&link->out, start);
}

/* ---- Channels ---- */

static struct channel *find(const struct rt_link *link, uint32_t number) {
    struct channel *channel = link->channels;
    while (channel && channel->number != number)
        channel = channel->next;
    return channel;
}

/* Its port is the caller's. */
static struct rt_port *take_out(struct rt_link *link, struct channel *channel) {
    struct channel **at = &link->channels;
    while (*at != channel)
        at = &(*at)->next;
    *at = channel->next;
    struct rt_port *port = channel->port;
    free(channel);
    return port;
}

struct rt_port *rt_link_take_port(struct rt_link *link, uint32_t number) {
    struct channel *channel = find(link, number);
    if (!channel) return NULL;
    rt_port_detach(channel->port);
    return take_out(link, channel);
}

/* Sends PARCEL, whose ports stay here, each as the channel that it is for the peer. */
static void send_parcel(struct rt_link *link, uint32_t number, struct rt_parcel *parcel) {
    size_t start = rt_wire_begin_frame(&link->out, RT_WIRE_MESSAGE, number);
    rt_wire_put_u32(&link->out, (uint32_t)parcel->port_count);
    for (size_t i = 0; i < parcel->port_count; i++)
        rt_wire_put_u32(&link->out, link->next_channel + 2 * (uint32_t)i);
    rt_wire_put_message(&link->out, parcel->message);
    if (!rt_wire_end_frame(&link->out, start)) return; /* who posted it was told how much may be */
    for (size_t i = 0; i < parcel->port_count; i++) {
        rt_link_add_port(link, link->next_channel, parcel->ports[i]);
        link->next_channel += 2;
        parcel->ports[i] = NULL;
    }
}

static void on_ready(void *context) {
    struct channel *channel = context;
    struct rt_link *link = channel->link;
    struct rt_parcel *parcel;
    bool is_closed;
    while ((parcel = rt_port_take(channel->port, &is_closed))) {
        if (!link->is_over) send_parcel(link, channel->number, parcel);
        rt_parcel_free(parcel);
    }
    if (is_closed) {
        uint32_t number = channel->number;
        struct rt_port *port = take_out(link, channel);
        send_close(link, number);
        flush(link);
        link->hooks.on_closed(link->hooks.data, number, port);
    } else {
        flush(link);
    }
}

void rt_link_add_port(struct rt_link *link, uint32_t number, struct rt_port *port) {
    struct channel *channel = rt_must(calloc(1, sizeof *channel));
    *channel = (struct channel){link->channels, link, number, port};
    link->channels = channel;
    rt_port_leaves_process(port);
    rt_port_attach(port, link->loop, on_ready, channel);
}

void rt_link_drain(struct rt_link *link) {
    for (struct channel *channel = link->channels, *next; channel; channel = next) {
        bool is_closed;
        struct rt_parcel *parcel;
        next = channel->next;
        while ((parcel = rt_port_take(channel->port, &is_closed))) {
            if (!link->is_over) send_parcel(link, channel->number, parcel);
            rt_parcel_free(parcel);
        }
    }
}

/* ---- In ---- */

/* The ports of a message: ours are new, whose other ends are here. Returns false if that can't be. */
static bool make_ports(struct rt_link *link, struct rt_wire_reader *body, uint32_t count, struct rt_port **ports) {
    for (uint32_t i = 0; i < count; i++) {
        struct rt_port *pair[2];
        uint32_t number = rt_wire_get_u32(body);
        if (body->is_bad || number < RT_WIRE_FIRST_ALLOTTED || (number & 1) == link->owns || find(link, number))
            return false;
        rt_port_pair(pair);
        ports[i] = pair[0];
        rt_link_add_port(link, number, pair[1]);
    }
    return true;
}

/* Returns false if BODY isn't a message. */
static bool take_message(struct rt_link *link, uint32_t number, struct rt_wire_reader *body) {
    struct rt_port *ports[RT_WIRE_PORTS_MAX] = {NULL};
    uint32_t count = rt_wire_get_u32(body);
    if (count > RT_WIRE_PORTS_MAX) return false;
    bool is_good = make_ports(link, body, count, ports);
    v8s_message *message = is_good ? rt_wire_get_message(body) : NULL;
    struct rt_parcel *parcel = rt_parcel_new(message, ports, count);
    struct channel *channel = message ? find(link, number) : NULL;
    if (channel) {
        rt_parcel_count(parcel, link->untaken);
        rt_port_post(channel->port, parcel);
    } else {
        rt_parcel_free(parcel); /* it was closed here meanwhile; so its ports are, which the peer hears of */
    }
    return message != NULL;
}

static bool take_frame(struct rt_link *link, const struct rt_wire_header *header, struct rt_wire_reader *body) {
    switch (header->type) {
        case RT_WIRE_MESSAGE: return take_message(link, header->channel, body);
        case RT_WIRE_CLOSE: {
            struct channel *channel = find(link, header->channel);
            if (!channel) return true;
            link->hooks.on_closed(link->hooks.data, header->channel, take_out(link, channel));
            return true;
        }
        case RT_WIRE_ALIVE: return true;
        default: link->hooks.on_frame(link->hooks.data, header->type, body); return !body->is_bad;
    }
}

/* The frames that are whole. */
static void take_frames(struct rt_link *link) {
    size_t at = 0;
    while (!link->is_over && link->in.nbytes - at >= RT_WIRE_HEADER_NBYTES) {
        struct rt_wire_header header;
        if (!rt_wire_get_header(link->in.bytes + at, &header)) {
            over(link, -EPROTO);
            return;
        }
        size_t nbytes = RT_WIRE_HEADER_NBYTES + (size_t)header.body_nbytes;
        if (link->in.nbytes - at < nbytes) break;
        const uint8_t *body = link->in.bytes + at + RT_WIRE_HEADER_NBYTES;
        struct rt_wire_reader reader = {body, body + header.body_nbytes, false};
        at += nbytes;
        if (!take_frame(link, &header, &reader)) over(link, -EPROTO);
    }
    size_t rest = link->in.nbytes - at;
    if (at > 0 && rest > 0) memmove(link->in.bytes, link->in.bytes + at, rest);
    link->in.nbytes = rest;
    if (rest == 0) empty(&link->in);
}

static void on_socket(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    struct rt_link *link = (struct rt_link *)((char *)watch - offsetof(struct rt_link, watch));
    (void)loop;
    if (events & EPOLLOUT) flush(link);
    if (link->is_over || !(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    uint8_t bytes[READ_NBYTES];
    ssize_t count = recv(watch->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
        link->heard_ns = rt_now_ns();
        rt_wire_put_bytes(&link->in, bytes, (size_t)count);
        take_frames(link);
    } else if (count == 0 || errno == ECONNRESET) {
        over(link, link->in.nbytes > 0 ? -ECONNRESET : 0);
    } else if (errno != EAGAIN && errno != EINTR) {
        over(link, -errno);
    }
}

size_t rt_link_untaken_bytes(const struct rt_link *link) {
    return rt_allowance_used(link->untaken);
}

int64_t rt_link_look_after(struct rt_link *link) {
    if (!link->may_break || link->is_over) return -1;
    uint64_t now_ns = rt_now_ns();
    if (now_ns - link->heard_ns > SILENCE_NS_MAX) {
        over(link, -ETIMEDOUT);
        return -1;
    }
    if (now_ns - link->spoke_ns >= ALIVE_NS) {
        link->spoke_ns = now_ns;
        rt_link_send(link, RT_WIRE_ALIVE, NULL, NULL);
    }
    return (int64_t)ALIVE_NS;
}

/* ---- Making one ---- */

static bool is_within_machine(int fd) {
    int domain = 0;
    socklen_t nbytes = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &nbytes) == 0 && domain == AF_UNIX;
}

struct rt_link *rt_link_new(struct rt_loop *loop, int fd, bool is_owner, const struct rt_link_hooks *hooks) {
    struct rt_link *link = rt_must(calloc(1, sizeof *link));
    *link = (struct rt_link){.loop = loop,
                             .hooks = *hooks,
                             .watch = {.fd = fd, .on_ready = on_socket},
                             .owns = is_owner ? 0 : 1,
                             .next_channel = RT_WIRE_FIRST_ALLOTTED + (is_owner ? 0 : 1),
                             .untaken = rt_allowance_new(),
                             .heard_ns = rt_now_ns(),
                             .spoke_ns = rt_now_ns(),
                             .may_break = !is_within_machine(fd)};
    wish(link, EPOLLIN);
    return link;
}

void rt_link_free(struct rt_link *link) {
    rt_loop_unwatch(link->loop, &link->watch);
    while (link->channels)
        rt_port_free(take_out(link, link->channels));
    close(link->watch.fd);
    rt_allowance_release(link->untaken);
    free(link->in.bytes);
    free(link->out.bytes);
    free(link);
}
