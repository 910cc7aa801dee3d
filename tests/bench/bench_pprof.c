/* bench_pprof.c: how fast samples become a gzipped profile. bench_pprof.mjs does the same with npm's pprof-format.
 *
 *   bench_pprof generate FILE           writes the workload: 1,000,000 samples over 100,000 stacks of depth 40
 *   bench_pprof run FILE [LEVEL [OUT]]  adds, encodes and compresses it; prints one line of JSON
 *
 * The stacks are those of a program's call tree: each differs from the one before near its leaf, and the same function
 * is called from several others. Both sides read the same file, so neither pays for making it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pprof/pprof.h"

enum { STACK_COUNT = 100000, DEPTH = 40, SAMPLE_COUNT = 1000000, FUNCTION_COUNT = 8000, BATCH_COUNT = 64 };

struct workload {
    uint32_t stacks[STACK_COUNT][DEPTH]; /* leaf first; numbers of functions */
    uint32_t order[SAMPLE_COUNT];        /* which stack each sample has */
};

/* ---- The workload ---- */

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

/* The CHOICE-th function that FUNCTION calls. */
static uint32_t callee(uint32_t function, uint32_t choice) {
    uint64_t mixed = (function * UINT64_C(4) + choice + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * FUNCTION_COUNT >> 32);
}

/* Marks a path as taken in an open-addressing set of hashes. Returns: whether it was free. */
static bool take(uint64_t *set, uint32_t set_count, const uint32_t path[DEPTH]) {
    uint64_t hash = 1;
    for (int i = 0; i < DEPTH; i++)
        hash = (hash ^ path[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    uint32_t at = (uint32_t)hash % set_count;
    while (set[at] != 0 && set[at] != hash)
        at = (at + 1) % set_count;
    bool is_free = set[at] == 0;
    set[at] = hash;
    return is_free;
}

static void generate(struct workload *work) {
    static uint64_t taken[4 * STACK_COUNT];
    uint32_t path[DEPTH] = {0}; /* root first */
    for (int i = 0; i < STACK_COUNT; i++) {
        do {
            int kept = DEPTH - 1;
            while (kept > 1 && random_below(8) != 0)
                kept--; /* 8 frames change on average */
            if (i == 0) kept = 1;
            for (int at = kept; at < DEPTH; at++)
                path[at] = callee(path[at - 1], random_below(4));
        } while (!take(taken, 4 * STACK_COUNT, path));
        for (int at = 0; at < DEPTH; at++)
            work->stacks[i][at] = path[DEPTH - 1 - at];
    }
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) { /* each once, then at random */
        uint32_t swapped = i < STACK_COUNT ? random_below(i + 1) : i;
        work->order[i] = i < STACK_COUNT ? work->order[swapped] : random_below(STACK_COUNT);
        if (i < STACK_COUNT) work->order[swapped] = i;
    }
}

static int generate_file(const char *path) {
    struct workload *work = calloc(1, sizeof *work);
    FILE *file = fopen(path, "wb");
    if (!work || !file) return perror(path), 1;
    generate(work);
    size_t written = fwrite(work, sizeof *work, 1, file);
    free(work);
    return fclose(file) == 0 && written == 1 ? 0 : 1;
}

/* ---- Memory and time ---- */

/* Of the whole process, the workload's 20 MB included, as with the others. */
static size_t peak_nbytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* ---- The run ---- */

static uint32_t intern(fino_pprof *profile, const char *text) {
    return fino_pprof_string(profile, text, strlen(text));
}

static void add_locations(fino_pprof *profile, uint32_t locations[FUNCTION_COUNT]) {
    uint32_t mapping =
        fino_pprof_add_mapping(profile, &(struct fino_pprof_mapping){.memory_start = 0x400000,
                                                                     .memory_limit = 0x800000,
                                                                     .filename = intern(profile, "/usr/bin/program"),
                                                                     .build_id = intern(profile, "0123456789abcdef"),
                                                                     .has_functions = true});
    for (uint32_t i = 0; i < FUNCTION_COUNT; i++) {
        char name[64], file[64];
        snprintf(name, sizeof name, "module%" PRIu32 ".function%" PRIu32, i / 40, i);
        snprintf(file, sizeof file, "/home/user/project/src/module%" PRIu32 ".ts", i / 40);
        uint32_t id = intern(profile, name);
        struct fino_pprof_function function = {id, id, intern(profile, file), i % 40 * 25 + 1};
        struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), i % 40 * 25 + 7, 0};
        locations[i] = fino_pprof_add_location(profile, mapping, 0x400000 + i * 64, &line, 1);
    }
}

