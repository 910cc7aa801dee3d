/* walk.c: see walk.h. */
#include "walk.h"

#include <string.h>

#include "runtime/jit_layout.h"
#include "runtime/jit_walk_sig.h"

static struct jit_walk walk;

void walk_prepare(const struct walk_ranges *ranges) {
    const struct jit_layout *layout = jit_layout_get();
    walk = (struct jit_walk){
        .ranges = {ranges->jit_start, ranges->jit_limit, ranges->embedded_start, ranges->embedded_limit},
        .baseline_prologue = ranges->baseline_prologue,
        .layout_known = layout->known,
        .frame_context = layout->frame_context,
        .frame_function = layout->frame_function,
        .frame_bytecode_array = layout->frame_bytecode_array,
        .frame_bytecode_offset = layout->frame_bytecode_offset,
        .function_shared = layout->function_shared,
        .function_code = layout->function_code,
        .code_instruction_start = layout->code_instruction_start,
        .code_instruction_size = layout->code_instruction_size,
    };
}

bool walk_owns(uintptr_t pc) {
    return jit_walk_owns_pc_sig(&walk, pc);
}

void walk_add_deopt_entry(uintptr_t start, size_t nbytes) {
    jit_deopt_entries_add(&walk.deopt_entries, start, nbytes);
}

static void note_first(const struct sampler_raw_frame frames[2], size_t count, struct walk_result *result) {
    if (count < 2) return;
    if (frames[1].kind == SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME) { /* it is known to have none */
        result->return_addresses[result->count++] = frames[1].pc;
        return;
    }
    result->may_be_frameless = true;
    result->candidates[0] = frames[1].pc;
    for (int i = 0; i < 2; i++)
        result->candidates[1 + i] = jit_walk_candidate(&walk, frames[0].extra[1], i);
}

void walk_from(uintptr_t pc, bool is_leaf, const uintptr_t gpr[16], uintptr_t stack_low, uintptr_t stack_limit,
               struct walk_result *result_out) {
    struct sampler_regs regs = {.pc = pc, .fp = gpr[6], .sp = gpr[7]};
    struct sampler_stack_bounds bounds = {stack_low, stack_limit};
    memcpy(regs.gpr, gpr, sizeof regs.gpr);
    memset(result_out, 0, sizeof *result_out);
    for (bool is_first = true; result_out->count + 1 < WALK_FRAMES_MAX && walk_owns(regs.pc); is_first = false) {
        struct sampler_raw_frame frames[2];
        size_t count = 0;
        enum sampler_step step = jit_walk_step_sig(&walk, &bounds, is_first && is_leaf, &regs, frames, &count);
        if (is_first) note_first(frames, count, result_out);
        if (step != SAMPLER_STEP_OK) {
            result_out->truncated = step == SAMPLER_STEP_TRUNCATED;
            return;
        }
        result_out->return_addresses[result_out->count++] = regs.pc;
    }
}
