/* symbol_index.h: which symbol of an ELF symbol table covers an address. */
#ifndef FINO_SAMPLER_SYMBOL_INDEX_H
#define FINO_SAMPLER_SYMBOL_INDEX_H

#include "sampler/elf.h"

#define SAMPLER_SYMBOL_NONE UINT32_MAX

/* One function. Names are read from the file when asked for. */
struct sampler_symbol_entry {
    uint32_t start; /* from the index's base */
    uint32_t nbytes;
    uint32_t aliases;   /* where the symbols for this address begin in the index's SYMBOLS */
    uint32_t enclosing; /* the entry around this one, or SAMPLER_SYMBOL_NONE */
};

struct sampler_symbol_index {
    struct sampler_elf_bytes table;       /* of Elf64_Sym */
    struct sampler_elf_bytes strings;     /* names, each ending inside */
    uint64_t base;                        /* a link-time address */
    struct sampler_symbol_entry *entries; /* COUNT of them */
    uint32_t count;
    uint32_t *symbols; /* functions in the table, by address; in the same memory as ENTRIES */
    uint32_t symbol_count;
    size_t memory_nbytes;
};

/* Indexes the functions of ELF's .symtab or, without one, .dynsym. An ELF without either yields an empty index.
 * Owns: sampler_symbol_index_free. ELF's bytes must stay. Returns 0 or -ENOMEM. */
int sampler_symbol_index_build(struct sampler_symbol_index *index, const struct sampler_elf *elf);
void sampler_symbol_index_free(struct sampler_symbol_index *index);

/* The entry that covers a link-time address: [value, value + size), and for a symbol without a size up to the next
 * symbol or its section's end. Where symbols nest, the innermost. Returns SAMPLER_SYMBOL_NONE when there is none. */
uint32_t sampler_symbol_index_find(const struct sampler_symbol_index *index, uint64_t address);

/* The best name that the table has for an entry. */
const char *sampler_symbol_index_entry_name(const struct sampler_symbol_index *index, uint32_t entry);

/* The name of symbol SYMBOL of the table, "" when it has none. */
const char *sampler_symbol_index_name(const struct sampler_symbol_index *index, uint32_t symbol);

#endif
