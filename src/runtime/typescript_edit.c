/* typescript_edit.c: owns what the eraser remembers (errors, edits, the outcome of tries) and makes the output of it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "runtime/typescript_internal.h"
#include "runtime/utf8.h"

/* ---- errors ---- */

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* From one of these places it is not far to any other. */
enum { PLACE_DISTANCE = 1024 };

static void note_places(struct rt_ts_parser *p) {
    struct rt_ts_place place = {1, 1};
    p->places = malloc((p->nbytes / PLACE_DISTANCE + 1) * sizeof *p->places);
    for (uint32_t at = 0; p->places && at <= p->nbytes; at += PLACE_DISTANCE) {
        p->places[at / PLACE_DISTANCE] = place;
        if (p->nbytes - at >= PLACE_DISTANCE) rt_ts_advance(p->source, at, at + PLACE_DISTANCE, &place);
    }
}

void rt_ts_locate(struct rt_ts_parser *p, uint32_t offset, struct rt_ts_error *error) {
    struct rt_ts_place place = {1, 1};
    uint32_t from = 0;
    if (!p->places && offset >= PLACE_DISTANCE) note_places(p);
    if (p->places) {
        from = offset - offset % PLACE_DISTANCE;
        place = p->places[offset / PLACE_DISTANCE];
    }
    rt_ts_advance(p->source, from, offset, &place);
    *error = (struct rt_ts_error){.line = place.line, .column = place.column, .offset = offset};
}

void rt_ts_fail(struct rt_ts_parser *p, uint32_t offset, const char *format, ...) {
    if (p->at.failed) return;
    p->at.failed = true;
    p->at.token.type = T_EOF;
    if (p->speculating > 0 || p->status != 0) return;
    p->status = -EINVAL;
    rt_ts_locate(p, offset, p->error);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
}

static void expected_at_end(struct rt_ts_parser *p, const char *what) {
    uint32_t end = p->at.token.start;
    struct rt_ts_token bracket;
    struct rt_ts_error place;
    if (p->speculating > 0 || p->at.failed || p->status != 0 || !rt_ts_open_bracket(p, &bracket)) {
        rt_ts_fail(p, end, "expected %s but the file ends", what);
        return;
    }
    rt_ts_locate(p, bracket.start, &place);
    const char *text = bracket.type == T_TEMPLATE_HEAD ? "template"
                       : bracket.type == T_LBRACE      ? "{"
                       : bracket.type == T_LPAREN      ? "("
                                                       : "[";
    rt_ts_fail(p, end, "expected %s but the file ends: the %s at %u:%u is still open", what, text, place.line,
               place.column);
}

void rt_ts_expected(struct rt_ts_parser *p, const char *what) {
    struct rt_ts_token token = p->at.token;
    int length = token.end - token.start < 40 ? (int)(token.end - token.start) : 40;
    while (length > 0 && is_continuation(p->source[token.start + (uint32_t)length]))
        length--;
    if (token.type == T_EOF) {
        expected_at_end(p, what);
    } else {
        rt_ts_fail(p, token.start, "expected %s but found \"%.*s\"", what, length, p->source + token.start);
    }
}

void rt_ts_fail_memory(struct rt_ts_parser *p) {
    p->at.failed = true;
    p->at.token.type = T_EOF;
    p->status = -ENOMEM;
    snprintf(p->error->message, sizeof p->error->message, "out of memory");
}

bool rt_ts_enter(struct rt_ts_parser *p) {
    if (p->at.depth++ < RT_TS_MAX_DEPTH) return true;
    rt_ts_fail(p, p->at.token.start, "nested too deeply (more than %d levels)", RT_TS_MAX_DEPTH);
    return false;
}

/* ---- memory ---- */

