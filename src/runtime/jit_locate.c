/* jit_locate.c: from a raw frame to functions and lines, and to a location of the profile; see jit_map.h. */
#include <stdio.h>
#include <string.h>

#include "runtime/jit_code.h"

/* ---- Names ---- */

static uint32_t pprof_text(const struct jit_map *map, fino_pprof *profile, uint32_t offset, uint32_t nbytes) {
    return fino_pprof_string(profile, map->text + offset, nbytes);
}

/* The last "/"-separated part of a script's name. */
static const char *base_name(const char *name, size_t nbytes, size_t *nbytes_out) {
    size_t from = nbytes;
    while (from > 0 && name[from - 1] != '/')
        from--;
    *nbytes_out = nbytes - from;
    return name + from;
}

/* The column in the file of COLUMN, which is V8's. */
static uint32_t source_column(const struct jit_map *map, const struct jit_function *function, uint32_t column) {
    const struct jit_script *script = &map->scripts[function->script];
    char path[4096];
    if (map->columns.source_column == NULL || script->name_nbytes >= sizeof path) return column;
    memcpy(path, map->text + script->name_offset, script->name_nbytes);
    path[script->name_nbytes] = 0;
    return map->columns.source_column(map->columns.context, path, (uint32_t)function->line, column);
}

/* The column (from 1) of a function's first known offset, if that is on the function's line; else 0. */
static int32_t column_of(const struct jit_map *map, const struct jit_function *function) {
    const struct jit_script *script = &map->scripts[function->script];
    if (script->line_ends == NULL || function->position < 0 || function->line < 1) return 0;
    size_t line = (size_t)function->line - 1;
    if (line >= script->line_count || function->position > script->line_ends[line]) return 0;
    int32_t line_start = line > 0 ? script->line_ends[line - 1] + 1 : 0;
    return (int32_t)source_column(map, function, (uint32_t)(function->position - line_start + 1));
}

/* "(anonymous) app.ts:12:8": unnamed functions stay apart also where a reader shows names alone. A script's or module's
 * own code is "(module) app.ts". */
static uint32_t anonymous_name(const struct jit_map *map, fino_pprof *profile, const struct jit_function *function) {
    char name[256], place[64] = "";
    const char *base = "[eval]";
    size_t base_nbytes = strlen(base);
    if (function->script != UINT32_MAX && map->scripts[function->script].name_nbytes > 0) {
        const struct jit_script *script = &map->scripts[function->script];
        base = base_name(map->text + script->name_offset, script->name_nbytes, &base_nbytes);
    }
    if (base_nbytes > 150) base_nbytes = 150;
    int32_t column = function->script != UINT32_MAX ? column_of(map, function) : 0;
    if (!function->is_top && column > 0) snprintf(place, sizeof place, ":%d:%d", function->line, column);
    if (!function->is_top && column == 0) snprintf(place, sizeof place, ":%d", function->line);
    int nbytes = snprintf(name, sizeof name, "(%s) %.*s%s", function->is_top ? "module" : "anonymous", (int)base_nbytes,
                          base, place);
    return fino_pprof_string(profile, name, (size_t)nbytes);
}

static uint32_t bracketed_name(const struct jit_map *map, fino_pprof *profile, const struct jit_function *function,
                               const char *what) {
    char name[512];
    int nbytes = snprintf(name, sizeof name, "[%s] %.*s", what,
                          (int)function->name_nbytes > 400 ? 400 : (int)function->name_nbytes,
                          map->text + function->name_offset);
    return fino_pprof_string(profile, name, (size_t)nbytes);
}

static uint32_t display_name(const struct jit_map *map, fino_pprof *profile, const struct jit_function *function,
                             enum jit_code_kind kind) {
    switch (kind) {
        case CODE_BUILTIN: return bracketed_name(map, profile, function, "builtin");
        case CODE_REGEXP: return bracketed_name(map, profile, function, "regexp");
        case CODE_WASM: return bracketed_name(map, profile, function, "wasm");
        case CODE_OTHER: return bracketed_name(map, profile, function, "v8");
        default: break;
    }
    if (function->name_nbytes > 0) return pprof_text(map, profile, function->name_offset, function->name_nbytes);
    return anonymous_name(map, profile, function);
}

/* The function of CODE in the accumulator. Its system name holds its place, so that functions of one name, file and
 * line are still not one. */
