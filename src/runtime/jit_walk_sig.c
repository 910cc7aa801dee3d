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
 * return address is not next to any frame pointer: it is looked for between the stack pointer and the frame.
 *
 * tests/walk checks every instruction. Known to be lost: a builtin that another one works for without a frame, and the
 * function that such a builtin works for while it is in a write barrier. Cut short: the few instructions in which a
 * deoptimised function's frame leaves the stack and others take its place. */
#include "runtime/jit_walk_sig.h"

#include <string.h>

/* How far ahead a prologue is looked for: the entry checks of optimised code take less. */
#define PROLOGUE_SCAN_NBYTES 48
/* How many words above the stack pointer may hold a frameless leaf's return address. */
#define CANDIDATE_WORDS 64
#define PAGE_NBYTES 4096
/* Where the interpreter keeps the bytecode array and the offset in it: the frame's offset is that of the last call. */
#define INTERPRETER_ARRAY_REGISTER 12
#define INTERPRETER_OFFSET_REGISTER 9

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

static bool is_frame_readable(const struct sampler_stack_bounds *bounds, const struct sampler_regs *regs) {
    return regs->fp >= regs->sp && regs->fp + 16 <= bounds->limit && regs->fp % sizeof(uintptr_t) == 0;
}

/* Where the return address of a leaf is that has no frame: REGS for its caller, whose frame pointer RBP still is. */
struct frameless {
    uintptr_t return_address;
    uintptr_t sp; /* above it */
};

/* The instruction that the two helpers below look at: code of PC's page only, so that nothing unmapped is read. */
struct code_view {
    const uint8_t *code;
    size_t before, after; /* how many bytes may be read there */
};

static struct code_view view_code(uintptr_t pc) {
    return (struct code_view){(const uint8_t *)pc, pc % PAGE_NBYTES, PAGE_NBYTES - pc % PAGE_NBYTES};
}

static bool is_prologue(const uint8_t *code) {
    static const uint8_t push_rbp_mov_rbp_rsp[] = {0x55, 0x48, 0x89, 0xe5};
    return memcmp(code, push_rbp_mov_rbp_rsp, sizeof push_rbp_mov_rbp_rsp) == 0;
}

/* Takes `push` (0x50) or `pop` (0x58) of any register off CODE. Returns: the number of its bytes, 0: it is none. */
static size_t take_push_or_pop(const uint8_t *code, uint8_t opcode, int *register_out) {
    size_t prefix = code[0] == 0x41;
    if ((code[prefix] & 0xf8) != opcode) return 0;
    *register_out = (code[prefix] & 7) + (prefix ? 8 : 0);
    return prefix + 1;
}

/* Functions drop their arguments after `pop rbp`: `pop R; lea rsp, [rsp + N * 8]; push R; ret`. Returns: at which of
 * the first three CODE is (from 1; 0: at none), and R. */
static int argument_drop_stage(const uint8_t *code, int *register_out) {
    static const uint8_t lea_rsp[] = {0x48, 0x8d, 0x24};
    int popped = -1, pushed, stage = 3;
    size_t at = take_push_or_pop(code, 0x58, &popped);
    if (at > 0) stage = 1;
    if (memcmp(code + at, lea_rsp, sizeof lea_rsp) == 0) {
        stage = at > 0 ? 1 : 2;
        at += sizeof lea_rsp + 1;
    } else if (at > 0) {
        return 0;
    }
    size_t push_nbytes = take_push_or_pop(code + at, 0x50, &pushed);
    if (push_nbytes == 0 || code[at + push_nbytes] != 0xc3 || (stage == 1 && popped != pushed)) return 0;
    *register_out = pushed;
    return stage;
}
#define ARGUMENT_DROP_NBYTES 10

/* `cmp rcx, N; jg +M; ret P`: are there more arguments than the function declares? Also after `pop rbp`. */
static bool is_argument_check(const uint8_t *code) {
    return (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xf9 && code[4] == 0x7f && code[6] == 0xc2) ||
           (code[0] == 0x7f && code[2] == 0xc2);
}

static uintptr_t register_of(const struct sampler_regs *regs, int number) {
    static const uint8_t dwarf[] = {0, 2, 1, 3, 7, 6, 4, 5};
    return regs->gpr[number < 8 ? dwarf[number] : number];
}

