/* http_parse.c: reads HTTP/1.1 heads and chunked bodies (http_parse.h). Who may send what when is the caller's. */

#include "runtime/http_parse.h"

#include <string.h>

/* Longer than any registered method (the longest is UPDATEREDIRECTREF). */
#define METHOD_NBYTES_MAX 32
/* Of extensions of one chunk; nobody uses them. Of all trailer fields. */
#define CHUNK_EXTENSION_NBYTES_MAX 1024
#define TRAILER_NBYTES_MAX 8192
/* 2^52 - 1 at most: exact as a JavaScript number, and no sum overflows. */
#define CHUNK_DIGITS_MAX 13
#define CONTENT_LENGTH_MAX ((1ull << 53) - 1)

enum { TOKEN = 1, VALUE = 2, TARGET = 4 };

/* What each character may be part of. Sources: RFC 9110 sections 5.5 and 5.6.2; a target is what is visible. */
static const uint8_t character_class[256] = {
    ['\t'] = VALUE,
    [' '] = VALUE,
    ['!'] = TOKEN | VALUE | TARGET,
    ['"'] = VALUE | TARGET,
    ['#'] = TOKEN | VALUE, /* in a target it would begin a fragment, which is never sent */
    ['$' ... '\''] = TOKEN | VALUE | TARGET,
    ['(' ... ')'] = VALUE | TARGET,
    ['*' ... '+'] = TOKEN | VALUE | TARGET,
    [','] = VALUE | TARGET,
    ['-' ... '.'] = TOKEN | VALUE | TARGET,
    ['/'] = VALUE | TARGET,
    ['0' ... '9'] = TOKEN | VALUE | TARGET,
    [':' ... '@'] = VALUE | TARGET,
    ['A' ... 'Z'] = TOKEN | VALUE | TARGET,
    ['[' ... ']'] = VALUE | TARGET,
    ['^' ... 'z'] = TOKEN | VALUE | TARGET,
    ['{'] = VALUE | TARGET,
    ['|'] = TOKEN | VALUE | TARGET,
    ['}'] = VALUE | TARGET,
    ['~'] = TOKEN | VALUE | TARGET,
    [0x80 ... 0xFF] = VALUE,
};

static bool is_class(uint8_t class, const uint8_t *text, size_t nbytes) {
    uint8_t all = class;
    for (size_t i = 0; i < nbytes; i++)
        all &= character_class[text[i]];
    return all != 0;
}

bool http_is_token(const uint8_t *text, size_t nbytes) {
    return nbytes > 0 && is_class(TOKEN, text, nbytes);
}

bool http_is_field_value(const uint8_t *text, size_t nbytes) {
    return is_class(VALUE, text, nbytes);
}

static bool is_digit(uint8_t character) {
    return character >= '0' && character <= '9';
}

static bool is_space(uint8_t character) {
    return character == ' ' || character == '\t';
}

/* NAME: in lower case. Only letters differ in bit 5 alone from what is in it ('-' has the bit set). */
static bool equals_ignoring_case(const uint8_t *text, const char *name, size_t nbytes) {
    for (size_t i = 0; i < nbytes; i++) {
        uint8_t lower = text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i];
        if (lower != (uint8_t)name[i]) return false;
    }
    return true;
}

static int error(struct http_head *head, int status, const char *problem) {
    head->problem = problem;
    return -status;
}

/* ---- Fields ---- */

struct field {
    const uint8_t *value;
    size_t value_nbytes; /* without the white space around it */
};

static int on_content_length(struct http_head *head, struct field field) {
    if (head->has_content_length) return error(head, 400, "more than one Content-Length");
    if (field.value_nbytes == 0 || field.value_nbytes > 16) return error(head, 400, "bad Content-Length");
    for (size_t i = 0; i < field.value_nbytes; i++) {
        if (!is_digit(field.value[i])) return error(head, 400, "bad Content-Length");
        head->content_length = head->content_length * 10 + (uint64_t)(field.value[i] - '0');
    }
    if (head->content_length > CONTENT_LENGTH_MAX) return error(head, 400, "bad Content-Length");
    head->has_content_length = true;
    return 0;
}

