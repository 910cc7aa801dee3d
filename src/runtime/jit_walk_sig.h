/* jit_walk_sig.h: steps over V8's frames, in the signal handler. */
#ifndef FINO_RT_JIT_WALK_SIG_H
#define FINO_RT_JIT_WALK_SIG_H

#include <stdatomic.h>

#include "runtime/jit_deopt_entry.h"
#include "runtime/v8_jit.h"
#include "sampler/managed.h"

/* Code outside of the isolate's ranges: WebAssembly's. Sorted; never changed once published. */
struct jit_extra_ranges {
    size_t count;
    struct {
        uintptr_t start, limit;
    } ranges[];
};

/* What the handler knows of an isolate; written (by jit_realm.c) before the sampler sees it. */
struct jit_walk {
    struct v8s_code_ranges ranges;
    _Atomic(const struct jit_extra_ranges *) extra; /* NULL: none */
    _Atomic uintptr_t baseline_prologue; /* the builtin that makes the frame of baseline code; 0: not known */
    struct jit_deopt_entries deopt_entries;
    /* The few constants of struct jit_layout that a handler needs. Zero when the layout is unknown. */
    int frame_context, frame_function, frame_bytecode_array, frame_bytecode_offset;
    int function_shared, function_code, code_instruction_start, code_instruction_size;
    bool layout_known;
    struct v8s_continuation_slot labels; /* of what runs; no slot: not to be had */
};

/* SIGNAL_SAFE. The number of the label set of what runs; 0: none. */
uintptr_t jit_walk_labels_sig(const struct jit_walk *walk);

/* Kinds of raw frames, added to SAMPLER_FRAME_MANAGED. */
enum jit_raw_kind {
    JIT_RAW_FRAME,     /* extra: the slots that hold bytecode array and offset; at a leaf
                          the offset's lower half may hold the register that does, which need not be in use */
    JIT_RAW_FRAMELESS, /* a builtin without a frame, on a JavaScript frame that follows as JIT_RAW_BELOW;
                          extra: the frame's SharedFunctionInfo, and two more return addresses that may be its (packed)
                        */
    JIT_RAW_BELOW,     /* the frame under a frameless builtin; pc: the first return address that may be its, or 0 */
};

/* Unpacks candidate INDEX (0 or 1) of a JIT_RAW_FRAMELESS frame; 0 when there is none. */
uintptr_t jit_walk_candidate(const struct jit_walk *walk, uintptr_t packed, int index);

/* SIGNAL_SAFE. See struct sampler_managed. */
bool jit_walk_owns_pc_sig(const struct jit_walk *walk, uintptr_t pc);
enum sampler_step jit_walk_steps_sig(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                     bool is_leaf, struct sampler_regs *regs,
                                     struct sampler_raw_frame out[SAMPLER_STEP_FRAMES], size_t *count_out);

/* SIGNAL_SAFE. Over one frame only: one raw frame, or two (or none, where the frame can't be read). */
enum sampler_step jit_walk_step_sig(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                    bool is_leaf, struct sampler_regs *regs, struct sampler_raw_frame out[2],
                                    size_t *count_out);

#endif
