/* cfi_sig.c: owns decoding CIEs and FDEs, finding the FDE of a PC, and running its instructions up to that PC.
 *
 * Runs in signal handlers: no locks, no allocation, no stdio, loops bounded by the bytes they consume, every read
 * through a cursor. What is done with the rules is unwind_sig.c's, expressions are dwarf_expr_sig.c's.
 */
#include "sampler/cfi.h"

/* DWARF 5 section 7.24, and the LSB's and GNU's additions. The first three carry an operand in their low six bits. */
enum {
    DW_CFA_advance_loc = 0x40,
    DW_CFA_offset = 0x80,
    DW_CFA_restore = 0xc0,
    DW_CFA_nop = 0x00,
    DW_CFA_set_loc = 0x01,
    DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d,
    DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12,
    DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15,
    DW_CFA_val_expression = 0x16,
    DW_CFA_GNU_args_size = 0x2e,
    DW_CFA_GNU_negative_offset_extended = 0x2f,
};

/* Pointer encodings (LSB Core, "DWARF Exception Header Encoding"). */
enum {
    DW_EH_PE_absptr = 0x00,
    DW_EH_PE_uleb128 = 0x01,
    DW_EH_PE_udata2 = 0x02,
    DW_EH_PE_udata4 = 0x03,
    DW_EH_PE_udata8 = 0x04,
    DW_EH_PE_sleb128 = 0x09,
    DW_EH_PE_sdata2 = 0x0a,
    DW_EH_PE_sdata4 = 0x0b,
    DW_EH_PE_sdata8 = 0x0c,
    DW_EH_PE_pcrel = 0x10,
    DW_EH_PE_indirect = 0x80,
    DW_EH_PE_omit = 0xff,
};

/* Nested DW_CFA_remember_state; compilers nest one, two at most. Each level is 300 bytes of the handler's stack. */
#define REMEMBER_DEPTH_MAX 4

/* Of a CIE's augmentation string; "zPLRS" is all that there is. Bounds the work that a hostile CIE makes for each FDE.
 */
#define AUGMENTATION_NBYTES_MAX 16

/* ---- Pointers and entries ---- */

static uint64_t section_address(const struct sampler_cfi_section *section, const struct sampler_cursor *cursor) {
    return section->bytes.address + (uint64_t)(cursor->at - section->bytes.data);
}

/* A pointer in one of the encodings that give a number without reading further memory. Others fail the cursor. */
static uint64_t encoded_pointer(const struct sampler_cfi_section *section, struct sampler_cursor *cursor,
                                uint8_t encoding) {
    uint64_t base = 0, value;
    switch (encoding & 0xf0) {
        case 0x00: break;
        case DW_EH_PE_pcrel: base = section_address(section, cursor); break;
        default: cursor->failed = true; return 0;
    }
    switch (encoding & 0x0f) {
        case DW_EH_PE_absptr:
        case DW_EH_PE_udata8:
        case DW_EH_PE_sdata8: value = cursor_u64(cursor); break;
        case DW_EH_PE_uleb128: value = cursor_uleb(cursor); break;
        case DW_EH_PE_udata2: value = cursor_u16(cursor); break;
        case DW_EH_PE_udata4: value = cursor_u32(cursor); break;
        case DW_EH_PE_sleb128: value = (uint64_t)cursor_sleb(cursor); break;
        case DW_EH_PE_sdata2: value = (uint64_t)(int16_t)cursor_u16(cursor); break;
        case DW_EH_PE_sdata4: value = (uint64_t)(int32_t)cursor_u32(cursor); break;
        default: cursor->failed = true; return 0;
    }
    return base + value;
}

/* The length field of an entry, and whether the entry is in the 64-bit format. */
static uint64_t entry_length(struct sampler_cursor *cursor, bool *is_64_out) {
    uint64_t length = cursor_u32(cursor);
    *is_64_out = length == 0xffffffff;
    return *is_64_out ? cursor_u64(cursor) : length;
}

