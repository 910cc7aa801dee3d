/* A stack deeper than the limit keeps its leaf part and gets "[truncated]" as its root; one that just fits is whole. */
// LINK: -lz
#include "sampler_harness.h"

__attribute__((noipa)) static int dive(int depth) {
    if (depth == 0) return (int)burn_here(150 * MS);
    int below = dive(depth - 1);
    __asm__ volatile("" : "+r"(below)); /* no loop instead of the recursion */
    return below + 1;
}

static bool stack_has(const fino_pprof *profile, const uint32_t *stack, size_t count, const char *function) {
    for (size_t i = 0; i < count; i++) {
        if (location_has(profile, stack[i], function)) return true;
    }
    return false;
}

static void check(int depth, bool cut) {
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(MS);
    dive(depth);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT(sum_of(profile, SAMPLES, "dive", "main") > 100);
    EXPECT_EQ(stats.truncated_depth > 100, cut);
    EXPECT_EQ(sum_of(profile, SAMPLES, "[truncated]", "main"), stats.truncated);
    for (uint32_t i = 0; i < fino_pprof_sample_count(profile); i++) {
        uint32_t stack[1024];
        size_t count = fino_pprof_get_stack(profile, i, stack, 1024);
        EXPECT(count > 0 && count <= 513);
        if (!location_has(profile, stack[0], "dive")) continue;
        /* On the way down, which takes a while on a busy machine, a stack still fits and is whole. */
        bool is_whole = stack_has(profile, stack, count, "main");
        EXPECT_EQ(is_whole, count < 513);
        EXPECT_EQ(is_whole, !location_has(profile, stack[count - 1], "[truncated]"));
    }
    fino_pprof_free(profile);
}

int main(void) {
    check(400, false);
    check(20000, true);
    return 0;
}
