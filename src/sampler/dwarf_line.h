/* dwarf_line.h: from code addresses to source lines by .debug_line (DWARF 2 to 5, section 6.2).
 *
 * Addresses are link-time addresses. Nothing in the sections is trusted. */
#ifndef FINO_SAMPLER_DWARF_LINE_H
#define FINO_SAMPLER_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/elf.h"

/* The sections, uncompressed; those that are not there are empty. */
struct sampler_line_sections {
    struct sampler_elf_bytes line;
    struct sampler_elf_bytes line_strings; /* .debug_line_str */
    struct sampler_elf_bytes strings;      /* .debug_str */
};

struct sampler_lines;

/* Notes which parts of the line programs cover what: one pass over the section. Code below LOWEST_ADDRESS is code that
 * the linker dropped.
 * Returns: the index, or NULL when there are no lines or memory is short.
 * Owns: sampler_lines_free; the sections must stay. */
struct sampler_lines *sampler_lines_new(const struct sampler_line_sections *sections, uint64_t lowest_address);
void sampler_lines_free(struct sampler_lines *lines);

struct sampler_line {
    const char *filename; /* with its directories; owned by the index */
    uint32_t line;
};

/* The line of the instruction at ADDRESS; with IS_START, that of a function that begins there.
 * Returns false when there is none. */
bool sampler_lines_find(struct sampler_lines *lines, uint64_t address, bool is_start, struct sampler_line *line_out);

#endif