/* The augmentation string's letters and, after "z", their data. */
static enum sampler_cfi_status read_augmentation(struct sampler_cursor *cie, const char *letters,
                                                 struct sampler_cfi_fde *fde, bool *has_data_out) {
    *has_data_out = letters[0] == 'z';
    if (letters[0] == 0) return SAMPLER_CFI_OK;
    if (letters[0] != 'z') return SAMPLER_CFI_UNSUPPORTED;
    struct sampler_cursor data = cursor_split(cie, cursor_uleb(cie));
    for (letters++; *letters != 0; letters++) {
        switch (*letters) {
            case 'S': fde->is_signal_frame = true; break;
            case 'L': cursor_skip(&data, 1); break;
            case 'R': fde->pc_encoding = cursor_u8(&data); break;
            case 'P': {
                /* Only skipped, so relative to what and indirect or not is all the same. */
                uint8_t encoding = cursor_u8(&data);
                if ((encoding & 0x70) > 0x40) return SAMPLER_CFI_UNSUPPORTED;
                if (encoding != DW_EH_PE_omit) encoded_pointer(fde->section, &data, encoding & 0x0f);
                break;
            }
            default: return SAMPLER_CFI_UNSUPPORTED;
        }
    }
    return data.failed ? SAMPLER_CFI_MALFORMED : SAMPLER_CFI_OK;
}

static enum sampler_cfi_status read_cie(const struct sampler_cfi_section *section, uint64_t offset,
                                        struct sampler_cfi_fde *fde, bool *has_data_out) {
    struct sampler_cursor rest = cursor_make(section->bytes.data, section->bytes.nbytes);
    bool is_64;
    cursor_skip(&rest, offset);
    uint64_t length = entry_length(&rest, &is_64);
    struct sampler_cursor cie = cursor_split(&rest, length);
    uint64_t id = cursor_unsigned(&cie, section->is_debug_frame && is_64 ? 8 : 4);
    uint64_t expected = !section->is_debug_frame ? 0 : is_64 ? UINT64_MAX : UINT32_MAX;
    if (cie.failed || id != expected) return SAMPLER_CFI_MALFORMED;

    uint8_t version = cursor_u8(&cie);
    if (cie.failed) return SAMPLER_CFI_MALFORMED;
    if (version != 1 && version != 3 && version != 4) return SAMPLER_CFI_UNSUPPORTED;
    struct sampler_cursor start = cie;
    if (cursor_left(&start) > AUGMENTATION_NBYTES_MAX) start.end = start.at + AUGMENTATION_NBYTES_MAX;
    const char *letters = cursor_string(&start);
    if (start.failed) return SAMPLER_CFI_UNSUPPORTED;
    cie.at = start.at;
    if (version == 4) {
        uint8_t address_nbytes = cursor_u8(&cie), segment_nbytes = cursor_u8(&cie);
        if (address_nbytes != 8 || segment_nbytes != 0) return SAMPLER_CFI_UNSUPPORTED;
    }
    fde->code_factor = cursor_uleb(&cie);
    fde->data_factor = cursor_sleb(&cie);
    uint64_t return_register = version == 1 ? cursor_u8(&cie) : cursor_uleb(&cie);
    if (cie.failed) return SAMPLER_CFI_MALFORMED;
    if (return_register >= MACHINE_REG_COUNT) return SAMPLER_CFI_UNSUPPORTED;
    fde->return_register = (uint8_t)return_register;
    enum sampler_cfi_status status = read_augmentation(&cie, letters, fde, has_data_out);
    fde->initial = cie;
    return status;
}

/* The rest of an FDE, whose length and CIE pointer are read already. */
static enum sampler_cfi_status read_fde(const struct sampler_cfi_section *section, struct sampler_cursor entry,
                                        uint64_t cie_offset, struct sampler_cfi_fde *fde) {
    bool has_data;
    *fde = (struct sampler_cfi_fde){.section = section, .pc_encoding = DW_EH_PE_absptr};
    enum sampler_cfi_status status = read_cie(section, cie_offset, fde, &has_data);
    if (status != SAMPLER_CFI_OK) return status;
    fde->pc = encoded_pointer(section, &entry, fde->pc_encoding);
    uint64_t pc_nbytes = encoded_pointer(section, &entry, fde->pc_encoding & 0x0f);
    if (entry.failed || pc_nbytes > UINT64_MAX - fde->pc) return SAMPLER_CFI_MALFORMED;
    fde->pc_limit = fde->pc + pc_nbytes;
    if (has_data) cursor_skip(&entry, cursor_uleb(&entry));
    fde->program = entry;
    return entry.failed ? SAMPLER_CFI_MALFORMED : SAMPLER_CFI_OK;
}