bool rt_ts_reserve(struct rt_ts_parser *p, void *array, uint32_t *capacity, uint32_t count, size_t size) {
    if (count < *capacity) return true;
    uint32_t wanted = *capacity < 32 ? 64 : *capacity * 2;
    while (wanted <= count)
        wanted *= 2;
    void *old, *grown = NULL;
    memcpy(&old, array, sizeof old);
    if (wanted > *capacity && wanted < UINT32_MAX / 4) grown = realloc(old, wanted * size);
    if (!grown) {
        rt_ts_fail_memory(p);
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

/* ---- the outcome of tries: a hash set of (offset, meaning) ---- */

static uint32_t memo_slot(const struct rt_ts_parser *p, uint64_t key) {
    uint32_t slot = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (p->memo_capacity - 1);
    while (p->memo[slot] != 0 && p->memo[slot] != key)
        slot = (slot + 1) & (p->memo_capacity - 1);
    return slot;
}

static bool grow_memo(struct rt_ts_parser *p) {
    uint64_t *old = p->memo;
    uint32_t old_capacity = p->memo_capacity;
    uint32_t capacity = old_capacity ? old_capacity * 2 : 256;
    uint64_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
        rt_ts_fail_memory(p);
        return false;
    }
    p->memo = grown;
    p->memo_capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i] != 0) p->memo[memo_slot(p, old[i])] = old[i];
    }
    free(old);
    return true;
}

void rt_ts_memo_set(struct rt_ts_parser *p, uint32_t offset, enum rt_ts_meaning meaning) {
    if (p->memo_count * 2 >= p->memo_capacity && !grow_memo(p)) return;
    uint64_t key = (uint64_t)offset << RT_TS_MEANING_BITS | meaning;
    uint32_t slot = memo_slot(p, key);
    p->memo_count += p->memo[slot] == 0;
    p->memo[slot] = key;
}

bool rt_ts_memo_has(const struct rt_ts_parser *p, uint32_t offset, enum rt_ts_meaning meaning) {
    if (p->memo_capacity == 0) return false;
    return p->memo[memo_slot(p, (uint64_t)offset << RT_TS_MEANING_BITS | meaning)] != 0;
}

/* ---- writing edits down ---- */

void rt_ts_replace(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *text, size_t text_nbytes) {
    if (p->at.erased > 0 || p->at.failed) return;
    if (!rt_ts_reserve(p, &p->edits, &p->edit_capacity, p->at.edit_count, sizeof *p->edits)) return;
    uint32_t text_at = p->at.text_nbytes, n = (uint32_t)text_nbytes;
    if (n > 0) {
        if (!rt_ts_reserve(p, &p->text, &p->text_capacity, text_at + n, 1)) return;
        memcpy(p->text + text_at, text, n);
        p->at.text_nbytes += n;
    }
    p->edits[p->at.edit_count++] = (struct rt_ts_edit){start, end, text_at, n};
}

void rt_ts_replace_format(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *format, ...) {
    if (p->at.erased > 0 || p->at.failed) return;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    uint32_t text_at = p->at.text_nbytes;
    rt_ts_replace(p, start, end, NULL, 0);
    if (p->at.failed || !rt_ts_reserve(p, &p->text, &p->text_capacity, text_at + (uint32_t)n + 1, 1)) return;
    va_start(arguments, format);
    vsnprintf(p->text + text_at, (size_t)n + 1, format, arguments);
    va_end(arguments);
    p->edits[p->at.edit_count - 1].text_nbytes = (uint32_t)n;
    p->at.text_nbytes += (uint32_t)n;
}

uint32_t rt_ts_placeholder(struct rt_ts_parser *p, uint32_t at) {
    rt_ts_replace(p, at, at, NULL, 0);
    return p->at.edit_count - 1;
}

void rt_ts_fill(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    if (p->at.erased > 0 || p->at.failed) return;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0)
        rt_ts_fail_memory(p);
    else
        rt_ts_fill_edit(p, edit, start, end, text, (size_t)n);
    free(text);
}

void rt_ts_fill_edit(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end, const char *text,
                     size_t text_nbytes) {
    if (p->at.erased > 0 || p->at.failed) return;
    uint32_t text_at = p->at.text_nbytes, n = (uint32_t)text_nbytes;
    if (n > 0) {
        if (!rt_ts_reserve(p, &p->text, &p->text_capacity, text_at + n, 1)) return;
        memcpy(p->text + text_at, text, n);
        p->at.text_nbytes += n;
    }
    p->edits[edit] = (struct rt_ts_edit){start, end, text_at, n};
}

