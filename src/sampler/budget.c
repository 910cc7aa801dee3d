/* budget.c: see budget.h, which has the policy. */
#include "sampler/budget.h"

/* How much CPU time the advance of rule 2 is worth, and how much rule 3 takes to pay it back. */
#define ADVANCE_CPU_NS 0.5e9
#define HORIZON_CPU_NS 1e9

/* However deep in debt: a quarter of the budget keeps the profile alive. */
#define LEAST_SHARE_DIVISOR 4

/* A sample's cost is the mean of about so many, as folding comes in bursts; but of no more than there are in a second,
 * as programs change, and with them what else runs on their processors. */
#define MEAN_POINTS_MAX 256.0
#define MEAN_CPU_NS 1e9
#define EXPECTED_POINTS 32.0

/* A step that saw less than this many samples' time says too little. */
#define STEP_POINTS 4

/* Smaller changes of the interval are not worth the system call that each thread makes for them. */
#define CHANGE_DIVISOR 16

static double share_of(const struct sampler_budget *budget) {
    return (double)budget->ppm / 1e6;
}

void sampler_budget_begin(struct sampler_budget *budget, uint32_t ppm, uint64_t sample_cost_ns,
                          const struct sampler_usage *now) {
    *budget = (struct sampler_budget){
        .ppm = ppm,
        .interval_ns = SAMPLER_AUTO_MIN_NS,
        .in_advance = true,
        .spent_ns = EXPECTED_POINTS * (double)sample_cost_ns,
        .points = EXPECTED_POINTS,
        .last = *now,
    };
}

static void learn_cost(struct sampler_budget *budget, double sampling_ns, double points, uint64_t applied_ns) {
    double most = MEAN_CPU_NS / (double)applied_ns;
    if (most > MEAN_POINTS_MAX) most = MEAN_POINTS_MAX;
    budget->spent_ns += sampling_ns;
    budget->points += points;
    if (budget->points <= most) return;
    budget->spent_ns *= most / budget->points;
    budget->points = most;
}

static double allowed_interval(const struct sampler_budget *budget) {
    double share = share_of(budget), now = share + budget->balance_ns / HORIZON_CPU_NS;
    double least = share / LEAST_SHARE_DIVISOR;
    return budget->spent_ns / budget->points / (now > least ? now : least);
}

static uint64_t within_limits(double interval_ns) {
    if (interval_ns <= (double)SAMPLER_AUTO_MIN_NS) return SAMPLER_AUTO_MIN_NS;
    return interval_ns < (double)SAMPLER_AUTO_MAX_NS ? (uint64_t)interval_ns : SAMPLER_AUTO_MAX_NS;
}

static bool is_worth_it(uint64_t from_ns, uint64_t to_ns) {
    uint64_t change_ns = from_ns > to_ns ? from_ns - to_ns : to_ns - from_ns;
    return change_ns > from_ns / CHANGE_DIVISOR || to_ns == SAMPLER_AUTO_MIN_NS || to_ns == SAMPLER_AUTO_MAX_NS;
}

uint64_t sampler_budget_step(struct sampler_budget *budget, const struct sampler_usage *now, uint64_t applied_ns) {
    uint64_t cpu_ns = now->cpu_ns - budget->last.cpu_ns;
    if (cpu_ns < STEP_POINTS * applied_ns) return budget->interval_ns;
    double sampling_ns = (double)(now->sampling_ns - budget->last.sampling_ns);
    double upkeep_ns = (double)(now->upkeep_ns - budget->last.upkeep_ns);
    double advance_ns = share_of(budget) * ADVANCE_CPU_NS;
    budget->last = *now;
    learn_cost(budget, sampling_ns, (double)cpu_ns / (double)applied_ns, applied_ns);
    if (applied_ns >= budget->interval_ns)
        budget->balance_ns += share_of(budget) * (double)cpu_ns - sampling_ns - upkeep_ns;
    if (budget->balance_ns > advance_ns) budget->balance_ns = advance_ns;
    if (budget->balance_ns < -advance_ns) budget->in_advance = false;
    uint64_t next_ns = budget->in_advance ? SAMPLER_AUTO_MIN_NS : within_limits(allowed_interval(budget));
    if (is_worth_it(budget->interval_ns, next_ns)) budget->interval_ns = next_ns;
    return budget->interval_ns;
}
