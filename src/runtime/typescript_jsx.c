/* typescript_jsx.c: owns elements. `<a b={c}>text {d}</a>` becomes _jsx("a",{b:(c),children:["text ",(d)]}) or
 * React.createElement("a",{b:(c)},"text ",(d)) where it stands: each part is put in front of, or in place of, the
 * punctuation that was there, so that lines stay, and columns wherever there is indentation to borrow from. What has
 * to be known before (are there children? how many?) is filled in when the element ends.
 *
 * The one thing that moves is `key`, which becomes an argument behind the children. It moves as text if that is one
 * line without functions; else it stays, as an argument of a helper between two halves of the properties.
 *
 * The functions are imported behind the file's end, from where imports are hoisted: nothing before moves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

struct element {
    uint32_t start, least;         /* of `<`, and of what is free before it */
    const char *before;            /* what separates it from what stands before */
    uint32_t head, suffix, opened; /* edits to fill: for `<`, after the name, for `>` */
    uint32_t head_at, name_end, open_start, open_end;
    struct rt_ts_slice name;
    bool is_fragment, is_intrinsic;
    bool any_attribute; /* in the object that is open */
    bool spread;
    bool as_create; /* a key after a spread: createElement(), the only one that sorts that out */
    bool keyed;     /* by the helper */
    struct rt_ts_text key;
    uint32_t child_count;
    bool spread_child;
};

static void element(struct rt_ts_parser *p, const char *before);

static bool is_automatic(const struct rt_ts_parser *p, const struct element *e) {
    return p->jsx.mode != RT_TS_JSX_CLASSIC && !e->as_create;
}

/* ---- Edits ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static uint32_t last_edit_end(const struct rt_ts_parser *p) {
    return p->at.edit_count > 0 ? p->edits[p->at.edit_count - 1].end : 0;
}

/* Where text of NBYTES may start so that what comes at END keeps its column: in the blanks before START, down to LEAST.
 * One blank stays unless a line starts there or JOINS is set. */
static uint32_t align(const struct rt_ts_parser *p, uint32_t least, uint32_t start, uint32_t end, size_t nbytes,
                      bool joins) {
    uint32_t from = start;
    while (from > least && is_blank(p->source[from - 1]) && end - from < nbytes)
        from--;
    bool tight = from == least || (!is_blank(p->source[from - 1]) && p->source[from - 1] != '\n');
    return from < start && tight && !joins ? from + 1 : from;
}

static void fill(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end, const char *text) {
    rt_ts_fill_edit(p, edit, start, end, text, strlen(text));
}

static void replace(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *text) {
    rt_ts_replace(p, start, end, text, strlen(text));
}

/* Puts TEXT in place of what is from START to END, and in the blanks before it. */
static void replace_aligned(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *text) {
    uint32_t from = align(p, last_edit_end(p), start, end, strlen(text), true);
    replace(p, from, end, text);
}

/* ---- Names ---- */

/* The current token is a word: makes a JSX name of it, which may have dashes in it and one colon. */
static void extend_name(struct rt_ts_parser *p) {
    const char *s = p->source;
    uint32_t end = p->at.token.end;
    while (s[end] == '-' || (s[end] == ':' && rt_ts_is_name_start((unsigned char)s[end + 1])))
        end = rt_ts_name_end(p, end + 1);
    p->at.token.end = end;
}

static bool has_dash(const char *s, uint32_t nbytes) {
    return memchr(s, '-', nbytes) || memchr(s, ':', nbytes);
}

/* A use of NAME, which does not stand in the source: React in React.createElement. */
static void use_name(struct rt_ts_parser *p, struct rt_ts_slice name) {
    const char *dot = memchr(name.text, '.', name.nbytes);
    rt_ts_reference_text(p, name.text, dot ? (uint32_t)(dot - name.text) : name.nbytes);
}