void rt_ts_erase_range(struct rt_ts_parser *p, uint32_t start, uint32_t end) {
    if (start < end) rt_ts_replace(p, start, end, NULL, 0);
}

void rt_ts_erase_since(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t start) {
    p->at.edit_count = mark->edit_count;
    p->at.text_nbytes = mark->text_nbytes;
    uint32_t kept = mark->reference_count;
    for (uint32_t i = kept; i < p->at.reference_count; i++) {
        if (p->references[i].kind == REFERENCE_COMPUTED) p->references[kept++] = p->references[i];
    }
    p->at.reference_count = kept;
    rt_ts_erase_range(p, start, p->at.previous_end);
}

bool rt_ts_joins(const struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    char before = mark->previous_end > 0 ? p->source[mark->previous_end - 1] : ';';
    if (before == ';' || before == '{') return false;
    switch (p->at.token.type) {
        case T_LPAREN:
        case T_LBRACKET:
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD:
        case T_PLUS:
        case T_MINUS:
        case T_STAR:
        case T_SLASH:
        case T_LT:
        case K_IN:
        case K_INSTANCEOF: return true;
        default: return false;
    }
}

void rt_ts_erase_whole(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t start) {
    bool joins = rt_ts_joins(p, mark);
    rt_ts_erase_since(p, mark, start);
    if (!joins) return;
    if (p->at.erased > 0 || p->at.failed) return;
    p->at.edit_count--;
    rt_ts_replace(p, start, p->at.previous_end, ";", 1);
}

bool rt_ts_has_newline(const struct rt_ts_parser *p, uint32_t start, uint32_t end) {
    for (uint32_t i = start; i < end; i++) {
        const unsigned char *s = (const unsigned char *)p->source + i;
        if (*s == '\n' || *s == '\r' || (s[0] == 0xE2 && s[1] == 0x80 && (s[2] & 0xFE) == 0xA8)) return true;
    }
    return false;
}

bool rt_ts_restrict(struct rt_ts_parser *p, enum rt_ts_restriction restriction) {
    bool outer = p->at.paren_open;
    p->at.paren_open = false;
    p->at.restricted_at = p->at.token.start;
    p->at.restriction = (uint8_t)restriction;
    return outer;
}

void rt_ts_close_restricted(struct rt_ts_parser *p, bool outer) {
    if (p->at.paren_open) rt_ts_replace(p, p->at.previous_end, p->at.previous_end, ")", 1);
    p->at.paren_open = outer;
    p->at.restriction = RESTRICT_NONE;
}

void rt_ts_check_restricted(struct rt_ts_parser *p, uint32_t start, uint32_t edit) {
    if (p->at.restriction == RESTRICT_NONE || p->at.restricted_at != start || p->at.erased > 0) return;
    bool needed = false;
    if (p->at.restriction == RESTRICT_NEWLINE) {
        needed = rt_ts_has_newline(p, start, p->at.token.start);
    } else {
        needed = rt_ts_is(p, T_LBRACE) || rt_ts_is(p, K_FUNCTION) || rt_ts_is(p, K_CLASS) ||
                 (rt_ts_is(p, K_ASYNC) && rt_ts_look_ahead(p).type == K_FUNCTION);
    }
    if (!needed || edit >= p->at.edit_count) return;
    if (!rt_ts_reserve(p, &p->text, &p->text_capacity, p->at.text_nbytes + 1, 1)) return;
    p->edits[edit].text = p->at.text_nbytes;
    p->edits[edit].text_nbytes = 1;
    p->text[p->at.text_nbytes++] = '(';
    p->at.paren_open = true;
}

void rt_ts_append(struct rt_ts_parser *p, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0) {
        rt_ts_fail_memory(p);
        return;
    }
    p->tail.nbytes = p->at.tail_nbytes;
    rt_ts_text_put(&p->tail, text, (size_t)n);
    p->at.tail_nbytes = (uint32_t)p->tail.nbytes;
    if (p->tail.failed) rt_ts_fail_memory(p);
    free(text);
}

