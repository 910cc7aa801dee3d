/* typescript_using.c: owns `using` and `await using`, which V8 does not know. On their lines,
 *   { using a = f(); g(); }
 * becomes
 *   {const _use=_used();try{ const a = f();_use.add(a,0); g(); }catch(e){_use.fail(e)}finally{_use.end()}}
 * That a list of statements has such a declaration is known when one is met: the first pass takes a note, the second
 * writes. A `for (using a = f();;)` and a `switch` with one in a clause are wrapped as a whole, labels included; the
 * body of a `for (using a of b)` is what is wrapped there.
 *
 * At the module's top nothing can be wrapped as a whole: imports and exports would be inside. From the first `using`
 * on, each run of statements between imports, exported lists, functions, enums and namespaces is in a `try` of its own,
 * whose `catch` disposes of everything and throws on; const, let and class become `var`, as TypeScript has it, and what
 * is exported goes behind the file's end. Decorated and abstract classes there stay outside: what their static
 * initialisers throw disposes of nothing. */
#include <stdlib.h>

#include "runtime/typescript_internal.h"

static const char USED[] =
    "function _used%1$s(){const s=[];let e,h=false;"
    "const fail=x=>{e=h?new SuppressedError(x,e,\"An error was suppressed during disposal.\"):x;h=true},"
    "done=()=>{if(h)throw e},"
    "late=async()=>{let due=false,waited=false;"
    "for(let r;r=s.pop();)try{if(!r.a&&due&&!waited){due=false;await void 0}"
    "if(r.d){const p=r.d.call(r.v);if(r.a){waited=true;await p}}else due=true}catch(x){fail(x)}"
    "if(due&&!waited)await void 0;done()};"
    "return{fail,add(v,a){if(v===null||v===void 0){if(a)s.push({a});return v}"
    "if(typeof v!=\"object\"&&typeof v!=\"function\")throw new TypeError(\"Object expected.\");"
    "let d=a?v[Symbol.asyncDispose]:void 0;"
    "if(d===void 0||d===null){const f=d=v[Symbol.dispose];"
    "if(a&&typeof f==\"function\")d=function(){try{f.call(this)}catch(x){return Promise.reject(x)}}}"
    "if(typeof d!=\"function\")throw new TypeError(\"Object not disposable.\");"
    "s.push({v,d,a});return v},"
    "end(){if(s.some(r=>r.a))return late();for(let r;r=s.pop();)try{r.d.call(r.v)}catch(x){fail(x)}done()}}}";

void rt_ts_using_end_output(struct rt_ts_parser *p) {
    if (!(p->at.needs & NEEDS_USING)) return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    rt_ts_append(p, USED, rt_ts_suffix(p));
#pragma GCC diagnostic pop
}

/* ---- what is wrapped around ---- */

static void open_at(struct rt_ts_parser *p, uint32_t at, const char *before) {
    const char *suffix = rt_ts_suffix(p);
    p->at.needs |= NEEDS_USING;
    rt_ts_replace_format(p, at, at, "%sconst _use%s=_used%s();try{", before, suffix, suffix);
}

static void close_at(struct rt_ts_parser *p, uint32_t at, bool is_await, const char *after) {
    const char *suffix = rt_ts_suffix(p);
    rt_ts_replace_format(p, at, at,
                         is_await ? "}catch(e){_use%s.fail(e)}finally{let r=_use%s.end();if(r)await r}%s"
                                  : "}catch(e){_use%s.fail(e)}finally{_use%s.end()}%s",
                         suffix, suffix, after);
}

static void push(struct rt_ts_parser *p, struct rt_ts_using *list, uint32_t at) {
    *list = (struct rt_ts_using){.outer = p->using, .at = at};
    p->using = list;
}

void rt_ts_begin_list(struct rt_ts_parser *p, struct rt_ts_using *list) {
    push(p, list, p->at.token.start);
    if (!p->has_using || !rt_ts_memo_has(p, list->at, MEANING_USING)) return;
    while (rt_ts_is(p, T_STRING)) /* "use strict" */
        rt_ts_statement(p);
    list->is_wrapped = true;
    open_at(p, p->at.previous_end, "");
}

void rt_ts_end_list(struct rt_ts_parser *p, struct rt_ts_using *list) {
    p->using = list->outer;
    if (list->is_wrapped) close_at(p, p->at.previous_end, list->is_await, "");
}

