/* typescript_enum.c: owns enums. `enum E { A, B = f() }` becomes
 *     var E; (function (E) { E[E["A"]=0]="A"; E[E["B"]=f()]="B"; })(E || (E = {}));
 * with every member on its line. `const enum` is one too: a single file can't know who else uses it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/typescript_internal.h"

struct members {
    const char *name; /* the enum's, as its body calls it */
    int name_nbytes;
    const char *suffix;
    uint32_t symbol;
    uint32_t start;
    struct rt_ts_value previous;
    bool any, any_string, any_number; /* members, members of that kind */
    bool computed;
};

/* A member's name without quotes. */
struct member {
    uint32_t start; /* with the quotes */
    uint32_t key, key_nbytes;
    bool quoted;
    char quote;
};

static bool is_string(const struct rt_ts_value *value) {
    return value->kind == VALUE_STRING || value->kind == VALUE_LONG_STRING;
}

static struct member member_name(struct rt_ts_parser *p) {
    struct member m = {.start = p->at.token.start, .quote = '"'};
    bool bracket = rt_ts_accept(p, T_LBRACKET);
    struct rt_ts_token name = p->at.token;
    if (name.type == T_STRING || (bracket && name.type == T_TEMPLATE)) {
        m.quoted = true;
        m.quote = p->source[name.start];
        m.key = name.start + 1;
        m.key_nbytes = name.end - name.start - 2;
    } else if (rt_ts_is_word(name.type) && !bracket) {
        m.key = name.start;
        m.key_nbytes = name.end - name.start;
    } else {
        rt_ts_expected(p, "an enum member's name");
    }
    rt_ts_next(p);
    if (bracket) rt_ts_expect(p, T_RBRACKET, "]");
    return m;
}

/* The text of a string literal for VALUE, appended to the parser's strings. Returns where it starts; it ends there now.
 */
static uint32_t quote(struct rt_ts_parser *p, const struct rt_ts_value *value) {
    uint32_t start = p->strings_nbytes, worst = value->text_nbytes * 6 + 2;
    if (!rt_ts_reserve(p, &p->strings, &p->strings_capacity, start + worst, 1)) return start;
    char *out = p->strings + start;
    const unsigned char *s = (const unsigned char *)p->strings + value->text, *end = s + value->text_nbytes;
    *out++ = '"';
    for (; s < end; s++) {
        if (*s == '"' || *s == '\\') {
            *out++ = '\\';
            *out++ = (char)*s;
        } else if (*s < 0x20) {
            out += sprintf(out, "\\u%04x", *s);
        } else if (*s == 0xED && end - s >= 3 && s[1] >= 0xA0) { /* a lone surrogate */
            out += sprintf(out, "\\u%04x", 0xD000u | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu));
            s += 2;
        } else {
            *out++ = (char)*s;
        }
    }
    *out++ = '"';
    p->strings_nbytes = (uint32_t)(out - p->strings);
    return start;
}

static void open_member(struct rt_ts_parser *p, const struct members *e, const struct member *m, bool string,
                        uint32_t end) {
    const char *key = p->source + m->key;
    if (string) {
        rt_ts_replace_format(p, m->start, end, "%.*s%s[%c%.*s%c]=", e->name_nbytes, e->name, e->suffix, m->quote,
                             (int)m->key_nbytes, key, m->quote);
    } else {
        rt_ts_replace_format(p, m->start, end, "%.*s%s[%.*s%s[%c%.*s%c]=", e->name_nbytes, e->name, e->suffix,
                             e->name_nbytes, e->name, e->suffix, m->quote, (int)m->key_nbytes, key, m->quote);
    }
}

/* The end of a member that is not a string, in place of the characters from START to END. */
static void close_member(struct rt_ts_parser *p, const struct member *m, const char *value, uint32_t start,
                         uint32_t end) {
    rt_ts_replace_format(p, start, end, "%s]=%c%.*s%c;", value, m->quote, (int)m->key_nbytes, p->source + m->key,
                         m->quote);
}

static uint32_t skip_comma(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, T_RBRACE)) rt_ts_expect(p, T_COMMA, ", or }");
    return p->at.previous_end;
}

