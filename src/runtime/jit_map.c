/* jit_map.c: see jit_map.h.
 *
 * Machine code is found by address range: a sorted list of short sorted chunks. Bytecode is found by the exact address
 * of its array, which is what an interpreted frame holds: a hash table. A `code` is shared by every place it is at.
 * Functions are told apart by script and position, so that all tiers of one function are one function. */
#include "runtime/jit_map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/jit_layout.h"

/* ---- Types ---- */

enum code_kind {
    CODE_BYTECODE,
    CODE_OPTIMIZED,
    CODE_BASELINE,
    CODE_INTERPRETER, /* bytecode handlers and entry trampolines: the frame is the interpreted function's */
    CODE_BUILTIN,
    CODE_REGEXP,
    CODE_WASM,
    CODE_OTHER,
};

struct code {
    uintptr_t start; /* where it is now */
    size_t nbytes;
    uint32_t references; /* places in the map, and other code made from it */
    uint32_t id;         /* never used again */
    uint32_t function;   /* index in the map's functions */
    enum code_kind kind;
    struct jit_tables tables;
    struct code *bytecode;  /* baseline: the code of its bytecode array */
    struct code **inlinees; /* optimised: the bytecode of each of tables.inlinings (NULL: unknown) */
};

struct function {
    uint32_t name_offset, name_nbytes; /* in the map's text */
    uint32_t script;                   /* index in the map's scripts */
    int32_t line, column;              /* from 1; 0 unknown */
    uint64_t key;
    uint32_t pprof; /* in the accumulator, or FINO_PPROF_NONE */
};

struct script {
    int id;
    uint32_t name_offset, name_nbytes;
    int32_t *line_ends; /* NULL: lines are unknown, functions start at their first line */
    size_t line_count;
};

#define CHUNK_CAP 128
struct chunk {
    size_t count;
    uintptr_t starts[CHUNK_CAP];
    struct code *codes[CHUNK_CAP];
};

/* An open-addressing hash table from words to words; 0 is no key. Removed keys leave a tombstone. */
struct table {
    uint64_t *keys;
    uint64_t *values;
    size_t cap, used;
};
#define TOMBSTONE 1

struct jit_map {
    pthread_mutex_t lock;
    struct chunk **chunks; /* ranges of machine code */
    size_t chunk_count, chunk_cap;
    struct table bytecodes; /* object address -> struct code */
    struct table locations; /* hash of (code, offset) -> location + 1 */
    struct table function_index, script_index;
    struct function *functions;
    size_t function_count, function_cap;
    struct script *scripts;
    size_t script_count, script_cap;
    char *text; /* all names */
    size_t text_nbytes, text_cap;
    struct code **moved_from; /* codes at addresses that a collection left, */
    uintptr_t *moved_starts;  /*   found there until jit_map_forget_moved */
    size_t moved_count, moved_cap;
    uint32_t next_id;
    struct jit_map_stats stats;
};

/* Memory: the profiler's tables are small beside V8's heap; without memory for them there is nothing sensible to go on
 * with, and a wrong name is worse than an end. */
