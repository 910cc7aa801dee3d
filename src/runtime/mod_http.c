/* mod_http.c: HTTP servers for JavaScript: http_server.h's requests as calls of a function, and its answers as natives.
 *
 * A request is one call: its head goes over as one string, which JavaScript cuts up when somebody asks, so that nothing
 * of ours has to live as long as a Request does. A body that came with it goes as a string too while it is ASCII. What
 * the handler answers at once with nothing but text comes back as the call's result, without another crossing.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/http_server.h"
#include "runtime/utf8.h"

/* Text up to this size is converted on the stack. */
#define SMALL_BYTES 8192
/* How info packs what JavaScript needs to find its way in a head: js/http_server.js has the other half. */
#define METHOD_BITS 6

static const char text_fields[] = "content-type: text/plain;charset=UTF-8\r\n";

/* What onEvent is told; js/http_server.js has the same numbers. */
enum event { EVENT_BODY, EVENT_BODY_END, EVENT_DRAIN, EVENT_ABORT, EVENT_CLOSED };

/* A server's JavaScript side. */
struct listener {
    struct listener *next;
    struct http_server *server;
    uint32_t id;
    v8s_ref *on_request; /* onRequest(id, head, info, body) */
    v8s_ref *on_event;   /* onEvent(id, event, value) */
    v8s_ref *on_accept;  /* onAccept(host, port), or NULL */
};

struct rt_http {
    struct rt_realm *realm;
    struct http_engine *engine;
    struct listener *listeners;
    uint32_t last_id;
};

/* ---- Strings as bytes ---- */

/* The bytes of a string: UTF-8, or Latin-1 if that is asked for. */
struct string_bytes {
    uint8_t *bytes;
    size_t nbytes;
    uint8_t *allocated; /* to free; NULL when SMALL was enough */
    uint8_t small[SMALL_BYTES];
};

static void bytes_of_latin1(v8s_isolate *isolate, v8s_value string, struct string_bytes *out) {
    out->nbytes = v8s_string_length(string);
    out->allocated = out->nbytes > sizeof out->small ? malloc(out->nbytes) : NULL;
    out->bytes = out->allocated ? out->allocated : out->small;
    if (out->nbytes > sizeof out->small && !out->allocated) abort();
    v8s_string_write_latin1(isolate, string, out->bytes, 0, out->nbytes);
}

/* Most text is short ASCII, which V8 stores as it is sent. */
static void bytes_of_utf8(v8s_isolate *isolate, v8s_value string, struct string_bytes *out) {
    if (v8s_string_length(string) <= sizeof out->small && v8s_string_is_one_byte(string)) {
        bytes_of_latin1(isolate, string, out);
        if (rt_utf8_is_ascii(out->bytes, out->nbytes)) return;
    }
    out->bytes = out->allocated = (uint8_t *)v8s_string_copy(isolate, string, &out->nbytes);
    if (!out->bytes) abort();
}

/* ---- Events ---- */

static struct listener *listener_of(struct http_connection *connection) {
    return http_server_data(http_connection_server(connection));
}

static void tell(struct rt_http *http, const struct listener *listener, uint32_t id, enum event event,
                 v8s_value value) {
    v8s_isolate *isolate = http->realm->isolate;
    v8s_value arguments[] = {v8s_number(isolate, id), v8s_number(isolate, event),
                             value ? value : v8s_undefined(isolate)};
    rt_realm_call(http->realm, v8s_ref_get(isolate, listener->on_event), 3, arguments);
}

static void tell_connection(struct rt_http *http, struct http_connection *connection, enum event event, double value) {
    struct v8s_scope scope;
    v8s_scope_open(http->realm->isolate, &scope);
    tell(http, listener_of(connection), http_connection_id(connection), event, v8s_number(http->realm->isolate, value));
    v8s_scope_close(&scope);
}

static void on_body(void *data, struct http_connection *connection, const uint8_t *bytes, size_t nbytes) {
    struct rt_http *http = data;
    if (!bytes) {
        tell_connection(http, connection, EVENT_BODY_END, 0);
        return;
    }
    struct v8s_scope scope;
    v8s_scope_open(http->realm->isolate, &scope);
    uint8_t *copy;
    v8s_value array = v8s_uint8array_new(http->realm->isolate, nbytes, &copy);
    memcpy(copy, bytes, nbytes);
    tell(http, listener_of(connection), http_connection_id(connection), EVENT_BODY, array);
    v8s_scope_close(&scope);
}

static void on_drain(void *data, struct http_connection *connection) {
    tell_connection(data, connection, EVENT_DRAIN, 0);
}