/* Any other coding than chunked alone would have to be undone by us: section 6.1 has 501 for it. */
static int on_transfer_encoding(struct http_head *head, struct field field) {
    if (head->has_transfer_encoding) return error(head, 400, "more than one Transfer-Encoding");
    head->has_transfer_encoding = true;
    if (head->minor_version == 0) return error(head, 400, "Transfer-Encoding in HTTP/1.0");
    if (field.value_nbytes != 7 || !equals_ignoring_case(field.value, "chunked", 7))
        return error(head, 501, "a Transfer-Encoding other than chunked");
    head->is_chunked = true;
    return 0;
}

/* uri-host [ ":" port ], or nothing; what can't be in one of these could be taken for part of a URL. */
static int on_host(struct http_head *head, struct field field) {
    if (head->has_host) return error(head, 400, "more than one Host");
    head->has_host = true;
    for (size_t i = 0; i < field.value_nbytes; i++) {
        uint8_t character = field.value[i];
        if (!(character_class[character] & TARGET) || strchr("\"#/<>?@\\^`{|},", character))
            return error(head, 400, "bad Host");
    }
    return 0;
}

/* close wins over keep-alive. */
static void on_connection_option(struct http_head *head, const uint8_t *option, size_t nbytes, bool *closes) {
    if (nbytes == 5 && equals_ignoring_case(option, "close", 5))
        *closes = true;
    else if (nbytes == 10 && equals_ignoring_case(option, "keep-alive", 10))
        head->is_persistent = true;
    else if (nbytes == 7 && equals_ignoring_case(option, "upgrade", 7))
        head->upgrades = true;
}

static int on_connection(struct http_head *head, struct field field) {
    bool closes = false;
    size_t at = 0;
    while (at < field.value_nbytes) {
        while (at < field.value_nbytes && (is_space(field.value[at]) || field.value[at] == ','))
            at++;
        size_t start = at;
        while (at < field.value_nbytes && !is_space(field.value[at]) && field.value[at] != ',')
            at++;
        on_connection_option(head, field.value + start, at - start, &closes);
    }
    if (closes) head->is_persistent = false;
    return 0;
}

static int on_expect(struct http_head *head, struct field field) {
    if (field.value_nbytes != 12 || !equals_ignoring_case(field.value, "100-continue", 12))
        return error(head, 417, "an expectation other than 100-continue");
    head->expects_continue = head->minor_version > 0; /* section 10.1.1 of RFC 9110: ignored in HTTP/1.0 */
    return 0;
}

static const struct known_field {
    const char *name;
    size_t nbytes;
    bool is_request_only;
    int (*note)(struct http_head *head, struct field field);
} known_fields[] = {
    {"host", 4, true, on_host},
    {"expect", 6, true, on_expect},
    {"connection", 10, false, on_connection},
    {"content-length", 14, false, on_content_length},
    {"transfer-encoding", 17, false, on_transfer_encoding},
};

/* LINE is without its CRLF and not empty. */
static int parse_field(struct http_head *head, const uint8_t *line, size_t nbytes, bool is_request) {
    size_t name_nbytes = 0;
    while (name_nbytes < nbytes && character_class[line[name_nbytes]] & TOKEN)
        name_nbytes++;
    if (name_nbytes == 0 && is_space(line[0])) return error(head, 400, "a folded line");
    if (name_nbytes == 0 || name_nbytes == nbytes || line[name_nbytes] != ':')
        return error(head, 400, "a bad field name");
    struct field field = {line + name_nbytes + 1, nbytes - name_nbytes - 1};
    if (!is_class(VALUE, field.value, field.value_nbytes)) return error(head, 400, "a control character in a field");
    while (field.value_nbytes > 0 && is_space(field.value[0])) {
        field.value++;
        field.value_nbytes--;
    }
    while (field.value_nbytes > 0 && is_space(field.value[field.value_nbytes - 1]))
        field.value_nbytes--;
    for (size_t i = 0; i < sizeof known_fields / sizeof *known_fields; i++) {
        const struct known_field *known = &known_fields[i];
        if (known->nbytes == name_nbytes && (is_request || !known->is_request_only) &&
            equals_ignoring_case(line, known->name, name_nbytes))
            return known->note(head, field);
    }
    return 0;
}

