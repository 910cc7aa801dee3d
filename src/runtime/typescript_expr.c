/* typescript_expr.c: owns expressions, functions and binding patterns. Precedence does not matter to an eraser, so an
 * expression is operands with operators between them. `(a, b)` is read as an expression first; when it turns out to be
 * the parameters of an arrow function it is read again as such, once. */
#include "runtime/typescript_internal.h"

/* An arrow function takes no operator after it; an element takes no suffix. */
enum operand { OPERAND_VALUE, OPERAND_ARROW, OPERAND_ELEMENT };

static void skip_erased_type(struct rt_ts_parser *p) {
    p->at.erased++;
    rt_ts_skip_type(p);
    p->at.erased--;
}

static bool is_less(const struct rt_ts_parser *p) {
    return rt_ts_is(p, T_LT) || rt_ts_is(p, T_LSHIFT);
}

/* ---- names and patterns ---- */

void rt_ts_computed_name(struct rt_ts_parser *p) {
    bool outer = p->at.computed_name;
    p->at.computed_name = true;
    rt_ts_expression(p, 0);
    p->at.computed_name = outer;
}

void rt_ts_property_name(struct rt_ts_parser *p) {
    switch (p->at.token.type) {
        case T_STRING:
        case T_NUMBER:
        case T_PRIVATE: rt_ts_next(p); return;
        case T_LBRACKET:
            rt_ts_next(p);
            rt_ts_computed_name(p);
            rt_ts_expect(p, T_RBRACKET, "]");
            return;
        default:
            if (rt_ts_is_word(p->at.token.type)) {
                rt_ts_next(p);
            } else {
                rt_ts_expected(p, "a property name");
            }
    }
}

static void object_pattern(struct rt_ts_parser *p, enum rt_ts_declared kind) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        if (rt_ts_accept(p, T_ELLIPSIS)) {
            rt_ts_binding(p, kind);
        } else if (rt_ts_is_identifier(p->at.token.type) && rt_ts_peek(p, NULL) != ':') {
            rt_ts_binding(p, kind);
        } else {
            rt_ts_property_name(p);
            rt_ts_expect(p, T_COLON, ":");
            rt_ts_binding(p, kind);
        }
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACE, ", or }");
}

static void array_pattern(struct rt_ts_parser *p, enum rt_ts_declared kind) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RBRACKET) && !p->at.failed) {
        if (rt_ts_accept(p, T_COMMA)) continue;
        rt_ts_accept(p, T_ELLIPSIS);
        rt_ts_binding(p, kind);
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACKET, ", or ]");
}

void rt_ts_binding(struct rt_ts_parser *p, enum rt_ts_declared kind) {
    if (rt_ts_enter(p)) {
        if (rt_ts_is(p, T_LBRACE)) {
            object_pattern(p, kind);
        } else if (rt_ts_is(p, T_LBRACKET)) {
            array_pattern(p, kind);
        } else if (rt_ts_is_identifier(p->at.token.type)) {
            rt_ts_declare(p, &p->at.token, kind);
            if (p->exported_names && p->at.scope == 0 && p->speculating == 0)
                rt_ts_text_format(p->exported_names, ",%.*s", (int)(p->at.token.end - p->at.token.start),
                                  p->source + p->at.token.start);
            rt_ts_next(p);
        } else {
            rt_ts_expected(p, "a name or a pattern");
        }
    }
    rt_ts_leave(p);
}

/* ---- parameters and functions ---- */

static bool is_modifier(uint8_t type) {
    return type == K_PUBLIC || type == K_PRIVATE || type == K_PROTECTED || type == K_READONLY || type == K_OVERRIDE;
}

/* public, readonly, ... before a constructor's parameter. Returns true if there was one. */
static bool erase_parameter_modifiers(struct rt_ts_parser *p) {
    bool any = false;
    while (is_modifier(p->at.token.type)) {
        unsigned char next = rt_ts_peek(p, NULL);
        if (!rt_ts_is_name_start(next) && next != '[' && next != '{') break;
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
        any = true;
    }
    return any;
}

