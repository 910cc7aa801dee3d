/* elf.c: owns reading ELF headers; symbols, CFI and lines inside of the sections are read by their own files. */
#include "sampler/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampler/cursor.h"

/* The part of the file at [OFFSET, OFFSET + NBYTES), or NULL. */
static const uint8_t *slice(const struct sampler_elf *elf, uint64_t offset, uint64_t nbytes) {
    if (elf->data == NULL || offset > elf->nbytes || nbytes > elf->nbytes - offset) return NULL;
    return elf->data + offset;
}

static const uint8_t *header_table(const struct sampler_elf *elf, uint64_t offset, uint64_t count, size_t entry_nbytes,
                                   size_t expected_nbytes) {
    if (offset == 0 || count == 0 || entry_nbytes != expected_nbytes) return NULL;
    return slice(elf, offset, count * entry_nbytes);
}

int sampler_elf_view(struct sampler_elf *elf, const void *data, size_t nbytes) {
    Elf64_Ehdr header;
    *elf = (struct sampler_elf){.data = data, .nbytes = nbytes};
    if (nbytes < sizeof header) goto fail;
    memcpy(&header, data, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
        goto fail;

    elf->segments = header_table(elf, header.e_phoff, header.e_phnum, header.e_phentsize, sizeof(Elf64_Phdr));
    if (elf->segments != NULL) elf->segment_count = header.e_phnum;

    /* Counts that do not fit the header are in the first section's (ABI: "Extended section numbering"). */
    uint64_t section_count = header.e_shnum, name_section = header.e_shstrndx;
    elf->sections = header_table(elf, header.e_shoff, 1, header.e_shentsize, sizeof(Elf64_Shdr));
    if (elf->sections == NULL) return 0;
    Elf64_Shdr first = sampler_elf_section(elf, 0);
    if (section_count == 0) section_count = first.sh_size;
    if (name_section == SHN_XINDEX) name_section = first.sh_link;
    if (section_count > nbytes / sizeof(Elf64_Shdr)) section_count = 0;
    elf->sections = header_table(elf, header.e_shoff, section_count, header.e_shentsize, sizeof(Elf64_Shdr));
    if (elf->sections == NULL) return 0;
    elf->section_count = (size_t)section_count;
    elf->name_section = name_section < section_count ? (size_t)name_section : 0;
    return 0;

fail:
    *elf = (struct sampler_elf){0};
    return -ENOEXEC;
}

int sampler_elf_open(struct sampler_elf *elf, const char *path) {
    struct stat status;
    int result, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *elf = (struct sampler_elf){0};
    if (fd < 0) return -errno;
    if (fstat(fd, &status) != 0) {
        result = -errno;
        goto fail_open;
    }
    if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
        result = -ENOEXEC;
        goto fail_open;
    }
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        result = -errno;
        goto fail_open;
    }
    result = sampler_elf_view(elf, data, (size_t)status.st_size);
    if (result != 0) munmap(data, (size_t)status.st_size);
fail_open:
    close(fd);
    return result;
}

void sampler_elf_close(struct sampler_elf *elf) {
    if (elf->data != NULL) munmap((void *)(uintptr_t)elf->data, elf->nbytes);
    *elf = (struct sampler_elf){0};
}

void sampler_elf_prefetch(struct sampler_elf_bytes bytes) {
#ifdef MADV_POPULATE_READ
    uintptr_t page_nbytes = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)bytes.data & ~(page_nbytes - 1);
    if (bytes.nbytes > 0) madvise((void *)start, (uintptr_t)bytes.data + bytes.nbytes - start, MADV_POPULATE_READ);
#else
    (void)bytes;
#endif
}

Elf64_Phdr sampler_elf_segment(const struct sampler_elf *elf, size_t index) {
    Elf64_Phdr segment;
    memcpy(&segment, elf->segments + index * sizeof segment, sizeof segment);
    return segment;
}

Elf64_Shdr sampler_elf_section(const struct sampler_elf *elf, size_t index) {
    Elf64_Shdr section;
    memcpy(&section, elf->sections + index * sizeof section, sizeof section);
    return section;
}

