/* A thread that was sampled before it registered under the label it was found with keeps that label: the first thread of
 * the process was "main" until it registered as "main", and "main#2" from then on. */
#include <time.h>

#include "../test.h"
#include "sampler/sampler.h"

static void burn(long ms) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    long until = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < until);
}

int main(void) {
    struct fino_sampler_options options = {.interval_ns = 100000};
    sampler_recording *recording;
    struct fino_sampler_stats stats;
    uint8_t *data;
    size_t nbytes;
    EXPECT_EQ(fino_sampler_start(&options, &recording), 0);
    burn(300); /* found by the helper thread, and sampled */
    EXPECT(fino_sampler_thread_register("main") != NULL);
    burn(50);
    EXPECT_EQ(fino_sampler_stop(recording, NULL, 0, &data, &nbytes, &stats), 0);

    fino_pprof *profile = NULL;
    EXPECT_EQ(fino_pprof_decode(data, nbytes, NULL, &profile, NULL), 0);
    for (uint32_t id = 0; id < fino_pprof_string_count(profile); id++) {
        size_t length;
        const char *text = fino_pprof_get_string(profile, id, &length);
        EXPECT(length < 5 || memcmp(text, "main#", 5) != 0);
    }
    fino_pprof_free(profile);
    fino_sampler_bytes_free(data);
    return 0;
}