static void add_property(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties, uint32_t start) {
    if (!properties || properties->is_method) {
        rt_ts_fail(p, start, "only a constructor's parameters can have access modifiers");
        return;
    }
    if (!rt_ts_is_identifier(p->at.token.type)) {
        rt_ts_expected(p, "a name (a parameter property can't be a pattern)");
        return;
    }
    if (!rt_ts_reserve(p, &properties->items, &properties->capacity, properties->count, sizeof *properties->items)) {
        return;
    }
    properties->items[properties->count++] = (struct rt_ts_parameter_property){p->at.token.start, p->at.token.end};
}

static void parameter(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties) {
    uint32_t start = p->at.token.start;
    rt_ts_parameter_decorators(p, properties);
    start = p->at.token.start;
    if (erase_parameter_modifiers(p)) add_property(p, properties, start);
    bool is_rest = rt_ts_accept(p, T_ELLIPSIS);
    if (rt_ts_is(p, K_THIS)) { /* this: T is no parameter at all */
        start = p->at.token.start;
        rt_ts_next(p);
        p->at.erased++;
        rt_ts_erase_annotation(p);
        p->at.erased--;
        if (rt_ts_is(p, T_COMMA)) rt_ts_next(p);
        rt_ts_erase_range(p, start, p->at.previous_end);
        return;
    }
    if (properties) properties->index++;
    rt_ts_binding(p, DECLARED_PARAMETER);
    if (rt_ts_is(p, T_QUESTION)) {
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
    }
    if (properties) rt_ts_note_parameter(p, properties, is_rest);
    rt_ts_erase_annotation(p);
    if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0);
    if (!rt_ts_is(p, T_RPAREN)) rt_ts_expect(p, T_COMMA, ", or )");
}

void rt_ts_parameters(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties) {
    rt_ts_expect(p, T_LPAREN, "(");
    while (!rt_ts_is(p, T_RPAREN) && !p->at.failed)
        parameter(p, properties);
    if (!rt_ts_is(p, T_RPAREN)) rt_ts_expected(p, ")");
    rt_ts_next(p);
}

bool rt_ts_function_rest(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties) {
    uint32_t outer = rt_ts_push_scope(p, true);
    bool has_body = false;
    if (is_less(p)) rt_ts_erase_type_parameters(p);
    rt_ts_parameters(p, properties);
    if (properties) properties->return_type = rt_ts_annotated_type(p);
    rt_ts_erase_annotation(p);
    if (rt_ts_is(p, T_LBRACE)) {
        has_body = true;
        rt_ts_block(p);
    }
    rt_ts_pop_scope(p, outer);
    return has_body;
}

bool rt_ts_function(struct rt_ts_parser *p, bool is_declaration) {
    rt_ts_next(p); /* function */
    rt_ts_accept(p, T_STAR);
    uint32_t outer = p->at.scope;
    if (!is_declaration) outer = rt_ts_push_scope(p, true);
    if (rt_ts_is_identifier(p->at.token.type)) {
        if (is_declaration) {
            rt_ts_declare_mergeable(p, &p->at.token);
        } else {
            rt_ts_declare(p, &p->at.token, DECLARED_LEXICAL);
        }
        rt_ts_next(p);
    }
    bool has_body = rt_ts_function_rest(p, NULL);
    if (!is_declaration) {
        rt_ts_pop_scope(p, outer);
        if (!has_body) rt_ts_expected(p, "{");
    }
    return has_body;
}

/* ---- arrow functions ---- */

/* From => on. */
static void arrow_body(struct rt_ts_parser *p, unsigned flags) {
    if (!rt_ts_is(p, T_ARROW)) {
        rt_ts_expected(p, "=>");
        return;
    }
    rt_ts_next(p);
    if (rt_ts_is(p, T_LBRACE)) {
        rt_ts_block(p);
        return;
    }
    bool outer_paren = rt_ts_restrict(p, RESTRICT_BRACE);
    rt_ts_assignment(p, flags & (EXPR_NO_IN | EXPR_TRUE_BRANCH));
    rt_ts_close_restricted(p, outer_paren);
}

/* The `(` of an arrow function moves to the start of its type parameters if those span lines: nothing may be broken
 * between `async` or `return` and it. */
