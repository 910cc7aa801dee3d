/* The interval that a budget allows, on made-up machines: what is affordable is sampled every 1 ms; what isn't costs
 * the budget in the long run, and what half a second earns more at first; the limits of the interval go before all. */
#include "../test.h"
#include "sampler/budget.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* A program that uses CPU time, on a machine where a sample costs so much. */
struct machine {
    struct sampler_budget budget;
    struct sampler_usage usage;
    double points; /* samples taken */
    uint64_t longest_ns, shortest_ns;
};

static struct machine begin(uint32_t ppm, uint64_t expected_ns) {
    struct machine machine = {.usage = {123 * MS, 45 * MS, 6 * MS}, .shortest_ns = UINT64_MAX};
    sampler_budget_begin(&machine.budget, ppm, expected_ns, &machine.usage);
    return machine;
}

/* Lets it use CPU_NS in steps of STEP_NS. UPKEEP_PPM of it go to upkeep. */
static void run(struct machine *machine, uint64_t cpu_ns, uint64_t step_ns, uint64_t sample_ns, uint64_t upkeep_ppm) {
    for (uint64_t used_ns = 0; used_ns < cpu_ns; used_ns += step_ns) {
        uint64_t interval_ns = machine->budget.interval_ns;
        machine->points += (double)step_ns / (double)interval_ns;
        machine->usage.cpu_ns += step_ns;
        machine->usage.sampling_ns += step_ns * sample_ns / interval_ns;
        machine->usage.upkeep_ns += step_ns * upkeep_ppm / 1000000;
        interval_ns = sampler_budget_step(&machine->budget, &machine->usage, interval_ns);
        EXPECT_EQ(interval_ns, machine->budget.interval_ns);
        EXPECT(interval_ns >= SAMPLER_AUTO_MIN_NS && interval_ns <= SAMPLER_AUTO_MAX_NS);
        if (interval_ns > machine->longest_ns) machine->longest_ns = interval_ns;
        if (interval_ns < machine->shortest_ns) machine->shortest_ns = interval_ns;
    }
}

static double cost_percent(const struct machine *machine) {
    const struct sampler_usage *usage = &machine->usage;
    return 100 * (double)(usage->sampling_ns + usage->upkeep_ns - 51 * MS) / (double)(usage->cpu_ns - 123 * MS);
}

struct row {
    const char *name;
    uint32_t ppm;
    uint64_t sample_ns;  /* what a sample costs */
    uint64_t upkeep_ppm; /* of the CPU time */
    uint64_t cpu_ms;
    double points_min, points_max;
    double cost_min, cost_max; /* per cent of the CPU time */
    uint64_t last_min_us, last_max_us;
};

static const struct row rows[] = {
    /* Affordable: every 1 ms, whatever is left. */
    {"bare metal", 20000, 5 * US, 0, 10000, 9999, 10001, 0.49, 0.51, 1000, 1000},
    {"just affordable", 20000, 19 * US, 500, 10000, 9999, 10001, 1.9, 2.0, 1000, 1000},
    /* Short programs get their samples. */
    {"200 ms, slow signals", 20000, 50 * US, 0, 200, 199, 201, 4.9, 5.1, 1000, 1000},
    {"400 ms, slow signals", 20000, 50 * US, 0, 400, 340, 400, 4, 5, 1000, 8000},
    {"200 ms, half the budget", 10000, 50 * US, 0, 200, 120, 180, 3, 4.5, 1000, 20000},
    /* Longer ones keep the budget. */
    {"5 s, slow signals", 20000, 50 * US, 0, 5000, 1900, 2150, 1.95, 2.1, 2300, 2700},
    {"20 s, slow signals", 20000, 50 * US, 0, 20000, 7800, 8200, 1.98, 2.03, 2340, 2660},
    {"20 s, half the budget", 10000, 50 * US, 0, 20000, 3900, 4100, 0.98, 1.02, 4600, 5400},
    {"20 s, ten times the budget", 200000, 50 * US, 0, 20000, 19999, 20001, 4.9, 5.1, 1000, 1000},
    {"20 s, with upkeep", 20000, 50 * US, 5000, 20000, 5700, 6200, 1.98, 2.05, 3000, 3700},
    /* The limit goes before the budget. */
    {"impossible", 20000, 1000 * US, 0, 20000, 1000, 1100, 5, 5.5, 20000, 20000},
    {"the smallest budget", SAMPLER_BUDGET_MIN_PPM, 10 * US, 0, 20000, 1900, 2100, 0.095, 0.105, 9000, 11000},
    /* Upkeep alone beyond the budget: still a quarter of it is for samples. */
    {"upkeep eats it all", 20000, 50 * US, 30000, 20000, 1900, 2500, 3.5, 3.7, 9000, 11000},
};

