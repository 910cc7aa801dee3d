/* mod_tcp.c: TCP for JavaScript: sockets that listen, connect, read and write, and names to addresses.
 *
 * Sockets are known by numbers. Nothing is buffered here: a read gives what there is, a write takes what fits, and an
 * event says when to try again. Names are looked up on threads of their own, since the C library only does so blocking.
 */

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/net.h"

#define READ_NBYTES 65536
#define ACCEPT_BATCH 64

/* What onEvent(id, event, value) is told; js/tcp.js has the same numbers. */
enum event { EVENT_CONNECTED, EVENT_ERROR, EVENT_READABLE, EVENT_WRITABLE, EVENT_ACCEPTED };

struct tcp_socket {
    struct rt_watch watch; /* first: recovered by a cast */
    struct rt_tcp *tcp;
    uint32_t id;
    bool is_listening;
    bool is_connecting;
    bool awaits_readable, awaits_writable;
};

struct lookup {
    struct rt_task task; /* first */
    struct lookup *next;
    struct rt_tcp *tcp;
    pthread_t thread;
    v8s_ref *callback;
    char *host;
    int error; /* of getaddrinfo */
    char address[RT_ADDRESS_TEXT_NBYTES];
};

struct rt_tcp {
    struct rt_realm *realm;
    v8s_ref *on_event;
    struct tcp_socket **sockets; /* by id; NULL: closed */
    uint32_t socket_count, socket_capacity;
    uint32_t first_free; /* where a free number may be looked for */
    struct lookup *lookups;
    uint8_t buffer[READ_NBYTES];
};

static struct rt_tcp *tcp_of(v8s_isolate *isolate) {
    struct rt_realm *realm = rt_realm_of(isolate);
    if (!realm->tcp) {
        realm->tcp = calloc(1, sizeof *realm->tcp);
        if (!realm->tcp) abort();
        realm->tcp->realm = realm;
    }
    return realm->tcp;
}

/* ---- Sockets ---- */

static void tell(struct rt_tcp *tcp, uint32_t id, enum event event, v8s_value value) {
    v8s_isolate *isolate = tcp->realm->isolate;
    v8s_value arguments[] = {v8s_number(isolate, id), v8s_number(isolate, event),
                             value ? value : v8s_undefined(isolate)};
    rt_realm_call(tcp->realm, v8s_ref_get(isolate, tcp->on_event), 3, arguments);
}

static uint32_t take_id(struct rt_tcp *tcp, struct tcp_socket *tcp_socket) {
    uint32_t id = tcp->first_free;
    while (id < tcp->socket_count && tcp->sockets[id])
        id++;
    if (id == tcp->socket_capacity) {
        uint32_t capacity = tcp->socket_capacity ? tcp->socket_capacity * 2 : 16;
        tcp->sockets = realloc(tcp->sockets, capacity * sizeof *tcp->sockets);
        if (!tcp->sockets) abort();
        tcp->socket_capacity = capacity;
    }
    if (id == tcp->socket_count) tcp->socket_count++;
    tcp->sockets[id] = tcp_socket;
    tcp->first_free = id + 1;
    return id;
}

static void close_socket(struct tcp_socket *tcp_socket) {
    struct rt_tcp *tcp = tcp_socket->tcp;
    rt_loop_unwatch(&tcp->realm->loop, &tcp_socket->watch);
    close(tcp_socket->watch.fd);
    tcp->sockets[tcp_socket->id] = NULL;
    if (tcp_socket->id < tcp->first_free) tcp->first_free = tcp_socket->id;
    free(tcp_socket);
}

static void on_connected(struct tcp_socket *tcp_socket) {
    struct rt_tcp *tcp = tcp_socket->tcp;
    int error = 0;
    socklen_t nbytes = sizeof error;
    getsockopt(tcp_socket->watch.fd, SOL_SOCKET, SO_ERROR, &error, &nbytes);
    tcp_socket->is_connecting = false;
    if (error)
        tell(tcp, tcp_socket->id, EVENT_ERROR, rt_error_from_errno(tcp->realm->isolate, error, "connect", NULL));
    else
        tell(tcp, tcp_socket->id, EVENT_CONNECTED, NULL);
}

static struct tcp_socket *add_socket(struct rt_tcp *tcp, int fd, bool is_listening);

