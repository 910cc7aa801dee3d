/* test_pprof_threads.c: one builder folded into by many threads, each of which has its own and locks for the merge, as
 * Realms do: the sum is that of one thread that adds all samples, whoever came first. Builders of their own are encoded
 * by all threads at once, and all write the same bytes. MODE=tsan finds what they would share. */
#include <pthread.h>

#include "../test.h"
#include "pprof/pprof.h"

enum { THREAD_COUNT = 12, FOLD_COUNT = 8, SAMPLE_COUNT = 200, DEPTH = 12, FUNCTION_COUNT = 50 };

static const struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fino_pprof *sum; /* under LOCK */

struct worker {
    pthread_t thread;
    unsigned number;
    uint8_t *alone; /* what every worker encodes for itself */
    size_t alone_nbytes;
};

static fino_pprof *new_builder(uint64_t seed) {
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){types, 2, NULL, seed});
    EXPECT(profile != NULL);
    return profile;
}

static uint32_t intern(fino_pprof *profile, const char *text) {
    return fino_pprof_string(profile, text, strlen(text));
}

/* Samples that depend on ROUND alone: equal stacks occur in all of them, in another order. */
static void add_round(fino_pprof *profile, unsigned round, const char *thread) {
    struct fino_pprof_label label = {intern(profile, "thread"), intern(profile, thread), 0, 0};
    uint32_t labels = fino_pprof_label_set(profile, &label, 1), stack[DEPTH];
    for (unsigned i = 0; i < SAMPLE_COUNT; i++) {
        for (unsigned at = 0; at < DEPTH; at++) {
            char name[20];
            snprintf(name, sizeof name, "f%u", (i * (at + 1) + round) % FUNCTION_COUNT);
            uint32_t id = intern(profile, name);
            struct fino_pprof_function function = {id, id, intern(profile, "file"), 1};
            struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), at, 0};
            stack[at] = fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
        }
        EXPECT_EQ(fino_pprof_add_sample(profile, stack, DEPTH, labels, (int64_t[]){1, 1000 + i}), 0);
    }
}

static void *work(void *context) {
    struct worker *worker = context;
    char name[20];
    snprintf(name, sizeof name, "t%u", worker->number / 2); /* two share each label */
    for (unsigned fold = 0; fold < FOLD_COUNT; fold++) {
        fino_pprof *own = new_builder(worker->number + 1);
        add_round(own, worker->number + fold, name);
        EXPECT_EQ(pthread_mutex_lock(&lock), 0);
        EXPECT_EQ(fino_pprof_merge(sum, own, NULL, FINO_PPROF_ADD), 0);
        EXPECT_EQ(pthread_mutex_unlock(&lock), 0);
        fino_pprof_free(own);
    }
    fino_pprof *own = new_builder(worker->number);
    add_round(own, 0, "alone");
    EXPECT_EQ(fino_pprof_encode(own, NULL, NULL, 6, &worker->alone, &worker->alone_nbytes), 0);
    fino_pprof_free(own);
    return NULL;
}

/* The sum of all values of PROFILE's samples, and their number. */
static void measure(const fino_pprof *profile, size_t *count_out, int64_t sums[2]) {
    *count_out = fino_pprof_sample_count(profile);
    sums[0] = sums[1] = 0;
    for (uint32_t id = 0; id < *count_out; id++)
        for (int type = 0; type < 2; type++)
            sums[type] += fino_pprof_get_sample(profile, id).values[type];
}

/* Are A and B equal? Their difference has nothing left in it. */
static void expect_equal(fino_pprof *a, fino_pprof *b) {
    size_t count_a, count_b;
    int64_t sums_a[2], sums_b[2], zero[2];
    measure(a, &count_a, sums_a);
    measure(b, &count_b, sums_b);
    EXPECT(count_a == count_b && sums_a[0] == sums_b[0] && sums_a[1] == sums_b[1]);
    EXPECT_EQ(sums_a[0], THREAD_COUNT * FOLD_COUNT * SAMPLE_COUNT);
    EXPECT_EQ(fino_pprof_merge(a, b, NULL, FINO_PPROF_SUBTRACT), 0);
    for (uint32_t id = 0; id < fino_pprof_sample_count(a); id++)
        for (int type = 0; type < 2; type++)
            EXPECT_EQ(fino_pprof_get_sample(a, id).values[type], 0);
    measure(a, &count_a, zero);
    EXPECT_EQ(count_a, count_b); /* no stack of B was new to A */
}

int main(void) {
    struct worker workers[THREAD_COUNT];
    fino_pprof *serial = new_builder(99);
    sum = new_builder(7);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        workers[i] = (struct worker){.number = i};
        EXPECT_EQ(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREAD_COUNT; i++)
        EXPECT_EQ(pthread_join(workers[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        char name[20];
        snprintf(name, sizeof name, "t%u", i / 2);
        for (unsigned fold = 0; fold < FOLD_COUNT; fold++)
            add_round(serial, i + fold, name);
        EXPECT_EQ(workers[i].alone_nbytes, workers[0].alone_nbytes);
        EXPECT(memcmp(workers[i].alone, workers[0].alone, workers[0].alone_nbytes) == 0);
    }
    expect_equal(sum, serial);
    for (unsigned i = 0; i < THREAD_COUNT; i++)
        fino_pprof_bytes_free(serial, workers[i].alone, workers[i].alone_nbytes);
    fino_pprof_free(sum);
    fino_pprof_free(serial);
    return 0;
}
