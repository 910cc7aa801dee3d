/* States of the program show as frames: the installed table puts them above the functions that stand for them. And
 * threads are labelled by rules, by name, or by number. */
// LINK: -lz
#include <sys/prctl.h>

#include "sampler_harness.h"

__attribute__((noipa)) static void collect_young_space(void) {
    burn_here(60 * MS);
}

static _Atomic bool stopped;
static _Atomic int burnt;

static void *named(void *name) {
    prctl(PR_SET_NAME, name);
    burn_here(60 * MS);
    burnt++;
    while (!stopped)
        sleep_ns(MS);
    return NULL;
}

int main(void) {
    static const struct fino_sampler_frame_state states[] = {
        {"nothing_like_it", "[never]"},
        {"collect_young", "[gc] young"},
        {"collect_", "[gc]"},
    };
    pthread_t threads[4];
    const char *names[4] = {"pool worker", "pool worker", "logger", ""};
    fino_sampler_set_frame_states(states, 3);
    EXPECT_EQ(fino_sampler_name_threads("pool w", "worker"), 0);
    sampler_recording *recording = start_recording(MS / 2);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, named, (void *)names[i]), 0);
    collect_young_space();
    while (burnt < 4)
        sleep_ns(MS);
    fino_pprof *profile = stop_recording(recording, NULL);
    stopped = true;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    EXPECT(sum_of(profile, CPU, "collect_young_space", "main") > 50 * MS);
    EXPECT_EQ(sum_of(profile, CPU, "[gc] young", NULL), sum_of(profile, CPU, "collect_young_space", NULL));
    EXPECT_EQ(sum_of(profile, CPU, "[gc]", NULL), 0);
    EXPECT(sum_of(profile, CPU, "named", "worker-1") > 50 * MS);
    EXPECT(sum_of(profile, CPU, "named", "worker-2") > 50 * MS);
    EXPECT(sum_of(profile, CPU, "named", "logger") > 50 * MS);
    EXPECT(sum_of(profile, CPU, "named", "thread-1") > 50 * MS);
    fino_pprof_free(profile);
    return 0;
}
