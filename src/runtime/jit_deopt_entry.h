/* jit_deopt_entry.h: V8's builtins DeoptimizationEntry_*, through which a function leaves its optimised code. */
#ifndef FINO_RT_JIT_DEOPT_ENTRY_H
#define FINO_RT_JIT_DEOPT_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Such a builtin has no frame. It calls the deoptimiser twice: first while the function's frame is still there, then
 * with the frame moved from the stack into a Deoptimizer, an object on the native heap. */
struct jit_deopt_entry {
    uintptr_t start, limit;
    uintptr_t second_return; /* where the second call returns to */
    uint32_t input;          /* where a Deoptimizer has a pointer to a description of the frame, whose first word is the
                                frame's size in bytes */
    uint32_t content;        /* where that has the frame's words */
};

#define JIT_DEOPT_ENTRIES_MAX 4 /* there is one for each way to deoptimise: eager, lazy, unused */

/* Those of an isolate, which a signal handler may be reading. */
struct jit_deopt_entries {
    struct jit_deopt_entry entries[JIT_DEOPT_ENTRIES_MAX];
    _Atomic uint32_t count; /* never shrinks */
};

/* SIGNAL_SAFE. The builtin that PC is in, or NULL. */
static inline const struct jit_deopt_entry *jit_deopt_entries_find(const struct jit_deopt_entries *entries,
                                                                   uintptr_t pc) {
    uint32_t count = atomic_load_explicit(&entries->count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++)
        if (pc >= entries->entries[i].start && pc < entries->entries[i].limit) return &entries->entries[i];
    return NULL;
}

/* Adds the builtin at START, if its instructions are what is known. Not from a signal handler. */
void jit_deopt_entries_add(struct jit_deopt_entries *entries, uintptr_t start, size_t nbytes);

#endif
