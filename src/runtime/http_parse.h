/* http_parse.h: HTTP/1.1 messages on the wire: heads of requests and responses, and the chunked coding.
 *
 * Strict: what RFC 9112 lets a recipient repair, and what two recipients could understand differently (both lengths,
 * folded lines, a bare LF, space before a colon), is an error, so that nobody before or behind us reads the same bytes
 * as other messages.
 *
 * Incremental: input comes in any pieces, and each byte is looked at a bounded number of times however small they are.
 * Nothing is allocated or kept but what is in the structs; offsets count from the message's first byte.
 *
 * Threads: any, one at a time for each struct.
 */
#ifndef FINO_RT_HTTP_PARSE_H
#define FINO_RT_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest head whose offsets a struct http_head holds. */
#define HTTP_HEAD_NBYTES_MAX (1u << 20)

struct http_limits {
    uint32_t head_nbytes; /* from the first line to the empty one; at most HTTP_HEAD_NBYTES_MAX */
    uint32_t field_count;
};

enum http_parse_state { HTTP_PARSE_START_LINE, HTTP_PARSE_FIELDS };

/* Zeroed before a message's first byte; all but the last five fields are results. */
struct http_head {
    uint32_t method_nbytes; /* of a request: it is the message's first bytes */
    uint32_t target_start, target_nbytes;
    uint32_t fields_start, fields_end; /* lines of "name:value\r\n", all valid */
    uint16_t status;                   /* of a response */
    uint8_t minor_version;             /* 0 or 1 */
    bool has_content_length;
    bool is_chunked;
    bool is_persistent; /* by its version and Connection fields */
    bool expects_continue;
    bool upgrades;
    uint64_t content_length;
    const char *problem; /* after an error: what was wrong; static */

    enum http_parse_state state;
    bool has_host;
    bool has_transfer_encoding;
    uint32_t field_count;
    uint32_t line_start, searched; /* the line that is not complete, and how far a LF was looked for */
};

/* Parses a request's head, or a response's, as far as BYTES goes: all of the message received so far, from its first
 * byte, in each call.
 * Returns: the size of the head, when it is complete; 0: more is needed; or a negative HTTP status to answer with
 * (-400, -414, -417, -431, -501, -505), after which HEAD is good for nothing but its `problem`. */
int http_parse_request(struct http_head *head, const uint8_t *bytes, size_t nbytes, const struct http_limits *limits);
/* All errors are -502. */
int http_parse_response(struct http_head *head, const uint8_t *bytes, size_t nbytes, const struct http_limits *limits);

/* Whether TEXT is what RFC 9110 calls a token: a method, a field's name. */
bool http_is_token(const uint8_t *text, size_t nbytes);
/* Whether TEXT may be a field's value: no control characters but tabs. */
bool http_is_field_value(const uint8_t *text, size_t nbytes);

/* ---- The chunked coding ---- */

/* Zeroed before a body's first byte. */
struct http_chunks {
    uint64_t left; /* of the chunk's data */
    uint8_t state;
    uint8_t digit_count;
    uint32_t overhead_nbytes; /* of extensions since the last data, or of trailer fields */
};

enum http_chunks_result {
    HTTP_CHUNKS_MORE, /* all of the input is used up */
    HTTP_CHUNKS_DATA, /* *DATA_OUT and *DATA_NBYTES_OUT, within the input, are the body's next bytes, never none */
    HTTP_CHUNKS_END,  /* the body is complete, its trailer fields (valid, ignored) included */
    HTTP_CHUNKS_BAD,  /* not the chunked coding: nothing after this can be understood */
};

/* Takes the next step. *USED_OUT bytes of the input, data included, are done with. */
enum http_chunks_result http_chunks_next(struct http_chunks *chunks, const uint8_t *bytes, size_t nbytes,
                                         size_t *used_out, const uint8_t **data_out, size_t *data_nbytes_out);

#endif
