/* typescript_type.c: owns the syntax of types. All of it disappears, so this only has to find where it ends; value
 * expressions inside (computed names) are parsed with `erased` set and leave no trace. */
#include "runtime/typescript_internal.h"

static void skip_conditional(struct rt_ts_parser *p, bool no_conditional);

static void erase_begin(struct rt_ts_parser *p) {
    p->at.erased++;
}

static void erase_end(struct rt_ts_parser *p) {
    p->at.erased--;
}

void rt_ts_skip_type(struct rt_ts_parser *p) {
    skip_conditional(p, false);
}

void rt_ts_skip_extends(struct rt_ts_parser *p) {
    skip_conditional(p, true);
}

/* ---- lists in angle brackets ---- */

static void expect_greater(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_GT, ">");
}

void rt_ts_skip_type_arguments(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    rt_ts_split_lshift(p);
    rt_ts_next(p);
    do {
        rt_ts_skip_type(p);
    } while (rt_ts_accept(p, T_COMMA) && !rt_ts_is(p, T_GT));
    expect_greater(p);
    /* Whoever tries this as type arguments again, as part of a longer list or not, would fail again. */
    if (p->at.failed && p->speculating > 0) rt_ts_memo_set(p, start, MEANING_NOT_TYPE_ARGUMENTS);
}

