/* unwind_sig.c: owns the step from a native frame to its caller, in a signal handler.
 *
 * Runs in signal handlers: no locks, no allocation, no stdio, bounded loops, stack reads only inside the bounds given,
 * CFI reads only from maps.c's own mappings. Nothing here touches errno.
 *
 * Decoding a PC's rules takes about a microsecond. Nearly all rules have one simple form, which fits a word: those are
 * remembered in a small table that all threads share without locks, so that code seen before costs one probe.
 */
#include <stddef.h>
#include <ucontext.h>

#include "sampler/maps.h"
#include "sampler/stack_read.h"

/* Below the stack pointer of code that was interrupted, this much is in use (System V ABI 3.2.2): the kernel puts a
 * signal's frame below it, so it is there to be read. */
#define RED_ZONE_NBYTES 128

/* ---- The machine: x86-64 ---- */

void sampler_regs_from_ucontext_sig(const void *ucontext, struct sampler_regs *regs_out) {
    static const uint8_t from[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *saved = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    for (size_t i = 0; i < 16; i++)
        regs_out->gpr[i] = (uintptr_t)saved[from[i]];
    regs_out->pc = (uintptr_t)saved[REG_RIP];
    regs_out->sp = regs_out->gpr[MACHINE_REG_SP];
    regs_out->fp = regs_out->gpr[MACHINE_REG_FP];
    regs_out->valid = 0xffff;
}

/* ---- Objects ---- */

/* Here, not in maps.c, as code that runs in a handler refers to nothing outside of *_sig.c. */
_Atomic(const struct sampler_map_set *) sampler_maps_current;
_Atomic uint32_t sampler_maps_generation;

const struct sampler_map_set *sampler_maps_now_sig(void) {
    return atomic_load_explicit(&sampler_maps_current, memory_order_acquire);
}

static const struct sampler_map *find_map(const struct sampler_map_set *set, uintptr_t pc) {
    size_t low = 0, high = set == NULL ? 0 : set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->maps[middle]->object.start <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && pc < set->maps[low - 1]->object.limit ? set->maps[low - 1] : NULL;
}

const struct sampler_object *sampler_maps_find_in_sig(const struct sampler_map_set *set, uintptr_t pc) {
    const struct sampler_map *map = find_map(set, pc);
    return map == NULL ? NULL : &map->object;
}

const struct sampler_object *sampler_maps_find_sig(uintptr_t pc) {
    return sampler_maps_find_in_sig(sampler_maps_now_sig(), pc);
}

/* ---- Remembered rules ----
 *
 * A rule in one word, with the part of a 256-byte block of code in which it holds:
 *   bit 0        1
 *   bit 1        the return address is undefined: the thread's first frame; bits 2..47 are 0
 *   bits 2..5    the register that the CFA is relative to
 *   bits 6..23   the CFA's distance from it, in words
 *   bits 24..47  four bits for each of SAVED: 0 not saved, else at CFA - 8 * (1 + value)
 *   bits 48..55  the first byte of the block, and
 *   bits 56..63  the last one, that the rule is for
 * The return address is at CFA - 8. Whatever does not fit is decoded anew each time. */

typedef uint64_t packed_rule;
#define PACKED_END ((packed_rule)3)
#define CFA_WORDS_BITS 18
#define SAVED_SHIFT 24
#define FIRST_SHIFT 48
#define LAST_SHIFT 56
#define BLOCK_BITS 8
#define BLOCK_MASK ((1u << BLOCK_BITS) - 1)

static const uint8_t SAVED[6] = {MACHINE_REG_RBX,     MACHINE_REG_FP,      MACHINE_REG_R12,
                                 MACHINE_REG_R12 + 1, MACHINE_REG_R12 + 2, MACHINE_REG_R15};

/* CHECK is the key xor RULE, so an entry half of which another thread has just replaced matches no key. */
struct cache_entry {
    _Atomic uint64_t check;
    _Atomic uint64_t rule;
};

/* A set is one line of the processor's cache; 32 kB in all. A run samples a few thousand different PCs, in fewer rows,
 * and all of this is cold when a handler begins: the smaller the better. */
#define SET_BITS 9
#define WAYS 4
static struct cache_entry cache[1 << SET_BITS][WAYS] __attribute__((aligned(64)));

/* User addresses have 47 bits, so blocks have 39; the generation of the maps takes the rest. */
#define KEY_GENERATION_SHIFT 39

static uint64_t cache_key(uintptr_t pc) {
    uint64_t generation = atomic_load_explicit(&sampler_maps_generation, memory_order_acquire);
    return pc >> BLOCK_BITS ^ generation << KEY_GENERATION_SHIFT;
}

static struct cache_entry *cache_set(uint64_t key) {
    return cache[key * 0x9e3779b97f4a7c15 >> (64 - SET_BITS)];
}

static packed_rule cache_get(uint64_t key, uintptr_t pc) {
    const struct cache_entry *set = cache_set(key);
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t rule = atomic_load_explicit(&set[i].rule, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&set[i].check, memory_order_relaxed);
        if ((check ^ rule) == key && (pc & BLOCK_MASK) >= (rule >> FIRST_SHIFT & BLOCK_MASK) &&
            (pc & BLOCK_MASK) <= rule >> LAST_SHIFT)
            return rule;
    }
    return 0;
}

