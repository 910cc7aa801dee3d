/* typescript_stmt.c: owns statements, and the declarations that only TypeScript has. */
#include "runtime/typescript_internal.h"

/* ---- JavaScript's statements ---- */

void rt_ts_statement_list(struct rt_ts_parser *p, enum rt_ts_token_type end) {
    struct rt_ts_using list;
    if (end == T_EOF)
        rt_ts_begin_module(p, &list);
    else
        rt_ts_begin_list(p, &list);
    while (!rt_ts_is(p, end) && !rt_ts_is(p, T_EOF))
        rt_ts_list_statement(p);
    if (end == T_EOF)
        rt_ts_end_module(p, &list);
    else
        rt_ts_end_list(p, &list);
}

void rt_ts_block(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_LBRACE, "{");
    rt_ts_statement_list(p, T_RBRACE);
    rt_ts_expect(p, T_RBRACE, "}");
}

static void scoped_block(struct rt_ts_parser *p) {
    uint32_t outer = rt_ts_push_scope(p, false);
    rt_ts_block(p);
    rt_ts_pop_scope(p, outer);
}

/* At the initialiser of a variable: its value, if an enum may want it. */
static void note_constant(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    if (p->at.erased > 0 || !rt_ts_is_identifier(name->type)) return;
    if (rt_ts_find_name(p, name) == RT_TS_NOT_FOUND) return;
    struct rt_ts_cursor mark = p->at;
    struct rt_ts_value value = rt_ts_evaluate(p);
    if (value.kind == VALUE_UNKNOWN) return;
    rt_ts_add_constant(p, p->scopes[p->at.scope].start, name->start, name->end - name->start, &value);
    rt_ts_rewind(p, &mark);
}

/* After var, let or const. */
static void variable_list(struct rt_ts_parser *p, enum rt_ts_declared kind, unsigned flags) {
    do {
        struct rt_ts_token name = p->at.token;
        rt_ts_binding(p, kind);
        if (rt_ts_is(p, T_BANG)) {
            rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
            rt_ts_next(p);
        }
        bool annotated = rt_ts_is(p, T_COLON);
        rt_ts_erase_annotation(p);
        if (!rt_ts_accept(p, T_ASSIGN)) continue;
        if (kind == DECLARED_LEXICAL && p->name_count > 0 && !annotated) note_constant(p, &name);
        p->name_hint = name;
        p->name_hint_at = p->at.token.start;
        rt_ts_assignment(p, flags);
    } while (rt_ts_accept(p, T_COMMA));
}

void rt_ts_variables(struct rt_ts_parser *p, enum rt_ts_declared kind) {
    rt_ts_next(p);
    variable_list(p, kind, 0);
    rt_ts_semicolon(p);
}

bool rt_ts_is_let_declaration(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, K_LET)) return false;
    uint8_t next = rt_ts_look_ahead(p).type;
    return next == T_LBRACKET || next == T_LBRACE || (rt_ts_is_identifier(next) && next != K_OF) ||
           (next == K_OF && rt_ts_peek(p, NULL) == 'o');
}

static void parenthesized_expression(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_LPAREN, "(");
    rt_ts_expression(p, 0);
    rt_ts_expect(p, T_RPAREN, ")");
}

static void for_head(struct rt_ts_parser *p, struct rt_ts_for_using *each) {
    if (rt_ts_for_using(p, each)) {
        /* read up to `of` or `;` */
    } else if (rt_ts_is(p, K_VAR) || rt_ts_is(p, K_CONST) || rt_ts_is_let_declaration(p)) {
        enum rt_ts_declared kind = rt_ts_is(p, K_VAR) ? DECLARED_VAR : DECLARED_LEXICAL;
        rt_ts_next(p);
        variable_list(p, kind, EXPR_NO_IN);
    } else if (!rt_ts_is(p, T_SEMICOLON)) {
        rt_ts_expression(p, EXPR_NO_IN);
    }
    if (rt_ts_accept(p, K_OF)) {
        rt_ts_assignment(p, 0);
        return;
    }
    if (rt_ts_accept(p, K_IN)) {
        rt_ts_expression(p, 0);
        return;
    }
    rt_ts_expect(p, T_SEMICOLON, ";");
    if (!rt_ts_is(p, T_SEMICOLON)) rt_ts_expression(p, 0);
    rt_ts_expect(p, T_SEMICOLON, ";");
    if (!rt_ts_is(p, T_RPAREN)) rt_ts_expression(p, 0);
}

