/* typescript_metadata.c: owns emitDecoratorMetadata: what legacy decorators can ask of Reflect.getMetadata() about the
 * types of what they are on. A type is summarised as TypeScript does it for one file: String for a type of strings, a
 * class of the file for itself, _type(Name) for a name that may be a class elsewhere, else Object.
 *
 * Types have been skipped by then; their first tokens were kept, and are read again from there. What the file's own
 * types are is noted as they are met, for the second pass over the file, which every file with metadata gets. */
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

/* What becomes of a type. */
struct summary {
    enum { PLAIN, IS_NEVER, IS_UNKNOWN, IS_ANY, IS_NULLISH } rule; /* how unions and intersections take it */
    const char *text;                                              /* NULL: the name at `name` */
    struct rt_ts_token name;
    bool is_direct; /* the name of a class that is known to be there */
    uint32_t owner; /* 1 + the scope of a namespace that exports it, or 0 */
};

static const char OBJECT[] = "Object", VOID[] = "void 0", STRING[] = "String", NUMBER[] = "Number",
                  BOOLEAN[] = "Boolean", BIGINT[] = "BigInt", SYMBOL[] = "Symbol", ARRAY[] = "Array",
                  FUNCTION[] = "Function";

struct state {
    bool in_branch; /* of a conditional type: names that mean nothing here are Object */
    bool in_alias;  /* what the type is counts, not how it is written */
};

static struct summary summarize(struct rt_ts_parser *p, struct state state);

static struct summary plain(const char *text) {
    return (struct summary){.text = text};
}

/* ---- what the file's types are ---- */

static uint32_t noted_slot(const struct rt_ts_parser *p, uint32_t owner, uint8_t space, const char *name,
                           uint32_t nbytes) {
    uint32_t mask = p->noted_table.capacity - 1, hash = owner * 0x9E3779B1u ^ space;
    for (uint32_t i = 0; i < nbytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    uint32_t slot = (hash ^ hash >> 15) & mask;
    for (; p->noted_table.slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct rt_ts_noted *n = &p->noted[p->noted_table.slots[slot] - 1];
        if (n->owner == owner && n->space == space && n->name.end - n->name.start == nbytes &&
            memcmp(p->source + n->name.start, name, nbytes) == 0) {
            break;
        }
    }
    return slot;
}

static struct rt_ts_noted *find_noted(const struct rt_ts_parser *p, uint32_t owner, uint8_t space,
                                      const struct rt_ts_token *name) {
    if (p->noted_table.capacity == 0) return NULL;
    uint32_t slot = noted_slot(p, owner, space, p->source + name->start, name->end - name->start);
    uint32_t found = p->noted_table.slots[slot];
    return found != 0 ? &p->noted[found - 1] : NULL;
}

/* Several declarations of one name: a class stays one, an enum is of numbers only if all of it is. */
static void merge(struct rt_ts_noted *n, const struct rt_ts_noted *more) {
    if (n->kind == NOTED_CLASS) return;
    bool both_enums = n->kind >= NOTED_ENUM_NUMBERS && more->kind >= NOTED_ENUM_NUMBERS;
    if (both_enums && n->kind != more->kind) {
        n->kind = NOTED_ENUM_MIXED;
    } else {
        *n = *more;
    }
}

static void note(struct rt_ts_parser *p, const struct rt_ts_noted *noted) {
    if (p->noted_count * 2 >= p->noted_table.capacity) {
        if (!rt_ts_grow_table(p, &p->noted_table)) return;
        for (uint32_t i = 0; i < p->noted_count; i++) {
            const struct rt_ts_noted *n = &p->noted[i];
            uint32_t nbytes = n->name.end - n->name.start;
            p->noted_table.slots[noted_slot(p, n->owner, n->space, p->source + n->name.start, nbytes)] = i + 1;
        }
    }
    struct rt_ts_noted *known = find_noted(p, noted->owner, noted->space, &noted->name);
    if (known) {
        merge(known, noted);
        return;
    }
    if (!rt_ts_reserve(p, &p->noted, &p->noted_capacity, p->noted_count, sizeof *p->noted)) return;
    uint32_t nbytes = noted->name.end - noted->name.start;
    uint32_t slot = noted_slot(p, noted->owner, noted->space, p->source + noted->name.start, nbytes);
    p->noted[p->noted_count++] = *noted;
    p->noted_table.slots[slot] = p->noted_count;
}

void rt_ts_note_type(struct rt_ts_parser *p, const struct rt_ts_token *name, enum rt_ts_noted_kind kind,
                     const struct rt_ts_token *type) {
    if (!p->options.decorator_metadata || p->at.failed) return;
    const struct rt_ts_scope *scope = &p->scopes[p->at.scope];
    struct rt_ts_noted noted = {.owner = scope->start, .name = *name, .kind = (uint8_t)kind};
    if (type) noted.type = *type;
    note(p, &noted);
    noted.owner = scope->symbol;
    if (scope->symbol != 0) note(p, &noted);
}

/* The spaces of the names in `owner`, a class's body. */
enum { SPACE_TYPE, SPACE_GETTER, SPACE_SETTER, SPACE_STATIC_GETTER, SPACE_STATIC_SETTER };

static uint8_t accessor_space(const struct rt_ts_member *member, uint8_t half) {
    return (uint8_t)((half == K_GET ? SPACE_GETTER : SPACE_SETTER) + 2 * member->is_static);
}

void rt_ts_note_accessor(struct rt_ts_parser *p, const struct rt_ts_class *class, const struct rt_ts_member *member,
                         const struct rt_ts_parameter_properties *parameters) {
    if (!p->options.decorator_metadata || !member->half || p->at.erased > 0 || p->at.failed) return;
    struct rt_ts_noted noted = {
        .owner = class->body_at, .space = accessor_space(member, member->half), .name = member->name};
    noted.type = parameters->return_type;
    if (member->half == K_SET && parameters->type_count > 0) noted.type = parameters->types[0].first;
    note(p, &noted);
}

/* ---- names ---- */

/* The keyword types are names. */
static bool keyword_type(const struct rt_ts_parser *p, const struct rt_ts_token *name, struct summary *out) {
    static const struct {
        const char *word;
        struct summary summary;
    } words[] = {
        {"string", {.text = STRING}},
        {"number", {.text = NUMBER}},
        {"boolean", {.text = BOOLEAN}},
        {"bigint", {.text = BIGINT}},
        {"symbol", {.text = SYMBOL}},
        {"object", {.text = OBJECT}},
        {"any", {.rule = IS_ANY, .text = OBJECT}},
        {"unknown", {.rule = IS_UNKNOWN, .text = OBJECT}},
        {"never", {.rule = IS_NEVER, .text = VOID}},
        {"undefined", {.rule = IS_NULLISH, .text = VOID}},
    };
    size_t nbytes = name->end - name->start;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) != nbytes || memcmp(words[i].word, p->source + name->start, nbytes) != 0) continue;
        *out = words[i].summary;
        return true;
    }
    return false;
}