static void on_acceptable(struct tcp_socket *listener) {
    struct rt_tcp *tcp = listener->tcp;
    uint32_t id = listener->id;
    for (int i = 0; i < ACCEPT_BATCH && tcp->sockets[id] == listener; i++) {
        int fd = accept4(listener->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        struct tcp_socket *accepted = add_socket(tcp, fd, false);
        tell(tcp, id, EVENT_ACCEPTED, v8s_number(tcp->realm->isolate, accepted->id));
    }
}

/* Each event can close the socket. */
static void on_ready(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    (void)loop;
    struct tcp_socket *tcp_socket = (struct tcp_socket *)watch;
    struct rt_tcp *tcp = tcp_socket->tcp;
    uint32_t id = tcp_socket->id;
    bool is_over = events & (EPOLLERR | EPOLLHUP);
    struct v8s_scope scope;
    v8s_scope_open(tcp->realm->isolate, &scope);
    if (tcp_socket->is_listening) {
        on_acceptable(tcp_socket);
    } else if (tcp_socket->is_connecting) {
        on_connected(tcp_socket);
    } else {
        if (tcp_socket->awaits_readable && (is_over || events & (EPOLLIN | EPOLLRDHUP))) {
            tcp_socket->awaits_readable = false;
            tell(tcp, id, EVENT_READABLE, NULL);
        }
        if (tcp->sockets[id] == tcp_socket && tcp_socket->awaits_writable && (is_over || events & EPOLLOUT)) {
            tcp_socket->awaits_writable = false;
            tell(tcp, id, EVENT_WRITABLE, NULL);
        }
    }
    v8s_scope_close(&scope);
}

/* Connections are edge-triggered, listeners are not. */
static struct tcp_socket *add_socket(struct rt_tcp *tcp, int fd, bool is_listening) {
    struct tcp_socket *tcp_socket = calloc(1, sizeof *tcp_socket);
    if (!tcp_socket) abort();
    tcp_socket->tcp = tcp;
    tcp_socket->is_listening = is_listening;
    tcp_socket->watch = (struct rt_watch){
        .fd = fd,
        .events = is_listening ? (uint32_t)EPOLLIN : (uint32_t)(EPOLLIN | EPOLLOUT | EPOLLRDHUP) | EPOLLET,
        .on_ready = on_ready,
    };
    if (rt_loop_watch(&tcp->realm->loop, &tcp_socket->watch) != 0) abort();
    tcp_socket->id = take_id(tcp, tcp_socket);
    return tcp_socket;
}

/* ---- Natives ---- */

/* The socket whose number is the first argument; NULL with an exception pending: it is closed. */
static struct tcp_socket *socket_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what) {
    struct rt_tcp *tcp = tcp_of(isolate);
    uint32_t id = (uint32_t)rt_number_argument(arguments, 0);
    if (id < tcp->socket_count && tcp->sockets[id]) return tcp->sockets[id];
    rt_throw_errno(isolate, EBADF, what, NULL);
    return NULL;
}

static bool address_argument(v8s_isolate *isolate, const v8s_arguments *arguments, struct rt_address *address_out) {
    char *host =
        v8s_is_string(v8s_argument(arguments, 0)) ? v8s_string_copy(isolate, v8s_argument(arguments, 0), NULL) : NULL;
    bool is_address = host && rt_address_parse(host, (uint16_t)rt_number_argument(arguments, 1), address_out);
    free(host);
    return is_address;
}

/* tcpStart(onEvent) */
static v8s_value tcp_start(v8s_isolate *isolate, const v8s_arguments *arguments) {
    tcp_of(isolate)->on_event = v8s_ref_new(isolate, v8s_argument(arguments, 0));
    return NULL;
}

/* tcpConnect(address, port): a number; EVENT_CONNECTED or EVENT_ERROR follows. */
static v8s_value tcp_connect(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_address address;
    if (!address_argument(isolate, arguments, &address)) return rt_throw_errno(isolate, EADDRNOTAVAIL, "connect", NULL);
    int fd = rt_net_connect(&address);
    if (fd < 0) return rt_throw_errno(isolate, -fd, "connect", NULL);
    struct tcp_socket *tcp_socket = add_socket(tcp_of(isolate), fd, false);
    tcp_socket->is_connecting = true;
    return v8s_number(isolate, tcp_socket->id);
}