static void *must(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

/* ARRAY with room for NEED elements. */
static void *reserve(void *array, size_t *cap, size_t need, size_t element_nbytes) {
    if (need <= *cap) return array;
    while (*cap < need) *cap = *cap ? *cap * 2 : 64;
    return must(realloc(array, *cap * element_nbytes));
}

/* ---- Hash table ---- */

static size_t table_slot(const struct table *table, uint64_t key) {
    size_t mask = table->cap - 1, i = (size_t)XXH3_64bits(&key, sizeof key) & mask;
    size_t free_slot = SIZE_MAX;
    for (; table->keys[i] != 0; i = (i + 1) & mask) {
        if (table->keys[i] == key) return i;
        if (table->keys[i] == TOMBSTONE && free_slot == SIZE_MAX) free_slot = i;
    }
    return free_slot != SIZE_MAX ? free_slot : i;
}

static bool table_get(const struct table *table, uint64_t key, uint64_t *value_out) {
    if (table->cap == 0 || key <= TOMBSTONE) return false;
    size_t i = table_slot(table, key);
    if (table->keys[i] != key) return false;
    *value_out = table->values[i];
    return true;
}

static void table_grow(struct table *table) {
    struct table grown = {.cap = table->cap ? table->cap * 2 : 1024};
    grown.keys = must(calloc(grown.cap, sizeof *grown.keys));
    grown.values = must(calloc(grown.cap, sizeof *grown.values));
    for (size_t i = 0; i < table->cap; i++) {
        if (table->keys[i] <= TOMBSTONE) continue;
        size_t slot = table_slot(&grown, table->keys[i]);
        grown.keys[slot] = table->keys[i];
        grown.values[slot] = table->values[i];
        grown.used++;
    }
    free(table->keys);
    free(table->values);
    *table = grown;
}

static void table_set(struct table *table, uint64_t key, uint64_t value) {
    if (2 * (table->used + 1) > table->cap) table_grow(table);
    size_t i = table_slot(table, key);
    if (table->keys[i] == 0) table->used++; /* a tombstone taken was counted already */
    table->keys[i] = key;
    table->values[i] = value;
}

static void table_remove(struct table *table, uint64_t key) {
    uint64_t ignored;
    if (table_get(table, key, &ignored)) table->keys[table_slot(table, key)] = TOMBSTONE;
}

static void table_free(struct table *table) {
    free(table->keys);
    free(table->values);
}

/* ---- Codes ---- */

static void code_release(struct code *code) {
    if (code == NULL || --code->references > 0) return;
    for (size_t i = 0; code->inlinees != NULL && i < code->tables.inlining_count; i++) code_release(code->inlinees[i]);
    code_release(code->bytecode);
    free(code->inlinees);
    jit_tables_free(&code->tables);
    free(code);
}

static struct code *code_retain(struct code *code) {
    if (code != NULL) code->references++;
    return code;
}

/* ---- Ranges of machine code ---- */

/* The chunk where ADDRESS is or would be: the last one that starts at or before it. */
static size_t chunk_of(const struct jit_map *map, uintptr_t address) {
    size_t low = 0, high = map->chunk_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->chunks[middle]->starts[0] <= address) low = middle;
        else high = middle;
    }
    return low;
}