void rt_ts_end_output(struct rt_ts_parser *p) {
    if (p->at.tail_nbytes == 0) return;
    uint32_t end = p->at.previous_end; /* before a comment without a line's end, which would take it in */
    rt_ts_replace(p, end, end, ";", 1);
    rt_ts_replace(p, end, end, p->tail.bytes, p->at.tail_nbytes);
}

/* Does TEXT, whose underscore is the character at UNDERSCORE, stand anywhere in the source? */
static bool source_has(const struct rt_ts_parser *p, const char *text, size_t underscore) {
    const char *s = p->source + underscore, *end = p->source + p->nbytes;
    for (; s < end && (s = memchr(s, '_', (size_t)(end - s))); s++) {
        if (memcmp(s - underscore, text, strlen(text)) == 0) return true; /* the padding ends it */
    }
    return false;
}

/* The largest N of the source's `_N`, of its first nine digits. */
static unsigned largest_suffix(const struct rt_ts_parser *p) {
    const char *s = p->source, *end = s + p->nbytes;
    unsigned largest = 0;
    for (; s < end && (s = memchr(s, '_', (size_t)(end - s))); s++) {
        unsigned n = 0;
        for (int i = 1; i <= 9 && s[i] >= '0' && s[i] <= '9'; i++) /* the padding ends it */
            n = n * 10 + (unsigned)(s[i] - '0');
        if (n > largest) largest = n;
    }
    return largest;
}

const char *rt_ts_suffix(struct rt_ts_parser *p) {
    static const char *const names[] = {"_jsx",    "_Fragment", "_createElement", "_key",  "_apply",   "_class",
                                        "_member", "_decorate", "_param",         "_name", "_default", "_use"};
    if (p->suffix_chosen) return p->suffix;
    bool taken = source_has(p, "#_", 1);
    p->suffix_chosen = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        taken = taken || source_has(p, names[i], 0);
    for (unsigned n = taken ? largest_suffix(p) + 1 : 0; taken; n++) {
        snprintf(p->suffix, sizeof p->suffix, "_%u", n);
        taken = source_has(p, p->suffix, 0);
    }
    return p->suffix;
}

void rt_ts_render(struct rt_ts_parser *p, uint32_t start, uint32_t end, uint32_t edit, struct rt_ts_text *text) {
    uint32_t at = start;
    for (; edit < p->at.edit_count; edit++) {
        const struct rt_ts_edit *e = &p->edits[edit];
        if (e->start == e->end && e->text_nbytes == 0) continue;
        rt_ts_text_put(text, p->source + at, e->start - at);
        if (e->text_nbytes > 0)
            rt_ts_text_put(text, p->text + e->text, e->text_nbytes);
        else
            rt_ts_text_put(text, " ", 1);
        at = e->end;
    }
    rt_ts_text_put(text, p->source + at, end - at);
}

void rt_ts_text_format(struct rt_ts_text *text, const char *format, ...) {
    char *formatted = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&formatted, format, arguments);
    va_end(arguments);
    if (n < 0)
        text->failed = true;
    else
        rt_ts_text_put(text, formatted, (size_t)n);
    free(formatted);
}

void rt_ts_text_put(struct rt_ts_text *text, const char *bytes, size_t nbytes) {
    if (nbytes == 0) return;
    if (text->nbytes + nbytes > text->capacity) {
        size_t capacity = (text->nbytes + nbytes) * 2 + 64;
        char *grown = realloc(text->bytes, capacity);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->nbytes, bytes, nbytes);
    text->nbytes += nbytes;
}

/* ---- output ---- */

struct writer {
    char *text;
    size_t nbytes;
    uint32_t debt;                 /* columns that inserted text is ahead of the source on this line */
    struct rt_ts_columns *columns; /* NULL: nobody asks */
    uint32_t noted;                /* the debt that COLUMNS knows of */
    bool failed;                   /* memory is short for COLUMNS */
};

