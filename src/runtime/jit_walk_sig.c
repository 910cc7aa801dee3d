/* jit_walk_sig.c: steps over V8's frames by their frame pointers. x86-64.
 *
 * Runs in a signal handler: no locks, no allocation, no calls out of this file, bounded loops; the stack is read only
 * between the stack pointer and the stack's end, and the heap only through slots that V8 has filled by then.
 *
 * A frame of V8's generated code, from its frame pointer:
 *   +8 return address, 0 the caller's frame pointer, -8 the context (JavaScript) or a small integer that names the
 *   frame's type (everything else), -16 the function, -32 the bytecode array and -40 the offset in it (a Smi; both
 *   only while the function is interpreted or in baseline code).
 * At the leaf there may be no frame yet (before `push rbp; mov rbp, rsp`), no more (after `pop rbp`), or none at all:
 * many builtins, such as inline caches, work on their caller's. There the caller's function would be lost, since its
 * return address is not next to any frame pointer: it is looked for between the stack pointer and the frame. */
#include "runtime/jit_walk_sig.h"

#include <string.h>

/* How far ahead a prologue is looked for: the entry checks of optimised code take less. */
#define PROLOGUE_SCAN_NBYTES 48
/* How many words above the stack pointer may hold a frameless leaf's return address. */
#define CANDIDATE_WORDS 64
#define PAGE_NBYTES 4096

static bool in_jit(const struct jit_walk *walk, uintptr_t pc) {
    return pc - walk->ranges.jit_start < walk->ranges.jit_limit - walk->ranges.jit_start;
}

static bool in_embedded(const struct jit_walk *walk, uintptr_t pc) {
    return pc - walk->ranges.embedded_start < walk->ranges.embedded_limit - walk->ranges.embedded_start;
}

