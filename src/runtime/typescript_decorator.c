/* typescript_decorator.c: owns decorators, which V8 does not know. Standard ones become computed names, which are
 * evaluated when and where decorators are:
 *   class C { @a @b(1) m() {} }    class C {static #_s=_apply(this); [_key(1,64,[ a , b(1) ],"m")](){} m() {} }
 *   class C { @a f = 1 }           class C {static #_s=_apply(this); [_key(1,3,[ a ],"f") ] = ... }
 * _key() notes the decorators and gives back the key; _apply(), the first static initialiser, calls them. A method with
 * a name that anyone can see keeps it and its place: another one, of a made-up name, stands before it for that time. So
 * does one in place of a private member. The class's own decorators come before it:
 *   @c class C {}                  let C;_key(1,5,[c ]);(class _class0 {static #_s=_apply(this,"C",v=>C=v) ...});
 *
 * Legacy ones (experimentalDecorators) are evaluated when the class is there: each list waits in a function, made by a
 * static initialiser where the decorators stand, that the last static initialiser calls. The helpers are functions
 * behind the file's end, hoisted from there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

enum kind { KIND_METHOD, KIND_GETTER, KIND_SETTER, KIND_FIELD, KIND_ACCESSOR, KIND_MASK = 7 };
enum { FLAG_STATIC = 8, FLAG_PRIVATE = 16, FLAG_HIDDEN = 32, FLAG_AHEAD = 64 };

void rt_ts_no_decorators(struct rt_ts_parser *p) {
    if (rt_ts_is(p, T_AT))
        rt_ts_fail(p, p->at.token.start, "decorators can't be here, only on classes and their members");
}

/* ---- Lists ---- */

/* At the first `@`, which is left to the caller: the others become commas. */
static void decorator_list(struct rt_ts_parser *p) {
    for (bool first = true; rt_ts_is(p, T_AT) && !p->at.failed; first = false) {
        if (!first) rt_ts_replace(p, p->at.token.start, p->at.token.end, ",", 1);
        rt_ts_next(p);
        rt_ts_decorator_expression(p);
    }
}

void rt_ts_member_decorators(struct rt_ts_parser *p, struct rt_ts_member *member) {
    member->first_at = p->at.token.start;
    if (!rt_ts_is(p, T_AT)) {
        if (p->options.legacy_decorators) member->first_edit = rt_ts_placeholder(p, member->first_at);
        return;
    }
    member->decorated = true;
    member->first_edit = rt_ts_placeholder(p, member->first_at);
    decorator_list(p);
    member->end_at = p->at.previous_end;
    member->end_edit = rt_ts_placeholder(p, member->end_at);
    if (!p->options.legacy_decorators) return;
    member->mark = p->at;
    member->start = p->at.token.start;
}

bool rt_ts_is_decorated(const struct rt_ts_parser *p, const struct rt_ts_member *member) {
    return member->decorated && !p->options.legacy_decorators;
}

/* ---- Standard decorators of members ---- */

static enum kind kind_of(const struct rt_ts_member *member, bool is_field) {
    if (member->is_accessor) return KIND_ACCESSOR;
    if (is_field) return KIND_FIELD;
    return member->half == K_GET ? KIND_GETTER : member->half == K_SET ? KIND_SETTER : KIND_METHOD;
}

/* How a private member is reached, for the decorators. */
static void add_access(struct rt_ts_parser *p, struct rt_ts_class *class, const struct rt_ts_member *member) {
    int n = (int)(member->name.end - member->name.start);
    const char *name = p->source + member->name.start;
    rt_ts_text_format(&class->access, "%s%u:{has:o=>%.*s in o,get:o=>o.%.*s,set(o,v){o.%.*s=v}}",
                      class->access.nbytes > 0 ? "," : "", member->index, n, name, n, name, n, name);
}

