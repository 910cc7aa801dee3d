/* symbol_index.c: owns turning an ELF symbol table into a sorted list of functions without aliases.
 *
 * A table of 60,000 symbols takes a few milliseconds: one pass that picks functions, a radix sort by address, one pass
 * that keeps the best of the aliases of an address and finds out what nests in what. */
#include "sampler/symbol_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/cursor.h"

static Elf64_Sym symbol_at(const struct sampler_symbol_index *index, uint32_t symbol) {
    Elf64_Sym value;
    memcpy(&value, index->table.data + (size_t)symbol * sizeof value, sizeof value);
    return value;
}

const char *sampler_symbol_index_name(const struct sampler_symbol_index *index, uint32_t symbol) {
    if (symbol >= index->table.nbytes / sizeof(Elf64_Sym)) return "";
    struct sampler_cursor strings = cursor_make(index->strings.data, index->strings.nbytes);
    cursor_skip(&strings, symbol_at(index, symbol).st_name);
    return cursor_string(&strings);
}

/* ---- Picking functions ---- */

static bool find_table(struct sampler_symbol_index *index, const struct sampler_elf *elf, uint32_t type) {
    for (size_t i = 1; i < elf->section_count; i++) {
        Elf64_Shdr section = sampler_elf_section(elf, i);
        if (section.sh_type != type || section.sh_entsize != sizeof(Elf64_Sym)) continue;
        if (section.sh_link == 0 || section.sh_link >= elf->section_count) continue;
        Elf64_Shdr strings = sampler_elf_section(elf, section.sh_link);
        index->table = sampler_elf_section_bytes(elf, &section);
        index->strings = sampler_elf_section_bytes(elf, &strings);
        if (index->table.nbytes >= 2 * sizeof(Elf64_Sym)) return true;
    }
    return false;
}

/* The range of the file's code, from which entries count their addresses: at most 4 GB. */
static bool find_base(struct sampler_symbol_index *index, const struct sampler_elf *elf) {
    uint64_t base = UINT64_MAX;
    for (size_t i = 1; i < elf->section_count; i++) {
        Elf64_Shdr section = sampler_elf_section(elf, i);
        if ((section.sh_flags & SHF_EXECINSTR) && section.sh_addr < base) base = section.sh_addr;
    }
    index->base = base;
    return base != UINT64_MAX;
}

/* Is SYMBOL code of this file? LENGTH_OUT: its size, clipped to its section; the rest of the section if it has none. */
static bool is_function(const struct sampler_symbol_index *index, const struct sampler_elf *elf,
                        const Elf64_Sym *symbol, uint32_t *start_out, uint32_t *nbytes_out) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->section_count || symbol->st_name == 0) return false;
    Elf64_Shdr section = sampler_elf_section(elf, symbol->st_shndx);
    if (!(section.sh_flags & SHF_EXECINSTR) || symbol->st_value < section.sh_addr ||
        symbol->st_value - section.sh_addr >= section.sh_size)
        return false;
    uint64_t start = symbol->st_value - index->base;
    uint64_t nbytes = section.sh_size - (symbol->st_value - section.sh_addr);
    if (symbol->st_size != 0 && symbol->st_size < nbytes) nbytes = symbol->st_size;
    if (start > UINT32_MAX || nbytes > UINT32_MAX - start) return false;
    *start_out = (uint32_t)start;
    *nbytes_out = (uint32_t)nbytes;
    return true;
}

static void pick_functions(struct sampler_symbol_index *index, const struct sampler_elf *elf, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct sampler_symbol_entry *entry = &index->entries[index->count];
        Elf64_Sym symbol = symbol_at(index, (uint32_t)i);
        if (!is_function(index, elf, &symbol, &entry->start, &entry->nbytes)) continue;
        entry->symbol = (uint32_t)i;
        index->count++;
    }
}

/* ---- Sorting ---- */

/* Least significant byte first, stable; ends with the result in ENTRIES. */
static void sort_by_start(struct sampler_symbol_entry *entries, struct sampler_symbol_entry *scratch, uint32_t count) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t next[256] = {0}, sum = 0;
        for (uint32_t i = 0; i < count; i++)
            next[entries[i].start >> shift & 255]++;
        for (size_t digit = 0; digit < 256; digit++) {
            uint32_t digit_count = next[digit];
            next[digit] = sum;
            sum += digit_count;
        }
        for (uint32_t i = 0; i < count; i++)
            scratch[next[entries[i].start >> shift & 255]++] = entries[i];
        struct sampler_symbol_entry *swap = entries;
        entries = scratch, scratch = swap;
    }
}

/* ---- Choosing among aliases ---- */

static size_t leading_underscores(const char *name) {
    return name[0] == '_' && name[1] == 'Z' ? 0 : strspn(name, "_");
}

