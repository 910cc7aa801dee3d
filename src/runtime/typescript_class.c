/* typescript_class.c: owns classes: heritage, members, modifiers, overloads, parameter properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

/* The class around the member that is parsed. */
struct class {
    bool is_derived;
    uint32_t fields_edit; /* after its `{`: the fields of parameter properties */
    uint32_t fields_at;
};

/* A member while it is parsed. */
struct member {
    struct rt_ts_cursor mark;
    uint32_t start;
    bool erased; /* abstract, declare */
    bool is_static;
};

static bool starts_property_name(unsigned char byte) {
    return rt_ts_is_name_start(byte) || byte == '[' || byte == '"' || byte == '\'' || byte == '#' ||
           (byte >= '0' && byte <= '9');
}

/* Steps over modifiers and blanks those that JavaScript does not have. */
static void modifiers(struct rt_ts_parser *p, struct member *member) {
    for (;;) {
        uint8_t type = p->at.token.type;
        bool typescript = type == K_ABSTRACT || type == K_DECLARE || (type >= K_OVERRIDE && type <= K_READONLY);
        if (!typescript && type != K_STATIC && type != K_ASYNC && type != K_ACCESSOR) return;
        bool newline;
        unsigned char next = rt_ts_peek(p, &newline);
        if (!starts_property_name(next) && next != '*') return;
        if (newline && type != K_STATIC) return;
        if (type == K_ACCESSOR) {
            rt_ts_fail(p, p->at.token.start, "\"accessor\" fields are not supported");
            return;
        }
        if (typescript) rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        if (type == K_ABSTRACT || type == K_DECLARE) member->erased = true;
        if (type == K_STATIC) member->is_static = true;
        rt_ts_next(p);
    }
}

/* At `[`: [key: string]: T */
static bool is_index_signature(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    bool yes = rt_ts_is_identifier(p->at.token.type);
    rt_ts_next(p);
    yes = yes && (rt_ts_is(p, T_COLON) || rt_ts_is(p, T_COMMA));
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return yes;
}

static void index_signature(struct rt_ts_parser *p, struct member *member) {
    p->at.erased++;
    rt_ts_next(p);
    rt_ts_next(p);
    rt_ts_erase_annotation(p);
    rt_ts_expect(p, T_RBRACKET, "]");
    rt_ts_erase_annotation(p);
    rt_ts_semicolon(p);
    p->at.erased--;
    rt_ts_erase_whole(p, &member->mark, member->start);
}

/* After a field whose annotation was just blanked. `static: T` on a line of its own must not take the next member's
 * name for its own. */
static void guard_field(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    bool hungry = name->type == K_STATIC || name->type == K_GET || name->type == K_SET;
    if (!hungry || rt_ts_is(p, T_SEMICOLON) || rt_ts_is(p, T_ASSIGN) || rt_ts_is(p, T_RBRACE)) return;
    if (p->at.previous_end > name->end && p->at.erased == 0 && p->at.edit_count > 0) {
        rt_ts_replace(p, p->at.previous_end, p->at.previous_end, ";", 1);
    }
}

static void field(struct rt_ts_parser *p, struct member *member, const struct rt_ts_token *name) {
    rt_ts_erase_annotation(p);
    guard_field(p, name);
    if (rt_ts_accept(p, T_ASSIGN)) {
        uint32_t outer = rt_ts_push_scope(p, true);
        rt_ts_assignment(p, 0);
        rt_ts_pop_scope(p, outer);
    }
    rt_ts_semicolon(p);
    if (member->erased) rt_ts_erase_whole(p, &member->mark, member->start);
}

/* ---- parameter properties ---- */

enum { PROPERTY_TEXT_NBYTES = 24 }; /* `this.=;` and what may stand before, without the names */