/* a, a-b, a:b, A, A.B.c, this.a; the current token is its first word. */
static void element_name(struct rt_ts_parser *p, struct element *e) {
    struct rt_ts_token first = p->at.token;
    if (!rt_ts_is_word(first.type)) {
        rt_ts_expected(p, "the name of an element, or > for a fragment");
        return;
    }
    extend_name(p);
    uint32_t nbytes = p->at.token.end - first.start;
    char initial = p->source[first.start];
    bool dashed = has_dash(p->source + first.start, nbytes);
    rt_ts_next(p);
    e->is_intrinsic = dashed || (initial >= 'a' && initial <= 'z' && first.type != K_THIS && !rt_ts_is(p, T_DOT));
    if (!e->is_intrinsic && first.type != K_THIS) rt_ts_reference(p, &first, REFERENCE_VALUE);
    while (!dashed && rt_ts_accept(p, T_DOT)) {
        if (!rt_ts_is_word(p->at.token.type)) rt_ts_expected(p, "a name");
        rt_ts_next(p);
    }
    e->name_end = p->at.previous_end;
    e->name = (struct rt_ts_slice){p->source + first.start, e->name_end - first.start};
    e->suffix = rt_ts_placeholder(p, e->name_end);
    if (rt_ts_is(p, T_LT) || rt_ts_is(p, T_LSHIFT)) {
        uint32_t start = p->at.token.start;
        p->at.erased++;
        rt_ts_skip_type_arguments(p);
        p->at.erased--;
        rt_ts_erase_range(p, start, p->at.previous_end);
    }
}

/* ---- Attributes ---- */

/* At `{`: an expression between parentheses instead of braces. */
static void braced_expression(struct rt_ts_parser *p, const char *before) {
    char text[4];
    snprintf(text, sizeof text, "%s(", before);
    replace_aligned(p, p->at.token.start, p->at.token.end, text);
    rt_ts_next(p);
    rt_ts_expression(p, 0);
    if (rt_ts_is(p, T_RBRACE))
        replace(p, p->at.token.start, p->at.token.end, ")");
    else
        rt_ts_expected(p, "}");
}

/* The text of an attribute in quotes, which knows no escapes; START: its quote. */
static void attribute_string(struct rt_ts_parser *p, uint32_t start) {
    const char *s = p->source + start;
    const char *end = memchr(s + 1, *s, p->nbytes - start - 1);
    if (!end) {
        rt_ts_fail(p, start, "this string has no closing quote");
        return;
    }
    uint32_t nbytes = (uint32_t)(end - s) - 1, stop = start + nbytes + 2;
    bool plain = !memchr(s + 1, '&', nbytes) && !memchr(s + 1, '\\', nbytes) && !rt_ts_has_newline(p, start, stop);
    if (!plain) {
        struct rt_ts_text text = {0};
        rt_ts_jsx_string(&text, s + 1, nbytes);
        if (text.failed)
            rt_ts_fail_memory(p);
        else
            rt_ts_replace(p, start, stop, text.bytes, text.nbytes);
        free(text.bytes);
    }
    p->at.token.end = stop;
    rt_ts_next(p);
}

/* At `=`. */
static void attribute_value(struct rt_ts_parser *p) {
    uint32_t start = rt_ts_next_offset(p);
    char c = start < p->nbytes ? p->source[start] : 0;
    if (c == '"' || c == '\'') {
        attribute_string(p, start);
        return;
    }
    rt_ts_next(p);
    if (rt_ts_is(p, T_LBRACE)) {
        if (rt_ts_peek(p, NULL) == '}') rt_ts_fail(p, p->at.token.start, "an attribute's {} must have a value in it");
        braced_expression(p, "");
        rt_ts_next(p);
    } else if (rt_ts_is(p, T_LT)) {
        element(p, "");
        rt_ts_next(p);
    } else {
        rt_ts_expected(p, "a string in quotes or {");
    }
}

