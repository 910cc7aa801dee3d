/* module.c: owns opening the file behind a loaded object: finding it, proving that it is the one that was loaded, and
 * mapping what handlers will read.
 *
 * The file on disk may have been replaced since it was loaded. It is then reached through /proc/self/map_files, where
 * that is permitted, and failing that what is in memory is copied.
 *
 * Costs matter, as all of this happens before a recording starts, and faulting in a page of a mapped file can take ten
 * times as long as reading it. So headers are read, and what is mapped stays untouched until someone needs it. */
#include "sampler/module.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampler/pages.h"

/* Code of objects that must be copied from memory is copied up to this size; only PLT stubs are read from it. */
#define CODE_COPY_NBYTES_MAX 65536

/* The start of a file holds its ELF header, program headers and usually the build-id. */
#define HEAD_NBYTES 4096

/* Section headers and their names of up to this size are read to look for .debug_frame. */
#define SECTIONS_NBYTES_MAX 8192

/* Unwind tables of this size are copied: small ones would waste most of a large page, and the largest there are have
 * 20 MB. They go on to the end of their segment, of which they are nearly all where linkers order it as they do. */
#define TABLES_COPY_NBYTES_MIN ((size_t)1 << 20)
#define TABLES_COPY_NBYTES_MAX ((size_t)32 << 20)

uintptr_t sampler_page_nbytes(void) {
    static uintptr_t value;
    if (value == 0) value = (uintptr_t)sysconf(_SC_PAGESIZE);
    return value;
}

uintptr_t sampler_page_floor(uintptr_t address) {
    return address & ~(sampler_page_nbytes() - 1);
}

uintptr_t sampler_page_ceiling(uintptr_t address) {
    return sampler_page_floor(address + sampler_page_nbytes() - 1);
}

void sampler_loaded_read_build_id(struct sampler_loaded *loaded) {
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        const void *notes = (const void *)(loaded->load_bias + segment->p_vaddr);
        if (segment->p_type != PT_NOTE) continue;
        if (sampler_elf_note_build_id(notes, segment->p_filesz, loaded->build_id)) return;
    }
}

static const Elf64_Phdr *find_segment(const struct sampler_loaded *loaded, uint32_t type) {
    for (size_t i = 0; i < loaded->segment_count; i++) {
        if (loaded->segments[i].p_type == type) return &loaded->segments[i];
    }
    return NULL;
}

/* ---- Finding the file ---- */

/* Does FILE hold what is in memory, wherever the program can't have changed it? */
static bool has_same_contents(const struct sampler_loaded *loaded, const struct sampler_elf *file) {
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) || (segment->p_flags & PF_W)) continue;
        struct sampler_elf_bytes bytes = sampler_elf_bytes_at(file, segment->p_vaddr);
        const void *in_memory = (const void *)(loaded->load_bias + segment->p_vaddr);
        if (bytes.nbytes < segment->p_filesz || memcmp(bytes.data, in_memory, segment->p_filesz) != 0) return false;
    }
    return true;
}

/* Is FILE what was loaded? The program headers and the build-id decide; without an id, all that is read only. */
static bool is_same_file(const struct sampler_loaded *loaded, const struct sampler_elf *file) {
    char build_id[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1];
    if (file->segment_count != loaded->segment_count ||
        memcmp(file->segments, loaded->segments, loaded->segment_count * sizeof(Elf64_Phdr)) != 0)
        return false;
    sampler_elf_build_id(file, build_id);
    if (strcmp(build_id, loaded->build_id) != 0) return false;
    return build_id[0] != 0 || has_same_contents(loaded, file);
}

/* Opens PATH if it is the file that was loaded and maps it. Returns a descriptor, or -1. */
static int open_if_same(const struct sampler_loaded *loaded, const char *path, struct sampler_elf_bytes *file_out) {
    uint8_t head[HEAD_NBYTES];
    struct sampler_elf elf;
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -1;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) goto fail_open;
    ssize_t head_nbytes = pread(fd, head, sizeof head, 0);
    if (head_nbytes <= 0 || sampler_elf_view(&elf, head, (size_t)head_nbytes) != 0) goto fail_open;
    size_t nbytes = (size_t)status.st_size;
    void *data = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) goto fail_open;
    *file_out = (struct sampler_elf_bytes){data, nbytes, 0};
    /* Notes further on, or a table to compare, are seen only in the whole file. */
    if (loaded->build_id[0] != 0 && is_same_file(loaded, &elf)) return fd;
    if (sampler_elf_view(&elf, data, nbytes) == 0 && is_same_file(loaded, &elf)) return fd;
    munmap(data, nbytes);
    *file_out = (struct sampler_elf_bytes){0};