/* In place of an entry that is empty or of an earlier generation, else of one that the PC draws, unless that holds
 * another row of the same block: the two would take turns. */
static void cache_put(uint64_t key, uintptr_t pc, packed_rule rule) {
    struct cache_entry *set = cache_set(key);
    size_t way = pc * 0x9e3779b97f4a7c15 >> 62;
    if ((set[way].check ^ set[way].rule) == key) way = (way + 1) % WAYS;
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t held = set[i].rule, held_key = set[i].check ^ held;
        if (held == 0 || held_key >> KEY_GENERATION_SHIFT != key >> KEY_GENERATION_SHIFT) way = i;
    }
    atomic_store_explicit(&set[way].check, key ^ rule, memory_order_relaxed);
    atomic_store_explicit(&set[way].rule, rule, memory_order_relaxed);
}

void sampler_unwind_cache_clear(void) {
    for (size_t i = 0; i < 1 << SET_BITS; i++) {
        for (size_t way = 0; way < WAYS; way++) {
            atomic_store_explicit(&cache[i][way].rule, 0, memory_order_relaxed);
            atomic_store_explicit(&cache[i][way].check, 0, memory_order_relaxed);
        }
    }
}

/* The part of PC's block in which ROW holds. */
static packed_rule pack_range(const struct sampler_cfi_row *row, uint64_t pc, uint64_t load_bias) {
    uint64_t block = (pc + load_bias) & ~(uint64_t)BLOCK_MASK, first = row->pc + load_bias;
    uint64_t last = row->pc_limit - 1 + load_bias;
    first = first > block ? first - block : 0;
    last = last - block < BLOCK_MASK ? last - block : BLOCK_MASK;
    return first << FIRST_SHIFT | last << LAST_SHIFT;
}

/* The row as one word, or 0 when it does not fit. */
static packed_rule pack(const struct sampler_cfi_fde *fde, const struct sampler_cfi_row *row) {
    const struct sampler_cfi_rule *rules = row->rules;
    if (fde->is_signal_frame) return 0;
    if (rules[fde->return_register].kind == SAMPLER_CFI_UNDEFINED) return PACKED_END;
    if (rules[fde->return_register].kind != SAMPLER_CFI_OFFSET || rules[fde->return_register].offset != -8) return 0;
    if (row->cfa_expression != NULL || row->cfa_register >= 16 || row->cfa_offset < 0 || row->cfa_offset % 8 != 0 ||
        row->cfa_offset / 8 >= 1 << CFA_WORDS_BITS)
        return 0;
    packed_rule packed = 1 | (packed_rule)row->cfa_register << 2 | (packed_rule)(row->cfa_offset / 8) << 6;
    uint32_t simple = 1u << fde->return_register;
    for (size_t i = 0; i < sizeof SAVED; i++) {
        const struct sampler_cfi_rule *rule = &rules[SAVED[i]];
        simple |= 1u << SAVED[i];
        if (rule->kind == SAMPLER_CFI_UNSPECIFIED || rule->kind == SAMPLER_CFI_SAME_VALUE) continue;
        if (rule->kind != SAMPLER_CFI_OFFSET || rule->offset % 8 != 0) return 0;
        int64_t words = -rule->offset / 8 - 1;
        if (words < 1 || words > 15) return 0;
        packed |= (packed_rule)words << (SAVED_SHIFT + 4 * i);
    }
    for (size_t i = 0; i < MACHINE_REG_COUNT; i++) {
        if (!(simple >> i & 1) && rules[i].kind != SAMPLER_CFI_UNSPECIFIED) return 0;
    }
    return packed;
}