static void note_debt(struct writer *w) {
    if (!w->columns || w->debt == w->noted) return;
    w->noted = w->debt;
    if (!rt_ts_columns_add(w->columns, (uint32_t)w->nbytes, w->debt)) w->failed = true;
}

/* At a line's end. */
static void forget_debt(struct writer *w) {
    w->debt = w->noted = 0;
}

static void write_bytes(struct writer *w, const char *text, size_t nbytes) {
    memcpy(w->text + w->nbytes, text, nbytes);
    w->nbytes += nbytes;
}

static uint32_t utf16_length(const char *text, uint32_t nbytes) {
    uint32_t units = 0;
    for (uint32_t i = 0; i < nbytes; i++) {
        if (!is_continuation(text[i])) units += (unsigned char)text[i] >= 0xF0 ? 2 : 1;
    }
    return units;
}

/* COUNT blanks, less the columns that are owed; at least one stays, so that tokens stay apart. */
static void write_blanks(struct writer *w, uint32_t count) {
    if (count == 0) return;
    uint32_t paid = w->debt < count ? w->debt : count - 1;
    w->debt -= paid;
    memset(w->text + w->nbytes, ' ', count - paid);
    w->nbytes += count - paid;
}

/* As many columns as bytes, all on one line? (A newline is the caller's affair.) */
static bool is_plain(const char *s, uint32_t nbytes) {
    return rt_utf8_is_ascii(s, nbytes) && !memchr(s, '\r', nbytes);
}

/* Erased text while it is written: UNITS columns of blanks are due, but SKIP of them a replacement has taken already.
 */
struct erasure {
    uint32_t units, skip;
};

/* What the line lacks of blanks, or owes. */
static void write_blanks_after(struct writer *w, const struct erasure *e) {
    if (e->units > e->skip)
        write_blanks(w, e->units - e->skip);
    else
        w->debt += e->skip - e->units;
}

static void end_erased_line(struct writer *w, struct erasure *e, const char *line_break, size_t nbytes) {
    write_blanks_after(w, e);
    note_debt(w);
    forget_debt(w);
    e->units = e->skip = 0;
    write_bytes(w, line_break, nbytes);
}

/* Text with anything in it but a newline. */
static void write_erased_odd(struct writer *w, struct erasure *e, const char *s, uint32_t nbytes) {
    for (uint32_t i = 0; i < nbytes; i++) {
        unsigned char c = (unsigned char)s[i];
        bool separator =
            c == 0xE2 && i + 2 < nbytes && (unsigned char)s[i + 1] == 0x80 && ((unsigned char)s[i + 2] & 0xFE) == 0xA8;
        if (separator || c == '\r') {
            end_erased_line(w, e, s + i, separator ? 3 : 1);
            if (separator) i += 2;
        } else if (!is_continuation((char)c)) {
            e->units += c >= 0xF0 ? 2 : 1;
        }
    }
}

static void write_erased(struct writer *w, const char *s, uint32_t nbytes, uint32_t skip) {
    struct erasure e = {0, skip};
    while (nbytes > 0) {
        const char *newline = memchr(s, '\n', nbytes);
        uint32_t length = newline ? (uint32_t)(newline - s) : nbytes;
        if (is_plain(s, length)) {
            e.units += length;
        } else {
            write_erased_odd(w, &e, s, length);
        }
        if (newline) end_erased_line(w, &e, newline, 1);
        length += newline != NULL;
        s += length;
        nbytes -= length;
    }
    write_blanks_after(w, &e);
    note_debt(w);
}

/* What EDIT writes. P->text is NULL until some edit has text. */
static const char *text_of(const struct rt_ts_parser *p, const struct rt_ts_edit *edit) {
    return edit->text_nbytes > 0 ? p->text + edit->text : "";
}

/* Copies source text; its line breaks settle what is owed. */
static void write_source(struct writer *w, const struct rt_ts_parser *p, uint32_t start, uint32_t end) {
    if (w->debt > 0 && rt_ts_has_newline(p, start, end)) forget_debt(w);
    write_bytes(w, p->source + start, end - start);
}