fail_open:
    close(fd);
    return -1;
}

/* The kernel's own link to a mapped file, which privileged processes may follow. */
static int open_map_file(const struct sampler_loaded *loaded, struct sampler_elf_bytes *file_out) {
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        char path[64];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = loaded->load_bias + segment->p_vaddr;
        snprintf(path, sizeof path, "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR, sampler_page_floor(start),
                 sampler_page_ceiling(start + segment->p_filesz));
        return open_if_same(loaded, path, file_out);
    }
    return -1;
}

/* ---- Copying from memory ---- */

static bool is_worth_copying(const struct sampler_loaded *loaded, const Elf64_Phdr *segment) {
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) || segment->p_filesz == 0) return false;
    if (loaded->is_vdso) return true;
    if (segment->p_flags & PF_W) return false; /* no longer as in the file */
    return !(segment->p_flags & PF_X) || segment->p_filesz <= CODE_COPY_NBYTES_MAX;
}

/* Puts the read-only segments back to where they were in the file; the rest of it reads as zeros. */
static bool copy_from_memory(const struct sampler_loaded *loaded, struct sampler_elf_bytes *file_out) {
    uint64_t nbytes = 0;
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        uint64_t limit = segment->p_offset + segment->p_filesz;
        /* The vDSO's section headers are behind its one segment, in the same page. */
        if (loaded->is_vdso) limit = sampler_page_ceiling(limit);
        if (is_worth_copying(loaded, segment) && limit > nbytes) nbytes = limit;
    }
    if (nbytes == 0) return false;
    uint8_t *copy = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) return false;
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (!is_worth_copying(loaded, segment)) continue;
        uint64_t length = loaded->is_vdso ? nbytes - segment->p_offset : segment->p_filesz;
        memcpy(copy + segment->p_offset, (const void *)(loaded->load_bias + segment->p_vaddr), length);
    }
    mprotect(copy, nbytes, PROT_READ);
    *file_out = (struct sampler_elf_bytes){copy, nbytes, 0};
    return true;
}

/* ---- The CFI ---- */

/* Reads NBYTES at OFFSET, all or nothing. */
static bool read_at(int fd, void *out, size_t nbytes, uint64_t offset) {
    return pread(fd, out, nbytes, (off_t)offset) == (ssize_t)nbytes;
}

/* May FD have a .debug_frame? Only "no" is certain. */
static bool may_have_debug_frame(int fd) {
    static const char NAME[] = ".debug_frame";
    _Alignas(Elf64_Shdr) uint8_t sections[SECTIONS_NBYTES_MAX];
    char names[SECTIONS_NBYTES_MAX];
    Elf64_Ehdr header;
    if (!read_at(fd, &header, sizeof header, 0) || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum)
        return true;
    size_t sections_nbytes = header.e_shnum * sizeof(Elf64_Shdr);
    if (header.e_shentsize != sizeof(Elf64_Shdr) || sections_nbytes > sizeof sections) return true;
    if (!read_at(fd, sections, sections_nbytes, header.e_shoff)) return true;
    const Elf64_Shdr *strings = (const Elf64_Shdr *)(const void *)sections + header.e_shstrndx;
    if (strings->sh_size > sizeof names || !read_at(fd, names, strings->sh_size, strings->sh_offset)) return true;
    return memmem(names, strings->sh_size, NAME, sizeof NAME) != NULL;
}

/* Finds the .eh_frame through the .eh_frame_hdr, in FILE. Returns false when there is no usable table. */
static bool open_eh_frame(int fd, const struct sampler_loaded *loaded, struct sampler_elf_bytes file,
                          struct sampler_cfi *cfi) {
    uint8_t bytes[SAMPLER_EH_FRAME_HDR_NBYTES];
    struct sampler_eh_frame_hdr hdr;
    const Elf64_Phdr *table = find_segment(loaded, PT_GNU_EH_FRAME);
    if (table == NULL || !read_at(fd, bytes, sizeof bytes, table->p_offset)) return false;
    if (!sampler_eh_frame_hdr_decode(&hdr, bytes, table->p_vaddr)) return false;
    for (size_t i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *load = &loaded->segments[i];
        if (load->p_type != PT_LOAD || load->p_offset > file.nbytes || load->p_filesz > file.nbytes - load->p_offset)
            continue;
        struct sampler_elf_bytes segment = {file.data + load->p_offset, load->p_filesz, load->p_vaddr};
        if (sampler_cfi_open_eh_frame(cfi, &hdr, segment)) return true;
    }
    return false;
}

