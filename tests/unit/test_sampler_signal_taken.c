/* The sampler and the program's own signal handlers keep out of each other's way: signals that the program handles or
 * ignores are not chosen, and where the program takes the chosen one later, a recording is refused instead of empty. */
// LINK: -lz
#include <errno.h>
#include <signal.h>

#include "sampler_harness.h"

static volatile sig_atomic_t own_signals;

static void count_own(int signal) {
    (void)signal;
    own_signals++;
}

int main(void) {
    struct fino_sampler_stats stats;
    sampler_recording *recording = NULL;
    struct sigaction own = {.sa_handler = count_own}, samplers;
    int handled = SIGRTMAX - 3, ignored = SIGRTMAX - 4;
    EXPECT_EQ(sigaction(handled, &own, NULL), 0);
    signal(ignored, SIG_IGN);
    signal(SIGPROF, count_own);
    EXPECT_EQ(fino_sampler_signal(), 0);

    recording = start_recording(MS);
    int chosen = fino_sampler_signal();
    EXPECT(chosen != 0 && chosen != handled && chosen != ignored && chosen != SIGPROF);
    raise(handled);
    raise(ignored);
    raise(SIGPROF);
    burn_here(100 * MS);
    fino_pprof_free(stop_recording(recording, &stats));
    EXPECT_EQ(own_signals, 2);
    EXPECT(stats.samples > 20);

    EXPECT_EQ(sigaction(chosen, &own, &samplers), 0);
    EXPECT_EQ(fino_sampler_start(NULL, &recording), -EBUSY);
    raise(chosen);
    EXPECT_EQ(own_signals, 3);

    EXPECT_EQ(sigaction(chosen, &samplers, NULL), 0);
    recording = start_recording(MS);
    burn_here(100 * MS);
    fino_pprof_free(stop_recording(recording, &stats));
    EXPECT(stats.samples > 20);
    return 0;
}