static void for_statement(struct rt_ts_parser *p) {
    struct rt_ts_using part;
    struct rt_ts_for_using each = {0};
    uint32_t outer = rt_ts_push_scope(p, false);
    rt_ts_begin_part(p, &part);
    rt_ts_next(p);
    rt_ts_accept(p, K_AWAIT);
    rt_ts_expect(p, T_LPAREN, "(");
    for_head(p, &each);
    rt_ts_expect(p, T_RPAREN, ")");
    rt_ts_begin_for_body(p, &each);
    rt_ts_statement(p);
    rt_ts_end_for_body(p, &each);
    rt_ts_end_part(p, &part);
    rt_ts_pop_scope(p, outer);
}

/* A chain of else-ifs is a loop, so that its length costs no stack. */
static void if_statement(struct rt_ts_parser *p) {
    for (;;) {
        rt_ts_next(p);
        parenthesized_expression(p);
        rt_ts_statement(p);
        if (!rt_ts_accept(p, K_ELSE)) return;
        if (!rt_ts_is(p, K_IF)) break;
    }
    rt_ts_statement(p);
}

static void do_statement(struct rt_ts_parser *p) {
    rt_ts_next(p);
    rt_ts_statement(p);
    rt_ts_expect(p, K_WHILE, "while");
    parenthesized_expression(p);
    rt_ts_accept(p, T_SEMICOLON);
}

static void switch_statement(struct rt_ts_parser *p) {
    struct rt_ts_using part;
    rt_ts_begin_part(p, &part);
    rt_ts_next(p);
    parenthesized_expression(p);
    rt_ts_expect(p, T_LBRACE, "{");
    uint32_t outer = rt_ts_push_scope(p, false);
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        if (rt_ts_accept(p, K_CASE)) {
            rt_ts_expression(p, 0);
        } else {
            rt_ts_expect(p, K_DEFAULT, "case or default");
        }
        rt_ts_expect(p, T_COLON, ":");
        while (!rt_ts_is(p, K_CASE) && !rt_ts_is(p, K_DEFAULT) && !rt_ts_is(p, T_RBRACE) && !rt_ts_is(p, T_EOF)) {
            rt_ts_list_statement(p);
        }
    }
    rt_ts_expect(p, T_RBRACE, "}");
    rt_ts_pop_scope(p, outer);
    rt_ts_end_part(p, &part);
}

static void catch_clause(struct rt_ts_parser *p) {
    if (!rt_ts_accept(p, K_CATCH)) return;
    uint32_t outer = rt_ts_push_scope(p, false);
    if (rt_ts_accept(p, T_LPAREN)) {
        rt_ts_binding(p, DECLARED_LEXICAL);
        rt_ts_erase_annotation(p);
        rt_ts_expect(p, T_RPAREN, ")");
    }
    rt_ts_block(p);
    rt_ts_pop_scope(p, outer);
}

static void try_statement(struct rt_ts_parser *p) {
    rt_ts_next(p);
    scoped_block(p);
    catch_clause(p);
    if (rt_ts_accept(p, K_FINALLY)) scoped_block(p);
}

/* return and throw: their expression starts on their line. */
static void jump_with_value(struct rt_ts_parser *p) {
    rt_ts_next(p);
    if (!p->at.token.newline_before && !rt_ts_is(p, T_SEMICOLON) && !rt_ts_is(p, T_RBRACE) && !rt_ts_is(p, T_EOF)) {
        bool outer = rt_ts_restrict(p, RESTRICT_NEWLINE);
        rt_ts_expression(p, 0);
        rt_ts_close_restricted(p, outer);
    }
    rt_ts_semicolon(p);
}

static void jump_to_label(struct rt_ts_parser *p) {
    rt_ts_next(p);
    if (!p->at.token.newline_before && rt_ts_is_identifier(p->at.token.type)) rt_ts_next(p);
    rt_ts_semicolon(p);
}

static void function_declaration(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    if (rt_ts_function(p, true)) return;
    rt_ts_semicolon(p);
    rt_ts_erase_whole(p, mark, mark->token.start);
}

void rt_ts_expression_statement(struct rt_ts_parser *p) {
    bool outer = rt_ts_restrict(p, RESTRICT_BRACE);
    rt_ts_expression(p, 0);
    rt_ts_close_restricted(p, outer);
    rt_ts_semicolon(p);
}

