/* delivery.c: see delivery.h. Owns the last probes' results. */
#include "sampler/delivery.h"

#include <string.h>

#include "sampler/clock.h"

/* The median of so many stands for now: some are hit by other interrupts, or by another process's turn. */
#define KEPT 8

/* The timer is armed this long ahead, so that nothing of the arming is left; and given up this much later. */
#define AHEAD_NS 20000
#define PATIENCE_NS 2000000
/* A processor that was taken from a virtual machine comes late with its timers; a blocked signal never comes. */
#define FAILURES_MAX 4
/* What the way back leaves behind shows up within this long after the handler has returned. */
#define AFTERMATH_NS 3000

/* Reading the clock twice takes 20 to 100 ns; longer than this and something else ran. */
#define GAP_NS 400

_Atomic bool sampler_probe_arrived;

static struct {
    uint64_t ns[KEPT];
    _Atomic unsigned count; /* of all there ever were; asked for without the lock, too */
} probes;

/* Watches the clock until the signal has come. Returns: how long it could not, or 0 if there was no signal. */
static uint64_t watch(int timer) {
    uint64_t stolen_ns = 0, end_ns;
    atomic_store(&sampler_probe_arrived, false);
    sampler_timer_set_sig(timer, AHEAD_NS, 0);
    uint64_t last_ns = sampler_clock_sig(CLOCK_MONOTONIC);
    end_ns = last_ns + PATIENCE_NS;
    for (bool arrived = false; last_ns < end_ns;) {
        uint64_t now_ns = sampler_clock_sig(CLOCK_MONOTONIC);
        if (now_ns - last_ns > GAP_NS) stolen_ns += now_ns - last_ns;
        last_ns = now_ns;
        if (arrived || !atomic_load_explicit(&sampler_probe_arrived, memory_order_relaxed)) continue;
        arrived = true;
        end_ns = now_ns + AFTERMATH_NS;
    }
    return atomic_load(&sampler_probe_arrived) ? stolen_ns : 0;
}

void sampler_delivery_probe(int signal, unsigned count) {
    int timer = sampler_timer_create(CLOCK_MONOTONIC, sampler_gettid(), signal, SAMPLER_TIMER_VALUE_PROBE);
    if (timer < 0) return;
    for (unsigned i = 0, failures = 0; i < count && failures < FAILURES_MAX; i++) {
        uint64_t ns = watch(timer);
        if (ns != 0)
            probes.ns[probes.count++ % KEPT] = ns;
        else
            failures++;
    }
    sampler_timer_delete(timer);
}

uint64_t sampler_delivery_ns(void) {
    uint64_t sorted[KEPT];
    unsigned count = probes.count < KEPT ? probes.count : KEPT;
    if (count == 0) return SAMPLER_DELIVERY_UNKNOWN_NS;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > probes.ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = probes.ns[i];
    }
    return sorted[(count - 1) / 2];
}

unsigned sampler_delivery_probes(void) {
    return probes.count;
}
