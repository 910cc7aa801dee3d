/* http_server.c: listening sockets, the life of connections, their time limits, and what the loop calls. */

#include "runtime/http_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "runtime/http_internal.h"

/* Of one wake-up: others want their turn too. */
#define ACCEPT_BATCH 64
/* For a client to see our last answer although it is still sending. */
#define LINGER_NS 2000000000u
/* An id: the slot's index and, above it, how often it was used. Positive as a 32-bit number. */
#define SLOT_BITS 20
#define GENERATION_MASK ((1u << (31 - SLOT_BITS)) - 1)

/* ---- Ids ---- */

static bool take_slot(struct http_engine *engine, struct http_connection *connection) {
    if (engine->first_free == 0) {
        if (engine->slot_count == engine->slot_capacity) {
            uint32_t capacity = engine->slot_capacity ? engine->slot_capacity * 2 : 64;
            if (capacity > 1u << SLOT_BITS) return false;
            struct http_slot *grown = realloc(engine->slots, capacity * sizeof *grown);
            if (!grown) return false;
            engine->slots = grown;
            engine->slot_capacity = capacity;
        }
        engine->slots[engine->slot_count++] = (struct http_slot){0};
        engine->first_free = engine->slot_count;
    }
    uint32_t index = engine->first_free - 1;
    struct http_slot *slot = &engine->slots[index];
    engine->first_free = slot->next_free;
    slot->connection = connection;
    slot->generation = slot->generation % GENERATION_MASK + 1; /* never 0 */
    connection->id = slot->generation << SLOT_BITS | index;
    return true;
}

static void give_slot(struct http_engine *engine, uint32_t id) {
    uint32_t index = id & ((1u << SLOT_BITS) - 1);
    engine->slots[index].connection = NULL;
    engine->slots[index].next_free = engine->first_free;
    engine->first_free = index + 1;
}

struct http_connection *http_connection_find(struct http_engine *engine, uint32_t id) {
    uint32_t index = id & ((1u << SLOT_BITS) - 1);
    if (index >= engine->slot_count) return NULL;
    struct http_connection *connection = engine->slots[index].connection;
    return connection && connection->id == id ? connection : NULL;
}

uint32_t http_connection_id(const struct http_connection *connection) {
    return connection->id;
}

struct http_server *http_connection_server(const struct http_connection *connection) {
    return connection->server;
}

/* ---- Time ---- */

/* A clock of a few milliseconds' resolution, which costs next to nothing, will do for timeouts. */
static uint64_t coarse_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* How long the client may take for what is next; 0: for ever, since it isn't the client's turn. */
static uint64_t timeout_ns(const struct http_connection *connection) {
    const struct http_server_options *options = &connection->server->options;
    if (connection->phase == HTTP_PHASE_LINGER && http_buffer_nbytes(&connection->pending) == 0) return LINGER_NS;
    if (connection->phase == HTTP_PHASE_HEAD && connection->is_head_begun) return options->headers_timeout_ns;
    bool is_clients_turn = connection->phase != HTTP_PHASE_ANSWER || connection->wants_body ||
                           http_buffer_nbytes(&connection->pending) > 0;
    return is_clients_turn ? options->idle_timeout_ns : 0;
}

void http_note_time(struct http_connection *connection, bool progress) {
    if (connection->phase == HTTP_PHASE_CLOSED) return;
    if (progress) connection->since_ns = coarse_now_ns();
    uint64_t timeout = timeout_ns(connection);
    if (timeout == 0) return; /* on_due will find out, should a deadline still be set */
    uint64_t due_ns = connection->since_ns + timeout;
    if (connection->deadline.place == 0 || due_ns < connection->deadline.at_ns)
        rt_deadline_set(&connection->server->engine->deadlines, &connection->deadline, due_ns);
}

static struct http_connection *of_deadline(struct rt_deadline *deadline) {
    return (struct http_connection *)((char *)deadline - offsetof(struct http_connection, deadline));
}

static struct http_engine *of_deadlines(struct rt_deadlines *deadlines) {
    return (struct http_engine *)((char *)deadlines - offsetof(struct http_engine, deadlines));
}

static void on_timeout(struct http_connection *connection) {
    bool is_in_head = connection->phase == HTTP_PHASE_HEAD && connection->is_head_begun;
    bool is_in_body = connection->phase == HTTP_PHASE_ANSWER && connection->wants_body && !connection->is_answered;
    if (!is_in_head && !is_in_body) {
        http_connection_close(connection, 0, true);
        return;
    }
    struct http_engine *engine = connection->server->engine;
    http_refuse(connection, 408, is_in_head ? "the request's head took too long" : "the request's body took too long");
    if (is_in_body) engine->hooks.on_abort(engine->hooks.data, connection, 408);
}

/* Perhaps there has been progress since it was set: then it is moved on. */
static void on_due(struct rt_deadlines *deadlines, struct rt_deadline *deadline) {
    struct http_connection *connection = of_deadline(deadline);
    uint64_t timeout = timeout_ns(connection), due_ns = connection->since_ns + timeout;
    if (timeout > 0 && due_ns > rt_now_ns()) {
        rt_deadline_set(deadlines, deadline, due_ns);
        return;
    }
    rt_deadline_clear(deadlines, deadline);
    if (timeout == 0) return;
    http_enter(of_deadlines(deadlines));
    on_timeout(connection);
    http_leave(of_deadlines(deadlines));
}