/* ---- Applying rules ---- */

/* Where a step may read and what it starts from. */
struct frame {
    struct sampler_regs *regs;
    uintptr_t low; /* of what an expression may read: the stack pointer or, at a leaf, the red zone below it */
    uintptr_t limit;
    bool is_leaf;
};

static void become_caller(struct sampler_regs *regs, uintptr_t pc, uintptr_t sp, uint32_t valid) {
    regs->pc = pc;
    regs->sp = regs->gpr[MACHINE_REG_SP] = sp;
    regs->fp = regs->gpr[MACHINE_REG_FP];
    regs->valid = valid | 1u << MACHINE_REG_SP;
}

static bool is_good_cfa(const struct frame *frame, uintptr_t cfa) {
    return cfa > frame->regs->sp && cfa <= frame->limit && cfa % 8 == 0;
}

static enum sampler_unwind apply_packed(const struct frame *frame, packed_rule rule) {
    struct sampler_regs *regs = frame->regs;
    uint32_t cfa_register = rule >> 2 & 15, valid = regs->valid & MACHINE_CALLEE_SAVED;
    uint64_t pc, value;
    if ((rule & PACKED_END) == PACKED_END) return SAMPLER_UNWIND_END;
    if (!(regs->valid >> cfa_register & 1)) return SAMPLER_UNWIND_UNSUPPORTED;
    uintptr_t cfa = regs->gpr[cfa_register] + (rule >> 6 & ((1u << CFA_WORDS_BITS) - 1)) * 8;
    if (!is_good_cfa(frame, cfa) || !stack_read(regs->sp, frame->limit, cfa - 8, 8, &pc))
        return SAMPLER_UNWIND_BAD_STACK;
    if (pc == 0) return SAMPLER_UNWIND_END;
    for (size_t i = 0; i < sizeof SAVED; i++) {
        uint64_t words = rule >> (SAVED_SHIFT + 4 * i) & 15;
        /* A slot below the stack pointer has been popped: an epilogue, and the register is the caller's already. */
        if (words == 0 || !stack_read(regs->sp, frame->limit, cfa - 8 * (words + 1), 8, &value)) continue;
        regs->gpr[SAVED[i]] = value;
        valid |= 1u << SAVED[i];
    }
    become_caller(regs, pc, cfa, valid);
    return SAMPLER_UNWIND_OK;
}

/* The value of one register in the caller. Returns OK, NONE when it is not known there, or what went wrong. */
static enum sampler_cfi_status apply_rule(const struct sampler_expr_context *context,
                                          const struct sampler_cfi_rule *rule, uint32_t reg, uintptr_t cfa,
                                          uintptr_t *value_out) {
    struct sampler_cursor expression = {NULL, NULL, false};
    enum sampler_cfi_status status;
    uintptr_t address = cfa + (uintptr_t)rule->offset;
    uint64_t value;
    switch (rule->kind) {
        case SAMPLER_CFI_UNSPECIFIED:
            if (reg == MACHINE_REG_SP) {
                *value_out = cfa;
                return SAMPLER_CFI_OK;
            }
            if (!(MACHINE_CALLEE_SAVED >> reg & 1)) return SAMPLER_CFI_NONE;
            /* fall through */
        case SAMPLER_CFI_SAME_VALUE:
            *value_out = context->registers[reg];
            return context->valid >> reg & 1 ? SAMPLER_CFI_OK : SAMPLER_CFI_NONE;
        case SAMPLER_CFI_REGISTER:
            if (rule->offset < 0 || rule->offset >= MACHINE_REG_COUNT) return SAMPLER_CFI_NONE;
            *value_out = context->registers[rule->offset];
            return context->valid >> rule->offset & 1 ? SAMPLER_CFI_OK : SAMPLER_CFI_NONE;
        case SAMPLER_CFI_VAL_OFFSET: *value_out = address; return SAMPLER_CFI_OK;
        case SAMPLER_CFI_OFFSET: break;
        case SAMPLER_CFI_EXPRESSION:
        case SAMPLER_CFI_VAL_EXPRESSION:
            expression = cursor_make(rule->expression, rule->expression_nbytes);
            status = sampler_expr_evaluate_sig(context, expression, true, cfa, &address);
            if (status != SAMPLER_CFI_OK) return status;
            if (rule->kind == SAMPLER_CFI_EXPRESSION) break;
            *value_out = address;
            return SAMPLER_CFI_OK;
        default: return SAMPLER_CFI_NONE; /* SAMPLER_CFI_UNDEFINED */
    }
    if (stack_read(context->read_low, context->read_limit, address, 8, &value)) {
        *value_out = value;
        return SAMPLER_CFI_OK;
    }
    /* As in apply_packed: popped already. (What is in the red zone was read: it is still the same.) */
    if (!(MACHINE_CALLEE_SAVED >> reg & 1) || address >= context->read_low) return SAMPLER_CFI_MALFORMED;
    *value_out = context->registers[reg];
    return context->valid >> reg & 1 ? SAMPLER_CFI_OK : SAMPLER_CFI_NONE;
}