/* What an alias stands for. What it means is found out once. */
static const char *alias_text(struct rt_ts_parser *p, uint32_t index, uint32_t scope) {
    if (p->noted[index].result) return p->noted[index].result;
    p->noted[index].result = OBJECT; /* should it mean itself */
    struct rt_ts_cursor mark = p->at;
    p->at.token = p->noted[index].type;
    p->at.scope = scope;
    const char *text = summarize(p, (struct state){.in_alias = true}).text;
    if (!p->at.failed) p->at = mark;
    return p->noted[index].result = text ? text : OBJECT;
}

static struct summary noted_summary(struct rt_ts_parser *p, const struct rt_ts_noted *noted, uint32_t scope,
                                    const struct rt_ts_token *name) {
    switch ((enum rt_ts_noted_kind)noted->kind) {
        case NOTED_CLASS: return (struct summary){.name = *name, .is_direct = true};
        case NOTED_ALIAS: return plain(alias_text(p, (uint32_t)(noted - p->noted), scope));
        case NOTED_ENUM_NUMBERS: return plain(NUMBER);
        case NOTED_ENUM_STRINGS: return plain(STRING);
        case NOTED_OBJECT:
        case NOTED_ENUM_MIXED: break;
    }
    return plain(OBJECT);
}

/* N.a of a namespace or enum of this file: NULL if it is not known. */
static const struct rt_ts_noted *find_exported(struct rt_ts_parser *p, const struct rt_ts_token *name,
                                               const struct rt_ts_token *second) {
    uint32_t number = rt_ts_find_name(p, name);
    uint32_t symbol = number == RT_TS_NOT_FOUND ? 0 : rt_ts_find_container(p, number);
    return symbol != 0 ? find_noted(p, symbol, SPACE_TYPE, second) : NULL;
}

