/* typescript_module.c: owns import and export: what they bring in, what is only a type, and `import =`, `export =`. */
#include "runtime/typescript_internal.h"

static void module_specifier(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_STRING, "the name of a module in quotes");
    if (rt_ts_is(p, K_WITH) || (rt_ts_is(p, K_ASSERT) && !p->at.token.newline_before)) {
        rt_ts_next(p);
        rt_ts_assignment(p, 0);
    }
    rt_ts_semicolon(p);
}

static void module_name(struct rt_ts_parser *p) {
    if (rt_ts_is_word(p->at.token.type) || rt_ts_is(p, T_STRING)) {
        rt_ts_next(p);
    } else {
        rt_ts_expected(p, "a name");
    }
}

static bool is_module_name(const struct rt_ts_parser *p) {
    return rt_ts_is_word(p->at.token.type) || rt_ts_is(p, T_STRING);
}

/* One specifier between braces. */
struct specifier {
    uint32_t start, end;       /* with the comma after it */
    struct rt_ts_token first;  /* the name before `as` */
    struct rt_ts_token second; /* the name after it, or the same */
    bool is_type;
};

/* Reads `a`, `a as b`, `type a`, `type a as b`, with all the ways in which `type` and `as` may be names themselves. */
static struct specifier read_specifier(struct rt_ts_parser *p) {
    struct specifier s = {.start = p->at.token.start, .first = p->at.token};
    bool can_rename = true;
    bool starts_with_type = rt_ts_is(p, K_TYPE);
    module_name(p);
    s.second = s.first;
    if (starts_with_type && is_module_name(p)) {
        if (rt_ts_is(p, K_AS)) {
            struct rt_ts_token first_as = p->at.token;
            rt_ts_next(p);
            if (rt_ts_is(p, K_AS)) {
                struct rt_ts_token second_as = p->at.token;
                rt_ts_next(p);
                can_rename = false;
                s.second = second_as; /* { type as as }: "type" under the name "as" */
                if (is_module_name(p)) {
                    s.is_type = true; /* { type as as a } */
                    rt_ts_next(p);
                }
            } else if (is_module_name(p)) {
                s.second = p->at.token; /* { type as a } */
                can_rename = false;
                rt_ts_next(p);
            } else {
                s.is_type = true; /* { type as } */
                s.first = s.second = first_as;
            }
        } else {
            s.is_type = true;
            s.first = s.second = p->at.token;
            rt_ts_next(p);
        }
    }
    if (can_rename && rt_ts_accept(p, K_AS)) {
        s.second = p->at.token;
        module_name(p);
    }
    if (!rt_ts_is(p, T_RBRACE)) rt_ts_expect(p, T_COMMA, ", or }");
    s.end = p->at.previous_end;
    return s;
}

/* ---- import ---- */

static void add_binding(struct rt_ts_parser *p, const struct rt_ts_token *name, uint32_t start, uint32_t end,
                        bool is_type) {
    if (p->at.erased > 0) return;
    if (!rt_ts_reserve(p, &p->bindings, &p->binding_capacity, p->binding_count, sizeof *p->bindings)) return;
    rt_ts_replace(p, start, start, NULL, 0);
    p->bindings[p->binding_count] = (struct rt_ts_import_binding){
        .statement = p->import_count, .start = start, .end = end, .edit = p->at.edit_count - 1};
    p->bindings[p->binding_count].used = p->options.verbatim_module_syntax && !is_type;
    if (!is_type) {
        rt_ts_add_name(p, name);
        rt_ts_declare_detail(p, name, DECLARED_IMPORT, p->binding_count);
    }
    p->binding_count++;
}

static void named_bindings(struct rt_ts_parser *p) {
    if (rt_ts_is(p, T_STAR)) {
        uint32_t start = p->at.token.start;
        rt_ts_next(p);
        rt_ts_expect(p, K_AS, "as");
        struct rt_ts_token name = p->at.token;
        if (!rt_ts_is_identifier(name.type)) rt_ts_expected(p, "a name");
        rt_ts_next(p);
        add_binding(p, &name, start, p->at.previous_end, false);
        return;
    }
    rt_ts_expect(p, T_LBRACE, "{ or *");
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        struct specifier s = read_specifier(p);
        add_binding(p, &s.second, s.start, s.end, s.is_type);
    }
    rt_ts_expect(p, T_RBRACE, "}");
}

