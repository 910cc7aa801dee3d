/* http_output.c: answers: heads, the framing of bodies, and getting bytes into sockets with few system calls.
 *
 * Answers to the connection that is being pumped are gathered in the engine's OUT and sent together when its input is
 * used up. All others go out at once. What the socket doesn't take stays in the connection's `pending` until it does.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/http_internal.h"

/* A status line and the fields that are ours, but for the reason. */
#define OWN_HEAD_NBYTES 512
/* Memory that a drained connection keeps. */
#define PENDING_KEPT_NBYTES 4096

/* ---- Buffers ---- */

void http_buffer_reserve(struct http_buffer *buffer, size_t nbytes) {
    size_t held = http_buffer_nbytes(buffer);
    if (buffer->capacity - buffer->end >= nbytes) return;
    if (buffer->start > 0) memmove(buffer->bytes, buffer->bytes + buffer->start, held);
    buffer->start = 0;
    buffer->end = held;
    if (buffer->capacity - held >= nbytes) return;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - held < nbytes)
        capacity *= 2;
    buffer->bytes = realloc(buffer->bytes, capacity);
    if (!buffer->bytes) abort();
    buffer->capacity = capacity;
}

void http_buffer_append(struct http_buffer *buffer, const uint8_t *bytes, size_t nbytes) {
    if (nbytes == 0) return;
    http_buffer_reserve(buffer, nbytes);
    memcpy(buffer->bytes + buffer->end, bytes, nbytes);
    buffer->end += nbytes;
}

void http_buffer_free(struct http_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct http_buffer){0};
}

/* ---- Sending ---- */

enum { PART_COUNT_MAX = 5 };

struct parts {
    struct iovec list[PART_COUNT_MAX];
    int count;
    size_t nbytes;
};

static void add_part(struct parts *parts, const void *bytes, size_t nbytes) {
    if (nbytes == 0) return;
    parts->list[parts->count++] = (struct iovec){(void *)bytes, nbytes};
    parts->nbytes += nbytes;
}

/* What is left of PARTS after its first SENT bytes. */
static void append_rest(struct http_buffer *buffer, const struct parts *parts, size_t sent) {
    for (int i = 0; i < parts->count; i++) {
        size_t nbytes = parts->list[i].iov_len, skipped = sent < nbytes ? sent : nbytes;
        http_buffer_append(buffer, (const uint8_t *)parts->list[i].iov_base + skipped, nbytes - skipped);
        sent -= skipped;
    }
}

static size_t total_of(const struct iovec *list, int count) {
    size_t nbytes = 0;
    for (int i = 0; i < count; i++)
        nbytes += list[i].iov_len;
    return nbytes;
}

/* How much the socket took. A broken one takes everything: the connection is closed from the loop, since who sends may
 * be JavaScript, which must not be called back meanwhile. */
static size_t send_some(struct http_connection *connection, const struct iovec *list, int count) {
    struct msghdr message = {.msg_iov = (struct iovec *)list, .msg_iovlen = (size_t)count};
    for (;;) {
        ssize_t sent = count == 1 ? send(connection->watch.fd, list->iov_base, list->iov_len, MSG_NOSIGNAL)
                                  : sendmsg(connection->watch.fd, &message, MSG_NOSIGNAL);
        if (sent >= 0) return (size_t)sent;
        if (errno == EAGAIN) return 0;
        if (errno == EINTR) continue;
        connection->is_broken = true;
        http_continue_later(connection);
        return total_of(list, count);
    }
}

static void send_parts(struct http_connection *connection, const struct parts *parts) {
    size_t sent = 0;
    if (http_buffer_nbytes(&connection->pending) == 0) sent = send_some(connection, parts->list, parts->count);
    if (sent < parts->nbytes) {
        append_rest(&connection->pending, parts, sent);
        http_note_time(connection, true);
    }
}

void http_flush_batch(struct http_connection *connection) {
    struct http_engine *engine = connection->server->engine;
    struct parts parts = {0};
    add_part(&parts, engine->out, engine->batch_nbytes);
    engine->batch_nbytes = 0;
    if (parts.nbytes > 0) send_parts(connection, &parts);
}