/* How many of CHUNK's starts are at or before ADDRESS. */
static size_t rank_in(const struct chunk *chunk, uintptr_t address) {
    size_t low = 0, high = chunk->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunk->starts[middle] <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static struct code *range_find(const struct jit_map *map, uintptr_t pc, uintptr_t *start_out) {
    if (map->chunk_count == 0) return NULL;
    const struct chunk *chunk = map->chunks[chunk_of(map, pc)];
    size_t rank = rank_in(chunk, pc);
    if (rank == 0 || pc - chunk->starts[rank - 1] >= chunk->codes[rank - 1]->nbytes) return NULL;
    *start_out = chunk->starts[rank - 1];
    return chunk->codes[rank - 1];
}

static void chunk_insert_at(struct jit_map *map, size_t index, struct chunk *chunk) {
    map->chunks = reserve(map->chunks, &map->chunk_cap, map->chunk_count + 1, sizeof *map->chunks);
    memmove(map->chunks + index + 1, map->chunks + index, (map->chunk_count - index) * sizeof *map->chunks);
    map->chunks[index] = chunk;
    map->chunk_count++;
}

static void chunk_split(struct jit_map *map, size_t index) {
    struct chunk *full = map->chunks[index], *upper = must(malloc(sizeof *upper));
    size_t half = CHUNK_CAP / 2;
    upper->count = full->count - half;
    memcpy(upper->starts, full->starts + half, upper->count * sizeof *upper->starts);
    memcpy(upper->codes, full->codes + half, upper->count * sizeof *upper->codes);
    full->count = half;
    chunk_insert_at(map, index + 1, upper);
}

static void range_remove_at(struct jit_map *map, size_t index, size_t slot) {
    struct chunk *chunk = map->chunks[index];
    code_release(chunk->codes[slot]);
    chunk->count--;
    memmove(chunk->starts + slot, chunk->starts + slot + 1, (chunk->count - slot) * sizeof *chunk->starts);
    memmove(chunk->codes + slot, chunk->codes + slot + 1, (chunk->count - slot) * sizeof *chunk->codes);
    if (chunk->count > 0) return;
    free(chunk);
    map->chunk_count--;
    memmove(map->chunks + index, map->chunks + index + 1, (map->chunk_count - index) * sizeof *map->chunks);
}

/* Finds the first range that overlaps [START, START + NBYTES). */
static bool range_overlap(const struct jit_map *map, uintptr_t start, size_t nbytes, size_t *index_out,
                          size_t *slot_out) {
    if (map->chunk_count == 0) return false;
    size_t index = chunk_of(map, start);
    const struct chunk *chunk = map->chunks[index];
    size_t slot = rank_in(chunk, start);
    if (slot > 0 && start - chunk->starts[slot - 1] < chunk->codes[slot - 1]->nbytes) {
        slot--;
    } else if (slot == chunk->count) {
        if (++index == map->chunk_count) return false;
        chunk = map->chunks[index];
        slot = 0;
    }
    *index_out = index;
    *slot_out = slot;
    return chunk->starts[slot] < start + nbytes;
}

static void range_clear(struct jit_map *map, uintptr_t start, size_t nbytes) {
    size_t index, slot;
    while (range_overlap(map, start, nbytes, &index, &slot)) range_remove_at(map, index, slot);
}

static void range_insert(struct jit_map *map, uintptr_t start, struct code *code) {
    range_clear(map, start, code->nbytes);
    if (map->chunk_count == 0) {
        struct chunk *first = must(malloc(sizeof *first));
        first->count = 0;
        chunk_insert_at(map, 0, first);
    }
    size_t index = chunk_of(map, start);
    if (map->chunks[index]->count == CHUNK_CAP) {
        chunk_split(map, index);
        index = chunk_of(map, start);
    }
    struct chunk *chunk = map->chunks[index];
    size_t slot = rank_in(chunk, start);
    memmove(chunk->starts + slot + 1, chunk->starts + slot, (chunk->count - slot) * sizeof *chunk->starts);
    memmove(chunk->codes + slot + 1, chunk->codes + slot, (chunk->count - slot) * sizeof *chunk->codes);
    chunk->starts[slot] = start;
    chunk->codes[slot] = code_retain(code);
    chunk->count++;
}

/* ---- Bytecode ---- */

static struct code *bytecode_find(const struct jit_map *map, uintptr_t object) {
    uint64_t value;
    return table_get(&map->bytecodes, object, &value) ? (struct code *)(uintptr_t)value : NULL;
}

static void bytecode_insert(struct jit_map *map, uintptr_t object, struct code *code) {
    struct code *old = bytecode_find(map, object);
    table_set(&map->bytecodes, object, (uint64_t)(uintptr_t)code_retain(code));
    code_release(old);
}

static void bytecode_remove(struct jit_map *map, uintptr_t object) {
    struct code *old = bytecode_find(map, object);
    if (old == NULL) return;
    table_remove(&map->bytecodes, object);
    code_release(old);
}

/* ---- Scripts and functions ---- */

static uint32_t keep_text(struct jit_map *map, const char *text, size_t nbytes) {
    map->text = reserve(map->text, &map->text_cap, map->text_nbytes + nbytes, 1);
    memcpy(map->text + map->text_nbytes, text, nbytes);
    map->text_nbytes += nbytes;
    return (uint32_t)(map->text_nbytes - nbytes);
}

static uint32_t intern_script(struct jit_map *map, const struct v8s_code_event *event) {
    uint64_t key = (uint64_t)(uint32_t)event->script_id + 2, index;
    if (table_get(&map->script_index, key, &index)) return (uint32_t)index;
    char name[4096];
    size_t name_nbytes = v8s_code_event_script_name(event, name, sizeof name);
    struct script script = {.id = event->script_id, .name_offset = keep_text(map, name, name_nbytes)};
    script.name_nbytes = (uint32_t)name_nbytes;
    if (jit_layout_get()->known) script.line_ends = jit_layout_line_ends(event->shared, &script.line_count);
    map->scripts = reserve(map->scripts, &map->script_cap, map->script_count + 1, sizeof *map->scripts);
    map->scripts[map->script_count] = script;
    table_set(&map->script_index, key, map->script_count);
    return (uint32_t)map->script_count++;
}

/* An event's name, "Tag:*name url:line:col", taken apart. */
struct event_name {
    const char *tag;
    size_t tag_nbytes;
    char marker; /* '~' interpreted, '^' baseline, '*' optimised, or 0 */
    const char *name;
    size_t name_nbytes;
    int32_t line, column;
};

/* Takes ":123" off the end of [text, *end). */
static int32_t take_number(const char *text, const char **end) {
    const char *from = *end;
    while (from > text && from[-1] >= '0' && from[-1] <= '9') from--;
    if (from == *end || from == text || from[-1] != ':' || *end - from > 9) return 0;
    int32_t number = 0;
    for (const char *digit = from; digit < *end; digit++) number = number * 10 + (*digit - '0');
    *end = from - 1;
    return number;
}

static struct event_name parse_event_name(const struct v8s_code_event *event, const char *script_name,
                                          size_t script_name_nbytes) {
    struct event_name parsed = {.tag = event->name};
    const char *text = event->name, *end = text + event->name_nbytes;
    const char *colon = memchr(text, ':', event->name_nbytes);
    if (colon != NULL) {
        parsed.tag_nbytes = (size_t)(colon - text);
        text = colon + 1;
        if (text < end && strchr("~^*+?", *text) != NULL && *text != '\0') parsed.marker = *text++;
    }
    if (event->script != NULL) {
        parsed.column = take_number(text, &end);
        parsed.line = take_number(text, &end);
        if ((size_t)(end - text) > script_name_nbytes &&
            memcmp(end - script_name_nbytes, script_name, script_name_nbytes) == 0) {
            end -= script_name_nbytes;
            if (end > text && end[-1] == ' ') end--;
        }
    }
    parsed.name = text;
    parsed.name_nbytes = (size_t)(end - text);
    return parsed;
}

static uint32_t intern_function(struct jit_map *map, uint32_t script, const struct event_name *name) {
    struct {
        uint32_t script;
        int32_t line, column;
        uint32_t padding;
    } place = {script, name->line, name->column, 0};
    uint64_t index;
    uint64_t key = XXH3_64bits_withSeed(name->name, name->name_nbytes, XXH3_64bits(&place, sizeof place));
    if (key <= TOMBSTONE) key += 2;
    if (table_get(&map->function_index, key, &index)) return (uint32_t)index;
    struct function function = {.script = script, .line = name->line, .column = name->column, .key = key};
    function.name_offset = keep_text(map, name->name, name->name_nbytes);
    function.name_nbytes = (uint32_t)name->name_nbytes;
    function.pprof = FINO_PPROF_NONE;
    map->functions = reserve(map->functions, &map->function_cap, map->function_count + 1, sizeof *map->functions);
    map->functions[map->function_count] = function;
    table_set(&map->function_index, key, map->function_count);
    return (uint32_t)map->function_count++;
}

/* ---- Events ---- */

static bool tag_is(const struct event_name *name, const char *tag) {
    return name->tag_nbytes == strlen(tag) && memcmp(name->tag, tag, name->tag_nbytes) == 0;
}

static bool name_starts(const struct event_name *name, const char *prefix) {
    return name->name_nbytes >= strlen(prefix) && memcmp(name->name, prefix, strlen(prefix)) == 0;
}

/* Builtins that run on an interpreted function's own frame. */
static bool is_interpreter(const struct event_name *name) {
    return tag_is(name, "BytecodeHandler") || name_starts(name, "InterpreterEntryTrampoline") ||
           name_starts(name, "InterpreterEnterAt") || name_starts(name, "BaselineOrInterpreterEnterAt") ||
           name_starts(name, "BaselineOutOfLinePrologue");
}

static enum code_kind kind_of(const struct v8s_code_event *event, const struct event_name *name) {
    if (event->kind == V8S_CODE_BYTECODE) return CODE_BYTECODE;
    if (event->kind == V8S_CODE_WASM) return CODE_WASM;
    if (event->script != NULL && name->marker == '*') return CODE_OPTIMIZED;
    if (event->script != NULL && name->marker == '^') return CODE_BASELINE;
    if (tag_is(name, "RegExp")) return CODE_REGEXP;
    if (is_interpreter(name)) return CODE_INTERPRETER;
    if (tag_is(name, "Builtin") || tag_is(name, "Stub") || tag_is(name, "BytecodeHandler")) return CODE_BUILTIN;
    return CODE_OTHER;
}

/* Finds the bytecode of those inlined functions that have none yet. */
static void find_inlinees(struct jit_map *map, struct code *code) {
    for (size_t i = 0; i < code->tables.inlining_count; i++) {
        if (code->inlinees[i] != NULL) continue;
        code->inlinees[i] = code_retain(bytecode_find(map, code->tables.inlinings[i].bytecode));
        if (code->inlinees[i] != NULL) map->stats.inlinings_known++;
    }
}

static void read_optimized(struct jit_map *map, struct code *code) {
    map->stats.optimized++;
    if (!jit_layout_read_optimized(code->start, code->nbytes, &code->tables)) {
        map->stats.optimized_bad++;
        return;
    }
    map->stats.inlinings += code->tables.inlining_count;
    if (code->tables.inlining_count == 0) return;
    code->inlinees = must(calloc(code->tables.inlining_count, sizeof(struct code *)));
    find_inlinees(map, code);
}

static void read_tables(struct jit_map *map, struct code *code) {
    if (!jit_layout_get()->known) return;
    if (code->kind == CODE_BYTECODE) {
        (void)jit_layout_read_bytecode(code->start, code->nbytes, &code->tables);
    } else if (code->kind == CODE_OPTIMIZED) {
        read_optimized(map, code);
    } else if (code->kind == CODE_BASELINE) {
        if (jit_layout_read_baseline(code->start, code->nbytes, &code->tables))
            code->bytecode = code_retain(bytecode_find(map, code->tables.bytecode));
    }
}

static void on_added(struct jit_map *map, const struct v8s_code_event *event) {
    uint32_t script = event->script != NULL ? intern_script(map, event) : UINT32_MAX;
    const struct script *of = script != UINT32_MAX ? &map->scripts[script] : NULL;
    struct event_name name =
        parse_event_name(event, of ? map->text + of->name_offset : "", of ? of->name_nbytes : 0);
    struct code *code = must(calloc(1, sizeof *code));
    code->start = event->start;
    code->nbytes = event->nbytes;
    code->id = ++map->next_id;
    code->kind = kind_of(event, &name);
    code->function = intern_function(map, script, &name);
    read_tables(map, code);
    code->references = 1;
    if (code->kind == CODE_BYTECODE) bytecode_insert(map, jit_layout_bytecode_object(code->start), code);
    else range_insert(map, code->start, code);
    code_release(code);
}

static void remember_moved(struct jit_map *map, struct code *code, uintptr_t start) {
    size_t cap = map->moved_cap;
    map->moved_from = reserve(map->moved_from, &cap, map->moved_count + 1, sizeof *map->moved_from);
    map->moved_starts = reserve(map->moved_starts, &map->moved_cap, map->moved_count + 1, sizeof *map->moved_starts);
    map->moved_from[map->moved_count] = code_retain(code);
    map->moved_starts[map->moved_count++] = start;
}

static void on_moved(struct jit_map *map, const struct v8s_code_event *event) {
    map->stats.moves++;
    if (event->kind == V8S_CODE_BYTECODE) {
        uintptr_t object = jit_layout_bytecode_object(event->start);
        struct code *code = bytecode_find(map, object);
        if (code == NULL) return;
        remember_moved(map, code, object);
        bytecode_insert(map, jit_layout_bytecode_object(event->new_start), code);
        code->start = event->new_start;
        return;
    }
    uintptr_t start;
    struct code *code = range_find(map, event->start, &start);
    if (code == NULL || start != event->start) return;
    code_retain(code); /* the new place may overlap the old one */
    remember_moved(map, code, start);
    range_insert(map, event->new_start, code);
    code->start = event->new_start;
    code_release(code);
}

static void on_removed(struct jit_map *map, const struct v8s_code_event *event) {
    if (event->kind == V8S_CODE_BYTECODE) bytecode_remove(map, jit_layout_bytecode_object(event->start));
    else range_clear(map, event->start, 1);
}

/* ---- Locations ---- */

static uint32_t pprof_text(const struct jit_map *map, fino_pprof *profile, uint32_t offset, uint32_t nbytes) {
    return fino_pprof_string(profile, map->text + offset, nbytes);
}

/* The last "/"-separated part of a script's name. */
static const char *base_name(const char *name, size_t nbytes, size_t *nbytes_out) {
    size_t from = nbytes;
    while (from > 0 && name[from - 1] != '/') from--;
    *nbytes_out = nbytes - from;
    return name + from;
}

/* "(anonymous) app.ts:12:8": unnamed functions stay apart also where a reader shows names alone. */
static uint32_t anonymous_name(const struct jit_map *map, fino_pprof *profile, const struct function *function,
                               const char *what) {
    char name[256], place[64];
    const char *base = "[eval]";
    size_t base_nbytes = strlen(base);
    if (function->script != UINT32_MAX && map->scripts[function->script].name_nbytes > 0) {
        const struct script *script = &map->scripts[function->script];
        base = base_name(map->text + script->name_offset, script->name_nbytes, &base_nbytes);
    }
    if (base_nbytes > 150) base_nbytes = 150;
    int place_nbytes = snprintf(place, sizeof place, ":%d:%d", function->line, function->column);
    int nbytes = snprintf(name, sizeof name, "%s %.*s%.*s", what, (int)base_nbytes, base, place_nbytes, place);
    return fino_pprof_string(profile, name, (size_t)nbytes);
}

static uint32_t bracketed_name(const struct jit_map *map, fino_pprof *profile, const struct function *function,
                               const char *what) {
    char name[512];
    int nbytes = snprintf(name, sizeof name, "[%s] %.*s", what, (int)function->name_nbytes > 400 ? 400 : (int)function->name_nbytes,
                          map->text + function->name_offset);
    return fino_pprof_string(profile, name, (size_t)nbytes);
}

static uint32_t display_name(const struct jit_map *map, fino_pprof *profile, const struct function *function,
                             enum code_kind kind) {
    switch (kind) {
        case CODE_BUILTIN: return bracketed_name(map, profile, function, "builtin");
        case CODE_REGEXP: return bracketed_name(map, profile, function, "regexp");
        case CODE_WASM: return bracketed_name(map, profile, function, "wasm");
        case CODE_OTHER: return bracketed_name(map, profile, function, "v8");
        default: break;
    }
    if (function->name_nbytes > 0) return pprof_text(map, profile, function->name_offset, function->name_nbytes);
    /* A script's or module's own code is the "function" that starts with it. */
    bool is_top = function->line == 1 && function->column == 1;
    return anonymous_name(map, profile, function, is_top ? "(module)" : "(anonymous)");
}

/* The function of CODE in the accumulator. Its system name holds its place, so that functions of one name, file and line
 * are still not one. */
static uint32_t pprof_function(struct jit_map *map, fino_pprof *profile, const struct code *code) {
    struct function *function = &map->functions[code->function];
    if (function->pprof != FINO_PPROF_NONE) return function->pprof;
    struct fino_pprof_function described = {.name = display_name(map, profile, function, code->kind)};
    described.system_name = described.name;
    if (function->script != UINT32_MAX) {
        const struct script *script = &map->scripts[function->script];
        char system[320];
        int nbytes = snprintf(system, sizeof system, "%.*s:%d:%d",
                              function->name_nbytes > 256 ? 256 : (int)function->name_nbytes,
                              map->text + function->name_offset, function->line, function->column);
        described.system_name = fino_pprof_string(profile, system, (size_t)nbytes);
        described.filename = script->name_nbytes > 0 ? pprof_text(map, profile, script->name_offset, script->name_nbytes)
                                                     : fino_pprof_string(profile, "[eval]", 6);
        described.start_line = function->line;
    }
    return function->pprof = fino_pprof_add_function(profile, &described);
}

/* The line (from 1) of a source offset: the first line that ends at or after it. */
static int64_t line_of(const struct jit_map *map, const struct code *code, int32_t offset) {
    const struct function *function = &map->functions[code->function];
    if (function->script == UINT32_MAX) return 0;
    const struct script *script = &map->scripts[function->script];
    if (script->line_ends == NULL || offset < 0) return function->line;
    size_t low = 0, high = script->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (script->line_ends[middle] < offset) low = middle + 1;
        else high = middle;
    }
    return (int64_t)low + 1;
}

