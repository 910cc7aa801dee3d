/* Only musl's thread starts end a stack that has no CFI: a program's own function of the same name doesn't, nor does
 * one in a file of the same name as musl's, and a damaged symbol table is no danger. (tests/e2e/test-embed-sampler.sh
 * finds the real ones.) */
#include "../test.h"
#include "sampler/thread_start.h"

enum { STRINGS = 1024, SYMBOLS = 512, SECTIONS = 2048, FILE_NBYTES = 3072 };

static const char names[] = "\0pthread_create.lo\0start\0other.c\0.symtab\0__libc_start_main.c\0libc_start_main_stage2";

static uint32_t offset_of(const char *name) {
    for (uint32_t i = 0; i < sizeof names; i += (uint32_t)strlen(names + i) + 1) {
        if (strcmp(names + i, name) == 0) return i;
    }
    abort();
}

struct symbol {
    const char *name;
    int bind, type;
};

/* Writes an ELF file with nothing but these symbols. */
static void make_file(uint8_t *file, const struct symbol *symbols, size_t count) {
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_shoff = SECTIONS,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 3,
                         .e_shstrndx = 2,
                         .e_ehsize = sizeof header};
    Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = offset_of(".symtab"), .sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS, .sh_link = 2},
        {.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = sizeof names},
    };
    sections[1].sh_size = (count + 1) * sizeof(Elf64_Sym);
    memset(file, 0, FILE_NBYTES);
    memcpy(file, &header, sizeof header);
    memcpy(file + SECTIONS, sections, sizeof sections);
    memcpy(file + STRINGS, names, sizeof names);
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol = {.st_name = offset_of(symbols[i].name),
                            .st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
                            .st_value = 0x1000 * (i + 1),
                            .st_size = 0x80};
        memcpy(file + SYMBOLS + (i + 1) * sizeof symbol, &symbol, sizeof symbol);
    }
}

static size_t find(const uint8_t *file, size_t nbytes, struct sampler_code_range *starts) {
    struct sampler_elf elf;
    return sampler_elf_view(&elf, file, nbytes) == 0 ? sampler_thread_starts_find(&elf, starts) : 0;
}

int main(void) {
    static const struct symbol musl[] = {
        {"other.c", STB_LOCAL, STT_FILE},
        {"start", STB_LOCAL, STT_FUNC},
        {"__libc_start_main.c", STB_LOCAL, STT_FILE},
        {"start", STB_LOCAL, STT_FUNC},
        {"libc_start_main_stage2", STB_LOCAL, STT_FUNC},
        {"pthread_create.lo", STB_LOCAL, STT_FILE},
        {"start", STB_LOCAL, STT_OBJECT},
        {"start", STB_LOCAL, STT_FUNC},
        {"start", STB_GLOBAL, STT_FUNC},
    };
    struct sampler_code_range starts[SAMPLER_THREAD_STARTS_MAX];
    uint8_t *file = malloc(FILE_NBYTES);
    make_file(file, musl, sizeof musl / sizeof musl[0]);
    EXPECT_EQ(find(file, FILE_NBYTES, starts), 2);
    EXPECT_EQ(starts[0].start, 0x5000);
    EXPECT_EQ(starts[0].limit, 0x5080);
    EXPECT_EQ(starts[1].start, 0x8000);
    make_file(file, musl, 4);
    EXPECT_EQ(find(file, FILE_NBYTES, starts), 0);

    make_file(file, musl, sizeof musl / sizeof musl[0]);
    for (size_t nbytes = 0; nbytes < FILE_NBYTES; nbytes++) {
        uint8_t *part = malloc(nbytes + 1);
        memcpy(part, file, nbytes);
        find(part, nbytes, starts);
        free(part);
    }
    free(file);

    struct sampler_elf self;
    EXPECT_EQ(sampler_elf_open(&self, "/proc/self/exe"), 0);
    EXPECT_EQ(sampler_thread_starts_find(&self, starts), 0);
    sampler_elf_close(&self);
    return 0;
}