/* ---- The loop ---- */

void http_enter(struct http_engine *engine) {
    engine->depth++;
}

static void run_later(struct http_engine *engine) {
    if (engine->is_wait_posted) return;
    engine->is_wait_posted = true;
    rt_loop_defer(engine->loop, &engine->wait_task);
}

static void free_server(struct http_server *server) {
    if (server->previous) server->previous->next = server->next;
    if (server->next) server->next->previous = server->previous;
    if (server->engine->servers == server) server->engine->servers = server->next;
    free(server);
}

static bool is_done(const struct http_server *server) {
    return server->is_closing && server->connection_count == 0;
}

void http_leave(struct http_engine *engine) {
    if (--engine->depth > 0) return;
    while (engine->dead) {
        struct http_connection *connection = engine->dead;
        struct http_server *server = connection->server;
        engine->dead = connection->next;
        server->connection_count--;
        free(connection);
        if (is_done(server)) run_later(engine);
    }
}

void http_continue_later(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    if (engine->pumped == connection || connection->is_waiting) return; /* it will, anyhow */
    connection->is_waiting = true;
    connection->next_waiting = engine->waiting;
    engine->waiting = connection;
    run_later(engine);
}

static void forget_waiting(struct http_connection *connection) {
    struct http_connection **at = &connection->server->engine->waiting;
    while (*at != connection)
        at = &(*at)->next_waiting;
    *at = connection->next_waiting;
    connection->is_waiting = false;
}

/* A server is gone when nothing of it is left; who closed it may be JavaScript, which hears of it from here. */
static void free_done_servers(struct http_engine *engine) {
    struct http_server *next;
    for (struct http_server *server = engine->servers; server; server = next) {
        next = server->next;
        if (!is_done(server)) continue;
        void *data = server->data;
        free_server(server);
        engine->hooks.on_closed(engine->hooks.data, data);
        next = engine->servers; /* the hook may have changed the list */
    }
}

static void run_waiting(struct rt_loop *loop, struct rt_task *task) {
    (void)loop;
    struct http_engine *engine = (struct http_engine *)((char *)task - offsetof(struct http_engine, wait_task));
    struct http_connection *last = NULL;
    engine->is_wait_posted = false;
    http_enter(engine);
    /* Only those that wait now: what they cause is for the next turn. */
    for (struct http_connection *each = engine->waiting; each; each = each->next_waiting)
        last = each;
    while (engine->waiting) {
        struct http_connection *connection = engine->waiting;
        engine->waiting = connection->next_waiting;
        connection->is_waiting = false;
        http_pump(connection);
        if (connection == last) break;
    }
    if (engine->waiting) run_later(engine);
    http_leave(engine);
    free_done_servers(engine);
}

static void drain(struct http_connection *connection) {
    http_flush(connection);
    if (connection->is_broken || http_buffer_nbytes(&connection->pending) > 0 || !connection->wants_drain) return;
    connection->wants_drain = false;
    connection->server->engine->hooks.on_drain(connection->server->engine->hooks.data, connection);
}

/* Edge-triggered: the kernel is told once what is watched, and tells each change once. */
static void on_ready(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    (void)loop;
    struct http_connection *connection = (struct http_connection *)watch;
    struct http_engine *engine = connection->server->engine;
    http_enter(engine);
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) connection->is_readable = true;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) connection->has_hung_up = true;
    if (events & (EPOLLERR | EPOLLHUP))
        http_connection_close(connection, 0, true); /* both directions are shut */
    else if (events & EPOLLOUT && http_buffer_nbytes(&connection->pending) > 0)
        drain(connection);
    if (connection->phase != HTTP_PHASE_CLOSED) http_pump(connection);
    http_leave(engine);
}

/* ---- Connections ---- */

static int add_connection(struct http_server *server, int fd) {
    struct http_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return -ENOMEM;
    int error = -EMFILE;
    connection->server = server;
    if (!take_slot(server->engine, connection)) goto fail;
    connection->watch =
        (struct rt_watch){.fd = fd, .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .on_ready = on_ready};
    error = rt_loop_watch(server->engine->loop, &connection->watch);
    if (error) goto fail_slot;
    connection->is_body_over = true;
    connection->next = server->connections;
    if (server->connections) server->connections->previous = connection;
    server->connections = connection;
    server->connection_count++;
    http_note_time(connection, true);
    return 0;
fail_slot:
    give_slot(server->engine, connection->id);
fail:
    free(connection);
    return error;
}

