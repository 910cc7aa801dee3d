/* jit_map.h: what code is where, in one isolate: from V8's code events to functions and lines.
 *
 * Threads: the isolate's thread; jit_map_event also from V8's GC helpers (moves), so a lock guards the tables. The lock
 * is never taken in a signal handler.
 */
#ifndef FINO_RT_JIT_MAP_H
#define FINO_RT_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof/pprof.h"
#include "runtime/v8_jit.h"

struct jit_map;

/* The column in the file PATH of what V8 says is at LINE and COLUMN (from 1). Called by jit_map_locate. */
struct jit_columns {
    uint32_t (*source_column)(const void *context, const char *path, uint32_t line, uint32_t column); /* NULL: as is */
    const void *context;
};

/* EMBEDDED_*: where V8's builtins are. Returns NULL when memory is short. */
struct jit_map *jit_map_new(uintptr_t embedded_start, uintptr_t embedded_limit);
void jit_map_free(struct jit_map *map);
void jit_map_set_columns(struct jit_map *map, const struct jit_columns *columns);

/* Takes in one event. Added code may replace older code at the same place; jit_map_would_replace tells beforehand, so
 * that samples that wait can be resolved first. Moved code is found at both places until jit_map_forget_moved. */
void jit_map_event(struct jit_map *map, const struct v8s_code_event *event);
bool jit_map_would_replace(const struct jit_map *map, const struct v8s_code_event *event);
void jit_map_forget_moved(struct jit_map *map);

/* After existing code was told of, in no particular order: finds inlined functions that came after their callers. */
void jit_map_settle(struct jit_map *map);

enum jit_frame_result {
    JIT_FRAME_NAMED,
    JIT_FRAME_UNKNOWN, /* no code is known there */
    JIT_FRAME_NOTHING, /* the code has no name of its own: it works for the frame below */
};

/* One raw frame of a stack in V8's code. */
struct jit_frame {
    uintptr_t pc;
    bool is_leaf;              /* PC is exact, not a return address */
    uintptr_t leaf_pc;         /* of the whole stack */
    uintptr_t bytecode_array;  /* what the frame's slots hold; meaningful for interpreted and baseline code only;
                                  0: not a JavaScript frame */
    uintptr_t bytecode_offset; /*   (a Smi; its lower half: see JIT_RAW_FRAME) */
};

/* Names FRAME as a location of PROFILE: all functions inlined there as lines, innermost first. */
enum jit_frame_result jit_map_locate(struct jit_map *map, fino_pprof *profile, const struct jit_frame *frame,
                                     uint32_t *location_out);

/* Names a leaf that may run without a frame, on top of a JavaScript one: NOTHING for the interpreter's own code. */
enum jit_frame_result jit_map_locate_frameless(struct jit_map *map, fino_pprof *profile, uintptr_t pc,
                                               uint32_t *location_out);

/* The JavaScript frame below such a leaf. */
struct jit_below {
    uintptr_t shared;              /* its function's SharedFunctionInfo, tagged */
    uintptr_t return_addresses[3]; /* what may be the return address into it, most likely first; 0: none */
    uintptr_t bytecode_array, bytecode_offset;
    bool deoptimises; /* the builtin is a DeoptimizationEntry_* */
    uintptr_t leaf_pc;
};
/* NOTHING when the frame is the leaf's own. Reads the heap: on the isolate's thread, with no collection between the
 * sample and now. */
enum jit_frame_result jit_map_locate_below(struct jit_map *map, fino_pprof *profile, const struct jit_below *below,
                                           uint32_t *location_out);

/* Counters for tests and the profile's comments. */
struct jit_map_stats {
    uint64_t events, moves;
    uint64_t optimized, optimized_bad;   /* code objects read, and those whose layout failed a check */
    uint64_t inlinings, inlinings_known; /* inlined calls, and those whose function was found */
};
struct jit_map_stats jit_map_get_stats(const struct jit_map *map);

#endif