enum sampler_cfi_status sampler_cfi_entry_sig(const struct sampler_cfi_section *section, uint64_t *offset,
                                              struct sampler_cfi_fde *fde_out) {
    struct sampler_cursor rest = cursor_make(section->bytes.data, section->bytes.nbytes);
    bool is_64;
    fde_out->section = NULL;
    cursor_skip(&rest, *offset);
    *offset = section->bytes.nbytes;
    if (cursor_left(&rest) == 0) return SAMPLER_CFI_NONE;
    uint64_t length = entry_length(&rest, &is_64);
    if (!rest.failed && length == 0) {
        /* The end of .eh_frame; linkers leave one in the middle where crtend.o's was not the last. */
        *offset = (uint64_t)(rest.at - section->bytes.data);
        return section->is_debug_frame ? SAMPLER_CFI_OK : SAMPLER_CFI_NONE;
    }
    struct sampler_cursor entry = cursor_split(&rest, length);
    if (entry.failed) return SAMPLER_CFI_MALFORMED;
    *offset = (uint64_t)(rest.at - section->bytes.data);

    uint64_t id_offset = (uint64_t)(entry.at - section->bytes.data);
    uint64_t id = cursor_unsigned(&entry, section->is_debug_frame && is_64 ? 8 : 4);
    if (entry.failed) return SAMPLER_CFI_MALFORMED;
    if (!section->is_debug_frame) {
        if (id == 0) return SAMPLER_CFI_OK;
        if (id > id_offset) return SAMPLER_CFI_MALFORMED;
        return read_fde(section, entry, id_offset - id, fde_out);
    }
    if (id == (is_64 ? UINT64_MAX : UINT32_MAX)) return SAMPLER_CFI_OK;
    return read_fde(section, entry, id, fde_out);
}

/* ---- Finding the FDE of a PC ---- */

/* The offset in .eh_frame of the last entry of the search table at or below PC; UINT64_MAX when there is none. */
static uint64_t search_table_find(const struct sampler_cfi *cfi, uint64_t pc) {
    size_t low = 0, high = cfi->search_table.nbytes / 8;
    if (pc >= cfi->buckets_pc && (pc - cfi->buckets_pc) >> cfi->bucket_bits < cfi->bucket_count) {
        size_t bucket = (size_t)((pc - cfi->buckets_pc) >> cfi->bucket_bits);
        low = cfi->buckets[bucket];
        high = cfi->buckets[bucket + 1];
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sampler_cfi_table_entry(cfi, middle, 0) <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return UINT64_MAX;
    uint64_t offset = sampler_cfi_table_entry(cfi, low - 1, 1) - cfi->eh_frame.bytes.address;
    return offset < cfi->eh_frame.bytes.nbytes ? offset : UINT64_MAX;
}

static uint64_t index_find(const struct sampler_cfi_index_entry *index, size_t count, uint64_t pc) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index[middle].pc <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? UINT64_MAX : index[low - 1].offset;
}

/* Decodes the FDE at OFFSET and checks that it is one and that it covers PC. */
static enum sampler_cfi_status fde_at(const struct sampler_cfi_section *section, uint64_t offset, uint64_t pc,
                                      struct sampler_cfi_fde *fde_out) {
    if (offset == UINT64_MAX) return SAMPLER_CFI_NONE;
    enum sampler_cfi_status status = sampler_cfi_entry_sig(section, &offset, fde_out);
    if (status != SAMPLER_CFI_OK) return status;
    if (fde_out->section == NULL || pc < fde_out->pc || pc >= fde_out->pc_limit) return SAMPLER_CFI_NONE;
    return SAMPLER_CFI_OK;
}

enum sampler_cfi_status sampler_cfi_find_sig(const struct sampler_cfi *cfi, uint64_t pc,
                                             struct sampler_cfi_fde *fde_out) {
    uint64_t offset =
        cfi->search_table.nbytes > 0 ? search_table_find(cfi, pc) : index_find(cfi->eh_index, cfi->eh_index_count, pc);
    enum sampler_cfi_status status = fde_at(&cfi->eh_frame, offset, pc, fde_out);
    if (status == SAMPLER_CFI_OK || cfi->debug_index_count == 0) return status;
    offset = index_find(cfi->debug_index, cfi->debug_index_count, pc);
    enum sampler_cfi_status debug_status = fde_at(&cfi->debug_frame, offset, pc, fde_out);
    return debug_status == SAMPLER_CFI_NONE ? status : debug_status;
}

/* ---- Running the instructions ---- */