static char *write_output(struct rt_ts_parser *p, size_t *out_nbytes) {
    struct writer w = {.text = malloc((size_t)p->nbytes + p->at.text_nbytes + 1), .columns = p->options.columns};
    if (!w.text) return NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->at.edit_count; i++) {
        const struct rt_ts_edit *edit = &p->edits[i];
        if (edit->start == edit->end && edit->text_nbytes == 0) continue;
        const char *text = text_of(p, edit);
        write_source(&w, p, at, edit->start);
        if (edit->text_nbytes > 0) write_bytes(&w, text, edit->text_nbytes);
        write_erased(&w, p->source + edit->start, edit->end - edit->start, utf16_length(text, edit->text_nbytes));
        at = edit->end;
    }
    write_source(&w, p, at, p->nbytes);
    w.text[w.nbytes] = 0;
    if (w.columns) rt_ts_columns_place(w.columns, w.text);
    if (w.failed) {
        free(w.text);
        return NULL;
    }
    *out_nbytes = w.nbytes;
    return w.text;
}

/* Does every edit's text go where as many characters go, on one line? Then the output never overtakes the source. */
static bool fits_in_place(const struct rt_ts_parser *p) {
    for (uint32_t i = 0; i < p->at.edit_count; i++) {
        const struct rt_ts_edit *edit = &p->edits[i];
        uint32_t n = edit->text_nbytes;
        if (n == 0) continue;
        if (n > edit->end - edit->start || !rt_utf8_is_ascii(p->source + edit->start, n)) return false;
        if (!rt_utf8_is_ascii(text_of(p, edit), n) || rt_ts_has_newline(p, edit->start, edit->start + n)) return false;
    }
    return true;
}

/* Blanks the character at S and returns the byte after it. */
static const char *blank_character(char **out, const char *s) {
    const unsigned char *u = (const unsigned char *)s;
    uint32_t nbytes = u[0] < 0x80 ? 1 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    if (*s == '\n' || *s == '\r' || rt_ts_is_line_separator(s)) {
        memmove(*out, s, nbytes);
        *out += nbytes;
    } else {
        *(*out)++ = ' ';
        if (nbytes == 4) *(*out)++ = ' ';
    }
    return s + nbytes;
}

/* Writes NBYTES of S, blanked, to OUT, which is at S or before it. Returns the end of what was written. */
static char *blank(char *out, const char *s, uint32_t nbytes) {
    const char *end = s + nbytes;
#ifdef __SSE2__
    while (end - s >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)s);
        if (_mm_movemask_epi8(bytes)) {
            for (const char *stop = s + 16; s < stop;)
                s = blank_character(&out, s);
            continue;
        }
        __m128i breaks =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')));
        __m128i blanks = _mm_or_si128(_mm_and_si128(breaks, bytes), _mm_andnot_si128(breaks, _mm_set1_epi8(' ')));
        _mm_storeu_si128((__m128i *)(void *)out, blanks);
        s += 16;
        out += 16;
    }
#endif
    while (s < end)
        s = blank_character(&out, s);
    return out;
}

/* The usual case, without a second copy of the file: its pages cost more than everything else. */
static char *write_in_place(struct rt_ts_parser *p, size_t *out_nbytes) {
    char *text = (char *)p->source, *out = text;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->at.edit_count; i++) {
        const struct rt_ts_edit *edit = &p->edits[i];
        if (edit->start == edit->end) continue; /* nothing came of it: it may not even be in order */
        uint32_t kept = edit->start - at, n = edit->text_nbytes;
        if (out != text + at) memmove(out, text + at, kept);
        out += kept;
        if (n > 0) memcpy(out, text_of(p, edit), n);
        out = blank(out + n, text + edit->start + n, edit->end - edit->start - n);
        at = edit->end;
    }
    if (out != text + at) memmove(out, text + at, p->nbytes - at);
    out += p->nbytes - at;
    *out = 0;
    *out_nbytes = (size_t)(out - text);
    p->source = NULL;
    return text;
}

char *rt_ts_apply_edits(struct rt_ts_parser *p, size_t *out_nbytes) {
    return fits_in_place(p) ? write_in_place(p, out_nbytes) : write_output(p, out_nbytes);
}
