// SOURCES: src/runtime/http_parse.c
/* HTTP/1.1 heads and chunks: what is accepted, what is refused and with which status, whole and byte by byte, with the
 * input ending at a page that can't be read. */
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "runtime/http_parse.h"

static const struct http_limits limits = {.head_nbytes = 512, .field_count = 8};

/* A copy of TEXT that ends where memory does. */
static uint8_t *at_guard_page(const char *text, size_t nbytes) {
    static uint8_t *pages;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!pages) {
        pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    }
    return memcpy(pages + page - nbytes, text, nbytes);
}

/* The result of parsing TEXT in steps of STEP bytes. */
static int parse(struct http_head *head, const char *text, size_t step) {
    size_t nbytes = strlen(text);
    *head = (struct http_head){0};
    for (size_t given = step < nbytes ? step : nbytes;; given += step) {
        if (given > nbytes) given = nbytes;
        int result = http_parse_request(head, at_guard_page(text, given), given, &limits);
        if (result != 0 || given == nbytes) return result;
    }
}

static void expect_parse(const char *text, int expected) {
    struct http_head head;
    for (size_t step = 1; step < 600; step = step * 3 + 1) {
        int result = parse(&head, text, step);
        if (result != expected) fprintf(stderr, "step %zu, %s: %s\n", step, text, head.problem);
        EXPECT_EQ(result, expected);
        if (expected < 0) EXPECT(head.problem);
    }
}

static void expect_whole(const char *text) {
    expect_parse(text, (int)strlen(text));
}

#define GET "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"

static void accepts(void) {
    expect_whole(GET HOST "\r\n");
    expect_whole("GET / HTTP/1.0\r\n\r\n");
    expect_whole("GET http://a/b?c HTTP/1.1\r\n" HOST "\r\n");
    expect_whole("OPTIONS * HTTP/1.1\r\n" HOST "\r\n");
    expect_whole("M-SEARCH /%20?a=[b] HTTP/1.1\r\nHost: [::1]:80\r\n\r\n");
    expect_whole(GET HOST "a:\r\nb:   \t c \xE9 d\t \r\n\r\n");
    expect_whole(GET "Host:\r\n\r\n");
    expect_parse(GET HOST "\r\nGET", (int)strlen(GET HOST "\r\n"));
    expect_parse(GET HOST "\r", 0);
    expect_parse("GE", 0);
}

static void refuses_lines(void) {
    expect_parse("GET / HTTP/1.1\nHost: a\n\n", -400);     /* bare LF */
    expect_parse(GET "Host: a\n\r\n", -400);               /* bare LF in a field */
    expect_parse(GET "Host: a\rb: c\r\n\r\n", -400);       /* bare CR */
    expect_parse(GET HOST "a: b\r\n c\r\n\r\n", -400);     /* obs-fold */
    expect_parse(GET " Host: a\r\n\r\n", -400);            /* a fold of the first line */
    expect_parse(GET "Host : a\r\n\r\n", -400);            /* space before the colon */
    expect_parse(GET HOST ": b\r\n\r\n", -400);            /* no name */
    expect_parse(GET HOST "novalue\r\n\r\n", -400);        /* no colon */
    expect_parse(GET HOST "a\x01: b\r\n\r\n", -400);       /* control character in a name */
    expect_parse(GET HOST "a: b\x7f\r\n\r\n", -400);       /* and in a value */
    expect_parse(GET HOST "a(b): c\r\n\r\n", -400);        /* not a token */
    expect_parse("GET  / HTTP/1.1\r\n" HOST "\r\n", -400); /* two spaces */
    expect_parse("GET / HTTP/1.1 \r\n" HOST "\r\n", -400); /* space at the end */
    expect_parse("GET /\r\n" HOST "\r\n", -400);           /* HTTP/0.9 */
    expect_parse("GET / HTTP/2.0\r\n" HOST "\r\n", -505);
    expect_parse("GET / http/1.1\r\n" HOST "\r\n", -400);
    expect_parse("GET / HTTP/1.10\r\n" HOST "\r\n", -400);
    expect_parse("G(T / HTTP/1.1\r\n" HOST "\r\n", -400);
    expect_parse("GET a HTTP/1.1\r\n" HOST "\r\n", -400);
    expect_parse("GET /\xE9 HTTP/1.1\r\n" HOST "\r\n", -400);
    expect_parse("GET /#a HTTP/1.1\r\n" HOST "\r\n", -400);
    expect_parse("GET * HTTP/1.1\r\n" HOST "\r\n", -400);
    expect_parse("CONNECT a:80 HTTP/1.1\r\n" HOST "\r\n", -501);
    expect_parse("\x16\x03\x01\x02\n", -400); /* TLS */
    struct http_head head = {0};
    EXPECT_EQ(http_parse_request(&head, (const uint8_t *)"GET /\0 HTTP/1.1\r\n\r\n", 19, &limits), -400);
}

