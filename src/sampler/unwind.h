/* unwind.h: which object owns an address, how to step over its frame, and what its code is called.
 *
 * Between maps.c, elf.c, cfi.c, unwind_sig.c and symbol.c, which implement it, and the rest of the sampler.
 */
#ifndef FINO_SAMPLER_UNWIND_H
#define FINO_SAMPLER_UNWIND_H

#include <stdint.h>

#include "sampler/managed.h"

/* One executable mapping of one ELF object. Once published it stays valid for the life of the process, also after
 * dlclose: what waits in a ring can still be named. */
struct sampler_object {
    uintptr_t start; /* of the executable mapping, as in /proc/self/maps */
    uintptr_t limit;
    uint64_t file_offset;
    uintptr_t load_bias;  /* run-time address minus the address in the file */
    const char *path;     /* "[vdso]" for the vDSO */
    const char *build_id; /* lower-case hexadecimal, "" when there is none */
    uint32_t index;       /* dense: 0, 1, 2, ... in order of discovery */
};

/* Reads what is mapped now and publishes it to the handlers; call at start and after dlopen or dlclose. Cheap when
 * nothing changed. Not signal-safe. Waits for the loader's lock: call it with no lock that a thread may need while
 * another one, inside the loader, waits for it. Returns 0 or a negative errno. */
int sampler_maps_refresh(void);

/* Around a fork: no refresh is under way meanwhile, or the child would inherit the loader's lock, taken for good. */
void sampler_maps_before_fork(void);
void sampler_maps_after_fork_in_parent(void);
void sampler_maps_after_fork_in_child(void);

/* What was mapped at one moment; valid for the life of the process. Equal sets are the same one. */
struct sampler_map_set;

/* SIGNAL_SAFE. What the last refresh found; NULL before the first. */
const struct sampler_map_set *sampler_maps_now_sig(void);

/* SIGNAL_SAFE. The object that owned PC then, or NULL. SET may be NULL. */
const struct sampler_object *sampler_maps_find_in_sig(const struct sampler_map_set *set, uintptr_t pc);

/* SIGNAL_SAFE. The object that owns PC now, or NULL. */
const struct sampler_object *sampler_maps_find_sig(uintptr_t pc);

/* Why a step over a native frame failed. */
enum sampler_unwind {
    SAMPLER_UNWIND_OK,
    SAMPLER_UNWIND_END, /* return address undefined by the CFI, or 0 in the thread's first frame, or a thread's known
                           start without CFI (thread_start.h) */
    SAMPLER_UNWIND_NO_OBJECT, /* PC is in no mapped object */
    SAMPLER_UNWIND_NO_CFI,    /* the object says nothing about PC */
    SAMPLER_UNWIND_UNSUPPORTED,
    SAMPLER_UNWIND_BAD_STACK, /* the CFA left the stack, did not move up, or is misaligned */
};

/* SIGNAL_SAFE. Steps from a native frame to its caller; IS_LEAF: regs->pc is exact (also true for the frame that a
 * signal frame interrupted, which the function reports through IS_LEAF_OUT). Reads the stack only inside
 * [regs->sp, bounds->limit) and, at a leaf, the red zone below regs->sp, never below bounds->low. */
enum sampler_unwind sampler_unwind_step_sig(struct sampler_regs *regs, const struct sampler_stack_bounds *bounds,
                                            bool is_leaf, bool *is_leaf_out);

/* What an address is called. Strings belong to the symbol tables and stay valid for the life of the process. */
struct sampler_symbol {
    const char *name;        /* demangled; "libfoo.so+0x1234" when the object has no symbol there */
    const char *system_name; /* as in the symbol table */
    const char *filename;    /* "" when there is no line table */
    uint32_t line;           /* 0 when there is no line table */
    uint32_t start_line;
};
/* Names a native address in OBJECT (ADDRESS: a run-time address; pass pc - 1 for return addresses). Not signal-safe;
 * the caller serialises. Never fails: see NAME. */
void sampler_symbol_find(const struct sampler_object *object, uintptr_t address, struct sampler_symbol *symbol_out);

/* SIGNAL_SAFE. Fills REGS from a signal handler's third argument. */
void sampler_regs_from_ucontext_sig(const void *ucontext, struct sampler_regs *regs_out);

#endif
