/* Programs that work a little and wait a little make progress at the highest rate: calls that SA_RESTART can't restart
 * (nanosleep, poll) are rarely interrupted, reads are never cut short, and the work is not charged to the waiting. */
// LINK: -lz
#include <errno.h>
#include <poll.h>

#include "sampler_harness.h"

BURNER(serve)

static int sleeps_interrupted, polls_interrupted;

__attribute__((noipa)) static void wait_by_sleeping(void) {
    struct timespec time = {0, 2000000};
    if (nanosleep(&time, NULL) != 0) sleeps_interrupted++;
}

__attribute__((noipa)) static void wait_by_polling(int fd) {
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    if (poll(&entry, 1, 2) < 0 && errno == EINTR) polls_interrupted++;
}

static void *feed(void *fd) {
    for (int i = 0; i < 200; i++) {
        sleep_ns(2 * MS);
        EXPECT_EQ(write(*(int *)fd, "12345678", 8), 8);
    }
    return NULL;
}

int main(void) {
    struct fino_sampler_stats stats;
    int ends[2], silent[2];
    char bytes[8];
    pthread_t feeder;
    EXPECT(pipe(ends) == 0 && pipe(silent) == 0);
    sampler_recording *recording = start_recording(MS / 10);
    for (int i = 0; i < 200; i++) {
        serve(MS);
        wait_by_sleeping();
        serve(MS);
        wait_by_polling(silent[0]);
    }
    EXPECT_EQ(pthread_create(&feeder, NULL, feed, &ends[1]), 0);
    for (int i = 0; i < 200; i++) {
        ssize_t got = read(ends[0], bytes, sizeof bytes);
        EXPECT_EQ(got, sizeof bytes);
        serve(MS / 2);
    }
    pthread_join(feeder, NULL);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    printf("  interrupted: %d of 200 sleeps, %d of 200 polls\n", sleeps_interrupted, polls_interrupted);
    EXPECT_NEAR((double)sum_of(profile, CPU, "serve", NULL) / (double)serve_ns, 1.0, 0.05);
    double waiting = share_of(profile, "wait_by_sleeping", NULL) + share_of(profile, "wait_by_polling", NULL);
    EXPECT_NEAR(waiting, 0, 10);
    fino_pprof_free(profile);
    return 0;
}
