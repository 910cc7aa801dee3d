/* jit_realm.c: see jit_realm.h. Keeps the one rule of resolving: what waits in the ring is named before the map it was
 * sampled under changes, that is before code is replaced and around every collection that moves it. */
#include "runtime/jit_realm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/jit_layout.h"
#include "runtime/jit_map.h"
#include "runtime/jit_selftest.h"
#include "runtime/jit_table.h"
#include "runtime/jit_walk_sig.h"
#include "runtime/labels.h"

/* Most callers in a stack were in the last ones, too: what names such a frame, and its name as of GENERATION. 2^12 of
 * them are the working set of large programs, and half of an L2 cache at most. */
#define CACHE_BITS 12
struct cached_frame {
    uintptr_t pc, bytecode_array, bytecode_offset;
    uint32_t generation; /* 0: nothing is cached here */
    uint32_t location;
};

struct jit_realm {
    struct sampler_managed managed; /* first: the sampler hands back a pointer to it */
    v8s_isolate *isolate;
    sampler_guest *guest; /* NULL: it stays on one thread, */
    const char *label;    /*   with this label */
    struct jit_walk walk;
    struct jit_map *map;
    struct v8s_code_listener listener;
    struct v8s_interrupt drain;
    atomic_bool drain_requested; /* DRAIN is on its way, which takes long where no JavaScript runs: one is enough */
    bool listening;
    bool learning;                     /* code is being told of: samples wait until all is known */
    struct jit_extra_ranges **retired; /* all that were ever published, the current ones last */
    size_t retired_count, retired_cap;
    uintptr_t leaf_pc;           /* of the stack that is being resolved */
    _Atomic uint32_t generation; /* from 1: of what the map says of an address; also bumped by V8's GC helpers */
    struct cached_frame cache[1 << CACHE_BITS];
    struct {
        uintptr_t shared, packed;
        bool deoptimises;
    } frameless; /* of the frame resolved last, for the JIT_RAW_BELOW that follows */
};

static struct jit_realm *realm_of(const struct sampler_managed *managed) {
    return (struct jit_realm *)(uintptr_t)managed;
}

static bool owns_pc(const struct sampler_managed *managed, uintptr_t pc) {
    return jit_walk_owns_pc_sig(&realm_of(managed)->walk, pc);
}

static enum sampler_step step(const struct sampler_managed *managed, const struct sampler_stack_bounds *bounds,
                              bool is_leaf, struct sampler_regs *regs,
                              struct sampler_raw_frame out[SAMPLER_STEP_FRAMES], size_t *count_out) {
    return jit_walk_steps_sig(&realm_of(managed)->walk, bounds, is_leaf, regs, out, count_out);
}

/* ---- Naming ---- */

static enum jit_frame_result locate_below(struct jit_realm *realm, fino_pprof *profile,
                                          const struct sampler_raw_frame *frame, uint32_t *location_out) {
    struct jit_below below = {
        .shared = realm->frameless.shared,
        .return_addresses = {frame->pc, jit_walk_candidate(&realm->walk, realm->frameless.packed, 0),
                             jit_walk_candidate(&realm->walk, realm->frameless.packed, 1)},
        .bytecode_array = frame->extra[0],
        .bytecode_offset = frame->extra[1],
        .deoptimises = realm->frameless.deoptimises,
        .leaf_pc = realm->leaf_pc,
    };
    return jit_map_locate_below(realm->map, profile, &below, location_out);
}

static enum jit_frame_result locate_frame(struct jit_realm *realm, fino_pprof *profile,
                                          const struct sampler_raw_frame *frame, uint32_t *location_out) {
    struct jit_frame named = {.pc = frame->pc, .is_leaf = frame->is_leaf, .leaf_pc = realm->leaf_pc};
    if (frame->extra_count == 2) {
        named.bytecode_array = frame->extra[0];
        named.bytecode_offset = frame->extra[1];
    }
    return jit_map_locate(realm->map, profile, &named, location_out);
}

