/* thread_start.c: owns recognising musl's thread starts in statically linked programs.
 *
 * musl is built without CFI. A stack that got as far as the function below main is whole all the same, and says so only
 * if that function is known for what it is. "start" may be anyone's, so the name alone proves nothing: local symbols
 * follow the symbol of the file that they come from, which must be musl's, too. */
#include "sampler/thread_start.h"

#include <string.h>

#include "sampler/cursor.h"

static const struct {
    const char *file; /* without its extension: .lo in Debian's libc.a, .c elsewhere */
    const char *function;
} STARTS[] = {
    {"__libc_start_main", "libc_start_main_stage2"},
    {"pthread_create", "start"},
    {"pthread_create", "start_c11"},
};

static const char *string_at(struct sampler_elf_bytes strings, uint32_t offset) {
    struct sampler_cursor cursor = cursor_make(strings.data, strings.nbytes);
    cursor_skip(&cursor, offset);
    return cursor_string(&cursor);
}

static bool is_start(const char *file, const char *function) {
    size_t file_nbytes = strcspn(file, ".");
    for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; i++) {
        if (strcmp(function, STARTS[i].function) == 0 && strlen(STARTS[i].file) == file_nbytes &&
            memcmp(file, STARTS[i].file, file_nbytes) == 0)
            return true;
    }
    return false;
}

size_t sampler_thread_starts_find(const struct sampler_elf *elf,
                                  struct sampler_code_range starts_out[SAMPLER_THREAD_STARTS_MAX]) {
    Elf64_Shdr section;
    if (!sampler_elf_find_section(elf, ".symtab", &section) || section.sh_link >= elf->section_count) return 0;
    Elf64_Shdr string_section = sampler_elf_section(elf, section.sh_link);
    struct sampler_elf_bytes table = sampler_elf_section_bytes(elf, &section);
    struct sampler_elf_bytes strings = sampler_elf_section_bytes(elf, &string_section);
    const char *file = "";
    size_t count = 0;
    Elf64_Sym symbol;
    for (size_t at = 0; table.nbytes - at >= sizeof symbol && count < SAMPLER_THREAD_STARTS_MAX; at += sizeof symbol) {
        memcpy(&symbol, table.data + at, sizeof symbol);
        if (at != 0 && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) break; /* local ones come first */
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) file = string_at(strings, symbol.st_name);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !is_start(file, string_at(strings, symbol.st_name))) continue;
        starts_out[count++] = (struct sampler_code_range){symbol.st_value, symbol.st_value + symbol.st_size};
    }
    return count;
}