/* {...a} */
static void spread_attribute(struct rt_ts_parser *p, struct element *e) {
    replace(p, p->at.token.start, p->at.token.end, e->any_attribute ? "," : " ");
    rt_ts_next(p);
    rt_ts_expect(p, T_ELLIPSIS, "... after { (an attribute is NAME={value})");
    uint32_t start = p->at.token.start;
    bool is_literal = rt_ts_is(p, T_LBRACE);
    rt_ts_assignment(p, 0);
    is_literal = is_literal && !memmem(p->source + start, p->at.previous_end - start, "...", 3);
    if (!is_literal) e->spread = true;
    rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
    rt_ts_expect(p, T_RBRACE, "}");
    e->any_attribute = true;
}

/* May the text from START on, the value of `key`, stand elsewhere? */
static bool can_move(const struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t start) {
    const char *s = p->source + start;
    size_t nbytes = p->at.previous_end - start;
    if (rt_ts_has_newline(p, start, p->at.previous_end)) return false;
    if (p->container_count > 0 && p->at.reference_count > mark->reference_count) return false;
    return !memmem(s, nbytes, "=>", 2) && !memmem(s, nbytes, "function", 8) && !memmem(s, nbytes, "class", 5);
}

/* What was just read since MARK is key={value}; its edits are COMMA for what is before the name, and the next one for
 * its `=` at ASSIGN. */
static void move_key(struct rt_ts_parser *p, struct element *e, const struct rt_ts_cursor *mark, uint32_t comma,
                     const struct rt_ts_token *assign) {
    uint32_t end = p->at.previous_end, name = mark->token.start;
    if (p->at.failed || p->at.erased > 0) return;
    if (e->keyed) {
        rt_ts_fail(p, name, "an element can't have two keys");
        return;
    }
    if (assign && !can_move(p, mark, assign->end)) {
        fill(p, comma, p->edits[comma].start, assign->end, "},");
        p->edits[comma + 1].start = p->edits[comma + 1].end;
        p->edits[comma + 1].text_nbytes = 0;
        replace(p, end, end, ",{");
        e->keyed = true;
        e->any_attribute = false;
        p->at.needs |= NEEDS_KEYED;
        return;
    }
    e->key.nbytes = 0;
    if (assign)
        rt_ts_render(p, assign->end, end, comma + 2, &e->key);
    else
        rt_ts_text_put(&e->key, "true", 4);
    if (e->key.failed) rt_ts_fail_memory(p);
    p->at.edit_count = mark->edit_count;
    p->at.text_nbytes = mark->text_nbytes;
    rt_ts_erase_range(p, name, end);
}

static void attribute(struct rt_ts_parser *p, struct element *e) {
    struct rt_ts_cursor mark = p->at;
    uint32_t start = p->at.token.start;
    extend_name(p);
    uint32_t end = p->at.token.end, nbytes = end - start;
    bool quoted = has_dash(p->source + start, nbytes);
    bool is_key = nbytes == 3 && memcmp(p->source + start, "key", 3) == 0 && p->jsx.mode != RT_TS_JSX_CLASSIC;
    if (is_key && e->spread) {
        e->as_create = true;
        is_key = false;
    }
    if (is_key && !rt_ts_reserve(p, &p->edits, &p->edit_capacity, p->at.edit_count + 1, sizeof *p->edits)) return;
    uint32_t comma = p->at.edit_count;
    char before[3];
    snprintf(before, sizeof before, "%s%s", e->any_attribute ? "," : "", quoted ? "\"" : "");
    replace_aligned(p, start, start, before);
    if (quoted) replace(p, end, end, "\"");
    rt_ts_next(p);
    struct rt_ts_token assign = p->at.token;
    bool has_value = rt_ts_is(p, T_ASSIGN);
    if (has_value) {
        replace(p, assign.start, assign.end, ":");
        attribute_value(p);
    } else {
        replace(p, end, end, ":true");
    }
    if (is_key) {
        move_key(p, e, &mark, comma, has_value ? &assign : NULL);
    } else {
        e->any_attribute = true;
    }
}