/* The text that declares or assigns all PROPERTIES, to be freed; NULL without memory. */
static char *properties_text(struct rt_ts_parser *p, const struct rt_ts_parameter_properties *properties,
                             bool assigns) {
    size_t size = 2;
    for (uint32_t i = 0; i < properties->count; i++) {
        size += 2 * (properties->items[i].end - properties->items[i].start) + PROPERTY_TEXT_NBYTES;
    }
    char *text = malloc(size), *out = text;
    if (!text) {
        rt_ts_fail_memory(p);
        return NULL;
    }
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *name = p->source + properties->items[i].start;
        int n = (int)(properties->items[i].end - properties->items[i].start);
        out += assigns ? sprintf(out, "this.%.*s=%.*s;", n, name, n, name) : sprintf(out, "%.*s;", n, name);
    }
    return text;
}

/* A constructor's body. The assignments go after its super() statement; without one, after its directives. */
static void constructor_body(struct rt_ts_parser *p, const struct class *class,
                             const struct rt_ts_parameter_properties *properties) {
    char *text = properties_text(p, properties, true);
    rt_ts_expect(p, T_LBRACE, "{");
    if (!text) return;
    while (rt_ts_is(p, T_STRING))
        rt_ts_statement(p);
    uint32_t top = p->at.previous_end, edit = p->at.edit_count, calls = p->super_calls;
    rt_ts_replace(p, top, top, NULL, 0);
    bool done = false;
    while (!rt_ts_is(p, T_RBRACE) && !rt_ts_is(p, T_EOF)) {
        bool is_super = class->is_derived && !done && rt_ts_is(p, K_SUPER) && rt_ts_peek(p, NULL) == '(';
        rt_ts_statement(p);
        if (!is_super || p->at.failed) continue;
        done = true;
        uint32_t end = p->at.previous_end;
        rt_ts_replace_format(p, end, end, "%s%s", p->source[end - 1] == ';' ? "" : ";", text);
    }
    if (!done && class->is_derived && p->super_calls != calls) {
        rt_ts_fail(p, top, "a constructor with parameter properties must call super() as a statement of its own");
    }
    if (!done) rt_ts_fill_edit(p, edit, top, top, text, strlen(text));
    free(text);
    rt_ts_expect(p, T_RBRACE, "}");
}

static void constructor(struct rt_ts_parser *p, const struct class *class, struct member *member) {
    struct rt_ts_parameter_properties properties = {0};
    uint32_t outer = rt_ts_push_scope(p, true);
    rt_ts_parameters(p, &properties);
    rt_ts_erase_annotation(p);
    if (!rt_ts_is(p, T_LBRACE)) {
        rt_ts_semicolon(p);
        rt_ts_erase_whole(p, &member->mark, member->start);
    } else if (properties.count == 0 || p->at.erased > 0) {
        rt_ts_block(p);
    } else {
        constructor_body(p, class, &properties);
        char *fields = properties_text(p, &properties, false);
        if (fields) {
            rt_ts_fill_edit(p, class->fields_edit, class->fields_at, class->fields_at, fields, strlen(fields));
        }
        free(fields);
    }
    free(properties.items);
    rt_ts_pop_scope(p, outer);
}

static void method(struct rt_ts_parser *p, struct member *member) {
    if (rt_ts_function_rest(p, NULL)) {
        if (member->erased) rt_ts_erase_whole(p, &member->mark, member->start);
        return;
    }
    rt_ts_semicolon(p);
    rt_ts_erase_whole(p, &member->mark, member->start);
}

static bool is_constructor_name(const struct rt_ts_parser *p, const struct rt_ts_token *name) {
    if (name->type == K_CONSTRUCTOR) return true;
    return name->type == T_STRING && name->end - name->start == 13 &&
           memcmp(p->source + name->start + 1, "constructor", 11) == 0;
}

