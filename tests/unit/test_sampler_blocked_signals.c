/* A thread that is born with every signal blocked is sampled from when it registers; one that doesn't register, and
 * keeps them blocked, is in the profile with its CPU time. */
// LINK: -lz
#include <signal.h>

#include "sampler_harness.h"

BURNER(of_registered)
BURNER(of_unregistered)

static void *registered(void *unused) {
    sampler_thread *self = fino_sampler_thread_register("registered");
    of_registered(200 * MS);
    fino_sampler_thread_unregister(self);
    return unused;
}

static void *unregistered(void *unused) {
    sigset_t mask;
    of_unregistered(200 * MS);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    EXPECT(sigismember(&mask, fino_sampler_signal()) == 1); /* nobody changed it */
    return unused;
}

int main(void) {
    struct fino_sampler_stats stats;
    pthread_t threads[2];
    sigset_t all, before;
    sampler_recording *recording = start_recording(MS);
    sigfillset(&all);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    EXPECT_EQ(pthread_create(&threads[0], NULL, registered, NULL), 0);
    EXPECT_EQ(pthread_create(&threads[1], NULL, unregistered, NULL), 0);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT(sum_of(profile, SAMPLES, "of_registered", "registered") > 150);
    EXPECT_NEAR((double)sum_of(profile, CPU, "of_registered", "registered") / (double)of_registered_ns, 1.0, 0.05);
    EXPECT_EQ(sum_of(profile, SAMPLES, "of_unregistered", NULL), 0);
    uint64_t used_ns = of_registered_ns + of_unregistered_ns;
    uint64_t seen_ns = sum_of(profile, CPU, NULL, NULL) - sum_of(profile, CPU, NULL, "fino-sampler");
    EXPECT(seen_ns > used_ns && seen_ns < used_ns + 100 * MS);
    fino_pprof_free(profile);
    return 0;
}
