/* Stacks with signal frames in them are whole: a handler on top of a handler, and one that interrupted the very first
 * instruction of a function, where a walk that took the address for a return address would use the rules of the
 * function before it. A handler on a stack of its own ends the walk with a reason. */
#include <signal.h>
#include <ucontext.h>

#include "../test.h"
#include "unwind_walk.h"

/* A function that keeps its name and its frame: the asm statement at its end is no tail call. */
#define STAYS __attribute__((noipa))
#define HERE __asm__ volatile("")

static struct walk walk;
static struct sampler_stack_bounds bounds;

/* A frame of 0x48 bytes up to its last byte, and then, at once, a function without any. */
void frame_before_trap(void);
void trap_at_entry(void);
__asm__(".text\n"
        ".type frame_before_trap, @function\n"
        "frame_before_trap:\n"
        ".cfi_startproc\n"
        "sub $0x48, %rsp\n"
        ".cfi_def_cfa_offset 0x50\n"
        "ud2\n"
        ".cfi_endproc\n"
        ".size frame_before_trap, . - frame_before_trap\n"
        ".type trap_at_entry, @function\n"
        "trap_at_entry:\n"
        ".cfi_startproc\n"
        "ud2\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size trap_at_entry, . - trap_at_entry\n");

/* Walks from inside: SIGTRAP's own signal frame is the walk's beginning, not part of it. */
static void on_trap(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    walk_ucontext(&walk, ucontext, &bounds);
}

STAYS static void walk_here(void) {
    raise(SIGTRAP);
    HERE;
}

STAYS static void on_inner(int signal_number) {
    (void)signal_number;
    walk_here();
    HERE;
}

STAYS static void on_outer(int signal_number) {
    (void)signal_number;
    raise(SIGUSR2);
    HERE;
}

STAYS static void on_illegal(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    walk_here();
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] += 2; /* over the ud2 */
}

STAYS static void raise_outer(void) {
    raise(SIGUSR1);
    HERE;
}

STAYS static void call_trap(void) {
    trap_at_entry();
    HERE;
}

/* The named frames are there in this order, leaf first. */
static void expect_order(const char *const *names, size_t count) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t found = walk_find(&walk, names[i], at);
        if (found >= walk.count) {
            fprintf(stderr, "%s is not where it should be:\n", names[i]);
            walk_print(&walk);
        }
        EXPECT(found < walk.count);
        at = found + 1;
    }
}

static size_t count_exact(void) {
    size_t count = 0;
    for (size_t i = 0; i < walk.count; i++)
        count += walk.exact[i];
    return count;
}

static void set_handler(int signal_number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    EXPECT_EQ(sigaction(signal_number, &action, NULL), 0);
}

STAYS static void check_nested(void) {
    static const char *const names[] = {"walk_here", "on_inner", "on_outer", "raise_outer", "check_nested", "main"};
    raise_outer();
    expect_order(names, sizeof names / sizeof names[0]);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    EXPECT_EQ(count_exact(), 5); /* the leaf, two signals' ways back and what they interrupted */
}

STAYS static void check_entry(void) {
    static const char *const names[] = {"walk_here", "on_illegal", "trap_at_entry", "call_trap", "check_entry", "main"};
    call_trap();
    expect_order(names, sizeof names / sizeof names[0]);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    size_t trapped = walk_find(&walk, "trap_at_entry", 0);
    EXPECT_EQ(walk.pcs[trapped], (uintptr_t)trap_at_entry);
    EXPECT(walk.exact[trapped]);
    EXPECT_STR(walk_name(&walk, trapped + 1), "call_trap");
}

STAYS static void check_alternate_stack(void) {
    static const char *const names[] = {"walk_here", "on_inner"};
    static _Alignas(64) char memory[1 << 18];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory}, disabled = {.ss_flags = SS_DISABLE};
    EXPECT_EQ(sigaltstack(&stack, NULL), 0);
    set_handler(SIGUSR2, on_inner, SA_ONSTACK);
    raise(SIGUSR2);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_BAD_STACK);
    EXPECT_EQ(walk.count, 1);
    /* Told of that stack, the walk goes up to the interrupted code, which is not on it. */
    struct sampler_stack_bounds thread = bounds;
    bounds = (struct sampler_stack_bounds){(uintptr_t)memory, (uintptr_t)memory + sizeof memory};
    raise(SIGUSR2);
    expect_order(names, sizeof names / sizeof names[0]);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_BAD_STACK);
    bounds = thread;
    EXPECT_EQ(sigaltstack(&disabled, NULL), 0);
}

int main(void) {
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct sigaction illegal = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO};
    EXPECT_EQ(sampler_maps_refresh(), 0);
    bounds = walk_bounds();
    EXPECT_EQ(sigaction(SIGTRAP, &trap, NULL), 0);
    EXPECT_EQ(sigaction(SIGILL, &illegal, NULL), 0);
    set_handler(SIGUSR1, on_outer, 0);
    set_handler(SIGUSR2, on_inner, 0);
    check_nested();
    check_entry();
    check_alternate_stack();
    return 0;
}
