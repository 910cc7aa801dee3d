/* fuzz_typescript.c: rt_ts_erase() on any bytes: no crash, no leak, and a result that keeps its promises.
 *
 * With libFuzzer:
 *   clang -g -O1 -std=gnu17 -Isrc -fsanitize=fuzzer,address,undefined -DLIBFUZZER tests/fuzz/fuzz_typescript.c \
 *       src/runtime/typescript*.c -lm -o fuzz_typescript && ./fuzz_typescript -dict=... CORPUS
 * Without: a deterministic run that mutates the files named after the count of executions:
 *   gcc -g -O1 -std=gnu17 -Isrc -fsanitize=address,undefined tests/fuzz/fuzz_typescript.c src/runtime/typescript*.c -lm
 * \ -o fuzz_typescript && ./fuzz_typescript 100000 FILE...
 */
// SOURCES: src/runtime/typescript*.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript.h"

static size_t count_newlines(const char *s, size_t nbytes) {
    size_t n = 0;
    for (size_t i = 0; i < nbytes; i++)
        n += s[i] == '\n';
    return n;
}

/* The options come from the input's ends, which therefore say the same each time. */
static struct rt_ts_options choose_options(const uint8_t *data, size_t nbytes) {
    uint8_t first = data[0], last = data[nbytes - 1];
    return (struct rt_ts_options){.jsx = first & 1,
                                  .verbatim_module_syntax = first & 2,
                                  .commonjs = first & 4,
                                  .legacy_decorators = last & 1,
                                  .decorator_metadata = last & 2,
                                  .assign_fields = last & 4,
                                  .keep_unused_imports = last & 8,
                                  .attributes_as_assertions = last & 16,
                                  .path = "fuzz.tsx",
                                  .jsx_mode = (enum rt_ts_jsx)((first >> 3 & 3) + (last >> 5 & 1))};
}

static void check(const uint8_t *data, size_t nbytes) {
    if (nbytes == 0) return;
    struct rt_ts_options options = choose_options(data, nbytes);
    char *out = NULL;
    size_t out_nbytes = 0;
    struct rt_ts_error error;
    const char *source = (const char *)data;
    if (rt_ts_erase(source, nbytes, &options, &out, &out_nbytes, &error) != 0) {
        if (error.offset > nbytes || error.message[0] == 0) abort();
        return;
    }
    if (out[out_nbytes] != 0) abort();
    if (count_newlines(out, out_nbytes) != count_newlines(source, nbytes)) abort(); /* a line moved */
    free(out);
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    check(data, nbytes);
    return 0;
}
#else
enum { MAX_INPUT = 1500, MAX_FILES = 1000 };

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint32_t next_random(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

static const char *const PIECES[] = {"<",
                                     ">",
                                     "(",
                                     ")",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     "=>",
                                     ":",
                                     "?",
                                     "?.",
                                     ",",
                                     ";",
                                     "\n",
                                     "`",
                                     "${",
                                     "/",
                                     "*",
                                     "!",
                                     "=",
                                     "@",
                                     "#x",
                                     "enum E {A}",
                                     "namespace N {",
                                     "type T = ",
                                     "interface I {",
                                     "declare ",
                                     "abstract ",
                                     "class A {",
                                     "constructor(private x) {",
                                     "import a from 'a'",
                                     "export ",
                                     "import type ",
                                     "as ",
                                     "satisfies ",
                                     "async ",
                                     "await ",
                                     "yield ",
                                     "<T>",
                                     "infer U ",
                                     "extends ",
                                     "keyof ",
                                     "is ",
                                     "asserts ",
                                     "static ",
                                     "get ",
                                     "set ",
                                     "readonly ",
                                     "const ",
                                     "let ",
                                     "\xF0\x9F\x98\x80",
                                     "\xE2\x80\xA8",
                                     "0x1n",
                                     "'s'",
                                     "\"",
                                     "\\u0061",
                                     "/*",
                                     "*/",
                                     "//",
                                     "=",
                                     "of ",
                                     "in ",
                                     "function ",
                                     "return ",
                                     "new "};

static size_t mutate(uint8_t *data, size_t nbytes) {
    for (uint32_t i = 0, n = 1 + next_random(6); i < n; i++) {
        uint32_t at = next_random((uint32_t)nbytes + 1), length = next_random(20);
        const char *piece = PIECES[next_random(sizeof PIECES / sizeof *PIECES)];
        size_t piece_nbytes = strlen(piece);
        switch (next_random(4)) {
            case 0: /* cut */
                if (at + length > nbytes) break;
                memmove(data + at, data + at + length, nbytes - at - length);
                nbytes -= length;
                break;
            case 1: /* a byte */
                if (at < nbytes) data[at] = (uint8_t)next_random(128);
                break;
            default: /* a piece of syntax */
                if (nbytes + piece_nbytes > MAX_INPUT * 2) break;
                memmove(data + at + piece_nbytes, data + at, nbytes - at);
                memcpy(data + at, piece, piece_nbytes);
                nbytes += piece_nbytes;
        }
    }
    return nbytes;
}

int main(int argc, char **argv) {
    long executions = argc > 1 ? atol(argv[1]) : 20000;
    static uint8_t files[MAX_FILES][MAX_INPUT];
    static size_t sizes[MAX_FILES];
    uint32_t file_count = 0;
    for (int i = 2; i < argc && file_count < MAX_FILES; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) continue;
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        fseek(file, size > MAX_INPUT ? (long)next_random((uint32_t)(size - MAX_INPUT)) : 0, SEEK_SET);
        sizes[file_count] = fread(files[file_count], 1, MAX_INPUT, file);
        fclose(file);
        file_count += sizes[file_count] > 0;
    }
    if (file_count == 0) {
        static const char SEED[] =
            "class A<T> { x: T = f<T>(1 as any)!; } enum E { A, B = A | 1 } namespace N { export let y = 2; y; }";
        sizes[0] = sizeof SEED - 1;
        memcpy(files[0], SEED, sizes[0]);
        file_count = 1;
    }
    for (long i = 0; i < executions; i++) {
        uint32_t which = next_random(file_count);
        uint8_t data[MAX_INPUT * 2 + 64];
        memcpy(data, files[which], sizes[which]);
        size_t nbytes = mutate(data, sizes[which]);
        uint8_t *exact = malloc(nbytes + 1); /* so that a read past the end is seen */
        memcpy(exact, data, nbytes);
        check(exact, nbytes);
        free(exact);
    }
    printf("%ld executions over %u seeds\n", executions, file_count);
    return 0;
}
#endif