static struct summary resolve_name(struct rt_ts_parser *p, const struct rt_ts_token *name,
                                   const struct rt_ts_token *second) {
    struct summary unknown = {.name = *name};
    for (uint32_t scope = p->at.scope;; scope = p->scopes[scope].parent) {
        const struct rt_ts_scope *s = &p->scopes[scope];
        const struct rt_ts_noted *noted = find_noted(p, s->start, SPACE_TYPE, name);
        if (noted && !second) return noted_summary(p, noted, scope, name);
        if (noted && noted->kind >= NOTED_ENUM_NUMBERS) return noted_summary(p, noted, scope, name);
        noted = s->symbol && !second ? find_noted(p, s->symbol, SPACE_TYPE, name) : NULL;
        if (noted) {
            struct summary found = noted_summary(p, noted, scope, name);
            found.owner = found.text ? 0 : scope + 1;
            return found;
        }
        if (scope == 0) break;
    }
    const struct rt_ts_noted *noted = second ? find_exported(p, name, second) : NULL;
    return noted ? noted_summary(p, noted, 0, name) : unknown;
}

static struct summary entity(struct rt_ts_parser *p, struct state state) {
    struct rt_ts_token name = p->at.token, second = {0}, third = {0};
    struct summary found;
    struct rt_ts_cursor mark = p->at;
    rt_ts_next(p);
    if (rt_ts_accept(p, T_DOT)) {
        second = p->at.token;
        rt_ts_next(p);
        third = p->at.token;
    }
    bool is_plain = second.type == T_EOF && !rt_ts_is(p, T_LT);
    p->at = mark;
    rt_ts_skip_operand(p);
    if (is_plain && keyword_type(p, &name, &found)) return found;
    found = third.type == T_DOT ? (struct summary){.name = name}
                                : resolve_name(p, &name, second.type != T_EOF ? &second : NULL);
    bool is_unresolved = !found.text && !found.is_direct;
    if (state.in_alias && !found.text) return plain(OBJECT);
    return state.in_branch && is_unresolved ? plain(OBJECT) : found;
}

/* ---- types ---- */

static const char *number_text(const struct rt_ts_parser *p, const struct rt_ts_token *token) {
    return p->source[token->end - 1] == 'n' ? BIGINT : NUMBER;
}

static struct summary operand(struct rt_ts_parser *p, struct state state) {
    struct rt_ts_token first = p->at.token;
    struct summary found = plain(OBJECT);
    switch (first.type) {
        case T_LPAREN:
            rt_ts_next(p);
            found = summarize(p, state);
            rt_ts_expect(p, T_RPAREN, ")");
            return found;
        case T_LBRACKET: found.text = ARRAY; break;
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD:
        case T_STRING: found.text = STRING; break;
        case T_NUMBER: found.text = number_text(p, &first); break;
        case T_MINUS: {
            struct rt_ts_token number = rt_ts_look_ahead(p);
            found.text = number_text(p, &number);
            break;
        }
        case K_VOID: found.text = VOID; break;
        case K_NULL: found = (struct summary){.rule = IS_NULLISH, .text = VOID}; break;
        case K_TRUE:
        case K_FALSE: found.text = BOOLEAN; break;
        case K_THIS:
            if (rt_ts_look_ahead(p).type == K_IS) found.text = BOOLEAN;
            break;
        default:
            if (rt_ts_is_identifier(first.type)) return entity(p, state);
            break;
    }
    rt_ts_skip_operand(p);
    return found;
}

static struct summary unary(struct rt_ts_parser *p, struct state state) {
    bool is_object = false;
    for (; rt_ts_is(p, K_KEYOF) || rt_ts_is(p, K_UNIQUE) || rt_ts_is(p, K_READONLY); rt_ts_next(p)) {
        if (rt_ts_is(p, K_UNIQUE) && state.in_alias) continue;
        is_object |= !rt_ts_is(p, K_READONLY);
    }
    struct summary found;
    if (rt_ts_is_function_type(p)) {
        bool is_constructor = rt_ts_is(p, K_NEW) || rt_ts_is(p, K_ABSTRACT);
        rt_ts_skip_function_type(p);
        found = plain(is_constructor && state.in_alias ? OBJECT : FUNCTION);
    } else {
        found = operand(p, state);
    }
    while (rt_ts_is(p, T_LBRACKET) && !p->at.token.newline_before) {
        rt_ts_next(p);
        found = plain(rt_ts_is(p, T_RBRACKET) && !state.in_alias ? ARRAY : OBJECT); /* an alias needs the library's */
        if (!rt_ts_is(p, T_RBRACKET)) rt_ts_skip_type(p);
        rt_ts_expect(p, T_RBRACKET, "]");
    }
    return is_object ? plain(OBJECT) : found;
}

