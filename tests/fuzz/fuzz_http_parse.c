// SOURCES: src/runtime/http_parse.c
/* Any bytes as a request, a response and a chunked body: the result does not depend on the pieces they come in, and
 * what is accepted keeps the promises that its readers rely on. */
#include "fuzz_slice.h"
#include "runtime/http_parse.h"

typedef int (*parser)(struct http_head *, const uint8_t *, size_t, const struct http_limits *);

static const struct http_limits limits = {.head_nbytes = 2048, .field_count = 20};

/* A copy of just that size, so that a read beyond it is seen. */
static uint8_t *exact(const uint8_t *bytes, size_t nbytes) {
    uint8_t *copy = malloc(nbytes + !nbytes);
    if (nbytes) memcpy(copy, bytes, nbytes);
    return copy;
}

static void check_fields(const struct http_head *head, const uint8_t *bytes) {
    for (uint32_t at = head->fields_start; at < head->fields_end;) {
        const uint8_t *line = bytes + at;
        const uint8_t *end = memchr(line, '\r', head->fields_end - at),
                      *colon = memchr(line, ':', head->fields_end - at);
        FUZZ_CHECK(end && colon && colon < end && end[1] == '\n');
        FUZZ_CHECK(http_is_token(line, (size_t)(colon - line)));
        FUZZ_CHECK(http_is_field_value(colon + 1, (size_t)(end - colon - 1)));
        at = (uint32_t)(end + 2 - bytes);
    }
}

static void check_head(parser parse, const uint8_t *bytes, size_t nbytes, size_t step) {
    struct http_head whole = {0}, pieces = {0};
    int expected = parse(&whole, bytes, nbytes, &limits), result = 0;
    for (size_t given = 0; result == 0 && given < nbytes;) {
        given = given + step < nbytes ? given + step : nbytes;
        uint8_t *copy = exact(bytes, given);
        result = parse(&pieces, copy, given, &limits);
        free(copy);
    }
    FUZZ_CHECK(result == expected);
    if (result <= 0) return;
    FUZZ_CHECK((size_t)result <= nbytes && memcmp(bytes + result - 4, "\r\n\r\n", 4) == 0);
    FUZZ_CHECK(!(whole.is_chunked && whole.has_content_length));
    FUZZ_CHECK(whole.content_length == pieces.content_length && whole.is_chunked == pieces.is_chunked);
    check_fields(&whole, bytes);
}

struct decoded {
    enum http_chunks_result result;
    size_t used, nbytes;
    uint64_t hash;
};

static struct decoded decode(const uint8_t *bytes, size_t nbytes, size_t step) {
    struct http_chunks chunks = {0};
    struct decoded decoded = {.result = HTTP_CHUNKS_MORE};
    while (decoded.used < nbytes) {
        size_t given = nbytes - decoded.used < step ? nbytes - decoded.used : step, used, data_nbytes;
        const uint8_t *data;
        uint8_t *copy = exact(bytes + decoded.used, given);
        decoded.result = http_chunks_next(&chunks, copy, given, &used, &data, &data_nbytes);
        FUZZ_CHECK(used <= given);
        decoded.used += used;
        if (decoded.result == HTTP_CHUNKS_DATA) {
            FUZZ_CHECK(data_nbytes > 0 && data >= copy && data + data_nbytes == copy + used);
            decoded.nbytes += data_nbytes;
            for (size_t i = 0; i < data_nbytes; i++)
                decoded.hash = decoded.hash * 31 + data[i];
        }
        free(copy);
        if (decoded.result == HTTP_CHUNKS_END || decoded.result == HTTP_CHUNKS_BAD) break;
    }
    return decoded;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes) {
    if (nbytes == 0) return 0;
    size_t step = 1 + bytes[0] % 9;
    bytes++;
    nbytes--;
    check_head(http_parse_request, bytes, nbytes, step);
    check_head(http_parse_response, bytes, nbytes, step);
    struct decoded whole = decode(bytes, nbytes, nbytes ? nbytes : 1), pieces = decode(bytes, nbytes, step);
    FUZZ_CHECK(whole.nbytes == pieces.nbytes && whole.hash == pieces.hash);
    FUZZ_CHECK((whole.result == HTTP_CHUNKS_END) == (pieces.result == HTTP_CHUNKS_END));
    FUZZ_CHECK((whole.result == HTTP_CHUNKS_BAD) == (pieces.result == HTTP_CHUNKS_BAD));
    return 0;
}

#ifndef FINO_LIBFUZZER
size_t fuzz_seed(unsigned i, uint8_t *out) {
    static const char *const seeds[] = {
        "2POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
        "3HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "13;a=b\r\nabc\r\n0\r\nT: v\r\n\r\n",
    };
    const char *seed = seeds[i % 3];
    memcpy(out, seed, strlen(seed));
    return strlen(seed);
}
#endif