const char *sampler_elf_section_name(const struct sampler_elf *elf, const Elf64_Shdr *section) {
    if (elf->name_section == 0) return "";
    Elf64_Shdr names = sampler_elf_section(elf, elf->name_section);
    struct sampler_elf_bytes bytes = sampler_elf_section_bytes(elf, &names);
    struct sampler_cursor cursor = cursor_make(bytes.data, bytes.nbytes);
    cursor_skip(&cursor, section->sh_name);
    return cursor_string(&cursor);
}

bool sampler_elf_find_section(const struct sampler_elf *elf, const char *name, Elf64_Shdr *section_out) {
    for (size_t i = 1; i < elf->section_count; i++) {
        *section_out = sampler_elf_section(elf, i);
        if (strcmp(sampler_elf_section_name(elf, section_out), name) == 0) return true;
    }
    *section_out = (Elf64_Shdr){0};
    return false;
}

struct sampler_elf_bytes sampler_elf_section_bytes(const struct sampler_elf *elf, const Elf64_Shdr *section) {
    struct sampler_elf_bytes bytes = {NULL, 0, section->sh_addr};
    if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL) return bytes;
    bytes.data = slice(elf, section->sh_offset, section->sh_size);
    if (bytes.data != NULL) bytes.nbytes = (size_t)section->sh_size;
    return bytes;
}

struct sampler_elf_bytes sampler_elf_bytes_at(const struct sampler_elf *elf, uint64_t address) {
    for (size_t i = 0; i < elf->segment_count; i++) {
        Elf64_Phdr segment = sampler_elf_segment(elf, i);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
            continue;
        const uint8_t *data = slice(elf, segment.p_offset, segment.p_filesz);
        uint64_t skipped = address - segment.p_vaddr;
        if (data == NULL) break;
        return (struct sampler_elf_bytes){data + skipped, (size_t)(segment.p_filesz - skipped), address};
    }
    return (struct sampler_elf_bytes){NULL, 0, address};
}

bool sampler_elf_note_build_id(const void *notes, size_t nbytes, char id_out[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1]) {
    struct sampler_cursor cursor = cursor_make(notes, nbytes);
    id_out[0] = 0;
    while (cursor_left(&cursor) > 0) {
        uint32_t name_nbytes = cursor_u32(&cursor), id_nbytes = cursor_u32(&cursor), type = cursor_u32(&cursor);
        struct sampler_cursor name = cursor_split(&cursor, ((uint64_t)name_nbytes + 3) & ~(uint64_t)3);
        struct sampler_cursor id = cursor_split(&cursor, id_nbytes);
        cursor_skip(&cursor, -id_nbytes & 3);
        /* The padding after the last note may be missing: what counts is that the id itself is there. */
        if (name.failed || id.failed) return false;
        if (type != NT_GNU_BUILD_ID || name_nbytes != 4 || memcmp(name.at, "GNU", 4) != 0) continue;
        if (id_nbytes == 0 || id_nbytes > SAMPLER_BUILD_ID_BYTES_MAX) return false;
        for (uint32_t i = 0; i < id_nbytes; i++) {
            id_out[2 * i] = "0123456789abcdef"[id.at[i] >> 4];
            id_out[2 * i + 1] = "0123456789abcdef"[id.at[i] & 15];
        }
        id_out[2 * id_nbytes] = 0;
        return true;
    }
    return false;
}

bool sampler_elf_build_id(const struct sampler_elf *elf, char id_out[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1]) {
    id_out[0] = 0;
    for (size_t i = 0; i < elf->segment_count; i++) {
        Elf64_Phdr segment = sampler_elf_segment(elf, i);
        if (segment.p_type != PT_NOTE) continue;
        const uint8_t *notes = slice(elf, segment.p_offset, segment.p_filesz);
        if (notes != NULL && sampler_elf_note_build_id(notes, (size_t)segment.p_filesz, id_out)) return true;
    }
    /* A separate debug file's program headers describe the stripped file: its notes are found by section. */
    for (size_t i = 1; i < elf->section_count; i++) {
        Elf64_Shdr section = sampler_elf_section(elf, i);
        if (section.sh_type != SHT_NOTE) continue;
        struct sampler_elf_bytes notes = sampler_elf_section_bytes(elf, &section);
        if (notes.data != NULL && sampler_elf_note_build_id(notes.data, notes.nbytes, id_out)) return true;
    }
    return false;
}