static void refuses_ambiguous_lengths(void) {
    expect_parse(GET HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", -400);
    expect_parse(GET HOST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 1, 1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: +1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: -1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 0x1\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 1 2\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length:\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 18446744073709551617\r\n\r\n", -400);
    expect_parse(GET HOST "Content-Length: 9999999999999999\r\n\r\n", -400);
    expect_parse(GET HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", -501);
    expect_parse(GET HOST "Transfer-Encoding: chunked, identity\r\n\r\n", -501);
    expect_parse(GET HOST "Transfer-Encoding: xchunked\r\n\r\n", -501);
    expect_parse(GET HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", -400);
    expect_parse("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", -400);
    expect_parse(GET "\r\n", -400);
    expect_parse(GET HOST HOST "\r\n", -400);
    expect_parse(GET "Host: a/b\r\n\r\n", -400);
    expect_parse(GET "Host: a b\r\n\r\n", -400);
    expect_parse(GET "Host: user@a\r\n\r\n", -400);
    expect_parse(GET HOST "Expect: something\r\n\r\n", -417);
}

static void keeps_limits(void) {
    char text[1024] = GET HOST;
    for (int i = 0; i < 8; i++)
        strcat(text, "a: b\r\n");
    expect_parse(strcat(text, "\r\n"), -431); /* nine fields */
    strcpy(text, GET HOST "a: ");
    memset(text + strlen(text), 'x', 600);
    expect_parse(text, -431);
    memset(text, 0, sizeof text);
    strcpy(text, "GET /");
    memset(text + 5, 'x', 600);
    expect_parse(text, -414);
    strcpy(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGH / HTTP/1.1\r\n");
    expect_parse(text, -501);
}

static void understands(void) {
    struct http_head head;
    EXPECT(parse(&head, "POST /a?b HTTP/1.1\r\nhOsT: a\r\nCONTENT-LENGTH: 0017\r\nexpect: 100-Continue\r\n\r\n", 7) >
           0);
    EXPECT_EQ(head.method_nbytes, 4);
    EXPECT_EQ(head.target_start, 5);
    EXPECT_EQ(head.target_nbytes, 4);
    EXPECT_EQ(head.fields_start, 20);
    EXPECT_EQ(head.content_length, 17);
    EXPECT(head.has_content_length && head.expects_continue && head.is_persistent && !head.is_chunked);
    EXPECT_EQ(head.minor_version, 1);
    EXPECT(parse(&head, GET HOST "Connection: foo , Close\r\nTransfer-Encoding:\tChunked \r\n\r\n", 99) > 0);
    EXPECT(head.is_chunked && !head.is_persistent && !head.has_content_length);
    EXPECT(parse(&head, "GET / HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n", 99) > 0);
    EXPECT(head.is_persistent && !head.expects_continue && head.minor_version == 0);
    EXPECT(parse(&head, GET HOST "Connection: keep-alive, close\r\n\r\n", 99) > 0 && !head.is_persistent);
    EXPECT(parse(&head, "GET / HTTP/1.9\r\n" HOST "\r\n", 99) > 0 && head.minor_version == 1);
}

static void responses(void) {
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 200},
        {"HTTP/1.0 404\r\n\r\n", 404},
        {"HTTP/1.1 204 \r\nHost: a\r\nHost: b\r\n\r\n", 204},
        {"HTTP/1.1 2000 OK\r\n\r\n", 0},
        {"HTTP/1.1 20 OK\r\n\r\n", 0},
        {"HTTP/1.1  200 OK\r\n\r\n", 0},
        {"HTTP/1.1 099 OK\r\n\r\n", 0},
        {"ICY 200 OK\r\n\r\n", 0},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_head head = {0};
        size_t nbytes = strlen(cases[i].text);
        int result = http_parse_response(&head, at_guard_page(cases[i].text, nbytes), nbytes, &limits);
        EXPECT_EQ(result, cases[i].status ? (int)nbytes : -502);
        if (cases[i].status) EXPECT_EQ(head.status, cases[i].status);
    }
}

/* Decodes TEXT in steps of STEP bytes. Returns the size of what is used, -1: bad, -2: incomplete. */
static int decode(const char *text, size_t nbytes, size_t step, char *out, size_t *out_nbytes) {
    struct http_chunks chunks = {0};
    size_t at = 0, given = 0;
    *out_nbytes = 0;
    for (;;) {
        if (at == given) {
            if (given == nbytes) return -2;
            given = given + step < nbytes ? given + step : nbytes;
        }
        size_t used, data_nbytes;
        const uint8_t *data;
        const uint8_t *input = at_guard_page(text + at, given - at);
        enum http_chunks_result result = http_chunks_next(&chunks, input, given - at, &used, &data, &data_nbytes);
        at += used;
        if (result == HTTP_CHUNKS_BAD) return -1;
        if (result == HTTP_CHUNKS_END) return (int)at;
        if (result == HTTP_CHUNKS_MORE) continue;
        EXPECT(data_nbytes > 0);
        memcpy(out + *out_nbytes, data, data_nbytes);
        *out_nbytes += data_nbytes;
    }
}

static void expect_chunks(const char *text, int expected, const char *body) {
    char out[256];
    size_t nbytes = strlen(text), out_nbytes;
    for (size_t step = 1; step < 100; step = step * 2 + 1) {
        EXPECT_EQ(decode(text, nbytes, step, out, &out_nbytes), expected);
        if (body) EXPECT(out_nbytes == strlen(body) && memcmp(out, body, out_nbytes) == 0);
    }
}

static void chunked(void) {
    expect_chunks("0\r\n\r\nGET", 5, "");
    expect_chunks("3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n00\r\nT: v\r\n\r\n", 41, "abc0123456789");
    expect_chunks("3\r\nab", -2, "ab");
    expect_chunks("3;a;b=c; d = \"e\\\"\\\\;\xff f\"\r\nabc\r\n0;x\r\n\r\n", 38, "abc");
    expect_chunks("\r\n", -1, NULL);
    expect_chunks("g\r\n", -1, NULL);
    expect_chunks("-1\r\n", -1, NULL);
    expect_chunks("0x3\r\nabc\r\n", -1, NULL);
    expect_chunks(" 3\r\nabc\r\n", -1, NULL);
    expect_chunks("3 \r\nabc\r\n", -1, NULL);
    expect_chunks("3\nabc\r\n", -1, NULL);
    expect_chunks("3\r\nabcd\r\n", -1, NULL);
    expect_chunks("3\r\nabc\n0\r\n\r\n", -1, NULL);
    expect_chunks("3;a\nb\r\nabc\r\n", -1, NULL);
    expect_chunks("3;a\rb\r\nabc\r\n", -1, NULL);
    expect_chunks("3;a=\"b\r\nabc\r\n", -1, NULL); /* a quote that does not end on its line */
    expect_chunks("3;a=\"b\\\r\nabc\r\n", -1, NULL);
    expect_chunks("3;\xff\r\nabc\r\n", -1, NULL);
    expect_chunks("3;a/b\r\nabc\r\n", -1, NULL);
    expect_chunks("FFFFFFFFFFFFFFFFF\r\n", -1, NULL);
    expect_chunks("00000000000003\r\n", -1, NULL);
    expect_chunks("0\r\n T: v\r\n\r\n", -1, NULL);
    expect_chunks("0\r\nT : v\r\n\r\n", -1, NULL);
    expect_chunks("0\r\nT\r\n\r\n", -1, NULL);
    char text[2048] = "3;";
    memset(text + 2, 'x', 2000);
    expect_chunks(text, -1, NULL); /* an endless extension */
}

int main(void) {
    accepts();
    refuses_lines();
    refuses_ambiguous_lengths();
    keeps_limits();
    understands();
    responses();
    chunked();
    return 0;
}
