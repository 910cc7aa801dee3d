/* debug_file.c: owns finding separate debug files, and inflating compressed debug sections.
 *
 * Not read: .gnu_debugdata, the small symbol table that Fedora's libraries carry. It is packed with LZMA, which would
 * take a decoder of its own; no library of Debian's has it, and those with it still have .dynsym. */
#include "sampler/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deflate/deflate.h"
#include "sampler/cursor.h"
#include "sampler/pages.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* DEFLATE can't expand by more than this. */
#define INFLATE_RATIO_MAX 1032

/* ---- Separate files ---- */

/* What a candidate must be. */
struct wanted {
    char build_id[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1]; /* "": go by CRC */
    uint32_t crc;
    bool has_crc;
};

static bool open_candidate(struct sampler_elf *debug_out, const struct wanted *wanted, const char *path) {
    char build_id[2 * SAMPLER_BUILD_ID_BYTES_MAX + 1];
    if (sampler_elf_open(debug_out, path) != 0) return false;
    sampler_elf_build_id(debug_out, build_id);
    bool is_right = wanted->build_id[0] != 0 && build_id[0] != 0
                        ? strcmp(build_id, wanted->build_id) == 0
                        : wanted->has_crc && fino_crc32(0, debug_out->data, debug_out->nbytes) == wanted->crc;
    if (!is_right) sampler_elf_close(debug_out);
    return is_right;
}

/* The .gnu_debuglink: a file name, zeros up to a multiple of 4, the file's CRC. Returns NULL when there is none. */
static const char *read_debuglink(const struct sampler_elf *elf, struct wanted *wanted) {
    Elf64_Shdr section;
    if (!sampler_elf_find_section(elf, ".gnu_debuglink", &section)) return NULL;
    struct sampler_elf_bytes bytes = sampler_elf_section_bytes(elf, &section);
    struct sampler_cursor link = cursor_make(bytes.data, bytes.nbytes);
    const char *name = cursor_string(&link);
    cursor_skip(&link, -(strlen(name) + 1) & 3);
    wanted->crc = cursor_u32(&link);
    wanted->has_crc = !link.failed;
    return link.failed || name[0] == 0 || strchr(name, '/') != NULL ? NULL : name;
}

static bool open_by_build_id(struct sampler_elf *debug_out, const struct wanted *wanted) {
    char path[PATH_MAX];
    if (strlen(wanted->build_id) < 4) return false;
    snprintf(path, sizeof path, DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", wanted->build_id, wanted->build_id + 2);
    return open_candidate(debug_out, wanted, path);
}

static bool open_by_link(struct sampler_elf *debug_out, const struct wanted *wanted, const char *name,
                         const char *path) {
    static const char *const FORMS[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_DIRECTORY "%.*s/%s"};
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return false;
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        char candidate[PATH_MAX];
        int nbytes = snprintf(candidate, sizeof candidate, FORMS[i], (int)(slash - path), path, name);
        if (nbytes <= 0 || (size_t)nbytes >= sizeof candidate || strcmp(candidate, path) == 0) continue;
        if (open_candidate(debug_out, wanted, candidate)) return true;
    }
    return false;
}

bool sampler_debug_file_open(struct sampler_elf *debug_out, const struct sampler_elf *elf, const char *path) {
    struct wanted wanted = {{0}, 0, false};
    *debug_out = (struct sampler_elf){0};
    sampler_elf_build_id(elf, wanted.build_id);
    const char *name = read_debuglink(elf, &wanted);
    if (open_by_build_id(debug_out, &wanted)) return true;
    char *real_path = realpath(path, NULL); /* debug files follow the file, not a link to it */
    bool found = name != NULL && (open_by_link(debug_out, &wanted, name, path) ||
                                  (real_path != NULL && open_by_link(debug_out, &wanted, name, real_path)));
    free(real_path);
    return found;
}

/* ---- Compressed sections ---- */

/* ELF's compression header, zlib's two bytes (RFC 1950), a DEFLATE stream, and a checksum that we let pass. */
static struct sampler_elf_bytes inflate_section(struct sampler_elf_bytes compressed) {
    struct sampler_elf_bytes none = {NULL, 0, compressed.address};
    struct sampler_cursor cursor = cursor_make(compressed.data, compressed.nbytes);
    uint32_t type = cursor_u32(&cursor);
    cursor_skip(&cursor, 4);
    uint64_t nbytes = cursor_u64(&cursor);
    cursor_skip(&cursor, 8 + 2);
    if (cursor.failed || type != ELFCOMPRESS_ZLIB || nbytes == 0 || nbytes / INFLATE_RATIO_MAX > compressed.nbytes)
        return none;
    uint8_t *out = sampler_pages_new((size_t)nbytes);
    size_t out_nbytes = 0;
    if (out == NULL) return none;
    enum fino_inflate_status status =
        fino_inflate(cursor.at, cursor_left(&cursor), out, (size_t)nbytes, NULL, &out_nbytes);
    if (status == FINO_INFLATE_OK && out_nbytes == nbytes)
        return (struct sampler_elf_bytes){out, (size_t)nbytes, compressed.address};
    sampler_pages_free(out, (size_t)nbytes);
    return none;
}

struct sampler_elf_bytes sampler_debug_section(const struct sampler_elf *elf, const char *name) {
    Elf64_Shdr section;
    if (!sampler_elf_find_section(elf, name, &section)) return (struct sampler_elf_bytes){0};
    struct sampler_elf_bytes bytes = sampler_elf_section_bytes(elf, &section);
    sampler_elf_prefetch(bytes);
    return section.sh_flags & SHF_COMPRESSED ? inflate_section(bytes) : bytes;
}
