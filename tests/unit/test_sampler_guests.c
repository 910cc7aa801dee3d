/* Guests: six of them take turns on two threads, in slices far shorter than the interval. Each has its own CPU time, to
 * the nanosecond, its own labels and its own stacks; what the threads do between slices is the threads'. */
// LINK: -lz
#include "sampler_harness.h"

#include <stdatomic.h>

#define GUESTS 6
#define THREADS 2

static struct {
    sampler_guest *guest;
    _Atomic int taken;
    _Atomic uint64_t used_ns; /* measured here, between entering and leaving */
} guests[GUESTS];
static _Atomic uint64_t between_ns;
static atomic_bool over;

__attribute__((noipa)) static void even(uint64_t ns) {
    burn_here(ns);
}
__attribute__((noipa)) static void odd(uint64_t ns) {
    burn_here(ns);
}
__attribute__((noipa)) static void between(uint64_t ns) {
    between_ns += burn_here(ns);
}

/* Guest I uses I + 1 parts. */
static void slice(int i) {
    fino_sampler_guest_enter(guests[i].guest);
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    (i % 2 ? odd : even)((uint64_t)(i + 1) * 200000);
    guests[i].used_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    fino_sampler_guest_leave(guests[i].guest);
}

static void *host(void *unused) {
    (void)unused;
    fino_sampler_thread_register("host");
    for (unsigned turn = 0; !atomic_load(&over); turn++) {
        int i = (int)(turn % GUESTS);
        if (atomic_exchange(&guests[i].taken, 1)) continue;
        slice(i);
        atomic_store(&guests[i].taken, 0);
        between(100000);
    }
    return NULL;
}

static double cpu_of(const fino_pprof *profile, const char *label, const char *function) {
    return (double)sum_of(profile, CPU, function, label);
}

/* What was measured, and what entering, leaving and folding take. */
static void expect_little_more(const char *what, double actual_ns, double measured_ns) {
    printf("  %-12s %9.3f ms, measured %9.3f ms\n", what, actual_ns / 1e6, measured_ns / 1e6);
    EXPECT(actual_ns >= measured_ns && actual_ns <= 1.2 * measured_ns);
}

int main(void) {
    pthread_t threads[THREADS];
    char label[32];
    for (int i = 0; i < GUESTS; i++) {
        snprintf(label, sizeof label, "guest %d", i);
        guests[i].guest = fino_sampler_guest_new(label, "kind", "toy");
        EXPECT(guests[i].guest);
    }
    sampler_recording *recording = start_recording(1 * MS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, host, NULL);
    while (guests[0].used_ns < 100 * MS)
        sleep_ns(10 * MS);
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* One is accounted as it is freed, the others as the recording stops. */
    uint64_t counted_ns[GUESTS];
    for (int i = 0; i < GUESTS; i++)
        counted_ns[i] = fino_sampler_guest_cpu_ns(guests[i].guest);
    fino_sampler_guest_free(guests[3].guest);
    fino_pprof *profile = stop_recording(recording, NULL);
    for (int i = 0; i < GUESTS; i++) {
        snprintf(label, sizeof label, "guest %d", i);
        double all_ns = cpu_of(profile, label, NULL), own_ns = cpu_of(profile, label, i % 2 ? "odd" : "even");
        EXPECT_EQ(all_ns, counted_ns[i]);                             /* to the nanosecond */
        EXPECT_EQ(cpu_of(profile, label, i % 2 ? "even" : "odd"), 0); /* nobody else's stacks */
        expect_little_more(label, all_ns, (double)guests[i].used_ns);
        EXPECT(own_ns > 0.8 * all_ns);
    }
    EXPECT_EQ(cpu_of(profile, "host", "even") + cpu_of(profile, "host#2", "even"), 0);
    EXPECT(cpu_of(profile, "host", "between") + cpu_of(profile, "host#2", "between") > 0.5 * (double)between_ns);
    fino_pprof_free(profile);
    return 0;
}
