/* An event loop that parks: short waits cost no system call and lose no schedule, long ones have no wake-up at all, and
 * the work in between is charged where it is done.  ALONE */
// LINK: -lz
#include <sys/resource.h>

#include "sampler_harness.h"

BURNER(callback)

static long voluntary_switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static double ns_per_pair(sampler_thread *self, int count) {
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < count; i++) {
        fino_sampler_thread_park(self);
        fino_sampler_thread_unpark(self);
    }
    return (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns) / count;
}

int main(void) {
    struct fino_sampler_stats stats;
    sampler_thread *self = fino_sampler_thread_register("loop");
    printf("  park and unpark: %.0f ns when nothing is recorded\n", ns_per_pair(self, 10000));
    sampler_recording *recording = start_recording(MS);
    printf("  park and unpark: %.0f ns while recording\n", ns_per_pair(self, 100000));
    fino_sampler_thread_park(self); /* idempotent */
    fino_sampler_thread_park(self);
    fino_sampler_thread_unpark(self);
    fino_sampler_thread_unpark(self);

    callback_ns = 0;
    for (int i = 0; i < 6000; i++) { /* 0.3 ms of work every 0.6 ms: never one interval in one go */
        callback(3 * MS / 10);
        fino_sampler_thread_park(self);
        sleep_ns(3 * MS / 10);
        fino_sampler_thread_unpark(self);
    }
    long before = voluntary_switches();
    for (int i = 0; i < 10; i++) {
        callback(2 * MS);
        fino_sampler_thread_park(self);
        sleep_ns(60 * MS);
        fino_sampler_thread_unpark(self);
    }
    long switches = voluntary_switches() - before;
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    printf("  10 long waits: %ld voluntary switches\n", switches);
    EXPECT(switches <= 11); /* the first long wait may be found out by a signal */
    EXPECT(stats.samples > 150);
    EXPECT_NEAR((double)sum_of(profile, CPU, "callback", "loop") / (double)callback_ns, 1.0, 0.05);
    fino_pprof_free(profile);
    return 0;
}
