/* bench_sampler_split.c: what this sampler and gperftools say of functions whose shares of CPU time are measured by the
 * thread's clock. Both are asked for a sample a millisecond; they record in turn, each a run of its own. gperftools'
 * timer is the process's CPU clock, which ticks (every 4 ms where the kernel's HZ is 250). */
// LINK: -lz -ldl
#include <dlfcn.h>
#include <fcntl.h>

#include "../unit/sampler_harness.h"

#define SAMPLES_FILE "gperftools.prof"
#define ROUNDS 3

/* Each function in a section of its own, whose bounds the linker tells. */
#define PLACED_BURNER(name)                                                                                            \
    static uint64_t name##_ns;                                                                                         \
    extern const char __start_##name##_code[], __stop_##name##_code[];                                                 \
    __attribute__((noipa, section(#name "_code"))) static void name(uint64_t ns) {                                     \
        name##_ns += burn_here(ns);                                                                                    \
    }

PLACED_BURNER(first)
PLACED_BURNER(second)
PLACED_BURNER(third)

static uint64_t in_calls_ns;
extern const char __start_in_calls_code[], __stop_in_calls_code[];

__attribute__((noipa, section("in_calls_code"))) static void in_calls(uint64_t ns) {
    static char buffer[4096];
    static int zero = -1;
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), used_ns;
    if (zero < 0) zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    do {
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(read(zero, buffer, sizeof buffer), sizeof buffer);
        used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    } while (used_ns < ns);
    in_calls_ns += used_ns;
}

#define FUNCTION_COUNT 4

static const char *const names[FUNCTION_COUNT] = {"first", "second", "third", "in_calls"};
static void (*const functions[FUNCTION_COUNT])(uint64_t) = {first, second, third, in_calls};
static uint64_t *const truths[FUNCTION_COUNT] = {&first_ns, &second_ns, &third_ns, &in_calls_ns};
static const char *const starts[FUNCTION_COUNT] = {__start_first_code, __start_second_code, __start_third_code,
                                                   __start_in_calls_code};
static const char *const stops[FUNCTION_COUNT] = {__stop_first_code, __stop_second_code, __stop_third_code,
                                                  __stop_in_calls_code};

struct mix {
    const char *name;
    uint64_t lengths_ns[FUNCTION_COUNT];
};

static void run(const struct mix *mix, uint64_t total_ns) {
    for (int i = 0; i < FUNCTION_COUNT; i++)
        *truths[i] = 0;
    uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + total_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns) {
        for (int i = 0; i < FUNCTION_COUNT; i++)
            if (mix->lengths_ns[i] > 0) functions[i](mix->lengths_ns[i]);
    }
}

/* What a recording says. */
struct answer {
    double values[FUNCTION_COUNT];
    double samples, cpu_ms;
};

static struct answer ask_sampler(const struct mix *mix, uint64_t total_ns) {
    struct answer answer = {{0}, 0, 0};
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(MS);
    run(mix, total_ns);
    fino_pprof *profile = stop_recording(recording, &stats);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        answer.values[i] = (double)sum_of(profile, CPU, names[i], NULL);
    answer.samples = (double)stats.samples;
    answer.cpu_ms = (double)stats.cpu_ns / 1e6;
    fino_pprof_free(profile);
    return answer;
}

static int (*profiler_start)(const char *);
static void (*profiler_stop)(void);

/* The innermost of our functions on the stack; FUNCTION_COUNT: none is. */
static int find_function(const uintptr_t *pcs, size_t depth) {
    for (size_t at = 0; at < depth; at++) {
        for (int i = 0; i < FUNCTION_COUNT; i++)
            if (pcs[at] >= (uintptr_t)starts[i] && pcs[at] <= (uintptr_t)stops[i]) return i;
    }
    return FUNCTION_COUNT;
}

/* Source: gperftools' doc/cpuprofile-fileformat.html: words; a header (0, 3, 0, the period in microseconds, 0), then
 * records of (count, depth, addresses), the last one (0, 1, 0). */
static void read_gperftools(struct answer *answer) {
    static uintptr_t words[1 << 20];
    FILE *file = fopen(SAMPLES_FILE, "rb");
    EXPECT(file != NULL);
    size_t count = fread(words, sizeof *words, sizeof words / sizeof *words, file);
    fclose(file);
    EXPECT(count > 5 && words[0] == 0 && words[1] == 3);
    for (size_t at = 5; at + 2 < count && words[at] != 0; at += 2 + words[at + 1]) {
        int function = find_function(&words[at + 2], words[at + 1]);
        if (function < FUNCTION_COUNT) answer->values[function] += (double)words[at];
        answer->samples += (double)words[at];
    }
    answer->cpu_ms = answer->samples * (double)words[3] / 1e3;
}

static struct answer ask_gperftools(const struct mix *mix, uint64_t total_ns) {
    struct answer answer = {{0}, 0, 0};
    EXPECT(profiler_start(SAMPLES_FILE) != 0);
    run(mix, total_ns);
    profiler_stop();
    read_gperftools(&answer);
    return answer;
}

static void print_answer(const char *who, const struct answer *answer, uint64_t total_ns) {
    double sum = 0, truth = 0, worst = 0;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        sum += answer->values[i];
        truth += (double)*truths[i];
    }
    printf("  %-12s", who);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (*truths[i] == 0) continue;
        double share = 100 * answer->values[i] / sum, expected = 100 * (double)*truths[i] / truth;
        printf(" %s %.1f (%.1f)", names[i], share, expected);
        worst = fmax(worst, fabs(share - expected));
    }
    printf(": off by %.1f; %.0f samples of %.0f, %.1f %% of the CPU time\n", worst, answer->samples,
           (double)total_ns / 1e6, 100 * answer->cpu_ms * 1e6 / (double)total_ns);
}

int main(void) {
    static const struct mix mixes[] = {
        {"50/30/20", {5 * MS, 3 * MS, 2 * MS, 0}},
        {"80/20", {8 * MS, 2 * MS, 0, 0}},
        {"95/5", {19 * MS, 1 * MS, 0, 0}},
        {"phases of 100 us, 1 ms and 7 ms", {MS / 10, MS, 7 * MS, 0}},
        {"phases of 4 ms, two of them", {4 * MS, 4 * MS, 0, 0}},
        {"half in system calls", {MS / 2, MS / 2, 0, MS}},
    };
    uint64_t total_ns = 2000 * MS;
    setenv("CPUPROFILE_FREQUENCY", "1000", 1);
    void *gperftools = dlopen("libprofiler.so.0", RTLD_NOW);
    if (gperftools != NULL) {
        profiler_start = (int (*)(const char *))dlsym(gperftools, "ProfilerStart");
        profiler_stop = (void (*)(void))dlsym(gperftools, "ProfilerStop");
    }
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        printf("%s, as measured and (as the thread's clock says)\n", mixes[i].name);
        for (int round = 0; round < ROUNDS; round++) {
            struct answer answer = ask_sampler(&mixes[i], total_ns);
            print_answer("this sampler", &answer, total_ns);
            if (profiler_start == NULL) continue;
            answer = ask_gperftools(&mixes[i], total_ns);
            print_answer("gperftools", &answer, total_ns);
        }
    }
    unlink(SAMPLES_FILE);
    return 0;
}
