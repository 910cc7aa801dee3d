/* mod_http_client.c: what fetch needs of the HTTP parser: heads of responses, and chunked bodies; and what nobody can
 * guess, for the boundaries of forms. */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/builtins.h"
#include "runtime/http_parse.h"

static const struct http_limits response_limits = {.head_nbytes = 256u << 10, .field_count = 1000};

/* httpParseResponse(bytes): undefined: more is needed; else [size of the head, status, its first line and fields as a
 * string, Content-Length or -1, chunked, persistent]. Throws if it is no response. */
static v8s_value http_parse_response_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    uint8_t *bytes;
    size_t nbytes;
    if (!v8s_bytes_of(v8s_argument(arguments, 0), &bytes, &nbytes))
        return v8s_throw_type_error(isolate, "httpParseResponse: not bytes");
    struct http_head head = {0};
    int result = http_parse_response(&head, bytes, nbytes, &response_limits);
    if (result < 0) return v8s_throw_type_error(isolate, "The server's answer is not HTTP/1.1: %s", head.problem);
    if (result == 0) return NULL;
    v8s_value parts[] = {
        v8s_number(isolate, result),
        v8s_number(isolate, head.status),
        v8s_string_latin1(isolate, bytes, head.fields_end),
        v8s_number(isolate, head.has_content_length ? (double)head.content_length : -1),
        v8s_bool(isolate, head.is_chunked),
        v8s_bool(isolate, head.is_persistent),
    };
    return v8s_array_new(isolate, parts, sizeof parts / sizeof *parts);
}

/* The data of the chunks in BYTES, into OUT, which is as large. Returns the last result. */
static enum http_chunks_result decode(struct http_chunks *chunks, const uint8_t *bytes, size_t nbytes, uint8_t *out,
                                      size_t *out_nbytes, size_t *used_out) {
    enum http_chunks_result result = HTTP_CHUNKS_MORE;
    *used_out = *out_nbytes = 0;
    while (*used_out < nbytes) {
        size_t used, data_nbytes;
        const uint8_t *data;
        result = http_chunks_next(chunks, bytes + *used_out, nbytes - *used_out, &used, &data, &data_nbytes);
        *used_out += used;
        if (result != HTTP_CHUNKS_DATA) return result;
        memcpy(out + *out_nbytes, data, data_nbytes);
        *out_nbytes += data_nbytes;
    }
    return result;
}

/* httpChunks(state, bytes): [the body's bytes among them, how many bytes are used, is it complete]. STATE: bytes that
 * httpChunksState made. */
static v8s_value http_chunks_native(v8s_isolate *isolate, const v8s_arguments *arguments) {
    uint8_t *state, *bytes, *copy;
    size_t state_nbytes, nbytes, out_nbytes, used;
    struct http_chunks chunks;
    if (!v8s_bytes_of(v8s_argument(arguments, 0), &state, &state_nbytes) || state_nbytes != sizeof chunks ||
        !v8s_bytes_of(v8s_argument(arguments, 1), &bytes, &nbytes))
        return v8s_throw_type_error(isolate, "httpChunks: not a state and bytes");
    uint8_t *out = malloc(nbytes + 1);
    if (!out) abort();
    memcpy(&chunks, state, sizeof chunks);
    enum http_chunks_result result = decode(&chunks, bytes, nbytes, out, &out_nbytes, &used);
    memcpy(state, &chunks, sizeof chunks);
    v8s_value array = v8s_uint8array_new(isolate, out_nbytes, &copy);
    if (out_nbytes) memcpy(copy, out, out_nbytes);
    free(out);
    if (result == HTTP_CHUNKS_BAD) return v8s_throw_type_error(isolate, "The server's answer has broken chunks");
    v8s_value parts[] = {array, v8s_number(isolate, (double)used), v8s_bool(isolate, result == HTTP_CHUNKS_END)};
    return v8s_array_new(isolate, parts, 3);
}

/* httpChunksState(): for a body of which nothing has come yet. */
static v8s_value http_chunks_state(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    uint8_t *bytes;
    return v8s_uint8array_new(isolate, sizeof(struct http_chunks), &bytes); /* zeroed */
}

/* randomHex(): 16 random bytes in hexadecimal digits. */
static v8s_value random_hex(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    uint8_t random[16], text[2 * sizeof random];
    if (getrandom(random, sizeof random, 0) != sizeof random) abort(); /* so few it always has */
    for (size_t i = 0; i < sizeof random; i++) {
        text[2 * i] = (uint8_t) "0123456789abcdef"[random[i] >> 4];
        text[2 * i + 1] = (uint8_t) "0123456789abcdef"[random[i] & 15];
    }
    return v8s_string_latin1(isolate, text, sizeof text);
}

static const struct v8s_native_entry functions[] = {
    {"httpParseResponse", http_parse_response_native, 1},
    {"httpChunks", http_chunks_native, 2},
    {"httpChunksState", http_chunks_state, 0},
    {"randomHex", random_hex, 0},
};

const struct rt_native_group rt_mod_http_client = {functions, sizeof functions / sizeof *functions, NULL};