static void arrow_type_parameters(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    p->at.erased++;
    rt_ts_split_lshift(p);
    rt_ts_skip_type_parameters(p);
    p->at.erased--;
    if (rt_ts_is(p, T_LPAREN) && rt_ts_has_newline(p, start, p->at.token.start)) {
        rt_ts_replace(p, start, p->at.token.end, "(", 1);
    } else {
        rt_ts_erase_range(p, start, p->at.previous_end);
    }
}

/* `): T =>`: the `)` moves to the end of T if T spans lines, for `)` and `=>` must be on one. */
static void arrow_return_type(struct rt_ts_parser *p) {
    uint32_t paren = p->at.token.start;
    rt_ts_expect(p, T_RPAREN, ")");
    if (!rt_ts_is(p, T_COLON)) return;
    rt_ts_next(p);
    p->at.erased++;
    rt_ts_skip_return_type(p);
    p->at.erased--;
    uint32_t end = p->at.previous_end;
    if (p->at.failed) return;
    if (rt_ts_has_newline(p, paren, end)) {
        rt_ts_erase_range(p, paren, end - 1);
        rt_ts_replace(p, end - 1, end, ")", 1);
    } else {
        rt_ts_erase_range(p, paren + 1, end);
    }
}

/* From the type parameters or `(` on: `async` is behind. Returns with `failed` if it is none. */
static void arrow_function(struct rt_ts_parser *p, unsigned flags) {
    uint32_t outer = rt_ts_push_scope(p, true);
    if (is_less(p)) arrow_type_parameters(p);
    rt_ts_expect(p, T_LPAREN, "(");
    while (!rt_ts_is(p, T_RPAREN) && !p->at.failed)
        parameter(p, NULL);
    arrow_return_type(p);
    if (rt_ts_is(p, T_ARROW) && p->at.token.newline_before) rt_ts_expected(p, "=> on the same line");
    arrow_body(p, flags);
    rt_ts_pop_scope(p, outer);
}

/* The current token is the parameter. */
static void arrow_function_of_name(struct rt_ts_parser *p, unsigned flags) {
    uint32_t outer = rt_ts_push_scope(p, true);
    rt_ts_declare(p, &p->at.token, DECLARED_PARAMETER);
    rt_ts_next(p);
    arrow_body(p, flags);
    rt_ts_pop_scope(p, outer);
}

/* `<T>(x) => y`, of which TypeScript knows no shorter proof than reading it up to =>. */
static bool try_generic_arrow(struct rt_ts_parser *p, unsigned flags) {
    struct rt_ts_cursor mark = p->at;
    uint32_t start = mark.token.start;
    if (!rt_ts_memo_has(p, start, MEANING_ARROW)) {
        if (rt_ts_memo_has(p, start, MEANING_NOT_ARROW)) return false;
        p->speculating++;
        uint32_t outer = rt_ts_push_scope(p, true);
        p->at.erased++;
        rt_ts_skip_type_parameters(p);
        rt_ts_expect(p, T_LPAREN, "(");
        while (!rt_ts_is(p, T_RPAREN) && !p->at.failed)
            parameter(p, NULL);
        arrow_return_type(p);
        p->at.erased--;
        rt_ts_pop_scope(p, outer);
        bool yes = rt_ts_is(p, T_ARROW) && !p->at.failed;
        rt_ts_rewind(p, &mark);
        p->speculating--;
        rt_ts_memo_set(p, start, yes ? MEANING_ARROW : MEANING_NOT_ARROW);
        if (!yes) return false;
    }
    arrow_function(p, flags);
    return true;
}