/* The part of a decorated `accessor` between its name and its value. */
static void accessor_pair(struct rt_ts_parser *p, struct rt_ts_class *class, const struct rt_ts_member *member,
                          struct rt_ts_text *text) {
    const char *own = member->is_static ? "static " : "", *suffix = rt_ts_suffix(p);
    char owner[256] = "this";
    if (member->is_static) snprintf(owner, sizeof owner, "%s", rt_ts_class_self(p, class));
    rt_ts_text_format(text, "(){return %s.#_a%u%s}%sset[_key%s.k](v){%s.#_a%u%s=v}", owner, member->key, suffix, own,
                      suffix, owner, member->key, suffix);
    if (member->name.type == T_PRIVATE) {
        const char *self = rt_ts_class_self(p, class), *name = p->source + member->name.start;
        int n = (int)(member->name.end - member->name.start);
        rt_ts_text_format(text, "%sget %.*s(){return %s.#_s%s.v(%u).get.call(this)}", own, n, name, self, suffix,
                          member->index);
        rt_ts_text_format(text, "%sset %.*s(v){%s.#_s%s.v(%u).set.call(this,v)}", own, n, name, self, suffix,
                          member->index);
    }
    rt_ts_text_format(text, "%s#_a%u%s", own, member->key, suffix);
    if (p->options.assign_fields && !member->is_static)
        rt_ts_text_format(text, ";#_f%u%s(){this.#_a%u%s", member->key, suffix, member->key, suffix);
}

/* What stands between the name and the value of a field; HIDDEN: its name is not the one it is decorated under. */
static void after_field_name(struct rt_ts_parser *p, struct rt_ts_class *class, const struct rt_ts_member *member,
                             struct rt_ts_text *text) {
    bool is_private = member->name.type == T_PRIVATE;
    const char *own = member->is_static ? "static " : "", *name = p->source + member->name.start;
    int n = (int)(member->name.end - member->name.start);
    if (member->is_accessor) {
        accessor_pair(p, class, member, text);
    } else if (p->options.assign_fields && !member->is_static) {
        rt_ts_text_format(text, "(){}");
        if (is_private) {
            rt_ts_text_format(text, "%.*s;#_f%u%s(){this.%.*s", n, name, member->key, rt_ts_suffix(p), n, name);
        } else {
            rt_ts_text_format(text, "#_f%u%s(){this[%s.#_s%s.n(%u)]", member->key, rt_ts_suffix(p),
                              rt_ts_class_self(p, class), rt_ts_suffix(p), member->index);
        }
    } else if (is_private) {
        rt_ts_text_format(text, "(){}%s%.*s", own, n, name);
    }
}

/* What follows the decorators of a member: its name as the last argument of _key(). */
static void end_list(struct rt_ts_parser *p, const struct rt_ts_member *member, const char *rest) {
    bool quoted = member->name.type != T_STRING && member->name.type != T_NUMBER;
    const char *quote = quoted ? "\"" : "";
    rt_ts_fill(p, member->end_edit, member->end_at, member->end_at, "],%s%.*s%s)%s", quote,
               (int)(member->name.end - member->name.start), p->source + member->name.start, quote, rest);
}

/* A bracket that closes where the name ends, so that what follows keeps its place. */
static void decorated_name(struct rt_ts_parser *p, const struct rt_ts_member *member, const struct rt_ts_text *after) {
    int n = (int)(member->name.end - member->name.start), m = (int)after->nbytes;
    if (member->name.type == T_LBRACKET) {
        rt_ts_fill(p, member->before_name, member->name.start, member->name.end, "],");
        rt_ts_fill(p, member->after_name, member->name_end - 1, member->name_end, ")]%.*s", m, after->bytes);
    } else {
        end_list(p, member, "");
        rt_ts_fill(p, member->before_name, member->name.start, member->name.end, "%*s%.*s", n, "]", m, after->bytes);
    }
}

/* `static`, `async`, `get`, `set` and `*`, which have been blanked, come back. */
static void restore_modifiers(struct rt_ts_parser *p, const struct rt_ts_member *member) {
    for (uint32_t i = member->end_edit + 1; i < member->before_name; i++) {
        struct rt_ts_edit *edit = &p->edits[i];
        const char *word = p->source + edit->start;
        uint32_t n = edit->end - edit->start;
        bool stays = (n == 1 && *word == '*') || (n == 3 && memcmp(word + 1, "et", 2) == 0) ||
                     (n == 5 && memcmp(word, "async", 5) == 0) || (n == 6 && memcmp(word, "static", 6) == 0);
        if (stays) edit->end = edit->start;
    }
}

