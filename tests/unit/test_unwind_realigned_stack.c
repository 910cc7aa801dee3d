/* Functions that realign their stack pointer (-mstackrealign, over-aligned locals, alloca) have rules that only a DWARF
 * expression can state: the walk is right at each of their instructions all the same, whatever the stack was aligned
 * to. That includes the last two, where GCC's rules take the caller's rbp for the function's own: a frame got lost. */
#include <alloca.h>

#include "../test.h"
#include "unwind_single_step.h"

#define REALIGNED __attribute__((noipa, force_align_arg_pointer))

static volatile size_t nbytes = 200;
static volatile int sink;

REALIGNED static void leaf(void) {
    _Alignas(64) volatile char block[64];
    block[nbytes % 64] = 1;
    sink += block[nbytes % 64] + ((uintptr_t)block % 64 != 0);
}

REALIGNED static int with_arguments(int a, int b, int c, int d, int e, int f, int g, int h) {
    _Alignas(128) volatile int values[8] = {a, b, c, d, e, f, g, h};
    leaf();
    return values[nbytes % 8] + values[7];
}

REALIGNED static void with_alloca(void) {
    _Alignas(64) volatile char block[64];
    volatile char *more = alloca(nbytes);
    block[0] = more[nbytes - 1] = 1;
    sink += with_arguments(1, 2, 3, 4, 5, 6, 7, 8);
    sink += block[0] + more[nbytes - 1];
}

__attribute__((noipa, optimize("omit-frame-pointer"), force_align_arg_pointer)) static void
without_frame_pointer(void) {
    _Alignas(64) volatile char block[64];
    block[0] = 1;
    with_alloca();
    sink += block[0];
}

/* Calls without_frame_pointer with a stack pointer that is 8 bytes off. */
void call_misaligned(void (*function)(void));
__asm__(".text\n"
        ".type call_misaligned, @function\n"
        "call_misaligned:\n"
        ".cfi_startproc\n"
        "sub $16, %rsp\n"
        ".cfi_def_cfa_offset 24\n"
        "call *%rdi\n"
        "add $16, %rsp\n"
        ".cfi_def_cfa_offset 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size call_misaligned, . - call_misaligned\n");

static void run(void) {
    without_frame_pointer();
    call_misaligned(without_frame_pointer);
}

int main(void) {
    step_prepare();
    step_through(run);
    if (step.failures > 0 || getenv("VERBOSE") != NULL) step_report("run");
    EXPECT(step.steps > 100);
    EXPECT_EQ(step.failures, 0);
    EXPECT_EQ(step.longjmp_steps, 0);
    return 0;
}
