/* http_input.c: what comes in on a connection: requests, their bodies, what is thrown away, and what follows an answer.
 *
 * http_pump is the one place that reads. It works on a view of the bytes that came and are not consumed: in the
 * engine's IN when they were just read, in the connection's own buffer when they had to be kept. A connection that
 * waits for a request keeps no memory.
 */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "runtime/http_internal.h"

/* How much of a body that nobody asked for is read, so that the connection can be used again, rather than closed. */
#define DISCARD_NBYTES_MAX (256u << 10)
/* Room for a read behind what is kept. */
#define KEPT_READ_NBYTES 4096

static void consume(struct http_engine *engine, size_t nbytes) {
    engine->view += nbytes;
    engine->view_nbytes -= nbytes;
}

/* ---- Reading ---- */

/* Bytes are kept until the next read: out of IN, which the next connection will use. */
static void keep_view(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    struct http_buffer *input = &connection->input;
    bool is_own = input->bytes && engine->view >= input->bytes && engine->view <= input->bytes + input->capacity;
    if (is_own)
        input->start = (size_t)(engine->view - input->bytes);
    else
        http_buffer_append(input, engine->view, engine->view_nbytes);
    if (http_buffer_nbytes(input) == 0) http_buffer_free(input);
}

static void show_kept(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    engine->view = connection->input.bytes ? connection->input.bytes + connection->input.start : engine->in;
    engine->view_nbytes = http_buffer_nbytes(&connection->input);
}

/* A read of the socket. Returns as read does, or -EAGAIN. Notes whether another one can bring more. */
static ssize_t read_socket(struct http_connection *connection, uint8_t *bytes, size_t nbytes) {
    ssize_t got;
    do
        got = recv(connection->watch.fd, bytes, nbytes, 0);
    while (got < 0 && errno == EINTR);
    if (got >= 0) {
        if ((size_t)got < nbytes && !connection->has_hung_up) connection->is_readable = false;
        return got;
    }
    connection->is_readable = false;
    return errno == EAGAIN ? -EAGAIN : -errno;
}

/* The client will send no more, but may still be reading: what it asked for completely it gets. */
static void on_input_end(struct http_connection *connection) {
    connection->is_readable = false;
    if (connection->phase == HTTP_PHASE_ANSWER && !connection->is_body_over) {
        http_flush_batch(connection);
        http_connection_close(connection, 0, true);
        return;
    }
    connection->closes = true;
    if (connection->phase == HTTP_PHASE_ANSWER) return;
    connection->phase = HTTP_PHASE_LINGER;
    connection->lingers = false;
}

/* Reads more into the view. False: there is nothing now, or no connection any more. */
static bool fill(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    uint8_t *bytes = engine->in;
    size_t nbytes = HTTP_BUFFER_NBYTES;
    bool is_kept = engine->view_nbytes > 0;
    if (is_kept) {
        keep_view(connection);
        http_buffer_reserve(&connection->input, KEPT_READ_NBYTES);
        bytes = connection->input.bytes + connection->input.end;
        nbytes = connection->input.capacity - connection->input.end;
        show_kept(connection);
    }
    ssize_t got = read_socket(connection, bytes, nbytes);
    if (got <= 0) {
        if (got == 0)
            on_input_end(connection);
        else if (got != -EAGAIN)
            http_connection_close(connection, 0, true);
        return false;
    }
    if (is_kept) {
        connection->input.end += (size_t)got;
        show_kept(connection);
    } else {
        http_buffer_free(&connection->input);
        engine->view = bytes;
        engine->view_nbytes = (size_t)got;
    }
    http_note_time(connection, connection->phase == HTTP_PHASE_ANSWER || connection->phase == HTTP_PHASE_DISCARD);
    return true;
}

/* ---- Requests ---- */

/* Whether the body, or what is there of it, is more than the server takes. */
static bool is_too_large(const struct http_connection *connection) {
    uint64_t nbytes = connection->body_nbytes;
    if (connection->head.has_content_length) nbytes = connection->head.content_length;
    return nbytes > connection->server->options.body_limit_nbytes;
}