/* `[_key(1,64,[ a ],"m")](){}` before the method, which stays as it is. */
static void method_ahead(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                         const char *guard, int flags) {
    rt_ts_fill(p, member->first_edit, member->first_at, member->first_at + 1, "%s%s[_key%s(%d,%d,[", guard,
               member->is_static ? "static " : "", rt_ts_suffix(p), class->member_count == 0 && !class->decorated,
               flags | FLAG_AHEAD);
    end_list(p, member, "](){}");
    restore_modifiers(p, member);
}

/* `[_key(1,0,[ a ],"m")` and its closing bracket in place of the name. */
static void name_by_key(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                        const char *guard, int flags, bool is_field) {
    enum kind kind = (enum kind)(flags & KIND_MASK);
    const char *half = kind == KIND_ACCESSOR || kind == KIND_GETTER ? "get " : kind == KIND_SETTER ? "set " : "";
    rt_ts_fill(p, member->first_edit, member->first_at, member->first_at + 1, "%s%s%s%s%s[_key%s(%d,%d,[", guard,
               member->is_static ? "static " : "", member->is_async ? "async " : "", half,
               member->is_generator ? "*" : "", rt_ts_suffix(p), class->member_count == 0 && !class->decorated, flags);
    struct rt_ts_text after = {0};
    if (is_field) after_field_name(p, class, member, &after);
    rt_ts_text_put(&after, "", 1);
    after.nbytes--;
    if (!after.failed) decorated_name(p, member, &after);
    free(after.bytes);
}

void rt_ts_begin_decorated(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                           bool is_field) {
    if (!rt_ts_is_decorated(p, member) || member->erased || p->at.erased > 0 || p->at.failed) return;
    enum kind kind = kind_of(member, is_field);
    bool is_private = member->name.type == T_PRIVATE;
    bool hidden = kind == KIND_FIELD && p->options.assign_fields && !member->is_static;
    member->index = class->member_count + class->decorated;
    member->key = p->at.private_count++;
    p->at.needs |= NEEDS_DECORATORS;
    int flags =
        kind | (member->is_static ? FLAG_STATIC : 0) | (is_private ? FLAG_PRIVATE : 0) | (hidden ? FLAG_HIDDEN : 0);
    char before = member->mark.previous_end > 0 ? p->source[member->mark.previous_end - 1] : ';';
    const char *guard = before == ';' || before == '{' || before == '}' ? "" : ";";
    if (is_field || is_private || member->name.type == T_LBRACKET)
        name_by_key(p, class, member, guard, flags, is_field);
    else
        method_ahead(p, class, member, guard, flags);
    if (is_private) add_access(p, class, member);
    if (!is_field && !member->is_static) class->runs_initializers = true;
    class->member_count++;
}

void rt_ts_end_decorated(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member) {
    if (!rt_ts_is_decorated(p, member) || member->name.type != T_PRIVATE || p->at.erased > 0) return;
    const char *own = member->is_static ? "static " : "", *self = rt_ts_class_self(p, class), *suffix = rt_ts_suffix(p);
    const char *name = p->source + member->name.start;
    int n = (int)(member->name.end - member->name.start);
    uint32_t end = p->at.previous_end, k = member->index;
    if (member->half == K_SET)
        rt_ts_replace_format(p, end, end, "%sset %.*s(v){%s.#_s%s.v(%u).set.call(this,v)}", own, n, name, self, suffix,
                             k);
    else if (member->half == K_GET)
        rt_ts_replace_format(p, end, end, "%sget %.*s(){return %s.#_s%s.v(%u).get.call(this)}", own, n, name, self,
                             suffix, k);
    else
        rt_ts_replace_format(p, end, end, "%sget %.*s(){return %s.#_s%s.v(%u).value}", own, n, name, self, suffix, k);
}