/* After `)` at `:`: could that be a return type with => behind it? */
static bool is_return_type(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    if (p->options.javascript) return false;
    p->speculating++;
    p->at.erased++;
    rt_ts_next(p);
    rt_ts_skip_return_type(p);
    bool yes = rt_ts_is(p, T_ARROW) && !p->at.token.newline_before && !p->at.failed;
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* Reads (a, b) as an expression or, for ASYNC, as arguments. Returns true as soon as it must be parameters. */
static bool is_parameters(struct rt_ts_parser *p, bool is_async) {
    rt_ts_next(p);
    if (rt_ts_is(p, T_RPAREN) && !is_async) return true;
    while (!rt_ts_is(p, T_RPAREN)) {
        if (rt_ts_accept(p, T_ELLIPSIS) && !is_async) return true;
        rt_ts_assignment(p, 0);
        if (p->at.failed) return false;
        if (rt_ts_is(p, T_COLON) || rt_ts_is(p, T_QUESTION)) return true;
        if (!rt_ts_accept(p, T_COMMA)) break;
        if (rt_ts_is(p, T_RPAREN) && !is_async) return true;
    }
    rt_ts_expect(p, T_RPAREN, ")");
    return rt_ts_is(p, T_ARROW) && !p->at.token.newline_before;
}

/* In `a ? (b) : c => d` the colon belongs to the arrow function only if another one follows it. */
static bool try_arrow_in_true_branch(struct rt_ts_parser *p, unsigned flags) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    arrow_function(p, flags);
    bool yes = rt_ts_is(p, T_COLON) && !p->at.failed;
    if (!yes) rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* `(`: parentheses or an arrow function; for ASYNC, arguments of a function called async or an arrow function. */
static enum operand parenthesized(struct rt_ts_parser *p, unsigned flags, bool is_async) {
    struct rt_ts_cursor mark = p->at;
    uint32_t start = mark.token.start;
    bool known_not = rt_ts_memo_has(p, start, MEANING_NOT_ARROW);
    if (!rt_ts_memo_has(p, start, MEANING_ARROW)) {
        bool yes = is_parameters(p, is_async);
        if (p->at.failed) return OPERAND_VALUE;
        if (!yes && !known_not && rt_ts_is(p, T_COLON) && is_return_type(p)) {
            yes = true;
            if (flags & EXPR_TRUE_BRANCH) {
                rt_ts_rewind(p, &mark);
                if (try_arrow_in_true_branch(p, flags)) return OPERAND_ARROW;
                rt_ts_memo_set(p, start, MEANING_NOT_ARROW);
                return parenthesized(p, flags, is_async);
            }
        }
        if (!yes) return OPERAND_VALUE;
        rt_ts_memo_set(p, start, MEANING_ARROW);
        rt_ts_rewind(p, &mark);
    }
    arrow_function(p, flags);
    return OPERAND_ARROW;
}

/* ---- literals ---- */

static void template(struct rt_ts_parser *p) {
    if (rt_ts_accept(p, T_TEMPLATE)) return;
    rt_ts_next(p);
    do {
        rt_ts_expression(p, 0);
    } while (rt_ts_continue_template(p));
}

static void array_literal(struct rt_ts_parser *p) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RBRACKET) && !p->at.failed) {
        if (rt_ts_accept(p, T_COMMA)) continue;
        rt_ts_accept(p, T_ELLIPSIS);
        rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACKET, ", or ]");
}

/* Is the word here (get, set, async) a modifier of the property name that follows? */
static bool modifies_property(struct rt_ts_parser *p) {
    unsigned char next = rt_ts_peek(p, NULL);
    return rt_ts_is_name_start(next) || next == '[' || next == '"' || next == '\'' || next == '#' || next == '*' ||
           (next >= '0' && next <= '9');
}

/* A decorated class here is called NAME if it has no name of its own. */
static void hint_name(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    p->name_hint = *name;
    p->name_hint_at = p->at.token.start;
}

static void object_member(struct rt_ts_parser *p) {
    if (rt_ts_accept(p, T_ELLIPSIS)) {
        rt_ts_assignment(p, 0);
        return;
    }
    rt_ts_no_decorators(p);
    uint8_t type = p->at.token.type;
    if ((type == K_GET || type == K_SET || type == K_ASYNC) && modifies_property(p)) rt_ts_next(p);
    rt_ts_accept(p, T_STAR);
    struct rt_ts_token name = p->at.token;
    rt_ts_property_name(p);
    if (rt_ts_is(p, T_LPAREN) || is_less(p)) {
        if (!rt_ts_function_rest(p, NULL)) rt_ts_expected(p, "{");
    } else if (rt_ts_accept(p, T_COLON)) {
        hint_name(p, &name);
        rt_ts_assignment(p, 0);
    } else if (rt_ts_is_identifier(name.type)) {
        rt_ts_reference(p, &name, REFERENCE_SHORTHAND);
        if (rt_ts_accept(p, T_ASSIGN)) rt_ts_assignment(p, 0); /* a default, if this is a pattern */
    } else {
        rt_ts_expected(p, ":");
    }
}