/* ABORT_STATUS as of on_abort, which is called if there is an unanswered request and TELLS. */
void http_connection_close(struct http_connection *connection, int abort_status, bool tells) {
    struct http_server *server = connection->server;
    struct http_engine *engine = server->engine;
    if (connection->phase == HTTP_PHASE_CLOSED) return;
    bool was_answering = connection->phase == HTTP_PHASE_ANSWER;
    connection->phase = HTTP_PHASE_CLOSED;
    http_enter(engine);
    if (connection->is_waiting) forget_waiting(connection);
    rt_deadline_clear(&engine->deadlines, &connection->deadline);
    rt_loop_unwatch(engine->loop, &connection->watch);
    close(connection->watch.fd);
    if (engine->pumped == connection) engine->batch_nbytes = engine->view_nbytes = 0;
    http_buffer_free(&connection->input);
    http_buffer_free(&connection->pending);
    if (connection->previous) connection->previous->next = connection->next;
    if (connection->next) connection->next->previous = connection->previous;
    if (server->connections == connection) server->connections = connection->next;
    if (was_answering && tells) engine->hooks.on_abort(engine->hooks.data, connection, abort_status);
    give_slot(engine, connection->id);
    connection->next = engine->dead;
    engine->dead = connection;
    http_leave(engine);
}

void http_abort(struct http_connection *connection) {
    http_connection_close(connection, 0, false);
}

/* ---- Servers ---- */

/* There are no descriptors left: the one kept for this closes the connection that waits, which would else be reported
 * again and again. */
static void refuse_connection(struct http_server *server) {
    struct http_engine *engine = server->engine;
    if (engine->spare_fd >= 0) close(engine->spare_fd);
    int fd = accept4(server->watch.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) close(fd);
    engine->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_acceptable(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    (void)loop, (void)events;
    struct http_server *server = (struct http_server *)watch;
    const struct http_hooks *hooks = &server->engine->hooks;
    http_enter(server->engine);
    for (int i = 0; i < ACCEPT_BATCH && !server->is_closing; i++) { /* on_accept may close the server */
        struct rt_address peer = {.nbytes = sizeof peer.socket};
        int fd = accept4(watch->fd, &peer.socket.any, &peer.nbytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE) refuse_connection(server);
            break;
        }
        bool is_welcome = !server->options.asks || hooks->on_accept(hooks->data, server->data, &peer);
        if (!is_welcome || server->is_closing || add_connection(server, fd) != 0) close(fd);
    }
    http_leave(server->engine);
}

int http_server_new(struct http_engine *engine, int fd, const struct http_server_options *options, void *server_data,
                    struct http_server **server_out) {
    struct http_server *server = calloc(1, sizeof *server);
    if (!server) return -ENOMEM;
    server->watch = (struct rt_watch){.fd = fd, .events = EPOLLIN, .on_ready = on_acceptable};
    server->engine = engine;
    server->options = *options;
    server->data = server_data;
    int error = rt_loop_watch(engine->loop, &server->watch);
    if (error) {
        free(server);
        return error;
    }
    server->next = engine->servers;
    if (engine->servers) engine->servers->previous = server;
    engine->servers = server;
    *server_out = server;
    return 0;
}

static void stop_listening(struct http_server *server) {
    if (server->is_closing) return;
    server->is_closing = true;
    rt_loop_unwatch(server->engine->loop, &server->watch);
    close(server->watch.fd);
}

/* A request that has begun to come is still answered. */
static bool is_idle(const struct http_connection *connection) {
    return connection->phase == HTTP_PHASE_HEAD && !connection->is_head_begun &&
           http_buffer_nbytes(&connection->pending) == 0;
}

void http_server_close(struct http_server *server, bool force) {
    struct http_engine *engine = server->engine;
    http_enter(engine);
    stop_listening(server);
    struct http_connection *next;
    for (struct http_connection *each = server->connections; each; each = next) {
        next = each->next;
        each->closes = true;
        if (is_idle(each)) {
            http_connection_close(each, 0, false);
        } else if (force) {
            each->is_broken = true;
            http_continue_later(each);
        } else if (each->phase == HTTP_PHASE_HEAD && !each->is_head_begun) {
            http_close_gently(each); /* it has not got all of its last answer */
        }
    }
    http_leave(engine);
    if (is_done(server)) run_later(engine);
}

void *http_server_data(const struct http_server *server) {
    return server->data;
}

/* ---- The engine ---- */

struct http_engine *http_engine_new(struct rt_loop *loop, const struct http_hooks *hooks) {
    struct http_engine *engine = calloc(1, sizeof *engine);
    if (!engine) return NULL;
    engine->loop = loop;
    engine->hooks = *hooks;
    engine->wait_task.run = run_waiting;
    engine->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (rt_deadlines_init(&engine->deadlines, loop, on_due) == 0) return engine;
    if (engine->spare_fd >= 0) close(engine->spare_fd);
    free(engine);
    return NULL;
}

void http_engine_free(struct http_engine *engine) {
    if (!engine) return;
    while (engine->servers) {
        http_enter(engine);
        stop_listening(engine->servers);
        while (engine->servers->connections)
            http_connection_close(engine->servers->connections, 0, false);
        http_leave(engine);
        free_server(engine->servers);
    }
    rt_deadlines_close(&engine->deadlines);
    if (engine->spare_fd >= 0) close(engine->spare_fd);
    free(engine->slots);
    free(engine);
}