static void type_import(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    p->at.erased++;
    while (!rt_ts_is(p, T_STRING) && !rt_ts_is(p, T_EOF) && !rt_ts_is(p, T_SEMICOLON)) rt_ts_next(p);
    rt_ts_expect(p, T_STRING, "the name of a module in quotes");
    if (rt_ts_accept(p, T_RPAREN) || !(rt_ts_is(p, K_WITH) || rt_ts_is(p, K_ASSERT)) || p->at.token.newline_before) {
        rt_ts_semicolon(p);
    } else {
        rt_ts_next(p);
        rt_ts_assignment(p, 0);
        rt_ts_semicolon(p);
    }
    p->at.erased--;
    rt_ts_erase_whole(p, mark, mark->token.start);
}

/* At `type` after `import`: is it the keyword? */
static bool is_type_import(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    bool yes = rt_ts_is(p, T_LBRACE) || rt_ts_is(p, T_STAR) ||
               (rt_ts_is_identifier(p->at.token.type) && !rt_ts_is(p, K_FROM));
    if (rt_ts_is(p, K_FROM)) {
        rt_ts_next(p);
        yes = rt_ts_is(p, K_FROM) || rt_ts_is(p, T_ASSIGN); /* import type from from "m" */
    }
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* import a = require("m"), import a = b.c; the current token is `=`. */
static void import_equals(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    if (p->at.erased == 0) {
        rt_ts_fail(p, mark->token.start, "import ... = is not supported yet");
        return;
    }
    rt_ts_next(p);
    rt_ts_left_hand_side(p);
    rt_ts_semicolon(p);
}

static void import_clause(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    struct rt_ts_import_statement statement = {.start = mark->token.start, .first_binding = p->binding_count};
    rt_ts_replace(p, statement.start, statement.start, ";", 1);
    statement.edit = p->at.edit_count - 1;
    if (rt_ts_is_identifier(p->at.token.type)) {
        struct rt_ts_token name = p->at.token;
        rt_ts_next(p);
        if (rt_ts_is(p, T_ASSIGN)) {
            rt_ts_erase_since(p, mark, p->at.previous_end);
            import_equals(p, mark);
            return;
        }
        bool comma = rt_ts_is(p, T_COMMA);
        add_binding(p, &name, name.start, comma ? p->at.token.end : name.end, false);
        statement.first_named = 1;
        if (comma) {
            statement.named_start = p->at.token.start;
            rt_ts_replace(p, statement.named_start, statement.named_start, NULL, 0);
            statement.named_edit = p->at.edit_count - 1;
            rt_ts_next(p);
            named_bindings(p);
        }
    } else {
        named_bindings(p);
    }
    statement.named_end = p->at.previous_end;
    rt_ts_expect(p, K_FROM, "from");
    module_specifier(p);
    if (p->at.erased > 0) return;
    statement.end = p->at.previous_end;
    statement.binding_count = p->binding_count - statement.first_binding;
    statement.guard = rt_ts_joins(p, mark);
    if (!rt_ts_reserve(p, &p->imports, &p->import_capacity, p->import_count, sizeof *p->imports)) return;
    p->imports[p->import_count++] = statement;
}

void rt_ts_import(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    unsigned char next = rt_ts_peek(p, NULL);
    if (next == '(' || next == '.') {
        rt_ts_expression(p, 0);
        rt_ts_semicolon(p);
        return;
    }
    rt_ts_next(p);
    if (rt_ts_is(p, T_STRING)) {
        module_specifier(p);
    } else if (rt_ts_is(p, K_TYPE) && is_type_import(p)) {
        p->at.value_count--;
        type_import(p, &mark);
    } else {
        import_clause(p, &mark);
    }
}

/* ---- export ---- */

/* `export` [`type`] is behind. */
static void export_names(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, bool is_type) {
    uint32_t kept = 0;
    if (rt_ts_accept(p, T_STAR)) {
        kept = 1;
        if (rt_ts_accept(p, K_AS)) module_name(p);
        if (!rt_ts_is(p, K_FROM)) rt_ts_expected(p, "from");
    } else {
        struct rt_ts_cursor list = p->at;
        rt_ts_expect(p, T_LBRACE, "{");
        bool any = false;
        while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
            any = true;
            struct specifier s = read_specifier(p);
            if (s.is_type) {
                rt_ts_erase_range(p, s.start, s.end);
            } else {
                kept++;
            }
        }
        rt_ts_expect(p, T_RBRACE, "}");
        if (!any) kept = 1;
        if (!rt_ts_is(p, K_FROM) && !is_type && p->at.erased == 0) {
            /* A local export is a use of what it names: read it again, now that this is known. */
            struct rt_ts_cursor after = p->at;
            p->at = list;
            rt_ts_next(p);
            while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
                struct specifier s = read_specifier(p);
                struct rt_ts_token name = s.first;
                if (!s.is_type) {
                    p->at.reference_count = after.reference_count;
                    rt_ts_reference(p, &name, REFERENCE_VALUE);
                    after.reference_count = p->at.reference_count;
                }
            }
            p->at = after;
        }
    }
    if (rt_ts_accept(p, K_FROM)) {
        module_specifier(p);
    } else {
        rt_ts_semicolon(p);
    }
    if (is_type || kept == 0) rt_ts_erase_whole(p, mark, mark->token.start);
}