/* ---- Legacy decorators of members and parameters ---- */

/* Returns the number of the variable that keeps a computed name. */
static uint32_t keep_key(struct rt_ts_parser *p, struct rt_ts_member *member) {
    const char *suffix = rt_ts_suffix(p);
    if (!member->has_name_edits || member->erased) {
        rt_ts_fail(p, member->name.start, "a decorated field that is only declared can't have a computed name");
    } else if (p->edits[member->before_name].text_nbytes == 0) { /* else what the field becomes keeps it */
        member->key = p->at.private_count++;
        rt_ts_append(p, "var _key%s_%u;", suffix, member->key);
        rt_ts_fill(p, member->before_name, member->name.start, member->name.end, "[_key%s_%u=", suffix, member->key);
    }
    return member->key;
}

void rt_ts_end_legacy(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member, bool is_field,
                      const struct rt_ts_parameter_properties *parameters) {
    bool has_parameters = parameters && parameters->decorators.nbytes > 0;
    if (!p->options.legacy_decorators || (!member->decorated && !has_parameters) || p->at.erased > 0) return;
    p->at.needs |= NEEDS_LEGACY_DECORATORS;
    class->member_count++;
    const char *suffix = rt_ts_suffix(p), *name = p->source + member->name.start;
    int n = (int)(member->name.end - member->name.start);
    struct rt_ts_text rest = {0};
    if (has_parameters) rt_ts_text_put(&rest, parameters->decorators.bytes, parameters->decorators.nbytes);
    rt_ts_member_metadata(p, class, member, parameters, &rest);
    rt_ts_text_format(&rest, "],%d,", member->is_static);
    if (member->name.type == T_LBRACKET) {
        rt_ts_text_format(&rest, "()=>_key%s_%u", suffix, keep_key(p, member));
    } else if (member->name.type == T_PRIVATE) {
        rt_ts_fail(p, member->first_at, "legacy decorators can't be on private members");
    } else {
        bool quoted = member->name.type != T_STRING && member->name.type != T_NUMBER;
        rt_ts_text_format(&rest, quoted ? "()=>\"%.*s\"" : "()=>%.*s", n, name);
    }
    rt_ts_text_format(&rest, is_field && !member->is_accessor ? ")}" : ",null)}");
    if (rest.failed) {
        rt_ts_fail_memory(p);
    } else if (member->decorated) {
        rt_ts_fill(p, member->first_edit, member->first_at, member->first_at + 1, "static{_member%s(this,()=>[",
                   suffix);
        rt_ts_fill_edit(p, member->end_edit, member->end_at, member->end_at, rest.bytes, rest.nbytes);
    } else {
        rt_ts_fill(p, member->first_edit, member->first_at, member->first_at, "static{_member%s(this,()=>[%.*s", suffix,
                   (int)rest.nbytes - 1, rest.bytes + 1);
    }
    free(rest.bytes);
}

/* Lines become blanks: the text goes where it is on one. */
static void join_lines(struct rt_ts_text *text) {
    char quote = 0, *to = text->bytes;
    for (const char *s = text->bytes, *end = s + text->nbytes; s < end; s++) {
        if (quote && *s == '\\' && s + 1 < end) {
            *to++ = *s++;
        } else if (quote) {
            if (*s == quote) quote = 0;
        } else if (*s == '"' || *s == '\'' || *s == '`') {
            quote = *s;
        } else if (*s == '/' && s + 1 < end && s[1] == '/') {
            while (s < end && *s != '\n')
                s++;
            if (s == end) break;
        }
        *to++ = (*s == '\n' || *s == '\r') && quote != '`' ? ' ' : *s;
    }
    text->nbytes = (size_t)(to - text->bytes);
}

