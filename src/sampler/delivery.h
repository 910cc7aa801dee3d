/* delivery.h: what it costs a thread that a timer's signal comes, before and after anything the handler does.
 *
 * That is the timer's interrupt, the signal frame, the way back, and on virtual machines the exits to the host, which
 * cost the most: 1 us on bare metal, 40 us on some clouds. A signal that a thread sends to itself shows a tenth of it.
 * So a probe arms a timer, watches the clock in a loop until its signal has come, and adds up the moments when it
 * couldn't.
 */
#ifndef FINO_SAMPLER_DELIVERY_H
#define FINO_SAMPLER_DELIVERY_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Before the first probe, or where no timer is to be had. */
#define SAMPLER_DELIVERY_UNKNOWN_NS 10000

/* Sends up to COUNT probes to the calling thread, which must not block SIGNAL: 0.1 ms each, most of it CPU time. One
 * caller at a time. */
void sampler_delivery_probe(int signal, unsigned count);

/* The median of the last probes. */
uint64_t sampler_delivery_ns(void);
/* How many there were. */
unsigned sampler_delivery_probes(void);

/* What a probe's signal carries: an index beyond any thread's (thread.h). */
#define SAMPLER_TIMER_VALUE_PROBE ((uintptr_t)UINT32_MAX)

extern _Atomic bool sampler_probe_arrived;

/* SIGNAL_SAFE. Returns: whether the signal is a probe's, and dealt with. */
static inline bool sampler_delivery_catch_sig(const siginfo_t *info) {
    if (info->si_code != SI_TIMER || (uintptr_t)info->si_value.sival_ptr != SAMPLER_TIMER_VALUE_PROBE) return false;
    atomic_store_explicit(&sampler_probe_arrived, true, memory_order_relaxed);
    return true;
}

#endif