#define MAX_INLINE_DEPTH 64

static uint32_t add_location(fino_pprof *profile, const struct fino_pprof_line *lines, size_t count) {
    return fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, lines, count);
}

static uint32_t locate_optimized(struct jit_map *map, fino_pprof *profile, const struct code *code, int32_t offset) {
    struct fino_pprof_line lines[MAX_INLINE_DEPTH];
    size_t count = 0;
    struct jit_position position = {.offset = -1, .inlining = -1};
    (void)jit_positions_find(code->tables.positions, code->tables.positions_nbytes, offset, &position);
    while (position.inlining >= 0 && (size_t)position.inlining < code->tables.inlining_count &&
           count < MAX_INLINE_DEPTH - 1) {
        const struct jit_inlining *inlining = &code->tables.inlinings[position.inlining];
        const struct code *inlinee = code->inlinees[position.inlining];
        if (inlinee != NULL)
            lines[count++] = (struct fino_pprof_line){.function = pprof_function(map, profile, inlinee),
                                                      .line = line_of(map, inlinee, position.offset)};
        position = (struct jit_position){.offset = inlining->position, .inlining = inlining->parent};
    }
    lines[count++] = (struct fino_pprof_line){.function = pprof_function(map, profile, code),
                                              .line = line_of(map, code, position.offset)};
    return add_location(profile, lines, count);
}