static void class_member(struct rt_ts_parser *p, const struct class *class) {
    if (rt_ts_accept(p, T_SEMICOLON)) return;
    struct member member = {.mark = p->at, .start = p->at.token.start};
    rt_ts_decorators(p);
    if (rt_ts_is(p, K_STATIC) && rt_ts_peek(p, NULL) == '{') {
        rt_ts_next(p);
        uint32_t outer = rt_ts_push_scope(p, true);
        rt_ts_block(p);
        rt_ts_pop_scope(p, outer);
        return;
    }
    modifiers(p, &member);
    bool blank_start = p->at.edit_count > member.mark.edit_count && p->at.erased == 0 &&
                       p->edits[member.mark.edit_count].start == member.start;
    if (blank_start && rt_ts_joins(p, &member.mark)) { /* x = y, then `readonly [z] = ...` on the next line */
        rt_ts_fill_edit(p, member.mark.edit_count, member.start, p->edits[member.mark.edit_count].end, ";", 1);
    }
    if (rt_ts_is(p, T_LBRACKET) && is_index_signature(p)) {
        index_signature(p, &member);
        return;
    }
    bool is_accessor = false;
    if ((rt_ts_is(p, K_GET) || rt_ts_is(p, K_SET)) && starts_property_name(rt_ts_peek(p, NULL))) {
        is_accessor = true;
        rt_ts_next(p);
    }
    bool is_generator = rt_ts_accept(p, T_STAR);
    struct rt_ts_token name = p->at.token;
    rt_ts_property_name(p);
    if (rt_ts_is(p, T_QUESTION) || (rt_ts_is(p, T_BANG) && !p->at.token.newline_before)) {
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
    }
    if (rt_ts_is(p, T_LPAREN) || rt_ts_is(p, T_LT)) {
        if (!member.is_static && !is_accessor && !is_generator && is_constructor_name(p, &name)) {
            constructor(p, class, &member);
        } else {
            method(p, &member);
        }
    } else {
        field(p, &member, &name);
    }
}

static void erase_implements(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, K_IMPLEMENTS)) return;
    uint32_t start = p->at.token.start;
    rt_ts_next(p);
    p->at.erased++;
    do {
        rt_ts_skip_type(p);
    } while (rt_ts_accept(p, T_COMMA));
    p->at.erased--;
    rt_ts_erase_range(p, start, p->at.previous_end);
}

static void extends(struct rt_ts_parser *p) {
    if (!rt_ts_accept(p, K_EXTENDS)) return;
    rt_ts_left_hand_side(p);
    if (!rt_ts_is(p, T_LT) && !rt_ts_is(p, T_LSHIFT)) return;
    uint32_t start = p->at.token.start;
    p->at.erased++;
    rt_ts_skip_type_arguments(p);
    p->at.erased--;
    rt_ts_erase_range(p, start, p->at.previous_end);
}

void rt_ts_class(struct rt_ts_parser *p, bool is_declaration) {
    rt_ts_next(p); /* class */
    uint32_t outer = p->at.scope;
    if (!is_declaration) outer = rt_ts_push_scope(p, false);
    if (rt_ts_is_identifier(p->at.token.type) && (!rt_ts_is(p, K_IMPLEMENTS) || rt_ts_look_ahead(p).type == T_LBRACE)) {
        if (is_declaration) {
            rt_ts_declare_mergeable(p, &p->at.token);
        } else {
            rt_ts_declare(p, &p->at.token, DECLARED_LEXICAL);
        }
        rt_ts_next(p);
    }
    if (rt_ts_is(p, T_LT)) rt_ts_erase_type_parameters(p);
    struct class class = {.is_derived = rt_ts_is(p, K_EXTENDS)};
    extends(p);
    erase_implements(p);
    class.fields_at = p->at.token.end;
    class.fields_edit = p->at.edit_count;
    rt_ts_replace(p, class.fields_at, class.fields_at, NULL, 0);
    rt_ts_expect(p, T_LBRACE, "{");
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed)
        class_member(p, &class);
    rt_ts_expect(p, T_RBRACE, "}");
    rt_ts_pop_scope(p, outer);
}
