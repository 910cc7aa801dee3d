/* walk.h: fino's walk over V8's frames, apart from all the rest, for the stepper in C++. */
#ifndef FINO_TESTS_WALK_H
#define FINO_TESTS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct walk_ranges {
    uintptr_t jit_start, jit_limit, embedded_start, embedded_limit, baseline_prologue;
};

#define WALK_FRAMES_MAX 512

struct walk_result {
    size_t count; /* of return addresses, up to the first frame that is not V8's */
    uintptr_t return_addresses[WALK_FRAMES_MAX];
    bool truncated;
    /* The first frame's code may run without a frame on a JavaScript one: then the innermost return address is one of
     * these. */
    bool may_be_frameless;
    uintptr_t candidates[3];
};

void walk_prepare(const struct walk_ranges *ranges);
void walk_add_deopt_entry(uintptr_t start, size_t nbytes);
bool walk_owns(uintptr_t pc);

/* GPR: the registers in DWARF's order, of which 6 and 7 are frame and stack pointer. IS_LEAF: PC is no return address.
 */
void walk_from(uintptr_t pc, bool is_leaf, const uintptr_t gpr[16], uintptr_t stack_low, uintptr_t stack_limit,
               struct walk_result *result_out);

#ifdef __cplusplus
}
#endif

#endif
