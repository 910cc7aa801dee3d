/* unwind_single_step.h: runs code one instruction at a time and walks the stack at each.
 *
 * The oracle is a shadow stack: the return addresses that `call` instructions have pushed, for as long as the stack
 * pointer is not above them. */
#ifndef FINO_TESTS_UNWIND_SINGLE_STEP_H
#define FINO_TESTS_UNWIND_SINGLE_STEP_H

#include <signal.h>
#include <ucontext.h>

#include "unwind_walk.h"

#define STEP_TRAP_FLAG 0x100
#define STEP_FAILURES_MAX 4096

static struct {
    struct walk walk;
    struct sampler_stack_bounds bounds;
    uintptr_t shadow[WALK_FRAMES_MAX]; /* return addresses, the root's first */
    uintptr_t slots[WALK_FRAMES_MAX];  /* where they are on the stack */
    size_t depth;
    uintptr_t last_pc;
    volatile bool stepping;
    size_t steps, longjmp_steps, failures, failures_kept;
    struct {
        uintptr_t pc;
        size_t frames; /* that agreed with the shadow stack */
        enum sampler_unwind end;
    } failed[STEP_FAILURES_MAX];
} step;

static inline const uint8_t *step_skip_prefixes(const uint8_t *code) {
    while (*code == 0xf2 || *code == 0xf3 || *code == 0x3e || *code == 0x66 || (*code & 0xf0) == 0x40)
        code++;
    return code;
}

/* Brings the shadow stack up to date after the instruction at LAST_PC. */
static inline void step_follow(const uint8_t *code, uintptr_t sp) {
    code = step_skip_prefixes(code);
    while (step.depth > 0 && step.slots[step.depth - 1] < sp)
        step.depth--;
    if (code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2)) {
        step.slots[step.depth] = sp;
        step.shadow[step.depth++] = *(const uintptr_t *)sp;
    }
}

/* At longjmp's end its caller is not who called it but where it jumps to, in one of the functions further up. */
static inline bool step_is_longjmp(void) {
    size_t rest = step.walk.count - 2;
    if (step.walk.end != SAMPLER_UNWIND_END || step.walk.count < 3 || rest > step.depth) return false;
    for (size_t i = 0; i < rest; i++) {
        if (step.walk.pcs[2 + i] != step.shadow[rest - 1 - i]) return false;
    }
    return true;
}

static inline bool step_agrees(size_t *agreeing_out) {
    size_t frames = 1;
    while (frames < step.walk.count && frames <= step.depth &&
           step.walk.pcs[frames] == step.shadow[step.depth - frames])
        frames++;
    *agreeing_out = frames;
    return step.walk.end == SAMPLER_UNWIND_END && step.walk.count == frames && frames == step.depth + 1;
}

static inline void step_on_trap(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    ucontext_t *context = ucontext;
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    size_t frames;
    walk_ucontext(&step.walk, ucontext, &step.bounds);
    if (!(context->uc_mcontext.gregs[REG_EFL] & STEP_TRAP_FLAG)) {
        /* The start, inside of raise: this walk is the shadow stack's beginning. */
        step.depth = step.walk.count - 1;
        for (size_t i = 1; i < step.walk.count; i++) {
            step.shadow[step.depth - i] = step.walk.pcs[i];
            step.slots[step.depth - i] = step.walk.sps[i] - sizeof(uintptr_t);
        }
        context->uc_mcontext.gregs[REG_EFL] |= STEP_TRAP_FLAG;
        step.last_pc = pc;
        return;
    }
    step_follow((const uint8_t *)step.last_pc, (uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
    step.last_pc = pc;
    step.steps++;
    if (step_agrees(&frames)) {
    } else if (step_is_longjmp()) {
        step.longjmp_steps++;
    } else {
        if (step.failures_kept < STEP_FAILURES_MAX) {
            step.failed[step.failures_kept].pc = pc;
            step.failed[step.failures_kept].end = step.walk.end;
            step.failed[step.failures_kept++].frames = frames;
        }
        step.failures++;
    }
    if (!step.stepping) context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
}

static inline void step_prepare(void) {
    struct sigaction action = {.sa_sigaction = step_on_trap, .sa_flags = SA_SIGINFO};
    if (sampler_maps_refresh() != 0 || sigaction(SIGTRAP, &action, NULL) != 0) abort();
    step.bounds = walk_bounds();
}

/* Calls FUNCTION in single steps. */
static inline void step_through(void (*function)(void)) {
    step.stepping = true;
    raise(SIGTRAP);
    function();
    step.stepping = false;
}

/* Prints each different PC at which a walk failed. */
static inline void step_report(const char *what) {
    fprintf(stderr, "%s: %zu steps, %zu in longjmp, %zu failed\n", what, step.steps, step.longjmp_steps, step.failures);
    for (size_t i = 0; i < step.failures_kept; i++) {
        struct sampler_symbol symbol = {"?", "", "", 0, 0};
        const struct sampler_object *object = sampler_maps_find_sig(step.failed[i].pc);
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = step.failed[k].pc == step.failed[i].pc;
        if (seen) continue;
        if (object != NULL) sampler_symbol_find(object, step.failed[i].pc, &symbol);
        fprintf(stderr, "  %s %#zx %s: %zu frames right, end %d\n", object == NULL ? "?" : object->path,
                step.failed[i].pc - (object == NULL ? 0 : object->load_bias), symbol.name, step.failed[i].frames,
                step.failed[i].end);
    }
}

#endif
