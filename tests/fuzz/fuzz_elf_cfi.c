/* Feeds a file's bytes to everything that reads ELF, CFI, symbols and lines.
 */
#include <stdlib.h>

#include "sampler/cfi.h"
#include "sampler/debug_file.h"
#include "sampler/dwarf_line.h"
#include "sampler/symbol_index.h"
#include "sampler/symbol_plt.h"
#include "sampler/thread_start.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

#define ENTRIES_MAX 64

static void evaluate(const uint8_t *expression, size_t nbytes) {
    static uintptr_t stack[64];
    uintptr_t registers[MACHINE_REG_COUNT], value;
    for (size_t i = 0; i < MACHINE_REG_COUNT; i++)
        registers[i] = (uintptr_t)&stack[32];
    struct sampler_expr_context context = {registers, 0xffff, (uintptr_t)stack, (uintptr_t)(stack + 64), 0};
    sampler_expr_evaluate_sig(&context, cursor_make(expression, nbytes), true, (uintptr_t)stack, &value);
}

static void read_section(const struct sampler_cfi *cfi, const struct sampler_cfi_section *section) {
    struct sampler_cfi_fde fde;
    struct sampler_cfi_row row;
    uint64_t offset = 0;
    for (size_t count = 0; count < ENTRIES_MAX; count++) {
        if (sampler_cfi_entry_sig(section, &offset, &fde) == SAMPLER_CFI_NONE) return;
        if (fde.section == NULL || fde.program.at == NULL) continue;
        sampler_cfi_find_sig(cfi, fde.pc, &fde);
        if (fde.section == NULL || sampler_cfi_row_sig(&fde, fde.pc_limit - 1, &row) != SAMPLER_CFI_OK) continue;
        if (row.cfa_expression != NULL) evaluate(row.cfa_expression, row.cfa_expression_nbytes);
        for (size_t i = 0; i < MACHINE_REG_COUNT; i++) {
            if (row.rules[i].kind == SAMPLER_CFI_EXPRESSION || row.rules[i].kind == SAMPLER_CFI_VAL_EXPRESSION)
                evaluate(row.rules[i].expression, row.rules[i].expression_nbytes);
        }
    }
}

static void read_lines(const struct sampler_elf *elf, uint64_t lowest_address) {
    struct sampler_line line;
    struct sampler_line_sections sections = {
        .line = sampler_debug_section(elf, ".debug_line"),
        .line_strings = sampler_debug_section(elf, ".debug_line_str"),
        .strings = sampler_debug_section(elf, ".debug_str"),
    };
    struct sampler_lines *lines = sampler_lines_new(&sections, 0);
    if (lines == NULL) return;
    for (uint64_t i = 0; i < 32; i++)
        sampler_lines_find(lines, lowest_address + 7 * i, i % 2 == 0, &line);
    sampler_lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    struct sampler_elf elf;
    struct sampler_cfi cfi;
    struct sampler_symbol_index index;
    struct sampler_code_range starts[SAMPLER_THREAD_STARTS_MAX];
    uint64_t start;
    if (sampler_elf_view(&elf, data, nbytes) != 0) return 0;
    sampler_thread_starts_find(&elf, starts);
    if (sampler_cfi_open(&cfi, &elf) == 0) {
        read_section(&cfi, &cfi.eh_frame);
        read_section(&cfi, &cfi.debug_frame);
        sampler_cfi_free(&cfi);
    }
    if (sampler_symbol_index_build(&index, &elf) == 0) {
        for (uint64_t i = 0; i < 64; i++) {
            uint32_t entry = sampler_symbol_index_find(&index, index.base + 9 * i);
            if (entry != SAMPLER_SYMBOL_NONE) sampler_symbol_index_entry_name(&index, entry);
            sampler_plt_find(&elf, &index, index.base + 9 * i, &start);
        }
        read_lines(&elf, index.base);
        sampler_symbol_index_free(&index);
    }
    return 0;
}
