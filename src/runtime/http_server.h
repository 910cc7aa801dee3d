/* http_server.h: HTTP/1.1 servers on an event loop: they listen, read requests, and write what they are told to answer.
 *
 * Nothing here knows of JavaScript. One request of a connection is answered at a time, in order; the next one is read
 * when the answer is complete. A batch of requests that came in one read is answered with one write, if they are
 * answered from within on_request.
 *
 * Threads: the loop's.
 */
#ifndef FINO_RT_HTTP_SERVER_H
#define FINO_RT_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/http_parse.h"
#include "runtime/loop.h"
#include "runtime/net.h"

struct http_engine;
struct http_server;
struct http_connection;

struct http_server_options {
    struct http_limits limits;
    uint64_t body_limit_nbytes;
    uint64_t headers_timeout_ns; /* from a head's first byte to its last; 0: none */
    uint64_t idle_timeout_ns;    /* between requests, and whenever the client must send or receive; 0: none */
    bool asks;                   /* on_accept says which connections are served */
};

/* A request whose head is complete. The pointers are valid during the call only. */
struct http_request {
    const uint8_t *bytes; /* the head, from the method's first byte to the empty line */
    size_t nbytes;
    const struct http_head *head;
    const uint8_t *body; /* NULL: it isn't all there yet, ask for it with http_body_read */
    size_t body_nbytes;
};

/* What servers call; CONNECTION's id names it meanwhile and later. */
struct http_hooks {
    void *data;
    /* Somebody connects to a server that asks. False: the connection is closed at once. */
    bool (*on_accept)(void *data, void *server_data, const struct rt_address *peer);
    void (*on_request)(void *data, struct http_connection *connection, const struct http_request *request);
    /* The answer to http_body_read: BYTES is NULL at the body's end. */
    void (*on_body)(void *data, struct http_connection *connection, const uint8_t *bytes, size_t nbytes);
    /* All that was written is on its way, after http_write said it wasn't. */
    void (*on_drain)(void *data, struct http_connection *connection);
    /* A request that was not answered completely never will be; STATUS: 0 when the client went away or took too long,
     * else what it was told, and closing is under way. */
    void (*on_abort)(void *data, struct http_connection *connection, int status);
    /* http_server_close is complete, and the server gone. Called from the loop, as are all the others. */
    void (*on_closed)(void *data, void *server_data);
};

/* Returns: NULL when memory or descriptors are short. HOOKS is copied. */
struct http_engine *http_engine_new(struct rt_loop *loop, const struct http_hooks *hooks);
/* Closes everything, calling no hook. */
void http_engine_free(struct http_engine *engine);

/* Serves what connects to the listening socket FD, which becomes the server's. Returns 0 or a negative errno. */
int http_server_new(struct http_engine *engine, int fd, const struct http_server_options *options, void *server_data,
                    struct http_server **server_out);
/* Listens no longer, closes connections that wait for a request, and the others when they have got their answer; or at
 * once, when FORCE. May be called again, to force. */
void http_server_close(struct http_server *server, bool force);
void *http_server_data(const struct http_server *server);

struct http_server *http_connection_server(const struct http_connection *connection);
/* Never 0, and not used again soon. */
uint32_t http_connection_id(const struct http_connection *connection);
/* NULL: it is gone. */
struct http_connection *http_connection_find(struct http_engine *engine, uint32_t id);

/* ---- Answering ---- */

enum http_body { HTTP_BODY_NONE, HTTP_BODY_WHOLE, HTTP_BODY_STREAM };

struct http_response {
    uint16_t status;       /* 200 to 599 */
    const uint8_t *reason; /* NULL: the usual one */
    size_t reason_nbytes;
    const uint8_t *fields; /* valid lines, each with its CRLF; none of Content-Length, Transfer-Encoding, Connection */
    size_t fields_nbytes;
    bool has_date; /* FIELDS has one */
    bool closes;   /* the connection, afterwards */
    enum http_body body_kind;
    /* WHOLE: the body, or as much of it as HEAD needs: its length. STREAM: LENGTH is UINT64_MAX when it isn't known. */
    const uint8_t *body;
    uint64_t length;
};

/* Answers the request that CONNECTION is at. A STREAM is then written and ended. Returns: false: there is no request,
 * or it is answered. */
bool http_respond(struct http_connection *connection, const struct http_response *response);
/* More of a STREAM. Returns how many bytes the client has not taken yet; on_drain follows unless it is 0. Negative:
 * there is no stream (any more), or more than LENGTH. */
int64_t http_write(struct http_connection *connection, const uint8_t *bytes, size_t nbytes);
/* Its end. A stream shorter than its LENGTH is aborted. */
void http_end(struct http_connection *connection);
/* Closes the connection without more: the client sees that the answer is not complete. No hook is called. */
void http_abort(struct http_connection *connection);

/* ---- The request's body ---- */

/* Asks for more of it: on_body follows, after this returns. */
void http_body_read(struct http_connection *connection);

#endif