static void check_rows(uint64_t step_ns) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct machine machine = begin(row->ppm, 40 * US);
        run(&machine, row->cpu_ms * MS, step_ns, row->sample_ns, row->upkeep_ppm);
        double cost = cost_percent(&machine);
        uint64_t last_us = machine.budget.interval_ns / US;
        printf("%-28s %8.1f samples, %6.3f %%, at last every %5llu us\n", row->name, machine.points, cost,
               (unsigned long long)last_us);
        EXPECT(machine.points >= row->points_min && machine.points <= row->points_max);
        EXPECT(cost >= row->cost_min && cost <= row->cost_max);
        EXPECT(last_us >= row->last_min_us && last_us <= row->last_max_us);
    }
}

/* Signals become dearer, and cheap again: the budget is kept over all, and 1 ms comes back. */
static void check_change(void) {
    struct machine machine = begin(20000, 40 * US);
    run(&machine, 5000 * MS, 40 * MS, 10 * US, 0);
    EXPECT_EQ(machine.longest_ns, SAMPLER_AUTO_MIN_NS);
    run(&machine, 10000 * MS, 40 * MS, 80 * US, 0);
    EXPECT(machine.budget.interval_ns > 3600 * US && machine.budget.interval_ns < 4400 * US);
    EXPECT(cost_percent(&machine) < 2.0);
    run(&machine, 3000 * MS, 40 * MS, 10 * US, 0);
    EXPECT_EQ(machine.budget.interval_ns, SAMPLER_AUTO_MIN_NS);
    EXPECT(cost_percent(&machine) < 2.0);
}

/* A surplus is not saved up for ever: after an hour within the budget, slow signals are noticed within a second. */
static void check_surplus(void) {
    struct machine machine = begin(20000, 40 * US);
    run(&machine, 3600000 * MS, 40 * MS, 5 * US, 0);
    run(&machine, 1000 * MS, 40 * MS, 80 * US, 0);
    EXPECT(machine.budget.interval_ns > SAMPLER_AUTO_MIN_NS);
}

/* While another recording wants a shorter interval, this budget is not charged for it. */
static void check_others(void) {
    struct machine machine = begin(20000, 40 * US);
    run(&machine, 5000 * MS, 40 * MS, 50 * US, 0);
    uint64_t before_ns = machine.budget.interval_ns;
    for (int i = 0; i < 100; i++) {
        machine.usage.cpu_ns += 40 * MS;
        machine.usage.sampling_ns += 400 * 50 * US;
        sampler_budget_step(&machine.budget, &machine.usage, 100 * US);
    }
    EXPECT(machine.budget.interval_ns >= before_ns - before_ns / 8);
    EXPECT(machine.budget.interval_ns <= before_ns + before_ns / 8);
}

/* Steps that saw next to nothing change nothing, and lose nothing. */
static void check_small_steps(void) {
    struct machine machine = begin(20000, 40 * US);
    run(&machine, 5000 * MS, 50 * US, 50 * US, 0);
    EXPECT(cost_percent(&machine) > 1.95 && cost_percent(&machine) < 2.1);
}

int main(void) {
    check_rows(10 * MS);
    check_rows(40 * MS);
    check_change();
    check_surplus();
    check_others();
    check_small_steps();
    return 0;
}