static void emit(struct http_connection *connection, const struct parts *parts) {
    struct http_engine *engine = connection->server->engine;
    if (engine->pumped == connection && http_buffer_nbytes(&connection->pending) == 0) {
        if (parts->nbytes > HTTP_BUFFER_NBYTES - engine->batch_nbytes) http_flush_batch(connection);
        if (parts->nbytes <= HTTP_BUFFER_NBYTES - engine->batch_nbytes &&
            http_buffer_nbytes(&connection->pending) == 0) {
            for (int i = 0; i < parts->count; i++) {
                memcpy(engine->out + engine->batch_nbytes, parts->list[i].iov_base, parts->list[i].iov_len);
                engine->batch_nbytes += parts->list[i].iov_len;
            }
            return;
        }
    }
    send_parts(connection, parts);
}

void http_flush(struct http_connection *connection) {
    struct http_buffer *pending = &connection->pending;
    while (http_buffer_nbytes(pending) > 0) {
        struct iovec rest = {pending->bytes + pending->start, http_buffer_nbytes(pending)};
        size_t sent = send_some(connection, &rest, 1);
        if (sent == 0) return;
        pending->start += sent;
        http_note_time(connection, true);
    }
    pending->start = pending->end = 0;
    if (pending->capacity > PENDING_KEPT_NBYTES) http_buffer_free(pending);
}

/* ---- Heads ---- */

static const struct {
    uint16_t status;
    const char *reason;
} reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {418, "I'm a Teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

static const char *reason_of(uint16_t status) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status) return reasons[i].reason;
    return "";
}

/* Text being made in room that is known to suffice. */
struct text {
    char *bytes;
    size_t nbytes;
};

static void put_bytes(struct text *text, const void *bytes, size_t nbytes) {
    memcpy(text->bytes + text->nbytes, bytes, nbytes);
    text->nbytes += nbytes;
}

static void put(struct text *text, const char *string) {
    put_bytes(text, string, strlen(string));
}

static void put_number(struct text *text, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put_bytes(text, digits + at, sizeof digits - at);
}

static void put_status_line(struct text *text, const struct http_response *response) {
    if (response->status == 200 && !response->reason) {
        put(text, "HTTP/1.1 200 OK\r\n");
        return;
    }
    put(text, "HTTP/1.1 ");
    put_number(text, response->status);
    put(text, " ");
    if (!response->reason) {
        put(text, reason_of(response->status));
        put(text, "\r\n");
    }
}

/* Made anew each second. */
static void put_date(struct text *text, struct http_engine *engine) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != engine->date_seconds) {
        static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        struct tm utc;
        gmtime_r(&now.tv_sec, &utc);
        /* The remainders tell the compiler what fits. */
        int nbytes = snprintf(engine->date, sizeof engine->date, "date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                              days[utc.tm_wday], utc.tm_mday % 100, months[utc.tm_mon], (utc.tm_year + 1900) % 10000,
                              utc.tm_hour % 100, utc.tm_min % 100, utc.tm_sec % 100);
        engine->date_nbytes = (uint8_t)nbytes;
        engine->date_seconds = now.tv_sec;
    }
    put_bytes(text, engine->date, engine->date_nbytes);
}

static bool has_no_body(uint16_t status) {
    return status < 200 || status == 204 || status == 304;
}

/* How the body ends: RFC 9112, section 6. A client of HTTP/1.0 knows no chunks: there, it ends with the connection. */
static void put_framing(struct text *text, struct http_connection *connection, const struct http_response *response) {
    if (has_no_body(response->status)) return;
    if (response->body_kind != HTTP_BODY_STREAM || response->length != UINT64_MAX) {
        put(text, "content-length: ");
        put_number(text, response->body_kind == HTTP_BODY_NONE ? 0 : response->length);
        put(text, "\r\n");
    } else if (connection->head.minor_version > 0) {
        connection->is_chunked_out = !connection->is_head_only;
        put(text, "transfer-encoding: chunked\r\n");
    } else {
        connection->closes = true;
    }
}

static void put_own_fields(struct text *text, struct http_connection *connection,
                           const struct http_response *response) {
    if (!response->has_date) put_date(text, connection->server->engine);
    put_framing(text, connection, response);
    if (connection->closes)
        put(text, "connection: close\r\n");
    else if (connection->head.minor_version == 0)
        put(text, "connection: keep-alive\r\n");
    put(text, "\r\n");
}

/* ---- Answers ---- */

