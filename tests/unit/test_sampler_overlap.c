/* Recordings overlap and nest as they like: each has what happened between its own start and stop, at the shortest
 * interval of all. */
// LINK: -lz
#include <errno.h>

#include "sampler_harness.h"

BURNER(red)
BURNER(green)
BURNER(blue)

static double ms_of(const fino_pprof *profile, const char *function) {
    return (double)sum_of(profile, CPU, function, "main") / 1e6;
}

int main(void) {
    struct fino_sampler_stats stats;
    sampler_recording *a = start_recording(5 * MS), *none = NULL;
    red(200 * MS);
    sampler_recording *b = start_recording(MS / 2);
    green(200 * MS);
    fino_pprof *of_a = stop_recording(a, &stats);
    EXPECT(stats.samples > 300); /* the other one's interval */
    blue(200 * MS);
    fino_pprof *of_b = stop_recording(b, &stats);
    EXPECT_NEAR(ms_of(of_a, "red"), 200, 6);
    EXPECT_NEAR(ms_of(of_a, "green"), 200, 3);
    EXPECT_NEAR(ms_of(of_a, "blue"), 0, 0);
    EXPECT_NEAR(ms_of(of_b, "red"), 0, 0);
    EXPECT_NEAR(ms_of(of_b, "green"), 200, 3);
    EXPECT_NEAR(ms_of(of_b, "blue"), 200, 3);
    fino_pprof_free(of_a);
    fino_pprof_free(of_b);
    EXPECT_EQ(fino_sampler_start(&(struct fino_sampler_options){.interval_ns = 1}, &none), -EINVAL);
    EXPECT_EQ(fino_sampler_start(&(struct fino_sampler_options){.interval_ns = 1000 * MS}, &none), -EINVAL);
    EXPECT_EQ(fino_sampler_stop(NULL, NULL, 0, NULL, NULL, NULL), -EINVAL);
    sampler_recording *empty = start_recording(0);
    fino_pprof_free(stop_recording(empty, &stats));
    return 0;
}