/* In batches, as a profiler drains its buffers. Where those would have been read in order, the workload is not: its
 * stacks are fetched ahead, as they are no part of what is measured. */
static void add_samples(fino_pprof *profile, const struct workload *work, const uint32_t locations[FUNCTION_COUNT],
                        uint32_t labels) {
    static uint32_t stacks[BATCH_COUNT][DEPTH];
    static int64_t values[BATCH_COUNT][2];
    static struct fino_pprof_addition additions[BATCH_COUNT];
    for (int begin = 0; begin < SAMPLE_COUNT; begin += BATCH_COUNT) {
        for (int i = 0; i < BATCH_COUNT; i++) {
            const uint32_t *functions = work->stacks[work->order[begin + i]];
            const uint32_t *later = work->stacks[work->order[(begin + i + BATCH_COUNT) % SAMPLE_COUNT]];
            for (int at = 0; at < DEPTH; at += 16)
                __builtin_prefetch(later + at);
            for (int at = 0; at < DEPTH; at++)
                stacks[i][at] = locations[functions[at]];
            values[i][0] = 1, values[i][1] = 1000000 + (begin + i) % 1000;
            additions[i] = (struct fino_pprof_addition){stacks[i], DEPTH, labels, values[i]};
        }
        fino_pprof_add_samples(profile, additions, BATCH_COUNT);
    }
}

static int run(const char *path, int level, const char *out_path) {
    static uint32_t locations[FUNCTION_COUNT];
    struct workload *work = malloc(sizeof *work);
    FILE *file = fopen(path, "rb");
    if (!work || !file || fread(work, sizeof *work, 1, file) != 1) return perror(path), 1;
    fclose(file);

    struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
    struct fino_pprof_config config = {types, 2, NULL, 1};
    double started = now_ms();
    fino_pprof *profile = fino_pprof_new(&config);
    add_locations(profile, locations);
    struct fino_pprof_label label = {intern(profile, "thread"), intern(profile, "main"), 0, 0};
    uint32_t labels = fino_pprof_label_set(profile, &label, 1);
    add_samples(profile, work, locations, labels);
    double added = now_ms();
    size_t builder_nbytes = fino_pprof_memory_nbytes(profile), plain_nbytes, nbytes;
    struct fino_pprof_header header = {.period_type = {"cpu", "nanoseconds"}, .period = 1000000};
    uint8_t *plain, *data;
    int error = fino_pprof_encode(profile, NULL, &header, 0, &plain, &plain_nbytes);
    double encoded = now_ms();
    if (error == 0) fino_pprof_bytes_free(profile, plain, plain_nbytes);
    double again = now_ms();
    if (error == 0) error = fino_pprof_encode(profile, NULL, &header, level, &data, &nbytes);
    double compressed = now_ms();
    if (error) return fprintf(stderr, "encoding failed: %d\n", error), 1;

    double add_ms = added - started, encode_ms = encoded - added, total_ms = add_ms + compressed - again;
    printf("{\"who\":\"fino\",\"add_ms\":%.1f,\"encode_ms\":%.1f,\"gzip_ms\":%.1f,\"total_ms\":%.1f,\"stacks\":%zu,"
           "\"plain_bytes\":%zu,\"gzip_bytes\":%zu,\"builder_bytes\":%zu,\"peak_bytes\":%zu}\n",
           add_ms, encode_ms, total_ms - add_ms - encode_ms, total_ms, fino_pprof_sample_count(profile), plain_nbytes,
           nbytes, builder_nbytes, peak_nbytes());
    FILE *out = out_path ? fopen(out_path, "wb") : NULL;
    if (out) fwrite(data, 1, nbytes, out), fclose(out);
    fino_pprof_bytes_free(profile, data, nbytes);
    fino_pprof_free(profile);
    free(work);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "generate") == 0) return generate_file(argv[2]);
    if (argc >= 3 && strcmp(argv[1], "run") == 0)
        return run(argv[2], argc > 3 ? atoi(argv[3]) : 6, argc > 4 ? argv[4] : NULL);
    fprintf(stderr, "usage: bench_pprof generate FILE | run FILE [LEVEL [OUT]]\n");
    return 2;
}
