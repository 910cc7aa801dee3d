/* module.h: one ELF file in the process, seen through mappings of our own that dlclose does not take away. */
#ifndef FINO_SAMPLER_MODULE_H
#define FINO_SAMPLER_MODULE_H

#include "sampler/cfi.h"
#include "sampler/elf.h"
#include "sampler/thread_start.h"

struct sampler_symbols; /* symbol.c */

struct sampler_module {
    const char *path;
    const char *build_id;
    uintptr_t load_bias;

    /* What handlers read. */
    struct sampler_cfi cfi;
    uint8_t *tables; /* what CFI leads to, where it was copied into large pages; else NULL, and CFI leads to FILE */
    size_t tables_nbytes;
    struct sampler_code_range thread_starts[SAMPLER_THREAD_STARTS_MAX]; /* without CFI */
    size_t thread_start_count;

    struct sampler_elf_bytes file;   /* all of it; mapped but not touched until sampler_module_elf */
    struct sampler_elf elf;          /* made by sampler_module_elf */
    struct sampler_symbols *symbols; /* made by the first query */
};

/* An object as the loader describes it. */
struct sampler_loaded {
    const char *loader_name;
    uintptr_t load_bias;
    const Elf64_Phdr *segments;
    size_t segment_count;
    bool is_main, is_vdso;
    char build_id[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1];
};

/* Fills in loaded->build_id from the notes in memory. */
void sampler_loaded_read_build_id(struct sampler_loaded *loaded);

/* Opens the file behind LOADED, which must stay loaded during the call, and its CFI. A module whose file can't be had
 * comes from a copy of what is in memory, without section headers and perhaps without code.
 * Owns: sampler_module_close, unless the module was published. Returns 0 or -ENOMEM. */
int sampler_module_open(struct sampler_module *module, const struct sampler_loaded *loaded);
void sampler_module_close(struct sampler_module *module);

/* The file, for reading symbols and lines; empty when there is none. The caller serialises. */
const struct sampler_elf *sampler_module_elf(struct sampler_module *module);

uintptr_t sampler_page_nbytes(void);
uintptr_t sampler_page_floor(uintptr_t address);
uintptr_t sampler_page_ceiling(uintptr_t address);

#endif
