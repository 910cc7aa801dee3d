/* typescript_module.c: owns import and export: what they bring in, what is only a type, and `import =`, `export =`. */
#include "runtime/typescript_internal.h"

/* with { type: "json" } */
static void attributes(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, K_WITH) && (!rt_ts_is(p, K_ASSERT) || p->at.token.newline_before)) return;
    if (rt_ts_is(p, K_WITH) && p->options.attributes_as_assertions)
        rt_ts_replace(p, p->at.previous_end, p->at.token.end, " assert", 7); /* which must be on the same line */
    rt_ts_next(p);
    if (!rt_ts_is(p, T_LBRACE)) rt_ts_expected(p, "{ after with, as in with { type: \"json\" }");
    rt_ts_assignment(p, 0);
}

static void module_specifier(struct rt_ts_parser *p) {
    rt_ts_expect(p, T_STRING, "the name of a module in quotes");
    attributes(p);
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

/* ---- what goes when it has no value ---- */

/* A name whose characters from START to END go unless it is used. */
static bool add_use(struct rt_ts_parser *p, const struct rt_ts_token *name, uint32_t start, uint32_t end) {
    if (p->at.erased > 0 || p->at.failed) return false;
    if (!rt_ts_reserve(p, &p->bindings, &p->binding_capacity, p->binding_count, sizeof *p->bindings)) return false;
    rt_ts_replace(p, start, start, NULL, 0);
    p->bindings[p->binding_count++] = (struct rt_ts_binding_use){.start = start,
                                                                 .end = end,
                                                                 .edit = p->at.edit_count - 1,
                                                                 .name = RT_TS_NOT_FOUND,
                                                                 .name_start = name->start,
                                                                 .name_end = name->end};
    return !p->at.failed;
}

/* A name that an import brings in. */
static void add_binding(struct rt_ts_parser *p, const struct rt_ts_token *name, uint32_t start, uint32_t end,
                        bool is_type) {
    if (!add_use(p, name, start, end)) return;
    if (is_type) {
        rt_ts_declare_type(p, name);
        rt_ts_note_type(p, name, NOTED_OBJECT, NULL);
        return;
    }
    p->bindings[p->binding_count - 1].used = p->options.verbatim_module_syntax;
    rt_ts_add_name(p, name);
    rt_ts_declare_in(p, name, DECLARED_IMPORT, p->at.scope, p->binding_count - 1);
}

/* The statement that starts at MARK; its edit comes before those of its bindings. */
static struct rt_ts_module_statement begin_statement(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    struct rt_ts_module_statement statement = {
        .start = mark->token.start, .keep_end = mark->token.start, .first_binding = p->binding_count};
    rt_ts_replace(p, statement.start, statement.start, NULL, 0);
    statement.edit = p->at.edit_count - 1;
    return statement;
}

static void end_statement(struct rt_ts_parser *p, const struct rt_ts_cursor *mark,
                          struct rt_ts_module_statement *statement) {
    if (p->at.erased > 0 || p->at.failed) return;
    statement->end = p->at.previous_end;
    statement->binding_count = p->binding_count - statement->first_binding;
    statement->guard = rt_ts_joins(p, mark);
    if (!rt_ts_reserve(p, &p->statements, &p->statement_capacity, p->statement_count, sizeof *p->statements)) return;
    p->statements[p->statement_count++] = *statement;
}

/* ---- import ---- */

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

/* import type ..., erased as a whole. */
static void type_import(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    p->at.erased++;
    struct rt_ts_token previous = {0};
    for (; !rt_ts_is(p, T_STRING) && !rt_ts_is(p, T_EOF) && !rt_ts_is(p, T_SEMICOLON);) {
        bool ends_name = rt_ts_is(p, T_COMMA) || rt_ts_is(p, T_RBRACE) || rt_ts_is(p, K_FROM) || rt_ts_is(p, T_ASSIGN);
        if (ends_name && rt_ts_is_identifier(previous.type)) {
            rt_ts_declare_type(p, &previous);
            rt_ts_note_type(p, &previous, NOTED_OBJECT, NULL);
        }
        bool is_alias = rt_ts_is(p, T_ASSIGN);
        previous = p->at.token;
        rt_ts_next(p);
        if (!is_alias || rt_ts_is(p, K_REQUIRE)) continue;
        rt_ts_left_hand_side(p); /* import type a = b.c */
        rt_ts_semicolon(p);
        p->at.erased--;
        rt_ts_erase_whole(p, mark, mark->token.start);
        return;
    }
    rt_ts_expect(p, T_STRING, "the name of a module in quotes");
    rt_ts_accept(p, T_RPAREN);
    attributes(p);
    rt_ts_semicolon(p);
    p->at.erased--;
    rt_ts_erase_whole(p, mark, mark->token.start);
}

/* At `type` after `import`: is it the keyword? */
static bool is_type_import(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    bool yes =
        rt_ts_is(p, T_LBRACE) || rt_ts_is(p, T_STAR) || (rt_ts_is_identifier(p->at.token.type) && !rt_ts_is(p, K_FROM));
    if (rt_ts_is(p, K_FROM)) {
        rt_ts_next(p);
        yes = rt_ts_is(p, K_FROM) || rt_ts_is(p, T_ASSIGN); /* import type from from "m" */
    }
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* import a = require("m"): a constant, where there is a require(). */
static void import_require(struct rt_ts_parser *p, struct rt_ts_module_statement *statement,
                           const struct rt_ts_token *import) {
    if (!p->options.commonjs && p->at.erased == 0) {
        rt_ts_fail(p, import->start, "import ... = require() needs a CommonJS module; write import ... from instead");
        return;
    }
    statement->keep_end = import->end;
    statement->keep_text = p->at.text_nbytes;
    statement->keep_text_nbytes = 5;
    rt_ts_replace(p, import->start, import->start, "const", 5);
    if (p->at.erased == 0) p->at.edit_count--;
    rt_ts_left_hand_side(p);
}

/* import a = b.c: a variable; in a namespace that exports it, N.a = b.c. */
static void import_alias(struct rt_ts_parser *p, const struct rt_ts_cursor *mark,
                         struct rt_ts_module_statement *statement, const struct rt_ts_token *import,
                         const struct rt_ts_token *name) {
    uint32_t before = p->at.reference_count;
    bool is_export = mark->token.type == K_EXPORT;
    if (is_export && rt_ts_in_namespace(p)) {
        p->at.edit_count -= 2; /* of the statement and the binding: it stays */
        const struct rt_ts_scope *scope = &p->scopes[p->at.scope];
        rt_ts_replace_format(p, mark->token.start, name->start, "%.*s%s.", (int)(scope->name_end - scope->name_start),
                             p->source + scope->name_start, scope->renamed ? "_1" : "");
        rt_ts_left_hand_side(p);
        rt_ts_semicolon(p);
        p->binding_count--;
        if (p->at.erased == 0) p->at.declaration_count--;
        rt_ts_declare_in(p, name, DECLARED_EXPORT, scope->symbol, 0);
        return;
    }
    if (is_export) {
        p->bindings[p->binding_count - 1].used = true;
        p->bindings[p->binding_count - 1].start = p->bindings[p->binding_count - 1].end;
    }
    statement->keep_end = import->end;
    statement->keep_text = p->at.text_nbytes;
    statement->keep_text_nbytes = 3;
    rt_ts_replace(p, import->start, import->start, "var", 3);
    p->at.edit_count--;
    if (!is_export) p->alias = p->binding_count;
    rt_ts_left_hand_side(p);
    p->alias = 0;
    if (!is_export && p->at.reference_count > before) p->bindings[p->binding_count - 1].reference = before + 1;
    rt_ts_semicolon(p);
    statement->start = import->start;
    end_statement(p, mark, statement);
}

/* The current token is the name. */
static void import_equals(struct rt_ts_parser *p, const struct rt_ts_cursor *mark,
                          struct rt_ts_module_statement *statement, const struct rt_ts_token *import) {
    struct rt_ts_token name = p->at.token;
    rt_ts_next(p);
    rt_ts_next(p); /* = */
    if (p->at.erased > 0) {
        rt_ts_left_hand_side(p);
        rt_ts_semicolon(p);
        return;
    }
    add_binding(p, &name, name.start, name.end, false);
    if (p->at.failed) return;
    if (rt_ts_is(p, K_REQUIRE) && rt_ts_peek(p, NULL) == '(') {
        if (mark->token.type == K_EXPORT) p->bindings[p->binding_count - 1].used = true;
        if (p->options.commonjs) {
            import_require(p, statement, import);
            rt_ts_semicolon(p);
        } else { /* Only an error if it stays. */
            p->at.erased++;
            rt_ts_left_hand_side(p);
            rt_ts_semicolon(p);
            p->at.erased--;
            p->bindings[p->binding_count - 1].needs_require = true;
        }
        end_statement(p, mark, statement);
    } else {
        import_alias(p, mark, statement, import, &name);
    }
}

static void import_clause(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, const struct rt_ts_token *import) {
    struct rt_ts_module_statement statement = begin_statement(p, mark);
    if (rt_ts_is_identifier(p->at.token.type)) {
        struct rt_ts_token name = p->at.token;
        if (rt_ts_peek(p, NULL) == '=') {
            import_equals(p, mark, &statement, import);
            return;
        }
        rt_ts_next(p);
        bool comma = rt_ts_is(p, T_COMMA);
        add_binding(p, &name, name.start, comma ? p->at.token.end : name.end, false);
        statement.first_named = 1;
        if (comma) {
            statement.named_start = p->at.token.start;
            rt_ts_replace(p, statement.named_start, statement.named_start, NULL, 0);
            statement.named_edit = p->at.edit_count - 1;
            rt_ts_next(p);
            named_bindings(p);
            statement.named_end = p->at.previous_end;
        }
    } else {
        named_bindings(p);
    }
    rt_ts_expect(p, K_FROM, "from");
    statement.from_end = p->at.previous_end;
    module_specifier(p);
    end_statement(p, mark, &statement);
}

/* MARK: at `import` or the `export` before it. */
static void import_declaration(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    struct rt_ts_token import = p->at.token;
    rt_ts_next(p);
    if (rt_ts_in_namespace(p)) p->at.value_count -= mark->token.type == K_IMPORT;
    if (rt_ts_is(p, T_STRING)) {
        module_specifier(p);
    } else if (rt_ts_is(p, K_TYPE) && is_type_import(p)) {
        type_import(p, mark);
    } else {
        import_clause(p, mark, &import);
    }
}

void rt_ts_import(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    unsigned char next = rt_ts_peek(p, NULL);
    if (next == '(' || next == '.') {
        rt_ts_expression_statement(p);
    } else {
        import_declaration(p, &mark);
    }
}

/* ---- export ---- */

/* export { a, b as c }: each name is a use of what it names, and goes if that is a type. */
static void local_exports(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    struct rt_ts_module_statement statement = begin_statement(p, mark);
    rt_ts_expect(p, T_LBRACE, "{");
    bool any = false;
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
        struct specifier s = read_specifier(p);
        any = true;
        if (p->at.erased > 0 || p->at.failed) continue;
        add_use(p, &s.first, s.start, s.end);
        struct rt_ts_binding_use *binding = &p->bindings[p->binding_count - 1];
        if (s.is_type || p->at.failed) continue;
        binding->is_export = true;
        binding->used = true;
        binding->name = rt_ts_find_name(p, &s.first);
        rt_ts_reference(p, &s.first, REFERENCE_VALUE);
    }
    rt_ts_expect(p, T_RBRACE, "}");
    rt_ts_semicolon(p);
    if (any) end_statement(p, mark, &statement);
}

/* Is there a `from` after the braces at the current token? */
static bool is_reexport(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    while (!rt_ts_is(p, T_RBRACE) && !rt_ts_is(p, T_EOF))
        rt_ts_next(p);
    rt_ts_accept(p, T_RBRACE);
    bool yes = rt_ts_is(p, K_FROM);
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* After `export` [`type`]: names from another module, or all of them. */
static void reexports(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    bool any_value = true;
    if (rt_ts_accept(p, T_STAR)) {
        if (rt_ts_accept(p, K_AS)) module_name(p);
    } else {
        bool any = any_value = false;
        rt_ts_expect(p, T_LBRACE, "{");
        while (!rt_ts_is(p, T_RBRACE) && !p->at.failed) {
            struct specifier s = read_specifier(p);
            any = true;
            any_value = any_value || !s.is_type;
            if (s.is_type) rt_ts_erase_range(p, s.start, s.end);
        }
        rt_ts_expect(p, T_RBRACE, "}");
        any_value = any_value || !any || p->options.verbatim_module_syntax;
    }
    rt_ts_expect(p, K_FROM, "from");
    module_specifier(p);
    if (!any_value) rt_ts_erase_whole(p, mark, mark->token.start);
}

static void exported_function(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    bool in_namespace = rt_ts_in_namespace(p);
    if (in_namespace) rt_ts_erase_range(p, mark->token.start, mark->token.end);
    rt_ts_accept(p, K_ASYNC);
    if (!rt_ts_is(p, K_FUNCTION)) rt_ts_expected(p, "function");
    struct rt_ts_token name = rt_ts_look_ahead(p);
    if (name.type == T_STAR) {
        struct rt_ts_cursor before = p->at;
        rt_ts_next(p);
        name = rt_ts_look_ahead(p);
        rt_ts_rewind(p, &before);
    }
    if (!rt_ts_function(p, true)) {
        rt_ts_semicolon(p);
        rt_ts_erase_whole(p, mark, mark->token.start);
    } else if (in_namespace) {
        rt_ts_namespace_export(p, &name);
    }
}

static void exported_class(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    bool in_namespace = rt_ts_in_namespace(p);
    if (in_namespace) rt_ts_erase_range(p, mark->token.start, mark->token.end);
    if (rt_ts_is(p, K_ABSTRACT)) {
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
    }
    struct rt_ts_token name = rt_ts_look_ahead(p);
    rt_ts_class(p, true);
    if (in_namespace) rt_ts_namespace_export(p, &name);
}

/* Does the statement end behind the name at the current token? */
static bool is_name_alone(struct rt_ts_parser *p) {
    struct rt_ts_token next = rt_ts_look_ahead(p);
    bool ends = next.type == T_SEMICOLON || next.type == T_EOF || (next.newline_before && rt_ts_is_word(next.type));
    return ends && rt_ts_is_identifier(p->at.token.type) && next.type != K_AS && next.type != K_SATISFIES;
}

/* export default a, export = a: STATEMENT goes if a is a type. */
static void exported_name(struct rt_ts_parser *p, const struct rt_ts_cursor *mark,
                          struct rt_ts_module_statement statement) {
    struct rt_ts_token name = p->at.token;
    add_use(p, &name, name.end, name.end);
    if (p->at.erased == 0 && !p->at.failed) {
        struct rt_ts_binding_use *binding = &p->bindings[p->binding_count - 1];
        binding->used = binding->is_export = true;
        binding->name = rt_ts_find_name(p, &name);
    }
    rt_ts_reference(p, &name, REFERENCE_VALUE);
    rt_ts_next(p);
    rt_ts_semicolon(p);
    end_statement(p, mark, &statement);
}

static void export_default(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    rt_ts_next(p);
    struct rt_ts_token next = rt_ts_look_ahead(p);
    if (rt_ts_is(p, K_INTERFACE) && rt_ts_is_identifier(next.type) && !next.newline_before) {
        rt_ts_typescript_declaration(p, mark);
    } else if (rt_ts_is(p, T_AT)) {
        rt_ts_decorated_class(p, CLASS_EXPORT_DEFAULT, mark);
    } else if (rt_ts_is(p, K_CLASS) || (rt_ts_is(p, K_ABSTRACT) && next.type == K_CLASS)) {
        exported_class(p, mark);
    } else if (rt_ts_is(p, K_FUNCTION) || (rt_ts_is(p, K_ASYNC) && next.type == K_FUNCTION && !next.newline_before)) {
        exported_function(p, mark);
    } else if (is_name_alone(p)) {
        exported_name(p, mark, begin_statement(p, mark));
    } else {
        rt_ts_assignment(p, 0);
        rt_ts_semicolon(p);
    }
}

static void export_type(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    unsigned char next = rt_ts_peek(p, NULL);
    if (next != '{' && next != '*') {
        if (!rt_ts_typescript_declaration(p, mark)) rt_ts_expected(p, "a declaration after export");
        return;
    }
    rt_ts_next(p);
    p->at.erased++;
    if (rt_ts_is(p, T_STAR) || is_reexport(p)) {
        reexports(p, mark);
    } else {
        local_exports(p, mark);
    }
    p->at.erased--;
    rt_ts_erase_whole(p, mark, mark->token.start);
}

/* export = a */
static void export_equals(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    if (p->at.erased == 0 && !p->options.commonjs) {
        rt_ts_fail(p, mark->token.start, "export = needs a CommonJS module; write export default instead");
        return;
    }
    struct rt_ts_module_statement statement = begin_statement(p, mark);
    statement.keep_end = p->at.token.end;
    statement.keep_text = p->at.text_nbytes;
    statement.keep_text_nbytes = 15;
    rt_ts_replace(p, mark->token.start, statement.keep_end, "module.exports=", 15);
    rt_ts_next(p);
    if (p->at.erased == 0 && is_name_alone(p)) {
        p->at.edit_count--;
        exported_name(p, mark, statement);
    } else {
        rt_ts_expression(p, 0);
        rt_ts_semicolon(p);
    }
}

static void umd_name(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    rt_ts_next(p);
    rt_ts_next(p);
    rt_ts_next(p);
    rt_ts_semicolon(p);
    rt_ts_erase_whole(p, mark, mark->token.start);
}

void rt_ts_export(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    rt_ts_next(p);
    struct rt_ts_token next = rt_ts_look_ahead(p);
    if (p->at.erased == 0 && rt_ts_in_namespace(p) && (rt_ts_is(p, T_LBRACE) || rt_ts_is(p, T_STAR))) {
        rt_ts_fail(p, mark.token.start, "a namespace can't export a list; write export before the declarations");
        return;
    }
    switch (p->at.token.type) {
        case T_STAR: reexports(p, &mark); return;
        case T_LBRACE:
            if (is_reexport(p)) {
                reexports(p, &mark);
            } else {
                local_exports(p, &mark);
            }
            return;
        case K_DEFAULT: export_default(p, &mark); return;
        case K_IMPORT: import_declaration(p, &mark); return;
        case T_ASSIGN: export_equals(p, &mark); return;
        case K_TYPE:
            p->at.value_count--;
            export_type(p, &mark);
            return;
        case K_AS:
            if (next.type != K_NAMESPACE) break;
            umd_name(p, &mark); /* export as namespace N; */
            return;
        case K_FUNCTION:
        case K_ASYNC: exported_function(p, &mark); return;
        case K_CLASS: exported_class(p, &mark); return;
        case K_ABSTRACT:
            if (next.type == K_CLASS) {
                exported_class(p, &mark);
                return;
            }
            break;
        case K_VAR:
        case K_LET:
        case K_CONST:
            if (next.type == K_ENUM) break;
            if (rt_ts_in_namespace(p)) {
                rt_ts_namespace_variables(p, &mark);
            } else {
                p->at.value_count--;
                rt_ts_statement(p);
            }
            return;
        case T_AT: rt_ts_decorated_class(p, CLASS_EXPORT, &mark); return;
        case K_DECLARE:
            if (rt_ts_in_namespace(p) && (next.type == K_VAR || next.type == K_LET || next.type == K_CONST)) {
                rt_ts_next(p); /* they leave nothing, but a reference to one is to the namespace's */
                rt_ts_namespace_variables(p, &mark);
                p->at.value_count--;
                return;
            }
            break;
        default: break;
    }
    p->at.value_count--;
    if (!rt_ts_typescript_declaration(p, &mark)) rt_ts_expected(p, "a declaration after export");
}