/* Of a caller whose name depends on nothing else in its stack. */
static enum jit_frame_result locate_caller(struct jit_realm *realm, fino_pprof *profile,
                                           const struct sampler_raw_frame *frame, uint32_t *location_out) {
    uintptr_t array = frame->extra_count == 2 ? frame->extra[0] : 0;
    uintptr_t offset = frame->extra_count == 2 ? frame->extra[1] : 0;
    uint64_t hash = (frame->pc ^ array << 1 ^ offset >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    struct cached_frame *cached = &realm->cache[hash >> (64 - CACHE_BITS)];
    uint32_t generation = atomic_load_explicit(&realm->generation, memory_order_acquire);
    if (cached->generation != generation || cached->pc != frame->pc || cached->bytecode_array != array ||
        cached->bytecode_offset != offset) {
        enum jit_frame_result result = locate_frame(realm, profile, frame, location_out);
        if (result == JIT_FRAME_NAMED)
            *cached = (struct cached_frame){frame->pc, array, offset, generation, *location_out};
        return result;
    }
    *location_out = cached->location;
    return JIT_FRAME_NAMED;
}

static void forget_cached(struct jit_realm *realm) {
    atomic_fetch_add_explicit(&realm->generation, 1, memory_order_release);
}

/* May the running bytecode depend on where the leaf is? See JIT_RAW_FRAME. */
static bool depends_on_leaf(const struct sampler_raw_frame *frame) {
    return frame->is_leaf || (frame->extra_count == 2 && (uint32_t)frame->extra[1] != 0);
}

static enum jit_frame_result locate(struct jit_realm *realm, fino_pprof *profile, const struct sampler_raw_frame *frame,
                                    uint32_t *location_out) {
    if (frame->is_leaf) realm->leaf_pc = frame->pc;
    switch (frame->kind - SAMPLER_FRAME_MANAGED) {
        case JIT_RAW_FRAMELESS:
            realm->frameless.shared = frame->extra[0];
            realm->frameless.packed = frame->extra[1];
            realm->frameless.deoptimises = jit_deopt_entries_find(&realm->walk.deopt_entries, frame->pc) != NULL;
            return jit_map_locate_frameless(realm->map, profile, frame->pc, location_out);
        case JIT_RAW_BELOW: return locate_below(realm, profile, frame, location_out);
        default: break;
    }
    return (depends_on_leaf(frame) ? locate_frame : locate_caller)(realm, profile, frame, location_out);
}

static uint32_t unknown_location(fino_pprof *profile) {
    static const char name[] = "[unknown js]";
    struct fino_pprof_function function = {.name = fino_pprof_string(profile, name, sizeof name - 1)};
    function.system_name = function.name;
    struct fino_pprof_line line = {.function = fino_pprof_add_function(profile, &function)};
    return fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
}

static uintptr_t state(const struct sampler_managed *managed) {
    return jit_walk_labels_sig(&realm_of(managed)->walk);
}

static size_t labels(struct sampler_managed *managed, uintptr_t set, struct sampler_label out[SAMPLER_LABELS_MAX]) {
    (void)managed;
    return rt_labels_get((uint32_t)set, out);
}

static void resolve(struct sampler_managed *managed, const struct sampler_raw_frame *frame, uintptr_t label_set,
                    struct sampler_sink *sink) {
    struct jit_realm *realm = realm_of(managed);
    fino_pprof *profile = sampler_sink_profile(sink);
    uint32_t location;
    (void)label_set;
    switch (locate(realm, profile, frame, &location)) {
        case JIT_FRAME_NAMED: sampler_sink_location(sink, location); break;
        case JIT_FRAME_NOTHING: break;
        case JIT_FRAME_UNKNOWN:
            sampler_sink_unresolved(sink);
            sampler_sink_location(sink, unknown_location(profile));
            break;
    }
}

/* ---- Events ---- */

static void drain(struct jit_realm *realm) {
    atomic_store(&realm->drain_requested, false);
    if (!realm->learning) fino_sampler_thread_drain(fino_sampler_thread_self());
}

static void drain_on_thread(void *context) {
    drain(context);
}

static void request_drain(struct sampler_managed *managed) {
    struct jit_realm *realm = realm_of(managed);
    if (!atomic_exchange(&realm->drain_requested, true)) v8s_request_interrupt(realm->isolate, &realm->drain);
}

/* ---- WebAssembly ---- */

static void append_range(struct jit_extra_ranges *ranges, uintptr_t start, uintptr_t limit) {
    ranges->ranges[ranges->count].start = start;
    ranges->ranges[ranges->count++].limit = limit;
}

/* Code this close to other WebAssembly code is taken to be of the same reservation. */
#define WASM_GAP_NBYTES (1u << 20)

/* A handler may still be reading the published ranges, so they are replaced, and kept until the Realm ends. There are
 * few: V8 reserves address space for a whole module. */
static void add_wasm_range(struct jit_realm *realm, uintptr_t start, uintptr_t limit) {
    const struct jit_extra_ranges *old = atomic_load(&realm->walk.extra);
    size_t old_count = old != NULL ? old->count : 0;
    for (size_t i = 0; i < old_count; i++)
        if (old->ranges[i].start <= start && limit <= old->ranges[i].limit) return;
    struct jit_extra_ranges *merged = jit_must(malloc(sizeof *merged + (old_count + 1) * sizeof *merged->ranges));
    merged->count = 0;
    bool placed = false;
    for (size_t i = 0; i < old_count; i++) {
        uintptr_t from = old->ranges[i].start, to = old->ranges[i].limit;
        if (from <= limit + WASM_GAP_NBYTES && start <= to + WASM_GAP_NBYTES) { /* grows by it */
            start = from < start ? from : start;
            limit = to > limit ? to : limit;
            continue;
        }
        if (from > start && !placed) {
            append_range(merged, start, limit);
            placed = true;
        }
        append_range(merged, from, to);
    }
    if (!placed) append_range(merged, start, limit);
    realm->retired = jit_reserve(realm->retired, &realm->retired_cap, realm->retired_count + 1, sizeof *realm->retired);
    realm->retired[realm->retired_count++] = merged;
    atomic_store(&realm->walk.extra, merged);
}

static bool starts_with(const struct v8s_code_event *event, const char *prefix) {
    return event->name_nbytes >= strlen(prefix) && memcmp(event->name, prefix, strlen(prefix)) == 0;
}

/* Of builtins that the walk must know. */
static void note_builtin(struct jit_walk *walk, const struct v8s_code_event *event) {
    static const char prologue[] = "Builtin:BaselineOutOfLinePrologue";
    if (event->name_nbytes == sizeof prologue - 1 && starts_with(event, prologue))
        atomic_store(&walk->baseline_prologue, event->start);
    if (starts_with(event, "Builtin:DeoptimizationEntry_"))
        jit_deopt_entries_add(&walk->deopt_entries, event->start, event->nbytes);
}

static void on_code(void *context, const struct v8s_code_event *event) {
    struct jit_realm *realm = context;
    bool replaces = jit_map_would_replace(realm->map, event);
    if (realm->listening && replaces) fino_sampler_thread_drain(fino_sampler_thread_self());
    jit_map_event(realm->map, event);
    if (replaces || event->type != V8S_CODE_ADDED) forget_cached(realm);
    if (event->type == V8S_CODE_ADDED && event->kind == V8S_CODE_WASM)
        add_wasm_range(realm, event->start, event->start + event->nbytes);
    if (event->type == V8S_CODE_ADDED) note_builtin(&realm->walk, event);
}

static void on_gc(void *context, bool begins) {
    struct jit_realm *realm = context;
    drain(realm);
    if (begins) return;
    jit_map_forget_moved(realm->map);
    forget_cached(realm);
}

/* ---- Interface ---- */

static void init_walk(struct jit_walk *walk, v8s_isolate *isolate) {
    const struct jit_layout *layout = jit_layout_get();
    v8s_get_code_ranges(isolate, &walk->ranges);
    if (!layout->proven) return; /* yet: see jit_realm_listen */
    walk->frame_context = layout->frame_context;
    walk->frame_function = layout->frame_function;
    walk->frame_bytecode_array = layout->frame_bytecode_array;
    walk->frame_bytecode_offset = layout->frame_bytecode_offset;
    walk->function_shared = layout->function_shared;
    walk->function_code = layout->function_code;
    walk->code_instruction_start = layout->code_instruction_start;
    walk->code_instruction_size = layout->code_instruction_size;
    atomic_signal_fence(memory_order_release); /* the handler may come between */
    walk->layout_known = true;
}

static struct jit_realm *make(v8s_isolate *isolate) {
    struct jit_realm *realm = calloc(1, sizeof *realm);
    if (realm == NULL) return NULL;
    init_walk(&realm->walk, isolate);
    realm->map = jit_map_new(realm->walk.ranges.embedded_start, realm->walk.ranges.embedded_limit);
    if (realm->map == NULL) {
        free(realm);
        return NULL;
    }
    realm->managed = (struct sampler_managed){.owns_pc = owns_pc,
                                              .step = step,
                                              .state = state,
                                              .resolve = resolve,
                                              .labels = labels,
                                              .request_drain = request_drain};
    realm->listener = (struct v8s_code_listener){.on_code = on_code, .on_gc = on_gc, .context = realm};
    realm->drain = (struct v8s_interrupt){.run = drain_on_thread, .context = realm};
    realm->isolate = isolate;
    realm->generation = 1;
    v8s_code_keep_positions(isolate);
    v8s_continuation_find(isolate, &realm->walk.labels);
    return realm;
}

struct jit_realm *jit_realm_attach(v8s_isolate *isolate, sampler_thread *thread, const char *label) {
    struct jit_realm *realm = make(isolate);
    if (realm == NULL) return NULL;
    realm->label = label;
    fino_sampler_thread_set_managed(thread, &realm->managed, label);
    return realm;
}

struct jit_realm *jit_realm_attach_guest(v8s_isolate *isolate, sampler_guest *guest) {
    struct jit_realm *realm = make(isolate);
    if (realm == NULL) return NULL;
    realm->guest = guest;
    fino_sampler_guest_set_managed(guest, &realm->managed);
    return realm;
}

void jit_realm_set_columns(struct jit_realm *realm, const struct jit_columns *columns) {
    jit_map_set_columns(realm->map, columns);
}

void jit_realm_listen(struct jit_realm *realm) {
    if (realm->listening) return;
    realm->learning = true;
    jit_selftest(realm->isolate);
    init_walk(&realm->walk, realm->isolate);
    v8s_code_listen(realm->isolate, &realm->listener);
    jit_map_settle(realm->map);
    realm->learning = false;
    realm->listening = true;
}

bool jit_realm_layout_is_known(void) {
    return jit_layout_get()->known;
}

void jit_realm_describe(const struct jit_realm *realm, char *buffer, size_t cap) {
    struct jit_map_stats stats = jit_map_get_stats(realm->map);
    snprintf(buffer, cap,
             "v8 code: %llu events, %llu moves; %llu optimised functions (%llu unreadable), %llu inlined calls (%llu "
             "of unknown functions)",
             (unsigned long long)stats.events, (unsigned long long)stats.moves, (unsigned long long)stats.optimized,
             (unsigned long long)stats.optimized_bad, (unsigned long long)stats.inlinings,
             (unsigned long long)(stats.inlinings - stats.inlinings_known));
}

void jit_realm_detach(struct jit_realm *realm) {
    if (realm->guest != NULL)
        fino_sampler_guest_set_managed(realm->guest, NULL);
    else
        fino_sampler_thread_set_managed(fino_sampler_thread_self(), NULL, realm->label);
    if (realm->listening) v8s_code_listen(realm->isolate, NULL);
    v8s_continuation_forget(&realm->walk.labels);
    jit_map_free(realm->map);
    for (size_t i = 0; i < realm->retired_count; i++)
        free(realm->retired[i]);
    free(realm->retired);
    free(realm);
}
