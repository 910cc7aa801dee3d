/* handler_sig.c: the signal handler: when a sample is due, what its stack is, which timer asks for the next one.
 *
 * Rules of this file: no locks, no allocation, no stdio, no lazy binding; bounded loops; memory is read only where the
 * unwinder proves it to be stack; errno is what it was. Anything dropped is counted, and its CPU time stays with the
 * thread until its next sample.
 *
 * The schedule is kept in CPU time. A sample is due when the thread has used one interval since its last one, whichever
 * timer notices; so waiting, being preempted or being late moves a sample but never biases it towards what blocks.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "sampler/clock.h"
#include "sampler/thread.h"
#include "sampler/unwind.h"

struct sampler_shared sampler_shared;
_Thread_local struct sampler_thread *sampler_self __attribute__((tls_model("initial-exec")));

/* A sample is taken up to 1/8 interval early: asking again for so little would cost more than it gains. */
#define EARLY_DIVISOR 8

/* The kernel's tick, at most. For intervals from here on the timer that expires with it is precise enough. */
#define LONG_INTERVAL_NS 4000000

/* The period is drawn anew every 4..11 samples, or every 16..44 where they are frequent: often enough that no rhythm of
 * the program stays in step with it, seldom enough that the system call (dearer than a walk over 60 frames) doesn't
 * show. Any two samples are as independent while a period lasts as when each has its own: for a rhythm no longer than
 * the interval, the distance between them, a multiple of a period drawn from a whole interval's width, may be anything.
 */
#define PERIOD_KEPT_MIN 4
#define PERIOD_KEPT_SPREAD 8
#define FREQUENT_KEPT_FACTOR 4

void sampler_timer_set_sig(int timer, uint64_t first_ns, uint64_t period_ns) {
    struct itimerspec when;
    if (timer == SAMPLER_TIMER_NONE) return;
    when.it_value.tv_sec = (time_t)(first_ns / SAMPLER_NS_PER_S);
    when.it_value.tv_nsec = (long)(first_ns % SAMPLER_NS_PER_S);
    when.it_interval.tv_sec = (time_t)(period_ns / SAMPLER_NS_PER_S);
    when.it_interval.tv_nsec = (long)(period_ns % SAMPLER_NS_PER_S);
    syscall(SYS_timer_settime, timer, 0, &when, NULL);
}