static void attributes(struct rt_ts_parser *p, struct element *e) {
    for (;;) {
        if (rt_ts_is(p, T_LBRACE))
            spread_attribute(p, e);
        else if (rt_ts_is_word(p->at.token.type))
            attribute(p, e);
        else
            return;
        if (p->at.failed) return;
    }
}

/* ---- Children ---- */

static void text_child(struct rt_ts_parser *p, struct element *e, uint32_t start, uint32_t end, const char *before) {
    struct rt_ts_text text = {0};
    uint32_t first, last;
    rt_ts_text_put(&text, before, strlen(before));
    if (rt_ts_jsx_text(&text, p->source + start, end - start, &first, &last)) {
        rt_ts_replace(p, start + first, start + last, text.bytes, text.nbytes);
        e->child_count++;
    }
    if (text.failed) rt_ts_fail_memory(p);
    free(text.bytes);
}

/* At `{`. Afterwards the current token is its `}`. */
static void expression_child(struct rt_ts_parser *p, struct element *e, const char *before) {
    struct rt_ts_token brace = p->at.token;
    if (rt_ts_peek(p, NULL) == '}') { /* nothing, or a comment */
        rt_ts_erase_range(p, brace.start, brace.end);
        rt_ts_next(p);
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        return;
    }
    e->child_count++;
    if (rt_ts_look_ahead(p).type != T_ELLIPSIS) {
        braced_expression(p, before);
        return;
    }
    replace(p, brace.start, brace.end, before[0] ? before : " ");
    rt_ts_next(p);
    rt_ts_next(p);
    rt_ts_assignment(p, 0);
    e->spread_child = true;
    if (!rt_ts_is(p, T_RBRACE)) rt_ts_expected(p, "}");
    rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
}

/* The current token is the `>` before the text, or the last one of a child. Returns the end of the text; the token
 * becomes what is there, `{` or `<`. */
static uint32_t skip_text(struct rt_ts_parser *p, const struct element *e) {
    uint32_t at = p->at.token.end;
    for (; at < p->nbytes; at++) {
        char c = p->source[at];
        if (c == '{' || c == '<') break;
        if (c == '>') rt_ts_fail(p, at, "a > in the text of an element is written {'>'} or &gt;");
        if (c == '}') rt_ts_fail(p, at, "a } in the text of an element is written {'}'} or &rbrace;");
        if (p->at.failed) return at;
    }
    if (at == p->nbytes) {
        int n = e->name.nbytes < 60 ? (int)e->name.nbytes : 60;
        rt_ts_fail(p, e->start, "this <%.*s> has no end: expected </%.*s>", n, e->name.text, n, e->name.text);
        return at;
    }
    p->at.token.end = at;
    rt_ts_next(p);
    return at;
}

/* Returns at the `<` of the closing tag. */
static void children(struct rt_ts_parser *p, struct element *e) {
    bool automatic = is_automatic(p, e);
    while (!p->at.failed) {
        const char *before = automatic && e->child_count == 0 ? "" : ",";
        uint32_t start = p->at.token.end, end = skip_text(p, e);
        if (p->at.failed) return;
        text_child(p, e, start, end, before);
        before = automatic && e->child_count == 0 ? "" : ",";
        if (rt_ts_is(p, T_LBRACE)) {
            expression_child(p, e, before);
        } else if (!rt_ts_is(p, T_LT)) {
            rt_ts_expected(p, "an element or a closing tag after <");
        } else if (rt_ts_peek(p, NULL) == '/') {
            return;
        } else {
            e->child_count++;
            element(p, before);
        }
    }
}

