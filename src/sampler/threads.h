/* threads.h: the registry of threads: who is sampled, from when to when, under which label.
 *
 * Threads: everything here wants the registry's lock held, unless it says otherwise.
 */
#ifndef FINO_SAMPLER_THREADS_H
#define FINO_SAMPLER_THREADS_H

#include "sampler/thread.h"

/* Chooses the signal and installs the handler, once. Without the lock. Returns 0 or a negative errno. */
int sampler_threads_open(void);

/* Once open: is the handler still there, or has the program taken the signal? Without the lock. */
bool sampler_threads_have_signal(void);

void sampler_registry_lock(void);
void sampler_registry_unlock(void);

/* The first of the live threads; the others follow through ->next. */
struct sampler_thread *sampler_threads_first(void);

/* Makes sure that the thread has timers, and starts its schedule. BUSY: assume that it is running. */
void sampler_thread_arm(struct sampler_thread *thread, uint64_t interval_ns, bool busy);
void sampler_thread_disarm(struct sampler_thread *thread);
/* Applies a shorter interval to an armed thread soon. */
void sampler_thread_hurry(struct sampler_thread *thread, uint64_t interval_ns);

/* A new recording where none was open: the thread's CPU time up to now is nobody's. */
void sampler_threads_begin(void);

/* CPU time of all known threads, ended ones included, that was accounted since sampler_threads_begin. */
uint64_t sampler_threads_accounted_ns(void);

/* Looks for threads nobody registered, and for dead ones. AT_START: what is found was there before the recording.
 * Returns: how many came or went, or a negative errno when /proc doesn't tell. */
int sampler_threads_scan(bool at_start);

/* Finds the stacks of threads whose handler asked for it. */
void sampler_threads_find_stacks(void);

/* The thread's CPU time now, or what is last known of it. */
uint64_t sampler_thread_cpu_ns(const struct sampler_thread *thread);

/* Sums of all threads' counters since the process began. */
struct sampler_counter_sums {
    uint64_t lost_ring_full;
    uint64_t merged;
    uint64_t signals;
    uint64_t handler_ns;
    uint64_t histogram[SAMPLER_HISTOGRAM_SIZE];
};
void sampler_threads_sum(struct sampler_counter_sums *sums_out);
/* Two of them alone, which is cheaper. */
void sampler_threads_spent(uint64_t *signals_out, uint64_t *handler_ns_out);

/* Gives the thread the ring it needs: none is kept for threads that were never sampled, a large one is for managed
 * frames. The ring must be empty and its handler away: not armed, or on the thread itself while paused.
 * Returns: whether there is a ring. */
bool sampler_thread_size_ring(struct sampler_thread *thread);

/* Folds what waits in the ring of another thread, unless nobody but that thread may do so just now. Takes the fold
 * lock. Returns: false when the thread runs managed code. */
bool sampler_thread_drain_elsewhere(struct sampler_thread *thread);

/* The label of a thread's own samples, found now if need be. With the fold lock held; the registry's doesn't matter. */
const char *sampler_thread_label(struct sampler_thread *thread);

/* In the child of a fork: only the calling thread is left, and no timer. */
void sampler_threads_after_fork(void);

#endif
