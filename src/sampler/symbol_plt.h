/* symbol_plt.h: which function a PLT stub jumps to. */
#ifndef FINO_SAMPLER_SYMBOL_PLT_H
#define FINO_SAMPLER_SYMBOL_PLT_H

#include "sampler/symbol_index.h"

/* Proves from a stub's instructions and the file's relocations what it jumps to. INDEX: of the same file, for stubs
 * whose relocation names an address instead of a symbol.
 * Returns: the symbol's name as in the table, with START_OUT the stub's first link-time address, or NULL when ADDRESS
 * is not in a stub or where that jumps can't be proven. */
const char *sampler_plt_find(const struct sampler_elf *elf, const struct sampler_symbol_index *index, uint64_t address,
                             uint64_t *start_out);

#endif