static enum sampler_cfi_status find_cfa(const struct sampler_expr_context *context, const struct sampler_cfi_row *row,
                                        uintptr_t *cfa_out) {
    if (row->cfa_expression != NULL) {
        struct sampler_cursor expression = cursor_make(row->cfa_expression, row->cfa_expression_nbytes);
        return sampler_expr_evaluate_sig(context, expression, false, 0, cfa_out);
    }
    if (row->cfa_register >= MACHINE_REG_COUNT || !(context->valid >> row->cfa_register & 1)) return SAMPLER_CFI_NONE;
    *cfa_out = context->registers[row->cfa_register] + (uintptr_t)row->cfa_offset;
    return SAMPLER_CFI_OK;
}

/* Is SP a caller's stack pointer? A function that has its return address in a register, as some assembly does for a
 * moment, may have nothing on the stack; so may only a leaf. */
static bool is_good_sp(const struct frame *frame, const struct sampler_cfi_rule *return_rule, uintptr_t sp) {
    bool may_stay = frame->is_leaf && return_rule->kind == SAMPLER_CFI_REGISTER;
    return (sp > frame->regs->sp || (may_stay && sp == frame->regs->sp)) && sp <= frame->limit;
}

/* Until their end, GCC's rules for functions that realign their stack find saved registers relative to rbp, although
 * the last two instructions come after "pop %rbp". It is the caller's then and points above the CFA, where no function
 * saves a register. (A signal's may be anywhere.) Returns: whether all that is saved relative to rbp has been popped.
 */
static bool has_popped_fp(const struct frame *frame, const struct sampler_cfi_fde *fde,
                          const struct sampler_cfi_row *row, const struct sampler_expr_context *context,
                          uintptr_t cfa) {
    const struct sampler_cfi_rule *rule = &row->rules[MACHINE_REG_FP];
    uintptr_t address;
    if (!frame->is_leaf || fde->is_signal_frame || rule->kind != SAMPLER_CFI_EXPRESSION) return false;
    struct sampler_cursor expression = cursor_make(rule->expression, rule->expression_nbytes);
    return sampler_expr_evaluate_sig(context, expression, true, cfa, &address) == SAMPLER_CFI_OK && address >= cfa;
}

static enum sampler_unwind failure(enum sampler_cfi_status status) {
    return status == SAMPLER_CFI_MALFORMED ? SAMPLER_UNWIND_BAD_STACK : SAMPLER_UNWIND_UNSUPPORTED;
}