/* A member without an initialiser. */
static void counted_member(struct rt_ts_parser *p, struct members *e, const struct member *m) {
    char text[RT_TS_NUMBER_NBYTES] = "void 0";
    if (!e->any) {
        e->previous = (struct rt_ts_value){.kind = VALUE_NUMBER};
    } else if (e->previous.kind == VALUE_NUMBER) {
        e->previous.number += 1;
    } else {
        e->previous.kind = VALUE_UNKNOWN; /* an error in TypeScript, which still compiles it like this */
    }
    if (e->previous.kind == VALUE_NUMBER) rt_ts_format_number(e->previous.number, text);
    uint32_t name_end = p->at.previous_end;
    open_member(p, e, m, false, name_end);
    close_member(p, m, text, name_end, skip_comma(p));
}

/* At the initialiser of a member whose value is left to run time. */
static void computed_member(struct rt_ts_parser *p, const struct members *e, const struct member *m) {
    rt_ts_memo_set(p, e->start, MEANING_COMPUTED);
    if (!e->computed) p->again = true; /* it may refer to other members */
    rt_ts_assignment(p, 0);
    uint32_t end = p->at.previous_end, stop = skip_comma(p);
    if (is_string(&e->previous)) {
        rt_ts_replace(p, end, stop, ";", 1);
    } else {
        close_member(p, m, "", end, stop);
    }
}

/* At the initialiser. A single literal stays where it is; what TypeScript computes is put there computed. */
static void initialized_member(struct rt_ts_parser *p, struct members *e, const struct member *m) {
    struct rt_ts_token first = p->at.token;
    e->previous = rt_ts_evaluate(p);
    open_member(p, e, m, is_string(&e->previous), first.start);
    if (e->previous.kind == VALUE_UNKNOWN || e->previous.kind == VALUE_LONG_STRING) {
        computed_member(p, e, m);
        return;
    }
    uint32_t end = p->at.previous_end;
    bool is_literal = first.end == end && (first.type == T_NUMBER || first.type == T_STRING);
    if (e->previous.kind == VALUE_STRING) {
        uint32_t text = is_literal ? 0 : quote(p, &e->previous),
                 text_nbytes = is_literal ? 0 : p->strings_nbytes - text;
        uint32_t stop = skip_comma(p);
        if (!is_literal && !p->at.failed) rt_ts_replace(p, first.start, end, p->strings + text, text_nbytes);
        rt_ts_replace(p, end, stop, ";", 1);
    } else {
        char text[RT_TS_NUMBER_NBYTES] = "";
        if (!is_literal) rt_ts_format_number(e->previous.number, text);
        close_member(p, m, text, is_literal ? end : first.start, skip_comma(p));
    }
}

static void member(struct rt_ts_parser *p, struct members *e) {
    struct member m = member_name(p);
    if (p->at.failed) return;
    struct rt_ts_token key = {T_IDENT, false, m.key, m.key + m.key_nbytes};
    if (rt_ts_accept(p, T_ASSIGN)) {
        initialized_member(p, e, &m);
    } else {
        counted_member(p, e, &m);
    }
    e->any = true;
    if (p->at.failed) return;
    e->any_string |= is_string(&e->previous);
    e->any_number |= !is_string(&e->previous);
    rt_ts_add_constant(p, e->symbol, m.key, m.key_nbytes, &e->previous);
    if (e->computed) rt_ts_add_name(p, &key);
    rt_ts_declare_in(p, &key, DECLARED_EXPORT, e->symbol, 0);
}

void rt_ts_enum(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    uint32_t start = p->at.token.start;
    rt_ts_accept(p, K_CONST);
    rt_ts_next(p); /* enum */
    struct rt_ts_frame frame = {.mark = mark, .name = p->at.token};
    if (!rt_ts_is_identifier(frame.name.type)) rt_ts_expected(p, "a name");
    rt_ts_next(p);
    if (!rt_ts_is(p, T_LBRACE)) rt_ts_expected(p, "{");
    rt_ts_open_frame(p, &frame, start, p->at.token.end);
    rt_ts_next(p);
    if (p->at.failed) return;
    struct members members = {.name = p->source + frame.name.start,
                              .name_nbytes = (int)(frame.name.end - frame.name.start),
                              .suffix = p->scopes[p->at.scope].renamed ? "_1" : "",
                              .symbol = frame.symbol,
                              .start = frame.name.start,
                              .computed = rt_ts_memo_has(p, frame.name.start, MEANING_COMPUTED)};
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed)
        member(p, &members);
    rt_ts_close_frame(p, &frame);
    enum rt_ts_noted_kind kind = !members.any_string  ? NOTED_ENUM_NUMBERS
                                 : members.any_number ? NOTED_ENUM_MIXED
                                                      : NOTED_ENUM_STRINGS;
    rt_ts_note_type(p, &frame.name, kind, NULL);
}