/* Steps from `</` to the `>` and checks the name between them. */
static void closing_tag(struct rt_ts_parser *p, const struct element *e) {
    uint32_t start = p->at.token.start;
    rt_ts_next(p);
    rt_ts_next(p);
    uint32_t name = p->at.token.start;
    while (rt_ts_is_word(p->at.token.type) || rt_ts_is(p, T_DOT)) {
        if (rt_ts_is_word(p->at.token.type)) extend_name(p);
        rt_ts_next(p);
    }
    uint32_t nbytes = p->at.previous_end > name ? p->at.previous_end - name : 0;
    if (!rt_ts_is(p, T_GT)) {
        rt_ts_expected(p, "> at the end of the closing tag");
    } else if (nbytes != e->name.nbytes || memcmp(p->source + name, e->name.text, nbytes) != 0) {
        int n = e->name.nbytes < 60 ? (int)e->name.nbytes : 60, m = nbytes < 60 ? (int)nbytes : 60;
        rt_ts_fail(p, start, "expected </%.*s> but found </%.*s>", n, e->name.text, m, p->source + name);
    }
}

/* ---- The call ---- */

static void slice_text(char *to, size_t size, struct rt_ts_slice slice) {
    snprintf(to, size, "%.*s", (int)slice.nbytes, slice.text);
}

/* The function that makes E, noted as needed. */
static void function_name(struct rt_ts_parser *p, const struct element *e, char *to, size_t size) {
    bool several = e->child_count > 1 || e->spread_child;
    const char *name = "_jsx";
    if (p->jsx.mode == RT_TS_JSX_CLASSIC) {
        slice_text(to, size, p->jsx.factory);
        use_name(p, p->jsx.factory);
        return;
    }
    if (e->as_create) {
        name = "_createElement";
        p->at.needs |= NEEDS_CREATE_ELEMENT;
    } else if (p->jsx.mode == RT_TS_JSX_DEVELOPMENT) {
        name = "_jsxDEV";
        p->at.needs |= NEEDS_JSX_DEV;
    } else if (several) {
        name = "_jsxs";
        p->at.needs |= NEEDS_JSXS;
    } else {
        p->at.needs |= NEEDS_JSX;
    }
    snprintf(to, size, "%s%s", name, rt_ts_suffix(p));
}

static void fragment_name(struct rt_ts_parser *p, char *to, size_t size) {
    if (p->jsx.mode == RT_TS_JSX_CLASSIC) {
        slice_text(to, size, p->jsx.fragment);
        use_name(p, p->jsx.fragment);
    } else {
        snprintf(to, size, "_Fragment%s", rt_ts_suffix(p));
        p->at.needs |= NEEDS_FRAGMENT;
    }
}

enum { NAME_SIZE = 128 };

/* What stands in place of `<`, and after the name. */
static void fill_head(struct rt_ts_parser *p, const struct element *e) {
    char function[NAME_SIZE], fragment[NAME_SIZE] = "", text[4 * NAME_SIZE];
    const char *quote = e->is_intrinsic ? "\"" : "";
    const char *object = is_automatic(p, e) || e->any_attribute ? ",{" : ",null";
    function_name(p, e, function, sizeof function);
    if (e->is_fragment) fragment_name(p, fragment, sizeof fragment);
    char keyed[NAME_SIZE] = "";
    if (e->keyed) snprintf(keyed, sizeof keyed, "_jsxKeyed%s(", rt_ts_suffix(p));
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", e->before, keyed, function, e->keyed ? "," : "(", quote, fragment,
             e->is_fragment ? object : "");
    uint32_t from = align(p, e->least, e->start, e->start + 1, strlen(text), e->before[0] != 0);
    fill(p, e->head, from, e->start + 1, text);
    if (e->is_fragment) return;
    snprintf(text, sizeof text, "%s%s", quote, object);
    fill(p, e->suffix, e->name_end, e->name_end, text);
}

static void line_and_column(struct rt_ts_parser *p, uint32_t offset, unsigned *line, unsigned *column) {
    struct rt_ts_error place;
    rt_ts_locate(p, offset, &place);
    *line = place.line;
    *column = place.column;
}