/* NOTES: they are types of the current scope. */
static void skip_type_parameters(struct rt_ts_parser *p, bool notes) {
    rt_ts_split_lshift(p);
    rt_ts_next(p);
    while (!rt_ts_is(p, T_GT)) {
        /* const, in and out are modifiers unless nothing follows that they could modify (`<in, out>`). */
        while (rt_ts_is(p, K_CONST) || rt_ts_is(p, K_IN) ||
               (rt_ts_is(p, K_OUT) && (rt_ts_is_name_start(rt_ts_peek(p, NULL))))) {
            if (rt_ts_is(p, K_OUT) && rt_ts_look_ahead(p).type == K_EXTENDS) break;
            rt_ts_next(p);
        }
        if (!rt_ts_is_identifier(p->at.token.type)) {
            rt_ts_expected(p, "a type parameter");
            return;
        }
        struct rt_ts_token name = p->at.token;
        rt_ts_next(p);
        struct rt_ts_token bound = rt_ts_is(p, K_EXTENDS) ? rt_ts_look_ahead(p) : (struct rt_ts_token){0};
        if (notes) rt_ts_note_type(p, &name, bound.type != T_EOF ? NOTED_ALIAS : NOTED_OBJECT, &bound);
        if (rt_ts_accept(p, K_EXTENDS)) rt_ts_skip_type(p);
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_skip_type(p);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    expect_greater(p);
}

void rt_ts_skip_type_parameters(struct rt_ts_parser *p) {
    skip_type_parameters(p, false);
}

/* ---- functions ---- */

/* At the start of a parameter: steps past what can only be its name. */
static bool skip_parameter_start(struct rt_ts_parser *p) {
    if (rt_ts_is_identifier(p->at.token.type) || rt_ts_is(p, K_THIS)) {
        rt_ts_next(p);
        return true;
    }
    if (rt_ts_is(p, T_LBRACKET) || rt_ts_is(p, T_LBRACE)) {
        rt_ts_binding(p, DECLARED_PARAMETER);
        return !p->at.failed;
    }
    return false;
}

static bool at_function_parameters(struct rt_ts_parser *p) {
    rt_ts_next(p);
    if (rt_ts_is(p, T_RPAREN) || rt_ts_is(p, T_ELLIPSIS)) return true;
    if (!skip_parameter_start(p)) return false;
    switch (p->at.token.type) {
        case T_COLON:
        case T_COMMA:
        case T_QUESTION:
        case T_ASSIGN: return true;
        case T_RPAREN: rt_ts_next(p); return rt_ts_is(p, T_ARROW);
        default: return false;
    }
}

bool rt_ts_is_function_type(struct rt_ts_parser *p) {
    switch (p->at.token.type) {
        case T_LT:
        case T_LSHIFT:
        case K_NEW: return true;
        case K_ABSTRACT: return rt_ts_look_ahead(p).type == K_NEW;
        case T_LPAREN: break;
        default: return false;
    }
    unsigned char next = rt_ts_peek(p, NULL);
    if (next == ')' || next == '.') return true;
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    erase_begin(p);
    bool yes = at_function_parameters(p);
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

static void skip_parameters(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_LPAREN, "(");
    while (!rt_ts_is(p, T_RPAREN) && !p->at.failed) {
        rt_ts_no_decorators(p);
        rt_ts_accept(p, T_ELLIPSIS);
        while (p->at.token.type >= K_OVERRIDE &&
               p->at.token.type <= K_READONLY) { /* a modifier: an error in TypeScript */
            unsigned char next = rt_ts_peek(p, NULL);
            if (!rt_ts_is_name_start(next) && next != '[' && next != '{') break;
            rt_ts_next(p);
        }
        if (!rt_ts_accept(p, K_THIS)) rt_ts_binding(p, DECLARED_PARAMETER);
        rt_ts_accept(p, T_QUESTION);
        if (rt_ts_accept(p, T_COLON)) rt_ts_skip_type(p);
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RPAREN, ")");
}

static void skip_signature(struct rt_ts_parser *p) {
    if (rt_ts_is(p, T_LT)) rt_ts_skip_type_parameters(p);
    skip_parameters(p);
}

void rt_ts_skip_function_type(struct rt_ts_parser *p) {
    rt_ts_accept(p, K_ABSTRACT);
    rt_ts_accept(p, K_NEW);
    rt_ts_split_lshift(p);
    skip_signature(p);
    rt_ts_expect(p, T_ARROW, "=>");
    rt_ts_skip_return_type(p);
}

void rt_ts_skip_return_type(struct rt_ts_parser *p) {
    if (rt_ts_is(p, K_ASSERTS)) {
        struct rt_ts_token next = rt_ts_look_ahead(p);
        if (!next.newline_before && (rt_ts_is_identifier(next.type) || next.type == K_THIS) && next.type != K_IS) {
            rt_ts_next(p);
            rt_ts_next(p);
            if (rt_ts_accept(p, K_IS)) rt_ts_skip_type(p);
            return;
        }
        if (next.type == K_IS) { /* `asserts is T` names a parameter; `asserts is` asserts one called "is" */
            rt_ts_next(p);
            rt_ts_next(p);
            if (rt_ts_accept(p, K_IS) || !p->at.token.newline_before) {
                if (!rt_ts_is(p, T_LBRACE) && !rt_ts_is(p, T_SEMICOLON) && !rt_ts_is(p, T_ARROW)) rt_ts_skip_type(p);
            }
            return;
        }
    }
    if (rt_ts_is_identifier(p->at.token.type)) {
        struct rt_ts_token next = rt_ts_look_ahead(p);
        if (next.type == K_IS && !next.newline_before) {
            rt_ts_next(p);
            rt_ts_next(p);
        }
    }
    rt_ts_skip_type(p);
}

/* ---- members ---- */

/* The current token could be a modifier: is a name after it? */
static bool modifies(struct rt_ts_parser *p) {
    unsigned char next = rt_ts_peek(p, NULL);
    return rt_ts_is_name_start(next) || next == '[' || next == '"' || next == '\'' || next == '#' ||
           (next >= '0' && next <= '9');
}

static void skip_member_rest(struct rt_ts_parser *p) {
    rt_ts_accept(p, T_QUESTION);
    if (rt_ts_is(p, T_LPAREN) || rt_ts_is(p, T_LT)) {
        skip_signature(p);
        if (rt_ts_accept(p, T_COLON)) rt_ts_skip_return_type(p);
    } else if (rt_ts_accept(p, T_COLON)) {
        rt_ts_skip_type(p);
    }
    if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0); /* an error in TypeScript, but a known end */
    if (rt_ts_accept(p, T_SEMICOLON) || rt_ts_accept(p, T_COMMA)) return;
    if (!rt_ts_is(p, T_RBRACE) && !p->at.token.newline_before) rt_ts_expected(p, "; or , or } after a type's member");
}

/* `[` of an index signature, a mapped type or a computed name. */
static void skip_bracketed_name(struct rt_ts_parser *p) {
    rt_ts_next(p);
    struct rt_ts_token next = {0};
    if (rt_ts_is_identifier(p->at.token.type)) next = rt_ts_look_ahead(p);
    if (next.type == T_COLON || next.type == K_IN || next.type == T_COMMA) {
        rt_ts_next(p);
        rt_ts_next(p);
        rt_ts_skip_type(p);
        if (next.type == K_IN && rt_ts_accept(p, K_AS)) rt_ts_skip_type(p);
    } else {
        rt_ts_computed_name(p);
    }
    rt_ts_expect(p, T_RBRACKET, "]");
    if (rt_ts_is(p, T_PLUS) || rt_ts_is(p, T_MINUS)) {
        rt_ts_next(p);
        if (!rt_ts_is(p, T_QUESTION)) rt_ts_expected(p, "?");
    }
}

