/* symbol_index.c: owns turning an ELF symbol table into a sorted list of functions without aliases.
 *
 * A program waits for this when it stops its first recording. A table of 60,000 symbols takes two milliseconds: one
 * pass that picks functions, a radix sort by address, one pass that finds out what nests in what. Names, which fill
 * several times as much memory and are not in it yet, are left alone until somebody asks for one of them. */
#include "sampler/symbol_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/cursor.h"
#include "sampler/pages.h"

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

/* One symbol that is a function, while they are sorted. */
struct function {
    uint32_t start;  /* from the index's base */
    uint32_t nbytes; /* its size, clipped to its section; 0: it has none */
    uint32_t symbol;
};

/* Where the code of each section is, by the section's number; empty for those that hold none. */
struct code {
    uint64_t start, nbytes;
};

static struct code *find_code(const struct sampler_elf *elf) {
    struct code *code = calloc(elf->section_count, sizeof *code);
    for (size_t i = 1; code != NULL && i < elf->section_count; i++) {
        Elf64_Shdr section = sampler_elf_section(elf, i);
        if (section.sh_flags & SHF_EXECINSTR) code[i] = (struct code){section.sh_addr, section.sh_size};
    }
    return code;
}

/* Is SYMBOL code of this file? IN: its section's. */
static bool is_function(const struct sampler_symbol_index *index, const struct code *in, const Elf64_Sym *symbol,
                        struct function *out) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
    if (symbol->st_name == 0 || symbol->st_value < in->start || symbol->st_value - in->start >= in->nbytes)
        return false;
    uint64_t start = symbol->st_value - index->base, left = in->nbytes - (symbol->st_value - in->start);
    if (start > UINT32_MAX || left > UINT32_MAX - start) return false;
    out->start = (uint32_t)start;
    out->nbytes = (uint32_t)(symbol->st_size < left ? symbol->st_size : left);
    return true;
}

static uint32_t pick_functions(const struct sampler_symbol_index *index, const struct code *code, size_t section_count,
                               size_t symbol_count, struct function *functions) {
    uint32_t count = 0;
    for (size_t i = 1; i < symbol_count; i++) {
        Elf64_Sym symbol = symbol_at(index, (uint32_t)i);
        if (symbol.st_shndx >= section_count) continue; /* SHN_UNDEF holds no code, either */
        if (is_function(index, &code[symbol.st_shndx], &symbol, &functions[count]))
            functions[count++].symbol = (uint32_t)i;
    }
    return count;
}

/* Without a size, a function goes on to its section's end, unless another one comes first. */
static uint32_t rest_of_section(const struct sampler_symbol_index *index, const struct code *code, uint32_t symbol) {
    Elf64_Sym value = symbol_at(index, symbol);
    const struct code *in = &code[value.st_shndx];
    return (uint32_t)(in->nbytes - (value.st_value - in->start));
}

/* ---- Sorting ---- */

#define DIGIT_BITS 11
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define DIGITS 3 /* three times 11 bits hold a start */

/* Least significant digit first, stable. Returns: which of the two holds the result. */
static struct function *sort_by_start(struct function *functions, struct function *scratch, uint32_t count) {
    uint32_t next[DIGITS][DIGIT_COUNT] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned digit = 0; digit < DIGITS; digit++)
            next[digit][functions[i].start >> digit * DIGIT_BITS & (DIGIT_COUNT - 1)]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t sum = 0;
        for (uint32_t value = 0; value < DIGIT_COUNT; value++) {
            uint32_t value_count = next[digit][value];
            next[digit][value] = sum;
            sum += value_count;
        }
        for (uint32_t i = 0; i < count; i++)
            scratch[next[digit][functions[i].start >> digit * DIGIT_BITS & (DIGIT_COUNT - 1)]++] = functions[i];
        struct function *swap = functions;
        functions = scratch, scratch = swap;
    }
    return functions;
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

/* The best of COUNT aliases. */
static const struct function *best_alias(const struct sampler_symbol_index *index, const struct function *aliases,
                                         uint32_t count) {
    const struct function *best = aliases;
    for (uint32_t i = 1; i < count; i++) {
        if (compare_aliases(index, aliases[i].symbol, best->symbol) > 0) best = &aliases[i];
    }
    return best;
}

/* ---- Linking what nests ---- */

