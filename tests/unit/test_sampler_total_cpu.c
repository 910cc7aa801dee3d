/* A profile's total is what the kernel accounts to the process, within 1 %: one busy thread, eight, many short-lived
 * ones, system calls.  ALONE */
#include <fcntl.h>
#include <sys/resource.h>

// LINK: -lz
#include "sampler_harness.h"

static uint64_t process_ns(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000 * MS +
           ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

static void *burn_700_ms(void *unused) {
    burn_here(700 * MS);
    return unused;
}

static void *burn_5_ms(void *unused) {
    burn_here(5 * MS);
    return unused;
}

static void run_threads(int count, void *(*work)(void *)) {
    pthread_t threads[8];
    for (int i = 0; i < count; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
}

static void one_busy(void) {
    burn_here(1500 * MS);
}

static void eight_busy(void) {
    run_threads(8, burn_700_ms);
}

static void many_short(void) {
    for (int i = 0; i < 150; i++)
        run_threads(2, burn_5_ms);
}

static void system_calls(void) {
    static char buffer[1 << 16];
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 1500 * MS;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
        EXPECT(read(zero, buffer, sizeof buffer) > 0);
    close(zero);
}

static void check(const char *name, uint64_t interval_ns, void (*load)(void)) {
    struct fino_sampler_stats stats;
    printf("%s\n", name);
    sampler_recording *recording = start_recording(interval_ns);
    uint64_t before_ns = process_ns();
    load();
    uint64_t used_ns = process_ns() - before_ns;
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT_EQ(sum_of(profile, CPU, NULL, NULL), stats.cpu_ns);
    EXPECT_EQ(sum_of(profile, SAMPLES, NULL, NULL), stats.samples);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.01);
    printf("  not sampled: %.1f ms\n", (double)stats.unsampled_ns / 1e6);
    fino_pprof_free(profile);
}

int main(void) {
    check("one busy thread", MS, one_busy);
    check("eight busy threads", MS, eight_busy);
    check("300 threads of 5 ms", MS, many_short);
    check("system calls", MS, system_calls);
    check("one busy thread, every 100 us", MS / 10, one_busy);
    check("one busy thread, every 100 ms", 100 * MS, one_busy);
    return 0;
}
