/* typescript_namespace.c: owns namespaces with values. `namespace N { export const x = 1; export function f() {} }`
 * becomes var N; (function (N) { N.x = 1; function f() {} N.f=f; })(N || (N = {})); on the lines and, where nothing had
 * to be put in, in the columns of the source. References to exported variables, which have no variable of their own any
 * more, get their `N.` in rt_ts_resolve(). */
#include "runtime/typescript_internal.h"

bool rt_ts_in_namespace(const struct rt_ts_parser *p) {
    return p->at.erased == 0 && p->scopes[p->at.scope].symbol != 0;
}

/* ---- the frame, for enums too ---- */

void rt_ts_open_frame(struct rt_ts_parser *p, struct rt_ts_frame *frame, uint32_t start, uint32_t end) {
    if (p->at.failed) return;
    const struct rt_ts_scope *scope = &p->scopes[p->at.scope];
    frame->exported = scope->symbol != 0 && frame->mark->token.type == K_EXPORT;
    uint32_t owner = frame->exported ? scope->symbol : scope->start;
    bool is_first, is_top = p->at.scope == 0;
    uint32_t name = rt_ts_intern_name(p, &frame->name);
    frame->symbol = rt_ts_container(p, owner, name, frame->name.start, &is_first);
    /* Each block of a merged namespace has variables of its own. */
    frame->local_symbol = rt_ts_container(p, scope->start, name, frame->name.start, &is_first);
    rt_ts_declare(p, &frame->name, DECLARED_LEXICAL);
    if (frame->exported) rt_ts_declare_in(p, &frame->name, DECLARED_EXPORT, scope->symbol, 0);
    const char *text = p->source + frame->name.start, *keyword = is_top || frame->is_var ? "var" : "let";
    frame->is_var = is_top || frame->is_var;
    int nbytes = (int)(frame->name.end - frame->name.start);
    bool renamed = rt_ts_memo_has(p, frame->name.start, MEANING_RENAMED);
    /* `export` goes where it can't stand: in a namespace, and before a declaration without `var`. */
    bool keep_export = is_top && is_first && start > frame->mark->token.start;
    uint32_t from = keep_export ? start : frame->mark->token.start;
    if (is_first) {
        rt_ts_replace_format(p, from, end, "%s %.*s;(function(%.*s%s){", keyword, nbytes, text, nbytes, text,
                             renamed ? "_1" : "");
    } else {
        rt_ts_replace_format(p, from, end, ";(function(%.*s%s){", nbytes, text, renamed ? "_1" : "");
    }
    frame->outer_scope = rt_ts_push_scope(p, true);
    struct rt_ts_scope *body = &p->scopes[p->at.scope];
    body->symbol = frame->symbol;
    body->name_start = frame->name.start;
    body->name_end = frame->name.end;
    body->renamed = renamed;
}

/* Writes `N` or `N_1`, the name of the namespace whose body SCOPE is. */
static int container_name(const struct rt_ts_parser *p, uint32_t scope, const char **text_out,
                          const char **suffix_out) {
    const struct rt_ts_scope *s = &p->scopes[scope];
    *text_out = p->source + s->name_start;
    *suffix_out = s->renamed ? "_1" : "";
    return (int)(s->name_end - s->name_start);
}

/* The text that ends a frame, in place of the `}` from START to END. */
static void close_frame_at(struct rt_ts_parser *p, const struct rt_ts_frame *frame, uint32_t start, uint32_t end) {
    const char *text = p->source + frame->name.start, *outer, *suffix;
    int n = (int)(frame->name.end - frame->name.start);
    p->at.scope = frame->outer_scope;
    if (frame->exported) {
        int m = container_name(p, p->at.scope, &outer, &suffix);
        rt_ts_replace_format(p, start, end, "})(%.*s=%.*s%s.%.*s||(%.*s%s.%.*s={}));", n, text, m, outer, suffix, n,
                             text, m, outer, suffix, n, text);
    } else {
        rt_ts_replace_format(p, start, end, "})(%.*s||(%.*s={}));", n, text, n, text);
    }
}