static void on_abort(void *data, struct http_connection *connection, int status) {
    tell_connection(data, connection, EVENT_ABORT, status);
}

static void free_listener(struct listener *listener) {
    v8s_ref_free(listener->on_request);
    v8s_ref_free(listener->on_event);
    v8s_ref_free(listener->on_accept);
    free(listener);
}

static void on_closed(void *data, void *server_data) {
    struct rt_http *http = data;
    struct listener *listener = server_data, **at = &http->listeners;
    while (*at != listener)
        at = &(*at)->next;
    *at = listener->next;
    struct v8s_scope scope;
    v8s_scope_open(http->realm->isolate, &scope);
    tell(http, listener, listener->id, EVENT_CLOSED, NULL);
    v8s_scope_close(&scope);
    free_listener(listener);
}

/* null: no body; undefined: it comes later. */
static v8s_value body_value(v8s_isolate *isolate, const struct http_request *request) {
    if (!request->body) return v8s_undefined(isolate);
    if (request->body_nbytes == 0) return v8s_null(isolate);
    if (rt_utf8_is_ascii(request->body, request->body_nbytes))
        return v8s_string_latin1(isolate, request->body, request->body_nbytes);
    uint8_t *copy;
    v8s_value array = v8s_uint8array_new(isolate, request->body_nbytes, &copy);
    memcpy(copy, request->body, request->body_nbytes);
    return array;
}

/* The handler has answered with text alone. */
static void respond_text(v8s_isolate *isolate, struct http_connection *connection, v8s_value text) {
    struct string_bytes body;
    bytes_of_utf8(isolate, text, &body);
    struct http_response response = {
        .status = 200,
        .fields = (const uint8_t *)text_fields,
        .fields_nbytes = sizeof text_fields - 1,
        .body_kind = HTTP_BODY_WHOLE,
        .body = body.bytes,
        .length = body.nbytes,
    };
    http_respond(connection, &response);
    free(body.allocated);
}

static bool on_accept(void *data, void *server_data, const struct rt_address *peer) {
    struct rt_http *http = data;
    const struct listener *listener = server_data;
    v8s_isolate *isolate = http->realm->isolate;
    struct v8s_scope scope;
    struct v8s_caught caught;
    char text[RT_ADDRESS_TEXT_NBYTES];
    uint16_t port = rt_address_text(peer, text);
    v8s_scope_open(isolate, &scope);
    v8s_value arguments[] = {v8s_string(isolate, text), v8s_number(isolate, port)};
    v8s_value result = v8s_call(isolate, v8s_ref_get(isolate, listener->on_accept), NULL, 2, arguments, &caught);
    bool is_welcome = result && v8s_truthy(isolate, result);
    if (caught.error) rt_realm_uncaught(http->realm, caught.error, caught.message);
    rt_realm_checkpoint(http->realm);
    v8s_scope_close(&scope);
    return is_welcome;
}

static void on_request(void *data, struct http_connection *connection, const struct http_request *request) {
    struct rt_http *http = data;
    v8s_isolate *isolate = http->realm->isolate;
    struct v8s_scope scope;
    struct v8s_caught caught;
    v8s_scope_open(isolate, &scope);
    v8s_value arguments[] = {
        v8s_number(isolate, http_connection_id(connection)),
        v8s_string_latin1(isolate, request->bytes, request->nbytes - 2),
        v8s_number(isolate, request->head->target_nbytes << METHOD_BITS | request->head->method_nbytes),
        body_value(isolate, request),
    };
    v8s_value function = v8s_ref_get(isolate, listener_of(connection)->on_request);
    v8s_value result = v8s_call(isolate, function, NULL, 4, arguments, &caught);
    if (result && v8s_is_string(result)) respond_text(isolate, connection, result);
    if (caught.error) rt_realm_uncaught(http->realm, caught.error, caught.message);
    rt_realm_checkpoint(http->realm);
    v8s_scope_close(&scope);
}

/* ---- Listening ---- */

static struct rt_http *http_of(struct rt_realm *realm) {
    if (realm->http) return realm->http;
    struct rt_http *http = calloc(1, sizeof *http);
    if (!http) abort();
    http->realm = realm;
    http->engine = http_engine_new(&realm->loop, &(struct http_hooks){.data = http,
                                                                      .on_accept = on_accept,
                                                                      .on_request = on_request,
                                                                      .on_body = on_body,
                                                                      .on_drain = on_drain,
                                                                      .on_abort = on_abort,
                                                                      .on_closed = on_closed});
    if (!http->engine) {
        free(http);
        return NULL;
    }
    realm->http = http;
    return http;
}