/* How many of COUNT sorted functions begin where the first one does, and whether they are all of one size: if not, the
 * one with the best name decides. Else names are compared when somebody asks for one, as that is what takes the time.
 */
static uint32_t count_aliases(const struct function *functions, uint32_t count, bool *alike_out) {
    uint32_t same = 1;
    *alike_out = true;
    for (; same < count && functions[same].start == functions[0].start; same++)
        *alike_out = *alike_out && functions[same].nbytes == functions[0].nbytes;
    return same;
}

/* Makes one entry for each address. Ends functions without a size where the next one begins, drops those inside of a
 * function that has one (labels in assembly), and links what nests. */
static void make_entries(struct sampler_symbol_index *index, const struct code *code, const struct function *functions,
                         uint32_t count) {
    uint32_t open = SAMPLER_SYMBOL_NONE;
    for (uint32_t i = 0, next; i < count; i = next) {
        bool alike;
        next = i + count_aliases(&functions[i], count - i, &alike);
        const struct function *function = alike ? &functions[i] : best_alias(index, &functions[i], next - i);
        struct sampler_symbol_entry entry = {function->start, function->nbytes, i, SAMPLER_SYMBOL_NONE};
        while (open != SAMPLER_SYMBOL_NONE && entry.start - index->entries[open].start >= index->entries[open].nbytes)
            open = index->entries[open].enclosing;
        if (entry.nbytes == 0) {
            if (open != SAMPLER_SYMBOL_NONE) continue;
            entry.nbytes = rest_of_section(index, code, function->symbol);
            if (next < count && functions[next].start - entry.start < entry.nbytes)
                entry.nbytes = functions[next].start - entry.start;
        }
        entry.enclosing = open;
        index->entries[index->count] = entry;
        open = index->count++;
    }
}

/* ---- The index ---- */

/* Fills in the index from the table it has found. FUNCTIONS and SCRATCH have room for the table's COUNT symbols. */
static int fill(struct sampler_symbol_index *index, const struct code *code, size_t section_count, size_t symbol_count,
                struct function *functions, struct function *scratch) {
    uint32_t count = pick_functions(index, code, section_count, symbol_count, functions);
    const struct function *sorted = sort_by_start(functions, scratch, count);
    index->memory_nbytes = (count + 1) * (sizeof *index->entries + sizeof *index->symbols);
    index->entries = sampler_pages_new(index->memory_nbytes);
    if (index->entries == NULL) return -ENOMEM;
    index->symbols = (uint32_t *)(index->entries + count + 1);
    for (uint32_t i = 0; i < count; i++)
        index->symbols[i] = sorted[i].symbol;
    index->symbol_count = count;
    make_entries(index, code, sorted, count);
    return 0;
}

int sampler_symbol_index_build(struct sampler_symbol_index *index, const struct sampler_elf *elf) {
    *index = (struct sampler_symbol_index){0};
    if (!find_base(index, elf)) return 0;
    if (!find_table(index, elf, SHT_SYMTAB) && !find_table(index, elf, SHT_DYNSYM)) return 0;
    sampler_elf_prefetch(index->table);
    size_t count = index->table.nbytes / sizeof(Elf64_Sym);
    if (count >= SAMPLER_SYMBOL_NONE) return 0;
    struct code *code = find_code(elf);
    size_t scratch_nbytes = 2 * count * sizeof(struct function);
    struct function *functions = sampler_pages_new(scratch_nbytes);
    int result = code == NULL || functions == NULL
                     ? -ENOMEM
                     : fill(index, code, elf->section_count, count, functions, functions + count);
    sampler_pages_free(functions, scratch_nbytes);
    free(code);
    if (result != 0) sampler_symbol_index_free(index);
    return result;
}

void sampler_symbol_index_free(struct sampler_symbol_index *index) {
    sampler_pages_free(index->entries, index->memory_nbytes);
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

const char *sampler_symbol_index_entry_name(const struct sampler_symbol_index *index, uint32_t entry) {
    const uint32_t *aliases = &index->symbols[index->entries[entry].aliases];
    uint32_t best = aliases[0];
    uint64_t address = index->base + index->entries[entry].start;
    for (const uint32_t *next = aliases + 1; next < index->symbols + index->symbol_count; next++) {
        if (symbol_at(index, *next).st_value != address) break;
        if (compare_aliases(index, *next, best) > 0) best = *next;
    }
    return sampler_symbol_index_name(index, best);
}