struct interpreter {
    const struct sampler_cfi_fde *fde;
    const struct sampler_cfi_row *initial; /* what DW_CFA_restore goes back to; NULL while the CIE runs */
    struct sampler_cfi_row *row;
    uint64_t location;
    uint64_t left; /* the location before */
    uint64_t target;
    size_t remembered_count;
    struct sampler_cfi_row remembered[REMEMBER_DEPTH_MAX];
};

/* Rules for registers that the unwinder does not carry (xmm and others) are read and dropped. */
static void set_rule(struct interpreter *run, uint64_t reg, struct sampler_cfi_rule rule) {
    if (reg < MACHINE_REG_COUNT) run->row->rules[reg] = rule;
}

static void set_offset_rule(struct interpreter *run, uint64_t reg, uint32_t kind, int64_t offset) {
    set_rule(run, reg, (struct sampler_cfi_rule){.kind = kind, .offset = offset});
}

static void restore_rule(struct interpreter *run, uint64_t reg) {
    if (reg >= MACHINE_REG_COUNT) return;
    run->row->rules[reg] = run->initial != NULL ? run->initial->rules[reg] : (struct sampler_cfi_rule){0};
}

/* Factored offsets multiply modulo 2^64: nonsense in, nonsense out, no overflow. */
static int64_t factored(const struct interpreter *run, uint64_t value) {
    return (int64_t)(value * (uint64_t)run->fde->data_factor);
}

static void set_expression_rule(struct interpreter *run, struct sampler_cursor *program, uint32_t kind) {
    uint64_t reg = cursor_uleb(program);
    struct sampler_cursor expression = cursor_split(program, cursor_uleb(program));
    if (expression.failed) return;
    uint32_t nbytes = (uint32_t)cursor_left(&expression);
    set_rule(run, reg,
             (struct sampler_cfi_rule){.kind = kind, .expression_nbytes = nbytes, .expression = expression.at});
}

static void set_cfa(struct interpreter *run, uint64_t reg, int64_t offset) {
    run->row->cfa_expression = NULL;
    run->row->cfa_register = reg < MACHINE_REG_COUNT ? (uint32_t)reg : MACHINE_REG_COUNT;
    run->row->cfa_offset = offset;
}

static void set_cfa_expression(struct interpreter *run, struct sampler_cursor *program) {
    struct sampler_cursor expression = cursor_split(program, cursor_uleb(program));
    run->row->cfa_expression = expression.at;
    run->row->cfa_expression_nbytes = cursor_left(&expression);
}

static enum sampler_cfi_status remember(struct interpreter *run) {
    if (run->remembered_count == REMEMBER_DEPTH_MAX) return SAMPLER_CFI_UNSUPPORTED;
    run->remembered[run->remembered_count++] = *run->row;
    return SAMPLER_CFI_OK;
}

static enum sampler_cfi_status recall(struct interpreter *run) {
    if (run->remembered_count == 0) return SAMPLER_CFI_MALFORMED;
    *run->row = run->remembered[--run->remembered_count];
    return SAMPLER_CFI_OK;
}

static void move_to(struct interpreter *run, uint64_t location) {
    run->left = run->location;
    run->location = location;
}

static void advance(struct interpreter *run, uint64_t delta) {
    move_to(run, run->location + delta * run->fde->code_factor);
}

