/* Live: intervals that change all the time leave totals and shares exact; on auto the cost stays within the budget, the
 * figures agree with each other, and options that contradict one another are refused.
 * ALONE  TIMEOUT: 120 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>

// LINK: -lz
#include "sampler/budget.h"
#include "sampler/thread.h"
#include "sampler_harness.h"

BURNER(first)
BURNER(second)
BURNER(third)

static uint64_t process_ns(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000 * MS +
           ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

static void burn_mix(uint64_t total_ns) {
    uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + total_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns) {
        first(5 * MS);
        second(3 * MS);
        third(2 * MS);
    }
}

static _Atomic bool finished;

/* What auto does, but faster, and at intervals short enough that chance does not decide (half a point, at these). */
static void *change_intervals(void *unused) {
    static const uint64_t intervals_ns[] = {MS / 5, MS, MS / 10, MS / 2, MS / 8};
    for (unsigned i = 0; !finished; i++) {
        sleep_ns(23 * MS);
        atomic_store(&sampler_shared.interval_ns, intervals_ns[i % (sizeof intervals_ns / sizeof intervals_ns[0])]);
    }
    return unused;
}

static void check_changing(void) {
    struct fino_sampler_stats stats;
    pthread_t changer;
    first_ns = second_ns = third_ns = 0;
    sampler_recording *recording = start_recording(MS);
    EXPECT_EQ(pthread_create(&changer, NULL, change_intervals, NULL), 0);
    uint64_t before_ns = process_ns();
    burn_mix(6000 * MS);
    uint64_t used_ns = process_ns() - before_ns;
    finished = true;
    EXPECT_EQ(pthread_join(changer, NULL), 0);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT(stats.samples >= 5000);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.01);
    double sum = (double)(sum_of(profile, CPU, "first", "main") + sum_of(profile, CPU, "second", "main") +
                          sum_of(profile, CPU, "third", "main"));
    double true_sum = (double)(first_ns + second_ns + third_ns);
    EXPECT_NEAR(100 * (double)sum_of(profile, CPU, "first", "main") / sum, 100 * (double)first_ns / true_sum, 1);
    EXPECT_NEAR(100 * (double)sum_of(profile, CPU, "second", "main") / sum, 100 * (double)second_ns / true_sum, 1);
    EXPECT_NEAR(100 * (double)sum_of(profile, CPU, "third", "main") / sum, 100 * (double)third_ns / true_sum, 1);
    fino_pprof_free(profile);
}

static void check_auto(uint32_t budget_ppm) {
    const struct fino_sampler_options options = {.budget_ppm = budget_ppm};
    struct fino_sampler_stats stats;
    sampler_recording *recording;
    EXPECT_EQ(fino_sampler_start(&options, &recording), 0);
    uint64_t before_ns = process_ns();
    burn_mix(4000 * MS);
    uint64_t used_ns = process_ns() - before_ns;
    fino_pprof_free(stop_recording(recording, &stats));
    double cost = 100 * (double)stats.cost_ns / (double)stats.cpu_ns;
    printf("budget %.1f %%: cost %.2f %%, signals %.1f us each, every %.2f to %.2f ms, %.2f in the mean\n",
           (double)budget_ppm / 1e4, cost, (double)stats.delivery_ns / 1e3, (double)stats.interval_min_ns / 1e6,
           (double)stats.interval_max_ns / 1e6, (double)stats.interval_mean_ns / 1e6);
    print_stats(&stats);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.01);
    EXPECT_NEAR((double)stats.points * (double)stats.interval_mean_ns / (double)stats.cpu_ns, 1.0, 0.02);
    EXPECT_EQ(stats.interval_min_ns, SAMPLER_AUTO_MIN_NS);
    EXPECT(stats.interval_mean_ns <= stats.interval_max_ns && stats.interval_max_ns <= SAMPLER_AUTO_MAX_NS);
    EXPECT(stats.samples >= 150);
    EXPECT(stats.delivery_ns >= 300 && stats.delivery_ns < 2 * MS);
    uint64_t parts_ns = stats.delivery_ns_total + stats.handler_ns_total + stats.fold_ns + stats.upkeep_ns;
    EXPECT_NEAR((double)stats.cost_ns / (double)parts_ns, 1.0, 0.05);
    if (stats.interval_max_ns < SAMPLER_AUTO_MAX_NS) EXPECT(cost <= 1.15 * (double)budget_ppm / 1e4 + 0.05);
}

static void check_options(void) {
    static const struct fino_sampler_options wrong[] = {
        {.budget_ppm = 999}, {.budget_ppm = 500001}, {.interval_ns = MS, .budget_ppm = 20000}};
    sampler_recording *none = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        EXPECT_EQ(fino_sampler_start(&wrong[i], &none), -EINVAL);
    struct fino_sampler_stats stats;
    EXPECT_EQ(fino_sampler_start(NULL, &none), 0);
    fino_pprof_free(stop_recording(none, &stats));
    EXPECT_EQ(stats.interval_max_ns, SAMPLER_AUTO_MIN_NS);
}

/* A fixed interval is what it says, and its cost is known too. */
static void check_fixed(void) {
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(2 * MS);
    burn_here(300 * MS);
    fino_pprof_free(stop_recording(recording, &stats));
    EXPECT_EQ(stats.interval_min_ns, 2 * MS);
    EXPECT_EQ(stats.interval_mean_ns, 2 * MS);
    EXPECT_EQ(stats.interval_max_ns, 2 * MS);
    EXPECT_NEAR((double)stats.points, (double)stats.cpu_ns / (2.0 * (double)MS), 15);
    EXPECT(stats.cost_ns >= stats.samples * 300);
}

int main(void) {
    check_options();
    check_fixed();
    check_changing();
    check_auto(20000);
    check_auto(5000);
    return 0;
}