/* What stands in place of the end from START to END: the last token of the element. */
static void close_call(struct rt_ts_parser *p, const struct element *e, uint32_t start, uint32_t end) {
    bool several = e->child_count > 1 || e->spread_child, automatic = is_automatic(p, e);
    bool development = automatic && p->jsx.mode == RT_TS_JSX_DEVELOPMENT;
    struct rt_ts_text text = {0};
    if (automatic) {
        if (several) rt_ts_text_put(&text, "]", 1);
        rt_ts_text_put(&text, "}", 1);
        if (e->key.nbytes > 0 && !e->keyed) {
            rt_ts_text_put(&text, ",", 1);
            rt_ts_text_put(&text, e->key.bytes, e->key.nbytes);
        } else if (development && !e->keyed) {
            rt_ts_text_put(&text, ",void 0", 7);
        }
    } else if (e->child_count == 0 && e->any_attribute) {
        rt_ts_text_put(&text, "}", 1);
    }
    if (development) {
        unsigned line, column;
        char source[2 * NAME_SIZE];
        line_and_column(p, e->start, &line, &column);
        int n = snprintf(source, sizeof source, ",%s,_jsxSource%s(%u,%u),this", several ? "true" : "false",
                         rt_ts_suffix(p), line, column);
        rt_ts_text_put(&text, source, (size_t)n);
    }
    rt_ts_text_put(&text, ")", 1);
    if (text.failed)
        rt_ts_fail_memory(p);
    else
        rt_ts_replace(p, start, end, text.bytes, text.nbytes);
    free(text.bytes);
}

/* What stands in place of the `>` before the children. */
static void fill_open(struct rt_ts_parser *p, const struct element *e) {
    char text[16];
    if (is_automatic(p, e)) {
        const char *list = e->child_count > 1 || e->spread_child ? "[" : "";
        const char *name = e->child_count > 0 ? "children:" : "";
        snprintf(text, sizeof text, "%s%s%s", e->any_attribute && e->child_count > 0 ? "," : "", name, list);
    } else {
        bool closes = e->any_attribute && e->child_count > 0;
        snprintf(text, sizeof text, "%s", closes ? "}" : "");
    }
    fill(p, e->opened, e->open_start, e->open_end, text);
}

/* From the attributes, or the `>` of a fragment, to the end. */
static void element_rest(struct rt_ts_parser *p, struct element *e) {
    if (!e->is_fragment) attributes(p, e);
    if (rt_ts_is(p, T_SLASH) && !e->is_fragment) {
        uint32_t start = p->at.token.start;
        rt_ts_next(p);
        if (!rt_ts_is(p, T_GT)) rt_ts_expected(p, "> after /");
        if (p->at.failed) return;
        fill_head(p, e);
        close_call(p, e, start, p->at.token.end);
        return;
    }
    if (!rt_ts_is(p, T_GT)) rt_ts_expected(p, "an attribute, > or />");
    e->open_start = p->at.token.start;
    e->open_end = p->at.token.end;
    e->opened = rt_ts_placeholder(p, e->open_start);
    children(p, e);
    uint32_t start = p->at.token.start;
    if (!p->at.failed) closing_tag(p, e);
    if (p->at.failed) return;
    fill_head(p, e);
    fill_open(p, e);
    close_call(p, e, start, p->at.token.end);
}

/* At `<`; BEFORE: what separates it from what stands before. Returns at its last `>`. */
static void element(struct rt_ts_parser *p, const char *before) {
    if (rt_ts_enter(p)) {
        struct element e = {
            .start = p->at.token.start, .least = last_edit_end(p), .before = before, .name = {p->source, 0}};
        e.head = rt_ts_placeholder(p, e.start);
        rt_ts_next(p);
        if (rt_ts_is(p, T_GT))
            e.is_fragment = true;
        else
            element_name(p, &e);
        if (!p->at.failed) element_rest(p, &e);
        free(e.key.bytes);
    }
    rt_ts_leave(p);
}