void rt_ts_close_frame(struct rt_ts_parser *p, struct rt_ts_frame *frame) {
    struct rt_ts_token brace = p->at.token;
    rt_ts_expect(p, T_RBRACE, "}");
    if (p->at.failed) return;
    close_frame_at(p, frame, brace.start, brace.end);
}

/* ---- exports ---- */

void rt_ts_namespace_export(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    const char *text, *suffix;
    if (p->at.failed || p->at.erased > 0) return;
    uint32_t symbol = p->scopes[p->at.scope].symbol, end = p->at.previous_end;
    int n = (int)(name->end - name->start), m = container_name(p, p->at.scope, &text, &suffix);
    rt_ts_add_name(p, name);
    rt_ts_declare_in(p, name, DECLARED_EXPORT, symbol, 0);
    rt_ts_replace_format(p, end, end, "%.*s%s.%.*s=%.*s;", m, text, suffix, n, p->source + name->start, n,
                         p->source + name->start);
}

/* `N.` before an exported variable's name, in place of the characters from START to END. */
static void qualify_name(struct rt_ts_parser *p, uint32_t start, uint32_t end) {
    const char *text, *suffix;
    int n = container_name(p, p->at.scope, &text, &suffix);
    rt_ts_replace_format(p, start, end, "%.*s%s.", n, text, suffix);
}

static void export_name(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    rt_ts_add_name(p, name);
    rt_ts_declare_in(p, name, DECLARED_EXPORT, p->scopes[p->at.scope].symbol, 0);
}

static void exported_pattern(struct rt_ts_parser *p);

static void exported_target(struct rt_ts_parser *p) {
    if (!rt_ts_is_identifier(p->at.token.type)) {
        exported_pattern(p);
        return;
    }
    export_name(p, &p->at.token);
    qualify_name(p, p->at.token.start, p->at.token.start);
    rt_ts_next(p);
}

/* { a, b: c, ...d } or [a, , b] whose names become N.a and so on. */
static void exported_pattern(struct rt_ts_parser *p) {
    enum rt_ts_token_type end = rt_ts_is(p, T_LBRACE) ? T_RBRACE : T_RBRACKET;
    if (!rt_ts_is(p, T_LBRACE) && !rt_ts_is(p, T_LBRACKET)) rt_ts_expected(p, "a name or a pattern");
    if (!rt_ts_enter(p)) {
        rt_ts_leave(p);
        return;
    }
    rt_ts_next(p);
    while (!rt_ts_is(p, end) && !p->at.failed) {
        if (end == T_RBRACKET && rt_ts_accept(p, T_COMMA)) continue;
        if (rt_ts_accept(p, T_ELLIPSIS) || end == T_RBRACKET) {
            exported_target(p);
        } else if (rt_ts_is_identifier(p->at.token.type) && rt_ts_peek(p, NULL) != ':') {
            struct rt_ts_token name = p->at.token;
            const char *text, *suffix;
            int n = container_name(p, p->at.scope, &text, &suffix);
            export_name(p, &name);
            rt_ts_next(p);
            rt_ts_replace_format(p, name.end, name.end, ":%.*s%s.%.*s", n, text, suffix, (int)(name.end - name.start),
                                 p->source + name.start);
        } else {
            rt_ts_property_name(p);
            rt_ts_expect(p, T_COLON, ":");
            exported_target(p);
        }
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, end, end == T_RBRACE ? "}" : "]");
    rt_ts_leave(p);
}

/* One declarator, whose text replaces what stands from FROM on: `export let`, or the comma before. Returns true if
 * something of it stays, which it does if it assigns something. */
