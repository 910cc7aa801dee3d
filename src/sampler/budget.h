/* budget.h: the interval that a budget allows, as plain arithmetic: no clock, no thread, no state but its own.
 *
 * 1. An account grows by the budget's share of the CPU time that is observed, and falls by what sampling costs.
 * 2. The interval is the shortest for as long as the account is not further in debt than what half a second of CPU time
 *    earns: a short program gets all of its samples, and where they are affordable so does a long one.
 * 3. After that, the interval is what a sample has cost of late over the budget's share, where the share is larger or
 *    smaller so that the account would be even after another second of CPU time. A debt is paid back so; a surplus is
 *    spent, but no more of it is kept than the debt in 2.
 *
 * So the cost comes to the budget in the long run, whatever the samples cost and however that changes; within the
 * limits of the interval, which go first.
 */
#ifndef FINO_SAMPLER_BUDGET_H
#define FINO_SAMPLER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLER_AUTO_MIN_NS UINT64_C(1000000)
#define SAMPLER_AUTO_MAX_NS UINT64_C(20000000)

/* Of the budget, in millionths of the CPU time. */
#define SAMPLER_BUDGET_MIN_PPM 1000u
#define SAMPLER_BUDGET_MAX_PPM 500000u
#define SAMPLER_BUDGET_DEFAULT_PPM 20000u

/* What was observed and what it cost, since some moment before the budget began. All of them only grow. */
struct sampler_usage {
    uint64_t cpu_ns;      /* CPU time of the process, with what follows */
    uint64_t sampling_ns; /* what each sample costs: its signal, the handler, folding */
    uint64_t upkeep_ns;   /* what goes on however many samples there are */
};

struct sampler_budget {
    uint32_t ppm;
    uint64_t interval_ns; /* what is allowed now */
    bool in_advance;      /* rule 2 holds */
    double balance_ns;
    double spent_ns; /* on the last POINTS samples, older ones counting less */
    double points;
    struct sampler_usage last;
};

/* Begins with a new account. SAMPLE_COST_NS: what a sample is expected to cost. */
void sampler_budget_begin(struct sampler_budget *budget, uint32_t ppm, uint64_t sample_cost_ns,
                          const struct sampler_usage *now);

/* To be called every few samples. APPLIED_NS is the interval that was in force since the last call: when it is shorter
 * than the budget's own, somebody else pays. Returns: the interval from now on, which is also in the budget. */
uint64_t sampler_budget_step(struct sampler_budget *budget, const struct sampler_usage *now, uint64_t applied_ns);

#endif