void rt_ts_jsx(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    if (p->jsx.mode == RT_TS_JSX_PRESERVE) {
        rt_ts_fail(p, start,
                   "tsconfig.json leaves elements to another tool (\"jsx\": \"preserve\"), and there is none here: "
                   "\"react-jsx\" or \"react\" makes calls of them");
        return;
    }
    element(p, "");
    if (p->at.failed) return;
    uint32_t end = p->at.token.end;
    rt_ts_next(p);
    if (rt_ts_is(p, T_LT) && !p->at.token.newline_before) {
        rt_ts_fail(p, p->at.token.start, "two elements side by side need one around them: <>...</>");
    }
    bool joins = p->at.token.newline_before && (rt_ts_is(p, T_LPAREN) || rt_ts_is(p, T_LBRACKET) ||
                                                rt_ts_is(p, T_TEMPLATE) || rt_ts_is(p, T_TEMPLATE_HEAD));
    if (joins) rt_ts_replace(p, end, end, ";", 1);
}

/* ---- The file's start and end ---- */

bool rt_ts_jsx_is_arrow(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    bool yes = false;
    p->speculating++;
    rt_ts_next(p);
    rt_ts_accept(p, K_CONST);
    if (rt_ts_is_identifier(p->at.token.type)) {
        rt_ts_next(p);
        yes = rt_ts_is(p, T_COMMA) || rt_ts_is(p, T_ASSIGN);
        if (rt_ts_accept(p, K_EXTENDS)) yes = !rt_ts_is(p, T_ASSIGN) && !rt_ts_is(p, T_GT) && !rt_ts_is(p, T_SLASH);
    }
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

static struct rt_ts_slice slice_of(const char *text) {
    return (struct rt_ts_slice){text, (uint32_t)strlen(text)};
}

/* In a comment from S to END: the word after NAME, which must itself be a whole word. */
static bool pragma(const char *s, const char *end, const char *name, struct rt_ts_slice *word_out) {
    size_t length = strlen(name);
    for (const char *at = s; (at = memmem(at, (size_t)(end - at), name, length)); at += length) {
        const char *word = at + length, *stop;
        if (word >= end || !is_blank(*word)) continue;
        while (word < end && is_blank(*word))
            word++;
        for (stop = word; stop < end && (unsigned char)*stop > ' ';)
            stop++;
        if (stop == word) continue;
        *word_out = (struct rt_ts_slice){word, (uint32_t)(stop - word)};
        return true;
    }
    return false;
}

static bool slice_is(struct rt_ts_slice slice, const char *text) {
    return slice.nbytes == strlen(text) && memcmp(slice.text, text, slice.nbytes) == 0;
}

/* A block comment before the first statement. */
static void read_pragmas(struct rt_ts_parser *p, const char *s, const char *end) {
    struct rt_ts_slice word;
    if (pragma(s, end, "@jsxRuntime", &word)) {
        if (slice_is(word, "classic")) p->jsx.mode = RT_TS_JSX_CLASSIC;
        if (slice_is(word, "automatic") && p->jsx.mode == RT_TS_JSX_CLASSIC) p->jsx.mode = RT_TS_JSX_AUTOMATIC;
    }
    if (pragma(s, end, "@jsxImportSource", &word)) {
        p->jsx.source = word;
        if (p->jsx.mode == RT_TS_JSX_CLASSIC) p->jsx.mode = RT_TS_JSX_AUTOMATIC;
    }
    if (pragma(s, end, "@jsxFrag", &p->jsx.fragment)) word = p->jsx.fragment;
    if (pragma(s, end, "@jsx", &p->jsx.factory) && p->options.jsx_mode == RT_TS_JSX_DEFAULT) {
        p->jsx.mode = RT_TS_JSX_CLASSIC;
    }
}

void rt_ts_jsx_start(struct rt_ts_parser *p) {
    const struct rt_ts_options *o = &p->options;
    if (!o->jsx) return;
    p->jsx = (struct rt_ts_jsx_settings){
        .mode = o->jsx_mode == RT_TS_JSX_DEFAULT ? RT_TS_JSX_AUTOMATIC : o->jsx_mode,
        .factory = slice_of(o->jsx_factory ? o->jsx_factory : "React.createElement"),
        .fragment = slice_of(o->jsx_fragment_factory ? o->jsx_fragment_factory : "React.Fragment"),
        .source = slice_of(o->jsx_import_source ? o->jsx_import_source : "react"),
    };
    if (o->jsx_import_source && p->jsx.mode == RT_TS_JSX_CLASSIC) p->jsx.mode = RT_TS_JSX_AUTOMATIC;
    const char *s = p->source + p->at.token.end, *end = p->source + p->nbytes;
    for (;;) {
        while (s < end && (is_blank(*s) || *s == '\n' || *s == '\r'))
            s++;
        if (end - s < 4 || s[0] != '/') return;
        const char *stop =
            s[1] == '/' ? memchr(s, '\n', (size_t)(end - s)) : memmem(s + 2, (size_t)(end - s - 2), "*/", 2);
        if (!stop || (s[1] != '/' && s[1] != '*')) return;
        if (s[1] == '*') read_pragmas(p, s, stop);
        s = stop + (s[1] == '*' ? 2 : 1);
    }
}

/* What the file needs of one module, each NEED under its NAME. */
struct imported {
    uint32_t need;
    const char *name;
};

/* import{jsx as _jsx,jsxs as _jsxs}from"SOURCE/RUNTIME", or functions that a CommonJS file can have instead. */
static void append_imports(struct rt_ts_parser *p, const struct imported *names, size_t count, const char *runtime) {
    const char *suffix = rt_ts_suffix(p);
    struct rt_ts_text list = {0};
    int n = (int)p->jsx.source.nbytes;
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i].name;
        if (!(p->at.needs & names[i].need)) continue;
        if (p->options.commonjs && p->statement_count == 0) /* it has no import or export itself */
            rt_ts_append(p, "function _%s%s(...a){return require(\"%.*s%s\").%s(...a)}", name, suffix, n,
                         p->jsx.source.text, runtime, name);
        else
            rt_ts_text_format(&list, "%s%s as _%s%s", list.nbytes > 0 ? "," : "", name, name, suffix);
    }
    if (list.nbytes > 0)
        rt_ts_append(p, "import{%.*s}from\"%.*s%s\";", (int)list.nbytes, list.bytes, n, p->jsx.source.text, runtime);
    if (list.failed) rt_ts_fail_memory(p);
    free(list.bytes);
}