void rt_http_free(struct rt_realm *realm) {
    struct rt_http *http = realm->http;
    if (!http) return;
    http_engine_free(http->engine);
    while (http->listeners) {
        struct listener *listener = http->listeners;
        http->listeners = listener->next;
        free_listener(listener);
    }
    free(http);
    realm->http = NULL;
}

static uint64_t milliseconds_argument(const v8s_arguments *arguments, int index) {
    return (uint64_t)(fmin(rt_number_argument(arguments, index), 1e12) * 1e6);
}

static v8s_value describe_listener(v8s_isolate *isolate, const struct listener *listener, int fd) {
    struct rt_address address = {.nbytes = sizeof address.socket};
    char text[RT_ADDRESS_TEXT_NBYTES];
    getsockname(fd, &address.socket.any, &address.nbytes);
    uint16_t port = rt_address_text(&address, text);
    v8s_value parts[] = {v8s_number(isolate, listener->id), v8s_string(isolate, text), v8s_number(isolate, port)};
    return v8s_array_new(isolate, parts, 3);
}

static int listen_on(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_address address;
    char *host = v8s_string_copy(isolate, v8s_argument(arguments, 0), NULL);
    bool is_address = host && rt_address_parse(host, (uint16_t)rt_number_argument(arguments, 1), &address);
    free(host);
    if (!is_address) return -EADDRNOTAVAIL;
    return rt_net_listen(&address,
                         &(struct rt_listen_options){.backlog = (int)rt_number_argument(arguments, 2),
                                                     .reuse_port = v8s_truthy(isolate, v8s_argument(arguments, 3))});
}

/* httpListen(host, port, backlog, reusePort, headBytes, fieldCount, bodyLimitBytes, headersTimeoutMs, idleTimeoutMs,
 * onRequest, onEvent, onAccept or undefined): [id, host, port] */
static v8s_value http_listen(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_http *http = http_of(rt_realm_of(isolate));
    if (!v8s_is_string(v8s_argument(arguments, 0)) || !v8s_is_function(v8s_argument(arguments, 9)) ||
        !v8s_is_function(v8s_argument(arguments, 10)))
        return v8s_throw_type_error(isolate, "httpListen: a host and two functions are needed");
    if (!http) return rt_throw_errno(isolate, ENOMEM, "listen", NULL);
    struct http_server_options options = {
        .limits = {.head_nbytes = (uint32_t)fmin(rt_number_argument(arguments, 4), HTTP_HEAD_NBYTES_MAX),
                   .field_count = (uint32_t)rt_number_argument(arguments, 5)},
        .body_limit_nbytes = (uint64_t)fmin(rt_number_argument(arguments, 6), 0x1p63),
        .headers_timeout_ns = milliseconds_argument(arguments, 7),
        .idle_timeout_ns = milliseconds_argument(arguments, 8),
        .asks = v8s_is_function(v8s_argument(arguments, 11)),
    };
    int fd = listen_on(isolate, arguments);
    if (fd < 0) return rt_throw_errno(isolate, -fd, "listen", NULL);
    struct listener *listener = calloc(1, sizeof *listener);
    if (!listener) abort();
    int error = http_server_new(http->engine, fd, &options, listener, &listener->server);
    if (error) {
        close(fd);
        free(listener);
        return rt_throw_errno(isolate, -error, "listen", NULL);
    }
    listener->id = ++http->last_id;
    listener->on_request = v8s_ref_new(isolate, v8s_argument(arguments, 9));
    listener->on_event = v8s_ref_new(isolate, v8s_argument(arguments, 10));
    if (options.asks) listener->on_accept = v8s_ref_new(isolate, v8s_argument(arguments, 11));
    listener->next = http->listeners;
    http->listeners = listener;
    return describe_listener(isolate, listener, fd);
}

/* httpClose(id, force): onEvent(id, EVENT_CLOSED) follows. */
static v8s_value http_close(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_http *http = rt_realm_of(isolate)->http;
    uint32_t id = (uint32_t)rt_number_argument(arguments, 0);
    for (struct listener *each = http ? http->listeners : NULL; each; each = each->next) {
        if (each->id != id) continue;
        http_server_close(each->server, v8s_truthy(isolate, v8s_argument(arguments, 1)));
        break;
    }
    return NULL;
}

/* ---- Answers ---- */

/* The connection whose id is the first argument; NULL: it is gone. */
static struct http_connection *connection_argument(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_http *http = rt_realm_of(isolate)->http;
    return http ? http_connection_find(http->engine, (uint32_t)rt_number_argument(arguments, 0)) : NULL;
}

enum { FLAG_HAS_DATE = 1, FLAG_CLOSES = 2, FLAG_STREAM = 4 };

