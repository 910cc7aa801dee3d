/* A recording without a sample has a profile that names the program. */
// LINK: -lz
#include "sampler_harness.h"

int main(void) {
    char path[4096] = "";
    EXPECT(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    for (int i = 0; i < 3; i++) {
        struct fino_sampler_stats stats;
        fino_pprof *profile = stop_recording(start_recording(100 * MS), &stats);
        EXPECT(fino_pprof_mapping_count(profile) >= 1);
        EXPECT_STR(text_of(profile, fino_pprof_get_mapping(profile, 0)->filename), path);
        if (stats.samples == 0) EXPECT_EQ(sum_of(profile, SAMPLES, NULL, NULL), 0);
        fino_pprof_free(profile);
    }
    return 0;
}