/* ---- First lines ---- */

/* "HTTP/1.x" of NBYTES. */
static int parse_version(struct http_head *head, const uint8_t *text, size_t nbytes) {
    if (nbytes != 8 || memcmp(text, "HTTP/", 5) != 0 || !is_digit(text[5]) || text[6] != '.' || !is_digit(text[7]))
        return error(head, 400, "a bad HTTP version");
    if (text[5] != '1') return error(head, 505, "an HTTP version other than 1.x");
    head->minor_version = text[7] > '0'; /* a higher one is understood as 1.1: RFC 9110, section 2.5 */
    head->is_persistent = head->minor_version > 0;
    return 0;
}

/* Section 3.2: a path, a whole http URL (to proxies), or * of the server itself. */
static int check_target(struct http_head *head, const uint8_t *line) {
    const uint8_t *target = line + head->target_start;
    size_t nbytes = head->target_nbytes;
    if (!is_class(TARGET, target, nbytes)) return error(head, 400, "a bad request target");
    if (head->method_nbytes == 7 && memcmp(line, "CONNECT", 7) == 0) return error(head, 501, "no proxy");
    if (target[0] == '/') return 0;
    if (nbytes == 1 && target[0] == '*' && head->method_nbytes == 7 && memcmp(line, "OPTIONS", 7) == 0) return 0;
    if ((nbytes > 7 && equals_ignoring_case(target, "http://", 7) && target[7] != '/') ||
        (nbytes > 8 && equals_ignoring_case(target, "https://", 8) && target[8] != '/'))
        return 0;
    return error(head, 400, "a bad request target");
}

/* method SP target SP version, the line being the message's first bytes. */
static int parse_request_line(struct http_head *head, const uint8_t *line, size_t nbytes) {
    const uint8_t *first_space = memchr(line, ' ', nbytes);
    if (!first_space) return error(head, 400, "a bad request line");
    head->method_nbytes = (uint32_t)(first_space - line);
    if (!http_is_token(line, head->method_nbytes)) return error(head, 400, "a bad method");
    if (head->method_nbytes > METHOD_NBYTES_MAX) return error(head, 501, "an unknown method");
    const uint8_t *target = first_space + 1;
    size_t left = nbytes - head->method_nbytes - 1;
    const uint8_t *second_space = memchr(target, ' ', left);
    if (!second_space || second_space == target) return error(head, 400, "a bad request line");
    head->target_start = (uint32_t)(target - line);
    head->target_nbytes = (uint32_t)(second_space - target);
    int result = parse_version(head, second_space + 1, left - head->target_nbytes - 1);
    return result ? result : check_target(head, line);
}

