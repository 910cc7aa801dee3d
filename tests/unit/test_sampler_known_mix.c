/* Functions whose shares of CPU time are known come out within one percentage point: even mixes, lopsided ones, short
 * phases in every relation to the sampling interval, and with half of the time spent in system calls.
 * ALONE  TIMEOUT: 120 */
#include <fcntl.h>

// LINK: -lz
#include "sampler_harness.h"

BURNER(first)
BURNER(second)
BURNER(third)

static _Atomic uint64_t in_calls_ns;

__attribute__((noipa)) static void in_calls(uint64_t ns) {
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

/* Runs rounds of the given lengths for TOTAL_NS and compares shares with what was measured inside, to TOLERANCE points.
 */
static void check_mix(const char *name, uint64_t interval_ns, const uint64_t lengths_ns[4], uint64_t total_ns,
                      double tolerance) {
    struct fino_sampler_stats stats;
    printf("%s\n", name);
    first_ns = second_ns = third_ns = in_calls_ns = 0;
    sampler_recording *recording = start_recording(interval_ns);
    uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + total_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns) {
        if (lengths_ns[0]) first(lengths_ns[0]);
        if (lengths_ns[1]) second(lengths_ns[1]);
        if (lengths_ns[2]) third(lengths_ns[2]);
        if (lengths_ns[3]) in_calls(lengths_ns[3]);
    }
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT(stats.samples >= 5000);
    /* Of what is in these functions; the loop around them takes a little, too. */
    double true_sum = (double)(first_ns + second_ns + third_ns + in_calls_ns) / 100, sum = 0;
    const char *names[] = {"first", "second", "third", "in_calls"};
    for (int i = 0; i < 4; i++)
        sum += (double)sum_of(profile, CPU, names[i], "main") / 100;
    EXPECT_NEAR((double)sum_of(profile, CPU, "first", "main") / sum, (double)first_ns / true_sum, tolerance);
    EXPECT_NEAR((double)sum_of(profile, CPU, "second", "main") / sum, (double)second_ns / true_sum, tolerance);
    EXPECT_NEAR((double)sum_of(profile, CPU, "third", "main") / sum, (double)third_ns / true_sum, tolerance);
    EXPECT_NEAR((double)sum_of(profile, CPU, "in_calls", "main") / sum, (double)in_calls_ns / true_sum, tolerance);
    fino_pprof_free(profile);
}

int main(void) {
    check_mix("50/30/20", MS / 5, (uint64_t[]){5 * MS, 3 * MS, 2 * MS, 0}, 1500 * MS, 1);
    check_mix("80/20", MS / 5, (uint64_t[]){8 * MS, 2 * MS, 0, 0}, 1500 * MS, 1);
    check_mix("95/5", MS / 5, (uint64_t[]){19 * MS, 1 * MS, 0, 0}, 1500 * MS, 1);
    /* Where taking a signal costs a quarter of a phase, as in some virtual machines, it moves the phases that follow:
     * the program is in step with its samples for a while, and chance has more to say (one standard deviation: a
     * point). */
    check_mix("phases of half an interval", MS / 5, (uint64_t[]){MS / 10, MS / 10, 0, 0}, 4000 * MS, 2.5);
    check_mix("phases of one interval", MS / 5, (uint64_t[]){MS / 5, MS / 5, 0, 0}, 4000 * MS, 2.5);
    check_mix("phases of 100 us, 1 ms, 7 ms", MS / 5, (uint64_t[]){MS / 10, MS, 7 * MS, 0}, 2000 * MS, 1);
    check_mix("half in system calls", MS / 5, (uint64_t[]){MS / 2, MS / 2, 0, MS}, 3000 * MS, 1);
    return 0;
}
