/* managed.c: what a runtime does with its thread: attach, park and drain.
 *
 * A managed thread's samples are folded on the thread itself, because only there its runtime can be asked for names at
 * leisure. While it is parked its runtime can't run either, so that others may fold in its place: they borrow it.
 */
#include <pthread.h>

#include "sampler/clock.h"
#include "sampler/fold.h"
#include "sampler/threads.h"

/* Set while this thread folds: `resolve` may end up in the runtime's own call of drain. */
static _Thread_local bool is_folding;

void fino_sampler_thread_drain(sampler_thread *thread) {
    if (!thread || is_folding || sampler_ring_used_sig(&thread->ring) == 0) return;
    is_folding = true;
    sampler_fold_lock();
    sampler_fold_drain(thread);
    sampler_fold_unlock();
    is_folding = false;
}

bool sampler_thread_drain_elsewhere(struct sampler_thread *thread) {
    int parked = SAMPLER_PARKED;
    bool managed = atomic_load(&thread->managed) != NULL;
    if (is_folding) return false;
    is_folding = true;
    sampler_fold_lock();
    bool may = !managed || atomic_compare_exchange_strong(&thread->park, &parked, SAMPLER_BORROWED);
    if (may) sampler_fold_drain(thread);
    if (may && managed) atomic_store(&thread->park, SAMPLER_PARKED);
    sampler_fold_unlock();
    is_folding = false;
    return may;
}

void fino_sampler_thread_set_managed(sampler_thread *thread, struct sampler_managed *managed, const char *label) {
    atomic_store(&thread->paused, true);
    fino_sampler_thread_drain(thread);
    sampler_registry_lock(); /* nobody asks the old one for a drain any more */
    sampler_fold_lock();
    atomic_store_explicit(&thread->managed, managed, memory_order_release);
    if (thread->ring.words && sampler_ring_used_sig(&thread->ring) == 0) sampler_thread_size_ring(thread);
    sampler_fold_set_label(thread, label);
    sampler_fold_unlock();
    sampler_registry_unlock();
    atomic_store(&thread->paused, false);
}

/* Nothing shall wake a thread that is expected to wait for long. What is left is kept for later; when nothing is, the
 * timer has just expired, and the handler does the same. */
static void disarm(struct sampler_thread *thread) {
    if (atomic_load_explicit(&thread->clock, memory_order_relaxed) != SAMPLER_TIMER_WALL) return;
    uint64_t left_ns = sampler_timer_disarm_sig(thread->timer_wall);
    if (left_ns == 0) return;
    thread->park_left_ns = left_ns;
    thread->park_disarmed = true;
}

/* The first wait that turns out long costs one signal; short ones, as of a busy server, cost no system call. */
void fino_sampler_thread_park(sampler_thread *thread) {
    if (!thread || atomic_load_explicit(&thread->park, memory_order_relaxed) != SAMPLER_RUNNING) return;
    thread->park_began_ns = sampler_clock_sig(CLOCK_MONOTONIC);
    atomic_store_explicit(&thread->park, SAMPLER_PARKED, memory_order_release);
    if (thread->park_was_long && atomic_load(&sampler_shared.interval_ns) != 0) disarm(thread);
}

void fino_sampler_thread_unpark(sampler_thread *thread) {
    int parked = SAMPLER_PARKED;
    if (!thread || atomic_load_explicit(&thread->park, memory_order_relaxed) == SAMPLER_RUNNING) return;
    if (!atomic_compare_exchange_strong(&thread->park, &parked, SAMPLER_RUNNING)) {
        sampler_fold_lock(); /* borrowed: whoever has it gives it back before letting go of the lock */
        atomic_store(&thread->park, SAMPLER_RUNNING);
        sampler_fold_unlock();
    }
    uint64_t waited_ns = sampler_clock_sig(CLOCK_MONOTONIC) - thread->park_began_ns;
    thread->parked_ns += waited_ns;
    thread->park_was_long = waited_ns >= thread->interval_ns;
    if (!thread->park_disarmed) return;
    thread->park_disarmed = false;
    if (atomic_load(&sampler_shared.interval_ns) != 0) sampler_arm_sig(thread, thread->park_left_ns);
}