/* The instructions that take their operands after the opcode. A state machine, hence its length. */
static enum sampler_cfi_status run_extended(struct interpreter *run, uint8_t opcode, struct sampler_cursor *program) {
    uint64_t reg;
    switch (opcode) {
        case DW_CFA_nop: break;
        case DW_CFA_set_loc: move_to(run, encoded_pointer(run->fde->section, program, run->fde->pc_encoding)); break;
        case DW_CFA_advance_loc1: advance(run, cursor_u8(program)); break;
        case DW_CFA_advance_loc2: advance(run, cursor_u16(program)); break;
        case DW_CFA_advance_loc4: advance(run, cursor_u32(program)); break;
        case DW_CFA_offset_extended:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_OFFSET, factored(run, cursor_uleb(program)));
            break;
        case DW_CFA_offset_extended_sf:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_OFFSET, factored(run, (uint64_t)cursor_sleb(program)));
            break;
        case DW_CFA_GNU_negative_offset_extended:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_OFFSET, factored(run, -cursor_uleb(program)));
            break;
        case DW_CFA_val_offset:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_VAL_OFFSET, factored(run, cursor_uleb(program)));
            break;
        case DW_CFA_val_offset_sf:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_VAL_OFFSET, factored(run, (uint64_t)cursor_sleb(program)));
            break;
        case DW_CFA_restore_extended: restore_rule(run, cursor_uleb(program)); break;
        case DW_CFA_undefined: set_offset_rule(run, cursor_uleb(program), SAMPLER_CFI_UNDEFINED, 0); break;
        case DW_CFA_same_value: set_offset_rule(run, cursor_uleb(program), SAMPLER_CFI_SAME_VALUE, 0); break;
        case DW_CFA_register:
            reg = cursor_uleb(program);
            set_offset_rule(run, reg, SAMPLER_CFI_REGISTER, (int64_t)cursor_uleb(program));
            break;
        case DW_CFA_remember_state: return remember(run);
        case DW_CFA_restore_state: return recall(run);
        case DW_CFA_def_cfa:
            reg = cursor_uleb(program);
            set_cfa(run, reg, (int64_t)cursor_uleb(program));
            break;
        case DW_CFA_def_cfa_sf:
            reg = cursor_uleb(program);
            set_cfa(run, reg, factored(run, (uint64_t)cursor_sleb(program)));
            break;
        case DW_CFA_def_cfa_register: set_cfa(run, cursor_uleb(program), run->row->cfa_offset); break;
        case DW_CFA_def_cfa_offset: run->row->cfa_offset = (int64_t)cursor_uleb(program); break;
        case DW_CFA_def_cfa_offset_sf: run->row->cfa_offset = factored(run, (uint64_t)cursor_sleb(program)); break;
        case DW_CFA_def_cfa_expression: set_cfa_expression(run, program); break;
        case DW_CFA_expression: set_expression_rule(run, program, SAMPLER_CFI_EXPRESSION); break;
        case DW_CFA_val_expression: set_expression_rule(run, program, SAMPLER_CFI_VAL_EXPRESSION); break;
        case DW_CFA_GNU_args_size: cursor_uleb(program); break;
        default: return SAMPLER_CFI_UNSUPPORTED;
    }
    return SAMPLER_CFI_OK;
}

/* Runs PROGRAM until it ends or describes locations beyond the target. Each instruction consumes a byte at least. */
static enum sampler_cfi_status run_program(struct interpreter *run, struct sampler_cursor program) {
    while (cursor_left(&program) > 0) {
        uint8_t opcode = cursor_u8(&program), operand = opcode & 0x3f;
        enum sampler_cfi_status status = SAMPLER_CFI_OK;
        switch (opcode & 0xc0) {
            case DW_CFA_advance_loc: advance(run, operand); break;
            case DW_CFA_offset:
                set_offset_rule(run, operand, SAMPLER_CFI_OFFSET, factored(run, cursor_uleb(&program)));
                break;
            case DW_CFA_restore: restore_rule(run, operand); break;
            default: status = run_extended(run, opcode, &program); break;
        }
        if (program.failed) return SAMPLER_CFI_MALFORMED;
        if (status != SAMPLER_CFI_OK) return status;
        if (run->location > run->target) break;
    }
    return program.failed ? SAMPLER_CFI_MALFORMED : SAMPLER_CFI_OK;
}

enum sampler_cfi_status sampler_cfi_row_sig(const struct sampler_cfi_fde *fde, uint64_t pc,
                                            struct sampler_cfi_row *row_out) {
    struct interpreter run;
    struct sampler_cfi_row initial;
    run.fde = fde;
    run.row = row_out;
    run.initial = NULL;
    run.location = fde->pc;
    run.target = pc;
    run.remembered_count = 0;
    memset(row_out, 0, sizeof *row_out);
    row_out->cfa_register = MACHINE_REG_COUNT;
    enum sampler_cfi_status status = run_program(&run, fde->initial);
    if (status != SAMPLER_CFI_OK) return status;
    initial = *row_out;
    run.initial = &initial;
    run.location = fde->pc;
    status = run_program(&run, fde->program);
    if (status != SAMPLER_CFI_OK) return status;
    bool passed = run.location > pc;
    row_out->pc = passed ? run.left : run.location;
    row_out->pc_limit = passed && run.location < fde->pc_limit ? run.location : fde->pc_limit;
    bool has_cfa = row_out->cfa_expression != NULL || row_out->cfa_register < MACHINE_REG_COUNT;
    return has_cfa ? SAMPLER_CFI_OK : SAMPLER_CFI_UNSUPPORTED;
}
