/* With pthread_create interposed, threads of 5 ms that nobody registers are sampled from start to end, however they
 * end: nearly all of their CPU time has a stack, and the mix of what they do is right.  ALONE */
// SOURCES: src/sampler/threads_interpose.c
// LINK: -lz
#include "sampler_harness.h"

BURNER(half)
BURNER(third)
BURNER(fifth)

static void *work(void *how) {
    half(5 * MS / 2);
    third(3 * MS / 2);
    fifth(2 * MS / 2);
    if (how == (void *)1) pthread_exit(NULL);
    if (how == (void *)2) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    return NULL;
}

int main(void) {
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(MS);
    uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (intptr_t i = 0; i < 300; i++) {
        pthread_t threads[2];
        for (int j = 0; j < 2; j++)
            EXPECT_EQ(pthread_create(&threads[j], NULL, work, (void *)(i % 3)), 0);
        for (int j = 0; j < 2; j++)
            EXPECT_EQ(pthread_join(threads[j], NULL), 0);
    }
    uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.01);
    /* The rest makes and ends threads; with sanitizers that is 15 %. A thread's first sample takes in its start; what
     * comes after its last one has no stack. Work always has one, of the right function. */
    double used = (double)used_ns / 100, rest = 100 - (double)(half_ns + third_ns + fifth_ns) / used;
    double unsampled = 100 * (double)stats.unsampled_ns / (double)stats.cpu_ns;
    EXPECT_NEAR(share_of(profile, "half", NULL), (double)half_ns / used + rest / 2, rest / 2 + 2);
    EXPECT_NEAR(share_of(profile, "third", NULL), (double)third_ns / used, 2.5);
    EXPECT_NEAR(share_of(profile, "fifth", NULL), (double)fifth_ns / used, 2.5);
    EXPECT_NEAR(unsampled, rest / 2, rest / 2 + 0.5);
    EXPECT(rest < 30);
    EXPECT(stats.truncated * 100 <= stats.samples);
    fino_pprof_free(profile);
    return 0;
}
