/* elf.h: a read-only, bounds-checked view of one ELF file: segments, sections, notes.
 *
 * 64-bit little-endian files of any machine. The view points into the caller's bytes and trusts none of them.
 * See the System V ABI, chapters 4 and 5.
 */
#ifndef FINO_SAMPLER_ELF_H
#define FINO_SAMPLER_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampler_elf {
    const uint8_t *data; /* NULL: no file */
    size_t nbytes;
    const uint8_t *segments; /* the program headers, perhaps unaligned: read with sampler_elf_segment */
    size_t segment_count;
    const uint8_t *sections;
    size_t section_count;
    size_t name_section; /* the section that holds the sections' names; 0: none */
};

/* Bytes of a file and the link-time address they belong to. NULL: none. */
struct sampler_elf_bytes {
    const uint8_t *data;
    size_t nbytes;
    uint64_t address;
};

#define SAMPLER_BUILD_ID_BYTES_MAX 64

/* Views NBYTES of DATA as an ELF file. A header table that does not lie inside the data counts as empty.
 * Returns 0, or -ENOEXEC when there is no 64-bit little-endian ELF header. */
int sampler_elf_view(struct sampler_elf *elf, const void *data, size_t nbytes);

/* Maps the file at PATH and views it. The mapping is private and read-only; sampler_elf_close ends it. A file that is
 * replaced by a rename stays as it was; one that is truncated in place faults when read.
 * Returns 0 or a negative errno. */
int sampler_elf_open(struct sampler_elf *elf, const char *path);
void sampler_elf_close(struct sampler_elf *elf);

/* Asks the kernel for all the pages of BYTES in one go, which is several times cheaper than faulting them in as they
 * are read. Harmless when it can't. */
void sampler_elf_prefetch(struct sampler_elf_bytes bytes);

/* Copies header INDEX out. INDEX must be below the count. */
Elf64_Phdr sampler_elf_segment(const struct sampler_elf *elf, size_t index);
Elf64_Shdr sampler_elf_section(const struct sampler_elf *elf, size_t index);

/* The name of a section; "" when it has none. */
const char *sampler_elf_section_name(const struct sampler_elf *elf, const Elf64_Shdr *section);

/* The first section called NAME. Returns false when there is none. */
bool sampler_elf_find_section(const struct sampler_elf *elf, const char *name, Elf64_Shdr *section_out);

/* The bytes of a section in the file; none for SHT_NOBITS or one that reaches beyond the file. */
struct sampler_elf_bytes sampler_elf_section_bytes(const struct sampler_elf *elf, const Elf64_Shdr *section);

/* The bytes from link-time ADDRESS to the end of the part of its PT_LOAD segment that is in the file. */
struct sampler_elf_bytes sampler_elf_bytes_at(const struct sampler_elf *elf, uint64_t address);

/* Finds the GNU build-id in NBYTES of a PT_NOTE segment and writes it in lower-case hexadecimal.
 * Returns whether there is one of at most SAMPLER_BUILD_ID_BYTES_MAX bytes. */
bool sampler_elf_note_build_id(const void *notes, size_t nbytes, char id_out[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1]);

/* The same for a whole file; id_out becomes "" when there is none. */
bool sampler_elf_build_id(const struct sampler_elf *elf, char id_out[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1]);

#endif
