/* errors.c: what a person sees of an error: place, source line with a caret, stack and causes.
 *
 * The error's own part (message, stack, causes) is formatted in JavaScript (internal.formatError); this file finds the
 * place, reads the line as it is in the user's file, and draws.
 */

#include "runtime/errors.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/module.h"
#include "runtime/resolve.h"
#include "runtime/whole_file.h"

/* Columns of a source line that are shown: of a longer (minified) one, a window around the place. */
#define WINDOW_COLUMNS 100
/* Carets drawn at most. */
#define CARETS_MAX 60

#define PLACE_PATH "fino:place-path"
#define PLACE_LINE "fino:place-line"
#define PLACE_COLUMN "fino:place-column"

/* ---- A growing text ---- */

struct text {
    char *data;
    size_t nbytes, capacity;
};

static void append_bytes(struct text *text, const char *bytes, size_t nbytes) {
    if (text->capacity - text->nbytes < nbytes + 1) {
        size_t capacity = (text->capacity + nbytes + 1) * 2;
        char *grown = realloc(text->data, capacity);
        if (!grown) abort();
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->nbytes, bytes, nbytes);
    text->nbytes += nbytes;
    text->data[text->nbytes] = 0;
}

static void append(struct text *text, const char *string) {
    append_bytes(text, string, strlen(string));
}

static void __attribute__((format(printf, 2, 3))) append_format(struct text *text, const char *format, ...) {
    char small[256];
    va_list values;
    va_start(values, format);
    int nbytes = vsnprintf(small, sizeof small, format, values);
    va_end(values);
    append_bytes(text, small, (size_t)nbytes < sizeof small ? (size_t)nbytes : sizeof small - 1);
}