/* Unions and intersections: what all that counts of them is. */
struct joined {
    struct summary all;
    bool any, done; /* done: it is what it is, whatever else there is */
};

static bool same(const struct rt_ts_parser *p, const struct summary *a, const struct summary *b) {
    if (a->text || b->text) return a->text == b->text;
    uint32_t nbytes = a->name.end - a->name.start;
    return nbytes == b->name.end - b->name.start && a->is_direct == b->is_direct &&
           memcmp(p->source + a->name.start, p->source + b->name.start, nbytes) == 0;
}

static void finish_join(struct joined *joined, const char *text) {
    joined->all = plain(text);
    joined->any = joined->done = true;
}

static bool is_primitive(const struct summary *s) {
    return s->text == STRING || s->text == NUMBER || s->text == BOOLEAN || s->text == BIGINT || s->text == SYMBOL;
}

static void join(const struct rt_ts_parser *p, struct joined *joined, const struct summary *s, bool is_intersection,
                 struct state state) {
    if (joined->done) return;
    if (s->rule == IS_NEVER) {
        if (is_intersection) finish_join(joined, VOID);
        return;
    }
    if (s->rule == IS_UNKNOWN && is_intersection) return;
    if (s->rule == IS_NULLISH && !p->options.strict_null_checks) return;
    if (is_intersection && state.in_alias && is_primitive(s)) { /* string & { brand: 1 } */
        finish_join(joined, s->text);
    } else if (s->text == OBJECT) {
        if (is_intersection && state.in_alias && joined->any && is_primitive(&joined->all)) return;
        if (is_intersection && state.in_alias) {
            joined->all = plain(OBJECT);
            joined->any = true;
        } else {
            finish_join(joined, OBJECT);
        }
    } else if (!joined->any) {
        joined->all = *s;
        joined->all.rule = PLAIN;
        joined->any = true;
    } else if (!same(p, &joined->all, s)) {
        finish_join(joined, OBJECT);
    }
}

static struct summary joined_summary(const struct joined *joined) {
    return joined->any ? joined->all : plain(VOID);
}

/* A list of what READ reads, with OPERATOR in between. */
static struct summary list(struct rt_ts_parser *p, struct state state, enum rt_ts_token_type operator,
                           struct summary (*read)(struct rt_ts_parser *, struct state)) {
    rt_ts_accept(p, operator);
    struct summary first = read(p, state);
    if (!rt_ts_is(p, operator)) return first;
    struct joined joined = {0};
    join(p, &joined, &first, operator== T_AMPERSAND, state);
    while (rt_ts_accept(p, operator)) {
        struct summary next = read(p, state);
        join(p, &joined, &next, operator== T_AMPERSAND, state);
    }
    return joined_summary(&joined);
}

static struct summary intersection(struct rt_ts_parser *p, struct state state) {
    return list(p, state, T_AMPERSAND, unary);
}

static struct summary summarize(struct rt_ts_parser *p, struct state state) {
    if (p->at.depth + 2 >= RT_TS_MAX_DEPTH) {
        rt_ts_skip_type(p);
        return plain(OBJECT);
    }
    p->at.depth++;
    struct summary found = list(p, state, T_PIPE, intersection);
    if (rt_ts_is(p, K_EXTENDS) && !p->at.token.newline_before) {
        struct joined joined = {0};
        state.in_branch = true;
        rt_ts_next(p);
        rt_ts_skip_extends(p);
        rt_ts_expect(p, T_QUESTION, "?");
        struct summary branch = summarize(p, state);
        join(p, &joined, &branch, false, state);
        rt_ts_expect(p, T_COLON, ":");
        branch = summarize(p, state);
        join(p, &joined, &branch, false, state);
        found = joined_summary(&joined);
    }
    p->at.depth--;
    return found;
}

