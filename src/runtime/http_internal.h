/* http_internal.h: what the parts of the HTTP server share: http_server.c (listening, the life of connections, time),
 * http_input.c (requests) and http_output.c (answers). */
#ifndef FINO_RT_HTTP_INTERNAL_H
#define FINO_RT_HTTP_INTERNAL_H

#include "runtime/deadlines.h"
#include "runtime/http_server.h"

/* Of one read, and of what a batch of answers is gathered in: a full window of small requests, and small enough to stay
 * in the processor's cache. */
#define HTTP_BUFFER_NBYTES 65536

/* Bytes from START to END, in memory of its own; none when START == END. */
struct http_buffer {
    uint8_t *bytes;
    size_t start, end, capacity;
};

enum http_phase {
    HTTP_PHASE_HEAD,    /* reads a request's head, or waits for one */
    HTTP_PHASE_ANSWER,  /* the request has not got its whole answer */
    HTTP_PHASE_DISCARD, /* it has, but has not sent all of its body */
    HTTP_PHASE_LINGER,  /* closing: our side is shut, the client may be sending */
    HTTP_PHASE_CLOSED,
};

struct http_connection {
    struct rt_watch watch; /* first: recovered by a cast */
    struct http_server *server;
    struct http_connection *previous, *next; /* of the server; NEXT also of those to be freed */
    struct http_connection *next_waiting;    /* of those that go on in the loop's next turn */
    struct rt_deadline deadline;
    uint64_t since_ns; /* when what is waited for began: the deadline counts from here */
    uint32_t id;
    uint8_t phase; /* enum http_phase */

    bool is_readable;    /* the socket may have something, as far as we know */
    bool is_broken;      /* sending failed: it is closed in its next pump */
    bool has_hung_up;    /* the client will send no more: read until the end whatever a read returned */
    bool is_waiting;     /* in the engine's list */
    bool is_head_begun;  /* some of the request's head has come */
    bool wants_drain;    /* on_drain is owed */
    bool wants_body;     /* on_body is owed */
    bool owes_continue;  /* 100 before the body is read */
    bool is_body_over;   /* all of the request's body is read */
    bool is_answered;    /* the answer's head is on its way */
    bool is_head_only;   /* HEAD: no body is sent */
    bool is_chunked_out; /* the answer's body is */
    bool closes;         /* after this answer */
    bool lingers;        /* before it closes, until the client has seen that we do */

    struct http_head head;      /* of the request */
    uint64_t body_left;         /* of the request's, when its length is known */
    uint64_t body_nbytes;       /* so far */
    struct http_chunks chunks;  /* of it, when it isn't */
    uint64_t answer_left;       /* of a stream of known length; else UINT64_MAX */
    struct http_buffer input;   /* received, not consumed */
    struct http_buffer pending; /* answered, not sent */
};

struct http_server {
    struct rt_watch watch; /* first */
    struct http_engine *engine;
    struct http_server *previous, *next;
    struct http_server_options options;
    void *data;
    struct http_connection *connections;
    uint32_t connection_count;
    bool is_closing;
};

struct http_slot {
    struct http_connection *connection;
    uint32_t generation;
    uint32_t next_free; /* index + 1 */
};

struct http_engine {
    struct rt_loop *loop;
    struct http_hooks hooks;
    struct rt_deadlines deadlines;
    struct http_server *servers;
    struct http_slot *slots;
    uint32_t slot_count, slot_capacity, first_free;
    int spare_fd; /* given up to refuse a connection when there are no more descriptors */

    struct http_connection *pumped;  /* whose input is worked on, or NULL */
    uint8_t *view;                   /* what of it is not consumed, in IN or its own buffer */
    size_t view_nbytes;              /* */
    size_t batch_nbytes;             /* answers to PUMPED in OUT */
    struct http_connection *waiting; /* for the next turn */
    struct rt_task wait_task;
    bool is_wait_posted;
    struct http_connection *dead; /* closed; freed when nothing of ours is on the stack with them */
    int depth;                    /* how many entries from the loop are */

    time_t date_seconds;
    char date[48]; /* "date: ...\r\n" */
    uint8_t date_nbytes;
    uint8_t in[HTTP_BUFFER_NBYTES], out[HTTP_BUFFER_NBYTES];
};

/* ---- http_server.c ---- */

/* Around all that the loop enters. */
void http_enter(struct http_engine *engine);
void http_leave(struct http_engine *engine);
/* CONNECTION's input is worked on in the next turn. */
void http_continue_later(struct http_connection *connection);
/* Sets the deadline as the phase wants; PROGRESS: time counts from now. */
void http_note_time(struct http_connection *connection, bool progress);
void http_connection_close(struct http_connection *connection, int abort_status, bool tells);

/* ---- http_input.c ---- */

/* Works on what has come and what can be read now. */
void http_pump(struct http_connection *connection);
/* The answer is complete: goes on to the next request, or closes. */
void http_answer_done(struct http_connection *connection);
/* Closes when all is sent, and so that the client can read it although it may still be sending. */
void http_close_gently(struct http_connection *connection);

/* ---- http_output.c ---- */

/* Sends what is pending. */
void http_flush(struct http_connection *connection);
/* Sends the batch. */
void http_flush_batch(struct http_connection *connection);
/* A whole answer of fino's own to a message that can't be understood. Closes. */
void http_refuse(struct http_connection *connection, int status, const char *problem);
void http_send_continue(struct http_connection *connection);

static inline size_t http_buffer_nbytes(const struct http_buffer *buffer) {
    return buffer->end - buffer->start;
}
void http_buffer_append(struct http_buffer *buffer, const uint8_t *bytes, size_t nbytes);
/* Room for at least NBYTES at END. */
void http_buffer_reserve(struct http_buffer *buffer, size_t nbytes);
void http_buffer_free(struct http_buffer *buffer);

#endif