static uint32_t pprof_function(struct jit_map *map, fino_pprof *profile, const struct jit_code *code) {
    struct jit_function *function = &map->functions[code->function];
    if (function->pprof != FINO_PPROF_NONE) return function->pprof;
    struct fino_pprof_function described = {.name = display_name(map, profile, function, code->kind)};
    described.system_name = described.name;
    if (function->script != UINT32_MAX) {
        const struct jit_script *script = &map->scripts[function->script];
        char system[320];
        int nbytes = snprintf(system, sizeof system, "%.*s:%d+%d",
                              function->name_nbytes > 256 ? 256 : (int)function->name_nbytes,
                              map->text + function->name_offset, function->line, function->position);
        described.system_name = fino_pprof_string(profile, system, (size_t)nbytes);
        described.filename = script->name_nbytes > 0
                                 ? pprof_text(map, profile, script->name_offset, script->name_nbytes)
                                 : fino_pprof_string(profile, "[eval]", 6);
        described.start_line = function->line > 0 ? function->line : 1;
    }
    return function->pprof = fino_pprof_add_function(profile, &described);
}

/* The line (from 1) of a source offset: the first line that ends at or after it. */
static int64_t line_of(const struct jit_map *map, const struct jit_code *code, int32_t offset) {
    const struct jit_function *function = &map->functions[code->function];
    if (function->script == UINT32_MAX) return 0;
    const struct jit_script *script = &map->scripts[function->script];
    if (script->line_ends == NULL || offset < 0) return function->line;
    size_t low = 0, high = script->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (script->line_ends[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low + 1;
}

#define MAX_INLINE_DEPTH 64

static uint32_t add_location(fino_pprof *profile, const struct fino_pprof_line *lines, size_t count) {
    return fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, lines, count);
}

static uint32_t locate_optimized(struct jit_map *map, fino_pprof *profile, const struct jit_code *code,
                                 int32_t offset) {
    struct fino_pprof_line lines[MAX_INLINE_DEPTH];
    size_t count = 0;
    struct jit_position position = {.offset = -1, .inlining = -1};
    (void)jit_positions_find(code->tables.positions, code->tables.positions_nbytes, offset, &position);
    while (position.inlining >= 0 && (size_t)position.inlining < code->tables.inlining_count &&
           count < MAX_INLINE_DEPTH - 1) {
        const struct jit_inlining *inlining = &code->tables.inlinings[position.inlining];
        const struct jit_code *inlinee = code->inlinees[position.inlining];
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
static uint32_t locate_bytecode(struct jit_map *map, fino_pprof *profile, const struct jit_code *bytecode,
                                int32_t offset) {
    struct jit_position position = {.offset = -1, .inlining = -1};
    (void)jit_positions_find(bytecode->tables.positions, bytecode->tables.positions_nbytes, offset, &position);
    struct fino_pprof_line line = {.function = pprof_function(map, profile, bytecode),
                                   .line = line_of(map, bytecode, position.offset)};
    return add_location(profile, &line, 1);
}

static uint32_t locate_simple(struct jit_map *map, fino_pprof *profile, const struct jit_code *code) {
    struct fino_pprof_line line = {.function = pprof_function(map, profile, code),
                                   .line = map->functions[code->function].line};
    return add_location(profile, &line, 1);
}

static uint32_t locate_baseline(struct jit_map *map, fino_pprof *profile, const struct jit_code *code, int32_t offset) {
    if (code->bytecode == NULL) return locate_simple(map, profile, code);
    int32_t bytecode_offset = jit_baseline_bytecode_offset(&code->tables, &code->bytecode->tables, offset);
    return locate_bytecode(map, profile, code->bytecode, bytecode_offset < 0 ? 0 : bytecode_offset);
}

/* Locates through the cache: the same offset of the same code is the same place. */
static uint32_t locate_cached(struct jit_map *map, fino_pprof *profile, const struct jit_code *code, int32_t offset) {
    uint64_t key = ((uint64_t)code->id << 32 | (uint32_t)offset) + 2, location;
    if (jit_table_get(&map->locations, key, &location)) return (uint32_t)location;
    uint32_t found;
    switch (code->kind) {
        case CODE_OPTIMIZED: found = locate_optimized(map, profile, code, offset); break;
        case CODE_BYTECODE: found = locate_bytecode(map, profile, code, offset); break;
        case CODE_BASELINE: found = locate_baseline(map, profile, code, offset); break;
        default: found = locate_simple(map, profile, code); break;
    }
    jit_table_set(&map->locations, key, found);
    return found;
}

/* The offset a frame's slot holds, a Smi counted from the tagged array pointer, from the first bytecode. */
static int32_t bytecode_offset_of(uintptr_t slot) {
    return (int32_t)(slot >> 32) - (jit_layout_get()->bytecode_data - 1);
}

/* What the interpreter runs at PC, by the register that tells it and the handler that PC is in; -1: not known. */
static int32_t running_offset(const struct jit_map *map, uintptr_t pc, const struct jit_code *bytecode,
                              uintptr_t slot) {
    uintptr_t start;
    const struct jit_code *handler = (uint32_t)slot != 0 ? jit_ranges_find(&map->machine_code, pc, &start) : NULL;
    if (handler == NULL || handler->kind != CODE_INTERPRETER) return -1;
    const struct jit_function *function = &map->functions[handler->function];
    int32_t offset = (int32_t)(uint32_t)slot - (jit_layout_get()->bytecode_data - 1);
    return jit_layout_running_bytecode(&bytecode->tables, offset, map->text + function->name_offset,
                                       function->name_nbytes);
}

static enum jit_frame_result locate_interpreted(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                                uint32_t *location_out) {
    if (frame->bytecode_array == 0) return JIT_FRAME_NOTHING; /* a bytecode handler's own frame, above the function's */
    const struct jit_code *bytecode =
        (frame->bytecode_array & 3) == 1 ? jit_map_find_bytecode(map, frame->bytecode_array - 1) : NULL;
    if (bytecode == NULL) return JIT_FRAME_UNKNOWN;
    int32_t running = running_offset(map, frame->leaf_pc, bytecode, frame->bytecode_offset);
    *location_out =
        locate_cached(map, profile, bytecode, running >= 0 ? running : bytecode_offset_of(frame->bytecode_offset));
    return JIT_FRAME_NAMED;
}

/* V8 tells of all builtins but those through which a deoptimised function goes on in the interpreter. It is proven by
 * the frame, which holds a bytecode array that we know. */
static enum jit_frame_result locate_untold(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                           uint32_t *location_out) {
    bool embedded = frame->pc - map->embedded_start < map->embedded_limit - map->embedded_start;
    if (!embedded || frame->bytecode_array == 0) return JIT_FRAME_UNKNOWN;
    return locate_interpreted(map, profile, frame, location_out);
}

/* A return address is just after its call, so the byte before it is looked up; but a deoptimised frame returns to the
 * very start of the builtin that goes on with it: the interpreter's, or what follows a call in another one. */
static enum jit_frame_result locate(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                    uint32_t *location_out) {
    uintptr_t start, pc = frame->is_leaf ? frame->pc : frame->pc - 1;
    const struct jit_code *code = jit_ranges_find(&map->machine_code, frame->pc, &start);
    bool resumes = code != NULL && start == frame->pc && (code->kind == CODE_INTERPRETER || code->kind == CODE_BUILTIN);
    if (!resumes) code = jit_ranges_find(&map->machine_code, pc, &start);
    if (code == NULL) return locate_untold(map, profile, frame, location_out);
    if (code->kind == CODE_INTERPRETER) return locate_interpreted(map, profile, frame, location_out);
    int32_t offset = (int32_t)(pc - start);
    *location_out = locate_cached(map, profile, code, offset);
    return JIT_FRAME_NAMED;
}

static enum jit_frame_result locate_frameless(struct jit_map *map, fino_pprof *profile, uintptr_t pc,
                                              uint32_t *location_out) {
    uintptr_t start;
    const struct jit_code *code = jit_ranges_find(&map->machine_code, pc, &start);
    if (code == NULL) return JIT_FRAME_UNKNOWN;
    if (code->kind == CODE_INTERPRETER) return JIT_FRAME_NOTHING;
    *location_out = locate_cached(map, profile, code, (int32_t)(pc - start));
    return JIT_FRAME_NAMED;
}

/* Which of BELOW's return addresses is in code made from BYTECODE; 0: none. Where optimised code is left for good has
 * no position: V8's table would give it that of the instructions before, of any function inlined there. */
static uintptr_t choose_return_address(const struct jit_map *map, const struct jit_below *below,
                                       const struct jit_code *bytecode) {
    if (below->deoptimises) return 0;
    for (size_t i = 0; i < sizeof below->return_addresses / sizeof *below->return_addresses; i++) {
        uintptr_t start, address = below->return_addresses[i];
        const struct jit_code *code = address != 0 ? jit_ranges_find(&map->machine_code, address - 1, &start) : NULL;
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
    const struct jit_code *bytecode = jit_map_find_bytecode(map, object);
    if (bytecode == NULL) return JIT_FRAME_UNKNOWN;
    bool interpreted = below->bytecode_array == (object | 1);
    int32_t running = interpreted ? running_offset(map, below->leaf_pc, bytecode, below->bytecode_offset) : -1;
    struct jit_frame frame = {.pc = running < 0 ? choose_return_address(map, below, bytecode) : 0};
    if (frame.pc != 0) return locate(map, profile, &frame, location_out);
    int32_t offset = running >= 0 ? running : interpreted ? bytecode_offset_of(below->bytecode_offset) : 0;
    *location_out = locate_cached(map, profile, bytecode, offset);
    return JIT_FRAME_NAMED;
}

/* ---- Interface ---- */

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