/* Reads large tables into large pages: handlers look up rules all over them, and the first touch of each page costs as
 * much as walking a stack. Where memory is short they stay where they are mapped. */
static void copy_tables(int fd, struct sampler_module *module) {
    struct sampler_elf_bytes *table = &module->cfi.search_table, *eh_frame = &module->cfi.eh_frame.bytes;
    const uint8_t *start = table->data < eh_frame->data ? table->data : eh_frame->data;
    size_t nbytes = (size_t)(eh_frame->data + eh_frame->nbytes - start);
    if (nbytes < TABLES_COPY_NBYTES_MIN || nbytes > TABLES_COPY_NBYTES_MAX) return;
    uint8_t *copy = sampler_pages_new(nbytes);
    if (copy == NULL) return;
    if (!read_at(fd, copy, nbytes, (uint64_t)(start - module->file.data))) {
        sampler_pages_free(copy, nbytes);
        return;
    }
    table->data = copy + (table->data - start);
    eh_frame->data = copy + (eh_frame->data - start);
    module->tables = copy;
    module->tables_nbytes = nbytes;
}

static int open_cfi(int fd, const struct sampler_loaded *loaded, struct sampler_module *module) {
    if (fd >= 0 && !may_have_debug_frame(fd) && open_eh_frame(fd, loaded, module->file, &module->cfi)) {
        copy_tables(fd, module);
        sampler_cfi_index(&module->cfi);
        return 0;
    }
    return sampler_cfi_open(&module->cfi, sampler_module_elf(module));
}

/* Where the program's start has CFI, that says where stacks end, and the symbols needn't be read. */
static void find_thread_starts(struct sampler_module *module) {
    struct sampler_cfi_fde fde;
    uint64_t entry = (uint64_t)getauxval(AT_ENTRY) - module->load_bias;
    if (sampler_cfi_find_sig(&module->cfi, entry, &fde) != SAMPLER_CFI_NONE) return;
    module->thread_start_count = sampler_thread_starts_find(sampler_module_elf(module), module->thread_starts);
}

/* ---- Modules ---- */

static char *find_path(const struct sampler_loaded *loaded) {
    char buffer[PATH_MAX + 1];
    if (loaded->is_vdso) return strdup("[vdso]");
    if (loaded->is_main) {
        ssize_t nbytes = readlink("/proc/self/exe", buffer, PATH_MAX);
        if (nbytes > 0) {
            buffer[nbytes] = 0;
            return strdup(buffer);
        }
    }
    const char *name = loaded->loader_name;
    if (loaded->is_main && name[0] == '\0') name = (const char *)getauxval(AT_EXECFN); /* no /proc: as it was started */
    if (name == NULL) name = "";
    char *path = name[0] == '/' ? NULL : realpath(name, NULL);
    return path != NULL ? path : strdup(name);
}

int sampler_module_open(struct sampler_module *module, const struct sampler_loaded *loaded) {
    int fd = -1;
    *module = (struct sampler_module){.load_bias = loaded->load_bias};
    module->build_id = strdup(loaded->build_id);
    module->path = find_path(loaded);
    if (module->build_id == NULL || module->path == NULL) return -ENOMEM;
    if (!loaded->is_vdso) {
        if (loaded->is_main) fd = open_if_same(loaded, "/proc/self/exe", &module->file);
        if (fd < 0) fd = open_if_same(loaded, module->path, &module->file);
        if (fd < 0) fd = open_map_file(loaded, &module->file);
    }
    if (fd < 0) copy_from_memory(loaded, &module->file);
    int result = open_cfi(fd, loaded, module);
    if (fd >= 0) close(fd);
    if (result == 0 && loaded->is_main) find_thread_starts(module);
    return result;
}

void sampler_module_close(struct sampler_module *module) {
    sampler_cfi_free(&module->cfi);
    sampler_pages_free(module->tables, module->tables_nbytes);
    if (module->file.data != NULL) munmap((void *)(uintptr_t)module->file.data, module->file.nbytes);
    free((void *)(uintptr_t)module->path);
    free((void *)(uintptr_t)module->build_id);
    *module = (struct sampler_module){0};
}

const struct sampler_elf *sampler_module_elf(struct sampler_module *module) {
    if (module->elf.data == NULL && module->file.data != NULL)
        sampler_elf_view(&module->elf, module->file.data, module->file.nbytes);
    return &module->elf;
}
