/* bench_sampler_overhead.c: what sampling costs, in CPU time of the sampled thread, 60 frames deep, in rounds that
 * alternate: nothing, an empty handler at the same rate (the floor: what the machine's signals cost), this sampler, and
 * gperftools where its library is installed. Prints medians relative to nothing, the handler's own times, and what each
 * delivered. */
// LINK: -lz -ldl
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>

#include "../unit/sampler_harness.h"

#define ROUNDS 9
#define DEPTH 57 /* and main, libc's two frames below it */

static uint64_t work_count = 60;
static _Atomic uint64_t empty_signals;

__attribute__((noipa)) static void work(void) {
    volatile double sum = 0;
    for (uint64_t i = 0; i < work_count * 100000; i++)
        sum = sum + (double)i;
}

__attribute__((noipa)) static uint64_t measure_at(int depth) {
    if (depth > 0) {
        uint64_t below = measure_at(depth - 1);
        __asm__ volatile("" : "+r"(below));
        return below;
    }
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    work();
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

static void count_signal(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    empty_signals++;
}

static uint64_t with_nothing(uint64_t interval_ns) {
    (void)interval_ns;
    return measure_at(DEPTH);
}

static uint64_t with_empty_handler(uint64_t interval_ns) {
    struct sigaction action;
    struct sigevent event;
    timer_t timer;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    action.sa_sigaction = count_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(SIGRTMIN + 5, &action, NULL);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + 5;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    struct itimerspec when = {{0, (long)interval_ns}, {0, (long)interval_ns}};
    EXPECT_EQ(timer_settime(timer, 0, &when, NULL), 0);
    uint64_t used_ns = measure_at(DEPTH);
    timer_delete(timer);
    return used_ns;
}

static struct fino_sampler_stats sampler_stats;

static uint64_t with_sampler(uint64_t interval_ns) {
    sampler_recording *recording = start_recording(interval_ns);
    uint64_t used_ns = measure_at(DEPTH);
    fino_pprof_free(stop_recording(recording, &sampler_stats));
    return used_ns;
}

static int (*profiler_start)(const char *);
static void (*profiler_stop)(void);

static uint64_t with_gperftools(uint64_t interval_ns) {
    (void)interval_ns;
    profiler_start("/dev/null");
    uint64_t used_ns = measure_at(DEPTH);
    profiler_stop();
    return used_ns;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

static void compare_at(uint64_t interval_ns) {
    uint64_t (*const ways[])(uint64_t) = {with_empty_handler, with_sampler, profiler_start ? with_gperftools : NULL};
    const char *const names[] = {"an empty handler", "this sampler", "gperftools (at its own 1 ms)"};
    static double ratios[3][ROUNDS];
    printf("every %.1f ms, 60 frames:\n", (double)interval_ns / 1e6);
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < 3 && ways[way]; way++) {
            double nothing = (double)with_nothing(interval_ns);
            ratios[way][round] = 100 * ((double)ways[way](interval_ns) / nothing - 1);
        }
    }
    for (int way = 0; way < 3 && ways[way]; way++)
        printf("  %-30s %+6.2f %% CPU\n", names[way], median(ratios[way]));
    printf("  handler: p50 %.1f us, p99 %.1f us; %llu samples, %llu of them whole; folding %.2f us a sample\n",
           (double)sampler_stats.handler_ns_p50 / 1e3, (double)sampler_stats.handler_ns_p99 / 1e3,
           (unsigned long long)sampler_stats.samples, (unsigned long long)sampler_stats.complete,
           (double)sampler_stats.fold_ns / 1e3 / (double)(sampler_stats.samples + 1));
}

int main(void) {
    setenv("CPUPROFILE_FREQUENCY", "1000", 1);
    void *gperftools = dlopen("libprofiler.so.0", RTLD_NOW);
    if (gperftools) {
        profiler_start = (int (*)(const char *))dlsym(gperftools, "ProfilerStart");
        profiler_stop = (void (*)(void))dlsym(gperftools, "ProfilerStop");
    }
    while (with_nothing(0) < 300 * MS)
        work_count += work_count / 2;
    compare_at(MS);
    compare_at(MS / 10);
    compare_at(10 * MS);
    return 0;
}