static void skip_member(struct rt_ts_parser *p) {
    if (rt_ts_is(p, T_PLUS) || rt_ts_is(p, T_MINUS)) { /* -readonly [K in T] */
        rt_ts_next(p);
        rt_ts_expect(p, K_READONLY, "readonly");
    }
    for (uint8_t type = p->at.token.type; type == K_READONLY || type == K_GET || type == K_SET || type == K_STATIC ||
                                          type == K_NEW || (type >= K_OVERRIDE && type <= K_PUBLIC);
         type = p->at.token.type) {
        unsigned char next = rt_ts_peek(p, NULL);
        if (type == K_NEW ? next != '(' && next != '<' : !modifies(p)) break;
        rt_ts_next(p);
        if (type == K_NEW) break;
    }
    if (rt_ts_is(p, T_LBRACKET)) {
        skip_bracketed_name(p);
    } else if (!rt_ts_is(p, T_LPAREN) && !rt_ts_is(p, T_LT)) {
        rt_ts_property_name(p);
    }
    skip_member_rest(p);
}

void rt_ts_skip_object_type(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_LBRACE, "{");
    erase_begin(p);
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed)
        skip_member(p);
    erase_end(p);
    rt_ts_expect(p, T_RBRACE, "}");
}

/* ---- operands ---- */

/* name: T, name?: T */
static bool is_tuple_label(struct rt_ts_parser *p) {
    if (!rt_ts_is_word(p->at.token.type)) return false;
    unsigned char next = rt_ts_peek(p, NULL);
    if (next != ':' && next != '?') return false;
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    rt_ts_accept(p, T_QUESTION);
    bool yes = rt_ts_is(p, T_COLON);
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

static void skip_tuple(struct rt_ts_parser *p) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RBRACKET) && !p->at.failed) {
        rt_ts_accept(p, T_ELLIPSIS);
        if (is_tuple_label(p)) {
            rt_ts_next(p);
            rt_ts_accept(p, T_QUESTION);
            rt_ts_next(p);
        }
        rt_ts_skip_type(p);
        rt_ts_accept(p, T_QUESTION);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACKET, "]");
}

static void skip_template_type(struct rt_ts_parser *p) {
    if (rt_ts_accept(p, T_TEMPLATE)) return;
    rt_ts_next(p);
    do {
        rt_ts_skip_type(p);
    } while (rt_ts_continue_template(p));
}

/* a.b.c<T>; the current token is the first name. */
static void skip_entity(struct rt_ts_parser *p) {
    rt_ts_next(p);
    while (rt_ts_accept(p, T_DOT)) {
        if (!rt_ts_is_word(p->at.token.type) && !rt_ts_is(p, T_PRIVATE)) {
            rt_ts_expected(p, "a name");
            return;
        }
        rt_ts_next(p);
    }
    if ((rt_ts_is(p, T_LT) || rt_ts_is(p, T_LSHIFT)) && !p->at.token.newline_before) rt_ts_skip_type_arguments(p);
}

/* import("m", { with: ... }).a.b<T> */
static void skip_import_type(struct rt_ts_parser *p) {
    rt_ts_next(p);
    rt_ts_expect(p, T_LPAREN, "(");
    rt_ts_skip_type(p);
    if (rt_ts_accept(p, T_COMMA) && !rt_ts_is(p, T_RPAREN)) {
        erase_begin(p);
        rt_ts_assignment(p, 0);
        erase_end(p);
        rt_ts_accept(p, T_COMMA);
    }
    if (!rt_ts_is(p, T_RPAREN)) {
        rt_ts_expected(p, ")");
        return;
    }
    skip_entity(p);
}