static void parameter_decorator(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties) {
    struct rt_ts_cursor mark = p->at;
    struct rt_ts_text text = {0};
    rt_ts_next(p);
    rt_ts_decorator_expression(p);
    uint32_t end = p->at.previous_end;
    if (p->at.failed || p->at.erased > 0) return;
    rt_ts_render(p, mark.token.end, end, mark.edit_count, &text);
    if (text.bytes) join_lines(&text);
    if (text.bytes && memchr(text.bytes, '\n', text.nbytes)) /* in a template */
        rt_ts_fail(p, mark.token.start, "a parameter's decorator can't have a template of several lines in it");
    rt_ts_text_format(&properties->decorators, ",_param%s(%u,%.*s)", rt_ts_suffix(p), properties->index,
                      (int)text.nbytes, text.bytes ? text.bytes : "");
    if (text.failed || properties->decorators.failed) rt_ts_fail_memory(p);
    free(text.bytes);
    p->at.edit_count = mark.edit_count;
    p->at.text_nbytes = mark.text_nbytes;
    for (uint32_t i = mark.reference_count; i < p->at.reference_count; i++)
        p->references[i].kind = REFERENCE_COMPUTED; /* a use, but not where it stands */
    rt_ts_erase_range(p, mark.token.start, end);
    p->at.needs |= NEEDS_LEGACY_DECORATORS;
}

void rt_ts_parameter_decorators(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties) {
    if (!rt_ts_is(p, T_AT)) return;
    if (!p->options.legacy_decorators) {
        rt_ts_fail(p, p->at.token.start,
                   "decorators of parameters are legacy ones: set \"experimentalDecorators\" in tsconfig.json");
    } else if (!properties) {
        rt_ts_fail(p, p->at.token.start, "only parameters of methods and constructors can have decorators");
    }
    while (rt_ts_is(p, T_AT) && !p->at.failed)
        parameter_decorator(p, properties);
}

/* ---- Classes ---- */

/* What a class without a name of its own is called. */
static void name_text(struct rt_ts_parser *p, const struct rt_ts_class *class, char *to, size_t size) {
    const struct rt_ts_token *name = &class->name;
    bool hinted = name->type == T_EOF;
    if (hinted) name = &class->hint;
    int n = (int)(name->end - name->start);
    const char *text = p->source + name->start;
    if (hinted && name->type == T_STRING)
        snprintf(to, size, "%.*s", n, text);
    else if (name->type == T_EOF || name->type == T_LBRACKET)
        snprintf(to, size, "%s", class->is_declaration ? "\"default\"" : "\"\"");
    else
        snprintf(to, size, "\"%.*s\"", n, text);
}

void rt_ts_finish_decorators(struct rt_ts_parser *p, struct rt_ts_class *class) {
    if (class->member_count == 0 && !class->decorated && class->parameter_decorators.nbytes == 0) return;
    const char *suffix = rt_ts_suffix(p);
    if (p->options.legacy_decorators) {
        if (class->member_count > 0) rt_ts_text_format(&class->end, ";static{_member%s(this)}", suffix);
        if (class->parameter_decorators.nbytes > 0 && !class->decorated)
            rt_ts_text_format(&class->end, "static{_decorate%s([%.*s],this)}", suffix,
                              (int)class->parameter_decorators.nbytes - 1, class->parameter_decorators.bytes + 1);
        return;
    }
    if (class->member_count == 0 && !class->decorated) return;
    const char *self = rt_ts_class_self(p, class);
    char name[300] = "0", set[300] = "0";
    if (class->is_renamed) name_text(p, class, name, sizeof name);
    if (class->decorated && class->name.type != T_EOF)
        snprintf(set, sizeof set, "v=>%.*s=v", (int)(class->name.end - class->name.start),
                 p->source + class->name.start);
    if (class->decorated && class->name.type == T_EOF && class->is_declaration)
        snprintf(set, sizeof set, "v=>_default%s=v", suffix);
    struct rt_ts_text start = {0};
    rt_ts_text_format(&start, "static #_s%s=_apply%s(this,%s,%s,{%.*s});", suffix, suffix, name, set,
                      (int)class->access.nbytes, class->access.bytes ? class->access.bytes : "");
    if (class->runs_initializers) rt_ts_text_format(&start, "#_m%s=%s.#_s%s.m(this);", suffix, self, suffix);
    rt_ts_text_put(&start, class->start.bytes, class->start.nbytes);
    free(class->start.bytes);
    class->start = start;
    if (class->decorated) rt_ts_text_format(&class->end, ";static{%s.#_s%s.c()}", self, suffix);
}