static enum sampler_unwind apply_row(const struct frame *frame, const struct sampler_cfi_fde *fde,
                                     const struct sampler_cfi_row *row, uintptr_t load_bias) {
    struct sampler_regs *regs = frame->regs;
    uintptr_t registers[MACHINE_REG_COUNT], caller[MACHINE_REG_COUNT], cfa;
    uint32_t valid = 0;
    memcpy(registers, regs->gpr, sizeof regs->gpr);
    registers[MACHINE_REG_PC] = regs->pc;
    struct sampler_expr_context context = {registers, regs->valid | 1u << MACHINE_REG_PC, frame->low, frame->limit,
                                           load_bias};
    const struct sampler_cfi_rule *return_rule = &row->rules[fde->return_register];
    if (return_rule->kind == SAMPLER_CFI_UNDEFINED) return SAMPLER_UNWIND_END;
    enum sampler_cfi_status status = find_cfa(&context, row, &cfa);
    if (status != SAMPLER_CFI_OK) return failure(status);
    if (row->rules[MACHINE_REG_SP].kind == SAMPLER_CFI_UNSPECIFIED && cfa % 8 != 0) return SAMPLER_UNWIND_BAD_STACK;

    static const struct sampler_cfi_rule POPPED = {.kind = SAMPLER_CFI_SAME_VALUE};
    bool popped = has_popped_fp(frame, fde, row, &context, cfa);
    for (uint32_t reg = 0; reg < 16; reg++) {
        const struct sampler_cfi_rule *rule = &row->rules[reg];
        if (popped && rule->kind == SAMPLER_CFI_EXPRESSION) rule = &POPPED;
        if (apply_rule(&context, rule, reg, cfa, &caller[reg]) == SAMPLER_CFI_OK) valid |= 1u << reg;
    }
    if (!(valid >> MACHINE_REG_SP & 1) || !is_good_sp(frame, return_rule, caller[MACHINE_REG_SP]))
        return SAMPLER_UNWIND_BAD_STACK;
    status = apply_rule(&context, return_rule, MACHINE_REG_PC, cfa, &caller[MACHINE_REG_PC]);
    if (status != SAMPLER_CFI_OK) return failure(status);
    if (caller[MACHINE_REG_PC] == 0) return SAMPLER_UNWIND_END;
    for (uint32_t reg = 0; reg < 16; reg++) {
        if (valid >> reg & 1) regs->gpr[reg] = caller[reg];
    }
    become_caller(regs, caller[MACHINE_REG_PC], caller[MACHINE_REG_SP], valid);
    return SAMPLER_UNWIND_OK;
}

/* ---- The step ---- */

static bool is_thread_start(const struct sampler_module *module, uint64_t pc) {
    for (size_t i = 0; i < module->thread_start_count; i++) {
        if (pc >= module->thread_starts[i].start && pc < module->thread_starts[i].limit) return true;
    }
    return false;
}

static enum sampler_unwind step_by_cfi(const struct frame *frame, uintptr_t pc, uint64_t key, bool *is_leaf_out) {
    struct sampler_cfi_fde fde;
    struct sampler_cfi_row row;
    const struct sampler_map *map = find_map(sampler_maps_now_sig(), pc);
    if (map == NULL) return SAMPLER_UNWIND_NO_OBJECT;
    uintptr_t load_bias = map->module->load_bias;
    enum sampler_cfi_status status = sampler_cfi_find_sig(&map->module->cfi, pc - load_bias, &fde);
    if (status == SAMPLER_CFI_OK) status = sampler_cfi_row_sig(&fde, pc - load_bias, &row);
    if (status == SAMPLER_CFI_NONE)
        return is_thread_start(map->module, pc - load_bias) ? SAMPLER_UNWIND_END : SAMPLER_UNWIND_NO_CFI;
    if (status != SAMPLER_CFI_OK) return SAMPLER_UNWIND_UNSUPPORTED;
    packed_rule rule = pack(&fde, &row);
    if (rule != 0) {
        cache_put(key, pc, rule | pack_range(&row, pc - load_bias, load_bias));
        return apply_packed(frame, rule);
    }
    *is_leaf_out = fde.is_signal_frame;
    return apply_row(frame, &fde, &row, load_bias);
}

enum sampler_unwind sampler_unwind_step_sig(struct sampler_regs *regs, const struct sampler_stack_bounds *bounds,
                                            bool is_leaf, bool *is_leaf_out) {
    struct frame frame = {regs, regs->sp, bounds->limit, is_leaf};
    *is_leaf_out = false;
    if (regs->sp < bounds->low || regs->sp >= bounds->limit) return SAMPLER_UNWIND_BAD_STACK;
    if (is_leaf) frame.low -= regs->sp - bounds->low < RED_ZONE_NBYTES ? regs->sp - bounds->low : RED_ZONE_NBYTES;
    regs->gpr[MACHINE_REG_SP] = regs->sp;
    regs->gpr[MACHINE_REG_FP] = regs->fp;
    regs->valid |= 1u << MACHINE_REG_SP | 1u << MACHINE_REG_FP;
    /* A return address may be the first byte after its function: the call is before it. */
    uintptr_t pc = is_leaf ? regs->pc : regs->pc - 1;
    uint64_t key = cache_key(pc);
    packed_rule rule = cache_get(key, pc);
    return rule != 0 ? apply_packed(&frame, rule) : step_by_cfi(&frame, pc, key, is_leaf_out);
}
