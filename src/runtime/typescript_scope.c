/* typescript_scope.c: owns the few names that must be resolved: those of imports (one that is used only as a type has to
 * go), and those that an enum or a namespace declares. References to other names are dropped after one look at a
 * filter. When such a name is declared after code that could already refer to it, the file is parsed a second time. */
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

enum { NOT_FOUND = UINT32_MAX };

/* ---- names ---- */

static uint32_t filter_slot(const char *s, uint32_t nbytes) {
    uint32_t hash = (unsigned char)s[0] * 37u + (unsigned char)s[nbytes - 1] * 11u + nbytes * 5u;
    return hash & ((1 << RT_TS_NAME_FILTER_BITS) - 1);
}

static uint32_t hash_name(const char *s, uint32_t nbytes) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < nbytes; i++) hash = (hash ^ (unsigned char)s[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of the name in the table: its own or a free one. */
static uint32_t name_slot(const struct rt_ts_parser *p, const char *s, uint32_t nbytes) {
    uint32_t mask = p->name_table_capacity - 1, slot = hash_name(s, nbytes) & mask;
    for (; p->name_table[slot] != 0; slot = (slot + 1) & mask) {
        const struct rt_ts_name *name = &p->names[p->name_table[slot] - 1];
        if (name->nbytes == nbytes && memcmp(p->source + name->start, s, nbytes) == 0) break;
    }
    return slot;
}

static uint32_t find_name(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    const char *s = p->source + token->start;
    uint32_t nbytes = token->end - token->start;
    if (nbytes > 0 && p->name_filter[filter_slot(s, nbytes)]) {
        uint32_t found = p->name_table[name_slot(p, s, nbytes)];
        if (found != 0) return found - 1;
    }
    p->names_missed = true;
    return NOT_FOUND;
}

static bool grow_name_table(struct rt_ts_parser *p) {
    uint32_t capacity = p->name_table_capacity ? p->name_table_capacity * 2 : 64;
    uint32_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
        rt_ts_fail_memory(p);
        return false;
    }
    free(p->name_table);
    p->name_table = grown;
    p->name_table_capacity = capacity;
    for (uint32_t i = 0; i < p->name_count; i++) {
        grown[name_slot(p, p->source + p->names[i].start, p->names[i].nbytes)] = i + 1;
    }
    return true;
}

uint32_t rt_ts_add_name(struct rt_ts_parser *p, const struct rt_ts_token *token) {
    const char *s = p->source + token->start;
    uint32_t nbytes = token->end - token->start;
    if (nbytes == 0) return 0;
    if (p->name_count * 2 >= p->name_table_capacity && !grow_name_table(p)) return 0;
    uint32_t slot = name_slot(p, s, nbytes);
    if (p->name_table[slot] != 0) return p->name_table[slot] - 1;
    if (!rt_ts_reserve(p, &p->names, &p->name_capacity, p->name_count, sizeof *p->names)) return 0;
    p->names[p->name_count++] = (struct rt_ts_name){token->start, nbytes};
    p->name_table[slot] = p->name_count;
    p->name_filter[filter_slot(s, nbytes)] = 1;
    if (p->names_missed) p->again = true;
    return p->name_count - 1;
}

/* ---- scopes, declarations, references ---- */

uint32_t rt_ts_push_scope(struct rt_ts_parser *p, bool is_function) {
    uint32_t outer = p->at.scope;
    if (p->at.erased > 0) return outer;
    if (!rt_ts_reserve(p, &p->scopes, &p->scope_capacity, p->at.scope_count, sizeof *p->scopes)) return outer;
    p->scopes[p->at.scope_count] = (struct rt_ts_scope){outer, is_function};
    p->at.scope = p->at.scope_count++;
    return outer;
}

void rt_ts_pop_scope(struct rt_ts_parser *p, uint32_t outer) {
    p->at.scope = outer;
}

void rt_ts_declare_detail(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_declared kind,
                          uint32_t detail) {
    if (p->at.erased > 0) return;
    uint32_t name = find_name(p, token), scope = p->at.scope;
    if (name == NOT_FOUND) return;
    if (kind == DECLARED_VAR) {
        while (!p->scopes[scope].is_function) scope = p->scopes[scope].parent;
    }
    if (!rt_ts_reserve(p, &p->declarations, &p->declaration_capacity, p->at.declaration_count,
                       sizeof *p->declarations)) {
        return;
    }
    p->declarations[p->at.declaration_count++] = (struct rt_ts_declaration){name, scope, detail, (uint8_t)kind};
}

void rt_ts_declare(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_declared kind) {
    rt_ts_declare_detail(p, token, kind, 0);
}

void rt_ts_reference(struct rt_ts_parser *p, const struct rt_ts_token *token, enum rt_ts_referenced kind) {
    if (p->at.erased > 0) return;
    uint32_t name = find_name(p, token);
    if (name == NOT_FOUND) return;
    if (!rt_ts_reserve(p, &p->references, &p->reference_capacity, p->at.reference_count, sizeof *p->references)) return;
    p->references[p->at.reference_count++] =
        (struct rt_ts_reference){name, p->at.scope, token->start, (uint8_t)kind};
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

static bool build_index(struct rt_ts_parser *p, struct index *index) {
    uint32_t capacity = 16;
    while (capacity < p->at.declaration_count * 2) capacity *= 2;
    index->slots = calloc(capacity, sizeof *index->slots);
    index->mask = capacity - 1;
    if (!index->slots) {
        rt_ts_fail_memory(p);
        return false;
    }
    for (uint32_t i = 0; i < p->at.declaration_count; i++) {
        const struct rt_ts_declaration *d = &p->declarations[i];
        if (d->kind == DECLARED_TYPE) continue;
        uint32_t slot = index_slot(p, index, d->name, d->scope);
        if (index->slots[slot] == 0) index->slots[slot] = i + 1;
    }
    return true;
}

static const struct rt_ts_declaration *resolve(const struct rt_ts_parser *p, const struct index *index, uint32_t name,
                                               uint32_t scope) {
    for (;;) {
        uint32_t found = index->slots[index_slot(p, index, name, scope)];
        if (found != 0) return &p->declarations[found - 1];
        if (scope == 0) return NULL;
        scope = p->scopes[scope].parent;
    }
}

static void fill_edit(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end) {
    p->edits[edit].start = start;
    p->edits[edit].end = end;
}

/* Blanks what is unused of one import statement. */
static void elide(struct rt_ts_parser *p, const struct rt_ts_import_statement *statement) {
    const struct rt_ts_import_binding *bindings = p->bindings + statement->first_binding;
    uint32_t used = 0, named_used = 0;
    for (uint32_t i = 0; i < statement->binding_count; i++) {
        used += bindings[i].used;
        named_used += bindings[i].used && i >= statement->first_named;
    }
    if (used == 0) {
        fill_edit(p, statement->edit, statement->start, statement->end);
        if (statement->guard) p->edits[statement->edit].text_nbytes = 1;
        return;
    }
    p->edits[statement->edit].text_nbytes = 0;
    bool all_named = named_used == 0 && statement->named_start < statement->named_end;
    if (all_named) fill_edit(p, statement->named_edit, statement->named_start, statement->named_end);
    for (uint32_t i = 0; i < statement->binding_count; i++) {
        if (bindings[i].used || (all_named && i >= statement->first_named)) continue;
        fill_edit(p, bindings[i].edit, bindings[i].start, bindings[i].end);
    }
}

void rt_ts_resolve(struct rt_ts_parser *p) {
    struct index index;
    if (p->import_count == 0 || !build_index(p, &index)) return;
    for (uint32_t i = 0; i < p->at.reference_count; i++) {
        const struct rt_ts_reference *r = &p->references[i];
        const struct rt_ts_declaration *d = resolve(p, &index, r->name, r->scope);
        if (d && d->kind == DECLARED_IMPORT) p->bindings[d->detail].used = true;
    }
    for (uint32_t i = 0; i < p->import_count; i++) elide(p, &p->imports[i]);
    free(index.slots);
}
