/* stack_read.h: the one way in which the unwinder reads a stack. */
#ifndef FINO_SAMPLER_STACK_READ_H
#define FINO_SAMPLER_STACK_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/managed.h"

/* SIGNAL_SAFE. Reads NBYTES (1..8) at ADDRESS if all of them are in [LOW, LIMIT). The stack of a sampled function may
 * be poisoned for AddressSanitizer, which is no concern of ours. */
__attribute__((no_sanitize("address", "undefined"))) static inline bool
stack_read(uintptr_t low, uintptr_t limit, uintptr_t address, unsigned nbytes, uint64_t *value_out) {
    if (address < low || address >= limit || limit - address < nbytes) return false;
    if (nbytes == sizeof(uint64_t) && address % sizeof(uint64_t) == 0) {
        *value_out = *(const volatile uint64_t *)address;
        return true;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < nbytes; i++)
        value |= (uint64_t) * (const volatile uint8_t *)(address + i) << 8 * i;
    *value_out = value;
    return true;
}

#endif
