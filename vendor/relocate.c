/* relocate.c: makes a shared library load faster: relocate LIBRARY OUT [LEFT-OUT...].
 *
 * V8's library refers to itself by name some 55,000 times, and has each name looked up in every loaded library whenever
 * a program starts. That lets another library put its own definition first, which is done once here, and it is most of
 * the start of a short program. This tool settles it once: a reference to a symbol that the library itself defines
 * becomes relative to where the library is loaded (R_X86_64_RELATIVE, which needs no name), as if it had been linked
 * with -Bsymbolic. The relative ones come first, by address, and DT_RELACOUNT says how many they are, so that the
 * loader adds the base to them in one loop; the rest are ordered by symbol, so that it looks each name up once.
 *
 * Left as they are: what fino replaces (is_replaced), and symbols that others define, that are chosen when the program
 * starts (IFUNC), that live in a thread's storage, or of which a process must have one only (STB_GNU_UNIQUE), except
 * those of V8 itself, which no other library defines.
 *
 * LEFT-OUT are libraries that it asks for but of which nothing will be called: those that Node uses and V8 doesn't.
 * They are not loaded any more, and a call to one of their functions ends the process (the instruction ud2).
 *
 * No byte of code or data moves: tables are reordered in place, so that addresses, the build-id and debugging
 * information stay true. The same input gives the same output, and what is relocated already comes out unchanged. What
 * this doesn't understand it refuses, with a message and exit code 1, and writes nothing.
 *
 * Source: System V ABI, chapter 5 (dynamic linking); its AMD64 supplement, section 4.4 (relocation).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct library {
    const char *path;
    unsigned char *bytes;
    size_t nbytes;
    const Elf64_Phdr *segments;
    size_t segment_count;
    Elf64_Dyn *dynamic; /* ends with DT_NULL */
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names;
    size_t names_nbytes;
};

/* What is not loaded any more. */
struct left_out {
    const char **sonames;
    size_t soname_count;
    const char **names; /* of all functions they define, sorted */
    size_t name_count;
    uint64_t trap; /* where their callers go */
};

static _Noreturn void refuse(const char *path, const char *why) {
    fprintf(stderr, "relocate: %s: %s\n", path, why);
    exit(1);
}

static void check(const struct library *library, bool is_right, const char *why) {
    if (!is_right) {
        refuse(library->path, why);
    }
}

static struct library read_file(const char *path) {
    struct library library = {.path = path};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    if (fd < 0 || fstat(fd, &status) != 0) {
        refuse(path, strerror(errno));
    }
    check(&library, S_ISREG(status.st_mode), "not a regular file");
    library.nbytes = (size_t)status.st_size;
    library.bytes = malloc(library.nbytes + 1);
    check(&library, library.bytes != NULL, "too large for the memory there is");
    while (done < library.nbytes) {
        ssize_t n = read(fd, library.bytes + done, library.nbytes - done);
        check(&library, n > 0, n < 0 ? strerror(errno) : "it was cut short while it was read");
        done += (size_t)n;
    }
    close(fd);
    return library;
}

static bool is_inside(const struct library *library, uint64_t offset, uint64_t nbytes) {
    return offset <= library->nbytes && nbytes <= library->nbytes - offset;
}

/* The bytes of the file that are loaded at [ADDRESS, ADDRESS + NBYTES). */
static void *at_address(const struct library *library, uint64_t address, uint64_t nbytes, const char *why) {
    for (size_t i = 0; i < library->segment_count; i++) {
        const Elf64_Phdr *segment = &library->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr <= segment->p_filesz &&
            nbytes <= segment->p_filesz - (address - segment->p_vaddr)) {
            uint64_t offset = segment->p_offset + (address - segment->p_vaddr);
            check(library, is_inside(library, offset, nbytes) && offset % 8 == address % 8, why);
            return library->bytes + offset;
        }
    }
    refuse(library->path, why);
}

static void find_segments(struct library *library) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)library->bytes;
    check(library, library->nbytes >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0,
          "not an ELF file");
    check(library,
          header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
              header->e_machine == EM_X86_64 && header->e_type == ET_DYN,
          "not a shared library for x86-64");
    check(library,
          header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff % 8 == 0 &&
              is_inside(library, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr)),
          "its program headers are damaged");
    library->segments = (const Elf64_Phdr *)(library->bytes + header->e_phoff);
    library->segment_count = header->e_phnum;
}