/* BYTECODE at OFFSET, in bytes from its first bytecode. */
static uint32_t locate_bytecode(struct jit_map *map, fino_pprof *profile, const struct code *bytecode,
                                int32_t offset) {
    struct jit_position position = {.offset = -1, .inlining = -1};
    (void)jit_positions_find(bytecode->tables.positions, bytecode->tables.positions_nbytes, offset, &position);
    struct fino_pprof_line line = {.function = pprof_function(map, profile, bytecode),
                                   .line = line_of(map, bytecode, position.offset)};
    return add_location(profile, &line, 1);
}

static uint32_t locate_simple(struct jit_map *map, fino_pprof *profile, const struct code *code) {
    struct fino_pprof_line line = {.function = pprof_function(map, profile, code),
                                   .line = map->functions[code->function].line};
    return add_location(profile, &line, 1);
}

/* Locates through the cache: the same offset of the same code is the same place. */
static uint32_t locate_cached(struct jit_map *map, fino_pprof *profile, const struct code *code, int32_t offset) {
    uint64_t key = ((uint64_t)code->id << 32 | (uint32_t)offset) + 2, location;
    if (table_get(&map->locations, key, &location)) return (uint32_t)location;
    uint32_t found;
    switch (code->kind) {
        case CODE_OPTIMIZED: found = locate_optimized(map, profile, code, offset); break;
        case CODE_BYTECODE: found = locate_bytecode(map, profile, code, offset); break;
        default: found = locate_simple(map, profile, code); break;
    }
    table_set(&map->locations, key, found);
    return found;
}

