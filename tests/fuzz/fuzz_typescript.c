/* fuzz_typescript.c: rt_ts_erase() on any bytes: no crash, no leak, and a result that keeps its promises.
 *
 * ./build.sh fuzz gives it to libFuzzer. Without libFuzzer it is a run that is the same each time, of so many mutations
 * of these files (or of a built-in seed); each SEED is another such run:
 *
 *   MODE=asan ./build.sh program tests/fuzz/fuzz_typescript.c build/asan/fuzz_typescript
 *   build/asan/fuzz_typescript EXECUTIONS SEED FILE...
 */
// SOURCES: src/runtime/typescript*.c src/runtime/utf8.c
// LINK: -lm
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

/* What comes out is JavaScript: read as such it is what it was, so that nothing that only TypeScript has is left in it.
 */
static void check_is_javascript(const char *code, size_t nbytes, const char *source, size_t source_nbytes) {
    struct rt_ts_options options = {.jsx = true, .javascript = true, .jsx_mode = RT_TS_JSX_PRESERVE};
    char *out = NULL;
    size_t out_nbytes = 0;
    struct rt_ts_error error;
    if (rt_ts_erase(code, nbytes, &options, &out, &out_nbytes, &error) != 0) {
        fprintf(stderr, "%.*s\nbecame\n%s\n%u:%u: %s\n", (int)source_nbytes, source, code, error.line, error.column,
                error.message);
        abort();
    }
    if (out_nbytes != nbytes || memcmp(out, code, nbytes) != 0) {
        fprintf(stderr, "%.*s\nbecame\n%s\nof which was left\n%s\n", (int)source_nbytes, source, code, out);
        abort();
    }
    free(out);
}

/* In order, and none comes from before its line's start. */
static void check_columns(const struct rt_ts_columns *columns) {
    const struct rt_ts_shift *before = NULL;
    for (size_t i = 0; i < columns->count; i++) {
        const struct rt_ts_shift *shift = &columns->shifts[i];
        if (shift->line == 0 || shift->shift >= shift->column) abort();
        if (before && (shift->line < before->line || (shift->line == before->line && shift->column < before->column)))
            abort();
        before = shift;
    }
    free(columns->shifts);
}

static void check(const uint8_t *data, size_t nbytes) {
    if (nbytes == 0) return;
    struct rt_ts_options options = choose_options(data, nbytes);
    struct rt_ts_columns columns = {0};
    options.columns = &columns;
    char *out = NULL;
    size_t out_nbytes = 0;
    struct rt_ts_error error;
    const char *source = (const char *)data;
    if (rt_ts_erase(source, nbytes, &options, &out, &out_nbytes, &error) != 0) {
        if (error.offset > nbytes || error.message[0] == 0) abort();
        check_columns(&columns);
        return;
    }
    if (out[out_nbytes] != 0) abort();
    if (count_newlines(out, out_nbytes) != count_newlines(source, nbytes)) abort(); /* a line moved */
    check_columns(&columns);
    check_is_javascript(out, out_nbytes, source, nbytes);
    free(out);
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    check(data, nbytes);
    return 0;
}
#else
enum { MAX_INPUT = 1500 };

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint32_t next_random(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* clang-format off */
static const char *const PIECES[] = {
    "<", ">", "(", ")", "{", "}", "[", "]", "=>", ":", "?", "?.", ",", ";", "\n", "`", "${", "/", "*", "!", "=", "@",
    "#x", "enum E {A}", "namespace N {", "type T = ", "interface I {", "declare ", "abstract ", "class A {",
    "constructor(private x) {", "import a from 'a'", "export ", "import type ", "as ", "satisfies ", "async ",
    "await ", "yield ", "<T>", "infer U ", "extends ", "keyof ", "is ", "asserts ", "static ", "get ", "set ",
    "readonly ", "const ", "let ", "\xF0\x9F\x98\x80", "\xE2\x80\xA8", "0x1n", "'s'", "\"", "\\u0061", "/*", "*/",
    "//", "of ", "in ", "function ", "return ", "new ", "accessor ", "override ", "declare global {",
    "declare module 'm' {", "module M {", "unique symbol", "import a = require('a');", "import a = b.c;", "export = ",
    "export type ", "export as namespace a;", "export * as ", "type ", "interface ", "@d ", "@d() ",
    "constructor(@d public x: A) {}", "@d m(a: A, b?: B[]): C {}", "using a = b;", "await using a = b;",
    "for (using a of b) ", "switch (a) {case 1: ", "<a>", "</a>", "<a b={", "<a {...b} key=", "/>", "{...", "x: T",
    "!: ", "?: ", "this: ", " => void",
};
/* clang-format on */

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

/* Reads up to MAX_INPUT bytes of the file at PATH, from anywhere in it. Returns how many. */
static size_t read_slice(const char *path, uint8_t slice[MAX_INPUT]) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > MAX_INPUT ? (long)next_random((uint32_t)(size - MAX_INPUT)) : 0, SEEK_SET);
    size_t nbytes = fread(slice, 1, MAX_INPUT, file);
    fclose(file);
    return nbytes;
}

static void run_mutation(const uint8_t *seed, size_t seed_nbytes) {
    uint8_t data[MAX_INPUT * 2 + 64];
    memcpy(data, seed, seed_nbytes);
    size_t nbytes = mutate(data, seed_nbytes);
    uint8_t *exact = malloc(nbytes + 1); /* so that a read past the end is seen */
    memcpy(exact, data, nbytes);
    check(exact, nbytes);
    free(exact);
}

int main(int argc, char **argv) {
    static const char SEED[] =
        "class A<T> { x: T = f<T>(1 as any)!; } enum E { A, B = A | 1 } namespace N { export let y = 2; y; }";
    long executions = argc > 1 ? atol(argv[1]) : 20000;
    state ^= argc > 2 ? strtoull(argv[2], NULL, 10) << 20 : 0;
    for (long i = 0; i < executions; i++) {
        uint8_t slice[MAX_INPUT];
        size_t nbytes = argc > 3 ? read_slice(argv[3 + next_random((uint32_t)argc - 3)], slice) : 0;
        if (nbytes == 0) memcpy(slice, SEED, nbytes = sizeof SEED - 1);
        for (int again = 0; again < 10 && i < executions; again++, i++)
            run_mutation(slice, nbytes);
        i--;
    }
    printf("%ld executions over %d files\n", executions, argc > 3 ? argc - 3 : 0);
    return 0;
}
#endif
