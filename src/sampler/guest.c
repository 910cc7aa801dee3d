/* guest.c: what runs on one thread after another: its label, its last stack, its CPU time.
 *
 * A slice begins and ends with the thread's samples folded and its CPU time claimed up to then, so that neither can
 * become another's. What was claimed but is in no sample yet the guest is owed: its next sample weighs so much more.
 */
#include <pthread.h>
#include <stdlib.h>

#include "sampler/clock.h"
#include "sampler/fold.h"
#include "sampler/threads.h"

sampler_guest *fino_sampler_guest_new(const char *label, const char *tag_key, const char *tag_value) {
    struct sampler_guest *guest = calloc(1, sizeof *guest);
    if (guest == NULL) return NULL;
    sampler_fold_lock();
    sampler_fold_add_guest(guest, label, tag_key, tag_value);
    sampler_fold_unlock();
    return guest;
}

void fino_sampler_guest_free(sampler_guest *guest) {
    if (guest == NULL) return;
    sampler_fold_lock();
    sampler_fold_remove_guest(guest);
    sampler_fold_unlock();
    free(guest);
}

/* The first time: its samples are many, and their frames managed. */
static void become_host(struct sampler_thread *thread) {
    atomic_store(&thread->paused, true);
    sampler_registry_lock();
    sampler_fold_lock();
    thread->is_host = true;
    if (thread->ring.words != NULL && sampler_ring_used_sig(&thread->ring) == 0) sampler_thread_size_ring(thread);
    sampler_fold_unlock();
    sampler_registry_unlock();
    atomic_store(&thread->paused, false);
}

/* Claims the thread's CPU time up to CPU_NS for whoever is owed it. */
static void claim(struct sampler_thread *thread, uint64_t cpu_ns, _Atomic uint64_t *owed_ns) {
    uint64_t before = atomic_load_explicit(&thread->accounted_cpu_ns, memory_order_relaxed);
    if (atomic_load(&sampler_shared.interval_ns) == 0) return;
    do {
        if (before >= cpu_ns) return;
    } while (!atomic_compare_exchange_weak(&thread->accounted_cpu_ns, &before, cpu_ns));
    atomic_fetch_add(owed_ns, cpu_ns - before);
}

/* What was sampled so far is folded as the current guest's, or the thread's own; then comes GUEST (NULL: nobody). */
static void change_over(struct sampler_thread *thread, struct sampler_guest *guest, uint64_t *cpu_ns_out) {
    struct sampler_guest *before = atomic_load_explicit(&thread->guest, memory_order_relaxed);
    atomic_store(&thread->paused, true);
    fino_sampler_thread_drain(thread);
    *cpu_ns_out = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
    claim(thread, *cpu_ns_out, before != NULL ? &before->owed_ns : &thread->owed_ns);
    atomic_store_explicit(&thread->managed, guest != NULL ? guest->managed : NULL, memory_order_release);
    atomic_store_explicit(&thread->guest, guest, memory_order_release);
    atomic_store(&thread->paused, false);
}

void fino_sampler_guest_enter(sampler_guest *guest) {
    struct sampler_thread *thread = sampler_self;
    guest->is_entered = true;
    if (thread == NULL) {
        guest->entered_cpu_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
        return;
    }
    if (!thread->is_host) become_host(thread);
    change_over(thread, guest, &guest->entered_cpu_ns);
}

void fino_sampler_guest_leave(sampler_guest *guest) {
    uint64_t now_ns;
    if (sampler_self != NULL)
        change_over(sampler_self, NULL, &now_ns);
    else
        now_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
    guest->is_entered = false;
    guest->cpu_ns += now_ns - guest->entered_cpu_ns;
}

uint64_t fino_sampler_guest_cpu_ns(const sampler_guest *guest) {
    if (!guest->is_entered) return guest->cpu_ns;
    return guest->cpu_ns + sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID) - guest->entered_cpu_ns;
}

void fino_sampler_guest_set_managed(sampler_guest *guest, struct sampler_managed *managed) {
    struct sampler_thread *thread = sampler_self;
    guest->managed = managed;
    if (thread == NULL) return;
    atomic_store(&thread->paused, true);
    fino_sampler_thread_drain(thread);
    sampler_registry_lock(); /* nobody asks the old one for a drain any more */
    atomic_store_explicit(&thread->managed, managed, memory_order_release);
    sampler_registry_unlock();
    atomic_store(&thread->paused, false);
}