/* version SP status SP [reason]; the last space is often forgotten. */
static int parse_status_line(struct http_head *head, const uint8_t *line, size_t nbytes) {
    if (nbytes < 12) return error(head, 502, "a bad status line");
    int result = parse_version(head, line, 8);
    if (result) return result;
    const uint8_t *status = line + 9;
    if (line[8] != ' ' || status[0] < '1' || status[0] > '9' || !is_digit(status[1]) || !is_digit(status[2]) ||
        (nbytes > 12 && line[12] != ' ') || !is_class(VALUE, line + 12, nbytes - 12))
        return error(head, 502, "a bad status line");
    head->status = (uint16_t)((status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0'));
    return 0;
}

/* ---- Heads ---- */

/* After the empty line: what no single field could tell. */
static int finish_head(struct http_head *head, bool is_request) {
    if (head->has_transfer_encoding && head->has_content_length)
        return error(head, 400, "both Content-Length and Transfer-Encoding");
    if (is_request && head->minor_version > 0 && !head->has_host) return error(head, 400, "no Host");
    return 0;
}

static int parse_line(struct http_head *head, const uint8_t *line, size_t nbytes, bool is_request,
                      const struct http_limits *limits) {
    if (head->state == HTTP_PARSE_START_LINE) {
        head->state = HTTP_PARSE_FIELDS;
        return is_request ? parse_request_line(head, line, nbytes) : parse_status_line(head, line, nbytes);
    }
    if (++head->field_count > limits->field_count) return error(head, 431, "too many fields");
    return parse_field(head, line, nbytes, is_request);
}

/* The head isn't complete although LIMITS says it should be. */
static int too_large(struct http_head *head) {
    if (head->state == HTTP_PARSE_START_LINE) return error(head, 414, "the request line is too long");
    return error(head, 431, "the fields are too large");
}

static int parse_head(struct http_head *head, const uint8_t *bytes, size_t nbytes, bool is_request,
                      const struct http_limits *limits) {
    if (nbytes > limits->head_nbytes) nbytes = limits->head_nbytes;
    while (head->searched < nbytes) {
        const uint8_t *newline = memchr(bytes + head->searched, '\n', nbytes - head->searched);
        if (!newline) {
            head->searched = (uint32_t)nbytes;
            break;
        }
        const uint8_t *line = bytes + head->line_start;
        if (newline == line || newline[-1] != '\r') return error(head, 400, "a line that does not end in CRLF");
        size_t line_nbytes = (size_t)(newline - 1 - line);
        uint32_t next = (uint32_t)(newline + 1 - bytes);
        if (head->state == HTTP_PARSE_FIELDS && line_nbytes == 0) {
            head->fields_end = head->line_start;
            int result = finish_head(head, is_request);
            return result ? result : (int)next;
        }
        int result = parse_line(head, line, line_nbytes, is_request, limits);
        if (result) return result;
        if (head->fields_start == 0) head->fields_start = next;
        head->line_start = head->searched = next;
    }
    return nbytes == limits->head_nbytes ? too_large(head) : 0;
}

int http_parse_request(struct http_head *head, const uint8_t *bytes, size_t nbytes, const struct http_limits *limits) {
    return parse_head(head, bytes, nbytes, true, limits);
}

int http_parse_response(struct http_head *head, const uint8_t *bytes, size_t nbytes, const struct http_limits *limits) {
    int result = parse_head(head, bytes, nbytes, false, limits);
    return result < 0 ? -502 : result;
}

/* ---- The chunked coding ---- */

enum chunk_state {
    CHUNK_SIZE, /* must be 0: the state of a zeroed struct */
    CHUNK_EXTENSION,
    CHUNK_QUOTED,
    CHUNK_QUOTED_PAIR,
    CHUNK_SIZE_LF,
    CHUNK_DATA,
    CHUNK_DATA_CR,
    CHUNK_DATA_LF,
    TRAILER_START,
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    CHUNKS_LAST_LF,
    CHUNKS_ENDED,
    CHUNKS_BROKEN,
};

static int hex_digit(uint8_t character) {
    if (is_digit(character)) return character - '0';
    uint8_t lower = character | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static enum chunk_state next_of_size(struct http_chunks *chunks, uint8_t character) {
    int digit = hex_digit(character);
    if (digit >= 0) {
        if (++chunks->digit_count > CHUNK_DIGITS_MAX) return CHUNKS_BROKEN;
        chunks->left = chunks->left << 4 | (unsigned)digit;
        return CHUNK_SIZE;
    }
    if (chunks->digit_count == 0) return CHUNKS_BROKEN;
    chunks->overhead_nbytes = 0;
    return character == ';' ? CHUNK_EXTENSION : character == '\r' ? CHUNK_SIZE_LF : CHUNKS_BROKEN;
}

/* Extensions are ignored, but must be some: who looks for a quote's end, too, sees the same line end as who does not.
 */
static enum chunk_state next_of_extension(struct http_chunks *chunks, uint8_t character) {
    if (++chunks->overhead_nbytes > CHUNK_EXTENSION_NBYTES_MAX) return CHUNKS_BROKEN;
    if (chunks->state == CHUNK_EXTENSION) {
        if (character == '\r') return CHUNK_SIZE_LF;
        if (character == '"') return CHUNK_QUOTED;
        bool is_good = character_class[character] & TOKEN || (character && strchr(";= \t", character));
        return is_good ? CHUNK_EXTENSION : CHUNKS_BROKEN;
    }
    if (!(character_class[character] & VALUE)) return CHUNKS_BROKEN;
    if (chunks->state == CHUNK_QUOTED_PAIR) return CHUNK_QUOTED;
    return character == '"' ? CHUNK_EXTENSION : character == '\\' ? CHUNK_QUOTED_PAIR : CHUNK_QUOTED;
}

static enum chunk_state after_size(struct http_chunks *chunks, uint8_t character) {
    if (character != '\n') return CHUNKS_BROKEN;
    chunks->digit_count = 0;
    chunks->overhead_nbytes = 0;
    return chunks->left > 0 ? CHUNK_DATA : TRAILER_START;
}

static enum chunk_state next_of_trailer(struct http_chunks *chunks, uint8_t character) {
    if (++chunks->overhead_nbytes > TRAILER_NBYTES_MAX) return CHUNKS_BROKEN;
    switch ((enum chunk_state)chunks->state) {
        case TRAILER_START:
            if (character == '\r') return CHUNKS_LAST_LF;
            return character_class[character] & TOKEN ? TRAILER_NAME : CHUNKS_BROKEN;
        case TRAILER_NAME:
            if (character == ':') return TRAILER_VALUE;
            return character_class[character] & TOKEN ? TRAILER_NAME : CHUNKS_BROKEN;
        case TRAILER_VALUE:
            if (character == '\r') return TRAILER_LF;
            return character_class[character] & VALUE ? TRAILER_VALUE : CHUNKS_BROKEN;
        default: return character == '\n' ? TRAILER_START : CHUNKS_BROKEN;
    }
}

static enum chunk_state next_state(struct http_chunks *chunks, uint8_t character) {
    switch ((enum chunk_state)chunks->state) {
        case CHUNK_SIZE: return next_of_size(chunks, character);
        case CHUNK_EXTENSION:
        case CHUNK_QUOTED:
        case CHUNK_QUOTED_PAIR: return next_of_extension(chunks, character);
        case CHUNK_SIZE_LF: return after_size(chunks, character);
        case CHUNK_DATA_CR: return character == '\r' ? CHUNK_DATA_LF : CHUNKS_BROKEN;
        case CHUNK_DATA_LF: return character == '\n' ? CHUNK_SIZE : CHUNKS_BROKEN;
        case CHUNKS_LAST_LF: return character == '\n' ? CHUNKS_ENDED : CHUNKS_BROKEN;
        default: return next_of_trailer(chunks, character);
    }
}

enum http_chunks_result http_chunks_next(struct http_chunks *chunks, const uint8_t *bytes, size_t nbytes,
                                         size_t *used_out, const uint8_t **data_out, size_t *data_nbytes_out) {
    size_t at = 0;
    while (at < nbytes && chunks->state < CHUNKS_ENDED && chunks->state != CHUNK_DATA)
        chunks->state = (uint8_t)next_state(chunks, bytes[at++]);
    *used_out = at;
    if (chunks->state == CHUNKS_ENDED) return HTTP_CHUNKS_END;
    if (chunks->state == CHUNKS_BROKEN) return HTTP_CHUNKS_BAD;
    if (at == nbytes) return HTTP_CHUNKS_MORE;
    size_t data_nbytes = nbytes - at < chunks->left ? nbytes - at : (size_t)chunks->left;
    chunks->left -= data_nbytes;
    if (chunks->left == 0) chunks->state = CHUNK_DATA_CR;
    *data_out = bytes + at;
    *data_nbytes_out = data_nbytes;
    *used_out = at + data_nbytes;
    return HTTP_CHUNKS_DATA;
}