static void object_literal(struct rt_ts_parser *p) {
    bool is_import = p->import_options_at == p->at.token.start && p->at.token.start > 0;
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        if (is_import && rt_ts_is(p, K_WITH) && p->options.attributes_as_assertions && rt_ts_peek(p, NULL) == ':')
            rt_ts_replace(p, p->at.token.start, p->at.token.end, "assert", 6);
        object_member(p);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RBRACE, ", or }");
}

/* ---- operands ---- */

static void arguments(struct rt_ts_parser *p) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RPAREN) && !p->at.failed) {
        rt_ts_accept(p, T_ELLIPSIS);
        rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
    }
    rt_ts_expect(p, T_RPAREN, ", or )");
}

/* TypeScript's rule for what makes `<...>` type arguments when it could be two comparisons. */
static bool can_follow_type_arguments(struct rt_ts_parser *p) {
    switch (p->at.token.type) {
        case T_LPAREN:
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD: return true;
        case T_LT:
        case T_LSHIFT:
        case T_GT:
        case T_PLUS:
        case T_MINUS: return false;
        case T_LBRACE:
        case T_LBRACKET:
        case T_NUMBER:
        case T_STRING:
        case T_PRIVATE:
        case T_BANG:
        case T_TILDE:
        case T_INCREMENT:
        case T_AT:
        case K_CLASS:
        case K_DELETE:
        case K_FALSE:
        case K_FUNCTION:
        case K_IMPORT:
        case K_NEW:
        case K_NULL:
        case K_SUPER:
        case K_THIS:
        case K_TRUE:
        case K_TYPEOF:
        case K_VOID:
        case K_AWAIT:
        case K_YIELD: return p->at.token.newline_before;
        case K_AS:
        case K_SATISFIES: return true;
        default: return !rt_ts_is_identifier(p->at.token.type) || p->at.token.newline_before;
    }
}

/* At `<` after an operand: type arguments, blanked, or an operator. Returns true for type arguments. */
static bool try_type_arguments(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    uint32_t start = mark.token.start;
    if (p->options.javascript || rt_ts_memo_has(p, start, MEANING_NOT_TYPE_ARGUMENTS)) return false;
    p->speculating++;
    p->at.erased++;
    rt_ts_skip_type_arguments(p);
    p->at.erased--;
    bool yes = !p->at.failed && can_follow_type_arguments(p);
    p->speculating--;
    if (yes) {
        rt_ts_erase_range(p, start, p->at.previous_end);
        return true;
    }
    rt_ts_rewind(p, &mark);
    rt_ts_memo_set(p, start, MEANING_NOT_TYPE_ARGUMENTS);
    return false;
}

static void member_name(struct rt_ts_parser *p) {
    if (rt_ts_is_word(p->at.token.type) || rt_ts_is(p, T_PRIVATE)) {
        rt_ts_next(p);
    } else {
        rt_ts_expected(p, "a property name");
    }
}

/* Everything that may follow an operand and binds tighter than any operator. */
static void suffixes(struct rt_ts_parser *p) {
    for (;;) {
        switch (p->at.token.type) {
            case T_DOT:
                rt_ts_next(p);
                member_name(p);
                break;
            case T_QUESTION_DOT:
                rt_ts_next(p);
                if (is_less(p) && !try_type_arguments(p)) rt_ts_expected(p, "type arguments");
                if (rt_ts_is_word(p->at.token.type) || rt_ts_is(p, T_PRIVATE)) rt_ts_next(p);
                break;
            case T_LBRACKET:
                rt_ts_next(p);
                rt_ts_expression(p, 0);
                rt_ts_expect(p, T_RBRACKET, "]");
                break;
            case T_LPAREN: arguments(p); break;
            case T_TEMPLATE:
            case T_TEMPLATE_HEAD: template(p); break;
            case T_BANG:
                if (p->at.token.newline_before) return;
                rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
                rt_ts_next(p);
                break;
            case T_LT:
            case T_LSHIFT:
                if (!try_type_arguments(p)) return;
                break;
            case T_INCREMENT:
                if (p->at.token.newline_before) return;
                rt_ts_next(p);
                return;
            default: return;
        }
    }
}

