/* bench_typescript.c: how many bytes a second rt_ts_erase() reads, in the median round:
 *
 *   bench_typescript ROUNDS FILE...
 *
 * Files that it refuses do not count; their names come first.
 * typescript.sh runs it beside esbuild, amaro and typescript. */
// SOURCES: src/runtime/typescript*.c src/runtime/utf8.c
// LINK: -lm
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/typescript.h"

struct input {
    const char *path;
    char *text;
    size_t nbytes;
};

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool read_input(struct input *input) {
    FILE *file = fopen(input->path, "rb");
    if (!file) return false;
    fseek(file, 0, SEEK_END);
    input->nbytes = (size_t)ftell(file);
    rewind(file);
    input->text = malloc(input->nbytes + 1);
    bool ok = input->text && fread(input->text, 1, input->nbytes, file) == input->nbytes;
    fclose(file);
    return ok;
}

static bool erase(const struct input *input) {
    struct rt_ts_options options = {.commonjs = true};
    struct rt_ts_error error;
    char *out = NULL;
    size_t out_nbytes;
    if (rt_ts_erase(input->text, input->nbytes, &options, &out, &out_nbytes, &error) != 0) return false;
    free(out);
    return true;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    if (rounds < 1 || argc < 3) return 2;
    struct input *inputs = calloc((size_t)argc, sizeof *inputs);
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    size_t total = 0, count = 0;
    for (int i = 2; i < argc; i++) {
        struct input *input = &inputs[count];
        input->path = argv[i];
        if (!read_input(input)) return 2;
        if (erase(input)) {
            total += input->nbytes;
            count++;
        } else {
            printf("refused %s\n", input->path);
        }
    }
    for (int round = 0; round < rounds; round++) {
        double start = now();
        for (size_t i = 0; i < count; i++)
            erase(&inputs[i]);
        seconds[round] = now() - start;
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
    printf("%.1f MB/s (%zu files, %zu bytes)\n", (double)total / seconds[rounds / 2] / 1e6, count, total);
    return 0;
}
