/* cost.c: see cost.h. Brings together what the handler, the folds and the helper thread have on their clocks, and what
 * the signals cost by the probes' median of their time. */
#include "sampler/cost.h"

#include "sampler/clock.h"
#include "sampler/delivery.h"
#include "sampler/fold.h"
#include "sampler/threads.h"

/* What the clocks and counters say. */
struct readings {
    uint64_t cpu_ns;
    uint64_t signals;
    uint64_t handler_ns;
    uint64_t fold_ns;
    uint64_t upkeep_ns;
};

static struct {
    struct sampler_cost sum;
    struct readings last;
} account;

static struct readings read_all(uint64_t upkeep_clock_ns) {
    struct readings now = {.upkeep_ns = upkeep_clock_ns};
    sampler_threads_spent(&now.signals, &now.handler_ns);
    sampler_fold_lock();
    now.fold_ns = sampler_fold_totals().fold_ns;
    sampler_fold_unlock();
    now.cpu_ns = sampler_clock_sig(CLOCK_PROCESS_CPUTIME_ID);
    return now;
}

void sampler_cost_begin(uint64_t upkeep_clock_ns) {
    account.sum = (struct sampler_cost){0};
    account.last = read_all(upkeep_clock_ns);
}

void sampler_cost_settle(uint64_t interval_ns, uint64_t upkeep_clock_ns) {
    const struct readings now = read_all(upkeep_clock_ns), last = account.last;
    struct sampler_cost *sum = &account.sum;
    sum->delivery_ns += (now.signals - last.signals) * sampler_delivery_ns();
    sum->handler_ns += now.handler_ns - last.handler_ns;
    sum->fold_ns += now.fold_ns - last.fold_ns;
    sum->upkeep_ns += now.upkeep_ns - last.upkeep_ns;
    account.last = now;
    if (interval_ns == 0) return;
    sum->cpu_ns += now.cpu_ns - last.cpu_ns;
    sum->points += (double)(now.cpu_ns - last.cpu_ns) / (double)interval_ns;
}

struct sampler_cost sampler_cost_now(void) {
    return account.sum;
}

struct sampler_cost sampler_cost_since(const struct sampler_cost *before) {
    struct sampler_cost cost = account.sum;
    cost.cpu_ns -= before->cpu_ns;
    cost.points -= before->points;
    cost.delivery_ns -= before->delivery_ns;
    cost.handler_ns -= before->handler_ns;
    cost.fold_ns -= before->fold_ns;
    cost.upkeep_ns -= before->upkeep_ns;
    return cost;
}