void rt_ts_begin_part(struct rt_ts_parser *p, struct rt_ts_using *part) {
    bool labelled = p->labels_end == p->at.token.start && p->labels_end > 0;
    push(p, part, labelled ? p->labels_start : p->at.token.start);
    part->is_part = true;
}

void rt_ts_end_part(struct rt_ts_parser *p, struct rt_ts_using *part) {
    p->using = part->outer;
    if (part->outer) part->outer->is_await |= part->is_await && part->outer->is_wrapped;
}

void rt_ts_wrapped_statement(struct rt_ts_parser *p, void (*parse)(struct rt_ts_parser *p)) {
    struct rt_ts_using list;
    push(p, &list, p->at.token.start);
    list.is_wrapped = true;
    open_at(p, p->at.token.start, "{");
    parse(p);
    p->using = list.outer;
    close_at(p, p->at.previous_end, list.is_await, "}");
}

/* ---- declarations ---- */

/* Both words are names everywhere else. */
static bool starts_using(struct rt_ts_parser *p, bool in_for) {
    if (rt_ts_is(p, K_AWAIT) ? rt_ts_look_ahead(p).type != K_USING : !rt_ts_is(p, K_USING)) return false;
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    bool is_await = rt_ts_accept(p, K_AWAIT);
    bool yes = !is_await || !p->at.token.newline_before;
    rt_ts_next(p);
    struct rt_ts_token name = p->at.token;
    rt_ts_next(p);
    bool has_value = rt_ts_is(p, T_ASSIGN) || rt_ts_is(p, T_COLON);
    yes = yes && rt_ts_is_identifier(name.type) && !name.newline_before;
    if (name.type == K_OF && in_for && !is_await) yes = yes && has_value;
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

/* `using` or `await using` becomes TEXT. */
static void keyword(struct rt_ts_parser *p, const char *text, size_t nbytes) {
    uint32_t start = p->at.token.start;
    if (rt_ts_accept(p, K_AWAIT)) p->using->is_await = true;
    rt_ts_replace(p, start, p->at.token.end, text, nbytes);
    rt_ts_next(p);
}

static struct rt_ts_token declared_name(struct rt_ts_parser *p) {
    struct rt_ts_token name = p->at.token;
    if (!rt_ts_is_identifier(name.type)) rt_ts_expected(p, "a name (what is used can't be a pattern)");
    rt_ts_binding(p, DECLARED_LEXICAL);
    rt_ts_erase_annotation(p);
    return name;
}

static void initializer(struct rt_ts_parser *p, const struct rt_ts_token *name, unsigned flags) {
    rt_ts_expect(p, T_ASSIGN, "= (a \"using\" declaration needs a value)");
    p->name_hint = *name;
    p->name_hint_at = p->at.token.start;
    rt_ts_assignment(p, flags);
}

/* From the first value on. COMMA: what each further one is declared with; NULL: in a for's head, where it can't be. */
static void declarators(struct rt_ts_parser *p, struct rt_ts_token name, bool is_await, const char *comma) {
    const char *suffix = rt_ts_suffix(p);
    for (;;) {
        initializer(p, &name, comma ? 0 : EXPR_NO_IN);
        uint32_t end = p->at.previous_end;
        rt_ts_replace_format(p, end, end, comma ? ";_use%s.add(%.*s,%d)" : ",[]=[_use%s.add(%.*s,%d)]", suffix,
                             (int)(name.end - name.start), p->source + name.start, is_await);
        if (!rt_ts_is(p, T_COMMA)) return;
        if (comma) rt_ts_replace_format(p, p->at.token.start, p->at.token.end, ";%s ", comma);
        rt_ts_next(p);
        name = declared_name(p);
    }
}

/* Asks for a second pass that wraps what the declaration here is in. */
static void take_note(struct rt_ts_parser *p) {
    struct rt_ts_using *list = p->using;
    p->again = true;
    if (list->is_module) {
        list->is_guarded = true;
        return;
    }
    enum rt_ts_meaning meaning = list->is_part ? MEANING_USING_PART : MEANING_USING;
    rt_ts_memo_set(p, list->at, meaning);
    p->has_using = true;
}

static bool using_declaration(struct rt_ts_parser *p) {
    if (!starts_using(p, false)) return false;
    bool is_await = rt_ts_is(p, K_AWAIT);
    const char *text = p->using->is_module ? "var" : "const";
    take_note(p);
    p->at.value_count++;
    keyword(p, text, p->using->is_module ? 3 : 5);
    declarators(p, declared_name(p), is_await, text);
    rt_ts_semicolon(p);
    return true;
}

void rt_ts_no_using(struct rt_ts_parser *p) {
    if ((rt_ts_is(p, K_USING) || rt_ts_is(p, K_AWAIT)) && starts_using(p, false))
        rt_ts_fail(p, p->at.token.start, "a \"using\" declaration must be in a block: put { } around it");
}

bool rt_ts_for_using(struct rt_ts_parser *p, struct rt_ts_for_using *each) {
    if ((!rt_ts_is(p, K_USING) && !rt_ts_is(p, K_AWAIT)) || !starts_using(p, true)) return false;
    each->is_await = rt_ts_is(p, K_AWAIT);
    bool outer = p->using->is_await;
    keyword(p, "const", 5);
    struct rt_ts_token name = declared_name(p);
    if (rt_ts_is(p, K_IN)) {
        rt_ts_fail(p, p->at.token.start, "a \"using\" declaration can't be in a for-in: its values are strings");
    } else if (rt_ts_is(p, K_OF)) {
        p->using->is_await = outer;
        each->name = name;
    } else {
        take_note(p);
        declarators(p, name, each->is_await, NULL);
    }
    return true;
}

void rt_ts_begin_for_body(struct rt_ts_parser *p, const struct rt_ts_for_using *each) {
    if (each->name.type == T_EOF) return;
    uint32_t at = p->at.token.start;
    open_at(p, at, "{");
    rt_ts_replace_format(p, at, at, "_use%s.add(%.*s,%d);", rt_ts_suffix(p), (int)(each->name.end - each->name.start),
                         p->source + each->name.start, each->is_await);
}

void rt_ts_end_for_body(struct rt_ts_parser *p, const struct rt_ts_for_using *each) {
    if (each->name.type != T_EOF) close_at(p, p->at.previous_end, each->is_await, "}");
}

/* ---- the module's top ---- */

enum place { PLACE_OUTSIDE, PLACE_INSIDE, PLACE_VARIABLES, PLACE_CLASS, PLACE_DEFAULT };

static enum place place_of_default(struct rt_ts_parser *p) {
    rt_ts_next(p);
    rt_ts_next(p);
    switch (p->at.token.type) {
        case T_AT:
        case K_ABSTRACT:
        case K_ASYNC:
        case K_CLASS:
        case K_FUNCTION:
        case K_INTERFACE: return PLACE_OUTSIDE;
        default: break;
    }
    if (!rt_ts_is_identifier(p->at.token.type)) return PLACE_DEFAULT;
    struct rt_ts_token next = rt_ts_look_ahead(p);
    return next.type == T_SEMICOLON || next.type == T_EOF || next.newline_before ? PLACE_OUTSIDE : PLACE_DEFAULT;
}

/* Of the declaration at the current token, after an `export` if there is one. */
static enum place place_of_declaration(struct rt_ts_parser *p, bool is_export) {
    switch (p->at.token.type) {
        case K_CONST: return rt_ts_look_ahead(p).type == K_ENUM ? PLACE_OUTSIDE : PLACE_VARIABLES;
        case K_VAR: return is_export ? PLACE_VARIABLES : PLACE_INSIDE;
        case K_LET: return is_export || rt_ts_is_let_declaration(p) ? PLACE_VARIABLES : PLACE_INSIDE;
        case K_CLASS: return PLACE_CLASS;
        case K_ABSTRACT:
        case K_DECLARE:
        case K_INTERFACE:
        case K_MODULE:
        case K_NAMESPACE:
        case K_TYPE: {
            struct rt_ts_token next = rt_ts_look_ahead(p);
            return (rt_ts_is_word(next.type) || next.type == T_STRING) && !next.newline_before ? PLACE_OUTSIDE
                                                                                               : PLACE_INSIDE;
        }
        case K_ASYNC: return rt_ts_look_ahead(p).type == K_FUNCTION ? PLACE_OUTSIDE : PLACE_INSIDE;
        case K_ENUM:
        case K_FUNCTION:
        case T_AT: return PLACE_OUTSIDE;
        case K_IMPORT: {
            unsigned char next = rt_ts_peek(p, NULL);
            return next == '(' || next == '.' ? PLACE_INSIDE : PLACE_OUTSIDE;
        }
        default: return is_export ? PLACE_OUTSIDE : PLACE_INSIDE;
    }
}

static enum place place_of(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, K_EXPORT)) return place_of_declaration(p, false);
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    enum place place;
    if (rt_ts_look_ahead(p).type == K_DEFAULT) {
        place = place_of_default(p);
    } else {
        rt_ts_next(p);
        place = place_of_declaration(p, true);
    }
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return place;
}

