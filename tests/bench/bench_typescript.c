/* bench_typescript.c: how many bytes a second rt_ts_erase() reads: `bench_typescript ROUNDS FILE...`; prints the median
 * round. gcc -O2 -D_GNU_SOURCE -std=c17 -Isrc tests/bench/bench_typescript.c src/runtime/typescript*.c -lm -o
 * bench_typescript tests/ts/bench.mjs runs it beside esbuild, amaro and typescript. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/typescript.h"

struct input {
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

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 0, count = argc - 2;
    if (rounds < 1 || count < 1) return 2;
    struct input *inputs = calloc((size_t)count, sizeof *inputs);
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        FILE *file = fopen(argv[i + 2], "rb");
        if (!file) return 2;
        fseek(file, 0, SEEK_END);
        inputs[i].nbytes = (size_t)ftell(file);
        rewind(file);
        inputs[i].text = malloc(inputs[i].nbytes + 1);
        if (fread(inputs[i].text, 1, inputs[i].nbytes, file) != inputs[i].nbytes) return 2;
        fclose(file);
        total += inputs[i].nbytes;
    }
    for (int round = 0; round < rounds; round++) {
        double start = now();
        for (int i = 0; i < count; i++) {
            char *out = NULL;
            size_t out_nbytes;
            struct rt_ts_error error;
            struct rt_ts_options options = {.commonjs = true};
            if (rt_ts_erase(inputs[i].text, inputs[i].nbytes, &options, &out, &out_nbytes, &error) != 0) {
                fprintf(stderr, "%s:%u:%u: %s\n", argv[i + 2], error.line, error.column, error.message);
                return 1;
            }
            free(out);
        }
        seconds[round] = now() - start;
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
    printf("%.1f MB/s (%d files, %zu bytes)\n", (double)total / seconds[rounds / 2] / 1e6, count, total);
    return 0;
}