static void begin_request(struct http_connection *connection, size_t head_nbytes) {
    struct http_engine *engine = connection->server->engine;
    const struct http_head *head = &connection->head;
    struct http_request request = {.bytes = engine->view, .nbytes = head_nbytes, .head = head};
    connection->phase = HTTP_PHASE_ANSWER;
    connection->is_head_begun = false;
    connection->is_answered = false;
    connection->is_head_only = head->method_nbytes == 4 && memcmp(request.bytes, "HEAD", 4) == 0;
    connection->closes = !head->is_persistent;
    connection->body_left = head->content_length;
    connection->body_nbytes = 0;
    connection->is_body_over = !head->is_chunked && head->content_length == 0;
    connection->owes_continue = head->expects_continue && !connection->is_body_over;
    connection->chunks = (struct http_chunks){0};
    if (is_too_large(connection)) {
        http_refuse(connection, 413, "the body is too large");
        return;
    }
    consume(engine, head_nbytes);
    if (!head->is_chunked && head->content_length <= engine->view_nbytes) {
        request.body = engine->view;
        request.body_nbytes = (size_t)head->content_length;
        connection->is_body_over = true;
        connection->owes_continue = false;
        consume(engine, request.body_nbytes);
    }
    engine->hooks.on_request(engine->hooks.data, connection, &request);
}

/* False: it needs more input, or is done with this connection. */
static bool advance_head(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    if (http_buffer_nbytes(&connection->pending) > 0) return false; /* who doesn't read is not served */
    /* An empty line before a request is ignored: RFC 9112, section 2.2. */
    if (!connection->is_head_begun && engine->view_nbytes >= 2 && memcmp(engine->view, "\r\n", 2) == 0)
        consume(engine, 2);
    if (engine->view_nbytes == 0 || (engine->view_nbytes == 1 && engine->view[0] == '\r')) return false;
    if (!connection->is_head_begun) connection->head = (struct http_head){0};
    int result =
        http_parse_request(&connection->head, engine->view, engine->view_nbytes, &connection->server->options.limits);
    if (result < 0) {
        http_refuse(connection, -result, connection->head.problem);
        return true;
    }
    if (result == 0) {
        bool has_begun = connection->is_head_begun;
        connection->is_head_begun = true;
        if (!has_begun) http_note_time(connection, true);
        return false;
    }
    begin_request(connection, (size_t)result);
    return true;
}

/* ---- Bodies ---- */

static void bad_body(struct http_connection *connection, int status, const char *problem) {
    struct http_engine *engine = connection->server->engine;
    bool was_answering = connection->phase == HTTP_PHASE_ANSWER, was_answered = connection->is_answered;
    connection->is_readable = false;
    if (was_answered)
        http_connection_close(connection, 0, false);
    else
        http_refuse(connection, status, problem);
    if (was_answering) engine->hooks.on_abort(engine->hooks.data, connection, status);
}

/* The next piece of the body. False: none is there, or it was bad. *BYTES_OUT is NULL at the end. */
static bool next_of_body(struct http_connection *connection, const uint8_t **bytes_out, size_t *nbytes_out) {
    struct http_engine *engine = connection->server->engine;
    *bytes_out = NULL;
    *nbytes_out = 0;
    if (connection->is_body_over) return true;
    if (connection->head.is_chunked) {
        size_t used;
        enum http_chunks_result result =
            http_chunks_next(&connection->chunks, engine->view, engine->view_nbytes, &used, bytes_out, nbytes_out);
        consume(engine, used);
        if (result == HTTP_CHUNKS_BAD) bad_body(connection, 400, "the body's chunks are broken");
        if (result == HTTP_CHUNKS_BAD || result == HTTP_CHUNKS_MORE) return false;
        connection->is_body_over = result == HTTP_CHUNKS_END;
    } else {
        size_t nbytes = engine->view_nbytes;
        if (nbytes > connection->body_left) nbytes = (size_t)connection->body_left;
        if (nbytes == 0) return false;
        *bytes_out = engine->view;
        *nbytes_out = nbytes;
        connection->body_left -= nbytes;
        connection->is_body_over = connection->body_left == 0;
        consume(engine, nbytes);
    }
    connection->body_nbytes += *nbytes_out;
    if (!is_too_large(connection)) return true;
    bad_body(connection, 413, "the body is too large");
    return false;
}

static bool advance_body(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    const uint8_t *bytes;
    size_t nbytes;
    if (!connection->wants_body || !next_of_body(connection, &bytes, &nbytes)) return false;
    connection->wants_body = false;
    engine->hooks.on_body(engine->hooks.data, connection, bytes, nbytes);
    return true;
}

