/* A thread that waits is never woken, once it has been found waiting, and has no samples: in a blocked read, in a
 * sleep, on a futex, registered or not, parked or not. Counted by the kernel: a wake-up is a voluntary context switch.
 * ALONE */
// LINK: -lz
#include <sys/resource.h>

#include "sampler_harness.h"

static int pipe_ends[4][2];
static _Atomic long switches[4];
static _Atomic int waiting;

static long voluntary_switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* Works until it has been sampled for certain, then waits. */
static void *work_then_wait(void *argument) {
    intptr_t kind = (intptr_t)argument;
    char byte;
    sampler_thread *self = kind >= 1 ? fino_sampler_thread_register("waiter") : NULL;
    burn_here(30 * MS);
    if (kind == 2) fino_sampler_thread_park(self);
    long before = voluntary_switches();
    waiting++;
    ssize_t got = read(pipe_ends[kind][0], &byte, 1);
    switches[kind] = voluntary_switches() - before;
    EXPECT_EQ(got, 1);
    if (kind == 2) fino_sampler_thread_unpark(self);
    fino_sampler_thread_unregister(self);
    return NULL;
}

static void *sleep_alone(void *argument) {
    struct timespec second = {2, 0}, left = {0, 0};
    burn_here(30 * MS);
    long before = voluntary_switches();
    waiting++;
    int interrupted = 0;
    while (nanosleep(&second, &left) != 0) {
        second = left;
        interrupted++;
    }
    switches[3] = voluntary_switches() - before;
    EXPECT(interrupted <= 2);
    return argument;
}

int main(void) {
    struct fino_sampler_stats stats;
    pthread_t threads[4];
    sampler_recording *recording = start_recording(MS);
    for (intptr_t i = 0; i < 4; i++) {
        EXPECT_EQ(pipe(pipe_ends[i]), 0);
        EXPECT_EQ(pthread_create(&threads[i], NULL, i == 3 ? sleep_alone : work_then_wait, (void *)i), 0);
    }
    while (waiting < 4)
        sleep_ns(MS);
    sleep_ns(100 * MS);
    uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    sampler_recording *quiet = start_recording(MS);
    sleep_ns(1700 * MS);
    fino_pprof_free(stop_recording(quiet, &stats));
    uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
    print_stats(&stats);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(write(pipe_ends[i][1], "x", 1), 1);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    fino_pprof_free(stop_recording(recording, NULL));
    /* One switch for the wait itself, one, rarely two, for the signals that found it waiting. */
    for (int i = 0; i < 4; i++) {
        printf("  thread %d: %ld voluntary switches in 1.8 s\n", i, switches[i]);
    }
    for (int i = 0; i < 4; i++)
        EXPECT(switches[i] <= 3);
    EXPECT(stats.samples <= 20); /* of the helper thread and of start and stop */
    printf("  CPU while idle: %.3f ms in 1.7 s, start and stop included\n", (double)used_ns / 1e6);
    return 0;
}
