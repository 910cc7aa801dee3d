/* embed_sampler.c: a C program that profiles itself with libfinosampler, without V8 and without fino.
 *
 *   ./build.sh lib
 *   gcc -O2 -g -Ibuild/lib/include examples/embed_sampler.c build/lib/libfinosampler.a -pthread -o embed_sampler
 *   ./embed_sampler profile.pb && go tool pprof -top profile.pb
 *
 * Three functions use half, 30 % and 20 % of the CPU time, on the main thread and on another one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sampler/sampler.h"

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void spin(double seconds) {
    volatile double sum = 0;
    double until = cpu_seconds() + seconds;
    while (cpu_seconds() < until) {
        for (int i = 0; i < 20000; i++)
            sum = sum + i;
    }
}

/* Each leaves something behind, so that no compiler takes them for the same function. */
static volatile int parsed, planned, printed;

__attribute__((noinline)) static void parse(void) {
    spin(0.005);
    parsed++;
}

__attribute__((noinline)) static void plan(void) {
    spin(0.003);
    planned++;
}

__attribute__((noinline)) static void print(void) {
    spin(0.002);
    printed++;
}

static void *work(void *seconds) {
    double until = cpu_seconds() + *(const double *)seconds;
    while (cpu_seconds() < until) {
        parse();
        plan();
        print();
    }
    return NULL;
}

static void *work_registered(void *seconds) {
    sampler_thread *self = fino_sampler_thread_register("worker"); /* optional: a label, and samples from the start */
    work(seconds);
    fino_sampler_thread_unregister(self);
    return NULL;
}

static int write_file(const char *path, const uint8_t *data, size_t nbytes) {
    FILE *file = fopen(path, "wb");
    if (!file) return -1;
    size_t written = fwrite(data, 1, nbytes, file);
    return fclose(file) == 0 && written == nbytes ? 0 : -1;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "profile.pb";
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    struct fino_sampler_options options = {.interval_ns = 1000000};
    struct fino_sampler_stats stats;
    sampler_recording *recording;
    pthread_t worker;
    uint8_t *data;
    size_t nbytes;

    int error = fino_sampler_start(&options, &recording);
    if (error != 0) {
        fprintf(stderr, "can't start the sampler: error %d\n", -error);
        return 1;
    }
    if (pthread_create(&worker, NULL, work_registered, &seconds) != 0) return 1;
    work(&seconds);
    pthread_join(worker, NULL);

    const char *const comments[] = {"embed_sampler"};
    error = fino_sampler_stop(recording, comments, 1, &data, &nbytes, &stats);
    if (error != 0) {
        fprintf(stderr, "can't stop the sampler: error %d\n", -error);
        return 1;
    }
    if (write_file(path, data, nbytes) != 0) {
        perror(path);
        return 1;
    }
    fino_sampler_bytes_free(data);
    printf("%llu samples, %.3f s of CPU time, %llu truncated: %s, %zu bytes\n", (unsigned long long)stats.samples,
           (double)stats.cpu_ns / 1e9, (unsigned long long)stats.truncated, path, nbytes);
    return 0;
}