void rt_ts_decorator_expression(struct rt_ts_parser *p) {
    if (rt_ts_accept(p, T_LPAREN)) {
        rt_ts_expression(p, 0);
        rt_ts_expect(p, T_RPAREN, ")");
    } else if (rt_ts_is_identifier(p->at.token.type)) {
        rt_ts_reference(p, &p->at.token, REFERENCE_VALUE);
        rt_ts_next(p);
    } else if (rt_ts_is(p, K_NEW)) {
        rt_ts_next(p);
        rt_ts_left_hand_side(p);
    } else {
        rt_ts_expected(p, "a decorator after @");
    }
    for (;;) { /* as suffixes(), but a `[` starts the member's name */
        if (rt_ts_accept(p, T_DOT)) {
            member_name(p);
        } else if (rt_ts_is(p, T_LPAREN)) {
            arguments(p);
        } else if (rt_ts_is(p, T_TEMPLATE) || rt_ts_is(p, T_TEMPLATE_HEAD)) {
            template(p);
        } else if (rt_ts_is(p, T_BANG) && !p->at.token.newline_before) {
            rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
            rt_ts_next(p);
        } else if (!is_less(p) || !try_type_arguments(p)) {
            return;
        }
    }
}

static enum operand async_operand(struct rt_ts_parser *p, unsigned flags) {
    struct rt_ts_token name = p->at.token, next = rt_ts_look_ahead(p);
    if (next.type == K_FUNCTION && !next.newline_before) {
        rt_ts_next(p);
        rt_ts_function(p, false);
        return OPERAND_VALUE;
    }
    rt_ts_next(p);
    if (!next.newline_before && rt_ts_is_identifier(next.type) && rt_ts_look_ahead(p).type == T_ARROW) {
        arrow_function_of_name(p, flags);
        return OPERAND_ARROW;
    }
    if (rt_ts_is(p, T_ARROW) && !next.newline_before) { /* async => x */
        uint32_t outer = rt_ts_push_scope(p, true);
        arrow_body(p, flags);
        rt_ts_pop_scope(p, outer);
        return OPERAND_ARROW;
    }
    if (!next.newline_before && rt_ts_is(p, T_LT) && try_generic_arrow(p, flags)) return OPERAND_ARROW;
    if (!next.newline_before && rt_ts_is(p, T_LPAREN)) {
        enum operand kind = parenthesized(p, flags, true);
        if (kind == OPERAND_ARROW) return kind;
    }
    rt_ts_reference(p, &name, REFERENCE_VALUE);
    return OPERAND_VALUE;
}

/* Returns true for new.target, false when the constructor's expression is still to come. */
static bool new_target(struct rt_ts_parser *p) {
    while (rt_ts_accept(p, K_NEW))
        continue;
    if (!rt_ts_accept(p, T_DOT)) return false;
    member_name(p);
    return true;
}

/* import(a, { with: ... }) */
static void import_arguments(struct rt_ts_parser *p) {
    rt_ts_next(p);
    while (!rt_ts_is(p, T_RPAREN) && !p->at.failed) {
        rt_ts_accept(p, T_ELLIPSIS);
        rt_ts_assignment(p, 0);
        if (!rt_ts_accept(p, T_COMMA)) break;
        p->import_options_at = p->at.token.start;
    }
    rt_ts_expect(p, T_RPAREN, ", or )");
}

static void import_operand(struct rt_ts_parser *p) {
    rt_ts_next(p);
    if (rt_ts_accept(p, T_DOT)) {
        member_name(p);
    } else if (rt_ts_is(p, T_LPAREN)) {
        import_arguments(p);
    } else {
        rt_ts_expected(p, "( or . after import");
    }
}

