/* sampler_harness.h: burners whose true CPU time is measured, and profiles read back, for tests of the sampler.
 * Needs a line "// LINK: -lz" in the test. */
#ifndef FINO_SAMPLER_HARNESS_H
#define FINO_SAMPLER_HARNESS_H

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "../test.h"
#include "pprof/pprof.h"
#include "sampler/sampler.h"

#define MS UINT64_C(1000000)
#define UNUSED __attribute__((unused)) static

UNUSED uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

UNUSED void sleep_ns(uint64_t ns) {
    struct timespec time = {(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};
    while (nanosleep(&time, &time) != 0)
        continue;
}

/* Uses about NS of CPU time. Returns: how much it really was. Always inlined, so that the caller is the leaf. */
__attribute__((always_inline)) static inline uint64_t burn_here(uint64_t ns) {
    volatile double sum = 0;
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), used_ns;
    do {
        for (int i = 0; i < 1000; i++)
            sum = sum + i * 0.5;
        used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    } while (used_ns < ns);
    return used_ns;
}

/* Defines a function that burns and keeps count of the time it really used. */
#define BURNER(name)                                                                                                   \
    static _Atomic uint64_t name##_ns;                                                                                 \
    __attribute__((noipa)) static void name(uint64_t ns) {                                                             \
        name##_ns += burn_here(ns);                                                                                    \
    }

/* ---- Recordings ---- */

UNUSED sampler_recording *start_recording(uint64_t interval_ns) {
    struct fino_sampler_options options = {.interval_ns = interval_ns};
    sampler_recording *recording = NULL;
    EXPECT_EQ(fino_sampler_start(&options, &recording), 0);
    return recording;
}

/* Unpacks a gzip stream with zlib, as a control. Owns: the caller frees it. */
UNUSED uint8_t *unpack(const uint8_t *data, size_t nbytes, size_t *nbytes_out) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)nbytes};
    size_t capacity = 64 << 20;
    uint8_t *out = malloc(capacity);
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    *nbytes_out = stream.total_out;
    inflateEnd(&stream);
    return out;
}

/* Keeps the profile for other tools to read, where FINO_TEST_PROFILES names a directory. */
UNUSED void keep_profile(const uint8_t *data, size_t nbytes) {
    static _Atomic unsigned count;
    char path[4096];
    if (!getenv("FINO_TEST_PROFILES")) return;
    snprintf(path, sizeof path, "%s/%s-%u.pb", getenv("FINO_TEST_PROFILES"), program_invocation_short_name, ++count);
    FILE *file = fopen(path, "wb");
    EXPECT(file && fwrite(data, 1, nbytes, file) == nbytes && fclose(file) == 0);
}

/* Closes the recording and reads its profile, which must be valid. STATS may be NULL. */
UNUSED fino_pprof *stop_recording(sampler_recording *recording, struct fino_sampler_stats *stats) {
    uint8_t *data = NULL;
    size_t nbytes = 0;
    struct fino_pprof_problem problem;
    struct fino_sampler_stats own;
    fino_pprof *profile = NULL;
    EXPECT_EQ(fino_sampler_stop(recording, NULL, 0, &data, &nbytes, stats ? stats : &own), 0);
    keep_profile(data, nbytes);
    uint8_t *packed = data;
    data = unpack(packed, nbytes, &nbytes);
    fino_sampler_bytes_free(packed);
    if (fino_pprof_check(data, nbytes, FINO_PPROF_VALID, NULL, &problem) != 0) {
        fprintf(stderr, "%s %llu: %s: %s\n", problem.entity, (unsigned long long)problem.index, problem.field,
                problem.what);
        exit(1);
    }
    EXPECT_EQ(fino_pprof_decode(data, nbytes, NULL, &profile, NULL), 0);
    free(data);
    return profile;
}

/* ---- What a profile says ---- */

UNUSED const char *text_of(const fino_pprof *profile, uint32_t string) {
    return fino_pprof_get_string(profile, string, NULL);
}

UNUSED const char *thread_of(const fino_pprof *profile, uint32_t label_set) {
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(profile, label_set, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text_of(profile, labels[i].key), "thread") == 0) return text_of(profile, labels[i].string);
    }
    return "";
}

UNUSED bool location_has(const fino_pprof *profile, uint32_t location, const char *function) {
    struct fino_pprof_location_info info = fino_pprof_get_location(profile, location);
    for (size_t i = 0; i < info.line_count; i++) {
        const struct fino_pprof_function *found = fino_pprof_get_function(profile, info.lines[i].function);
        if (strcmp(text_of(profile, found->name), function) == 0) return true;
    }
    return false;
}

enum sum_of { SAMPLES, CPU };

/* The sum over all samples with FUNCTION (NULL: any) anywhere in the stack and the thread label THREAD (NULL: any). */
UNUSED uint64_t sum_of(const fino_pprof *profile, enum sum_of what, const char *function, const char *thread) {
    static uint32_t stack[16384];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < fino_pprof_sample_count(profile); i++) {
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(profile, i);
        size_t depth = fino_pprof_get_stack(profile, i, stack, sizeof stack / sizeof stack[0]);
        bool found = !function;
        for (size_t j = 0; j < depth && !found; j++)
            found = location_has(profile, stack[j], function);
        if (!found || (thread && strcmp(thread, thread_of(profile, sample.label_set)) != 0)) continue;
        sum += (uint64_t)sample.values[what];
    }
    return sum;
}

/* In per cent of the profile's CPU time. */
UNUSED double share_of(const fino_pprof *profile, const char *function, const char *thread) {
    return 100.0 * (double)sum_of(profile, CPU, function, thread) / (double)sum_of(profile, CPU, NULL, NULL);
}

#define EXPECT_NEAR(actual, expected, tolerance)                                                                       \
    do {                                                                                                               \
        double actual_ = (actual), expected_ = (expected);                                                             \
        printf("  %-44s %9.3f, expected %9.3f +- %g\n", #actual, actual_, expected_, (double)(tolerance));             \
        if (!(fabs(actual_ - expected_) <= (tolerance))) {                                                             \
            fprintf(stderr, "%s:%d: %s is %g, not %g +- %g\n", __FILE__, __LINE__, #actual, actual_, expected_,        \
                    (double)(tolerance));                                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

UNUSED void print_stats(const struct fino_sampler_stats *stats) {
    printf("  %llu samples, %.1f ms CPU, %llu truncated, %llu ring full, %llu signals, handler p50 %llu ns\n",
           (unsigned long long)stats->samples, (double)stats->cpu_ns / 1e6, (unsigned long long)stats->truncated,
           (unsigned long long)stats->lost_ring_full, (unsigned long long)stats->signals,
           (unsigned long long)stats->handler_ns_p50);
}

#endif