static void find_dynamic(struct library *library) {
    for (size_t i = 0; i < library->segment_count; i++) {
        const Elf64_Phdr *segment = &library->segments[i];
        if (segment->p_type == PT_DYNAMIC) {
            size_t count = segment->p_filesz / sizeof(Elf64_Dyn);
            library->dynamic =
                at_address(library, segment->p_vaddr, segment->p_filesz, "its dynamic section is damaged");
            for (size_t k = 0; k < count; k++) {
                if (library->dynamic[k].d_tag == DT_NULL) {
                    return;
                }
            }
        }
    }
    refuse(library->path, "it has no dynamic section, or one without an end");
}

static Elf64_Dyn *entry_of(const struct library *library, Elf64_Sxword tag) {
    for (Elf64_Dyn *entry = library->dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == tag) {
            return entry;
        }
    }
    return NULL;
}

static uint64_t value_of(const struct library *library, Elf64_Sxword tag, const char *why) {
    Elf64_Dyn *entry = entry_of(library, tag);
    check(library, entry != NULL, why);
    return entry->d_un.d_val;
}

/* Only what the loader binds when it loads the library may be settled, and only in the tables read here. */
static void check_kind(const struct library *library) {
    Elf64_Dyn *flags = entry_of(library, DT_FLAGS), *flags_1 = entry_of(library, DT_FLAGS_1);
    check(library,
          entry_of(library, DT_BIND_NOW) || (flags && flags->d_un.d_val & DF_BIND_NOW) ||
              (flags_1 && flags_1->d_un.d_val & DF_1_NOW),
          "it binds its calls when they are first made (it was not linked with -z now)");
    check(library, !entry_of(library, DT_TEXTREL) && !(flags && flags->d_un.d_val & DF_TEXTREL),
          "its code is relocated");
    check(library, !entry_of(library, DT_REL), "it has relocations without addends");
    check(library, value_of(library, DT_RELAENT, "it has no relocations") == sizeof(Elf64_Rela),
          "its relocations have an unknown size");
    check(library, value_of(library, DT_PLTREL, "it has no calls by name") == DT_RELA,
          "its calls have relocations of another kind");
    check(library, value_of(library, DT_SYMENT, "it has no symbols") == sizeof(Elf64_Sym),
          "its symbols have an unknown size");
}

/* The tables of symbols and names. How many symbols there are is told by where the names begin, which follow them in
 * every library that linkers make. */
static void find_symbols(struct library *library) {
    uint64_t address = value_of(library, DT_SYMTAB, "it has no symbols");
    uint64_t names_address = value_of(library, DT_STRTAB, "it has no names");
    check(library, address < names_address, "its names don't follow its symbols");
    library->symbol_count = (names_address - address) / sizeof(Elf64_Sym);
    library->symbols =
        at_address(library, address, library->symbol_count * sizeof(Elf64_Sym), "its symbols are damaged");
    library->names_nbytes = value_of(library, DT_STRSZ, "it doesn't say the size of its names");
    library->names = at_address(library, names_address, library->names_nbytes, "its names are damaged");
    check(library, library->names_nbytes > 0 && library->names[library->names_nbytes - 1] == '\0',
          "its names have no end");
}

static const char *name_at(const struct library *library, uint64_t offset) {
    check(library, offset < library->names_nbytes, "a name is not among its names");
    return library->names + offset;
}

static struct library read_library(const char *path) {
    struct library library = read_file(path);
    find_segments(&library);
    find_dynamic(&library);
    find_symbols(&library);
    return library;
}

/* Whether NAME is mangled and in a namespace of V8's library alone: v8, node, or a static variable of a function there.
 */
static bool is_of_v8(const char *name) {
    static const char *const prefixes[] = {"_ZN2v8", "_ZZN2v8", "_ZGVZN2v8", "_ZZNK2v8", "_ZGVZNK2v8", "_ZN4node"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* v8_shim.cc has another definition. */
static bool is_replaced(const char *name) {
    return strcmp(name, "_ZN2v84base2OS25GetFreeMemoryRangesWithinEmmmm") == 0;
}

/* Whether a reference to SYMBOL always means the library's own definition, at the same distance from its base. */
static bool is_settled(const struct library *library, const Elf64_Sym *symbol) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE) {
        return false;
    }
    if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC) {
        return false;
    }
    if (is_replaced(name_at(library, symbol->st_name))) {
        return false;
    }
    if (binding == STB_GNU_UNIQUE) {
        return is_of_v8(name_at(library, symbol->st_name));
    }
    return binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_LOCAL;
}