/* A name, literal, function, ... without prefix operators. The caller reads the suffixes of a value. */
static enum operand primary(struct rt_ts_parser *p, unsigned flags) {
    switch (p->at.token.type) {
        case T_NUMBER:
        case T_STRING:
        case T_PRIVATE:
        case K_NULL:
        case K_TRUE:
        case K_FALSE:
        case K_THIS: rt_ts_next(p); return OPERAND_VALUE;
        case K_SUPER:
            rt_ts_next(p);
            p->super_calls += rt_ts_is(p, T_LPAREN);
            return OPERAND_VALUE;
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD: template(p); return OPERAND_VALUE;
        case T_SLASH: rt_ts_skip_regex(p); return OPERAND_VALUE;
        case T_LBRACKET: array_literal(p); return OPERAND_VALUE;
        case T_LBRACE: object_literal(p); return OPERAND_VALUE;
        case T_LPAREN: return parenthesized(p, flags, false);
        case K_FUNCTION: rt_ts_function(p, false); return OPERAND_VALUE;
        case T_LT:
            if (!p->options.jsx) break;
            rt_ts_jsx(p);
            return OPERAND_ELEMENT;
        case T_AT: rt_ts_decorated_class(p, CLASS_EXPRESSION, &p->at); return OPERAND_VALUE;
        case K_CLASS: rt_ts_class(p, false); return OPERAND_VALUE;
        case K_IMPORT: import_operand(p); return OPERAND_VALUE;
        case K_NEW: return new_target(p) ? OPERAND_VALUE : primary(p, 0);
        case K_ASYNC: return async_operand(p, flags);
        default: break;
    }
    if (!rt_ts_is_identifier(p->at.token.type)) {
        rt_ts_expected(p, "an expression");
        return OPERAND_VALUE;
    }
    bool newline;
    if (rt_ts_peek(p, &newline) == '=' && !newline && rt_ts_look_ahead(p).type == T_ARROW) {
        arrow_function_of_name(p, flags);
        return OPERAND_ARROW;
    }
    rt_ts_reference(p, &p->at.token, REFERENCE_VALUE);
    rt_ts_next(p);
    return OPERAND_VALUE;
}

void rt_ts_left_hand_side(struct rt_ts_parser *p) {
    if (rt_ts_enter(p) && primary(p, 0) == OPERAND_VALUE) suffixes(p);
    rt_ts_leave(p);
}

/* await and yield are operators, unless what follows can't be their operand: then they are names. */
static bool starts_operand(const struct rt_ts_token *token) {
    switch (token->type) {
        case T_EOF:
        case T_RBRACE:
        case T_RPAREN:
        case T_RBRACKET:
        case T_SEMICOLON:
        case T_COMMA:
        case T_COLON:
        case T_QUESTION:
        case T_QUESTION_DOT:
        case T_DOT:
        case T_ELLIPSIS:
        case T_ARROW:
        case T_ASSIGN:
        case T_GT:
        case T_PIPE:
        case T_AMPERSAND:
        case T_BINARY:
        case K_AS:
        case K_OF:
        case K_IN:
        case K_INSTANCEOF:
        case K_SATISFIES: return false;
        default: return true;
    }
}

/* `<T>` before an operand. */
static void erase_assertion(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    rt_ts_next(p);
    if (rt_ts_is(p, K_CONST)) {
        rt_ts_next(p);
    } else {
        skip_erased_type(p);
    }
    rt_ts_expect(p, T_GT, "> after the type");
    rt_ts_erase_range(p, start, p->at.previous_end);
}

/* Steps past prefix operators and assertions. Returns true if it also read the operand, an arrow function. */
static bool prefixes(struct rt_ts_parser *p, unsigned flags) {
    uint32_t start = p->at.token.start, edit = p->at.edit_count;
    bool asserted = false;
    for (;;) {
        switch (p->at.token.type) {
            case T_BANG:
            case T_TILDE:
            case T_PLUS:
            case T_MINUS:
            case T_INCREMENT:
            case K_TYPEOF:
            case K_VOID:
            case K_DELETE:
                asserted = asserted && p->at.token.start == start;
                rt_ts_next(p);
                break;
            case K_AWAIT: {
                struct rt_ts_token next = rt_ts_look_ahead(p);
                if (!starts_operand(&next)) return false;
                rt_ts_next(p);
                break;
            }
            case T_LT:
            case T_LSHIFT:
                if (p->options.jsx && (p->options.javascript || !rt_ts_jsx_is_arrow(p))) {
                    if (asserted) rt_ts_check_restricted(p, start, edit);
                    return false;
                }
                if (try_generic_arrow(p, flags)) return true;
                if (p->at.token.start == start) asserted = true;
                erase_assertion(p);
                break;
            default:
                if (asserted) rt_ts_check_restricted(p, start, edit);
                return false;
        }
    }
}