static void export_default(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    rt_ts_next(p);
    if (rt_ts_is(p, K_INTERFACE) && rt_ts_is_identifier(rt_ts_look_ahead(p).type)) {
        rt_ts_typescript_declaration(p, mark);
    } else if (rt_ts_is(p, K_ABSTRACT) && rt_ts_look_ahead(p).type == K_CLASS) {
        rt_ts_typescript_declaration(p, mark);
    } else if (rt_ts_is(p, K_CLASS)) {
        rt_ts_class(p, true);
    } else if (rt_ts_is(p, K_FUNCTION) || (rt_ts_is(p, K_ASYNC) && rt_ts_look_ahead(p).type == K_FUNCTION)) {
        rt_ts_accept(p, K_ASYNC);
        if (!rt_ts_function(p, true)) {
            rt_ts_semicolon(p);
            rt_ts_erase_whole(p, mark, mark->token.start);
        }
    } else {
        rt_ts_assignment(p, 0);
        rt_ts_semicolon(p);
    }
}

static void export_type(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    unsigned char next = rt_ts_peek(p, NULL);
    if (next == '{' || next == '*') {
        p->at.value_count--;
        rt_ts_next(p);
        p->at.erased++;
        export_names(p, mark, true);
        p->at.erased--;
        rt_ts_erase_whole(p, mark, mark->token.start);
    } else if (!rt_ts_typescript_declaration(p, mark)) {
        rt_ts_expected(p, "a declaration after export");
    }
}

void rt_ts_export(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    rt_ts_next(p);
    switch (p->at.token.type) {
        case T_STAR:
        case T_LBRACE: export_names(p, &mark, false); return;
        case K_DEFAULT: export_default(p, &mark); return;
        case K_TYPE: export_type(p, &mark); return;
        case K_IMPORT: rt_ts_import(p); return;
        case T_ASSIGN:
            if (p->at.erased == 0) {
                rt_ts_fail(p, mark.token.start, "export = is not supported yet");
                return;
            }
            rt_ts_next(p);
            rt_ts_expression(p, 0);
            rt_ts_semicolon(p);
            return;
        case K_AS:
            if (rt_ts_look_ahead(p).type == K_NAMESPACE) { /* export as namespace UMD; */
                rt_ts_next(p);
                rt_ts_next(p);
                rt_ts_next(p);
                rt_ts_semicolon(p);
                rt_ts_erase_whole(p, &mark, mark.token.start);
                return;
            }
            break;
        default: break;
    }
    p->at.value_count--;
    if (rt_ts_typescript_declaration(p, &mark)) return;
    uint8_t type = p->at.token.type;
    if (type == K_FUNCTION || type == K_ASYNC) {
        rt_ts_accept(p, K_ASYNC);
        if (!rt_ts_is(p, K_FUNCTION)) rt_ts_expected(p, "function");
        if (!rt_ts_function(p, true)) {
            rt_ts_semicolon(p);
            rt_ts_erase_whole(p, &mark, mark.token.start);
        }
    } else if (type == K_CLASS || type == K_VAR || type == K_LET || type == K_CONST || type == T_AT) {
        rt_ts_statement(p);
    } else {
        rt_ts_expected(p, "a declaration after export");
    }
}