/* ---- Libraries that are left out */

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the names that LIBRARY defines. */
static void list_names(const struct library *library, struct left_out *left_out) {
    left_out->names =
        realloc(left_out->names, (left_out->name_count + library->symbol_count) * sizeof *left_out->names);
    check(library, left_out->names != NULL || library->symbol_count == 0, "too large for the memory there is");
    for (size_t i = 1; i < library->symbol_count; i++) {
        const Elf64_Sym *symbol = &library->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) {
            left_out->names[left_out->name_count++] = name_at(library, symbol->st_name);
        }
    }
}

static struct left_out read_left_out(char *const *paths, size_t count) {
    struct left_out left_out = {.sonames = calloc(count + 1, sizeof *left_out.sonames), .soname_count = count};
    for (size_t i = 0; i < count; i++) {
        struct library library = read_library(paths[i]); /* its names are kept until the end */
        uint64_t soname = value_of(&library, DT_SONAME, "it doesn't say what it is called");
        left_out.sonames[i] = name_at(&library, soname);
        list_names(&library, &left_out);
    }
    if (left_out.name_count > 0) {
        qsort(left_out.names, left_out.name_count, sizeof *left_out.names, by_name);
    }
    return left_out;
}

static bool is_left_out(const struct left_out *left_out, const char *name) {
    return left_out->name_count > 0 &&
           bsearch(&name, left_out->names, left_out->name_count, sizeof *left_out->names, by_name) != NULL;
}

static bool is_soname_left_out(const struct left_out *left_out, const char *soname) {
    for (size_t i = 0; i < left_out->soname_count; i++) {
        if (strcmp(left_out->sonames[i], soname) == 0) {
            return true;
        }
    }
    return false;
}

/* The address of an instruction that ends the process. */
static uint64_t find_trap(const struct library *library) {
    static const unsigned char ud2[] = {0x0f, 0x0b};
    for (size_t i = 0; i < library->segment_count; i++) {
        const Elf64_Phdr *segment = &library->segments[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            check(library, is_inside(library, segment->p_offset, segment->p_filesz), "its code is cut short");
            const unsigned char *code = library->bytes + segment->p_offset;
            const unsigned char *found = memmem(code, segment->p_filesz, ud2, sizeof ud2);
            if (found) {
                return segment->p_vaddr + (uint64_t)(found - code);
            }
        }
    }
    refuse(library->path, "it has no instruction to end the process with");
}

/* Takes the libraries that are left out from those that are loaded, and the versions of their symbols from those that
 * are checked. */
static void forget_libraries(struct library *library, const struct left_out *left_out) {
    Elf64_Dyn *to = library->dynamic;
    for (const Elf64_Dyn *from = library->dynamic;; from++) {
        bool is_kept = from->d_tag != DT_NEEDED || !is_soname_left_out(left_out, name_at(library, from->d_un.d_val));
        *to = *from;
        to += is_kept;
        if (from->d_tag == DT_NULL) {
            for (; to <= from; to++) {
                *to = (Elf64_Dyn){.d_tag = DT_NULL};
            }
            break;
        }
    }
    Elf64_Dyn *first = entry_of(library, DT_VERNEED), *count = entry_of(library, DT_VERNEEDNUM);
    Elf64_Verneed *last_kept = NULL;
    uint64_t address = first ? first->d_un.d_val : 0;
    for (uint64_t left = first && count ? count->d_un.d_val : 0; left > 0; left--) {
        Elf64_Verneed *need = at_address(library, address, sizeof *need, "its versions are damaged");
        uint32_t next = need->vn_next;
        address += next;
        check(library, left == 1 || next != 0, "its versions are cut short");
        if (!is_soname_left_out(left_out, name_at(library, need->vn_file))) {
            last_kept = need;
        } else {
            count->d_un.d_val--;
            if (last_kept) {
                last_kept->vn_next = next ? last_kept->vn_next + next : 0;
            } else {
                first->d_un.d_val = address;
            }
        }
    }
    check(library, !first || last_kept != NULL, "nothing would be left of its versions");
}

/* ---- Relocations */

