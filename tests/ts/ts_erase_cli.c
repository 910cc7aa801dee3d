// SOURCES: src/runtime/typescript*.c src/runtime/utf8.c
// LINK: -lm
/* ts_erase_cli.c: rt_ts_erase() as a program, for the drivers beside it.
 *
 *   ts_erase_cli [--jsx] [--commonjs] [--verbatim] FILE    writes the JavaScript to standard output; "-" reads standard
 * input ts_erase_cli --batch      reads requests from standard input, answers each on standard output: request:
 * "<options> <bytes>\n" then that many bytes of source; options: "-" or letters, see set_option() answer:   "ok
 * <bytes>\n" then that many bytes of JavaScript, or "error <line> <column> <bytes>\n" then that many bytes of message
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript.h"

static void fail(const char *what) {
    fprintf(stderr, "ts_erase_cli: %s\n", what);
    exit(2);
}

static char *read_bytes(FILE *file, size_t nbytes) {
    char *text = malloc(nbytes + 1);
    if (!text || fread(text, 1, nbytes, file) != nbytes) fail("short request");
    return text;
}

static char *read_all(FILE *file, size_t *nbytes_out) {
    size_t nbytes = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    while (text) {
        nbytes += fread(text + nbytes, 1, capacity - nbytes, file);
        if (nbytes < capacity) break;
        capacity *= 2;
        text = realloc(text, capacity);
    }
    if (!text) fail("out of memory");
    *nbytes_out = nbytes;
    return text;
}

static void set_option(struct rt_ts_options *options, char letter) {
    switch (letter) {
        case '-': break;
        case 'x': options->jsx = true; break;
        case 'c': options->commonjs = true; break;
        case 'v': options->verbatim_module_syntax = true; break;
        case 'l': options->legacy_decorators = true; break;
        default: fail("unknown option letter");
    }
}

static int serve(void) {
    char letters[32];
    size_t nbytes;
    while (scanf("%31s %zu", letters, &nbytes) == 2) {
        struct rt_ts_options options = {0};
        for (const char *c = letters; *c; c++)
            set_option(&options, *c);
        if (getchar() != '\n') fail("bad request");
        char *source = read_bytes(stdin, nbytes), *out = NULL;
        size_t out_nbytes = 0;
        struct rt_ts_error error;
        if (rt_ts_erase(source, nbytes, &options, &out, &out_nbytes, &error) == 0) {
            printf("ok %zu\n", out_nbytes);
            fwrite(out, 1, out_nbytes, stdout);
        } else {
            printf("error %u %u %zu\n%s", error.line, error.column, strlen(error.message), error.message);
        }
        fflush(stdout);
        free(out);
        free(source);
    }
    return 0;
}

int main(int argc, char **argv) {
    struct rt_ts_options options = {0};
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--batch") == 0) return serve();
        if (argv[i][0] == '-' && argv[i][1] == '-') {
            set_option(&options, argv[i][2] == 'j' ? 'x' : argv[i][2]); /* --commonjs, --verbatim */
        } else {
            path = argv[i];
        }
    }
    if (!path) fail("no file");
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) fail("can't open the file");
    size_t nbytes, out_nbytes;
    char *source = read_all(file, &nbytes), *out;
    struct rt_ts_error error;
    if (rt_ts_erase(source, nbytes, &options, &out, &out_nbytes, &error) != 0) {
        fprintf(stderr, "%s:%u:%u: %s\n", path, error.line, error.column, error.message);
        free(source);
        return 1;
    }
    fwrite(out, 1, out_nbytes, stdout);
    free(out);
    free(source);
    if (file != stdin) fclose(file);
    return 0;
}