void rt_ts_jsx_end(struct rt_ts_parser *p) {
    static const struct imported runtime[] = {
        {NEEDS_JSX, "jsx"}, {NEEDS_JSXS, "jsxs"}, {NEEDS_JSX_DEV, "jsxDEV"}, {NEEDS_FRAGMENT, "Fragment"}};
    static const struct imported element[] = {{NEEDS_CREATE_ELEMENT, "createElement"}};
    bool development = p->jsx.mode == RT_TS_JSX_DEVELOPMENT;
    if (p->at.needs == 0) return;
    append_imports(p, runtime, sizeof runtime / sizeof *runtime, development ? "/jsx-dev-runtime" : "/jsx-runtime");
    append_imports(p, element, 1, "");
    if (p->at.needs & NEEDS_KEYED) {
        rt_ts_append(p, "function _jsxKeyed%s(f,t,a,k,b,...r){return f(t,{...a,...b},k,...r)}", rt_ts_suffix(p));
    }
    if (p->at.needs & NEEDS_JSX_DEV) {
        struct rt_ts_text path = {0};
        const char *name = p->options.path ? p->options.path : "";
        rt_ts_string_literal(&path, name, (uint32_t)strlen(name));
        rt_ts_append(p, "function _jsxSource%s(l,c){return{fileName:%.*s,lineNumber:l,columnNumber:c}}",
                     rt_ts_suffix(p), (int)path.nbytes, path.bytes ? path.bytes : "\"\"");
        free(path.bytes);
    }
}
