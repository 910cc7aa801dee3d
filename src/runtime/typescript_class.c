/* typescript_class.c: owns classes: heritage, members, modifiers, overloads, constructors with parameter properties.
 * What fields become is typescript_field.c's, decorators are typescript_decorator.c's business; both leave text in
 * struct rt_ts_class that is put where the class starts and ends, and where its constructor's own statements begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

static bool starts_property_name(unsigned char byte) {
    return rt_ts_is_name_start(byte) || byte == '[' || byte == '"' || byte == '\'' || byte == '#' ||
           (byte >= '0' && byte <= '9');
}

/* Steps over modifiers and blanks those that JavaScript does not have. */
static void modifiers(struct rt_ts_parser *p, struct rt_ts_member *member) {
    for (;;) {
        uint8_t type = p->at.token.type;
        bool typescript =
            type == K_ABSTRACT || type == K_DECLARE || type == K_ACCESSOR || (type >= K_OVERRIDE && type <= K_READONLY);
        if (!typescript && type != K_STATIC && type != K_ASYNC) return;
        bool newline;
        unsigned char next = rt_ts_peek(p, &newline);
        if (!starts_property_name(next) && next != '*') return;
        if (newline && type != K_STATIC) return;
        /* What a decorated member keeps is written in front of its first decorator. */
        if (typescript || rt_ts_is_decorated(p, member)) rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        if (type == K_ABSTRACT || type == K_DECLARE) member->erased = true;
        if (type == K_STATIC) member->is_static = true;
        if (type == K_ASYNC) member->is_async = true;
        if (type == K_ACCESSOR) member->is_accessor = true;
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

static void index_signature(struct rt_ts_parser *p, struct rt_ts_member *member) {
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

/* ---- constructors ---- */

/* What PROPERTIES, those of a constructor's parameters with modifiers, are assigned and declared with. */
static void add_properties(struct rt_ts_parser *p, struct rt_ts_class *class,
                           const struct rt_ts_parameter_properties *properties) {
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *name = p->source + properties->items[i].start;
        int n = (int)(properties->items[i].end - properties->items[i].start);
        rt_ts_text_format(&class->properties, "this.%.*s=%.*s;", n, name, n, name);
        if (!p->options.assign_fields) rt_ts_text_format(&class->start, "%.*s;", n, name);
    }
}

/* A constructor's body. What it has to do first goes after its super() statement; without one, after its directives.
 */
static void constructor_body(struct rt_ts_parser *p, struct rt_ts_class *class) {
    rt_ts_expect(p, T_LBRACE, "{");
    while (rt_ts_is(p, T_STRING))
        rt_ts_statement(p);
    struct rt_ts_using list;
    rt_ts_begin_list(p, &list);
    uint32_t calls = p->super_calls;
    bool done = false;
    class->has_constructor = true;
    class->init_at = p->at.previous_end;
    class->init_edit = rt_ts_placeholder(p, class->init_at);
    while (!rt_ts_is(p, T_RBRACE) && !rt_ts_is(p, T_EOF)) {
        bool is_super = class->is_derived && !done && rt_ts_is(p, K_SUPER) && rt_ts_peek(p, NULL) == '(';
        rt_ts_list_statement(p);
        if (!is_super || p->at.failed) continue;
        done = true;
        class->init_at = p->at.previous_end;
        class->init_edit = rt_ts_placeholder(p, class->init_at);
        class->init_semicolon = p->source[class->init_at - 1] != ';';
    }
    class->calls_super_inside = !done && class->is_derived && p->super_calls != calls;
    rt_ts_end_list(p, &list);
    rt_ts_expect(p, T_RBRACE, "}");
}

static void constructor(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member) {
    struct rt_ts_parameter_properties properties = {0};
    uint32_t outer = rt_ts_push_scope(p, true);
    rt_ts_parameters(p, &properties);
    rt_ts_erase_annotation(p);
    if (!rt_ts_is(p, T_LBRACE)) {
        rt_ts_semicolon(p);
        rt_ts_erase_whole(p, &member->mark, member->start);
    } else if ((properties.count == 0 && !p->options.assign_fields) || p->at.erased > 0) {
        rt_ts_block(p);
        class->has_constructor = true;
    } else {
        add_properties(p, class, &properties);
        constructor_body(p, class);
    }
    rt_ts_pop_scope(p, outer);
    rt_ts_text_put(&class->parameter_decorators, properties.decorators.bytes, properties.decorators.nbytes);
    if (class->has_constructor && (class->decorated || properties.decorators.nbytes > 0))
        rt_ts_parameter_metadata(p, &properties, &class->parameter_decorators);
    free(properties.decorators.bytes);
    free(properties.items);
    free(properties.types);
}

/* At the class's end: fills in what its constructor has to do, or gives it one. */
static void finish_constructor(struct rt_ts_parser *p, struct rt_ts_class *class) {
    struct rt_ts_text *text = &class->properties;
    rt_ts_text_put(text, class->fields.bytes, class->fields.nbytes);
    if (text->nbytes == 0) return;
    int n = (int)text->nbytes;
    if (!class->has_constructor) {
        rt_ts_text_format(&class->start, "constructor(){%s%.*s}", class->is_derived ? "super(...arguments);" : "", n,
                          text->bytes);
    } else if (class->calls_super_inside) {
        rt_ts_fail(p, class->init_at, "a constructor with %s must call super() as a statement of its own",
                   class->fields.nbytes > 0 ? "fields to assign" : "parameter properties");
    } else {
        rt_ts_fill(p, class->init_edit, class->init_at, class->init_at, "%s%.*s", class->init_semicolon ? ";" : "", n,
                   text->bytes);
    }
}

/* ---- members ---- */

static void method(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member) {
    struct rt_ts_parameter_properties parameters = {.is_method = true};
    bool has_body = rt_ts_function_rest(p, &parameters);
    rt_ts_note_accessor(p, class, member, &parameters);
    if (has_body) {
        if (member->erased) {
            rt_ts_erase_whole(p, &member->mark, member->start);
        } else {
            rt_ts_end_decorated(p, class, member);
            rt_ts_end_legacy(p, class, member, false, &parameters);
        }
    } else {
        rt_ts_semicolon(p);
        rt_ts_erase_whole(p, &member->mark, member->start);
        if (member->decorated) rt_ts_end_legacy(p, class, member, false, &parameters);
    }
    free(parameters.decorators.bytes);
    free(parameters.types);
}

static bool is_constructor_name(const struct rt_ts_parser *p, const struct rt_ts_token *name) {
    if (name->type == K_CONSTRUCTOR) return true;
    return name->type == T_STRING && name->end - name->start == 13 &&
           memcmp(p->source + name->start + 1, "constructor", 11) == 0;
}

/* The name, with edits that wait for what it will be the name of. */
static void member_name(struct rt_ts_parser *p, struct rt_ts_member *member) {
    member->name = p->at.token;
    member->has_name_edits = rt_ts_is_decorated(p, member) || member->is_accessor || p->options.assign_fields ||
                             (member->decorated && rt_ts_is(p, T_LBRACKET));
    if (!member->has_name_edits) {
        rt_ts_property_name(p);
        member->name_end = p->at.previous_end;
        return;
    }
    member->before_name = rt_ts_placeholder(p, p->at.token.start);
    if (rt_ts_accept(p, T_LBRACKET)) {
        rt_ts_computed_name(p);
        member->after_name = rt_ts_placeholder(p, p->at.token.start);
        rt_ts_expect(p, T_RBRACKET, "]");
    } else {
        rt_ts_property_name(p);
        member->after_name = rt_ts_placeholder(p, p->at.previous_end);
    }
    member->name_end = p->at.previous_end;
}

static void get_or_set(struct rt_ts_parser *p, struct rt_ts_member *member) {
    if (!rt_ts_is(p, K_GET) && !rt_ts_is(p, K_SET)) return;
    if (!starts_property_name(rt_ts_peek(p, NULL))) return;
    member->half = p->at.token.type;
    if (rt_ts_is_decorated(p, member)) rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
    rt_ts_next(p);
}

static void star(struct rt_ts_parser *p, struct rt_ts_member *member) {
    if (!rt_ts_is(p, T_STAR)) return;
    member->is_generator = true;
    if (rt_ts_is_decorated(p, member)) rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
    rt_ts_next(p);
}

static void static_block(struct rt_ts_parser *p) {
    rt_ts_next(p);
    uint32_t outer = rt_ts_push_scope(p, true);
    rt_ts_block(p);
    rt_ts_pop_scope(p, outer);
}

/* From the name on. */
static void member_rest(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member) {
    bool is_async = member->is_async, is_plain = !member->is_static && !member->half && !member->is_generator;
    member_name(p, member);
    if (rt_ts_is(p, T_QUESTION) || (rt_ts_is(p, T_BANG) && !p->at.token.newline_before)) {
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
    }
    if (!rt_ts_is(p, T_LPAREN) && !rt_ts_is(p, T_LT)) {
        rt_ts_begin_decorated(p, class, member, true);
        rt_ts_field(p, class, member);
    } else if (is_plain && !is_async && is_constructor_name(p, &member->name)) {
        if (member->decorated) rt_ts_fail(p, member->first_at, "a constructor can't have decorators");
        constructor(p, class, member);
    } else {
        rt_ts_begin_decorated(p, class, member, false);
        method(p, class, member);
    }
}

static void class_member(struct rt_ts_parser *p, struct rt_ts_class *class) {
    if (rt_ts_accept(p, T_SEMICOLON)) return;
    struct rt_ts_member member = {.mark = p->at, .start = p->at.token.start};
    rt_ts_member_decorators(p, &member);
    if (rt_ts_is(p, K_STATIC) && rt_ts_peek(p, NULL) == '{') {
        if (member.decorated) rt_ts_fail(p, member.first_at, "a static block can't have decorators");
        static_block(p);
        return;
    }
    uint32_t first = p->at.edit_count;
    modifiers(p, &member);
    bool blank_start = p->at.edit_count > first && p->at.erased == 0 && p->edits[first].start == member.start;
    if (blank_start && rt_ts_joins(p, &member.mark)) { /* x = y, then `readonly [z] = ...` on the next line */
        rt_ts_fill_edit(p, first, member.start, p->edits[first].end, ";", 1);
    }
    if (rt_ts_is(p, T_LBRACKET) && is_index_signature(p)) {
        index_signature(p, &member);
        return;
    }
    get_or_set(p, &member);
    star(p, &member);
    member_rest(p, class, &member);
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

const char *rt_ts_class_self(struct rt_ts_parser *p, struct rt_ts_class *class) {
    static _Thread_local char self[256];
    if (class->decorated || class->name.type == T_EOF) {
        class->is_renamed = true;
        snprintf(self, sizeof self, "_class%u%s", class->number, rt_ts_suffix(p));
    } else {
        snprintf(self, sizeof self, "%.*s", (int)(class->name.end - class->name.start), p->source + class->name.start);
    }
    return self;
}

static void class_name(struct rt_ts_parser *p, struct rt_ts_class *class) {
    bool has_name =
        rt_ts_is_identifier(p->at.token.type) && (!rt_ts_is(p, K_IMPLEMENTS) || rt_ts_look_ahead(p).type == T_LBRACE);
    class->number = p->at.class_count++;
    class->name_edit = rt_ts_placeholder(p, has_name ? p->at.token.start : p->at.previous_end);
    class->name = (struct rt_ts_token){.start = p->at.previous_end, .end = p->at.previous_end};
    if (!has_name) return;
    class->name = p->at.token;
    if (class->is_declaration) {
        rt_ts_note_type(p, &p->at.token, NOTED_CLASS, NULL);
        rt_ts_declare_mergeable(p, &p->at.token);
    } else {
        rt_ts_declare(p, &p->at.token, DECLARED_LEXICAL);
    }
    rt_ts_next(p);
}

/* At the `}`: what had to wait for it. */
static void finish_class(struct rt_ts_parser *p, struct rt_ts_class *class) {
    if (p->at.erased > 0 || p->at.failed) return;
    finish_constructor(p, class);
    rt_ts_finish_decorators(p, class);
    if (class->is_renamed) {
        bool has_name = class->name.type != T_EOF;
        rt_ts_fill(p, class->name_edit, class->name.start, class->name.end, "%s_class%u%s", has_name ? "" : " ",
                   class->number, rt_ts_suffix(p));
    }
    if (class->start.nbytes > 0) {
        rt_ts_fill_edit(p, class->body_edit, class->body_at, class->body_at, class->start.bytes, class->start.nbytes);
    }
    uint32_t end = p->at.token.start;
    if (class->end.nbytes > 0) rt_ts_replace(p, end, end, class->end.bytes, class->end.nbytes);
    if (class->start.failed || class->end.failed || class->properties.failed || class->fields.failed ||
        class->access.failed || class->parameter_decorators.failed) {
        rt_ts_fail_memory(p);
    }
}

void rt_ts_class_rest(struct rt_ts_parser *p, struct rt_ts_class *class) {
    if (!class->is_declaration && p->name_hint_at == p->at.token.start) class->hint = p->name_hint;
    rt_ts_next(p); /* class */
    uint32_t outer = p->at.scope;
    if (!class->is_declaration) outer = rt_ts_push_scope(p, false);
    class_name(p, class);
    if (rt_ts_is(p, T_LT)) {
        if (p->options.decorator_metadata) rt_ts_push_scope(p, false); /* of its type parameters */
        rt_ts_erase_type_parameters(p);
    }
    class->is_derived = rt_ts_is(p, K_EXTENDS);
    extends(p);
    erase_implements(p);
    class->body_at = p->at.token.end;
    class->body_edit = rt_ts_placeholder(p, class->body_at);
    rt_ts_expect(p, T_LBRACE, "{");
    while (!rt_ts_is(p, T_RBRACE) && !p->at.failed)
        class_member(p, class);
    finish_class(p, class);
    rt_ts_expect(p, T_RBRACE, "}");
    rt_ts_pop_scope(p, outer);
}

void rt_ts_free_class(struct rt_ts_class *class) {
    free(class->start.bytes);
    free(class->end.bytes);
    free(class->properties.bytes);
    free(class->fields.bytes);
    free(class->access.bytes);
    free(class->parameter_decorators.bytes);
}

void rt_ts_class(struct rt_ts_parser *p, bool is_declaration) {
    struct rt_ts_class class = {.is_declaration = is_declaration};
    rt_ts_class_rest(p, &class);
    rt_ts_free_class(&class);
}