static void close_run(struct rt_ts_parser *p, struct rt_ts_using *list) {
    const char *suffix = rt_ts_suffix(p);
    uint32_t end = p->at.previous_end;
    if (!list->is_open) return;
    list->is_open = false;
    rt_ts_replace_format(p, end, end,
                         list->is_await ? "}catch(e){_use%s.fail(e);await _use%s.end()}"
                                        : "}catch(e){_use%s.fail(e);_use%s.end()}",
                         suffix, suffix);
}

static void open_run(struct rt_ts_parser *p, struct rt_ts_using *list) {
    uint32_t start = p->at.token.start;
    if (list->is_open) return;
    if (list->is_begun)
        rt_ts_replace(p, start, start, "try{", 4);
    else
        open_at(p, start, "");
    list->is_open = list->is_begun = true;
}

/* [export] const a = b, as a `var`. */
static void guarded_variables(struct rt_ts_parser *p) {
    struct rt_ts_text names = {0};
    uint32_t start = p->at.token.start;
    if (rt_ts_accept(p, K_EXPORT)) p->exported_names = &names;
    rt_ts_replace(p, start, p->at.token.end, "var", 3);
    rt_ts_variables(p, DECLARED_LEXICAL);
    p->exported_names = NULL;
    if (names.nbytes > 0) rt_ts_append(p, "export{%.*s};", (int)names.nbytes - 1, names.bytes + 1);
    if (names.failed) rt_ts_fail_memory(p);
    free(names.bytes);
}