/* How good a name is; what compares greater is better. */
static int compare_aliases(const struct sampler_symbol_index *index, uint32_t left, uint32_t right) {
    Elf64_Sym a = symbol_at(index, left), b = symbol_at(index, right);
    int difference = (a.st_size != 0) - (b.st_size != 0);
    if (difference == 0) difference = (ELF64_ST_BIND(a.st_info) != STB_LOCAL) - (ELF64_ST_BIND(b.st_info) != STB_LOCAL);
    if (difference == 0)
        difference = (ELF64_ST_TYPE(a.st_info) != STT_NOTYPE) - (ELF64_ST_TYPE(b.st_info) != STT_NOTYPE);
    if (difference != 0) return difference;
    const char *name = sampler_symbol_index_name(index, left), *other = sampler_symbol_index_name(index, right);
    size_t underscores = leading_underscores(name), other_underscores = leading_underscores(other);
    if (underscores != other_underscores) return underscores < other_underscores ? 1 : -1;
    size_t length = strcspn(name, "@"), other_length = strcspn(other, "@");
    if (length != other_length) return length < other_length ? 1 : -1;
    return strcmp(other, name);
}

/* Leaves one entry for each address. */
static void drop_aliases(struct sampler_symbol_index *index) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < index->count; i++) {
        struct sampler_symbol_entry *entry = &index->entries[i];
        struct sampler_symbol_entry *last = kept > 0 ? &index->entries[kept - 1] : NULL;
        if (last == NULL || last->start != entry->start) {
            index->entries[kept++] = *entry;
        } else if (compare_aliases(index, entry->symbol, last->symbol) > 0) {
            *last = *entry;
        }
    }
    index->count = kept;
}

/* Ends symbols without a size where the next one begins, drops those inside of a function that has one (labels in
 * assembly), and links what nests. */
static void link_nested(struct sampler_symbol_index *index) {
    uint32_t kept = 0, open = SAMPLER_SYMBOL_NONE;
    for (uint32_t i = 0; i < index->count; i++) {
        struct sampler_symbol_entry entry = index->entries[i];
        bool has_size = symbol_at(index, entry.symbol).st_size != 0;
        while (open != SAMPLER_SYMBOL_NONE && entry.start - index->entries[open].start >= index->entries[open].nbytes)
            open = index->entries[open].enclosing;
        if (!has_size && open != SAMPLER_SYMBOL_NONE) continue;
        if (!has_size && i + 1 < index->count && index->entries[i + 1].start - entry.start < entry.nbytes)
            entry.nbytes = index->entries[i + 1].start - entry.start;
        entry.enclosing = open;
        index->entries[kept] = entry;
        open = kept++;
    }
    index->count = kept;
}

/* ---- The index ---- */

int sampler_symbol_index_build(struct sampler_symbol_index *index, const struct sampler_elf *elf) {
    *index = (struct sampler_symbol_index){0};
    if (!find_base(index, elf)) return 0;
    if (!find_table(index, elf, SHT_SYMTAB) && !find_table(index, elf, SHT_DYNSYM)) return 0;
    sampler_elf_prefetch(index->table);
    sampler_elf_prefetch(index->strings);
    size_t count = index->table.nbytes / sizeof(Elf64_Sym);
    if (count >= SAMPLER_SYMBOL_NONE) return 0;
    index->entries = malloc(count * sizeof *index->entries);
    struct sampler_symbol_entry *scratch = malloc(count * sizeof *scratch);
    int result = index->entries == NULL || scratch == NULL ? -ENOMEM : 0;
    if (result == 0) {
        pick_functions(index, elf, count);
        sort_by_start(index->entries, scratch, index->count);
        drop_aliases(index);
        link_nested(index);
        void *smaller = realloc(index->entries, (index->count + 1) * sizeof *index->entries);
        if (smaller != NULL) index->entries = smaller;
    }
    free(scratch);
    if (result != 0) sampler_symbol_index_free(index);
    return result;
}

void sampler_symbol_index_free(struct sampler_symbol_index *index) {
    free(index->entries);
    *index = (struct sampler_symbol_index){0};
}

uint32_t sampler_symbol_index_find(const struct sampler_symbol_index *index, uint64_t address) {
    if (address < index->base || address - index->base > UINT32_MAX) return SAMPLER_SYMBOL_NONE;
    uint32_t offset = (uint32_t)(address - index->base), low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->entries[middle].start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint32_t found = low == 0 ? SAMPLER_SYMBOL_NONE : low - 1;
    while (found != SAMPLER_SYMBOL_NONE && offset - index->entries[found].start >= index->entries[found].nbytes)
        found = index->entries[found].enclosing;
    return found;
}
