/* debug_file.h: the symbols and lines that a distribution ships apart from a stripped file. */
#ifndef FINO_SAMPLER_DEBUG_FILE_H
#define FINO_SAMPLER_DEBUG_FILE_H

#include "sampler/elf.h"

/* Finds the debug file of the ELF file at PATH by its build-id (below /usr/lib/debug/.build-id) or its .gnu_debuglink
 * (beside the file, in .debug beside it, and below /usr/lib/debug), proven by the build-id or the link's CRC.
 * Returns false, with DEBUG_OUT empty, when there is none. Owns: sampler_elf_close. */
bool sampler_debug_file_open(struct sampler_elf *debug_out, const struct sampler_elf *elf, const char *path);

/* The bytes of the section called NAME, inflated when it is compressed; none when it is missing or damaged. What is
 * inflated is never freed: it belongs to the process's symbols. */
struct sampler_elf_bytes sampler_debug_section(const struct sampler_elf *elf, const char *name);

#endif
