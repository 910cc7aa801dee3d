/* jsonc.c: see jsonc.h. Owns the grammar (RFC 8259 with comments and trailing commas) and the tree it makes. */
#include "runtime/jsonc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

struct reader {
    const char *text;
    uint32_t nbytes, at;
    uint32_t depth;
    bool failed;
    struct rt_jsonc_error *error;
};

static void fail(struct reader *r, uint32_t offset, const char *format, ...) {
    if (r->failed) return;
    r->failed = true;
    r->error->offset = offset;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
}

static char peek(const struct reader *r) {
    return r->at < r->nbytes ? r->text[r->at] : 0;
}

static void fail_expected(struct reader *r, const char *what) {
    unsigned char c = (unsigned char)peek(r);
    if (r->at >= r->nbytes)
        fail(r, r->at, "expected %s but the file ends", what);
    else if (c >= 0x20 && c < 0x7F)
        fail(r, r->at, "expected %s but found '%c'", what, c);
    else
        fail(r, r->at, "expected %s", what);
}

/* ---- White space and comments ---- */

static void skip_comment(struct reader *r) {
    uint32_t start = r->at;
    if (r->text[start + 1] == '/') {
        while (r->at < r->nbytes && r->text[r->at] != '\n')
            r->at++;
        return;
    }
    for (r->at += 2; r->at + 1 < r->nbytes; r->at++)
        if (r->text[r->at] == '*' && r->text[r->at + 1] == '/') {
            r->at += 2;
            return;
        }
    r->at = r->nbytes;
    fail(r, start, "this comment has no end");
}

static void skip_space(struct reader *r) {
    while (r->at < r->nbytes) {
        char c = r->text[r->at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            r->at++;
        else if (c == '/' && r->at + 1 < r->nbytes && (r->text[r->at + 1] == '/' || r->text[r->at + 1] == '*'))
            skip_comment(r);
        else
            return;
    }
}

/* ---- Strings ---- */

static int hex_digits(const struct reader *r, uint32_t at) {
    int value = 0;
    for (uint32_t i = at; i < at + 4; i++) {
        char c = i < r->nbytes ? r->text[i] : 0, lower = (char)(c | 0x20);
        int digit = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* After a backslash: writes what it stands for, which is never longer than the escape. */
static char *escape(struct reader *r, char *to) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = peek(r);
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        r->at++;
        *to++ = meanings[letter - letters];
        return to;
    }
    int unit = c == 'u' ? hex_digits(r, r->at + 1) : -1;
    if (unit <= 0) {
        fail(r, r->at - 1, "this escape has no meaning in JSON");
        return to;
    }
    r->at += 5;
    uint32_t code = (uint32_t)unit;
    if (unit >= 0xD800 && unit < 0xDC00 && r->at + 1 < r->nbytes && r->text[r->at] == '\\' &&
        r->text[r->at + 1] == 'u') {
        int low = hex_digits(r, r->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
            r->at += 6;
        }
    }
    return put_utf8(to, code);
}

/* At the quote. NULL without memory or when it is wrong. */
static char *string(struct reader *r) {
    uint32_t start = r->at++, end = r->at;
    while (end < r->nbytes && r->text[end] != '"' && r->text[end] != '\n')
        end += r->text[end] == '\\' ? 2 : 1;
    if (end >= r->nbytes || r->text[end] != '"') {
        fail(r, start, "this string has no closing quote");
        return NULL;
    }
    char *copy = malloc(end - start), *to = copy;
    if (!copy) fail(r, start, "out of memory");
    while (copy && !r->failed && r->at < end) {
        if (r->text[r->at] == '\\') {
            r->at++;
            to = escape(r, to);
        } else {
            *to++ = r->text[r->at++];
        }
    }
    if (r->failed) {
        free(copy);
        return NULL;
    }
    *to = 0;
    r->at = end + 1;
    return copy;
}

/* ---- Values ---- */

static struct rt_jsonc *value(struct reader *r);

static void members(struct reader *r, struct rt_jsonc *parent, char end) {
    struct rt_jsonc **last = &parent->first;
    r->at++;
    for (skip_space(r); !r->failed && peek(r) != end; skip_space(r)) {
        char *key = NULL;
        if (end == '}') {
            if (peek(r) != '"') fail_expected(r, "a name in double quotes or }");
            key = r->failed ? NULL : string(r);
            skip_space(r);
            if (peek(r) != ':') fail_expected(r, ":");
            r->at++;
        }
        struct rt_jsonc *member = r->failed ? NULL : value(r);
        if (!member) {
            free(key);
            return;
        }
        member->key = key;
        *last = member;
        last = &member->next;
        skip_space(r);
        if (peek(r) == ',')
            r->at++;
        else if (peek(r) != end)
            fail_expected(r, end == '}' ? ", or }" : ", or ]");
    }
    r->at++;
}

static void word(struct reader *r, struct rt_jsonc *v) {
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (r->nbytes - r->at < length || memcmp(r->text + r->at, words[i], length) != 0) continue;
        v->type = (enum rt_jsonc_type)(RT_JSONC_NULL + i);
        r->at += (uint32_t)length;
        return;
    }
    uint32_t start = r->at;
    while (peek(r) && strchr("+-.0123456789eE", peek(r)))
        r->at++;
    if (r->at == start) {
        fail_expected(r, "a value");
        return;
    }
    v->type = RT_JSONC_NUMBER;
    v->text = strndup(r->text + start, r->at - start);
}