/* `call` of the builtin that makes the frame of baseline code. */
static bool calls_baseline_prologue(const struct jit_walk *walk, const uint8_t *code) {
    int32_t distance;
    uintptr_t target = atomic_load_explicit(&walk->baseline_prologue, memory_order_relaxed);
    if (target == 0 || code[0] != 0xe8) return false;
    memcpy(&distance, code + 1, sizeof distance);
    return (uintptr_t)code + 5 + (uintptr_t)(intptr_t)distance == target;
}

/* Baseline code begins with `mov ebx, FRAME (or xor ebx, ebx); mov r12, BYTECODE; call`. */
static bool is_baseline_start(const struct jit_walk *walk, const struct code_view *view) {
    const uint8_t *code = view->code;
    if (view->after < 20) return false;
    if (code[0] == 0xbb)
        code += 5;
    else if (code[0] == 0x33 && code[1] == 0xdb)
        code += 2;
    return calls_baseline_prologue(walk, code) ||
           (code[0] == 0x49 && code[1] == 0xbc && calls_baseline_prologue(walk, code + 10));
}

/* How far ahead a prologue begins; -1: there is none. */
static int prologue_distance(const struct code_view *view) {
    for (size_t i = 0; i < PROLOGUE_SCAN_NBYTES && i + 4 <= view->after; i++)
        if (is_prologue(view->code + i)) return (int)i;
    return -1;
}

/* Builtins have a prologue on each path that needs one, so that the next one may be another path's. Is there a frame
 * already such as the prologue DISTANCE ahead makes, which goes on with `push TYPE`? If it is the caller's, of the same
 * type, the caller is a builtin, too, and the only one to be lost. */
static bool has_frame_of_prologue(const struct code_view *view, int distance, const struct sampler_regs *regs) {
    const uint8_t *code = view->code + distance + 4;
    return (size_t)distance + 6 <= view->after && code[0] == 0x6a && regs->sp + sizeof(uintptr_t) <= regs->fp &&
           word_at(regs->fp - sizeof(uintptr_t)) == code[1];
}

/* Is the leaf before its prologue, after its epilogue, or without any? "No" where that can't be told. */
static bool is_frameless(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                         const struct sampler_regs *regs, struct frameless *out) {
    struct code_view view = view_code(regs->pc);
    const uint8_t *code = view.code;
    int in_register;
    if (regs->sp + 2 * sizeof(uintptr_t) > bounds->limit) return false;
    *out = (struct frameless){word_at(regs->sp), regs->sp + sizeof(uintptr_t)};
    if (code[0] == 0xc3 || code[0] == 0xc2) return true; /* ret */
    if (view.before >= 1 && view.after >= 3 && code[-1] == 0x55 && code[0] == 0x48 && code[1] == 0x89 &&
        code[2] == 0xe5) { /* between push rbp and mov rbp, rsp */
        *out = (struct frameless){word_at(regs->sp + sizeof(uintptr_t)), regs->sp + 2 * sizeof(uintptr_t)};
        return true;
    }
    int distance = prologue_distance(&view);
    if (distance == 0) return true;
    if (view.after >= ARGUMENT_DROP_NBYTES && argument_drop_stage(code, &in_register) > 1) {
        *out = (struct frameless){register_of(regs, in_register), regs->sp};
        return jit_walk_owns_pc_sig(walk, out->return_address);
    }
    /* What is only likely counts if a return address into V8's code is there. */
    if (!jit_walk_owns_pc_sig(walk, out->return_address)) return false;
    if (distance > 0 && !(is_frame_readable(bounds, regs) && has_frame_of_prologue(&view, distance, regs))) return true;
    return is_baseline_start(walk, &view) ||
           (view.after >= ARGUMENT_DROP_NBYTES &&
            (is_argument_check(code) || argument_drop_stage(code, &in_register) == 1));
}

/* ---- Frameless leaves on a JavaScript frame ---- */

static bool is_heap_object(uintptr_t word) {
    return (word & 3) == 1;
}