/* `asserts x is T`, `x is T`, or a type. */
static struct summary summarize_return(struct rt_ts_parser *p) {
    if (rt_ts_is_identifier(p->at.token.type) || rt_ts_is(p, K_THIS)) {
        struct rt_ts_token next = rt_ts_look_ahead(p);
        bool names = !next.newline_before && (rt_ts_is_identifier(next.type) || next.type == K_THIS);
        if (names && next.type == K_IS && !rt_ts_is(p, K_ASSERTS)) return plain(BOOLEAN);
        if (names && rt_ts_is(p, K_ASSERTS)) return plain(VOID);
    }
    return summarize(p, (struct state){0});
}

/* ---- text ---- */

/* a.b.c, which stands at the current token, as it is written without blanks. */
static void dotted_name(struct rt_ts_parser *p, struct rt_ts_text *text) {
    rt_ts_text_put(text, p->source + p->at.token.start, p->at.token.end - p->at.token.start);
    rt_ts_next(p);
    while (rt_ts_accept(p, T_DOT)) {
        rt_ts_text_put(text, ".", 1);
        rt_ts_text_put(text, p->source + p->at.token.start, p->at.token.end - p->at.token.start);
        rt_ts_next(p);
    }
}

/* typeof a!="undefined"&&a.b!==void 0&&a.b.c */
static void guarded_name(struct rt_ts_parser *p, const struct rt_ts_text *name, struct rt_ts_text *text) {
    const char *end = name->bytes + name->nbytes, *dot = memchr(name->bytes, '.', name->nbytes);
    int head = (int)((dot ? dot : end) - name->bytes);
    rt_ts_text_format(text, "_type%s(typeof %.*s!=\"undefined\"", rt_ts_suffix(p), head, name->bytes);
    for (; dot; dot = memchr(dot + 1, '.', (size_t)(end - dot - 1))) {
        const char *next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
        if (next) rt_ts_text_format(text, "&&%.*s!==void 0", (int)(next - name->bytes), name->bytes);
    }
    rt_ts_text_format(text, "&&%.*s)", (int)name->nbytes, name->bytes);
}

static void name_text(struct rt_ts_parser *p, const struct summary *found, struct rt_ts_text *text) {
    struct rt_ts_cursor mark = p->at;
    struct rt_ts_text name = {0};
    p->at.token = found->name;
    dotted_name(p, &name);
    if (!p->at.failed) p->at = mark;
    if (found->is_direct && found->owner != 0) {
        const struct rt_ts_scope *scope = &p->scopes[found->owner - 1];
        rt_ts_text_format(text, "%.*s%s.", (int)(scope->name_end - scope->name_start), p->source + scope->name_start,
                          scope->renamed ? "_1" : "");
    }
    if (name.failed || p->at.failed) {
        if (name.failed) rt_ts_fail_memory(p);
    } else if (found->is_direct) {
        rt_ts_text_put(text, name.bytes, name.nbytes);
    } else {
        guarded_name(p, &name, text);
    }
    free(name.bytes);
    uint32_t nbytes = found->name.end - found->name.start;
    if (found->owner == 0) rt_ts_reference_text(p, p->source + found->name.start, nbytes);
}

static void put_summary(struct rt_ts_parser *p, const struct summary *found, struct rt_ts_text *text) {
    if (found->text)
        rt_ts_text_format(text, "%s", found->text);
    else
        name_text(p, found, text);
}

/* What the type that starts with FIRST is; Object if there is none. */
static void type_text(struct rt_ts_parser *p, const struct rt_ts_token *first, bool is_return,
                      struct rt_ts_text *text) {
    struct summary found = plain(OBJECT);
    if (first->type != T_EOF) {
        struct rt_ts_cursor mark = p->at;
        p->at.token = *first;
        p->at.erased++;
        found = is_return ? summarize_return(p) : summarize(p, (struct state){0});
        if (!p->at.failed) p->at = mark;
    }
    put_summary(p, &found, text);
}

/* The type of each element of a rest parameter: T of T[] or of Name<T>. FIRST is its first token, and the current one.
 */
static struct summary rest_summary(struct rt_ts_parser *p, const struct rt_ts_token *first) {
    bool is_array = !rt_ts_is_function_type(p) && !rt_ts_is(p, K_READONLY) && !rt_ts_is(p, K_KEYOF);
    if (is_array) {
        rt_ts_skip_operand(p);
        is_array = rt_ts_is(p, T_LBRACKET) && rt_ts_look_ahead(p).type == T_RBRACKET;
        p->at.token = *first;
    }
    if (is_array) return operand(p, (struct state){0});
    if (!rt_ts_is_identifier(first->type)) return plain(OBJECT);
    do
        rt_ts_next(p);
    while (rt_ts_is(p, T_DOT) || rt_ts_is_word(p->at.token.type));
    if (!rt_ts_accept(p, T_LT)) return plain(OBJECT);
    struct summary found = summarize(p, (struct state){0});
    return rt_ts_is(p, T_GT) ? found : plain(OBJECT); /* not one of several */
}

