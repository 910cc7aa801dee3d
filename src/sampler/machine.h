/* machine.h: what the unwinder knows of the machine: x86-64 (System V ABI, "DWARF Register Number Mapping").
 *
 * Everything else of maps.c, cfi_sig.c, dwarf_expr_sig.c and unwind_sig.c is the same for every machine; what reads a
 * ucontext or recognises instructions is in unwind_sig.c and symbol_plt.c, under a heading of its own.
 */
#ifndef FINO_SAMPLER_MACHINE_H
#define FINO_SAMPLER_MACHINE_H

#if !defined(__x86_64__)
#error "the unwinder knows x86-64 only"
#endif

enum {
    MACHINE_REG_RAX = 0,
    MACHINE_REG_RDX = 1,
    MACHINE_REG_RCX = 2,
    MACHINE_REG_RBX = 3,
    MACHINE_REG_RSI = 4,
    MACHINE_REG_RDI = 5,
    MACHINE_REG_FP = 6, /* rbp */
    MACHINE_REG_SP = 7, /* rsp */
    MACHINE_REG_R8 = 8,
    MACHINE_REG_R12 = 12,
    MACHINE_REG_R15 = 15,
    MACHINE_REG_PC = 16, /* the return address column */
    MACHINE_REG_COUNT = 17,
};

/* Registers that a function gives back as it found them, where the CFI does not say otherwise: rbx, rbp, r12..r15. */
#define MACHINE_CALLEE_SAVED ((1u << MACHINE_REG_RBX) | (1u << MACHINE_REG_FP) | (0xfu << MACHINE_REG_R12))

#endif
