/* cfi_open.c: owns finding an object's CFI sections and building the search indexes that it lacks. */
#include <errno.h>
#include <stdlib.h>

#include "sampler/cfi.h"

/* The .eh_frame_hdr (LSB Core, "Exception Frame Header") with the encodings that every linker writes; any other form
 * is treated as absent, and an index is built instead. */
#define HDR_VERSION 1
#define HDR_ENCODING_FRAME 0x1b /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
#define HDR_ENCODING_COUNT 0x03 /* DW_EH_PE_udata4 */
#define HDR_ENCODING_TABLE 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */

bool sampler_eh_frame_hdr_decode(struct sampler_eh_frame_hdr *hdr_out, const uint8_t bytes[SAMPLER_EH_FRAME_HDR_NBYTES],
                                 uint64_t hdr_address) {
    struct sampler_cursor cursor = cursor_make(bytes, SAMPLER_EH_FRAME_HDR_NBYTES);
    uint8_t version = cursor_u8(&cursor), frame = cursor_u8(&cursor), count = cursor_u8(&cursor);
    uint8_t table = cursor_u8(&cursor);
    hdr_out->eh_frame_address = hdr_address + 4 + (uint64_t)(int64_t)(int32_t)cursor_u32(&cursor);
    hdr_out->table_address = hdr_address + SAMPLER_EH_FRAME_HDR_NBYTES;
    hdr_out->table_nbytes = 8 * (uint64_t)cursor_u32(&cursor);
    return version == HDR_VERSION && frame == HDR_ENCODING_FRAME && count == HDR_ENCODING_COUNT &&
           table == HDR_ENCODING_TABLE && hdr_out->table_nbytes > 0;
}

/* The part of BYTES from ADDRESS on. */
static struct sampler_elf_bytes bytes_from(struct sampler_elf_bytes bytes, uint64_t address) {
    uint64_t skipped = address - bytes.address;
    if (address < bytes.address || skipped >= bytes.nbytes) return (struct sampler_elf_bytes){0};
    return (struct sampler_elf_bytes){bytes.data + skipped, bytes.nbytes - (size_t)skipped, address};
}

bool sampler_cfi_open_eh_frame(struct sampler_cfi *cfi, const struct sampler_eh_frame_hdr *hdr,
                               struct sampler_elf_bytes bytes) {
    *cfi = (struct sampler_cfi){.debug_frame.is_debug_frame = true};
    struct sampler_elf_bytes table = bytes_from(bytes, hdr->table_address);
    /* Where .eh_frame ends is not said: up to the end of BYTES then, entries bring their lengths. */
    struct sampler_elf_bytes eh_frame = bytes_from(bytes, hdr->eh_frame_address);
    if (eh_frame.data == NULL || table.nbytes < hdr->table_nbytes) return false;
    table.nbytes = (size_t)hdr->table_nbytes;
    cfi->eh_frame.bytes = eh_frame;
    cfi->search_table = table;
    cfi->table_base = hdr->table_address - SAMPLER_EH_FRAME_HDR_NBYTES;
    return true;
}

/* So many entries a bucket, about: a line of memory. */
#define BUCKET_ENTRIES 8

void sampler_cfi_index(struct sampler_cfi *cfi) {
    size_t count = cfi->search_table.nbytes / 8, entry = 0;
    if (count < 2 * BUCKET_ENTRIES || count > UINT32_MAX) return;
    uint64_t first_pc = sampler_cfi_table_entry(cfi, 0, 0), last_pc = sampler_cfi_table_entry(cfi, count - 1, 0);
    if (last_pc < first_pc) return; /* not sorted: searches find what they find */
    cfi->buckets_pc = first_pc;
    cfi->bucket_bits = 0;
    while ((last_pc - first_pc) >> cfi->bucket_bits >= count / BUCKET_ENTRIES)
        cfi->bucket_bits++;
    size_t bucket_count = (size_t)((last_pc - first_pc) >> cfi->bucket_bits) + 1;
    cfi->buckets = malloc((bucket_count + 1) * sizeof *cfi->buckets);
    if (cfi->buckets == NULL) return;
    /* The last entry at or below a PC is before the first that begins in a later bucket, and not before the last of an
     * earlier one: a search between the two yields what a search through all of them would. */
    for (size_t bucket = 0; bucket < bucket_count; bucket++) {
        uint64_t begin_pc = first_pc + ((uint64_t)bucket << cfi->bucket_bits);
        while (entry < count && sampler_cfi_table_entry(cfi, entry, 0) < begin_pc)
            entry++;
        cfi->buckets[bucket] = (uint32_t)entry;
    }
    cfi->buckets[bucket_count] = (uint32_t)count;
    cfi->bucket_count = bucket_count;
}

static void open_from_segment(struct sampler_cfi *cfi, const struct sampler_elf *elf, uint64_t hdr_address) {
    struct sampler_elf_bytes bytes = sampler_elf_bytes_at(elf, hdr_address);
    struct sampler_eh_frame_hdr hdr;
    if (bytes.nbytes < SAMPLER_EH_FRAME_HDR_NBYTES || !sampler_eh_frame_hdr_decode(&hdr, bytes.data, hdr_address))
        return;
    if (hdr.eh_frame_address < hdr_address) bytes = sampler_elf_bytes_at(elf, hdr.eh_frame_address);
    sampler_cfi_open_eh_frame(cfi, &hdr, bytes);
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
        if (segment.p_type != PT_GNU_EH_FRAME) continue;
        open_from_segment(cfi, elf, segment.p_vaddr);
        break;
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
    if (result != 0)
        sampler_cfi_free(cfi);
    else
        sampler_cfi_index(cfi);
    return result;
}

void sampler_cfi_free(struct sampler_cfi *cfi) {
    free(cfi->buckets);
    free(cfi->eh_index);
    free(cfi->debug_index);
    *cfi = (struct sampler_cfi){0};
}