static void rest_text(struct rt_ts_parser *p, const struct rt_ts_token *first, struct rt_ts_text *text) {
    struct summary found = plain(OBJECT);
    if (first->type != T_EOF) {
        struct rt_ts_cursor mark = p->at;
        p->at.token = *first;
        p->at.erased++;
        found = rest_summary(p, first);
        if (!p->at.failed) p->at = mark;
    }
    put_summary(p, &found, text);
}

void rt_ts_parameter_metadata(struct rt_ts_parser *p, const struct rt_ts_parameter_properties *parameters,
                              struct rt_ts_text *text) {
    if (!p->options.decorator_metadata || p->at.erased > 0 || p->at.failed) return;
    p->at.needs |= NEEDS_METADATA;
    p->again = true; /* types declared further down are known the second time */
    rt_ts_text_format(text, ",_metadata%s(\"design:paramtypes\",[", rt_ts_suffix(p));
    for (uint32_t i = 0; i < parameters->type_count; i++) {
        if (i > 0) rt_ts_text_put(text, ",", 1);
        if (parameters->types[i].is_rest)
            rest_text(p, &parameters->types[i].first, text);
        else
            type_text(p, &parameters->types[i].first, false, text);
    }
    rt_ts_text_put(text, "])", 2);
}

static void accessor_metadata(struct rt_ts_parser *p, const struct rt_ts_class *class,
                              const struct rt_ts_member *member, struct rt_ts_text *text) {
    const struct rt_ts_noted *setter = find_noted(p, class->body_at, accessor_space(member, K_SET), &member->name);
    const struct rt_ts_noted *getter = find_noted(p, class->body_at, accessor_space(member, K_GET), &member->name);
    struct rt_ts_parameter_type parameter = {0};
    if (setter) parameter.first = setter->type;
    struct rt_ts_token type = parameter.first;
    if (type.type == T_EOF && getter) type = getter->type;
    bool has_setter = setter != NULL;
    type_text(p, &type, false, text);
    rt_ts_text_put(text, ")", 1);
    rt_ts_parameter_metadata(p, &(struct rt_ts_parameter_properties){.types = &parameter, .type_count = has_setter},
                             text);
}

void rt_ts_member_metadata(struct rt_ts_parser *p, const struct rt_ts_class *class, const struct rt_ts_member *member,
                           const struct rt_ts_parameter_properties *parameters, struct rt_ts_text *text) {
    if (!p->options.decorator_metadata || p->at.failed) return;
    p->at.needs |= NEEDS_METADATA;
    p->again = true;
    rt_ts_text_format(text, ",_metadata%s(\"design:type\",", rt_ts_suffix(p));
    if (!parameters) {
        type_text(p, &member->type, false, text);
        rt_ts_text_put(text, ")", 1);
    } else if (member->half) {
        accessor_metadata(p, class, member, text);
    } else {
        rt_ts_text_format(text, "Function)");
        rt_ts_parameter_metadata(p, parameters, text);
        rt_ts_text_format(text, ",_metadata%s(\"design:returntype\",", rt_ts_suffix(p));
        if (parameters->return_type.type != T_EOF)
            type_text(p, &parameters->return_type, true, text);
        else
            rt_ts_text_format(text, member->is_async && !member->is_generator ? "Promise" : "void 0");
        rt_ts_text_put(text, ")", 1);
    }
}

struct rt_ts_token rt_ts_annotated_type(struct rt_ts_parser *p) {
    if (!p->options.decorator_metadata || !rt_ts_is(p, T_COLON)) return (struct rt_ts_token){0};
    return rt_ts_look_ahead(p);
}

void rt_ts_note_parameter(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties, bool is_rest) {
    if (!p->options.decorator_metadata || p->at.failed) return;
    if (!rt_ts_reserve(p, &properties->types, &properties->type_capacity, properties->type_count,
                       sizeof *properties->types)) {
        return;
    }
    properties->types[properties->type_count++] = (struct rt_ts_parameter_type){rt_ts_annotated_type(p), is_rest};
}