static void guarded_class(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    bool is_export = rt_ts_accept(p, K_EXPORT);
    struct rt_ts_token name = rt_ts_look_ahead(p);
    int n = (int)(name.end - name.start);
    const char *text = p->source + name.start;
    rt_ts_replace_format(p, start, p->at.token.start, "var %.*s=", n, text);
    rt_ts_class(p, true);
    rt_ts_replace(p, p->at.previous_end, p->at.previous_end, ";", 1);
    if (is_export) rt_ts_append(p, "export{%.*s};", n, text);
}

static void guarded_default(struct rt_ts_parser *p) {
    uint32_t start = p->at.token.start;
    const char *suffix = rt_ts_suffix(p);
    rt_ts_next(p);
    rt_ts_replace_format(p, start, p->at.token.end, "var _default%s=", suffix);
    rt_ts_next(p);
    rt_ts_assignment(p, 0);
    rt_ts_semicolon(p);
    rt_ts_append(p, "export{_default%s as default};", suffix);
}

/* A statement of a module that has a `using`, known from the first pass. */
static void guarded_statement(struct rt_ts_parser *p, struct rt_ts_using *list) {
    bool is_using = starts_using(p, false);
    if (!list->is_begun && !is_using) {
        rt_ts_statement(p);
        return;
    }
    enum place place = is_using ? PLACE_INSIDE : place_of(p);
    if (place == PLACE_OUTSIDE) {
        close_run(p, list);
    } else {
        open_run(p, list);
        p->at.value_count++;
    }
    if (place == PLACE_VARIABLES)
        guarded_variables(p);
    else if (place == PLACE_CLASS)
        guarded_class(p);
    else if (place == PLACE_DEFAULT)
        guarded_default(p);
    else if (!is_using || !using_declaration(p))
        rt_ts_statement(p);
}

void rt_ts_list_statement(struct rt_ts_parser *p) {
    if (p->using->is_guarded && p->guards_module)
        guarded_statement(p, p->using);
    else if ((!rt_ts_is(p, K_USING) && !rt_ts_is(p, K_AWAIT)) || !using_declaration(p))
        rt_ts_statement(p);
}

void rt_ts_begin_module(struct rt_ts_parser *p, struct rt_ts_using *list) {
    push(p, list, p->at.token.start);
    list->is_module = true;
    list->is_guarded = p->guards_module;
}

void rt_ts_end_module(struct rt_ts_parser *p, struct rt_ts_using *list) {
    p->using = NULL;
    p->guards_module = list->is_guarded;
    if (!list->is_begun) return;
    close_run(p, list);
    rt_ts_replace_format(p, p->at.previous_end, p->at.previous_end, ";%s_use%s.end();", list->is_await ? "await " : "",
                         rt_ts_suffix(p));
}
