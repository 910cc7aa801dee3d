// LINK: -ldl -lstdc++ -Wl,--no-as-needed
/* Names agree with `nm` and lines with `addr2line` at addresses all over this program and several libraries: what the
 * symbol table says covers an address is one of the aliases that nm lists, what nothing covers is named by its module,
 * and file and line are addr2line's. */
#include "sampler/unwind.h"

#include <dlfcn.h>
#include <inttypes.h>

#include "../test.h"
#include "sampler/maps.h"

#define ADDRESS_COUNT 2000
#define LINE_COUNT 300

struct known {
    uint64_t start, nbytes;
    char type;
    char *name;
};

static struct known *known;
static size_t known_count;

static int compare_known(const void *left, const void *right) {
    const struct known *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* `nm -S`'s list of sized functions; labels without a size are left to the other tests. */
static void read_nm(const char *path, const char *option) {
    char command[512], line[65536], type;
    uint64_t start, nbytes;
    int name_at;
    size_t capacity = 0;
    snprintf(command, sizeof command, "nm -S --defined-only %s %s 2>/dev/null", option, path);
    FILE *nm = popen(command, "r");
    EXPECT(nm != NULL);
    known_count = 0;
    while (fgets(line, sizeof line, nm) != NULL) {
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %n", &start, &nbytes, &type, &name_at) != 3) continue;
        if (strchr("tTwWiuV", type) == NULL) continue;
        if (known_count == capacity) known = realloc(known, (capacity = 2 * capacity + 1024) * sizeof *known);
        line[strcspn(line, "\n")] = 0;
        known[known_count++] = (struct known){start, nbytes, type, strdup(line + name_at)};
    }
    EXPECT_EQ(pclose(nm), 0);
    qsort(known, known_count, sizeof *known, compare_known);
}

static void free_known(void) {
    for (size_t i = 0; i < known_count; i++)
        free(known[i].name);
    known_count = 0;
}

/* Is NAME one of those that cover ADDRESS and begin last? COVERED_OUT: does any? */
static bool is_known_name(uint64_t address, const char *name, bool *covered_out) {
    uint64_t innermost = 0;
    bool matches = false;
    *covered_out = false;
    for (size_t i = 0; i < known_count && known[i].start <= address; i++) {
        if (address - known[i].start >= known[i].nbytes) continue;
        if (!*covered_out || known[i].start > innermost) matches = false;
        innermost = known[i].start;
        *covered_out = true;
        matches |= strncmp(known[i].name, name, strcspn(known[i].name, "@")) == 0;
    }
    return matches;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

static void check_names(const struct sampler_object *object, const char *path) {
    uint64_t state = 42;
    size_t covered_count = 0;
    for (size_t i = 0; i < ADDRESS_COUNT; i++) {
        /* Half anywhere, half at the edges of functions. */
        uint64_t address = object->start - object->load_bias + next_random(&state) % (object->limit - object->start);
        if (i % 2 == 0 && known_count > 0) {
            const struct known *function = &known[next_random(&state) % known_count];
            address = i % 4 == 0 ? function->start + function->nbytes : function->start + function->nbytes - 1;
        }
        uintptr_t runtime = object->load_bias + address;
        if (sampler_maps_find_sig(runtime) != object) continue;
        struct sampler_symbol symbol;
        bool covered;
        sampler_symbol_find(object, runtime, &symbol);
        bool matches = is_known_name(address, symbol.system_name, &covered);
        if (covered != matches) fprintf(stderr, "%s %#" PRIx64 ": %s\n", path, address, symbol.system_name);
        EXPECT(covered == matches);
        covered_count += covered;
        if (covered || strstr(symbol.name, "@plt") != NULL) continue;
        /* Nobody's: a label without a size, or named by module and address. */
        const char *plus = strstr(symbol.name, "+0x");
        if (plus != NULL && strtoull(plus + 1, NULL, 16) != address) fprintf(stderr, "%s\n", symbol.name);
        EXPECT(plus == NULL || strtoull(plus + 1, NULL, 16) == address);
    }
    if (getenv("VERBOSE")) fprintf(stderr, "%s: %zu of %d covered\n", path, covered_count, ADDRESS_COUNT);
    EXPECT(covered_count > ADDRESS_COUNT / 4);
}

/* In libraries only the lines are compared: of functions whose source comes from an included template, addr2line names
 * the including file with the template's line. */
static void check_lines(const struct sampler_object *object, const char *path, bool compare_files) {
    uint64_t state = 7, addresses[LINE_COUNT];
    char command[65536], line[8192];
    int nbytes = snprintf(command, sizeof command, "addr2line -e %s", path);
    for (size_t i = 0; i < LINE_COUNT; i++) {
        const struct known *function = &known[next_random(&state) % known_count];
        addresses[i] = function->start + next_random(&state) % (function->nbytes + 1);
        nbytes += snprintf(command + nbytes, sizeof command - (size_t)nbytes, " %#" PRIx64, addresses[i]);
    }
    FILE *addr2line = popen(command, "r");
    size_t with_line = 0, agreeing = 0;
    for (size_t i = 0; i < LINE_COUNT; i++) {
        struct sampler_symbol symbol;
        char *colon;
        EXPECT(fgets(line, sizeof line, addr2line) != NULL);
        line[strcspn(line, "\n")] = 0;
        char *discriminator = strstr(line, " (discriminator");
        if (discriminator != NULL) *discriminator = 0;
        EXPECT((colon = strrchr(line, ':')) != NULL);
        *colon = 0;
        unsigned long expected = strtoul(colon + 1, NULL, 10);
        sampler_symbol_find(object, object->load_bias + addresses[i], &symbol);
        if (strcmp(line, "??") == 0) continue;
        with_line++;
        /* addr2line gives "?" where the table says 0, and picks among rows for the same address differently. */
        bool same = symbol.line == expected && (!compare_files || strcmp(symbol.filename, line) == 0);
        agreeing += same;
        if (!same && getenv("VERBOSE"))
            fprintf(stderr, "%s %#" PRIx64 ": %s:%u, not %s:%lu\n", path, addresses[i], symbol.filename, symbol.line,
                    line, expected);
    }
    pclose(addr2line);
    if (getenv("VERBOSE")) fprintf(stderr, "%s: %zu lines, %zu the same\n", path, with_line, agreeing);
    EXPECT(with_line > LINE_COUNT / 2);
    EXPECT(agreeing * 100 >= with_line * 95);
}

static const struct sampler_object *object_of(const void *function) {
    const struct sampler_object *object = sampler_maps_find_sig((uintptr_t)function);
    EXPECT(object != NULL);
    return object;
}

/* The debug file of a library, "" when it is not installed. */
static void debug_file_path(const struct sampler_object *object, char *path_out, size_t nbytes) {
    snprintf(path_out, nbytes, "/usr/lib/debug/.build-id/%.2s/%s.debug", object->build_id, object->build_id + 2);
    FILE *file = fopen(path_out, "re");
    if (file == NULL) path_out[0] = 0;
    if (file != NULL) fclose(file);
}

static void check_library(const char *name, const char *function) {
    char debug_path[512];
    void *library = dlopen(name, RTLD_NOW);
    EXPECT(library != NULL);
    EXPECT_EQ(sampler_maps_refresh(), 0);
    const struct sampler_object *object = object_of(dlsym(library, function));
    debug_file_path(object, debug_path, sizeof debug_path);
    if (debug_path[0] != 0) {
        read_nm(debug_path, "");
        check_names(object, debug_path);
        check_lines(object, debug_path, false);
    } else {
        read_nm(object->path, "-D");
        check_names(object, object->path);
    }
    free_known();
}

int main(void) {
    EXPECT_EQ(sampler_maps_refresh(), 0);
    const struct sampler_object *program = object_of((const void *)(uintptr_t)main);
    read_nm(program->path, "");
    check_names(program, program->path);
    check_lines(program, program->path, true);
    free_known();
    check_library("libc.so.6", "qsort");
    check_library("libm.so.6", "sin");
    check_library("libstdc++.so.6", "_ZSt9terminatev");
    check_library("libcrypto.so.3", "SHA256");
    return 0;
}