/* The name that a decorated class is declared under. */
static void declared_name(struct rt_ts_parser *p, const struct rt_ts_class *class, char *to, size_t size) {
    if (class->name.type == T_EOF)
        snprintf(to, size, "_default%s", rt_ts_suffix(p));
    else
        snprintf(to, size, "%.*s", (int)(class->name.end - class->name.start), p->source + class->name.start);
}

/* Edits of a class's decorators: for the first `@`, for what follows the last, after the class. */
struct frame {
    uint32_t first_edit, first_at, end_edit, end_at;
};

static void fill_standard(struct rt_ts_parser *p, const struct rt_ts_class *class, const struct frame *frame) {
    const char *suffix = rt_ts_suffix(p);
    uint32_t end = p->at.previous_end;
    char name[256];
    declared_name(p, class, name, sizeof name);
    if (class->is_declaration) {
        rt_ts_fill(p, frame->first_edit, frame->first_at, frame->first_at + 1, "let %s;_key%s(1,5,[", name, suffix);
        rt_ts_fill(p, frame->end_edit, frame->end_at, frame->end_at, "]);(");
        rt_ts_replace(p, end, end, ");", 2);
        return;
    }
    bool named = class->name.type != T_EOF;
    rt_ts_fill(p, frame->first_edit, frame->first_at, frame->first_at + 1, "%s%s%s(_key%s(1,5,[", named ? "((" : "",
               named ? name : "", named ? ")=>" : "", suffix);
    rt_ts_fill(p, frame->end_edit, frame->end_at, frame->end_at, "]),_class%s(", suffix);
    rt_ts_replace_format(p, end, end, "%s", named ? ")))()" : "))");
}

static void fill_legacy(struct rt_ts_parser *p, struct rt_ts_class *class, const struct frame *frame) {
    const char *suffix = rt_ts_suffix(p);
    uint32_t end = p->at.previous_end;
    char name[256];
    declared_name(p, class, name, sizeof name);
    p->at.needs |= NEEDS_LEGACY_DECORATORS;
    rt_ts_fill(p, frame->first_edit, frame->first_at, frame->first_at + 1, "let %s;const _class%u%s=()=>[", name,
               class->number, suffix);
    rt_ts_fill(p, frame->end_edit, frame->end_at, frame->end_at,
               "];({\"%s\":", class->name.type == T_EOF ? "default" : name);
    if (class->name.type != T_EOF) rt_ts_fill(p, class->name_edit, class->name.start, class->name.end, " ");
    rt_ts_replace_format(p, end, end, "});%s=_decorate%s([..._class%u%s()%.*s],%s);", name, suffix, class->number,
                         suffix, (int)class->parameter_decorators.nbytes,
                         class->parameter_decorators.bytes ? class->parameter_decorators.bytes : "", name);
}

/* Steps over what may stand between a class's decorators and `class`. */
static void words_before_class(struct rt_ts_parser *p, enum rt_ts_class_place *place) {
    while (rt_ts_is(p, K_EXPORT) || rt_ts_is(p, K_DEFAULT) || rt_ts_is(p, K_ABSTRACT)) {
        if (rt_ts_is(p, K_EXPORT)) *place = CLASS_EXPORT;
        if (rt_ts_is(p, K_DEFAULT)) *place = CLASS_EXPORT_DEFAULT;
        rt_ts_erase_range(p, p->at.token.start, p->at.token.end);
        rt_ts_next(p);
    }
    if (!rt_ts_is(p, K_CLASS)) rt_ts_expected(p, "a class after its decorators");
}

static void export_class(struct rt_ts_parser *p, const struct rt_ts_class *class, enum rt_ts_class_place place) {
    char name[256];
    declared_name(p, class, name, sizeof name);
    if (place == CLASS_EXPORT && rt_ts_in_namespace(p))
        rt_ts_namespace_export(p, &class->name);
    else if (place == CLASS_EXPORT)
        rt_ts_append(p, "export{%s};", name);
    else if (place == CLASS_EXPORT_DEFAULT)
        rt_ts_append(p, "export{%s as default};", name);
}

