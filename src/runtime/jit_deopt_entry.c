/* jit_deopt_entry.c: see jit_deopt_entry.h. x86-64: where things are is read from the very instructions that use them.
 */
#include "runtime/jit_deopt_entry.h"

#include <stdbool.h>
#include <string.h>

/* `mov rsp, [rsp]; mov rbx, [rax + INPUT]`: after the first call, which returns the Deoptimizer. */
static const uint8_t LOAD_INPUT[] = {0x48, 0x8b, 0x24, 0x24, 0x48, 0x8b, 0x58};
/* `mov rcx, [rbx]; add rcx, rsp; lea rdx, [rbx + CONTENT]`: before the frame is moved. */
static const uint8_t LOAD_SIZE[] = {0x48, 0x8b, 0x0b, 0x48, 0x01, 0xe1, 0x48, 0x8d, 0x93};
/* `push rax; mov r10, rsp; sub rsp, 8; and rsp, -16; mov [rsp], r10`: the Deoptimizer is above what the second call's
 * stack pointer points to. */
static const uint8_t PUSH_DEOPTIMIZER[] = {0x50, 0x49, 0x89, 0xe2, 0x48, 0x83, 0xec, 0x08,
                                           0x48, 0x83, 0xe4, 0xf0, 0x4c, 0x89, 0x14, 0x24};
static const uint8_t CALL_RAX[] = {0xff, 0xd0};

/* What follows the first PATTERN in [FROM, LIMIT), or NULL. */
static const uint8_t *find(const uint8_t *from, const uint8_t *limit, const uint8_t *pattern, size_t nbytes) {
    const uint8_t *found = from == NULL ? NULL : memmem(from, (size_t)(limit - from), pattern, nbytes);
    return found == NULL ? NULL : found + nbytes;
}

/* Returns: false when the instructions are not what is known. */
static bool read_entry(uintptr_t start, size_t nbytes, struct jit_deopt_entry *entry_out) {
    const uint8_t *code = (const uint8_t *)start, *limit = code + nbytes;
    const uint8_t *input = find(code, limit, LOAD_INPUT, sizeof LOAD_INPUT);
    const uint8_t *content = find(input, limit, LOAD_SIZE, sizeof LOAD_SIZE);
    const uint8_t *pushed = find(content, limit, PUSH_DEOPTIMIZER, sizeof PUSH_DEOPTIMIZER);
    const uint8_t *second_return = find(pushed, limit, CALL_RAX, sizeof CALL_RAX);
    if (second_return == NULL || *input >= 0x80 || *input % sizeof(uintptr_t) != 0) return false;
    *entry_out = (struct jit_deopt_entry){start, start + nbytes, (uintptr_t)second_return, *input, 0};
    memcpy(&entry_out->content, content, sizeof entry_out->content);
    return true;
}

void jit_deopt_entries_add(struct jit_deopt_entries *entries, uintptr_t start, size_t nbytes) {
    uint32_t count = atomic_load_explicit(&entries->count, memory_order_relaxed);
    if (count == JIT_DEOPT_ENTRIES_MAX || !read_entry(start, nbytes, &entries->entries[count])) return;
    atomic_store_explicit(&entries->count, count + 1, memory_order_release);
}