/* Adds the head to PARTS, in the memory of OWN; the answer's other state is set as it says. */
static void begin_answer(struct http_connection *connection, const struct http_response *response, char *own,
                         struct parts *parts) {
    struct text text = {own, 0};
    connection->is_answered = true;
    connection->owes_continue = false;
    connection->is_chunked_out = false;
    connection->answer_left = response->body_kind == HTTP_BODY_STREAM ? response->length : UINT64_MAX;
    if (has_no_body(response->status)) connection->is_head_only = true;
    if (response->closes || connection->server->is_closing) connection->closes = true;
    put_status_line(&text, response);
    add_part(parts, own, text.nbytes);
    if (response->reason) {
        add_part(parts, response->reason, response->reason_nbytes);
        add_part(parts, "\r\n", 2);
    }
    add_part(parts, response->fields, response->fields_nbytes);
    size_t start = text.nbytes;
    put_own_fields(&text, connection, response);
    if (response->fields_nbytes == 0 && !response->reason) { /* next to the first part */
        parts->list[0].iov_len = text.nbytes;
        parts->nbytes = text.nbytes;
    } else {
        add_part(parts, own + start, text.nbytes - start);
    }
}

bool http_respond(struct http_connection *connection, const struct http_response *response) {
    if (connection->phase != HTTP_PHASE_ANSWER || connection->is_answered) return false;
    char own[OWN_HEAD_NBYTES];
    struct parts head = {0}, body = {0};
    begin_answer(connection, response, own, &head);
    if (response->body_kind == HTTP_BODY_WHOLE && !connection->is_head_only)
        add_part(&body, response->body, (size_t)response->length);
    http_enter(connection->server->engine);
    if (head.count < PART_COUNT_MAX && body.count > 0) {
        add_part(&head, body.list[0].iov_base, body.nbytes);
        body.count = 0;
    }
    emit(connection, &head);
    if (body.count > 0) emit(connection, &body);
    if (response->body_kind != HTTP_BODY_STREAM) http_answer_done(connection);
    http_leave(connection->server->engine);
    return true;
}

static bool is_streaming(const struct http_connection *connection) {
    return connection->phase == HTTP_PHASE_ANSWER && connection->is_answered;
}

static void add_chunk(struct parts *parts, char size[static 20], const uint8_t *bytes, size_t nbytes) {
    add_part(parts, size, (size_t)snprintf(size, 20, "%zx\r\n", nbytes));
    add_part(parts, bytes, nbytes);
    add_part(parts, "\r\n", 2);
}

int64_t http_write(struct http_connection *connection, const uint8_t *bytes, size_t nbytes) {
    if (!is_streaming(connection)) return -1;
    if (connection->answer_left != UINT64_MAX) {
        if (nbytes > connection->answer_left) return -1;
        connection->answer_left -= nbytes;
    }
    if (nbytes == 0 || connection->is_head_only) return 0;
    char size[20];
    struct parts parts = {0};
    if (connection->is_chunked_out)
        add_chunk(&parts, size, bytes, nbytes);
    else
        add_part(&parts, bytes, nbytes);
    struct http_engine *engine = connection->server->engine;
    http_enter(engine);
    emit(connection, &parts);
    int64_t left = (int64_t)http_buffer_nbytes(&connection->pending);
    connection->wants_drain = left > 0;
    http_leave(engine);
    return left;
}

void http_end(struct http_connection *connection) {
    if (!is_streaming(connection)) return;
    struct http_engine *engine = connection->server->engine;
    http_enter(engine);
    struct parts parts = {0};
    if (connection->is_chunked_out) add_part(&parts, "0\r\n\r\n", 5);
    if (connection->answer_left != UINT64_MAX && connection->answer_left > 0 && !connection->is_head_only) {
        http_connection_close(connection, 0, false);
    } else {
        if (parts.count > 0) emit(connection, &parts);
        http_answer_done(connection);
    }
    http_leave(engine);
}

void http_refuse(struct http_connection *connection, int status, const char *problem) {
    static const uint8_t fields[] = "content-type: text/plain;charset=UTF-8\r\n";
    char text[160];
    int nbytes = snprintf(text, sizeof text, "%d %s: %s\n", status, reason_of((uint16_t)status), problem);
    struct http_response response = {
        .status = (uint16_t)status,
        .fields = fields,
        .fields_nbytes = sizeof fields - 1,
        .closes = true,
        .body_kind = HTTP_BODY_WHOLE,
        .body = (const uint8_t *)text,
        .length = (uint64_t)nbytes,
    };
    char own[OWN_HEAD_NBYTES];
    struct parts parts = {0};
    connection->is_head_only = false;
    connection->head.minor_version = 1;
    begin_answer(connection, &response, own, &parts);
    add_part(&parts, text, (size_t)nbytes);
    emit(connection, &parts);
    http_close_gently(connection);
}

void http_send_continue(struct http_connection *connection) {
    struct parts parts = {0};
    connection->owes_continue = false;
    add_part(&parts, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    emit(connection, &parts);
}
