/* Two and then eight threads that do the same get equal shares, though nobody registered them: each as much as the
 * kernel says.  ALONE */
// LINK: -lz
#include "sampler_harness.h"

#define PER_THREAD (800 * MS)

static _Atomic uint64_t used_ns[8];

__attribute__((noipa)) static void *work(void *index) {
    burn_here(PER_THREAD);
    used_ns[(intptr_t)index] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static void check_equal(int count) {
    struct fino_sampler_stats stats;
    pthread_t threads[8];
    double sum = 0;
    printf("%d threads\n", count);
    sampler_recording *recording = start_recording(MS);
    for (intptr_t i = 0; i < count; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    for (int i = 0; i < count; i++)
        sum += (double)used_ns[i];
    EXPECT_NEAR((double)sum_of(profile, CPU, "work", NULL) / sum, 1.0, 0.01);
    int equal = 0, other = 0;
    for (int i = 1; i < 64; i++) {
        char label[32];
        snprintf(label, sizeof label, "thread-%d", i);
        double ms = (double)sum_of(profile, CPU, "work", label) / 1e6;
        if (ms == 0) continue;
        printf("  %s: %.1f ms\n", label, ms);
        *(fabs(ms - (double)PER_THREAD / 1e6) <= 0.01 * (double)PER_THREAD / 1e6 ? &equal : &other) += 1;
    }
    EXPECT_EQ(equal, count);
    EXPECT_EQ(other, 0);
    fino_pprof_free(profile);
}

int main(void) {
    check_equal(2);
    check_equal(8);
    return 0;
}
