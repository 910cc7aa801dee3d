/* symbol.c: owns what a native address is called: the symbol tables of each module, made at the first question, and the
 * strings that answers point to.
 *
 * How tables are searched is symbol_index.c's, PLT stubs are symbol_plt.c's, separate debug files debug_file.c's,
 * line numbers dwarf_line.c's. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/debug_file.h"
#include "sampler/dwarf_line.h"
#include "sampler/maps.h"
#include "sampler/symbol_index.h"
#include "sampler/symbol_plt.h"

/* libstdc++'s demangler; absent from programs that are not linked with it, whose C++ names stay mangled. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *nbytes, int *status) __attribute__((weak));

/* The two names of one function, or of one address that no symbol covers. */
struct name {
    uint64_t start; /* where the function starts: the key */
    const char *name;
    const char *system_name;
};

struct sampler_symbols {
    struct sampler_symbol_index index;
    struct sampler_elf debug_file; /* empty when there is none */
    struct sampler_lines *lines;   /* NULL when there are none */
    struct name *names;            /* open addressing; a free slot has no NAME */
    size_t name_count;
    size_t name_capacity; /* a power of two */
};

static const char *OUT_OF_MEMORY = "[out of memory]";

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ---- Remembered names ---- */

static struct name *name_slot(struct name *names, size_t capacity, uint64_t start) {
    size_t i = start * 0x9e3779b97f4a7c15 >> 32 & (capacity - 1);
    while (names[i].name != NULL && names[i].start != start)
        i = (i + 1) & (capacity - 1);
    return &names[i];
}

/* Makes room for one more name. */
static bool reserve_name(struct sampler_symbols *symbols) {
    if (symbols->name_count < symbols->name_capacity / 2) return true;
    size_t capacity = symbols->name_capacity == 0 ? 64 : 2 * symbols->name_capacity;
    struct name *names = calloc(capacity, sizeof *names);
    if (names == NULL) return false;
    for (size_t i = 0; i < symbols->name_capacity; i++) {
        if (symbols->names[i].name == NULL) continue;
        *name_slot(names, capacity, symbols->names[i].start) = symbols->names[i];
    }
    free(symbols->names);
    symbols->names = names;
    symbols->name_capacity = capacity;
    return true;
}

/* ---- Making names ---- */

/* MANGLED without a version suffix, demangled, with SUFFIX appended. A new string, or NULL when memory is short. */
static char *readable_name(const char *mangled, const char *suffix) {
    char *plain = strndup(mangled, strcspn(mangled, "@")), *result = NULL;
    if (plain == NULL) return NULL;
    int status = -1;
    char *demangled = NULL;
    if (__cxa_demangle != NULL && plain[0] == '_' && plain[1] == 'Z')
        demangled = __cxa_demangle(plain, NULL, NULL, &status);
    if (asprintf(&result, "%s%s", demangled != NULL ? demangled : plain, suffix) < 0) result = NULL;
    free(demangled);
    free(plain);
    return result;
}

/* Fills in the names of the function at START, the first time that it is asked for. */
static void fill_symbol(struct name *name, const char *mangled) {
    name->system_name = mangled;
    name->name = readable_name(mangled, "");
}

static void fill_plt(struct name *name, const char *mangled) {
    char *system_name;
    if (asprintf(&system_name, "%.*s@plt", (int)strcspn(mangled, "@"), mangled) < 0) return;
    name->system_name = system_name;
    name->name = readable_name(mangled, "@plt");
}

static void fill_unknown(struct name *name, const struct sampler_module *module, uint64_t address) {
    char *text;
    if (asprintf(&text, "%s+0x%" PRIx64, base_name(module->path), address) < 0) return;
    name->name = name->system_name = text;
}

/* ---- Opening a module's tables ---- */

static bool has_section(const struct sampler_elf *elf, const char *name) {
    Elf64_Shdr section;
    return sampler_elf_find_section(elf, name, &section) && section.sh_type != SHT_NOBITS;
}

static struct sampler_lines *open_lines(const struct sampler_elf *elf, uint64_t lowest_address) {
    struct sampler_line_sections sections = {
        .line = sampler_debug_section(elf, ".debug_line"),
        .line_strings = sampler_debug_section(elf, ".debug_line_str"),
        .strings = sampler_debug_section(elf, ".debug_str"),
    };
    return sampler_lines_new(&sections, lowest_address);
}

static struct sampler_symbols *module_symbols(struct sampler_module *module) {
    if (module->symbols != NULL) return module->symbols;
    struct sampler_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL) return NULL;
    const struct sampler_elf *elf = sampler_module_elf(module), *debug = elf;
    bool has_symbols = has_section(elf, ".symtab"), has_lines = has_section(elf, ".debug_line");
    if ((!has_symbols || !has_lines) && sampler_debug_file_open(&symbols->debug_file, elf, module->path))
        debug = &symbols->debug_file;
    if (sampler_symbol_index_build(&symbols->index, has_symbols || !has_section(debug, ".symtab") ? elf : debug) != 0) {
        sampler_elf_close(&symbols->debug_file);
        free(symbols);
        return NULL;
    }
    symbols->lines = open_lines(has_lines ? elf : debug, symbols->index.base);
    return module->symbols = symbols;
}

/* The names of what is at link-time ADDRESS. */
static const struct name *find_name(struct sampler_module *module, struct sampler_symbols *symbols, uint64_t address) {
    uint32_t entry = sampler_symbol_index_find(&symbols->index, address);
    uint64_t start = address;
    const char *stub = NULL;
    if (entry != SAMPLER_SYMBOL_NONE) {
        start = symbols->index.base + symbols->index.entries[entry].start;
    } else {
        stub = sampler_plt_find(sampler_module_elf(module), &symbols->index, address, &start);
        if (stub == NULL) start = address;
    }
    if (!reserve_name(symbols)) return NULL;
    struct name *name = name_slot(symbols->names, symbols->name_capacity, start);
    if (name->name != NULL) return name;
    name->start = start;
    if (entry != SAMPLER_SYMBOL_NONE) {
        fill_symbol(name, sampler_symbol_index_entry_name(&symbols->index, entry));
    } else if (stub != NULL) {
        fill_plt(name, stub);
    } else {
        fill_unknown(name, module, address);
    }
    if (name->name == NULL) return NULL;
    symbols->name_count++;
    return name;
}

static void find_lines(struct sampler_symbols *symbols, uint64_t address, uint64_t start,
                       struct sampler_symbol *symbol_out) {
    struct sampler_line line;
    if (symbols->lines == NULL || !sampler_lines_find(symbols->lines, address, false, &line)) return;
    symbol_out->filename = line.filename;
    symbol_out->line = line.line;
    if (sampler_lines_find(symbols->lines, start, true, &line)) symbol_out->start_line = line.line;
}

void sampler_symbol_find(const struct sampler_object *object, uintptr_t address, struct sampler_symbol *symbol_out) {
    struct sampler_module *module = sampler_map_of(object)->module;
    *symbol_out = (struct sampler_symbol){OUT_OF_MEMORY, OUT_OF_MEMORY, "", 0, 0};
    struct sampler_symbols *symbols = module_symbols(module);
    if (symbols == NULL) return;
    const struct name *name = find_name(module, symbols, address - module->load_bias);
    if (name == NULL) return;
    symbol_out->name = name->name;
    symbol_out->system_name = name->system_name;
    find_lines(symbols, address - module->load_bias, name->start, symbol_out);
}
