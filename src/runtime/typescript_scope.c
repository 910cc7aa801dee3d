/* typescript_scope.c: owns the few names that must be resolved: those of imports (one that is used only as a type has
 * to go), and those that an enum or a namespace declares. References to other names are dropped after one look at a
 * filter. When such a name is declared after code that could already refer to it, the file is parsed a second time. */
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

bool rt_ts_grow_table(struct rt_ts_parser *p, struct rt_ts_table *table) {
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    uint32_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
        rt_ts_fail_memory(p);
        return false;
    }
    free(table->slots);
    table->slots = grown;
    table->capacity = capacity;
    return true;
}

/* ---- names ---- */

static uint32_t filter_slot(const char *s, uint32_t nbytes) {
    uint32_t hash = (unsigned char)s[0] * 37u + (unsigned char)s[nbytes - 1] * 11u + nbytes * 5u;
    return hash & ((1 << RT_TS_NAME_FILTER_BITS) - 1);
}

static uint32_t hash_name(const char *s, uint32_t nbytes) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < nbytes; i++)
        hash = (hash ^ (unsigned char)s[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of the name in the table: its own or a free one. */
static uint32_t name_slot(const struct rt_ts_parser *p, const char *s, uint32_t nbytes) {
    uint32_t mask = p->name_table.capacity - 1, slot = hash_name(s, nbytes) & mask;
    for (; p->name_table.slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct rt_ts_name *name = &p->names[p->name_table.slots[slot] - 1];
        if (name->nbytes == nbytes && memcmp(p->source + name->start, s, nbytes) == 0) break;
    }
    return slot;
}

static uint32_t find_text(struct rt_ts_parser *p, const char *s, uint32_t nbytes) {
    if (nbytes > 0 && p->name_filter[filter_slot(s, nbytes)]) {
        uint32_t found = p->name_table.slots[name_slot(p, s, nbytes)];
        if (found != 0) return found - 1;
    }
    p->names_missed = true;
    return RT_TS_NOT_FOUND;
}

uint32_t rt_ts_find_name(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    return find_text(p, p->source + token->start, token->end - token->start);
}

uint32_t rt_ts_intern_name(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    const char *s = p->source + token->start;
    uint32_t nbytes = token->end - token->start;
    if (nbytes == 0) return 0;
    if (p->name_count * 2 >= p->name_table.capacity) {
        if (!rt_ts_grow_table(p, &p->name_table)) return 0;
        for (uint32_t i = 0; i < p->name_count; i++) {
            p->name_table.slots[name_slot(p, p->source + p->names[i].start, p->names[i].nbytes)] = i + 1;
        }
    }
    uint32_t slot = name_slot(p, s, nbytes);
    if (p->name_table.slots[slot] != 0) return p->name_table.slots[slot] - 1;
    if (!rt_ts_reserve(p, &p->names, &p->name_capacity, p->name_count, sizeof *p->names)) return 0;
    p->names[p->name_count++] = (struct rt_ts_name){token->start, nbytes};
    p->name_table.slots[slot] = p->name_count;
    p->name_filter[filter_slot(s, nbytes)] = 1;
    return p->name_count - 1;
}

uint32_t rt_ts_add_name(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    uint32_t before = p->name_count, name = rt_ts_intern_name(p, token);
    if (p->name_count > before && p->names_missed) p->again = true;
    return name;
}

/* ---- scopes, declarations, references ---- */

uint32_t rt_ts_push_scope(struct rt_ts_parser *p, bool is_function) {
    uint32_t outer = p->at.scope;
    if (p->at.erased > 0) return outer;
    if (!rt_ts_reserve(p, &p->scopes, &p->scope_capacity, p->at.scope_count, sizeof *p->scopes)) return outer;
    p->scopes[p->at.scope_count] =
        (struct rt_ts_scope){.parent = outer, .start = p->at.token.start, .is_function = is_function};
    p->at.scope = p->at.scope_count++;
    return outer;
}

void rt_ts_pop_scope(struct rt_ts_parser *p, uint32_t outer) {
    p->at.scope = outer;
}

static void add_declaration(struct rt_ts_parser *p, const struct rt_ts_declaration *declaration) {
    if (!rt_ts_reserve(p, &p->declarations, &p->declaration_capacity, p->at.declaration_count,
                       sizeof *p->declarations)) {
        return;
    }
    p->declarations[p->at.declaration_count++] = *declaration;
}

void rt_ts_declare_in(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_declared kind, uint32_t scope,
                      uint32_t detail) {
    /* What is only declared still hides others of its name. */
    bool is_ambient = p->at.ambient && p->at.erased == 2 && kind != DECLARED_PARAMETER;
    if (p->at.erased > 0 && !is_ambient) return;
    uint32_t name = rt_ts_find_name(p, token);
    if (name == RT_TS_NOT_FOUND) return;
    add_declaration(p, &(struct rt_ts_declaration){name, scope, detail, (uint8_t)kind});
}

void rt_ts_declare(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_declared kind) {
    uint32_t scope = p->at.scope;
    if (kind == DECLARED_VAR && p->at.erased == 0) {
        while (!p->scopes[scope].is_function)
            scope = p->scopes[scope].parent;
    }
    rt_ts_declare_in(p, token, kind, scope, 0);
}

static void add_reference(struct rt_ts_parser *p, uint32_t name, uint32_t start, enum rt_ts_referenced kind) {
    if (name == RT_TS_NOT_FOUND) return;
    if (!rt_ts_reserve(p, &p->references, &p->reference_capacity, p->at.reference_count, sizeof *p->references)) return;
    p->references[p->at.reference_count++] =
        (struct rt_ts_reference){name, p->at.scope, start, p->alias, (uint8_t)kind};
}

void rt_ts_reference(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_referenced kind) {
    if (p->at.erased > 0) {
        if (!p->at.computed_name || p->at.ambient) return;
        kind = REFERENCE_COMPUTED;
    }
    add_reference(p, rt_ts_find_name(p, token), token->start, kind);
}

void rt_ts_reference_text(struct rt_ts_parser *p, const char *text, uint32_t nbytes) {
    if (p->at.erased == 0) add_reference(p, find_text(p, text, nbytes), 0, REFERENCE_COMPUTED);
}

bool rt_ts_declared_since(const struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t name) {
    for (uint32_t i = mark->declaration_count; i < p->at.declaration_count; i++) {
        const struct rt_ts_declaration *d = &p->declarations[i];
        if (d->name == name && d->scope < RT_TS_SYMBOL && d->kind != DECLARED_TYPE) return true;
    }
    return false;
}

/* ---- enums and namespaces ---- */

static uint32_t container_slot(const struct rt_ts_parser *p, uint32_t owner, uint32_t name) {
    uint32_t mask = p->container_table.capacity - 1;
    uint32_t slot = (owner * 0x9E3779B1u ^ name * 0x85EBCA77u) >> 7 & mask;
    for (; p->container_table.slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct rt_ts_container *c = &p->containers[p->container_table.slots[slot] - 1];
        if (c->owner == owner && c->name == name) break;
    }
    return slot;
}

uint32_t rt_ts_container(struct rt_ts_parser *p, uint32_t owner, uint32_t name, uint32_t offset, bool *is_first_out) {
    *is_first_out = true;
    if (p->container_count * 2 >= p->container_table.capacity) {
        if (!rt_ts_grow_table(p, &p->container_table)) return RT_TS_SYMBOL;
        for (uint32_t i = 0; i < p->container_count; i++) {
            p->container_table.slots[container_slot(p, p->containers[i].owner, p->containers[i].name)] = i + 1;
        }
    }
    uint32_t slot = container_slot(p, owner, name);
    if (p->container_table.slots[slot] != 0) {
        uint32_t found = p->container_table.slots[slot] - 1;
        if (p->containers[found].first > offset) p->containers[found].first = offset;
        *is_first_out = p->containers[found].first == offset;
        return RT_TS_SYMBOL + found;
    }
    if (!rt_ts_reserve(p, &p->containers, &p->container_capacity, p->container_count, sizeof *p->containers)) {
        return RT_TS_SYMBOL;
    }
    p->containers[p->container_count++] = (struct rt_ts_container){owner, name, offset};
    p->container_table.slots[slot] = p->container_count;
    return RT_TS_SYMBOL + p->container_count - 1;
}

uint32_t rt_ts_find_container(struct rt_ts_parser *p, uint32_t name) {
    if (p->container_table.capacity == 0) return 0;
    for (uint32_t scope = p->at.scope;; scope = p->scopes[scope].parent) {
        const struct rt_ts_scope *s = &p->scopes[scope];
        uint32_t found = s->symbol ? p->container_table.slots[container_slot(p, s->symbol, name)] : 0;
        if (found == 0) found = p->container_table.slots[container_slot(p, s->start, name)];
        if (found != 0) return RT_TS_SYMBOL + found - 1;
        if (scope == 0) return 0;
    }
}

void rt_ts_forget_container(struct rt_ts_parser *p, uint32_t symbol, uint32_t offset) {
    struct rt_ts_container *container = &p->containers[symbol - RT_TS_SYMBOL];
    if (container->first == offset) container->first = UINT32_MAX;
}

void rt_ts_declare_mergeable(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    rt_ts_declare(p, token, DECLARED_LEXICAL);
    if (p->at.erased > 0 || p->name_count == 0) return;
    uint32_t name = rt_ts_find_name(p, token);
    const struct rt_ts_scope scope = p->scopes[p->at.scope];
    bool is_first;
    if (name == RT_TS_NOT_FOUND) return;
    rt_ts_container(p, scope.start, name, token->start, &is_first);
    if (scope.symbol != 0) rt_ts_container(p, scope.symbol, name, token->start, &is_first);
}

void rt_ts_declare_type(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    if (p->at.scope != 0 || p->at.failed) return;
    if (!rt_ts_reserve(p, &p->type_names, &p->type_name_capacity, p->type_name_count, sizeof *p->type_names)) return;
    p->type_names[p->type_name_count++] = *token;
}

/* Types become declarations when all names that matter are known, so that one seen early is no reason to parse again.
 */
static void declare_types(struct rt_ts_parser *p) {
    for (uint32_t i = 0; i < p->type_name_count && p->name_count > 0; i++) {
        uint32_t name = rt_ts_find_name(p, &p->type_names[i]);
        if (name != RT_TS_NOT_FOUND) add_declaration(p, &(struct rt_ts_declaration){name, 0, 0, DECLARED_TYPE});
    }
}

/* Exports of names that nothing else made worth resolving: if one could be a type, it is from here on. */
void rt_ts_check_exports(struct rt_ts_parser *p) {
    bool any = false;
    for (uint32_t i = 0; i < p->binding_count && !any; i++) {
        any = p->bindings[i].is_export && p->bindings[i].name == RT_TS_NOT_FOUND;
    }
    if (!any) return;
    for (uint32_t i = 0; i < p->type_name_count; i++)
        rt_ts_intern_name(p, &p->type_names[i]);
    for (uint32_t i = 0; i < p->binding_count && !p->again; i++) {
        struct rt_ts_token name = {.start = p->bindings[i].name_start, .end = p->bindings[i].name_end};
        p->again = p->bindings[i].is_export && rt_ts_find_name(p, &name) != RT_TS_NOT_FOUND;
    }
}

/* ---- resolving ---- */

/* Declarations by (name, scope), open addressing: index + 1. */
struct index {
    uint32_t *slots;
    uint32_t mask;
};

static uint32_t index_slot(const struct rt_ts_parser *p, const struct index *index, uint32_t name, uint32_t scope) {
    uint32_t slot = (name * 0x9E3779B1u ^ scope * 0x85EBCA77u) >> 7 & index->mask;
    for (; index->slots[slot] != 0; slot = (slot + 1) & index->mask) {
        const struct rt_ts_declaration *d = &p->declarations[index->slots[slot] - 1];
        if (d->name == name && d->scope == scope) break;
    }
    return slot;
}

/* A value hides a type of the same name. */
static bool build_index(struct rt_ts_parser *p, struct index *index) {
    uint32_t capacity = 16;
    while (capacity < p->at.declaration_count * 2)
        capacity *= 2;
    index->slots = calloc(capacity, sizeof *index->slots);
    index->mask = capacity - 1;
    if (!index->slots) {
        rt_ts_fail_memory(p);
        return false;
    }
    for (uint32_t i = 0; i < p->at.declaration_count; i++) {
        const struct rt_ts_declaration *d = &p->declarations[i];
        uint32_t slot = index_slot(p, index, d->name, d->scope);
        bool is_free = index->slots[slot] == 0;
        if (is_free || p->declarations[index->slots[slot] - 1].kind == DECLARED_TYPE) index->slots[slot] = i + 1;
    }
    return true;
}

static const struct rt_ts_declaration *find(const struct rt_ts_parser *p, const struct index *index, uint32_t name,
                                            uint32_t scope) {
    uint32_t found = index->slots[index_slot(p, index, name, scope)];
    return found != 0 ? &p->declarations[found - 1] : NULL;
}

/* What a reference means as a value, or NULL. *SCOPE_OUT: the body it was found in as an export, or 0. */
static const struct rt_ts_declaration *resolve(const struct rt_ts_parser *p, const struct index *index,
                                               const struct rt_ts_reference *reference, uint32_t *scope_out) {
    *scope_out = 0;
    for (uint32_t scope = reference->scope;; scope = p->scopes[scope].parent) {
        const struct rt_ts_declaration *d = find(p, index, reference->name, scope);
        if (d && d->kind != DECLARED_TYPE) return d;
        if (p->scopes[scope].symbol != 0) {
            d = find(p, index, reference->name, p->scopes[scope].symbol);
            if (d) {
                *scope_out = scope;
                return d;
            }
        }
        if (scope == 0) return NULL;
    }
}

/* Binding I is used; so is, if it is an alias, what it names. */
static void use_binding(struct rt_ts_parser *p, const struct index *index, uint32_t i) {
    while (!p->bindings[i].used) {
        p->bindings[i].used = true;
        uint32_t scope;
        if (p->bindings[i].reference == 0) return;
        const struct rt_ts_declaration *d = resolve(p, index, &p->references[p->bindings[i].reference - 1], &scope);
        if (!d || d->kind != DECLARED_IMPORT) return;
        i = d->detail;
    }
}

static void blank(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end) {
    rt_ts_fill_edit(p, edit, start, end, NULL, 0);
}

/* Blanks what is unused of one statement. */
static void elide(struct rt_ts_parser *p, const struct rt_ts_module_statement *statement) {
    const struct rt_ts_binding_use *bindings = p->bindings + statement->first_binding;
    uint32_t used = 0, named_used = 0;
    for (uint32_t i = 0; i < statement->binding_count; i++) {
        used += bindings[i].used;
        named_used += bindings[i].used && i >= statement->first_named;
    }
    bool stays = p->options.verbatim_module_syntax && (statement->binding_count == 0 || !bindings[0].is_export);
    if (used == 0 && !stays && p->options.keep_unused_imports && statement->from_end != 0) {
        blank(p, statement->edit, statement->start + 6, statement->from_end); /* import "m" */
        return;
    }
    if (used == 0 && !stays) {
        rt_ts_fill_edit(p, statement->edit, statement->start, statement->end, ";", statement->guard);
        return;
    }
    const struct rt_ts_binding_use *first = &bindings[0];
    if (statement->binding_count > 0 && first->needs_require) {
        rt_ts_fail(p, statement->start,
                   "import ... = require() needs a CommonJS module; write import ... from instead");
        return;
    }
    p->edits[statement->edit] =
        (struct rt_ts_edit){statement->start, statement->keep_end, statement->keep_text, statement->keep_text_nbytes};
    bool all_named = named_used == 0 && statement->named_start < statement->named_end;
    if (all_named) blank(p, statement->named_edit, statement->named_start, statement->named_end);
    for (uint32_t i = 0; i < statement->binding_count; i++) {
        if (bindings[i].used || (all_named && i >= statement->first_named)) continue;
        blank(p, bindings[i].edit, bindings[i].start, bindings[i].end);
    }
}

/* Puts `N.` before a reference to something that the namespace or enum N exports. */
static void qualify(struct rt_ts_parser *p, const struct rt_ts_reference *reference, const struct rt_ts_scope *body) {
    int container_nbytes = (int)(body->name_end - body->name_start);
    const char *container = p->source + body->name_start, *suffix = body->renamed ? "_1" : "";
    const struct rt_ts_name *name = &p->names[reference->name];
    if (reference->kind == REFERENCE_SHORTHAND) {
        uint32_t end = reference->start + name->nbytes;
        rt_ts_replace_format(p, end, end, ":%.*s%s.%.*s", container_nbytes, container, suffix, (int)name->nbytes,
                             p->source + name->start);
    } else {
        rt_ts_replace_format(p, reference->start, reference->start, "%.*s%s.", container_nbytes, container, suffix);
    }
}

static int compare_edits(const void *left, const void *right) {
    const struct rt_ts_edit *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end; /* insertions first */
}

/* The edits from FIRST on are put where they belong among those before, which are in order; behind what is inserted at
 * the same place. Edits that nothing came of go. */
static void merge_edits(struct rt_ts_parser *p, uint32_t first) {
    uint32_t kept = 0, more = p->at.edit_count - first;
    struct rt_ts_edit *edits = p->edits, *added = malloc(more * sizeof *added);
    if (!added) {
        rt_ts_fail_memory(p);
        return;
    }
    memcpy(added, edits + first, more * sizeof *added);
    qsort(added, more, sizeof *added, compare_edits);
    for (uint32_t i = 0; i < first; i++) {
        if (edits[i].start < edits[i].end || edits[i].text_nbytes > 0) edits[kept++] = edits[i];
    }
    p->at.edit_count = kept + more;
    for (uint32_t to = kept + more; more > 0; to--) {
        bool later = kept > 0 && compare_edits(&edits[kept - 1], &added[more - 1]) > 0;
        edits[to - 1] = later ? edits[--kept] : added[--more];
    }
    free(added);
}

static void qualify_references(struct rt_ts_parser *p, const struct index *index) {
    uint32_t before = p->at.edit_count;
    for (uint32_t i = 0; i < p->at.reference_count; i++) {
        const struct rt_ts_reference *r = &p->references[i];
        uint32_t scope;
        if (r->kind == REFERENCE_COMPUTED) continue;
        if (r->alias != 0 && !p->bindings[r->alias - 1].used) continue;
        if (resolve(p, index, r, &scope) && scope != 0) qualify(p, r, &p->scopes[scope]);
    }
    if (p->at.edit_count > before && !p->at.failed) merge_edits(p, before);
}

/* An export of a name that is only a type goes. */
static bool exports_type(const struct rt_ts_parser *p, const struct index *index, const struct rt_ts_binding_use *b) {
    if (b->name == RT_TS_NOT_FOUND) return false;
    const struct rt_ts_declaration *d = find(p, index, b->name, 0);
    return d && d->kind == DECLARED_TYPE;
}

void rt_ts_resolve(struct rt_ts_parser *p) {
    struct index index;
    if (p->statement_count == 0 && p->container_count == 0) return;
    declare_types(p);
    if (p->at.failed || !build_index(p, &index)) return;
    for (uint32_t i = 0; i < p->at.reference_count; i++) {
        uint32_t scope;
        if (p->references[i].alias != 0) continue;
        const struct rt_ts_declaration *d = resolve(p, &index, &p->references[i], &scope);
        if (d && d->kind == DECLARED_IMPORT) use_binding(p, &index, d->detail);
    }
    for (uint32_t i = 0; i < p->binding_count; i++) {
        if (p->bindings[i].is_export) p->bindings[i].used = !exports_type(p, &index, &p->bindings[i]);
    }
    for (uint32_t i = 0; i < p->statement_count; i++)
        elide(p, &p->statements[i]);
    qualify_references(p, &index);
    free(index.slots);
}
