/* cfi.h: call frame information: from a PC to the rules that restore the caller's registers.
 *
 * Reads .eh_frame (System V ABI and LSB: CIE augmentations "z", "P", "L", "R", "S") and .debug_frame (DWARF 5
 * section 6.4) where they lie; nothing is copied or compiled. All addresses here are link-time addresses. Everything
 * is bounds-checked: malformed data yields a status, never a wild read or an endless loop. Every function named _sig
 * is SIGNAL_SAFE provided that the bytes stay mapped.
 */
#ifndef FINO_SAMPLER_CFI_H
#define FINO_SAMPLER_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sampler/cursor.h"
#include "sampler/elf.h"
#include "sampler/machine.h"
#include "sampler/managed.h"

enum sampler_cfi_status {
    SAMPLER_CFI_OK,
    SAMPLER_CFI_NONE,        /* nothing is said about that PC, or the section ends here */
    SAMPLER_CFI_UNSUPPORTED, /* well-formed, but not something this reader knows */
    SAMPLER_CFI_MALFORMED,
};

/* A section of CFI. */
struct sampler_cfi_section {
    struct sampler_elf_bytes bytes;
    bool is_debug_frame; /* the .debug_frame layout, else the .eh_frame one */
};

/* From the first PC of an FDE to its offset in the section, for sections that come without such a table. */
struct sampler_cfi_index_entry {
    uint64_t pc;
    uint64_t offset;
};

/* All that one object says. Immutable once a handler can see it. */
struct sampler_cfi {
    struct sampler_cfi_section eh_frame;
    struct sampler_elf_bytes search_table; /* of .eh_frame_hdr: sorted pairs of 32-bit offsets from table_base */
    uint64_t table_base;
    uint32_t *buckets; /* of the search table: BUCKET_COUNT + 1 positions, see sampler_cfi_index; NULL: none */
    size_t bucket_count;
    uint64_t buckets_pc; /* where bucket 0 begins */
    unsigned bucket_bits;
    struct sampler_cfi_section debug_frame;
    struct sampler_cfi_index_entry *eh_index; /* in place of the search table */
    size_t eh_index_count;
    struct sampler_cfi_index_entry *debug_index;
    size_t debug_index_count;
};

/* Of entry INDEX of the search table: where its function begins (COLUMN 0), or where its FDE is (1). */
static inline uint64_t sampler_cfi_table_entry(const struct sampler_cfi *cfi, size_t index, size_t column) {
    int32_t value;
    memcpy(&value, cfi->search_table.data + 8 * index + 4 * column, sizeof value);
    return cfi->table_base + (uint64_t)(int64_t)value;
}

/* One FDE joined with its CIE. */
struct sampler_cfi_fde {
    uint64_t pc; /* covers [pc, pc_limit) */
    uint64_t pc_limit;
    const struct sampler_cfi_section *section;
    uint64_t code_factor;
    int64_t data_factor;
    struct sampler_cursor initial; /* the CIE's instructions */
    struct sampler_cursor program; /* the FDE's */
    uint8_t pc_encoding;
    uint8_t return_register;
    bool is_signal_frame;
};

enum sampler_cfi_rule_kind {
    SAMPLER_CFI_UNSPECIFIED,
    SAMPLER_CFI_UNDEFINED,
    SAMPLER_CFI_SAME_VALUE,
    SAMPLER_CFI_OFFSET,         /* saved at CFA + offset */
    SAMPLER_CFI_VAL_OFFSET,     /* is CFA + offset */
    SAMPLER_CFI_REGISTER,       /* is in register `offset` */
    SAMPLER_CFI_EXPRESSION,     /* saved at the address that the expression yields */
    SAMPLER_CFI_VAL_EXPRESSION, /* is what the expression yields */
};

struct sampler_cfi_rule {
    uint32_t kind;
    uint32_t expression_nbytes;
    union {
        int64_t offset;
        const uint8_t *expression;
    };
};