/* tcpListen(address, port, backlog, reusePort): a number; EVENT_ACCEPTED, with another, for each connection. */
static v8s_value tcp_listen(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_address address;
    if (!address_argument(isolate, arguments, &address)) return rt_throw_errno(isolate, EADDRNOTAVAIL, "listen", NULL);
    struct rt_listen_options options = {.backlog = (int)rt_number_argument(arguments, 2),
                                        .reuse_port = v8s_truthy(isolate, v8s_argument(arguments, 3))};
    int fd = rt_net_listen(&address, &options);
    if (fd < 0) return rt_throw_errno(isolate, -fd, "listen", NULL);
    return v8s_number(isolate, add_socket(tcp_of(isolate), fd, true)->id);
}

/* tcpRead(id): bytes, null at the end, undefined: EVENT_READABLE follows. */
static v8s_value tcp_read(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "read");
    if (!tcp_socket) return NULL;
    uint8_t *buffer = tcp_socket->tcp->buffer, *bytes;
    ssize_t got;
    do
        got = recv(tcp_socket->watch.fd, buffer, READ_NBYTES, 0);
    while (got < 0 && errno == EINTR);
    if (got == 0) return v8s_null(isolate);
    if (got < 0 && errno != EAGAIN) return rt_throw_errno(isolate, errno, "read", NULL);
    tcp_socket->awaits_readable = got < 0;
    if (got < 0) return NULL;
    v8s_value array = v8s_uint8array_new(isolate, (size_t)got, &bytes);
    memcpy(bytes, buffer, (size_t)got);
    return array;
}

/* tcpWrite(id, bytes, start): how many of the bytes from START on were taken; unless all, EVENT_WRITABLE follows. */
static v8s_value tcp_write(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "write");
    uint8_t *bytes;
    size_t nbytes;
    if (!tcp_socket) return NULL;
    double start = rt_number_argument(arguments, 2);
    if (!v8s_bytes_of(v8s_argument(arguments, 1), &bytes, &nbytes) || !(start >= 0 && start <= (double)nbytes))
        return v8s_throw_type_error(isolate, "tcpWrite: not bytes, or a start outside of them");
    size_t left = nbytes - (size_t)start;
    ssize_t sent;
    do
        sent = send(tcp_socket->watch.fd, bytes + (size_t)start, left, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN) return rt_throw_errno(isolate, errno, "write", NULL);
    if (sent < 0) sent = 0;
    tcp_socket->awaits_writable = (size_t)sent < left;
    return v8s_number(isolate, (double)sent);
}

/* tcpShutdown(id): nothing more will be written. */
static v8s_value tcp_shutdown(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "shutdown");
    if (tcp_socket) shutdown(tcp_socket->watch.fd, SHUT_WR);
    return NULL;
}

/* tcpClose(id): its number may be used again. */
static v8s_value tcp_close(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "close");
    if (tcp_socket) close_socket(tcp_socket);
    return NULL;
}

/* tcpRef(id, on): does it keep the process alive? */
static v8s_value tcp_ref(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "ref");
    if (!tcp_socket) return NULL;
    struct rt_loop *loop = &tcp_socket->tcp->realm->loop;
    rt_loop_unwatch(loop, &tcp_socket->watch);
    tcp_socket->watch.unref = !v8s_truthy(isolate, v8s_argument(arguments, 1));
    if (rt_loop_watch(loop, &tcp_socket->watch) != 0) abort();
    return NULL;
}

/* tcpAddresses(id): [own address, own port, the peer's address, its port] */
static v8s_value tcp_addresses(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct tcp_socket *tcp_socket = socket_argument(isolate, arguments, "getsockname");
    if (!tcp_socket) return NULL;
    v8s_value parts[4];
    for (int i = 0; i < 2; i++) {
        struct rt_address address = {.nbytes = sizeof address.socket, .socket.any.sa_family = AF_INET};
        char text[RT_ADDRESS_TEXT_NBYTES];
        (i == 0 ? getsockname : getpeername)(tcp_socket->watch.fd, &address.socket.any, &address.nbytes);
        uint16_t port = rt_address_text(&address, text);
        parts[2 * i] = v8s_string(isolate, text);
        parts[2 * i + 1] = v8s_number(isolate, port);
    }
    return v8s_array_new(isolate, parts, 4);
}

/* ---- Names ---- */

static void free_lookup(struct lookup *lookup) {
    v8s_ref_free(lookup->callback);
    free(lookup->host);
    free(lookup);
}