static bool starts_label(struct rt_ts_parser *p) {
    return rt_ts_is_identifier(p->at.token.type) && rt_ts_peek(p, NULL) == ':';
}

static void statement(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    if (starts_label(p)) {
        bool is_first = p->labels_end != mark.token.start || p->labels_end == 0;
        if (is_first) p->labels_start = mark.token.start;
        rt_ts_next(p);
        rt_ts_next(p);
        p->labels_end = p->at.token.start;
        rt_ts_statement(p);
        return;
    }
    if (rt_ts_typescript_declaration(p, &mark)) return;
    switch (mark.token.type) {
        case T_LBRACE: scoped_block(p); return;
        case T_SEMICOLON: rt_ts_next(p); return;
        case K_VAR: rt_ts_variables(p, DECLARED_VAR); return;
        case K_CONST: rt_ts_variables(p, DECLARED_LEXICAL); return;
        case K_FUNCTION: function_declaration(p, &mark); return;
        case T_AT: rt_ts_decorated_class(p, CLASS_DECLARATION, &mark); return;
        case K_CLASS: rt_ts_class(p, true); return;
        case K_IF: if_statement(p); return;
        case K_FOR: for_statement(p); return;
        case K_WHILE:
        case K_WITH:
            rt_ts_next(p);
            parenthesized_expression(p);
            rt_ts_statement(p);
            return;
        case K_DO: do_statement(p); return;
        case K_SWITCH: switch_statement(p); return;
        case K_TRY: try_statement(p); return;
        case K_RETURN:
        case K_THROW: jump_with_value(p); return;
        case K_BREAK:
        case K_CONTINUE: jump_to_label(p); return;
        case K_DEBUGGER:
            rt_ts_next(p);
            rt_ts_semicolon(p);
            return;
        case K_EXPORT: rt_ts_export(p); return;
        case K_IMPORT: rt_ts_import(p); return;
        case T_RBRACE:
        case T_RPAREN:
        case T_RBRACKET:
            rt_ts_fail(p, mark.token.start, "nothing is open here that \"%c\" could close",
                       p->source[mark.token.start]);
            return;
        default: break;
    }
    if (rt_ts_is(p, K_ASYNC)) {
        struct rt_ts_token next = rt_ts_look_ahead(p);
        if (next.type == K_FUNCTION && !next.newline_before) {
            rt_ts_next(p);
            function_declaration(p, &mark);
            return;
        }
    }
    rt_ts_no_using(p);
    if (rt_ts_is_let_declaration(p)) {
        rt_ts_variables(p, DECLARED_LEXICAL);
        return;
    }
    rt_ts_expression_statement(p);
}

void rt_ts_statement(struct rt_ts_parser *p) {
    if (!rt_ts_enter(p)) {
        rt_ts_leave(p);
        return;
    }
    if (p->has_using && rt_ts_memo_has(p, p->at.token.start, MEANING_USING_PART))
        rt_ts_wrapped_statement(p, statement);
    else
        statement(p);
    rt_ts_leave(p);
}

/* ---- TypeScript's declarations ---- */

static void expect_identifier(struct rt_ts_parser *p) {
    if (rt_ts_is_identifier(p->at.token.type)) {
        rt_ts_next(p);
    } else {
        rt_ts_expected(p, "a name");
    }
}

/* Returns whether it is one of the current scope. */
static bool type_name(struct rt_ts_parser *p) {
    bool is_outermost = p->at.erased == (p->at.ambient ? 3 : 1); /* `declare type` is one in two others */
    if (is_outermost) rt_ts_declare_type(p, &p->at.token);
    expect_identifier(p);
    return is_outermost;
}

static void type_alias(struct rt_ts_parser *p) {
    rt_ts_next(p);
    struct rt_ts_token name = p->at.token;
    bool is_own = type_name(p);
    if (rt_ts_is(p, T_LT)) rt_ts_skip_type_parameters(p);
    rt_ts_expect(p, T_ASSIGN, "=");
    if (is_own) rt_ts_note_type(p, &name, NOTED_ALIAS, &p->at.token);
    rt_ts_skip_type(p);
    rt_ts_semicolon(p);
}

static void interface(struct rt_ts_parser *p) {
    rt_ts_next(p);
    struct rt_ts_token name = p->at.token;
    if (type_name(p)) rt_ts_note_type(p, &name, NOTED_OBJECT, NULL);
    if (rt_ts_is(p, T_LT)) rt_ts_skip_type_parameters(p);
    if (rt_ts_accept(p, K_EXTENDS)) {
        do {
            rt_ts_skip_type(p);
        } while (rt_ts_accept(p, T_COMMA));
    }
    rt_ts_skip_object_type(p);
}