void rt_ts_skip_operand(struct rt_ts_parser *p) {
    switch (p->at.token.type) {
        case T_LBRACE: rt_ts_skip_object_type(p); return;
        case T_LBRACKET: skip_tuple(p); return;
        case T_LPAREN:
            rt_ts_next(p);
            rt_ts_skip_type(p);
            rt_ts_expect(p, T_RPAREN, ")");
            return;
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD: skip_template_type(p); return;
        case T_MINUS:
            rt_ts_next(p);
            rt_ts_expect(p, T_NUMBER, "a number");
            return;
        case T_NUMBER:
        case T_STRING:
        case K_VOID:
        case K_NULL:
        case K_TRUE:
        case K_FALSE: rt_ts_next(p); return;
        case K_THIS:
            rt_ts_next(p);
            if (rt_ts_is(p, K_IS) && !p->at.token.newline_before) {
                rt_ts_next(p);
                rt_ts_skip_type(p);
            }
            return;
        case K_TYPEOF:
            rt_ts_next(p);
            if (rt_ts_is(p, K_IMPORT)) {
                skip_import_type(p);
            } else if (rt_ts_is_word(p->at.token.type)) {
                skip_entity(p);
            } else {
                rt_ts_expected(p, "a name");
            }
            return;
        case K_IMPORT: skip_import_type(p); return;
        default:
            if (rt_ts_is_identifier(p->at.token.type)) {
                skip_entity(p);
            } else {
                rt_ts_expected(p, "a type");
            }
    }
}

/* infer U [extends T]: the constraint is one only if no `?` follows where a conditional type may be. */
static void skip_infer(struct rt_ts_parser *p, bool no_conditional) {
    rt_ts_next(p);
    if (!rt_ts_is_identifier(p->at.token.type)) rt_ts_expected(p, "a name");
    rt_ts_next(p);
    if (!rt_ts_is(p, K_EXTENDS)) return;
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    skip_conditional(p, true);
    bool is_constraint = !p->at.failed && (no_conditional || !rt_ts_is(p, T_QUESTION));
    p->speculating--;
    if (!is_constraint) rt_ts_rewind(p, &mark);
}

static void skip_unary(struct rt_ts_parser *p, bool no_conditional) {
    while (rt_ts_is(p, K_KEYOF) || rt_ts_is(p, K_UNIQUE) || rt_ts_is(p, K_READONLY))
        rt_ts_next(p);
    if (rt_ts_is(p, K_INFER)) {
        skip_infer(p, no_conditional);
        return;
    }
    if (rt_ts_is_function_type(p)) {
        rt_ts_skip_function_type(p);
        return;
    }
    rt_ts_skip_operand(p);
    while (rt_ts_is(p, T_LBRACKET) && !p->at.token.newline_before) {
        rt_ts_next(p);
        if (!rt_ts_is(p, T_RBRACKET)) rt_ts_skip_type(p);
        rt_ts_expect(p, T_RBRACKET, "]");
    }
}

static void skip_union(struct rt_ts_parser *p, bool no_conditional) {
    if (rt_ts_is(p, T_PIPE) || rt_ts_is(p, T_AMPERSAND)) rt_ts_next(p);
    skip_unary(p, no_conditional);
    while (rt_ts_is(p, T_PIPE) || rt_ts_is(p, T_AMPERSAND)) {
        rt_ts_next(p);
        if (rt_ts_is(p, T_AMPERSAND)) rt_ts_next(p); /* A | & B */
        skip_unary(p, no_conditional);
    }
}

/* NO_CONDITIONAL: between `extends` and `?`, where a further `extends` is not this type's. */
static void skip_conditional(struct rt_ts_parser *p, bool no_conditional) {
    if (!rt_ts_enter(p)) {
        rt_ts_leave(p);
        return;
    }
    for (;;) {
        skip_union(p, no_conditional);
        if (no_conditional || !rt_ts_is(p, K_EXTENDS) || p->at.token.newline_before) break;
        rt_ts_next(p);
        skip_conditional(p, true);
        rt_ts_expect(p, T_QUESTION, "?");
        rt_ts_skip_type(p);
        if (!rt_ts_is(p, T_COLON)) {
            rt_ts_expected(p, ":");
            break;
        }
        rt_ts_next(p);
    }
    rt_ts_leave(p);
}

/* ---- blanking ---- */

void rt_ts_erase_annotation(struct rt_ts_parser *p) {
    if (p->options.javascript && rt_ts_is(p, T_COLON)) {
        rt_ts_fail(p, p->at.token.start, "a type can't be here: this is JavaScript (call the file .tsx)");
    }
    if (!rt_ts_is(p, T_COLON)) return;
    uint32_t start = p->at.token.start;
    rt_ts_next(p);
    erase_begin(p);
    rt_ts_skip_return_type(p);
    erase_end(p);
    rt_ts_erase_range(p, start, p->at.previous_end);
}

void rt_ts_erase_type_parameters(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    bool is_own_scope = p->scopes[p->at.scope].start == start;
    erase_begin(p);
    skip_type_parameters(p, is_own_scope);
    erase_end(p);
    rt_ts_erase_range(p, start, p->at.previous_end);
}