static bool exported_variable(struct rt_ts_parser *p, uint32_t from, bool is_first) {
    struct rt_ts_cursor mark = p->at;
    struct rt_ts_token name = p->at.token;
    bool is_object = name.type == T_LBRACE;
    if (!rt_ts_is_identifier(name.type)) {
        const char *text = !is_first ? "," : is_object ? ";(" : ";";
        rt_ts_replace_format(p, from, name.start, "%s", text);
        exported_pattern(p);
    } else {
        const char *text, *suffix;
        int n = container_name(p, p->at.scope, &text, &suffix);
        export_name(p, &name);
        rt_ts_replace_format(p, from, name.start, "%s%.*s%s.", is_first ? "" : ",", n, text, suffix);
        rt_ts_next(p);
        if (rt_ts_is(p, T_BANG)) {
            rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
            rt_ts_next(p);
        }
    }
    rt_ts_erase_annotation(p);
    if (!rt_ts_accept(p, T_ASSIGN)) {
        rt_ts_erase_since(p, &mark, from);
        return false;
    }
    rt_ts_assignment(p, 0);
    if (is_object && is_first) rt_ts_replace(p, p->at.previous_end, p->at.previous_end, ")", 1);
    return true;
}

void rt_ts_namespace_variables(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    uint32_t from = mark->token.start;
    bool any = false;
    rt_ts_next(p); /* var, let, const */
    do {
        any = exported_variable(p, from, !any) || any;
        from = p->at.token.start;
    } while (rt_ts_accept(p, T_COMMA));
    rt_ts_semicolon(p);
    if (!any) rt_ts_erase_whole(p, mark, mark->token.start);
}

/* ---- declarations ---- */

enum { MAX_DOTTED = 32 };

/* namespace A.B.C { ... }: one frame for each name. */
void rt_ts_namespace(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    struct rt_ts_frame frames[MAX_DOTTED];
    struct rt_ts_cursor inner_mark = {.token = {.type = K_EXPORT}};
    uint32_t values = p->at.value_count, declarations = p->at.declaration_count;
    uint32_t from = p->at.token.start, count = 0;
    rt_ts_next(p); /* namespace */
    for (;;) {
        if (!rt_ts_is_identifier(p->at.token.type)) rt_ts_expected(p, "a name");
        if (count == MAX_DOTTED) rt_ts_fail(p, p->at.token.start, "more than %d names in a row", MAX_DOTTED);
        if (p->at.failed) return;
        struct rt_ts_frame *frame = &frames[count];
        *frame = (struct rt_ts_frame){
            .mark = count == 0 ? mark : &inner_mark, .name = p->at.token, .is_var = count > 0 && frames[0].is_var};
        rt_ts_next(p);
        inner_mark.token.start = from;
        rt_ts_open_frame(p, frame, from, p->at.token.end);
        from = p->at.token.end;
        count++;
        if (!rt_ts_accept(p, T_DOT)) break;
    }
    struct rt_ts_cursor body = p->at;
    rt_ts_expect(p, T_LBRACE, "{");
    p->at.value_count = 0;
    rt_ts_statement_list(p, T_RBRACE);
    struct rt_ts_token brace = p->at.token;
    rt_ts_expect(p, T_RBRACE, "}");
    if (p->at.failed) return;
    if (p->at.value_count == 0) { /* nothing but types */
        p->at.value_count = values;
        p->at.declaration_count = declarations;
        p->at.scope = frames[0].outer_scope;
        for (uint32_t i = 0; i < count; i++) {
            rt_ts_forget_container(p, frames[i].symbol, frames[i].name.start);
            rt_ts_forget_container(p, frames[i].local_symbol, frames[i].name.start);
        }
        rt_ts_erase_whole(p, mark, mark->token.start);
        rt_ts_declare_type(p, &frames[0].name);
        return;
    }
    p->at.value_count = values + 1;
    p->again = true; /* what it exports must be known from the start */
    for (uint32_t i = count; i-- > 0;) {
        uint32_t name = rt_ts_find_name(p, &frames[i].name);
        if (rt_ts_declared_since(p, &body, name)) rt_ts_memo_set(p, frames[i].name.start, MEANING_RENAMED);
        close_frame_at(p, &frames[i], i == count - 1 ? brace.start : brace.end, brace.end);
    }
}