/* The offset a frame's slot holds, a Smi counted from the tagged array pointer, from the first bytecode. */
static int32_t bytecode_offset_of(uintptr_t slot) {
    return (int32_t)(slot >> 32) - (jit_layout_get()->bytecode_data - 1);
}

static enum jit_frame_result locate_interpreted(struct jit_map *map, fino_pprof *profile,
                                                const struct jit_frame *frame, uint32_t *location_out) {
    const struct code *bytecode = (frame->bytecode_array & 3) == 1 ? bytecode_find(map, frame->bytecode_array - 1) : NULL;
    if (bytecode == NULL) return JIT_FRAME_UNKNOWN;
    *location_out = locate_cached(map, profile, bytecode, bytecode_offset_of(frame->bytecode_offset));
    return JIT_FRAME_NAMED;
}

static uint32_t locate_baseline(struct jit_map *map, fino_pprof *profile, const struct code *code, int32_t offset) {
    if (code->bytecode == NULL) return locate_cached(map, profile, code, offset);
    int32_t bytecode_offset = jit_baseline_bytecode_offset(&code->tables, &code->bytecode->tables, offset);
    return locate_cached(map, profile, code->bytecode, bytecode_offset < 0 ? 0 : bytecode_offset);
}

static enum jit_frame_result locate(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                    uint32_t *location_out) {
    uintptr_t start, pc = frame->is_leaf ? frame->pc : frame->pc - 1;
    const struct code *code = range_find(map, pc, &start);
    if (code == NULL) return JIT_FRAME_UNKNOWN;
    if (code->kind == CODE_INTERPRETER) return locate_interpreted(map, profile, frame, location_out);
    int32_t offset = (int32_t)(pc - start);
    *location_out = code->kind == CODE_BASELINE ? locate_baseline(map, profile, code, offset)
                                                : locate_cached(map, profile, code, offset);
    return JIT_FRAME_NAMED;
}

