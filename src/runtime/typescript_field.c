/* typescript_field.c: owns what fields become, in place:
 *   accessor x = 1         #_a0 = 1;get x(){return this.#_a0}set x(v){this.#_a0=v}
 *   x = 1                  #_f0(){this.x = 1}, called by the constructor, where fields are assigned and not defined
 *   static x = 1           static {this.x = 1}, then too
 *   @d x = 1               [_key(1,3,[d],"x")] =C.#_s.i(0,this, 1); what its decorators asked for runs right behind
 * A private method keeps the value where it stands, with its functions' positions, and costs no instance anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

/* What a field becomes: text at the places around its name and value. */
struct plan {
    struct rt_ts_text before_name, after_name;
    struct rt_ts_text before_value; /* after the `=` */
    struct rt_ts_text no_value;     /* where there is no `=` */
    struct rt_ts_text end;
    bool erase; /* the whole field */
};

static void free_plan(struct plan *plan) {
    free(plan->before_name.bytes);
    free(plan->after_name.bytes);
    free(plan->before_value.bytes);
    free(plan->no_value.bytes);
    free(plan->end.bytes);
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

static bool is_computed(const struct rt_ts_member *member) {
    return member->name.type == T_LBRACKET;
}

static bool is_dotted(const struct rt_ts_member *member) { /* this.NAME, or this[NAME]? */
    return member->name.type != T_STRING && member->name.type != T_NUMBER;
}

static const char *name_of(const struct rt_ts_parser *p, const struct rt_ts_member *member, int *nbytes_out) {
    *nbytes_out = (int)(member->name.end - member->name.start);
    return p->source + member->name.start;
}

/* A variable of the file, behind its end, that keeps the value of a computed name. */
static void declare_key(struct rt_ts_parser *p, uint32_t number) {
    rt_ts_append(p, "var _key%s_%u;", rt_ts_suffix(p), number);
}

/* Could it matter when the computed name is evaluated? Not that of [a], [a.b] or ["a"]. */
static bool has_simple_key(const struct rt_ts_parser *p, const struct rt_ts_member *member) {
    for (uint32_t i = member->name.end; i + 1 < member->name_end; i++) {
        char c = p->source[i];
        if (!rt_ts_is_name_start((unsigned char)c) && !(c >= '0' && c <= '9') && !strchr(".\"'", c)) return false;
    }
    return true;
}

/* ---- accessor ---- */

static void call_in_constructor(struct rt_ts_parser *p, struct rt_ts_class *class, uint32_t number) {
    rt_ts_text_format(&class->fields, "this.#_f%u%s();", number, rt_ts_suffix(p));
}

/* get NAME(){...}set NAME(v){...} around the private field #_aNUMBER of OWNER. */
static void plan_accessor(struct rt_ts_parser *p, struct rt_ts_class *class, const struct rt_ts_member *member,
                          struct plan *plan, uint32_t number) {
    const char *suffix = rt_ts_suffix(p), *own = member->is_static ? "static " : "";
    char owner[256] = "this";
    if (member->is_static && (class->decorated || class->name.type != T_EOF))
        snprintf(owner, sizeof owner, "%s", rt_ts_class_self(p, class));
    int n;
    const char *name = name_of(p, member, &n);
    char pair[1200], storage[200];
    const char *end = "";
    snprintf(storage, sizeof storage, "#_a%u%s", number, suffix);
    if (p->options.assign_fields && !member->is_static && rt_ts_is(p, T_ASSIGN)) {
        snprintf(storage, sizeof storage, "#_a%u%s;#_f%u%s(){this.#_a%u%s", number, suffix, number, suffix, number,
                 suffix);
        end = "}";
        call_in_constructor(p, class, number);
    }
    if (!is_computed(member)) {
        snprintf(pair, sizeof pair, "%sget %.*s(){return %s.#_a%u%s}%sset %.*s(v){%s.#_a%u%s=v}", own, n, name, owner,
                 number, suffix, own, n, name, owner, number, suffix);
        rt_ts_text_format(&plan->before_name, "%s", storage);
        rt_ts_text_format(&plan->end, "%s;%s", end, pair);
        return;
    }
    rt_ts_text_format(&plan->before_name, "get[_key%s_%u=", suffix, number);
    rt_ts_text_format(&plan->after_name, "](){return %s.#_a%u%s}%sset[_key%s_%u](v){%s.#_a%u%s=v}%s%s", owner, number,
                      suffix, own, suffix, number, owner, number, suffix, own, storage);
    rt_ts_text_format(&plan->end, "%s", end);
    declare_key(p, number);
}

/* ---- fields that are assigned ---- */

/* A computed name is evaluated where it stands, in turn with those of other members: as that of a method that goes
 * again when the static fields are made, or then if that makes no difference. What comes behind runs in `static {`. */
static void plan_key(struct rt_ts_parser *p, struct rt_ts_member *member, struct plan *plan) {
    const char *suffix = rt_ts_suffix(p), *own = member->is_static ? "" : "static";
    uint32_t number = member->key = p->at.private_count++;
    declare_key(p, number);
    if (has_simple_key(p, member)) {
        rt_ts_text_format(&plan->before_name, "%s{_key%s_%u=(", own, suffix, number);
        rt_ts_text_format(&plan->after_name, ");");
        return;
    }
    rt_ts_text_format(&plan->before_name, "%s[(_key%s_%u=(", own, suffix, number);
    rt_ts_text_format(&plan->after_name, "),\"_key%s_%u\")](){}static{delete this._key%s_%u;", suffix, number, suffix,
                      number);
}

static void plan_static_assigned(struct rt_ts_parser *p, struct rt_ts_member *member, struct plan *plan) {
    if (!is_computed(member)) {
        rt_ts_text_format(&plan->before_name, is_dotted(member) ? "{this." : "{this[");
        if (!is_dotted(member)) rt_ts_text_format(&plan->after_name, "]");
    } else if (has_simple_key(p, member) && !member->decorated) {
        rt_ts_text_format(&plan->before_name, "{this[");
        rt_ts_text_format(&plan->after_name, "]");
    } else {
        plan_key(p, member, plan);
        rt_ts_text_format(&plan->after_name, "this[_key%s_%u]", rt_ts_suffix(p), member->key);
    }
    rt_ts_text_format(&plan->end, "}");
}

static void plan_assigned(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                          struct plan *plan) {
    uint32_t number = p->at.private_count++;
    const char *suffix = rt_ts_suffix(p);
    int n;
    const char *name = name_of(p, member, &n);
    if (is_computed(member)) {
        plan_key(p, member, plan);
        rt_ts_text_format(&plan->after_name, "}#_f%u%s(){this[_key%s_%u]", number, suffix, suffix, member->key);
    } else {
        if (member->name.type == T_PRIVATE) rt_ts_text_format(&plan->before_name, "%.*s;", n, name);
        rt_ts_text_format(&plan->before_name, is_dotted(member) ? "#_f%u%s(){this." : "#_f%u%s(){this[", number,
                          suffix);
        if (!is_dotted(member)) rt_ts_text_format(&plan->after_name, "]");
    }
    rt_ts_text_format(&plan->end, "}");
    call_in_constructor(p, class, number);
}

/* ---- decorated fields ---- */

static void plan_decorated(struct rt_ts_parser *p, struct rt_ts_class *class, const struct rt_ts_member *member,
                           struct plan *plan, uint32_t number) {
    const char *self = rt_ts_class_self(p, class), *suffix = rt_ts_suffix(p);
    uint32_t k = member->index;
    bool assigned = p->options.assign_fields && !member->is_static;
    rt_ts_text_format(&plan->before_value, "%s.#_s%s.i(%u,this,", self, suffix, k);
    if (assigned) {
        rt_ts_text_format(&plan->no_value, "=%s.#_s%s.i(%u,this);%s.#_s%s.x(%u,this)}", self, suffix, k, self, suffix,
                          k);
        rt_ts_text_format(&plan->end, ");%s.#_s%s.x(%u,this)}", self, suffix, k);
        call_in_constructor(p, class, number);
        return;
    }
    char run[400];
    if (member->is_static)
        snprintf(run, sizeof run, ";static{%s.#_s%s.x(%u,this)}", self, suffix, k);
    else
        snprintf(run, sizeof run, ";#_e%u%s=%s.#_s%s.x(%u,this);", k, suffix, self, suffix, k);
    rt_ts_text_format(&plan->no_value, "=%s.#_s%s.i(%u,this)%s", self, suffix, k, run);
    rt_ts_text_format(&plan->end, ")%s", run);
}

/* ---- putting it there ---- */

static void put_names(struct rt_ts_parser *p, const struct rt_ts_member *member, const struct plan *plan) {
    uint32_t start = member->name.start, end = member->name_end;
    bool computed = is_computed(member);
    bool replaces = computed || (member->is_accessor && !computed);
    if (plan->before_name.nbytes > 0) {
        uint32_t stop = computed ? start + 1 : replaces ? end : start;
        rt_ts_fill_edit(p, member->before_name, start, stop, plan->before_name.bytes, plan->before_name.nbytes);
    }
    if (plan->after_name.nbytes > 0) {
        rt_ts_fill_edit(p, member->after_name, computed ? end - 1 : end, end, plan->after_name.bytes,
                        plan->after_name.nbytes);
    }
}

static void value(struct rt_ts_parser *p, const struct rt_ts_member *member) {
    uint32_t outer = rt_ts_push_scope(p, true);
    p->name_hint = member->name;
    p->name_hint_at = p->at.token.start;
    rt_ts_assignment(p, 0);
    rt_ts_pop_scope(p, outer);
}

/* The value, if there is one, with text around it. */
static void put_value(struct rt_ts_parser *p, const struct rt_ts_member *member, const struct plan *plan) {
    uint32_t at = p->at.previous_end;
    const struct rt_ts_text *end = &plan->end;
    if (rt_ts_is(p, T_ASSIGN)) {
        at = p->at.token.end;
        rt_ts_next(p);
        if (plan->before_value.nbytes > 0)
            rt_ts_replace(p, at, at, plan->before_value.bytes, plan->before_value.nbytes);
        value(p, member);
        at = p->at.previous_end;
    } else if (plan->no_value.nbytes > 0) {
        end = &plan->no_value;
    }
    if (end->nbytes > 0) rt_ts_replace(p, at, at, end->bytes, end->nbytes);
}

static void make_plan(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                      struct plan *plan) {
    bool has_value = rt_ts_is(p, T_ASSIGN), is_private = member->name.type == T_PRIVATE;
    if (rt_ts_is_decorated(p, member)) {
        plan_decorated(p, class, member, plan, member->key);
    } else if (member->is_accessor) {
        member->key = p->at.private_count++;
        plan_accessor(p, class, member, plan, member->key);
    } else if (!p->options.assign_fields || (is_private && (member->is_static || !has_value))) {
        return;
    } else if (!has_value && is_computed(member) && member->decorated) { /* of which only its decorators are left */
        plan_key(p, member, plan);
        rt_ts_text_format(&plan->after_name, "}");
    } else if (!has_value) {
        plan->erase = true;
    } else if (member->is_static) {
        plan_static_assigned(p, member, plan);
    } else {
        plan_assigned(p, class, member, plan);
    }
}

void rt_ts_field(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member) {
    struct plan plan = {0};
    member->type = rt_ts_annotated_type(p);
    rt_ts_erase_annotation(p);
    guard_field(p, &member->name);
    if (!member->erased && p->at.erased == 0 && !p->at.failed) {
        make_plan(p, class, member, &plan);
        put_names(p, member, &plan);
    }
    put_value(p, member, &plan);
    rt_ts_semicolon(p);
    if (member->erased || plan.erase) rt_ts_erase_whole(p, &member->mark, member->start);
    if (!plan.erase || member->decorated) rt_ts_end_legacy(p, class, member, true, NULL);
    bool failed = plan.before_name.failed || plan.after_name.failed || plan.before_value.failed ||
                  plan.no_value.failed || plan.end.failed;
    if (failed) rt_ts_fail_memory(p);
    free_plan(&plan);
}