/* In one piece, so that other output does not get between. */
static void print(const struct text *text) {
    size_t done = 0;
    while (done < text->nbytes) {
        ssize_t written = write(STDERR_FILENO, text->data + done, text->nbytes - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            return;
    }
}

/* ---- The place ---- */

void rt_error_place_of(struct rt_realm *realm, v8s_value error, v8s_value message, struct v8s_place *place_out) {
    v8s_place_of(realm->isolate, error, message, place_out);
    if (!place_out->resource || !realm->modules) return;
    int *columns[] = {&place_out->column, &place_out->end_column};
    for (size_t i = 0; i < 2; i++)
        *columns[i] = (int)rt_modules_source_column(realm->modules, place_out->resource, (uint32_t)place_out->line,
                                                    (uint32_t)*columns[i]);
}

/* A place that C gave the error goes before the one V8 knows. */
static bool place_set_by_us(struct rt_realm *realm, v8s_value error, struct v8s_place *place) {
    if (!v8s_is_object(error)) return false;
    v8s_value path = v8s_get_private(realm->isolate, error, PLACE_PATH);
    if (!path || !v8s_is_string(path)) return false;
    place->resource = v8s_string_copy(realm->isolate, path, NULL);
    place->line = (int)v8s_number_of(v8s_get_private(realm->isolate, error, PLACE_LINE));
    place->column = (int)v8s_number_of(v8s_get_private(realm->isolate, error, PLACE_COLUMN));
    place->end_column = place->column + 1;
    return true;
}

/* A place inside a built-in script tells a user nothing: takes the innermost frame of a file from the error's stack. */
static void leave_builtins(struct rt_realm *realm, v8s_value error, struct v8s_place *place) {
    if (!place->resource || strncmp(place->resource, "fino:", 5) != 0) return;
    v8s_value stack = v8s_is_object(error) ? v8s_get(realm->isolate, error, "stack") : NULL;
    char *text = stack && v8s_is_string(stack) ? v8s_string_copy(realm->isolate, stack, NULL) : NULL;
    v8s_place_free(place);
    for (char *line = text ? strstr(text, "\n    at ") : NULL; line; line = strstr(line, "\n    at ")) {
        line += strlen("\n    at ");
        size_t length = strcspn(line, "\n");
        char *path = memchr(line, '(', length), *end = line + length;
        path = path ? path + 1 : line;
        if (*path != '/') continue;
        char frame[4096]; /* as long as a path can be */
        snprintf(frame, sizeof frame, "%.*s", (int)(end - path), path);
        char *column = strrchr(frame, ':');
        if (column) *column++ = 0;
        char *number = column ? strrchr(frame, ':') : NULL;
        if (!number) continue;
        *number++ = 0;
        *place = (struct v8s_place){.resource = strdup(frame), .line = atoi(number), .column = atoi(column)};
        place->end_column = place->column + 1;
        break;
    }
    free(text);
}

/* Line LINE of the file, as it is on the disk: V8 only has it with the types erased. */
static char *line_of_file(const char *path, int line) {
    size_t nbytes = 0;
    char *bytes = rt_read_regular_file(path, &nbytes), *copy = NULL;
    const char *at = bytes, *end = bytes + nbytes;
    if (!bytes) return NULL;
    if (nbytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (int i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (at) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length > 0 && at[length - 1] == '\r') length--;
        copy = strndup(at, length);
    }
    free(bytes);
    return copy;
}

static void find_source_line(struct v8s_place *place) {
    if (!place->resource || place->resource[0] != '/' || (place->source_line && !rt_is_typescript(place->resource)))
        return;
    char *line = line_of_file(place->resource, place->line);
    if (line) {
        free(place->source_line);
        place->source_line = line;
    }
}

/* ---- The picture ---- */

static int utf8_length(unsigned char lead) {
    return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* The byte offset of UTF-16 unit UNITS in LINE, or its end. */
static size_t offset_of_unit(const char *line, int units) {
    size_t at = 0;
    while (units > 0 && line[at]) {
        int length = utf8_length((unsigned char)line[at]);
        units -= length == 4 ? 2 : 1;
        for (int i = 0; i < length && line[at]; i++)
            at++;
    }
    return at;
}

static int count_characters(const char *text, size_t nbytes) {
    int count = 0;
    for (size_t i = 0; i < nbytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Moves OFFSET to the start of the character that it is in. */
static size_t character_start(const char *line, size_t offset) {
    while (offset > 0 && ((unsigned char)line[offset] & 0xC0) == 0x80)
        offset--;
    return offset;
}

static void append_caret_line(struct text *text, const char *line, size_t from, size_t start, size_t end) {
    for (size_t i = from; i < start; i++)
        if (line[i] == '\t')
            append(text, "\t");
        else if (((unsigned char)line[i] & 0xC0) != 0x80)
            append(text, " ");
    int carets = count_characters(line + start, end - start);
    for (int i = 0; i < (carets < 1 ? 1 : carets > CARETS_MAX ? CARETS_MAX : carets); i++)
        append(text, "^");
    append(text, "\n");
}

static void append_picture(struct text *text, const struct v8s_place *place) {
    const char *line = place->source_line;
    size_t length = strlen(line), start = offset_of_unit(line, place->column - 1),
           end = offset_of_unit(line, place->end_column - 1), from = 0, to = length;
    if (length > WINDOW_COLUMNS + 20) {
        from = start > WINDOW_COLUMNS / 2 ? character_start(line, start - WINDOW_COLUMNS / 2) : 0;
        to = length - from > WINDOW_COLUMNS ? character_start(line, from + WINDOW_COLUMNS) : length;
        end = end < to ? end : to;
    }
    const char *dots = "... ";
    append(text, from > 0 ? dots : "");
    append_bytes(text, line + from, to - from);
    append(text, to < length ? " ...\n" : "\n");
    append(text, from > 0 ? "    " : "");
    append_caret_line(text, line, from, start, end < start ? start : end);
}

static void append_place(struct text *text, const struct v8s_place *place) {
    append(text, place->resource);
    append_format(text, place->column > 0 ? ":%d:%d\n" : ":%d\n", place->line, place->column);
    if (place->source_line && place->column > 0) append_picture(text, place);
}

/* `error.stack`, or the error as a string: when it can't be formatted. */
static char *plain_text(struct rt_realm *realm, v8s_value error) {
    v8s_value stack = v8s_is_object(error) ? v8s_get(realm->isolate, error, "stack") : NULL;
    return v8s_describe(realm->isolate, stack && v8s_is_string(stack) ? stack : error);
}

/* The error with its stack and causes, as console.error would show it. */
static void append_error(struct rt_realm *realm, struct text *text, v8s_value error) {
    struct v8s_caught caught;
    v8s_value format = v8s_get(realm->isolate, v8s_ref_get(realm->isolate, realm->internal), "formatError");
    v8s_value shown =
        format && v8s_is_function(format) ? v8s_call(realm->isolate, format, NULL, 1, &error, &caught) : NULL;
    char *string =
        shown && v8s_is_string(shown) ? v8s_string_copy(realm->isolate, shown, NULL) : plain_text(realm, error);
    static const char prefix[] = "Uncaught "; /* which the formatter gives what is no error, and the caller gives all */
    bool has_prefix = string && strncmp(string, prefix, sizeof prefix - 1) == 0;
    append(text, !string ? "(out of memory)" : has_prefix ? string + sizeof prefix - 1 : string);
    append(text, "\n");
    free(string);
}

void rt_report_uncaught(struct rt_realm *realm, v8s_value error, v8s_value message, bool in_promise) {
    struct v8s_place place = {0};
    struct text text = {0};
    if (!place_set_by_us(realm, error, &place)) rt_error_place_of(realm, error, message, &place);
    leave_builtins(realm, error, &place);
    find_source_line(&place);
    if (place.resource) append_place(&text, &place);
    append(&text, in_promise ? "Uncaught (in promise) " : "Uncaught ");
    append_error(realm, &text, error);
    print(&text);
    free(text.data);
    v8s_place_free(&place);
}

/* ---- Errors as values ---- */

void rt_error_note_place_in_stack(struct rt_realm *realm, v8s_value error, const char *path, uint32_t line,
                                  uint32_t column) {
    v8s_value stack = v8s_get(realm->isolate, error, "stack");
    if (!stack || !v8s_is_string(stack)) return;
    struct text text = {0};
    char *old = v8s_string_copy(realm->isolate, stack, NULL);
    const char *frames = old ? strstr(old, "\n    at ") : NULL;
    append_bytes(&text, old ? old : "", frames ? (size_t)(frames - old) : old ? strlen(old) : 0);
    append(&text, "\n    at ");
    append(&text, path);
    append_format(&text, column > 0 ? ":%u:%u" : ":%u", line, column);
    append(&text, frames ? frames : "");
    v8s_set(realm->isolate, error, "stack", v8s_string(realm->isolate, text.data));
    free(text.data);
    free(old);
}

void rt_error_set_place(struct rt_realm *realm, v8s_value error, const char *path, uint32_t line, uint32_t column) {
    v8s_isolate *isolate = realm->isolate;
    v8s_set_private(isolate, error, PLACE_PATH, v8s_string(isolate, path));
    v8s_set_private(isolate, error, PLACE_LINE, v8s_number(isolate, line));
    v8s_set_private(isolate, error, PLACE_COLUMN, v8s_number(isolate, column));
    rt_error_note_place_in_stack(realm, error, path, line, column);
}

v8s_value rt_error_from_errno(v8s_isolate *isolate, int error_number, const char *syscall, const char *path) {
    const char *code = strerrorname_np(error_number);
    struct text text = {0};
    append_format(&text, "%s: %s, %s", code ? code : "EIO", strerrordesc_np(error_number), syscall);
    if (path) {
        append(&text, " '");
        append(&text, path);
        append(&text, "'");
    }
    v8s_value error = v8s_error_new(isolate, V8S_ERROR, text.data);
    free(text.data);
    v8s_set(isolate, error, "code", v8s_string(isolate, code ? code : "EIO"));
    v8s_set(isolate, error, "errno", v8s_number(isolate, error_number));
    v8s_set(isolate, error, "syscall", v8s_string(isolate, syscall));
    if (path) v8s_set(isolate, error, "path", v8s_string(isolate, path));
    return error;
}

v8s_value rt_throw_errno(v8s_isolate *isolate, int error_number, const char *syscall, const char *path) {
    v8s_throw(isolate, rt_error_from_errno(isolate, error_number, syscall, path));
    return NULL;
}

void rt_fatal(const char *location, const char *message, bool out_of_memory) {
    struct text text = {0};
    append(&text, out_of_memory ? "fino: out of memory: the " : "fino: V8 cannot go on: ");
    append(&text, message ? message : "unknown");
    append(&text, out_of_memory ? " can't grow any further (in " : " (in ");
    append(&text, location ? location : "unknown");
    append(&text, ")\n");
    print(&text);
    _exit(134);
}