static enum jit_frame_result locate_frameless(struct jit_map *map, fino_pprof *profile, uintptr_t pc,
                                              uint32_t *location_out) {
    uintptr_t start;
    const struct code *code = range_find(map, pc, &start);
    if (code == NULL) return JIT_FRAME_UNKNOWN;
    if (code->kind == CODE_INTERPRETER) return JIT_FRAME_NOTHING;
    *location_out = locate_cached(map, profile, code, (int32_t)(pc - start));
    return JIT_FRAME_NAMED;
}

/* Which of BELOW's return addresses is in code made from BYTECODE; 0: none. */
static uintptr_t choose_return_address(const struct jit_map *map, const struct jit_below *below,
                                       const struct code *bytecode) {
    for (size_t i = 0; i < sizeof below->return_addresses / sizeof *below->return_addresses; i++) {
        uintptr_t start, address = below->return_addresses[i];
        const struct code *code = address != 0 ? range_find(map, address - 1, &start) : NULL;
        if (code != NULL && (code->kind == CODE_OPTIMIZED || code->kind == CODE_BASELINE) &&
            code->function == bytecode->function)
            return address;
    }
    return 0;
}

static enum jit_frame_result locate_below(struct jit_map *map, fino_pprof *profile, const struct jit_below *below,
                                          uint32_t *location_out) {
    uintptr_t object = jit_layout_bytecode_of_shared(below->shared);
    if (object == 0) return JIT_FRAME_NOTHING; /* the function of a builtin: the leaf's own frame */
    const struct code *bytecode = bytecode_find(map, object);
    if (bytecode == NULL) return JIT_FRAME_UNKNOWN;
    struct jit_frame frame = {.pc = choose_return_address(map, below, bytecode)};
    if (frame.pc != 0) return locate(map, profile, &frame, location_out);
    bool interpreted = below->bytecode_array == (object | 1);
    int32_t offset = interpreted ? bytecode_offset_of(below->bytecode_offset) : 0;
    *location_out = locate_cached(map, profile, bytecode, offset);
    return JIT_FRAME_NAMED;
}

