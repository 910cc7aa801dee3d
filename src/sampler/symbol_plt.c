/* symbol_plt.c: owns naming PLT stubs, which no symbol table lists.
 *
 * A stub jumps through a slot of the GOT; the relocation that fills this slot tells what is there. */
#include "sampler/symbol_plt.h"

#include <string.h>

#include "sampler/cursor.h"
#include "sampler/machine.h"

/* ---- The machine: x86-64 ---- */

/* Stubs are 16 bytes, except in .plt.got without control-flow protection, where they are 8. */
static uint64_t stub_nbytes(const struct sampler_elf *elf, const Elf64_Shdr *section) {
    const char *name = sampler_elf_section_name(elf, section);
    if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 || strcmp(name, ".iplt") == 0) return 16;
    if (strcmp(name, ".plt.got") == 0) return section->sh_entsize == 16 ? 16 : 8;
    return 0;
}

/* [endbr64] [bnd] jmp *slot(%rip): the slot's address. */
static bool decode_stub(struct sampler_elf_bytes code, uint64_t *slot_out) {
    static const uint8_t ENDBR64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    struct sampler_cursor cursor = cursor_make(code.data, code.nbytes);
    if (cursor_left(&cursor) >= sizeof ENDBR64 && memcmp(cursor.at, ENDBR64, sizeof ENDBR64) == 0)
        cursor_skip(&cursor, sizeof ENDBR64);
    if (cursor_left(&cursor) > 0 && *cursor.at == 0xf2) cursor_skip(&cursor, 1);
    uint8_t opcode = cursor_u8(&cursor), operand = cursor_u8(&cursor);
    int32_t displacement = (int32_t)cursor_u32(&cursor);
    if (cursor.failed || opcode != 0xff || operand != 0x25) return false;
    *slot_out = code.address + (uint64_t)(cursor.at - code.data) + (uint64_t)(int64_t)displacement;
    return true;
}

static bool names_symbol(uint32_t type) {
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}

static bool names_address(uint32_t type) {
    return type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE;
}

/* ---- Relocations ---- */

static bool find_relocation(const struct sampler_elf *elf, uint64_t slot, Elf64_Rela *relocation_out,
                            Elf64_Shdr *section_out) {
    for (size_t i = 1; i < elf->section_count; i++) {
        *section_out = sampler_elf_section(elf, i);
        if (section_out->sh_type != SHT_RELA || !(section_out->sh_flags & SHF_ALLOC)) continue;
        struct sampler_elf_bytes bytes = sampler_elf_section_bytes(elf, section_out);
        for (size_t at = 0; at + sizeof *relocation_out <= bytes.nbytes; at += sizeof *relocation_out) {
            memcpy(relocation_out, bytes.data + at, sizeof *relocation_out);
            if (relocation_out->r_offset == slot) return true;
        }
    }
    return false;
}

/* The name of symbol SYMBOL in the table that a relocation section is linked to. */
static const char *relocation_symbol(const struct sampler_elf *elf, const Elf64_Shdr *relocations, uint32_t symbol) {
    if (relocations->sh_link == 0 || relocations->sh_link >= elf->section_count || symbol == 0) return NULL;
    Elf64_Shdr table = sampler_elf_section(elf, relocations->sh_link);
    if (table.sh_link == 0 || table.sh_link >= elf->section_count) return NULL;
    Elf64_Shdr strings = sampler_elf_section(elf, table.sh_link);
    struct sampler_symbol_index names = {
        .table = sampler_elf_section_bytes(elf, &table),
        .strings = sampler_elf_section_bytes(elf, &strings),
    };
    const char *name = sampler_symbol_index_name(&names, symbol);
    return name[0] != 0 ? name : NULL;
}

static const char *slot_name(const struct sampler_elf *elf, const struct sampler_symbol_index *index, uint64_t slot) {
    Elf64_Rela relocation;
    Elf64_Shdr section;
    if (!find_relocation(elf, slot, &relocation, &section)) return NULL;
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation.r_info);
    if (names_symbol(type)) return relocation_symbol(elf, &section, (uint32_t)ELF64_R_SYM(relocation.r_info));
    if (!names_address(type)) return NULL;
    uint32_t entry = sampler_symbol_index_find(index, (uint64_t)relocation.r_addend);
    if (entry == SAMPLER_SYMBOL_NONE || index->base + index->entries[entry].start != (uint64_t)relocation.r_addend)
        return NULL;
    return sampler_symbol_index_entry_name(index, entry);
}

const char *sampler_plt_find(const struct sampler_elf *elf, const struct sampler_symbol_index *index, uint64_t address,
                             uint64_t *start_out) {
    for (size_t i = 1; i < elf->section_count; i++) {
        Elf64_Shdr section = sampler_elf_section(elf, i);
        if (address < section.sh_addr || address - section.sh_addr >= section.sh_size) continue;
        uint64_t nbytes = stub_nbytes(elf, &section), slot;
        if (nbytes == 0) continue;
        struct sampler_elf_bytes code = sampler_elf_section_bytes(elf, &section);
        uint64_t start = (address - section.sh_addr) / nbytes * nbytes;
        if (code.nbytes < start + nbytes) return NULL;
        code = (struct sampler_elf_bytes){code.data + start, (size_t)nbytes, section.sh_addr + start};
        *start_out = code.address;
        return decode_stub(code, &slot) ? slot_name(elf, index, slot) : NULL;
    }
    return NULL;
}
