/* Names, files and lines come from wherever they are: DWARF 4 and 5 line tables, compressed ones, separate debug files
 * by debuglink (beside the library, in .debug, and never one with another checksum) and by build-id. What is stripped
 * altogether keeps its exported names, and an offset is the name of the rest, not its neighbour's. C++ is demangled. */
// LINK: -lz -ldl -lstdc++ -Wl,--no-as-needed
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "sampler/unwind.h"

static char folder[] = "/tmp/fino-test.XXXXXX";

/* `hidden` begins on line 3, what `shown` points to; `exported` on line 7, its body is on 8. */
static const char source[] = "typedef int function(int);\n"
                             "namespace_begin\n"
                             "static __attribute__((noinline)) int hidden(int x) {\n"
                             "  return x * 3;\n"
                             "}\n"
                             "namespace_end\n"
                             "visible int exported(int x) {\n"
                             "  return hidden_call(x) + 1;\n"
                             "}\n"
                             "visible function *shown = &hidden_name;\n";

__attribute__((format(printf, 1, 2))) static void run(const char *format, ...) {
    char script[1024], command[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(script, sizeof script, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "cd %s && (%s) >log 2>&1", folder, script);
    if (system(command) == 0) return;
    snprintf(command, sizeof command, "cat %s/log", folder);
    EXPECT(system(command) == 0);
    fprintf(stderr, "failed: %s\n", script);
    exit(1);
}

static void write_source(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/source.c", folder);
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fputs(source, file) >= 0 && fclose(file) == 0);
}

#define AS_C                                                                                                           \
    "cc -x c -Dnamespace_begin= -Dnamespace_end= -Dvisible= -Dhidden_call=hidden -Dhidden_name=hidden -shared -fPIC "  \
    "-O1"
#define AS_CXX                                                                                                         \
    "c++ -x c++ '-Dnamespace_begin=namespace spaced {' '-Dnamespace_end=}' '-Dvisible=extern \"C\"' "                  \
    "-Dhidden_call=spaced::hidden -Dhidden_name=spaced::hidden -shared -fPIC -O1"

static struct sampler_symbol symbol_at(uintptr_t address) {
    struct sampler_symbol symbol;
    const struct sampler_object *object = sampler_maps_find_sig(address);
    EXPECT(object != NULL);
    sampler_symbol_find(object, address, &symbol);
    return symbol;
}

static void check_line(const struct sampler_symbol *symbol, bool has_lines, uint32_t line) {
    const char *slash = strrchr(symbol->filename, '/');
    EXPECT_STR(has_lines && slash != NULL ? slash + 1 : symbol->filename, has_lines ? "source.c" : "");
    EXPECT_EQ(symbol->start_line, has_lines ? line : 0);
    EXPECT(has_lines ? symbol->line >= line && symbol->line <= line + 1 : symbol->line == 0);
}

/* HIDDEN: its name; NULL: it has none. */
static void check(const char *library, const char *hidden, bool has_lines) {
    char path[128], offset[64];
    snprintf(path, sizeof path, "%s/%s", folder, library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(handle != NULL);
    uintptr_t exported = (uintptr_t)dlsym(handle, "exported"), *shown = dlsym(handle, "shown");
    EXPECT(exported != 0 && shown != NULL);
    EXPECT_EQ(sampler_maps_refresh(), 0);
    struct sampler_symbol symbol = symbol_at(exported);
    EXPECT_STR(symbol.name, "exported");
    check_line(&symbol, has_lines, 7);
    symbol = symbol_at(*shown);
    printf("%-16s %s %s:%u\n", library, symbol.name, symbol.filename, symbol.line);
    snprintf(offset, sizeof offset, "%s+0x%zx", library, *shown - sampler_maps_find_sig(exported)->load_bias);
    EXPECT_STR(symbol.name, hidden ? hidden : offset);
    check_line(&symbol, has_lines, 3);
}

/* Not where users without privileges may write, so that is not tested without them. */
static void check_build_id(void) {
    const char *id = "f1f0dead5eed5eed5eed5eed5eed5eed5eed5eed", *debug = "/usr/lib/debug/.build-id/f1";
    if (getuid() != 0) {
        puts("by build-id: only root can tell");
        return;
    }
    run(AS_C " -g -Wl,--build-id=0x%s -o by_id.so source.c; mkdir -p %s; "
             "objcopy --only-keep-debug by_id.so %s/%s.debug; strip by_id.so",
        id, debug, debug, id + 2);
    check("by_id.so", "hidden", true);
    run("rm %s/%s.debug; rmdir -p %s 2>/dev/null; true", debug, id + 2, debug);
}

int main(void) {
    EXPECT(mkdtemp(folder) != NULL);
    write_source();
    run(AS_C " -gdwarf-4 -o dwarf4.so source.c");
    check("dwarf4.so", "hidden", true);
    run(AS_C " -gdwarf-5 -o dwarf5.so source.c");
    check("dwarf5.so", "hidden", true);
    /* Short tables are not compressed. */
    run("mkdir long; cp source.c long; for i in $(seq 300); do echo \"int filler$i(int x) { return x + $i; }\"; done "
        ">>long/source.c; " AS_C
        " -gdwarf-5 -gz=zlib -o compressed.so long/source.c && readelf -SW compressed.so | grep -q 'debug_line .* C '; "
        "rm -r long");
    check("compressed.so", "hidden", true);
    run(AS_C " -o plain.so source.c");
    check("plain.so", "hidden", false);
    run(AS_C " -s -o stripped.so source.c");
    check("stripped.so", NULL, false);
    run(AS_CXX " -g -o cxx.so source.c");
    check("cxx.so", "spaced::hidden(int)", true);

    run(AS_C " -g -o linked.so source.c; objcopy --only-keep-debug linked.so linked.debug; strip linked.so; "
             "objcopy --add-gnu-debuglink=linked.debug linked.so");
    check("linked.so", "hidden", true);
    run(AS_C " -g -o below.so source.c; mkdir .debug; objcopy --only-keep-debug below.so .debug/below.debug; strip "
             "below.so; "
             "cd .debug; objcopy --add-gnu-debuglink=below.debug ../below.so");
    check("below.so", "hidden", true);
    run(AS_C
        " -g -Wl,--build-id=none -o other.so source.c; objcopy --only-keep-debug other.so other.debug; strip other.so; "
        "objcopy --add-gnu-debuglink=other.debug other.so; objcopy --only-keep-debug dwarf4.so other.debug");
    check("other.so", NULL, false);
    check_build_id();
    run("rm -r .debug; rm *");
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}