static enum operand yield_operand(struct rt_ts_parser *p, unsigned flags) {
    struct rt_ts_token name = p->at.token, next = rt_ts_look_ahead(p);
    if (next.type == T_ARROW) return primary(p, flags);
    rt_ts_next(p);
    if (next.type == T_STAR && !next.newline_before) {
        rt_ts_next(p);
    } else if (next.newline_before || !starts_operand(&next)) {
        rt_ts_reference(p, &name, REFERENCE_VALUE);
        suffixes(p);
        return OPERAND_VALUE;
    }
    bool outer_paren = rt_ts_restrict(p, RESTRICT_NEWLINE);
    rt_ts_assignment(p, flags);
    rt_ts_close_restricted(p, outer_paren);
    return OPERAND_VALUE;
}

static enum operand operand(struct rt_ts_parser *p, unsigned flags) {
    if (rt_ts_is(p, K_YIELD)) return yield_operand(p, flags);
    if (prefixes(p, flags)) return OPERAND_ARROW;
    if (rt_ts_is(p, K_YIELD)) return yield_operand(p, flags);
    enum operand kind = primary(p, flags);
    if (kind == OPERAND_VALUE) suffixes(p);
    return kind;
}

/* ---- operators ---- */

/* `as T` or `satisfies T`. What follows on a new line may not join what stood before. */
static void erase_as(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    rt_ts_next(p);
    if (rt_ts_is(p, K_CONST)) {
        rt_ts_next(p);
    } else {
        skip_erased_type(p);
    }
    bool joins = p->at.token.newline_before && (rt_ts_is(p, T_LPAREN) || rt_ts_is(p, T_LBRACKET) ||
                                                rt_ts_is(p, T_TEMPLATE) || rt_ts_is(p, T_TEMPLATE_HEAD));
    if (joins) {
        rt_ts_replace(p, start, p->at.previous_end, ";", 1);
    } else {
        rt_ts_erase_range(p, start, p->at.previous_end);
    }
}

/* After an operand: steps past an operator. Returns false when the expression ends here. */
static bool operator(struct rt_ts_parser *p, unsigned flags) {
    switch (p->at.token.type) {
        case T_GT: rt_ts_join_greater(p); break;
        case T_ASSIGN:
        case T_LT:
        case T_LSHIFT:
        case T_PLUS:
        case T_MINUS:
        case T_STAR:
        case T_SLASH:
        case T_PIPE:
        case T_AMPERSAND:
        case T_BINARY:
        case K_INSTANCEOF: break;
        case K_IN:
            if (flags & EXPR_NO_IN) return false;
            break;
        default: return false;
    }
    rt_ts_next(p);
    return true;
}

/* At `?`: `a ? b :`, of which the rest is like a new operand. Returns false for the `?` of an optional parameter. */
static bool conditional(struct rt_ts_parser *p) {
    unsigned char next = rt_ts_peek(p, NULL);
    if (next == ':' || next == ',' || next == ')' || next == '=') return false;
    rt_ts_next(p);
    rt_ts_assignment(p, EXPR_TRUE_BRANCH);
    rt_ts_expect(p, T_COLON, ":");
    return true;
}

static void operands(struct rt_ts_parser *p, unsigned flags) {
    while (operand(p, flags) != OPERAND_ARROW) {
        while ((rt_ts_is(p, K_AS) || rt_ts_is(p, K_SATISFIES)) && !p->at.token.newline_before && !p->options.javascript)
            erase_as(p);
        if (rt_ts_is(p, T_QUESTION)) {
            if (!conditional(p)) return;
        } else if (!operator(p, flags)) {
            return;
        }
    }
}

void rt_ts_assignment(struct rt_ts_parser *p, unsigned flags) {
    if (rt_ts_enter(p)) operands(p, flags);
    rt_ts_leave(p);
}

void rt_ts_expression(struct rt_ts_parser *p, unsigned flags) {
    rt_ts_assignment(p, flags);
    while (rt_ts_accept(p, T_COMMA))
        rt_ts_assignment(p, flags & EXPR_NO_IN);
}
