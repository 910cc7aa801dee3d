/* Every rule that occurs in the libraries of a Debian system can be read: each FDE of those below, at many PCs, yields
 * a row, each expression in it a value. With -v: how many there are, and how many fit the unwinder's cache. */
#include "sampler/cfi.h"

#include <stdio.h>

#include "../test.h"

#define LIBRARIES "/lib/x86_64-linux-gnu/"

static const char *const REQUIRED[] = {
    LIBRARIES "libc.so.6",     LIBRARIES "libm.so.6",         LIBRARIES "libstdc++.so.6",
    LIBRARIES "libgcc_s.so.1", "/lib64/ld-linux-x86-64.so.2",
};

/* Where they are installed: what libnode needs, and libnode as the build fetched it. */
static const char *const OPTIONAL[] = {
    "vendor/v8/lib/libnode.so.108", LIBRARIES "libcrypto.so.3",
    LIBRARIES "libssl.so.3",        LIBRARIES "libicui18n.so.72",
    LIBRARIES "libicuuc.so.72",     LIBRARIES "libuv.so.1",
    LIBRARIES "libz.so.1",          LIBRARIES "libcares.so.2",
    LIBRARIES "libnghttp2.so.14",   LIBRARIES "libpython3.11.so.1.0",
    LIBRARIES "libperl.so.5.36",
};

static struct {
    size_t fdes, rows, cfa_expressions, register_expressions, odd_registers, undefined_return;
    size_t per_cfa_register[MACHINE_REG_COUNT + 1];
} counts;

/* What expressions read: words that point to the middle of it, however often they are dereferenced. */
static uintptr_t stack[8192];

static void check_expression(const uint8_t *bytes, size_t nbytes, bool has_initial) {
    uintptr_t registers[MACHINE_REG_COUNT], value;
    for (size_t i = 0; i < MACHINE_REG_COUNT; i++)
        registers[i] = (uintptr_t)stack + sizeof stack / 2;
    for (size_t i = 0; i < sizeof stack / sizeof stack[0]; i++)
        stack[i] = registers[0];
    registers[9] = 1; /* libcrypto indexes an array on its stack with r9 */
    struct sampler_expr_context context = {registers, 0x1ffff, (uintptr_t)stack, (uintptr_t)stack + sizeof stack, 0};
    EXPECT_EQ(sampler_expr_evaluate_sig(&context, cursor_make(bytes, nbytes), has_initial, registers[0], &value),
              SAMPLER_CFI_OK);
}

static void check_row(const struct sampler_cfi_fde *fde, uint64_t pc) {
    struct sampler_cfi_row row;
    EXPECT_EQ(sampler_cfi_row_sig(fde, pc, &row), SAMPLER_CFI_OK);
    counts.rows++;
    if (row.cfa_expression != NULL) {
        counts.cfa_expressions++;
        check_expression(row.cfa_expression, row.cfa_expression_nbytes, false);
    } else {
        counts.per_cfa_register[row.cfa_register]++;
    }
    for (size_t i = 0; i < MACHINE_REG_COUNT; i++) {
        const struct sampler_cfi_rule *rule = &row.rules[i];
        if (rule->kind == SAMPLER_CFI_EXPRESSION || rule->kind == SAMPLER_CFI_VAL_EXPRESSION) {
            counts.register_expressions++;
            check_expression(rule->expression, rule->expression_nbytes, true);
        }
        if (rule->kind == SAMPLER_CFI_REGISTER || rule->kind == SAMPLER_CFI_VAL_OFFSET) counts.odd_registers++;
    }
    counts.undefined_return += row.rules[fde->return_register].kind == SAMPLER_CFI_UNDEFINED;
    EXPECT(row.rules[fde->return_register].kind != SAMPLER_CFI_UNSPECIFIED);
}

static void check_fde(const struct sampler_cfi *cfi, const struct sampler_cfi_fde *fde) {
    uint64_t nbytes = fde->pc_limit - fde->pc, step = nbytes / 64 + 1;
    struct sampler_cfi_fde found;
    counts.fdes++;
    for (uint64_t offset = 0; offset < nbytes; offset += offset < 32 || offset + 32 > nbytes ? 1 : step)
        check_row(fde, fde->pc + offset);
    check_row(fde, fde->pc_limit - 1);
    for (int last = 0; last < 2; last++) {
        EXPECT_EQ(sampler_cfi_find_sig(cfi, last ? fde->pc_limit - 1 : fde->pc, &found), SAMPLER_CFI_OK);
        EXPECT_EQ(found.pc, fde->pc);
        EXPECT(found.program.at == fde->program.at);
    }
}

static void check_file(const char *path, bool verbose) {
    struct sampler_elf elf;
    struct sampler_cfi cfi;
    struct sampler_cfi_fde fde;
    uint64_t offset = 0;
    enum sampler_cfi_status status;
    memset(&counts, 0, sizeof counts);
    EXPECT_EQ(sampler_elf_open(&elf, path), 0);
    EXPECT_EQ(sampler_cfi_open(&cfi, &elf), 0);
    EXPECT(cfi.search_table.nbytes > 0);
    while ((status = sampler_cfi_entry_sig(&cfi.eh_frame, &offset, &fde)) == SAMPLER_CFI_OK) {
        if (fde.section != NULL && fde.pc != fde.pc_limit) check_fde(&cfi, &fde);
    }
    EXPECT_EQ(status, SAMPLER_CFI_NONE);
    EXPECT_EQ(counts.fdes, cfi.search_table.nbytes / 8);
    if (verbose) {
        printf("%s: %zu FDEs, %zu rows looked at; CFA over rsp %zu, rbp %zu, expressions %zu, others", path,
               counts.fdes, counts.rows, counts.per_cfa_register[MACHINE_REG_SP],
               counts.per_cfa_register[MACHINE_REG_FP], counts.cfa_expressions);
        for (size_t i = 0; i <= MACHINE_REG_COUNT; i++) {
            if (i != MACHINE_REG_SP && i != MACHINE_REG_FP && counts.per_cfa_register[i] > 0)
                printf(" r%zu:%zu", i, counts.per_cfa_register[i]);
        }
        printf("; register expressions %zu, register or val_offset rules %zu, no return address %zu\n",
               counts.register_expressions, counts.odd_registers, counts.undefined_return);
    }
    sampler_cfi_free(&cfi);
    sampler_elf_close(&elf);
}

int main(int argc, char **argv) {
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    for (size_t i = 0; i < sizeof REQUIRED / sizeof REQUIRED[0]; i++)
        check_file(REQUIRED[i], verbose);
    for (size_t i = 0; i < sizeof OPTIONAL / sizeof OPTIONAL[0]; i++) {
        FILE *file = fopen(OPTIONAL[i], "re");
        if (file == NULL) continue;
        fclose(file);
        check_file(OPTIONAL[i], verbose);
    }
    return 0;
}
