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
    bool was_paused = atomic_exchange(&thread->paused, true);
    sampler_fold_lock();
    sampler_fold_drain_own(thread);
    sampler_fold_unlock();
    atomic_store(&thread->paused, was_paused);
    is_folding = false;
}

bool sampler_thread_drain_elsewhere(struct sampler_thread *thread) {
    int parked = SAMPLER_PARKED;
    bool managed = atomic_load(&thread->managed) != NULL || thread->is_host;
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

void fino_sampler_thread_set_tag(sampler_thread *thread, const char *key, const char *value) {
    atomic_store(&thread->paused, true);
    fino_sampler_thread_drain(thread);
    sampler_fold_lock();
    sampler_fold_set_tag(thread, key, value);
    sampler_fold_unlock();
    atomic_store(&thread->paused, false);
}

/* A timer that would expire during the wait is taken out first: being woken for nothing costs more than two system
 * calls, and close to a due sample its cost would pass for the program's. Shorter waits cost no system call. */
void fino_sampler_thread_park(sampler_thread *thread) {
    if (!thread || atomic_load_explicit(&thread->park, memory_order_relaxed) != SAMPLER_RUNNING) return;
    thread->park_began_ns = sampler_clock_sig(CLOCK_MONOTONIC);
    thread->park_count++;
    atomic_store_explicit(&thread->park, SAMPLER_PARKED, memory_order_release);
    if (atomic_load(&sampler_shared.interval_ns) != 0 && !thread->park_disarmed &&
        atomic_load_explicit(&thread->clock, memory_order_relaxed) == SAMPLER_TIMER_WALL &&
        thread->park_began_ns + thread->last_wait_ns >= thread->expiry_wall_ns) {
        thread->park_disarmed = true;
        sampler_timer_set_sig(thread->timer_wall, 0, 0);
    }
}

void fino_sampler_thread_unpark(sampler_thread *thread) {
    int parked = SAMPLER_PARKED;
    if (!thread || atomic_load_explicit(&thread->park, memory_order_relaxed) == SAMPLER_RUNNING) return;
    if (!atomic_compare_exchange_strong(&thread->park, &parked, SAMPLER_RUNNING)) {
        sampler_fold_lock(); /* borrowed: whoever has it gives it back before letting go of the lock */
        atomic_store(&thread->park, SAMPLER_RUNNING);
        sampler_fold_unlock();
    }
    uint64_t now_ns = sampler_clock_sig(CLOCK_MONOTONIC), armed_ns = thread->armed_wall_ns;
    thread->parked_ns += now_ns - (thread->park_began_ns > armed_ns ? thread->park_began_ns : armed_ns);
    thread->last_wait_ns = now_ns - thread->park_began_ns;
    if (!thread->park_disarmed) return;
    thread->park_disarmed = false;
    /* What going to sleep and waking up cost may have made a sample due, which then comes at once, and from here. */
    if (atomic_load(&sampler_shared.interval_ns) != 0)
        sampler_arm_sig(thread, now_ns, sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID));
}