/* callback(error) or callback(null, address) */
static void finish_lookup(struct rt_loop *loop, struct rt_task *task) {
    struct lookup *lookup = (struct lookup *)task, **at = &lookup->tcp->lookups;
    struct rt_realm *realm = lookup->tcp->realm;
    while (*at != lookup)
        at = &(*at)->next;
    *at = lookup->next;
    loop->pending_ref_count--;
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    v8s_value arguments[] = {v8s_null(realm->isolate), v8s_string(realm->isolate, lookup->address)};
    if (lookup->error) {
        arguments[0] = v8s_error_new(realm->isolate, V8S_ERROR, gai_strerror(lookup->error));
        v8s_set(realm->isolate, arguments[0], "code", v8s_string(realm->isolate, "ENOTFOUND"));
    }
    rt_realm_call(realm, v8s_ref_get(realm->isolate, lookup->callback), 2, arguments);
    v8s_scope_close(&scope);
    pthread_join(lookup->thread, NULL);
    free_lookup(lookup);
}

static void *look_up(void *data) {
    struct lookup *lookup = data;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *found = NULL;
    lookup->error = getaddrinfo(lookup->host, NULL, &hints, &found);
    if (!lookup->error) {
        struct rt_address address = {.nbytes = found->ai_addrlen};
        memcpy(&address.socket, found->ai_addr, found->ai_addrlen);
        rt_address_text(&address, lookup->address);
        freeaddrinfo(found);
    }
    rt_loop_post(&lookup->tcp->realm->loop, &lookup->task);
    return NULL;
}

/* lookup(host, callback): an address at once if HOST is one; else undefined, and the callback is called. */
static v8s_value lookup_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_tcp *tcp = tcp_of(isolate);
    struct rt_address address;
    v8s_value host = v8s_argument(arguments, 0), callback = v8s_argument(arguments, 1);
    if (!v8s_is_string(host) || !v8s_is_function(callback))
        return v8s_throw_type_error(isolate, "lookup: a name and a function are needed");
    if (address_argument(isolate, arguments, &address)) {
        char text[RT_ADDRESS_TEXT_NBYTES];
        rt_address_text(&address, text);
        return v8s_string(isolate, text);
    }
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup) abort();
    lookup->task.run = finish_lookup;
    lookup->tcp = tcp;
    lookup->host = v8s_string_copy(isolate, host, NULL);
    int error = pthread_create(&lookup->thread, NULL, look_up, lookup);
    if (error) {
        free(lookup->host);
        free(lookup);
        return rt_throw_errno(isolate, error, "getaddrinfo", NULL);
    }
    lookup->callback = v8s_ref_new(isolate, callback);
    lookup->next = tcp->lookups;
    tcp->lookups = lookup;
    tcp->realm->loop.pending_ref_count++;
    return NULL;
}

void rt_tcp_end_lookups(struct rt_realm *realm) {
    for (struct lookup *lookup = realm->tcp ? realm->tcp->lookups : NULL; lookup; lookup = lookup->next)
        pthread_join(lookup->thread, NULL);
}

void rt_tcp_free(struct rt_realm *realm) {
    struct rt_tcp *tcp = realm->tcp;
    if (!tcp) return;
    while (tcp->lookups) {
        struct lookup *lookup = tcp->lookups;
        tcp->lookups = lookup->next;
        free_lookup(lookup);
    }
    for (uint32_t i = 0; i < tcp->socket_count; i++)
        if (tcp->sockets[i]) close_socket(tcp->sockets[i]);
    v8s_ref_free(tcp->on_event);
    free(tcp->sockets);
    free(tcp);
    realm->tcp = NULL;
}

static const struct v8s_native_entry functions[] = {
    {"tcpStart", tcp_start, 1},   {"tcpConnect", tcp_connect, 2}, {"tcpListen", tcp_listen, 4},
    {"tcpRead", tcp_read, 1},     {"tcpWrite", tcp_write, 3},     {"tcpShutdown", tcp_shutdown, 1},
    {"tcpClose", tcp_close, 1},   {"tcpRef", tcp_ref, 2},         {"tcpAddresses", tcp_addresses, 1},
    {"lookup", lookup_native, 2},
};

const struct rt_native_group rt_mod_tcp = {functions, sizeof functions / sizeof *functions, NULL};
