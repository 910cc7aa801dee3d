/* Threads start and end, registered and not, while recordings open and close around them: nothing is lost but what is
 * accounted as such, nothing crashes, and the records of ended threads are used again. */
// LINK: -lz
#include "sampler_harness.h"

static _Atomic bool stop;

static void *brief(void *registered) {
    sampler_thread *self = registered ? fino_sampler_thread_register("brief") : NULL;
    burn_here(MS / 2);
    if (registered == (void *)2) fino_sampler_thread_unregister(self);
    return NULL;
}

static void *churn(void *unused) {
    for (intptr_t i = 0; !stop; i++) {
        pthread_t threads[4];
        for (int j = 0; j < 4; j++)
            EXPECT_EQ(pthread_create(&threads[j], NULL, brief, (void *)(i % 3)), 0);
        for (int j = 0; j < 4; j++)
            pthread_join(threads[j], NULL);
    }
    return unused;
}

int main(void) {
    pthread_t churner;
    EXPECT_EQ(pthread_create(&churner, NULL, churn, NULL), 0);
    uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + 4000 * MS;
    int count = 0;
    while (clock_ns(CLOCK_MONOTONIC) < until_ns) {
        struct fino_sampler_stats stats;
        sampler_recording *recording = start_recording(MS / 10);
        uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        burn_here(20 * MS);
        uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
        fino_pprof_free(stop_recording(recording, &stats));
        EXPECT(stats.cpu_ns > used_ns * 97 / 100);
        count++;
    }
    stop = true;
    pthread_join(churner, NULL);
    printf("  %d recordings\n", count);
    return 0;
}
