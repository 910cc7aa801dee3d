/* jit_selftest.c: see jit_selftest.h. Owns what is asked of the layout; reading by it is jit_layout.c's, the functions
 * to read are v8_jit.cc's. */
#include "runtime/jit_selftest.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/jit_code.h"

/* A test under way: MAP hears of the functions' code. */
struct trial {
    struct jit_map *map;
    bool holds;
};

static void on_code(void *context, const struct v8s_code_event *event) {
    jit_map_event(((struct trial *)context)->map, event);
}

static void on_gc(void *context, bool begins) {
    (void)context, (void)begins;
}

/* ---- The truth ---- */

/* Is OFFSET, in the source, at the beginning of TEXT? */
static bool is_at(int32_t offset, const char *text) {
    const char *source = v8s_code_exercise_source;
    return offset >= 0 && (size_t)offset < strlen(source) && strncmp(source + offset, text, strlen(text)) == 0;
}

static bool is_inside(int32_t offset, const char *text) {
    const char *from = strstr(v8s_code_exercise_source, text);
    int32_t start = (int32_t)(from - v8s_code_exercise_source);
    return offset >= start && offset < start + (int32_t)strlen(text);
}

static bool knows_lines(const struct jit_script *script) {
    size_t line = 0;
    if (script->line_ends == NULL) return false;
    for (size_t at = 0; v8s_code_exercise_source[at] != '\0'; at++) {
        if (v8s_code_exercise_source[at] != '\n') continue;
        if (line >= script->line_count || script->line_ends[line++] != (int32_t)at) return false;
    }
    return line > 0 && script->line_count == line + 1; /* the last line ends with the source */
}

/* ---- Functions ---- */

/* The bytecode of FUNCTION (tagged), which must be named NAME. */
static struct jit_code *bytecode_of(const struct jit_map *map, uintptr_t function, const char *name) {
    uintptr_t shared = jit_layout_field(function, jit_layout_get()->function_shared);
    struct jit_code *code = jit_map_find_bytecode(map, jit_layout_bytecode_of_shared(shared));
    return code != NULL && jit_map_is_named(map, code, name) ? code : NULL;
}

/* fino_outer's optimised code is what its function says it is, with fino_inner inlined where it is called. */
static bool knows_optimized(const struct jit_map *map, uintptr_t function) {
    const struct jit_layout *layout = jit_layout_get();
    uintptr_t object = jit_layout_field(function, layout->function_code), start;
    if (!jit_layout_has_type(object, layout->type_code)) return false;
    const struct jit_code *code =
        jit_ranges_find(&map->machine_code, object - 1 + (uintptr_t)layout->code_instruction_start, &start);
    if (code == NULL || code->kind != CODE_OPTIMIZED || start != object - 1 + (uintptr_t)layout->code_instruction_start)
        return false;
    if (!jit_map_is_named(map, code, "fino_outer") || code->tables.positions_nbytes == 0) return false;
    uintptr_t deopt = jit_layout_field(object, layout->code_deoptimization_data);
    uintptr_t own = jit_layout_field(deopt, layout->array_data + layout->deopt_shared * (int)sizeof(uintptr_t));
    if (own != jit_layout_field(function, layout->function_shared)) return false;
    if (!jit_layout_v8_inlines()) return true;
    for (int32_t at = 0; at < (int32_t)code->nbytes; at++) {
        struct jit_position position;
        if (!jit_positions_find(code->tables.positions, code->tables.positions_nbytes, at, &position)) continue;
        if (position.inlining != 0 || code->tables.inlining_count != 1) continue;
        const struct jit_code *inner = code->inlinees[0];
        return inner != NULL && jit_map_is_named(map, inner, "fino_inner") && code->tables.inlinings[0].parent == -1 &&
               is_at(code->tables.inlinings[0].position, "fino_inner(x) + 2") &&
               is_inside(position.offset, "{ return x * 3 + 1; }");
    }
    return false;
}

/* ---- The frame ---- */

