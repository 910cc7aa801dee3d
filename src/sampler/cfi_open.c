/* cfi_open.c: owns finding an object's CFI sections and building the search indexes that it lacks. */
#include <errno.h>
#include <stdlib.h>

#include "sampler/cfi.h"

/* The .eh_frame_hdr (LSB Core, "Exception Frame Header") with the encodings that every linker writes; any other form
 * is treated as absent, and an index is built instead. */
#define HDR_VERSION 1
#define HDR_ENCODING_FRAME_PCREL 0x1b /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
#define HDR_ENCODING_COUNT 0x03       /* DW_EH_PE_udata4 */
#define HDR_ENCODING_TABLE 0x3b       /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */

static void open_eh_frame_hdr(struct sampler_cfi *cfi, const struct sampler_elf *elf, uint64_t address) {
    struct sampler_elf_bytes bytes = sampler_elf_bytes_at(elf, address);
    struct sampler_cursor hdr = cursor_make(bytes.data, bytes.nbytes);
    uint8_t version = cursor_u8(&hdr), frame = cursor_u8(&hdr), count = cursor_u8(&hdr), table = cursor_u8(&hdr);
    if (hdr.failed || version != HDR_VERSION || frame != HDR_ENCODING_FRAME_PCREL) return;
    uint64_t eh_frame_address = address + 4 + (uint64_t)(int64_t)(int32_t)cursor_u32(&hdr);
    if (hdr.failed) return;
    /* Where .eh_frame ends is not said here: up to the end of its segment then, entries bring their lengths. */
    cfi->eh_frame.bytes = sampler_elf_bytes_at(elf, eh_frame_address);
    if (count != HDR_ENCODING_COUNT || table != HDR_ENCODING_TABLE) return;
    uint64_t pair_count = cursor_u32(&hdr);
    struct sampler_cursor pairs = cursor_split(&hdr, 8 * pair_count);
    if (pairs.failed) return;
    cfi->search_table = (struct sampler_elf_bytes){pairs.at, cursor_left(&pairs), address + 12};
    cfi->table_base = address;
}

static int compare_entries(const void *left, const void *right) {
    const struct sampler_cfi_index_entry *a = left, *b = right;
    return a->pc != b->pc ? (a->pc < b->pc ? -1 : 1) : (a->offset > b->offset) - (a->offset < b->offset);
}

static int build_index(const struct sampler_cfi_section *section, struct sampler_cfi_index_entry **index_out,
                       size_t *count_out) {
    struct sampler_cfi_index_entry *index = NULL;
    size_t count = 0, capacity = 0;
    uint64_t offset = 0;
    for (;;) {
        struct sampler_cfi_fde fde;
        uint64_t here = offset;
        enum sampler_cfi_status status = sampler_cfi_entry_sig(section, &offset, &fde);
        if (status == SAMPLER_CFI_NONE) break;
        /* Functions that the linker dropped stay in .debug_frame with an empty range or at 0. */
        if (status != SAMPLER_CFI_OK || fde.section == NULL || fde.pc == fde.pc_limit || fde.pc == 0) continue;
        if (count == capacity) {
            capacity = capacity == 0 ? 256 : 2 * capacity;
            struct sampler_cfi_index_entry *larger = realloc(index, capacity * sizeof *index);
            if (larger == NULL) {
                free(index);
                return -ENOMEM;
            }
            index = larger;
        }
        index[count++] = (struct sampler_cfi_index_entry){fde.pc, here};
    }
    if (count > 0) qsort(index, count, sizeof *index, compare_entries);
    *index_out = index;
    *count_out = count;
    return 0;
}

int sampler_cfi_open(struct sampler_cfi *cfi, const struct sampler_elf *elf) {
    Elf64_Shdr section;
    *cfi = (struct sampler_cfi){.debug_frame.is_debug_frame = true};
    for (size_t i = 0; i < elf->segment_count; i++) {
        Elf64_Phdr segment = sampler_elf_segment(elf, i);
        if (segment.p_type == PT_GNU_EH_FRAME) open_eh_frame_hdr(cfi, elf, segment.p_vaddr);
    }
    if (cfi->eh_frame.bytes.data == NULL && sampler_elf_find_section(elf, ".eh_frame", &section))
        cfi->eh_frame.bytes = sampler_elf_section_bytes(elf, &section);
    if (sampler_elf_find_section(elf, ".debug_frame", &section) && !(section.sh_flags & SHF_COMPRESSED))
        cfi->debug_frame.bytes = sampler_elf_section_bytes(elf, &section);

    int result = 0;
    if (cfi->eh_frame.bytes.data != NULL && cfi->search_table.nbytes == 0)
        result = build_index(&cfi->eh_frame, &cfi->eh_index, &cfi->eh_index_count);
    if (result == 0 && cfi->debug_frame.bytes.data != NULL)
        result = build_index(&cfi->debug_frame, &cfi->debug_index, &cfi->debug_index_count);
    if (result != 0) sampler_cfi_free(cfi);
    return result;
}

void sampler_cfi_free(struct sampler_cfi *cfi) {
    free(cfi->eh_index);
    free(cfi->debug_index);
    *cfi = (struct sampler_cfi){0};
}