/* The body: a string or bytes. BYTES must live until the answer is written. */
static void set_body(v8s_isolate *isolate, v8s_value body, struct http_response *response, struct string_bytes *bytes) {
    size_t nbytes;
    if (v8s_is_string(body)) {
        bytes_of_utf8(isolate, body, bytes);
        response->body = bytes->bytes;
        response->length = bytes->nbytes;
    } else if (v8s_bytes_of(body, &bytes->bytes, &nbytes)) {
        response->body = bytes->bytes;
        response->length = nbytes;
    } else {
        return;
    }
    response->body_kind = HTTP_BODY_WHOLE;
}

/* httpRespond(id, status, reason, fields, body, flags, length): whether there was a request to answer. REASON:
 * undefined for the usual one. LENGTH: of a stream, if it is known. */
static v8s_value http_respond_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct http_connection *connection = connection_argument(isolate, arguments);
    if (!connection) return v8s_bool(isolate, false);
    v8s_value reason = v8s_argument(arguments, 2), fields = v8s_argument(arguments, 3);
    v8s_value length = v8s_argument(arguments, 6);
    unsigned flags = (unsigned)rt_number_argument(arguments, 5);
    struct http_response response = {
        .status = (uint16_t)rt_number_argument(arguments, 1),
        .has_date = flags & FLAG_HAS_DATE,
        .closes = flags & FLAG_CLOSES,
        .body_kind = flags & FLAG_STREAM ? HTTP_BODY_STREAM : HTTP_BODY_NONE,
        .length = v8s_is_number(length) ? (uint64_t)v8s_number_of(length) : UINT64_MAX,
    };
    struct string_bytes reason_bytes, field_bytes, body_bytes;
    reason_bytes.allocated = field_bytes.allocated = body_bytes.allocated = NULL;
    if (v8s_is_string(reason)) {
        bytes_of_latin1(isolate, reason, &reason_bytes);
        response.reason = reason_bytes.bytes;
        response.reason_nbytes = reason_bytes.nbytes;
    }
    if (v8s_is_string(fields)) {
        bytes_of_latin1(isolate, fields, &field_bytes);
        response.fields = field_bytes.bytes;
        response.fields_nbytes = field_bytes.nbytes;
    }
    if (response.body_kind != HTTP_BODY_STREAM) set_body(isolate, v8s_argument(arguments, 4), &response, &body_bytes);
    bool answered = http_respond(connection, &response);
    free(reason_bytes.allocated);
    free(field_bytes.allocated);
    free(body_bytes.allocated);
    return v8s_bool(isolate, answered);
}

/* httpWrite(id, string or bytes): how many bytes wait for the client; EVENT_DRAIN follows unless it is 0. Negative: the
 * answer is over. */
static v8s_value http_write_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct http_connection *connection = connection_argument(isolate, arguments);
    v8s_value data = v8s_argument(arguments, 1);
    struct string_bytes bytes;
    bytes.allocated = NULL;
    if (!connection) return v8s_number(isolate, -1);
    if (v8s_is_string(data))
        bytes_of_utf8(isolate, data, &bytes);
    else if (!v8s_bytes_of(data, &bytes.bytes, &bytes.nbytes))
        return v8s_throw_type_error(isolate, "httpWrite: neither a string nor bytes");
    int64_t left = http_write(connection, bytes.bytes, bytes.nbytes);
    free(bytes.allocated);
    return v8s_number(isolate, (double)left);
}

/* Calls ACT with the connection whose id is the argument, if it is still there. */
static v8s_value do_to(v8s_isolate *isolate, const v8s_arguments *arguments, void (*act)(struct http_connection *)) {
    struct http_connection *connection = connection_argument(isolate, arguments);
    if (connection) act(connection);
    return NULL;
}

static v8s_value http_end_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    return do_to(isolate, arguments, http_end);
}

static v8s_value http_abort_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    return do_to(isolate, arguments, http_abort);
}

/* httpRead(id): EVENT_BODY or EVENT_BODY_END follows, later. */
static v8s_value http_read(v8s_isolate *isolate, const v8s_arguments *arguments) {
    return do_to(isolate, arguments, http_body_read);
}

static const struct v8s_native_entry functions[] = {
    {"httpListen", http_listen, 12},     {"httpClose", http_close, 2},    {"httpRespond", http_respond_native, 7},
    {"httpWrite", http_write_native, 2}, {"httpEnd", http_end_native, 1}, {"httpAbort", http_abort_native, 1},
    {"httpRead", http_read, 1},
};

const struct rt_native_group rt_mod_http = {functions, sizeof functions / sizeof *functions, NULL};