static bool in_extra(const struct jit_walk *walk, uintptr_t pc) {
    const struct jit_extra_ranges *extra = atomic_load_explicit(&walk->extra, memory_order_acquire);
    if (extra == NULL) return false;
    size_t low = 0, high = extra->count; /* how many start at or before PC */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (extra->ranges[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pc < extra->ranges[low - 1].limit;
}

bool jit_walk_owns_pc_sig(const struct jit_walk *walk, uintptr_t pc) {
    return in_jit(walk, pc) || in_embedded(walk, pc) || in_extra(walk, pc);
}

static uintptr_t word_at(uintptr_t address) {
    return *(const uintptr_t *)address;
}

/* ---- The leaf's frame ---- */

static bool is_prologue(const uint8_t *code) {
    static const uint8_t push_rbp_mov_rbp_rsp[] = {0x55, 0x48, 0x89, 0xe5};
    return memcmp(code, push_rbp_mov_rbp_rsp, sizeof push_rbp_mov_rbp_rsp) == 0;
}

/* Where the return address is, relative to the stack pointer, when the code at PC has no frame of its own; -1 when it
 * has one (or when that can't be told). Reads code of PC's page only. */
static int frameless_return_offset(uintptr_t pc) {
    const uint8_t *code = (const uint8_t *)pc;
    size_t left_in_page = PAGE_NBYTES - pc % PAGE_NBYTES;
    if (code[0] == 0xc3 || code[0] == 0xc2) return 0; /* ret */
    if (pc % PAGE_NBYTES >= 1 && left_in_page >= 3 && code[-1] == 0x55 && code[0] == 0x48 && code[1] == 0x89 &&
        code[2] == 0xe5)
        return 8; /* between push rbp and mov rbp, rsp */
    for (size_t i = 0; i < PROLOGUE_SCAN_NBYTES && i + 4 <= left_in_page; i++)
        if (is_prologue(code + i)) return 0;
    return -1;
}

/* ---- Frameless leaves on a JavaScript frame ---- */

static bool is_heap_object(uintptr_t word) {
    return (word & 3) == 1;
}

/* Does the frame at FP hold a context, and a function, pushed already? */
static bool is_javascript_frame(const struct jit_walk *walk, const struct sampler_regs *regs) {
    return walk->layout_known && regs->sp <= regs->fp + (uintptr_t)walk->frame_function &&
           is_heap_object(word_at(regs->fp + (uintptr_t)walk->frame_context)) &&
           is_heap_object(word_at(regs->fp + (uintptr_t)walk->frame_function));
}

/* Is RETURN_ADDRESS inside the code that FUNCTION (tagged) has now? */
static bool is_in_code_of(const struct jit_walk *walk, uintptr_t function, uintptr_t return_address) {
    uintptr_t code = word_at(function - 1 + (uintptr_t)walk->function_code);
    if (!is_heap_object(code)) return false;
    uint32_t nbytes = *(const uint32_t *)(code - 1 + (uintptr_t)walk->code_instruction_size);
    return return_address - (code - 1 + (uintptr_t)walk->code_instruction_start) - 1 < nbytes;
}

/* Candidates are kept as offsets in the isolate's code range, plus 1. */
static uintptr_t pack_candidate(const struct jit_walk *walk, uintptr_t address, int index) {
    return ((address - walk->ranges.jit_start + 1) & 0xffffffff) << (32 * index);
}

uintptr_t jit_walk_candidate(const struct jit_walk *walk, uintptr_t packed, int index) {
    uintptr_t offset = packed >> (32 * index) & 0xffffffff;
    return offset == 0 ? 0 : walk->ranges.jit_start + offset - 1;
}

/* Notes the leaf and the JavaScript function it works for: OUT[1].pc is the most likely return address into it. */
static void note_frameless(const struct jit_walk *walk, const struct sampler_regs *regs,
                           struct sampler_raw_frame out[2]) {
    uintptr_t function = word_at(regs->fp + (uintptr_t)walk->frame_function), packed = 0, first = 0;
    int packed_count = 0;
    for (uintptr_t at = regs->sp; at < regs->fp && at < regs->sp + CANDIDATE_WORDS * sizeof(uintptr_t);
         at += sizeof(uintptr_t)) {
        uintptr_t word = word_at(at);
        if (!in_jit(walk, word)) continue;
        if (is_in_code_of(walk, function, word)) {
            first = word;
            break;
        }
        if (packed_count < 2) packed |= pack_candidate(walk, word, packed_count++);
    }
    out[0].kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAMELESS;
    out[0].extra[0] = word_at(function - 1 + (uintptr_t)walk->function_shared);
    out[0].extra[1] = packed;
    out[1].pc = first;
    out[1].kind = SAMPLER_FRAME_MANAGED + JIT_RAW_BELOW;
}

/* ---- Steps ---- */

static void note_frame(const struct jit_walk *walk, const struct sampler_regs *regs, bool is_leaf,
                       struct sampler_raw_frame *out) {
    memset(out, 0, sizeof *out);
    out->pc = regs->pc;
    out->is_leaf = is_leaf;
    out->kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME;
    if (!walk->layout_known || regs->fp + (uintptr_t)walk->frame_bytecode_offset < regs->sp) return;
    if (!is_heap_object(word_at(regs->fp + (uintptr_t)walk->frame_context))) return;
    out->extra[0] = word_at(regs->fp + (uintptr_t)walk->frame_bytecode_array);
    out->extra[1] = word_at(regs->fp + (uintptr_t)walk->frame_bytecode_offset);
    out->extra_count = 2;
}

/* The caller of a leaf that has no frame: its return address is on the stack, the frame pointer is the caller's. */
static enum sampler_step step_frameless(const struct sampler_stack_bounds *bounds, int return_offset,
                                        struct sampler_regs *regs) {
    uintptr_t at = regs->sp + (uintptr_t)return_offset;
    if (at + sizeof(uintptr_t) > bounds->limit) return SAMPLER_STEP_TRUNCATED;
    if (return_offset > 0) regs->fp = word_at(regs->sp); /* pushed, not yet replaced: the same value */
    regs->pc = word_at(at);
    regs->sp = at + sizeof(uintptr_t);
    regs->valid = 0;
    return SAMPLER_STEP_OK;
}

static enum sampler_step step_frame(const struct sampler_stack_bounds *bounds, struct sampler_regs *regs) {
    if (regs->fp < regs->sp || regs->fp % sizeof(uintptr_t) != 0 || regs->fp + 16 > bounds->limit)
        return SAMPLER_STEP_TRUNCATED;
    uintptr_t fp = regs->fp;
    regs->pc = word_at(fp + 8);
    regs->fp = word_at(fp);
    regs->sp = fp + 16;
    regs->valid = 0;
    return regs->pc == 0 ? SAMPLER_STEP_END : SAMPLER_STEP_OK;
}

enum sampler_step jit_walk_step_sig(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                    bool is_leaf, struct sampler_regs *regs, struct sampler_raw_frame out[2],
                                    size_t *count_out) {
    bool frame_readable = regs->fp >= regs->sp && regs->fp + 16 <= bounds->limit && regs->fp % sizeof(uintptr_t) == 0;
    *count_out = 1;
    if (is_leaf) {
        int return_offset = frameless_return_offset(regs->pc);
        if (return_offset >= 0 || !frame_readable) {
            memset(&out[0], 0, sizeof out[0]);
            out[0].pc = regs->pc;
            out[0].is_leaf = true;
            out[0].kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME;
            return return_offset >= 0 ? step_frameless(bounds, return_offset, regs) : SAMPLER_STEP_TRUNCATED;
        }
    }
    if (!frame_readable) return *count_out = 0, SAMPLER_STEP_TRUNCATED;
    note_frame(walk, regs, is_leaf, &out[0]);
    if (is_leaf && in_embedded(walk, regs->pc) && is_javascript_frame(walk, regs)) {
        out[1] = out[0];
        out[1].is_leaf = false;
        note_frameless(walk, regs, out);
        *count_out = 2;
    }
    return step_frame(bounds, regs);
}
