/* cost.h: the account of what was observed and what observing it cost, since the first open recording opened.
 *
 * Threads: everything here wants the registry's lock held.
 */
#ifndef FINO_SAMPLER_COST_H
#define FINO_SAMPLER_COST_H

#include "sampler/budget.h"

struct sampler_cost {
    uint64_t cpu_ns;      /* of the process, while it was sampled */
    double points;        /* the samples that the intervals in force asked for */
    uint64_t delivery_ns; /* of all signals */
    uint64_t handler_ns;
    uint64_t fold_ns;
    uint64_t upkeep_ns; /* of the helper thread, other than for folding */
};

/* Begins a new account. UPKEEP_CLOCK_NS: what the helper thread has used, other than for folding, so far. */
void sampler_cost_begin(uint64_t upkeep_clock_ns);

/* Brings the account up to now. INTERVAL_NS was in force since it last was (0: nothing was sampled any more). */
void sampler_cost_settle(uint64_t interval_ns, uint64_t upkeep_clock_ns);

/* As of then; and what of it came after BEFORE. */
struct sampler_cost sampler_cost_now(void);
struct sampler_cost sampler_cost_since(const struct sampler_cost *before);

/* For the budget. */
static inline struct sampler_usage sampler_cost_usage(const struct sampler_cost *cost) {
    return (struct sampler_usage){cost->cpu_ns, cost->delivery_ns + cost->handler_ns + cost->fold_ns, cost->upkeep_ns};
}

#endif