/* namespace A.B { ... }, module "m" { ... }, global { ... } inside something that is blanked. */
static void skip_namespace(struct rt_ts_parser *p) {
    uint32_t values = p->at.value_count;
    if (!rt_ts_is(p, K_GLOBAL)) rt_ts_next(p);
    if (!rt_ts_accept(p, T_STRING)) {
        do
            expect_identifier(p);
        while (rt_ts_accept(p, T_DOT));
    }
    if (rt_ts_is(p, T_LBRACE)) {
        rt_ts_block(p);
    } else {
        rt_ts_semicolon(p);
    }
    p->at.value_count = values;
}

static void ambient_declaration(struct rt_ts_parser *p) {
    uint32_t values = p->at.value_count;
    bool outer = p->at.ambient;
    p->at.ambient = true;
    p->at.erased++;
    rt_ts_next(p);
    rt_ts_statement(p);
    p->at.erased--;
    p->at.ambient = outer;
    p->at.value_count = values;
}

/* An enum inside something that is blanked. */
static void skip_enum(struct rt_ts_parser *p) {
    rt_ts_accept(p, K_CONST);
    rt_ts_next(p);
    expect_identifier(p);
    rt_ts_expect(p, T_LBRACE, "{");
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        rt_ts_property_name(p);
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACE, "}");
}

static void erase_declaration(struct rt_ts_parser *p, const struct rt_ts_cursor *mark,
                              void (*parse)(struct rt_ts_parser *p)) {
    p->at.erased++;
    parse(p);
    p->at.erased--;
    rt_ts_erase_whole(p, mark, mark->token.start);
}

/* Does the word at the current token start a declaration, with NEXT after it? */
static bool starts_declaration(const struct rt_ts_parser *p, const struct rt_ts_token *next) {
    uint8_t type = p->at.token.type;
    if (next->newline_before && type != K_CONST && type != K_GLOBAL) return false;
    switch (type) {
        case K_TYPE:
        case K_INTERFACE: return rt_ts_is_identifier(next->type);
        case K_NAMESPACE: return rt_ts_is_identifier(next->type);
        case K_MODULE: return rt_ts_is_identifier(next->type) || next->type == T_STRING;
        case K_GLOBAL: return p->at.erased > 0 && next->type == T_LBRACE;
        case K_ABSTRACT: return next->type == K_CLASS;
        case K_CONST: return next->type == K_ENUM;
        case K_DECLARE:
            return rt_ts_is_word(next->type) && next->type != K_IN && next->type != K_INSTANCEOF &&
                   next->type != K_AS && next->type != K_SATISFIES;
        default: return false;
    }
}

bool rt_ts_typescript_declaration(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    uint8_t type = p->at.token.type;
    if (p->options.javascript) {
        p->at.value_count++;
        return false;
    }
    switch (type) {
        case K_ENUM: break;
        case K_TYPE:
        case K_INTERFACE:
        case K_NAMESPACE:
        case K_MODULE:
        case K_GLOBAL:
        case K_ABSTRACT:
        case K_CONST:
        case K_DECLARE: {
            struct rt_ts_token next = rt_ts_look_ahead(p);
            if (!starts_declaration(p, &next)) {
                p->at.value_count++;
                return false;
            }
            break;
        }
        default: p->at.value_count += type != T_SEMICOLON; return false;
    }
    switch (type) {
        case K_TYPE: erase_declaration(p, mark, type_alias); break;
        case K_INTERFACE: erase_declaration(p, mark, interface); break;
        case K_DECLARE: erase_declaration(p, mark, ambient_declaration); break;
        case K_ABSTRACT:
            p->at.value_count++;
            rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
            rt_ts_next(p);
            rt_ts_class(p, true);
            break;
        case K_CONST:
        case K_ENUM:
            p->at.value_count++;
            if (p->at.erased > 0) {
                skip_enum(p);
            } else {
                rt_ts_enum(p, mark);
            }
            break;
        default:
            if (p->at.erased > 0 || rt_ts_look_ahead(p).type == T_STRING) {
                erase_declaration(p, mark, skip_namespace);
            } else {
                rt_ts_namespace(p, mark);
            }
            break;
    }
    return true;
}