static bool is_small_integer(uintptr_t word) {
    return (word & UINT32_MAX) == 0;
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

/* Notes a builtin at PC and the JavaScript function it works for, FUNCTION (tagged): OUT[1].pc is the most likely
 * return address into it among the words in [FROM, LIMIT). */
static void note_frameless(const struct jit_walk *walk, uintptr_t function, uintptr_t from, uintptr_t limit,
                           struct sampler_raw_frame out[2]) {
    uintptr_t packed = 0, first = 0;
    int packed_count = 0;
    for (uintptr_t at = from; at < limit; at += sizeof(uintptr_t)) {
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
    out[0].extra_count = 2;
    out[1].pc = first;
    out[1].kind = SAMPLER_FRAME_MANAGED + JIT_RAW_BELOW;
}

/* The same on the frame at REGS->fp; OUT[0] is noted already. */
static void note_frameless_on_frame(const struct jit_walk *walk, const struct sampler_regs *regs,
                                    struct sampler_raw_frame out[2]) {
    uintptr_t limit = regs->sp + CANDIDATE_WORDS * sizeof(uintptr_t);
    out[1] = out[0];
    out[1].is_leaf = false;
    note_frameless(walk, word_at(regs->fp + (uintptr_t)walk->frame_function), regs->sp,
                   limit < regs->fp ? limit : regs->fp, out);
}

/* ---- Steps ---- */

static struct sampler_raw_frame leaf_alone(uintptr_t pc) {
    return (struct sampler_raw_frame){.pc = pc, .is_leaf = true, .kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME};
}

static void add_interpreter_offset(const struct sampler_regs *leaf, struct sampler_raw_frame *out) {
    if (out->extra_count == 2 && leaf->gpr[INTERPRETER_ARRAY_REGISTER] == out->extra[0])
        out->extra[1] |= (uint32_t)leaf->gpr[INTERPRETER_OFFSET_REGISTER]; /* a Smi's lower half is 0 */
}

/* The slots that name an interpreted function are kept for V8's builtins, its interpreter among them, and elsewhere
 * only where they can be that: in optimised code, most of all there is, they hold anything. */
static void note_frame(const struct jit_walk *walk, const struct sampler_regs *regs, bool is_leaf,
                       struct sampler_raw_frame *out) {
    out->pc = regs->pc;
    out->is_leaf = is_leaf;
    out->kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME;
    out->extra_count = 0;
    if (!walk->layout_known || regs->fp + (uintptr_t)walk->frame_bytecode_offset < regs->sp) return;
    uintptr_t array = word_at(regs->fp + (uintptr_t)walk->frame_bytecode_array);
    uintptr_t offset = word_at(regs->fp + (uintptr_t)walk->frame_bytecode_offset);
    if ((!is_heap_object(array) || !is_small_integer(offset)) && !in_embedded(walk, regs->pc)) return;
    if (!is_heap_object(word_at(regs->fp + (uintptr_t)walk->frame_context))) return;
    out->extra[0] = array;
    out->extra[1] = offset;
    out->extra_count = 2;
    if (is_leaf && in_embedded(walk, regs->pc)) add_interpreter_offset(regs, out);
}

/* Frame types of JSEntry: the only code of V8 that native code calls. */
#define ENTRY_MARKER 2
#define CONSTRUCT_ENTRY_MARKER 4

/* Is the frame at FP, which no code of V8 has called, on top of an interpreted one? */
static bool is_on_interpreted(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds, uintptr_t sp,
                              uintptr_t fp) {
    uintptr_t caller_fp = word_at(fp), marker = fp - sizeof(uintptr_t) >= sp ? word_at(fp - sizeof(uintptr_t)) : 0;
    if (!walk->layout_known || (marker & 1) != 0 || marker == 0 || marker == ENTRY_MARKER ||
        marker == CONSTRUCT_ENTRY_MARKER)
        return false;
    return caller_fp > fp + 16 && caller_fp % sizeof(uintptr_t) == 0 && caller_fp + 16 <= bounds->limit &&
           caller_fp + (uintptr_t)walk->frame_bytecode_offset > fp &&
           is_heap_object(word_at(caller_fp + (uintptr_t)walk->frame_context)) &&
           is_heap_object(word_at(caller_fp + (uintptr_t)walk->frame_bytecode_array));
}

/* The builtins that enter baseline code in the middle of a function push the accumulator before they make a frame for a
 * call. Their own return address is above it, or there is none: a deoptimised frame goes on there; then the builtin's
 * own address does for the interpreted frame below, which its slots name. */
static uintptr_t return_address_above(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                      const struct sampler_regs *regs) {
    uintptr_t fp = regs->fp, return_address = word_at(fp + 8);
    if (!in_embedded(walk, regs->pc) || jit_walk_owns_pc_sig(walk, return_address) ||
        !is_on_interpreted(walk, bounds, regs->sp, fp))
        return return_address;
    uintptr_t above = word_at(fp + 16);
    return jit_walk_owns_pc_sig(walk, above) ? above : regs->pc;
}

static enum sampler_step step_frame(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                    struct sampler_regs *regs) {
    if (regs->fp < regs->sp || regs->fp % sizeof(uintptr_t) != 0 || regs->fp + 16 > bounds->limit)
        return SAMPLER_STEP_TRUNCATED;
    uintptr_t fp = regs->fp;
    regs->pc = return_address_above(walk, bounds, regs);
    regs->fp = word_at(fp);
    regs->sp = fp + 16;
    regs->valid = 0;
    return regs->pc == 0 ? SAMPLER_STEP_END : SAMPLER_STEP_OK;
}

/* ---- Baseline code's prologue ---- */

/* Baseline code calls a builtin to make its frame, which keeps the return address in R15 meanwhile, and pushes it again
 * when the frame is there. */
#define BASELINE_PROLOGUE_NBYTES 0x49

static void put_frame_of_baseline(uintptr_t return_address, struct sampler_raw_frame out[2], size_t *count_out) {
    out[1] = (struct sampler_raw_frame){.pc = return_address, .kind = SAMPLER_FRAME_MANAGED + JIT_RAW_FRAME};
    *count_out = 2;
}

static bool returns_from_baseline_prologue(const struct jit_walk *walk, uintptr_t return_address) {
    return in_jit(walk, return_address) && return_address % PAGE_NBYTES >= 5 &&
           calls_baseline_prologue(walk, (const uint8_t *)return_address - 5);
}

static bool keeps_baseline_return_address(const struct jit_walk *walk, const struct sampler_regs *regs) {
    uintptr_t prologue = atomic_load_explicit(&walk->baseline_prologue, memory_order_relaxed);
    return prologue != 0 && regs->pc - prologue < BASELINE_PROLOGUE_NBYTES &&
           returns_from_baseline_prologue(walk, regs->gpr[15]);
}

/* A leaf without a frame; and the one below it where that is baseline code that has none yet. */
static enum sampler_step step_frameless(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                        const struct frameless *caller, struct sampler_regs *regs,
                                        struct sampler_raw_frame out[2], size_t *count_out) {
    uintptr_t next = caller->sp + sizeof(uintptr_t) <= bounds->limit ? word_at(caller->sp) : 0;
    out[0] = leaf_alone(regs->pc);
    if (returns_from_baseline_prologue(walk, caller->return_address)) {
        if (jit_walk_owns_pc_sig(walk, next)) { /* else the frame is there */
            put_frame_of_baseline(caller->return_address, out, count_out);
            regs->pc = next;
            regs->sp = caller->sp + sizeof(uintptr_t);
            regs->valid = 0;
            return SAMPLER_STEP_OK;
        }
    } else if (keeps_baseline_return_address(walk, regs)) {
        put_frame_of_baseline(regs->gpr[15], out, count_out);
    }
    regs->pc = caller->return_address;
    regs->sp = caller->sp;
    regs->valid = 0;
    return SAMPLER_STEP_OK;
}

/* A leaf of V8's own with a frame of its own. If it is a bytecode's handler, the interpreted frame is next. */
static enum sampler_step step_handler(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                      struct sampler_regs *regs, struct sampler_raw_frame out[2], size_t *count_out) {
    enum sampler_step step = step_frame(walk, bounds, regs);
    if (step != SAMPLER_STEP_OK || !in_embedded(walk, regs->pc) || !is_frame_readable(bounds, regs)) return step;
    note_frame(walk, regs, false, &out[1]);
    add_interpreter_offset(regs, &out[1]);
    *count_out = 2;
    return step_frame(walk, bounds, regs);
}

/* ---- Deoptimisation: jit_deopt_entry.h ---- */

/* Over the frame that is in a Deoptimizer. RBP still is its frame pointer, although the stack has been used again. */
static enum sampler_step step_moved_frame(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                          const struct jit_deopt_entry *entry, struct sampler_regs *regs,
                                          struct sampler_raw_frame out[2], size_t *count_out) {
    uintptr_t pushed = word_at(regs->sp), above = pushed + sizeof(uintptr_t);
    if (pushed < regs->sp || pushed % sizeof(uintptr_t) != 0 || above > bounds->limit) return SAMPLER_STEP_TRUNCATED;
    uintptr_t deoptimizer = word_at(pushed), frame = word_at(deoptimizer + entry->input);
    uintptr_t nbytes = word_at(frame), offset = regs->fp - (above - nbytes);
    if (nbytes < 16 || offset > nbytes - 16 || offset % sizeof(uintptr_t) != 0 ||
        offset < (uintptr_t)-walk->frame_function)
        return SAMPLER_STEP_TRUNCATED;
    uintptr_t fp = frame + entry->content + offset;
    if (is_heap_object(word_at(fp + (uintptr_t)walk->frame_context)) &&
        is_heap_object(word_at(fp + (uintptr_t)walk->frame_function))) {
        out[1] = (struct sampler_raw_frame){0};
        note_frameless(walk, word_at(fp + (uintptr_t)walk->frame_function), deoptimizer, deoptimizer + entry->input,
                       out);
        *count_out = 2;
    }
    regs->pc = word_at(fp + 8);
    regs->fp = word_at(fp);
    regs->sp = above;
    regs->valid = 0;
    return SAMPLER_STEP_OK;
}

/* From the builtin: at a leaf while all of the frame is there, for a moment before, while and after it moves not. */
static enum sampler_step step_deopt_entry(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                          const struct jit_deopt_entry *entry, bool is_leaf, struct sampler_regs *regs,
                                          struct sampler_raw_frame out[2], size_t *count_out) {
    out[0] = leaf_alone(regs->pc);
    out[0].is_leaf = is_leaf;
    *count_out = 1;
    if (regs->pc == entry->second_return && !is_leaf && walk->layout_known)
        return step_moved_frame(walk, bounds, entry, regs, out, count_out);
    if (regs->pc >= entry->second_return || !is_frame_readable(bounds, regs) || !is_javascript_frame(walk, regs))
        return SAMPLER_STEP_TRUNCATED;
    note_frameless_on_frame(walk, regs, out);
    *count_out = 2;
    return step_frame(walk, bounds, regs);
}

enum sampler_step jit_walk_step_sig(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                    bool is_leaf, struct sampler_regs *regs, struct sampler_raw_frame out[2],
                                    size_t *count_out) {
    struct frameless caller;
    const struct jit_deopt_entry *deopt_entry = jit_deopt_entries_find(&walk->deopt_entries, regs->pc);
    if (deopt_entry != NULL) return step_deopt_entry(walk, bounds, deopt_entry, is_leaf, regs, out, count_out);
    *count_out = 1;
    if (is_leaf && is_frameless(walk, bounds, regs, &caller))
        return step_frameless(walk, bounds, &caller, regs, out, count_out);
    if (!is_frame_readable(bounds, regs)) {
        out[0] = leaf_alone(regs->pc);
        *count_out = is_leaf;
        return SAMPLER_STEP_TRUNCATED;
    }
    if (is_leaf && keeps_baseline_return_address(walk, regs)) {
        out[0] = leaf_alone(regs->pc);
        put_frame_of_baseline(regs->gpr[15], out, count_out);
        return step_frame(walk, bounds, regs);
    }
    note_frame(walk, regs, is_leaf, &out[0]);
    if (is_leaf && in_embedded(walk, regs->pc)) {
        if (out[0].extra_count == 0) return step_handler(walk, bounds, regs, out, count_out);
        if (is_javascript_frame(walk, regs)) {
            note_frameless_on_frame(walk, regs, out);
            *count_out = 2;
        }
    }
    return step_frame(walk, bounds, regs);
}

enum sampler_step jit_walk_steps_sig(const struct jit_walk *walk, const struct sampler_stack_bounds *bounds,
                                     bool is_leaf, struct sampler_regs *regs,
                                     struct sampler_raw_frame out[SAMPLER_STEP_FRAMES], size_t *count_out) {
    size_t count;
    enum sampler_step result = jit_walk_step_sig(walk, bounds, is_leaf, regs, out, &count);
    while (result == SAMPLER_STEP_OK && count < SAMPLER_STEP_FRAMES && jit_walk_owns_pc_sig(walk, regs->pc) &&
           is_frame_readable(bounds, regs)) {
        note_frame(walk, regs, false, &out[count++]);
        result = step_frame(walk, bounds, regs);
    }
    *count_out = count;
    return result;
}

/* The slot always leads to a context: the collector moves it only while this thread, whose signal this is, stands still
 * in it, and leaves the old one readable until the slot is changed. */
uintptr_t jit_walk_labels_sig(const struct jit_walk *walk) {
    if (!walk->labels.context_slot) return 0;
    uintptr_t context = *(const volatile uintptr_t *)walk->labels.context_slot;
    if ((context & 3) != 1) return 0;
    uintptr_t value = *(const volatile uintptr_t *)(context - 1 + (uintptr_t)walk->labels.offset);
    return value & 1 ? 0 : value >> 32;
}
