/* jit_map.c: see jit_map.h. Takes in code events.
 *
 * Machine code is found by address range; bytecode by the exact address of its array, which is what an interpreted
 * frame holds. A `jit_code` is shared by every place it is at. Functions are told apart by script and position, so that
 * all tiers of one function are one function. */
#include "runtime/jit_map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/jit_code.h"

/* ---- Codes ---- */

void jit_code_release(struct jit_code *code) {
    if (code == NULL || --code->references > 0) return;
    for (size_t i = 0; code->inlinees != NULL && i < code->tables.inlining_count; i++)
        jit_code_release(code->inlinees[i]);
    jit_code_release(code->bytecode);
    free(code->inlinees);
    jit_tables_free(&code->tables);
    free(code);
}

struct jit_code *jit_code_retain(struct jit_code *code) {
    if (code != NULL) code->references++;
    return code;
}

/* ---- Bytecode ---- */

struct jit_code *jit_map_find_bytecode(const struct jit_map *map, uintptr_t object) {
    uint64_t value;
    return jit_table_get(&map->bytecodes, object, &value) ? (struct jit_code *)(uintptr_t)value : NULL;
}

static void bytecode_insert(struct jit_map *map, uintptr_t object, struct jit_code *code) {
    struct jit_code *old = jit_map_find_bytecode(map, object);
    jit_table_set(&map->bytecodes, object, (uint64_t)(uintptr_t)jit_code_retain(code));
    jit_code_release(old);
}

static void bytecode_remove(struct jit_map *map, uintptr_t object) {
    struct jit_code *old = jit_map_find_bytecode(map, object);
    if (old == NULL) return;
    jit_table_remove(&map->bytecodes, object);
    jit_code_release(old);
}

/* ---- Scripts and functions ---- */

static uint32_t keep_text(struct jit_map *map, const char *text, size_t nbytes) {
    map->text = jit_reserve(map->text, &map->text_cap, map->text_nbytes + nbytes, 1);
    memcpy(map->text + map->text_nbytes, text, nbytes);
    map->text_nbytes += nbytes;
    return (uint32_t)(map->text_nbytes - nbytes);
}

static uint32_t intern_script(struct jit_map *map, const struct v8s_code_event *event) {
    uint64_t key = (uint64_t)(uint32_t)event->script_id + 2, index;
    if (jit_table_get(&map->script_index, key, &index)) return (uint32_t)index;
    char name[4096];
    size_t name_nbytes = v8s_code_event_script_name(event, name, sizeof name);
    struct jit_script script = {.name_offset = keep_text(map, name, name_nbytes)};
    script.name_nbytes = (uint32_t)name_nbytes;
    if (jit_layout_get()->known) script.line_ends = jit_layout_line_ends(event->shared, &script.line_count);
    map->scripts = jit_reserve(map->scripts, &map->script_cap, map->script_count + 1, sizeof *map->scripts);
    map->scripts[map->script_count] = script;
    jit_table_set(&map->script_index, key, map->script_count);
    return (uint32_t)map->script_count++;
}

/* An event's name, "Tag:*name url:line:col", taken apart. */
struct event_name {
    const char *tag;
    size_t tag_nbytes;
    char marker; /* '~' interpreted, '^' baseline, '*' optimised, or 0 */
    const char *name;
    size_t name_nbytes;
    int32_t line;
};