void rt_ts_decorated_class(struct rt_ts_parser *p, enum rt_ts_class_place place, const struct rt_ts_cursor *mark) {
    struct rt_ts_class class = {.decorated = true, .is_declaration = place != CLASS_EXPRESSION};
    struct frame frame = {.first_at = p->at.token.start};
    if (p->name_hint_at == frame.first_at && place == CLASS_EXPRESSION) class.hint = p->name_hint;
    rt_ts_erase_range(p, mark->token.start, frame.first_at);
    if (p->options.legacy_decorators && !class.is_declaration) {
        rt_ts_fail(p, frame.first_at, "legacy decorators can be on class declarations, not on class expressions");
    }
    frame.first_edit = rt_ts_placeholder(p, frame.first_at);
    decorator_list(p);
    frame.end_at = p->at.previous_end;
    frame.end_edit = rt_ts_placeholder(p, frame.end_at);
    words_before_class(p, &place);
    if (p->options.legacy_decorators) {
        struct rt_ts_token name = rt_ts_look_ahead(p);
        bool has_name = rt_ts_is_identifier(name.type);
        if (has_name)
            rt_ts_text_format(&class.start, "static{%.*s=this}", (int)(name.end - name.start), p->source + name.start);
        else
            rt_ts_text_format(&class.start, "static{_default%s=this}", rt_ts_suffix(p));
    }
    rt_ts_class_rest(p, &class);
    if (!p->at.failed && p->at.erased == 0) {
        if (p->options.legacy_decorators) {
            fill_legacy(p, &class, &frame);
        } else {
            p->at.needs |= NEEDS_DECORATORS;
            fill_standard(p, &class, &frame);
        }
        export_class(p, &class, place);
    }
    rt_ts_free_class(&class);
}

/* ---- The helpers ---- */

/* f: kind and flags; n: the name; k: the property's key for the time being; i: initialisers of the value; e: what else
 * is to run. */
static const char KEY[] = "function _key%1$s(n,f,d,k){const s=_key%1$s.s?\?=[];if(n)s.push([]);"
                          "if(typeof k!=\"symbol\")k=`${k}`;"
                          "const m={f,d,n:k,k:f>15?Symbol():k,i:[],e:[]};s[s.length-1].push(m);"
                          "return _key%1$s.k=m.k}";