static bool is_baseline(const struct jit_map *map, uintptr_t function) {
    const struct jit_layout *layout = jit_layout_get();
    uintptr_t object = jit_layout_field(function, layout->function_code), start;
    const struct jit_code *code =
        jit_ranges_find(&map->machine_code, object - 1 + (uintptr_t)layout->code_instruction_start, &start);
    return code != NULL && code->kind == CODE_BASELINE;
}

/* A frame keeps the bytecode offset, a small integer, while it is interpreted; in baseline code an object is there. */
static bool is_at_call(const struct jit_code *bytecode, bool baseline, uintptr_t offset_slot) {
    struct jit_position position;
    if (baseline) return (offset_slot & 3) == 1;
    if ((offset_slot & 0xffffffff) != 0) return false;
    int32_t offset = (int32_t)(offset_slot >> 32) - (jit_layout_get()->bytecode_data - 1);
    return jit_positions_find(bytecode->tables.positions, bytecode->tables.positions_nbytes, offset, &position) &&
           is_at(position.offset, "visit(); }");
}

/* What other functions keep on the stack is none of ours, sanitizers would say. */
__attribute__((no_sanitize("address"))) static uintptr_t stack_word(const uintptr_t *at) {
    return *at;
}

/* fino_framed's frame is on the stack once, and tells its function, context, bytecode, and place in it. */
static bool knows_frame(const struct jit_map *map, const struct v8s_code_exhibit *exhibit) {
    const struct jit_layout *layout = jit_layout_get();
    const struct jit_code *bytecode = bytecode_of(map, exhibit->framed, "fino_framed");
    const uintptr_t *low = (const uintptr_t *)exhibit->stack_low, *high = (const uintptr_t *)exhibit->stack_high;
    const int slots[] = {layout->frame_context, layout->frame_function, layout->frame_bytecode_array,
                         layout->frame_bytecode_offset};
    int words[4], found = 0;
    if (bytecode == NULL || layout->frame_bytecode_offset == layout->frame_bytecode_array) return false;
    bool baseline = is_baseline(map, exhibit->framed);
    for (int i = 0; i < 4; i++) {
        words[i] = slots[i] / (int)sizeof(uintptr_t);
        if (slots[i] % (int)sizeof(uintptr_t) != 0 || slots[i] >= 0 || slots[i] < -256) return false;
    }
    for (const uintptr_t *frame = low + 256 / sizeof(uintptr_t); frame < high; frame++)
        found += stack_word(frame + words[0]) == exhibit->context && stack_word(frame + words[1]) == exhibit->framed &&
                 stack_word(frame + words[2]) == (jit_layout_bytecode_object(bytecode->start) | 1) &&
                 is_at_call(bytecode, baseline, stack_word(frame + words[3]));
    return found == 1;
}

/* ---- Judging ---- */

static void judge(void *context, const struct v8s_code_exhibit *exhibit) {
    struct trial *trial = context;
    const struct jit_map *map = trial->map;
    jit_map_settle(trial->map);
    const struct jit_code *outer = bytecode_of(map, exhibit->outer, "fino_outer");
    trial->holds = outer != NULL && map->functions[outer->function].script != UINT32_MAX &&
                   knows_lines(&map->scripts[map->functions[outer->function].script]) &&
                   (!exhibit->optimized || knows_optimized(map, exhibit->outer)) && knows_frame(map, exhibit);
}

static bool try_layout(v8s_isolate *isolate) {
    struct trial trial = {.map = jit_map_new(0, 0)};
    const struct v8s_code_listener listener = {.on_code = on_code, .on_gc = on_gc, .context = &trial};
    if (trial.map == NULL) return false;
    bool exercised = v8s_code_exercise(isolate, &listener, judge, &trial);
    jit_map_free(trial.map);
    return exercised && trial.holds;
}

/* A collection may move what is being looked at, so that one failure proves nothing. */
#define ATTEMPTS 3

void jit_selftest(v8s_isolate *isolate) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool tried;
    pthread_mutex_lock(&mutex);
    bool holds = false;
    for (int i = 0; !tried && !holds && i < ATTEMPTS && jit_layout_get()->known; i++)
        holds = try_layout(isolate);
    if (!tried) jit_layout_judge(holds);
    tried = true;
    pthread_mutex_unlock(&mutex);
}