void sampler_wake_helper_sig(void) {
    atomic_fetch_add_explicit(&sampler_shared.wake, 1, memory_order_release);
    syscall(SYS_futex, &sampler_shared.wake, SAMPLER_FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Source: Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t next_random(struct sampler_thread *thread) {
    uint32_t x = thread->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    thread->random = x;
    return x;
}

static void draw_period(struct sampler_thread *thread) {
    thread->period_ns = thread->interval_ns / 2 + ((thread->interval_ns * (next_random(thread) >> 12)) >> 20);
    thread->period_left = PERIOD_KEPT_MIN + (next_random(thread) >> 16) % PERIOD_KEPT_SPREAD;
    if (thread->interval_ns < LONG_INTERVAL_NS) thread->period_left *= FREQUENT_KEPT_FACTOR;
}

void sampler_schedule_start(struct sampler_thread *thread, uint64_t interval_ns, uint64_t cpu_ns) {
    thread->interval_ns = interval_ns;
    draw_period(thread);
    thread->due_cpu_ns = cpu_ns + ((interval_ns * (next_random(thread) >> 12)) >> 20);
    thread->armed_cpu_ns = cpu_ns;
    thread->armed_wall_ns = sampler_clock_sig(CLOCK_MONOTONIC);
    thread->parked_ns = 0;
}

static void arm(struct sampler_thread *thread, uint64_t wall_ns, uint64_t left_ns) {
    int clock = atomic_load_explicit(&thread->clock, memory_order_relaxed);
    thread->expiry_wall_ns = wall_ns + left_ns;
    /* Publishes a schedule that another thread began: `expire` reads this first. */
    atomic_store_explicit(&thread->clock, clock, memory_order_release);
    if (clock == SAMPLER_TIMER_CPU)
        sampler_timer_set_sig(thread->timer_cpu, left_ns, 0);
    else
        sampler_timer_set_sig(thread->timer_wall, left_ns, thread->period_ns);
}

void sampler_arm_sig(struct sampler_thread *thread, uint64_t wall_ns, uint64_t cpu_ns) {
    arm(thread, wall_ns, thread->due_cpu_ns > cpu_ns ? thread->due_cpu_ns - cpu_ns : 1);
}

/* ---- The walk ---- */

static enum sampler_end end_of_native(enum sampler_unwind result) {
    switch (result) {
        case SAMPLER_UNWIND_END: return SAMPLER_END_COMPLETE;
        case SAMPLER_UNWIND_BAD_STACK: return SAMPLER_END_BAD_FRAME;
        case SAMPLER_UNWIND_NO_OBJECT:
            atomic_store_explicit(&sampler_shared.maps_stale, true, memory_order_relaxed);
            return SAMPLER_END_NO_CFI;
        default: return SAMPLER_END_NO_CFI;
    }
}

static void put_native(struct sampler_ring_writer *writer, uintptr_t pc, bool is_leaf) {
    struct sampler_raw_frame frame = {.pc = pc, .kind = SAMPLER_FRAME_NATIVE, .is_leaf = is_leaf};
    sampler_ring_put_frame_sig(writer, &frame);
}

static enum sampler_end walk(const struct sampler_thread *thread, const struct sampler_managed *managed,
                             struct sampler_regs *regs, struct sampler_ring_writer *writer) {
    const struct sampler_stack_bounds bounds = thread->bounds;
    bool is_leaf = true;
    while (writer->frame_count < SAMPLER_FRAME_LIMIT && !writer->full) {
        if (managed && managed->owns_pc(managed, regs->pc)) {
            struct sampler_raw_frame frames[SAMPLER_STEP_FRAMES];
            size_t count = 0;
            enum sampler_step step = managed->step(managed, &bounds, is_leaf, regs, frames, &count);
            for (size_t i = 0; i < count; i++)
                sampler_ring_put_frame_sig(writer, &frames[i]);
            if (step == SAMPLER_STEP_END) return SAMPLER_END_COMPLETE;
            if (step == SAMPLER_STEP_TRUNCATED || count == 0) return SAMPLER_END_MANAGED;
            is_leaf = false;
        } else {
            uintptr_t pc = regs->pc;
            bool was_leaf = is_leaf;
            enum sampler_unwind result = sampler_unwind_step_sig(regs, &bounds, is_leaf, &is_leaf);
            /* Nobody called a signal's way back (__restore_rt), either: its address is exact, too. */
            put_native(writer, pc, was_leaf || is_leaf);
            if (result != SAMPLER_UNWIND_OK) return end_of_native(result);
        }
    }
    return SAMPLER_END_DEPTH;
}

/* Writes the stack, or only its leaf where its bounds don't hold. */
static enum sampler_end note_stack(const struct sampler_thread *thread, const struct sampler_managed *managed,
                                   struct sampler_regs *regs, struct sampler_ring_writer *writer) {
    if (regs->sp >= thread->bounds.low && regs->sp < thread->bounds.limit) return walk(thread, managed, regs, writer);
    put_native(writer, regs->pc, true);
    return SAMPLER_END_NO_STACK;
}

/* May the stack be walked? The first samples of a thread that nobody registered are put off until the helper thread has
 * found its stack, or given up. */
static bool knows_stack(struct sampler_thread *thread, uintptr_t sp) {
    if (atomic_load_explicit(&thread->bounds_known, memory_order_acquire)) return true;
    if (atomic_load_explicit(&thread->seen_sp, memory_order_relaxed) == 0) {
        atomic_store_explicit(&thread->seen_tls, (uintptr_t)__builtin_thread_pointer(), memory_order_relaxed);
        atomic_store_explicit(&thread->seen_sp, sp, memory_order_release);
        sampler_wake_helper_sig();
    }
    return false;
}

/* ---- Taking a sample ---- */

static void count(_Atomic uint64_t *counter, uint64_t by) {
    /* One writer, so that a locked instruction isn't needed. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by, memory_order_relaxed);
}

/* Claims the CPU time up to CPU_NS for a sample. Returns: how much there was, 0 if someone else accounted it. */
static uint64_t claim_cpu(struct sampler_thread *thread, uint64_t cpu_ns) {
    uint64_t before = atomic_load_explicit(&thread->accounted_cpu_ns, memory_order_relaxed);
    for (int attempt = 0; attempt < 4 && before < cpu_ns; attempt++) {
        if (atomic_compare_exchange_strong(&thread->accounted_cpu_ns, &before, cpu_ns)) return cpu_ns - before;
    }
    return 0;
}

/* What was claimed earlier for whoever runs now, but is in no sample yet. */
static uint64_t take_owed(struct sampler_thread *thread) {
    struct sampler_guest *guest = atomic_load_explicit(&thread->guest, memory_order_relaxed);
    _Atomic uint64_t *owed_ns = guest ? &guest->owed_ns : &thread->owed_ns;
    return atomic_load_explicit(owed_ns, memory_order_relaxed) != 0 ? atomic_exchange(owed_ns, 0) : 0;
}

static void take_sample(struct sampler_thread *thread, uint64_t cpu_ns, const void *ucontext) {
    struct sampler_regs regs;
    sampler_regs_from_ucontext_sig(ucontext, &regs);
    if (!knows_stack(thread, regs.sp)) return;
    const struct sampler_managed *managed = atomic_load_explicit(&thread->managed, memory_order_acquire);
    const struct sampler_map_set *maps = sampler_maps_now_sig();
    struct sampler_ring_writer writer = sampler_ring_begin_sig(&thread->ring);
    enum sampler_end end = note_stack(thread, managed, &regs, &writer);
    uint64_t weight_ns;
    if (writer.full) {
        count(&thread->counters.lost_ring_full, 1);
    } else if ((weight_ns = claim_cpu(thread, cpu_ns)) != 0) {
        uintptr_t state = managed && managed->state ? managed->state(managed) : 0;
        sampler_ring_publish_sig(&thread->ring, &writer, end, weight_ns + take_owed(thread), state, maps);
        if (weight_ns >= 2 * thread->period_ns) count(&thread->counters.merged, weight_ns / thread->period_ns - 1);
    }
    if (sampler_ring_used_sig(&thread->ring) > thread->ring.word_count / 2 &&
        !atomic_exchange_explicit(&thread->wants_drain, true, memory_order_relaxed))
        sampler_wake_helper_sig();
}

/* ---- The schedule ---- */

/* Has the thread blocked since this was last asked, other than where it said it would (parked)? A system call, made
 * only where little CPU time was used. */
static bool has_blocked(struct sampler_thread *thread) {
    struct rusage usage;
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &usage) != 0) return true;
    uint64_t blocked_count = (uint64_t)usage.ru_nvcsw, park_count = thread->park_count;
    bool blocked = blocked_count - thread->blocked_count > park_count - thread->blocked_park_count;
    thread->blocked_count = blocked_count;
    thread->blocked_park_count = park_count;
    return blocked;
}

/* Which timer shall ask next: the precise one while the thread uses the time it has, or would if others let it (it is
 * preempted, not blocked); else the one that can't disturb. A sample that is not due when the precise timer expires is
 * the first sign of waiting, and enough: a waiting thread is interrupted once. The lower marks avoid flapping. At long
 * intervals a preempted thread goes to the other one too: the precise timer would expire several times a sample, each
 * time others have run for so long. */
static enum sampler_timer_clock choose_clock(struct sampler_thread *thread, enum sampler_timer_clock clock, bool due,
                                             uint64_t wall_ns, uint64_t cpu_ns) {
    uint64_t used_ns = cpu_ns - thread->armed_cpu_ns;
    uint64_t had_ns = wall_ns - thread->armed_wall_ns - thread->parked_ns;
    uint64_t enough_ns = clock == SAMPLER_TIMER_CPU ? had_ns / 2 : due ? had_ns / 4 : had_ns - had_ns / 4;
    if (used_ns >= enough_ns) return SAMPLER_TIMER_WALL;
    return thread->interval_ns >= LONG_INTERVAL_NS || has_blocked(thread) ? SAMPLER_TIMER_CPU : SAMPLER_TIMER_WALL;
}

/* The next due point follows the last one, not the moment that noticed it: else lateness, which is not the same in all
 * code, would pull the schedule into step with the program's rhythm. Points that have passed altogether are merged. */
static void advance_due(struct sampler_thread *thread, uint64_t cpu_ns) {
    uint64_t late_ns = cpu_ns > thread->due_cpu_ns ? cpu_ns - thread->due_cpu_ns : 0;
    thread->due_cpu_ns += thread->period_ns * (1 + late_ns / thread->period_ns);
}

/* Arms the next expiration, after one at CLOCK. SAMPLED: a sample was due; a paused thread took none. */
static void schedule_next(struct sampler_thread *thread, enum sampler_timer_clock clock, bool sampled, uint64_t wall_ns,
                          uint64_t cpu_ns) {
    enum sampler_timer_clock next = choose_clock(thread, clock, sampled, wall_ns, cpu_ns);
    thread->armed_wall_ns = wall_ns;
    thread->armed_cpu_ns = cpu_ns;
    thread->parked_ns = 0;
    bool same_period = thread->period_left != 0;
    if (!same_period)
        draw_period(thread);
    else
        thread->period_left--;
    if (sampled) advance_due(thread, cpu_ns);
    /* A thread that uses the time it has finds the next sample due, no more than a period late, when the periodic timer
     * expires again: it goes on by itself. Its lateness lasts until the next period is drawn, no longer. */
    if (next == SAMPLER_TIMER_WALL && clock == next && sampled && same_period) {
        thread->expiry_wall_ns = wall_ns + thread->period_ns;
        return;
    }
    if (next == SAMPLER_TIMER_CPU && clock == SAMPLER_TIMER_WALL) sampler_timer_set_sig(thread->timer_wall, 0, 0);
    atomic_store_explicit(&thread->clock, next, memory_order_relaxed);
    /* Not too soon, or a thread that is paused or waits would do nothing but take signals. */
    uint64_t left_ns = thread->due_cpu_ns > cpu_ns ? thread->due_cpu_ns - cpu_ns : 0;
    uint64_t least_ns = thread->interval_ns / EARLY_DIVISOR;
    arm(thread, wall_ns, left_ns > least_ns ? left_ns : least_ns);
}

static void expire(struct sampler_thread *thread, enum sampler_timer_clock clock, uint64_t interval_ns,
                   uint64_t wall_ns, uint64_t cpu_ns, const void *ucontext) {
    if ((int)clock != atomic_load_explicit(&thread->clock, memory_order_acquire))
        return; /* late, from before a switch */
    if (thread->interval_ns != interval_ns) {
        thread->interval_ns = interval_ns;
        thread->period_left = 0;
        if (thread->due_cpu_ns > cpu_ns + interval_ns) thread->due_cpu_ns = cpu_ns + interval_ns;
    }
    if (clock == SAMPLER_TIMER_WALL && atomic_load_explicit(&thread->park, memory_order_relaxed) != SAMPLER_RUNNING) {
        sampler_timer_set_sig(thread->timer_wall, 0, 0); /* it waits in its event loop: off until unpark */
        thread->park_disarmed = true;
        thread->park_count++; /* the signal made two waits of one */
        return;
    }
    bool due = cpu_ns + interval_ns / EARLY_DIVISOR >= thread->due_cpu_ns;
    if (due && !atomic_load_explicit(&thread->paused, memory_order_relaxed)) take_sample(thread, cpu_ns, ucontext);
    schedule_next(thread, clock, due, wall_ns, cpu_ns);
}

/* ---- The handler ---- */

/* The thread that a timer's signal is for, if it is the calling one and still of the generation the timer was made for.
 * The first signal of a thread that did not register itself costs a system call. */
static struct sampler_thread *find_thread(const siginfo_t *info, enum sampler_timer_clock *clock_out) {
    if (info->si_code != SI_TIMER) return NULL;
    uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
    size_t index = (value & UINT32_MAX) >> 1;
    if (index >= SAMPLER_THREAD_MAX) return NULL;
    struct sampler_thread *thread = atomic_load_explicit(&sampler_shared.threads[index], memory_order_acquire);
    if (!thread || atomic_load_explicit(&thread->generation, memory_order_acquire) != value >> 32) return NULL;
    if (sampler_self != thread) {
        if (sampler_gettid() != atomic_load_explicit(&thread->tid, memory_order_relaxed)) return NULL;
        sampler_self = thread;
    }
    *clock_out = (enum sampler_timer_clock)(value & 1);
    return thread;
}

/* A handler that takes this long has most likely been preempted; only then its CPU time is worth a system call. */
#define SUSPICIOUS_NS 20000

static void measure(struct sampler_counters *counters, uint64_t wall_ns, uint64_t cpu_ns) {
    uint64_t took_ns = sampler_clock_sig(CLOCK_MONOTONIC) - wall_ns;
    if (took_ns > SUSPICIOUS_NS) took_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    _Atomic uint32_t *bucket = &counters->histogram[sampler_histogram_bucket(took_ns)];
    atomic_store_explicit(bucket, atomic_load_explicit(bucket, memory_order_relaxed) + 1, memory_order_relaxed);
    count(&counters->signals, 1);
    count(&counters->handler_ns, took_ns);
}

void sampler_handler_sig(int signal, void *siginfo, void *ucontext) {
    int saved_errno = errno;
    enum sampler_timer_clock clock;
    (void)signal;
    uint64_t began_ns = sampler_clock_sig(CLOCK_MONOTONIC);
    struct sampler_thread *thread = find_thread(siginfo, &clock);
    if (!thread) {
        atomic_fetch_add_explicit(&sampler_shared.lost_no_thread, 1, memory_order_relaxed);
    } else {
        /* Sequentially consistent with the stopping thread, which clears the interval and then waits for handlers. */
        atomic_store(&thread->in_handler, true);
        uint64_t interval_ns = atomic_load(&sampler_shared.interval_ns);
        if (interval_ns != 0 && !atomic_load_explicit(&thread->closing, memory_order_relaxed)) {
            uint64_t cpu_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
            expire(thread, clock, interval_ns, began_ns, cpu_ns, ucontext);
            measure(&thread->counters, began_ns, cpu_ns);
        } else if (clock == SAMPLER_TIMER_WALL) {
            sampler_timer_set_sig(thread->timer_wall, 0, 0); /* periodic: it would go on for ever */
        }
        atomic_store_explicit(&thread->in_handler, false, memory_order_release);
    }
    errno = saved_errno;
}