/* ---- Interface ---- */

struct jit_map *jit_map_new(void) {
    struct jit_map *map = calloc(1, sizeof *map);
    if (map != NULL) pthread_mutex_init(&map->lock, NULL);
    return map;
}

void jit_map_free(struct jit_map *map) {
    if (map == NULL) return;
    jit_map_forget_moved(map);
    range_clear(map, 0, SIZE_MAX);
    for (size_t i = 0; i < map->bytecodes.cap; i++)
        if (map->bytecodes.keys[i] > TOMBSTONE) code_release((struct code *)(uintptr_t)map->bytecodes.values[i]);
    for (size_t i = 0; i < map->script_count; i++) free(map->scripts[i].line_ends);
    table_free(&map->bytecodes);
    table_free(&map->locations);
    table_free(&map->function_index);
    table_free(&map->script_index);
    free(map->functions);
    free(map->scripts);
    free(map->text);
    free(map->moved_from);
    free(map->moved_starts);
    free(map->chunks);
    pthread_mutex_destroy(&map->lock);
    free(map);
}

bool jit_map_would_replace(const struct jit_map *map, const struct v8s_code_event *event) {
    size_t index, slot;
    if (event->type != V8S_CODE_ADDED) return false;
    if (event->kind == V8S_CODE_BYTECODE) return bytecode_find(map, jit_layout_bytecode_object(event->start)) != NULL;
    return range_overlap(map, event->start, event->nbytes, &index, &slot);
}

void jit_map_event(struct jit_map *map, const struct v8s_code_event *event) {
    pthread_mutex_lock(&map->lock);
    map->stats.events++;
    switch (event->type) {
        case V8S_CODE_ADDED: on_added(map, event); break;
        case V8S_CODE_MOVED: on_moved(map, event); break;
        case V8S_CODE_REMOVED: on_removed(map, event); break;
    }
    pthread_mutex_unlock(&map->lock);
}

void jit_map_forget_moved(struct jit_map *map) {
    pthread_mutex_lock(&map->lock);
    for (size_t i = 0; i < map->moved_count; i++) {
        struct code *code = map->moved_from[i];
        uintptr_t left = map->moved_starts[i], start;
        if (code->kind == CODE_BYTECODE) {
            if (bytecode_find(map, left) == code && jit_layout_bytecode_object(code->start) != left)
                bytecode_remove(map, left);
        } else if (range_find(map, left, &start) == code && start == left && code->start != left) {
            range_clear(map, left, 1);
        }
        code_release(code);
    }
    map->moved_count = 0;
    pthread_mutex_unlock(&map->lock);
}

void jit_map_settle(struct jit_map *map) {
    pthread_mutex_lock(&map->lock);
    for (size_t i = 0; i < map->chunk_count; i++)
        for (size_t j = 0; j < map->chunks[i]->count; j++) find_inlinees(map, map->chunks[i]->codes[j]);
    pthread_mutex_unlock(&map->lock);
}

enum jit_frame_result jit_map_locate(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                     uint32_t *location_out) {
    pthread_mutex_lock(&map->lock);
    enum jit_frame_result result = locate(map, profile, frame, location_out);
    pthread_mutex_unlock(&map->lock);
    return result;
}

enum jit_frame_result jit_map_locate_frameless(struct jit_map *map, fino_pprof *profile, uintptr_t pc,
                                               uint32_t *location_out) {
    pthread_mutex_lock(&map->lock);
    enum jit_frame_result result = locate_frameless(map, profile, pc, location_out);
    pthread_mutex_unlock(&map->lock);
    return result;
}

enum jit_frame_result jit_map_locate_below(struct jit_map *map, fino_pprof *profile, const struct jit_below *below,
                                           uint32_t *location_out) {
    pthread_mutex_lock(&map->lock);
    enum jit_frame_result result = locate_below(map, profile, below, location_out);
    pthread_mutex_unlock(&map->lock);
    return result;
}

struct jit_map_stats jit_map_get_stats(const struct jit_map *map) {
    return map->stats;
}