/* Returns whether RELOCATION was changed. */
static bool settle(const struct library *library, const struct left_out *left_out, Elf64_Rela *relocation) {
    uint64_t type = ELF64_R_TYPE(relocation->r_info), index = ELF64_R_SYM(relocation->r_info);
    bool adds = type == R_X86_64_64;
    if ((!adds && type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) || index == 0) {
        return false;
    }
    check(library, index < library->symbol_count, "a relocation is of no symbol");
    const Elf64_Sym *symbol = &library->symbols[index];
    if (is_settled(library, symbol)) {
        relocation->r_addend = (Elf64_Sxword)(symbol->st_value + (adds ? (uint64_t)relocation->r_addend : 0));
    } else if (symbol->st_shndx == SHN_UNDEF && is_left_out(left_out, name_at(library, symbol->st_name))) {
        check(library, ELF64_ST_TYPE(symbol->st_info) == STT_FUNC, "it refers to data in a library that is left out");
        relocation->r_addend = (Elf64_Sxword)left_out->trap;
    } else {
        return false;
    }
    relocation->r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
    return true;
}

static int by_kind(const void *a, const void *b) {
    const Elf64_Rela *x = a, *y = b;
    bool x_named = x->r_info != R_X86_64_RELATIVE, y_named = y->r_info != R_X86_64_RELATIVE;
    if (x_named != y_named) {
        return x_named - y_named;
    }
    if (ELF64_R_SYM(x->r_info) != ELF64_R_SYM(y->r_info)) {
        return ELF64_R_SYM(x->r_info) < ELF64_R_SYM(y->r_info) ? -1 : 1;
    }
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

struct outcome {
    size_t settled, relative, total;
};

static struct outcome relocate(struct library *library, const struct left_out *left_out) {
    uint64_t address = value_of(library, DT_RELA, "it has no relocations");
    uint64_t nbytes = value_of(library, DT_RELASZ, "it doesn't say how many relocations it has");
    uint64_t calls_nbytes = value_of(library, DT_PLTRELSZ, "it doesn't say how many calls by name it has");
    Elf64_Dyn *relative_count = entry_of(library, DT_RELACOUNT);
    struct outcome outcome = {0};
    check(library, relative_count != NULL, "it doesn't say how many relocations are relative");
    check(library, nbytes % sizeof(Elf64_Rela) == 0 && calls_nbytes % sizeof(Elf64_Rela) == 0,
          "its relocations are cut short");
    /* The loader takes two tables that adjoin for one, where nothing is bound late: the count is of both. */
    check(library, value_of(library, DT_JMPREL, "it has no calls by name") == address + nbytes,
          "its two tables of relocations don't adjoin");
    Elf64_Rela *relocations = at_address(library, address, nbytes + calls_nbytes, "its relocations are damaged");
    outcome.total = (nbytes + calls_nbytes) / sizeof(Elf64_Rela);
    for (size_t i = 0; i < outcome.total; i++) {
        outcome.settled += settle(library, left_out, &relocations[i]);
    }
    qsort(relocations, outcome.total, sizeof *relocations, by_kind);
    while (outcome.relative < outcome.total && relocations[outcome.relative].r_info == R_X86_64_RELATIVE) {
        outcome.relative++;
    }
    relative_count->d_un.d_val = outcome.relative;
    return outcome;
}

/* Writes to a file beside PATH first: PATH is whole or absent. */
static void write_library(const struct library *library, const char *path) {
    char temporary[4096];
    size_t done = 0;
    if (snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid()) >= (int)sizeof temporary) {
        refuse(path, "the name is too long");
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        refuse(temporary, strerror(errno));
    }
    while (done < library->nbytes) {
        ssize_t n = write(fd, library->bytes + done, library->nbytes - done);
        if (n < 0) {
            unlink(temporary);
            refuse(temporary, strerror(errno));
        }
        done += (size_t)n;
    }
    if (close(fd) != 0 || rename(temporary, path) != 0) {
        unlink(temporary);
        refuse(path, strerror(errno));
    }
}

int main(int argument_count, char **arguments) {
    if (argument_count < 3) {
        fputs("usage: relocate LIBRARY OUT [LEFT-OUT...]\n", stderr);
        return 2;
    }
    struct library library = read_library(arguments[1]);
    struct left_out left_out = read_left_out(arguments + 3, (size_t)argument_count - 3);
    check_kind(&library);
    if (left_out.soname_count > 0) {
        left_out.trap = find_trap(&library);
        forget_libraries(&library, &left_out);
    }
    struct outcome outcome = relocate(&library, &left_out);
    write_library(&library, arguments[2]);
    printf("relocate: %s: %zu of %zu relocations settled, %zu relative now\n", arguments[2], outcome.settled,
           outcome.total, outcome.relative);
    return 0;
}