static const char APPLY[] =
    "function _apply%1$s(c,name,set,access){"
    "const list=_key%1$s.s.pop(),kinds=[\"method\",\"getter\",\"setter\",\"field\",\"accessor\",\"class\"];"
    "const meta=Symbol.metadata,up=Object.getPrototypeOf(c);"
    "const metadata=meta?Object.create(up===Function.prototype?null:up?.[meta]??null):void 0;"
    "if(name!==0)Object.defineProperty(c,\"name\",{value:name,configurable:true});"
    "let final=c;"
    "const fn=f=>{if(typeof f!=\"function\")throw new TypeError(\"Function expected\");return f};"
    "const run=(m,i)=>{"
    "const kind=m.f&7,own=!!(m.f&8),at=own?c:c.prototype,slot=[\"value\",\"get\",\"set\",0,0,\"value\"][kind];"
    "const d=kind==5?{value:c}:Object.getOwnPropertyDescriptor(at,m.f&64?m.n:m.k);"
    "if(m.f>15)delete at[m.k];"
    "if(m.f&64)m.k=m.n;"
    "if(m.f&16&&kind<3)Object.defineProperty(d[slot],\"name\",{value:[\"\",\"get \",\"set \"][kind]+m.n,"
    "configurable:true});"
    "let{has,get,set}=access[i]??{has:o=>m.n in o,get:o=>o[m.n],set(o,v){o[m.n]=v}},done=false;"
    "const reach={has};if(kind!=2)reach.get=get;if(kind>1)reach.set=set;"
    "for(let j=m.d.length;j-->0;){"
    "const context={kind:kinds[kind],name:kind==5?c.name:m.n,metadata,addInitializer(f){"
    "if(done)throw new TypeError(\"Cannot add initializers after decoration has completed\");m.e.push(fn(f))}};"
    "if(kind!=5)Object.assign(context,{static:own,private:!!(m.f&16),access:reach});"
    "const r=(0,m.d[j])(kind==3?void 0:kind==4?{get:d.get,set:d.set}:d[slot],context);"
    "if(r===void 0)continue;"
    "if(kind==4){if(r===null||typeof r!=\"object\")throw new TypeError(\"Object expected\");"
    "if(r.get!==void 0)d.get=fn(r.get);if(r.set!==void 0)d.set=fn(r.set);"
    "if(r.init!==void 0)m.i.unshift(fn(r.init))}"
    "else if(kind==3)m.i.unshift(fn(r));else d[slot]=fn(r)}"
    "done=true;m.v=d;"
    "if(kind==5)final=d.value;else if(kind!=3&&!(m.f&16))Object.defineProperty(at,m.k,d)};"
    "const rank=m=>(m.f&7)==5?4:((m.f&7)==3?2:0)+(m.f&8?0:1);"
    "for(let r=0;r<5;r++)list.forEach((m,i)=>{if(rank(m)==r)run(m,i)});"
    "if(set)set(final);"
    "if(meta)Object.defineProperty(final,meta,{value:metadata,writable:true,enumerable:true,configurable:true});"
    "(_apply%1$s.m?\?=new WeakMap).set(c,final);"
    "for(const m of list)if((m.f&7)<3&&m.f&8)for(const f of m.e)f.call(final);"
    "return{i(k,t,v){for(const f of list[k].i)v=f.call(t,v);return v},x(k,t){for(const f of list[k].e)f.call(t)},"
    "m(t){for(const m of list)if((m.f&7)<3&&!(m.f&8))for(const f of m.e)f.call(t)},"
    "c(){for(const m of list)if((m.f&7)==5)for(const f of m.e)f.call(final)},v:k=>list[k].v,n:k=>list[k].n}}"
    "function _class%1$s(c){return _apply%1$s.m.get(c)}";

static const char LEGACY[] =
    "function _decorate%1$s(d,t,k,e){const n=arguments.length,r=globalThis.Reflect?.decorate;"
    "let v=n<3?t:e===null?Object.getOwnPropertyDescriptor(t,k):e;"
    "if(typeof r==\"function\")v=r(d,t,k,v);"
    "else for(let i=d.length;i-->0;)if(d[i])v=(n<3?d[i](v):n>3?d[i](t,k,v):d[i](t,k))||v;"
    "if(n>3&&v)Object.defineProperty(t,k,v);return v}"
    "function _param%1$s(i,d){return(t,k)=>{d(t,k,i)}}"
    "function _member%1$s(c,d,own,k,e){const all=_member%1$s.m?\?=new Map;let list=all.get(c);"
    "if(d){if(!list)all.set(c,list=[]);list.push([d,own,k,e]);return}"
    "all.delete(c);"
    "for(const s of[0,1])for(const[d,own,k,e]of list??[])if(own==s)_decorate%1$s(d(),own?c:c.prototype,k(),e)}";

static const char METADATA[] = "function _metadata%1$s(k,v){const r=globalThis.Reflect;"
                               "if(typeof r?.metadata==\"function\")return r.metadata(k,v)}"
                               "function _type%1$s(t){return typeof t==\"function\"?t:Object}";

static void append_helper(struct rt_ts_parser *p, const char *text) {
    const char *suffix = rt_ts_suffix(p);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    rt_ts_append(p, text, suffix);
#pragma GCC diagnostic pop
}

void rt_ts_decorators_end(struct rt_ts_parser *p) {
    if (p->at.needs & NEEDS_DECORATORS) {
        append_helper(p, KEY);
        append_helper(p, APPLY);
    }
    if (p->at.needs & NEEDS_LEGACY_DECORATORS) append_helper(p, LEGACY);
    if (p->at.needs & NEEDS_METADATA) append_helper(p, METADATA);
}
