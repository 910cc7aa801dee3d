/* managed.h: what the sampler asks of a language runtime whose code it samples.
 *
 * The sampler knows nothing of JavaScript. A runtime attaches a `sampler_managed` to each thread that runs its code;
 * the first three functions run inside the signal handler of that thread, the rest outside of it.
 */
#ifndef FINO_SAMPLER_MANAGED_H
#define FINO_SAMPLER_MANAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that a signal handler calls: no locks, no allocation, no stdio, no lazy binding, bounded loops. */
#define SIGNAL_SAFE

/* The registers an unwinder carries from frame to frame. At the leaf all of GPR is valid (in DWARF's numbering for
 * the machine); further up only PC, SP, FP and those that VALID names (bit n: gpr[n]) are. */
struct sampler_regs {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t fp;
    uintptr_t gpr[16];
    uint32_t valid;
};

/* The part of a stack that may be read: [sp, limit). LOW is the lowest address the stack can reach. */
struct sampler_stack_bounds {
    uintptr_t low;
    uintptr_t limit;
};

/* One frame as the handler notes it, still without names: what it takes to find them later. */
struct sampler_raw_frame {
    uintptr_t pc;        /* exact at the leaf, a return address in its callers */
    uintptr_t extra[2];  /* of a managed frame: whatever names it */
    uint8_t extra_count; /* 0..2 words of EXTRA are stored */
    uint8_t kind;        /* SAMPLER_FRAME_NATIVE or, from a runtime, SAMPLER_FRAME_MANAGED + any of 0..7 */
    bool is_leaf;        /* PC is where execution is, not a return address */
};
#define SAMPLER_FRAME_NATIVE 0
#define SAMPLER_FRAME_MANAGED 8

/* So many frames are noted by one call: few enough to stay in the nearest cache on their way to the ring. */
#define SAMPLER_STEP_FRAMES 16

enum sampler_step {
    SAMPLER_STEP_OK,        /* REGS are now the caller's */
    SAMPLER_STEP_END,       /* this was the thread's first frame: the walk is complete */
    SAMPLER_STEP_TRUNCATED, /* the caller can't be proven; the walk ends here */
};

struct sampler_sink; /* collects the locations of one stack: see fold.h */

/* What a runtime says of a sample, beside its thread. */
struct sampler_label {
    const char *key;
    const char *value;
};
#define SAMPLER_LABELS_MAX 8

struct sampler_managed {
    /* SIGNAL_SAFE. Is PC in code of this runtime? */
    bool (*owns_pc)(const struct sampler_managed *self, uintptr_t pc);

    /* SIGNAL_SAFE. Steps from a frame whose pc is owned to its caller and, as it likes, on over callers that are owned,
     * too. Notes at least one raw frame for each (two where a frameless leaf runs on top of a frame), at most
     * SAMPLER_STEP_FRAMES in all. Reads only within BOUNDS, at or above regs->sp. IS_LEAF: regs->pc is exact. */
    enum sampler_step (*step)(const struct sampler_managed *self, const struct sampler_stack_bounds *bounds,
                              bool is_leaf, struct sampler_regs *regs,
                              struct sampler_raw_frame out[SAMPLER_STEP_FRAMES], size_t *count_out);

    /* SIGNAL_SAFE. A word of the runtime's own state to keep with a sample (0: nothing). May be NULL. */
    uintptr_t (*state)(const struct sampler_managed *self);

    /* On the thread that runs this runtime, or while it can't run, with the accumulator locked: turns one raw frame
     * into locations, innermost first, by calling sampler_sink_location on SINK for each. A frame that can't be named
     * yields one of "[unknown js]"-like locations, never a guess. */
    void (*resolve)(struct sampler_managed *self, const struct sampler_raw_frame *frame, uintptr_t state,
                    struct sampler_sink *sink);

    /* As resolve: the labels of a sample with STATE. The strings are interned at once. Returns how many. May be NULL,
     * and isn't asked for a STATE of 0. */
    size_t (*labels)(struct sampler_managed *self, uintptr_t state, struct sampler_label out[SAMPLER_LABELS_MAX]);

    /* On any thread, outside a signal handler: asks the runtime to call sampler_thread_drain on its own thread soon. */
    void (*request_drain)(struct sampler_managed *self);
};

#endif