/* Takes ":123" off the end of [text, *end). */
static int32_t take_number(const char *text, const char **end) {
    const char *from = *end;
    while (from > text && from[-1] >= '0' && from[-1] <= '9')
        from--;
    if (from == *end || from == text || from[-1] != ':' || *end - from > 9) return 0;
    int32_t number = 0;
    for (const char *digit = from; digit < *end; digit++)
        number = number * 10 + (*digit - '0');
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
        bool has_marker = event->script != NULL && text < end && *text != '\0' && strchr("~^*+?", *text) != NULL;
        if (has_marker) parsed.marker = *text++; /* of a regular expression it would be part of the pattern */
    }
    if (event->script != NULL) {
        /* V8 10.2 ends a name in ":line", later ones in ":line:column". */
        int32_t last = take_number(text, &end), before = take_number(text, &end);
        parsed.line = before != 0 ? before : last;
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

static bool tag_is(const struct event_name *name, const char *tag) {
    return name->tag_nbytes == strlen(tag) && memcmp(name->tag, tag, name->tag_nbytes) == 0;
}

static uint32_t intern_function(struct jit_map *map, uint32_t script, const struct event_name *name, int32_t position) {
    struct {
        uint32_t script;
        int32_t line, position;
        uint32_t padding;
    } place = {script, name->line, position, 0};
    uint64_t index;
    uint64_t key = XXH3_64bits_withSeed(name->name, name->name_nbytes, XXH3_64bits(&place, sizeof place));
    if (key < JIT_TABLE_KEY_MIN) key += JIT_TABLE_KEY_MIN;
    if (jit_table_get(&map->function_index, key, &index)) return (uint32_t)index;
    struct jit_function function = {.script = script, .line = name->line, .position = position};
    function.is_top = tag_is(name, "Script") || tag_is(name, "Eval");
    function.name_offset = keep_text(map, name->name, name->name_nbytes);
    function.name_nbytes = (uint32_t)name->name_nbytes;
    function.pprof = FINO_PPROF_NONE;
    map->functions = jit_reserve(map->functions, &map->function_cap, map->function_count + 1, sizeof *map->functions);
    map->functions[map->function_count] = function;
    jit_table_set(&map->function_index, key, map->function_count);
    return (uint32_t)map->function_count++;
}

/* ---- Events ---- */

static bool name_starts(const struct event_name *name, const char *prefix) {
    return name->name_nbytes >= strlen(prefix) && memcmp(name->name, prefix, strlen(prefix)) == 0;
}

/* Builtins that run on an interpreted function's own frame. */
static bool is_interpreter(const struct event_name *name) {
    return tag_is(name, "BytecodeHandler") || name_starts(name, "InterpreterEntryTrampoline") ||
           name_starts(name, "InterpreterEnterAt") || name_starts(name, "BaselineOrInterpreterEnterAt") ||
           name_starts(name, "BaselineOutOfLinePrologue");
}

static enum jit_code_kind kind_of(const struct v8s_code_event *event, const struct event_name *name) {
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
static void find_inlinees(void *context, struct jit_code *code) {
    struct jit_map *map = context;
    for (size_t i = 0; i < code->tables.inlining_count; i++) {
        if (code->inlinees[i] != NULL) continue;
        code->inlinees[i] = jit_code_retain(jit_map_find_bytecode(map, code->tables.inlinings[i].bytecode));
        if (code->inlinees[i] != NULL) map->stats.inlinings_known++;
    }
}

static void read_optimized(struct jit_map *map, struct jit_code *code) {
    map->stats.optimized++;
    if (!jit_layout_read_optimized(code->start, code->nbytes, &code->tables)) {
        map->stats.optimized_bad++;
        return;
    }
    map->stats.inlinings += code->tables.inlining_count;
    if (code->tables.inlining_count == 0) return;
    code->inlinees = jit_must(calloc(code->tables.inlining_count, sizeof(struct jit_code *)));
    find_inlinees(map, code);
}

static void read_tables(struct jit_map *map, struct jit_code *code) {
    if (!jit_layout_get()->known) return;
    if (code->kind == CODE_BYTECODE) {
        (void)jit_layout_read_bytecode(code->start, code->nbytes, &code->tables);
    } else if (code->kind == CODE_OPTIMIZED) {
        read_optimized(map, code);
    } else if (code->kind == CODE_BASELINE) {
        if (jit_layout_read_baseline(code->start, code->nbytes, &code->tables))
            code->bytecode = jit_code_retain(jit_map_find_bytecode(map, code->tables.bytecode));
    }
}

/* Machine code has its bytecode's function, so that all tiers are one. */
static uint32_t function_of(struct jit_map *map, const struct v8s_code_event *event, const struct jit_code *code,
                            uint32_t script, const struct event_name *name) {
    struct jit_position first = {.offset = -1};
    if (code->kind == CODE_BYTECODE) {
        (void)jit_positions_first(code->tables.positions, code->tables.positions_nbytes, &first);
    } else if (jit_layout_get()->known && event->shared != 0) {
        const struct jit_code *bytecode = jit_map_find_bytecode(map, jit_layout_bytecode_of_shared(event->shared));
        if (bytecode != NULL) return bytecode->function;
    }
    return intern_function(map, script, name, first.offset);
}

static void on_added(struct jit_map *map, const struct v8s_code_event *event) {
    uint32_t script = event->script != NULL ? intern_script(map, event) : UINT32_MAX;
    const struct jit_script *of = script != UINT32_MAX ? &map->scripts[script] : NULL;
    struct event_name name = parse_event_name(event, of ? map->text + of->name_offset : "", of ? of->name_nbytes : 0);
    struct jit_code *code = jit_must(calloc(1, sizeof *code));
    code->start = event->start;
    code->nbytes = event->nbytes;
    code->id = ++map->next_id;
    code->kind = kind_of(event, &name);
    read_tables(map, code);
    code->function = function_of(map, event, code, script, &name);
    code->references = 1;
    if (code->kind == CODE_BYTECODE)
        bytecode_insert(map, jit_layout_bytecode_object(code->start), code);
    else
        jit_ranges_insert(&map->machine_code, code->start, code);
    jit_code_release(code);
}

static void remember_moved(struct jit_map *map, struct jit_code *code, uintptr_t from) {
    map->moved = jit_reserve(map->moved, &map->moved_cap, map->moved_count + 1, sizeof *map->moved);
    map->moved[map->moved_count++] = (struct jit_moved){jit_code_retain(code), from};
}

static void on_moved(struct jit_map *map, const struct v8s_code_event *event) {
    map->stats.moves++;
    if (event->kind == V8S_CODE_BYTECODE) {
        uintptr_t object = jit_layout_bytecode_object(event->start);
        struct jit_code *code = jit_map_find_bytecode(map, object);
        if (code == NULL) return;
        remember_moved(map, code, object);
        bytecode_insert(map, jit_layout_bytecode_object(event->new_start), code);
        code->start = event->new_start;
        return;
    }
    uintptr_t start;
    struct jit_code *code = jit_ranges_find(&map->machine_code, event->start, &start);
    if (code == NULL || start != event->start) return;
    jit_code_retain(code); /* the new place may overlap the old one */
    remember_moved(map, code, start);
    jit_ranges_insert(&map->machine_code, event->new_start, code);
    code->start = event->new_start;
    jit_code_release(code);
}

static void on_removed(struct jit_map *map, const struct v8s_code_event *event) {
    if (event->kind == V8S_CODE_BYTECODE)
        bytecode_remove(map, jit_layout_bytecode_object(event->start));
    else
        jit_ranges_clear(&map->machine_code, event->start, 1);
}

/* ---- Interface ---- */

void jit_map_set_columns(struct jit_map *map, const struct jit_columns *columns) {
    map->columns = *columns;
}

struct jit_map *jit_map_new(uintptr_t embedded_start, uintptr_t embedded_limit) {
    struct jit_map *map = calloc(1, sizeof *map);
    if (map == NULL) return NULL;
    map->embedded_start = embedded_start;
    map->embedded_limit = embedded_limit;
    pthread_mutex_init(&map->lock, NULL);
    return map;
}

void jit_map_free(struct jit_map *map) {
    if (map == NULL) return;
    jit_map_forget_moved(map);
    jit_ranges_free(&map->machine_code);
    for (size_t i = 0; i < map->bytecodes.cap; i++)
        if (map->bytecodes.keys[i] >= JIT_TABLE_KEY_MIN)
            jit_code_release((struct jit_code *)(uintptr_t)map->bytecodes.values[i]);
    for (size_t i = 0; i < map->script_count; i++)
        free(map->scripts[i].line_ends);
    jit_table_free(&map->bytecodes);
    jit_table_free(&map->locations);
    jit_table_free(&map->function_index);
    jit_table_free(&map->script_index);
    free(map->functions);
    free(map->scripts);
    free(map->text);
    free(map->moved);
    pthread_mutex_destroy(&map->lock);
    free(map);
}

bool jit_map_would_replace(const struct jit_map *map, const struct v8s_code_event *event) {
    if (event->type != V8S_CODE_ADDED) return false;
    if (event->kind == V8S_CODE_BYTECODE)
        return jit_map_find_bytecode(map, jit_layout_bytecode_object(event->start)) != NULL;
    return jit_ranges_overlap(&map->machine_code, event->start, event->nbytes);
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
        struct jit_code *code = map->moved[i].code;
        uintptr_t left = map->moved[i].from, start;
        if (code->kind == CODE_BYTECODE) {
            if (jit_map_find_bytecode(map, left) == code && jit_layout_bytecode_object(code->start) != left)
                bytecode_remove(map, left);
        } else if (jit_ranges_find(&map->machine_code, left, &start) == code && start == left && code->start != left) {
            jit_ranges_clear(&map->machine_code, left, 1);
        }
        jit_code_release(code);
    }
    map->moved_count = 0;
    pthread_mutex_unlock(&map->lock);
}

bool jit_map_is_named(const struct jit_map *map, const struct jit_code *code, const char *name) {
    const struct jit_function *function = &map->functions[code->function];
    return function->name_nbytes == strlen(name) && memcmp(map->text + function->name_offset, name, strlen(name)) == 0;
}

void jit_map_settle(struct jit_map *map) {
    pthread_mutex_lock(&map->lock);
    jit_ranges_each(&map->machine_code, find_inlinees, map);
    pthread_mutex_unlock(&map->lock);
}

struct jit_map_stats jit_map_get_stats(const struct jit_map *map) {
    return map->stats;
}