void http_body_read(struct http_connection *connection) {
    if (connection->phase != HTTP_PHASE_ANSWER) return;
    struct http_engine *engine = connection->server->engine;
    connection->wants_body = true;
    http_enter(engine);
    if (connection->owes_continue && !connection->is_answered) http_send_continue(connection);
    if (connection->phase == HTTP_PHASE_ANSWER) {
        http_note_time(connection, true);
        http_continue_later(connection);
    }
    http_leave(engine);
}

/* ---- After an answer ---- */

static void next_request(struct http_connection *connection) {
    connection->phase = HTTP_PHASE_HEAD;
    connection->is_head_begun = false;
    if (connection->closes) {
        http_close_gently(connection);
        return;
    }
    http_note_time(connection, true);
    http_continue_later(connection);
}

void http_answer_done(struct http_connection *connection) {
    connection->wants_body = false;
    connection->wants_drain = false;
    if (connection->is_body_over) {
        next_request(connection);
        return;
    }
    /* A client that still waits for 100 will not send the body, or will: nobody can tell, so the connection ends. */
    uint64_t left = connection->head.is_chunked ? 0 : connection->body_left;
    if (connection->closes || left > DISCARD_NBYTES_MAX || connection->head.expects_continue) {
        http_close_gently(connection);
        return;
    }
    connection->phase = HTTP_PHASE_DISCARD;
    connection->body_nbytes = 0;
    http_note_time(connection, true);
    http_continue_later(connection);
}

static bool advance_discard(struct http_connection *connection) {
    const uint8_t *bytes;
    size_t nbytes;
    if (!next_of_body(connection, &bytes, &nbytes)) return false;
    if (connection->is_body_over)
        next_request(connection);
    else if (connection->body_nbytes > DISCARD_NBYTES_MAX)
        http_close_gently(connection);
    return connection->phase != HTTP_PHASE_CLOSED;
}

/* A close while input is unread, or still comes, would be a reset, which can destroy what we sent last on its way. */
void http_close_gently(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    size_t unread = engine->pumped == connection ? engine->view_nbytes : http_buffer_nbytes(&connection->input);
    connection->lingers = unread > 0 || connection->is_head_begun || !connection->is_body_over;
    connection->closes = true;
    connection->phase = HTTP_PHASE_LINGER;
    http_note_time(connection, true);
    http_continue_later(connection);
}

static bool advance_linger(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    consume(engine, engine->view_nbytes);
    http_flush_batch(connection);
    if (http_buffer_nbytes(&connection->pending) > 0) return false;
    shutdown(connection->watch.fd, SHUT_WR);
    if (!connection->lingers) http_connection_close(connection, 0, false);
    return false;
}

/* ---- All of it ---- */

/* Takes a step. False: more input is needed, or something else must happen first. */
static bool advance(struct http_connection *connection) {
    switch ((enum http_phase)connection->phase) {
        case HTTP_PHASE_HEAD: return advance_head(connection);
        case HTTP_PHASE_ANSWER: return advance_body(connection);
        case HTTP_PHASE_DISCARD: return advance_discard(connection);
        case HTTP_PHASE_LINGER: return advance_linger(connection);
        case HTTP_PHASE_CLOSED: return false;
    }
    return false;
}

static bool wants_input(const struct http_connection *connection) {
    switch ((enum http_phase)connection->phase) {
        case HTTP_PHASE_HEAD: return http_buffer_nbytes(&connection->pending) == 0;
        case HTTP_PHASE_ANSWER: return connection->wants_body;
        case HTTP_PHASE_DISCARD:
        case HTTP_PHASE_LINGER: return true;
        case HTTP_PHASE_CLOSED: return false;
    }
    return false;
}

void http_pump(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    engine->pumped = connection;
    engine->batch_nbytes = 0;
    show_kept(connection);
    do {
        while (!connection->is_broken && advance(connection)) {
        }
    } while (!connection->is_broken && connection->is_readable && wants_input(connection) && fill(connection));
    if (connection->phase == HTTP_PHASE_LINGER) advance_linger(connection);
    if (connection->phase != HTTP_PHASE_CLOSED) {
        keep_view(connection);
        http_flush_batch(connection);
    }
    engine->pumped = NULL;
    if (connection->is_broken) http_connection_close(connection, 0, true);
}