/* The rules at one PC. The CFA is register + offset, or an expression when cfa_expression is not NULL. */
struct sampler_cfi_row {
    uint64_t pc; /* they hold in [pc, pc_limit) */
    uint64_t pc_limit;
    const uint8_t *cfa_expression;
    size_t cfa_expression_nbytes;
    int64_t cfa_offset;
    uint32_t cfa_register;
    struct sampler_cfi_rule rules[MACHINE_REG_COUNT];
};

/* Describes the CFI of an ELF file, building the indexes it lacks. With no CFI at all everything is empty.
 * Owns: sampler_cfi_free frees the indexes; the bytes stay the caller's. Returns 0 or -ENOMEM. */
int sampler_cfi_open(struct sampler_cfi *cfi, const struct sampler_elf *elf);
void sampler_cfi_free(struct sampler_cfi *cfi);

/* What an .eh_frame_hdr says of itself (LSB Core, "Exception Frame Header"). */
#define SAMPLER_EH_FRAME_HDR_NBYTES 12
struct sampler_eh_frame_hdr {
    uint64_t eh_frame_address; /* all addresses are link-time addresses */
    uint64_t table_address;
    uint64_t table_nbytes;
};

/* Decodes the header at HDR_ADDRESS. Returns false when it has no search table in the form that all linkers write. */
bool sampler_eh_frame_hdr_decode(struct sampler_eh_frame_hdr *hdr_out, const uint8_t bytes[SAMPLER_EH_FRAME_HDR_NBYTES],
                                 uint64_t hdr_address);

/* Describes the CFI that an .eh_frame_hdr leads to. BYTES holds table and .eh_frame, and is not read here.
 * Returns false, with CFI empty, when they are not in it. */
bool sampler_cfi_open_eh_frame(struct sampler_cfi *cfi, const struct sampler_eh_frame_hdr *hdr,
                               struct sampler_elf_bytes bytes);

/* Cuts the search table's range into buckets of a few entries each: a search then reads two lines of memory instead of
 * one a step, which after a program has had the caches for a millisecond is most of what a step over a new frame takes.
 * Where memory is short there are none. */
void sampler_cfi_index(struct sampler_cfi *cfi);

/* The FDE that covers PC. Returns OK, NONE, or why its CIE can't be read. */
SIGNAL_SAFE enum sampler_cfi_status sampler_cfi_find_sig(const struct sampler_cfi *cfi, uint64_t pc,
                                                         struct sampler_cfi_fde *fde_out);

/* The entry at *OFFSET of a section: moves *OFFSET to the next one and returns OK with FDE_OUT filled in for an FDE, OK
 * with fde_out->section == NULL for a CIE, NONE at the end, or what is wrong with the entry; *OFFSET is past it then,
 * too, or at the section's end when its length can't be trusted. */
SIGNAL_SAFE enum sampler_cfi_status sampler_cfi_entry_sig(const struct sampler_cfi_section *section, uint64_t *offset,
                                                          struct sampler_cfi_fde *fde_out);

/* The rules that hold at PC, which FDE must cover. */
SIGNAL_SAFE enum sampler_cfi_status sampler_cfi_row_sig(const struct sampler_cfi_fde *fde, uint64_t pc,
                                                        struct sampler_cfi_row *row_out);

/* What an expression may see: registers whose bit in VALID is set, and the stack in [read_low, read_limit). */
struct sampler_expr_context {
    const uintptr_t *registers; /* MACHINE_REG_COUNT of them */
    uint32_t valid;
    uintptr_t read_low;
    uintptr_t read_limit;
    uintptr_t load_bias; /* added to DW_OP_addr */
};

/* Evaluates a DWARF expression (DWARF 5 section 2.5) with INITIAL pushed first when HAS_INITIAL.
 * Returns OK and the value on top of the stack, or why there is none. */
SIGNAL_SAFE enum sampler_cfi_status sampler_expr_evaluate_sig(const struct sampler_expr_context *context,
                                                              struct sampler_cursor expression, bool has_initial,
                                                              uintptr_t initial, uintptr_t *value_out);

#endif