static struct rt_jsonc *value(struct reader *r) {
    skip_space(r);
    struct rt_jsonc *v = r->failed ? NULL : calloc(1, sizeof *v);
    if (!v) {
        fail(r, r->at, "out of memory");
        return NULL;
    }
    v->offset = r->at;
    if (++r->depth > MAX_DEPTH) fail(r, r->at, "nested too deeply (more than %d levels)", MAX_DEPTH);
    if (!r->failed) switch (peek(r)) {
            case '{':
                v->type = RT_JSONC_OBJECT;
                members(r, v, '}');
                break;
            case '[':
                v->type = RT_JSONC_ARRAY;
                members(r, v, ']');
                break;
            case '"':
                v->type = RT_JSONC_STRING;
                v->text = string(r);
                break;
            default: word(r, v);
        }
    r->depth--;
    if (!r->failed) return v;
    rt_jsonc_free(v);
    return NULL;
}

struct rt_jsonc *rt_jsonc_parse(const char *text, size_t nbytes, struct rt_jsonc_error *error_out) {
    struct reader r = {.text = text, .nbytes = (uint32_t)nbytes, .error = error_out};
    *error_out = (struct rt_jsonc_error){0};
    if (nbytes > UINT32_MAX / 2) {
        fail(&r, 0, "the file is too large");
        return NULL;
    }
    if (nbytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
    struct rt_jsonc *v = value(&r);
    if (v) skip_space(&r);
    if (v && r.at < r.nbytes) fail_expected(&r, "the end of the file");
    if (!v || !r.failed) return v;
    rt_jsonc_free(v);
    return NULL;
}

void rt_jsonc_free(struct rt_jsonc *v) {
    while (v) {
        struct rt_jsonc *next = v->next;
        rt_jsonc_free(v->first);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

const struct rt_jsonc *rt_jsonc_get(const struct rt_jsonc *object, const char *key) {
    const struct rt_jsonc *found = NULL;
    if (!object || object->type != RT_JSONC_OBJECT) return NULL;
    for (const struct rt_jsonc *member = object->first; member; member = member->next)
        if (strcmp(member->key, key) == 0) found = member;
    return found;
}

const char *rt_jsonc_string(const struct rt_jsonc *v) {
    return v && v->type == RT_JSONC_STRING ? v->text : NULL;
}
