/* control.c: recordings, and the helper thread that serves them.
 *
 * A recording is a snapshot of the accumulator and of every counter; closing it encodes the difference. The first one
 * to open arms all threads, the last one to close disarms them. What must happen in between without a thread of the
 * program's (draining full rings, finding threads, stacks and new objects) the helper thread does.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sampler/budget.h"
#include "sampler/clock.h"
#include "sampler/cost.h"
#include "sampler/delivery.h"
#include "sampler/fold.h"
#include "sampler/threads.h"
#include "sampler/unwind.h"

#define INTERVAL_MIN_NS UINT64_C(100000)
#define INTERVAL_MAX_NS UINT64_C(100000000)

/* Higher levels take more than twice the time for the last percent. */
#define GZIP_LEVEL_DEFAULT 6
#define GZIP_LEVEL_MAX 12

/* How long a stop waits for managed threads to drain, and a start beside other recordings. */
#define STOP_PATIENCE_NS UINT64_C(1000000000)
#define START_PATIENCE_NS UINT64_C(5000000)

/* CPU time that no known thread accounts for is noise below this: clocks are read one after another. */
#define UNSEEN_MIN_NS UINT64_C(200000)

/* How often the helper looks for new threads and objects: at first often, and again when they come and go; at the
 * longest every 10 intervals (and 40 ms) while the process works, which bounds what a new thread does unseen, and
 * seldom while it uses less than a 50th of a CPU. */
#define LOOK_MIN_NS UINT64_C(10000000)
#define LOOK_BUSY_NS UINT64_C(40000000)
#define LOOK_BUSY_INTERVALS 10
#define LOOK_IDLE_NS UINT64_C(1280000000)
#define LOOKS_PER_SCAN 8
#define IDLE_DIVISOR 50

/* Probes of what a signal costs: so many at first, and another one each time so much CPU time was used. */
#define PROBES_AT_FIRST 8
#define PROBE_EVERY_NS UINT64_C(1000000000)

/* What the handler and folding are expected to take for a sample, until it is known. */
#define HANDLER_EXPECTED_NS 8000

/* Threads notice a new interval at their next sample, which is soon enough unless it is this many times shorter. */
#define HURRY_FACTOR 4

struct sampler_recording {
    struct sampler_recording *next;
    uint64_t interval_ns; /* 0: auto */
    uint32_t budget_ppm;  /* of auto */
    int gzip_level;
    int64_t began_unix_ns;
    uint64_t began_ns;
    fino_pprof_snapshot *since;
    struct sampler_fold_totals totals;
    struct sampler_counter_sums counters;
    uint64_t lost_no_thread;
    struct sampler_cost cost;
    uint64_t interval_min_ns; /* of those that applied meanwhile */
    uint64_t interval_max_ns;
    uint64_t late_drains; /* managed threads that did not drain in time at the end */
};

/* Serialises start and stop. Whoever waits for it goes on draining its own thread. */
static pthread_mutex_t control_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Under the registry's lock. */
static struct {
    struct sampler_recording *open;
    uint64_t began_process_ns;    /* the process's CPU clock when the first recording opened */
    uint64_t unseen_ns;           /* accounted to no known thread since then */
    struct sampler_budget budget; /* of the open recordings on auto; PPM == 0: there is none */
    uint64_t probed_at_ns;        /* the account's CPU time at the last probe */
    bool helper_runs;
    pthread_t helper;
    uint64_t
        helper_apart_ns; /* its CPU time for folding, which the folds count, and for naming, which is no sampling */
    uint64_t naming_since_ns; /* that clock when it last began; 0: it is not naming */
    bool program_is_busy;     /* when the helper last looked around */
} control;

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void pause_ns(uint64_t ns) {
    struct timespec time = {(time_t)(ns / SAMPLER_NS_PER_S), (long)(ns % SAMPLER_NS_PER_S)};
    nanosleep(&time, NULL);
}

/* ---- Forks ---- */

static void before_fork(void) {
    sampler_maps_before_fork();
    sampler_fold_lock_names();
    sampler_registry_lock();
    sampler_fold_lock();
}

static void after_fork_in_parent(void) {
    sampler_fold_unlock();
    sampler_registry_unlock();
    sampler_fold_unlock_names();
    sampler_maps_after_fork_in_parent();
}

/* The child has one thread, no timers and no recordings; it may start its own. */
static void after_fork_in_child(void) {
    atomic_store(&sampler_shared.interval_ns, 0);
    sampler_fold_after_fork();
    sampler_threads_after_fork();
    sampler_maps_after_fork_in_child();
    pthread_mutex_init(&control_mutex, NULL);
    control.open = NULL; /* their snapshots are lost, as is all memory of the parent's that nobody knows of */
    control.budget.ppm = 0;
    control.helper_runs = false;
    control.helper_apart_ns = control.naming_since_ns = 0;
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- Intervals and what they cost ---- */

static uint64_t shortest_interval(void) {
    uint64_t shortest = control.budget.ppm != 0 ? control.budget.interval_ns : 0;
    for (struct sampler_recording *open = control.open; open; open = open->next) {
        if (open->interval_ns == 0) continue;
        if (shortest == 0 || open->interval_ns < shortest) shortest = open->interval_ns;
    }
    return shortest;
}

static void apply_interval(void) {
    uint64_t interval_ns = shortest_interval(), before_ns = atomic_exchange(&sampler_shared.interval_ns, interval_ns);
    for (struct sampler_recording *open = control.open; open; open = open->next) {
        if (interval_ns < open->interval_min_ns) open->interval_min_ns = interval_ns;
        if (interval_ns > open->interval_max_ns) open->interval_max_ns = interval_ns;
    }
    if (interval_ns * HURRY_FACTOR > before_ns) return;
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next)
        sampler_thread_hurry(thread, interval_ns);
}

/* CPU time of the helper thread, other than for folding and naming. */
static uint64_t upkeep_clock_ns(void) {
    clockid_t clock;
    if (!control.helper_runs || pthread_getcpuclockid(control.helper, &clock) != 0) return 0;
    uint64_t now_ns = control.naming_since_ns != 0 ? control.naming_since_ns : sampler_clock_sig(clock);
    return now_ns - control.helper_apart_ns;
}

static void settle_cost(void) {
    sampler_cost_settle(atomic_load(&sampler_shared.interval_ns), upkeep_clock_ns());
}

/* The first time, on a thread of the program's, which may block the signal. */
static void probe_at_first(void) {
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, fino_sampler_signal());
    pthread_sigmask(SIG_UNBLOCK, &ours, &before);
    sampler_registry_lock();
    if (sampler_delivery_probes() == 0) sampler_delivery_probe(fino_sampler_signal(), PROBES_AT_FIRST);
    sampler_registry_unlock();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* After a recording came or went: the largest budget among those on auto applies, as the shortest interval does. */
static void apply_budget(void) {
    const struct sampler_cost cost = sampler_cost_now();
    const struct sampler_usage usage = sampler_cost_usage(&cost);
    uint32_t ppm = 0;
    for (struct sampler_recording *open = control.open; open; open = open->next) {
        if (open->interval_ns == 0 && open->budget_ppm > ppm) ppm = open->budget_ppm;
    }
    if (ppm != 0 && control.budget.ppm == 0)
        sampler_budget_begin(&control.budget, ppm, sampler_delivery_ns() + HANDLER_EXPECTED_NS, &usage);
    control.budget.ppm = ppm;
}

/* On the helper thread, while recording. */
static void watch_cost(void) {
    uint64_t applied_ns = atomic_load(&sampler_shared.interval_ns);
    settle_cost();
    const struct sampler_cost cost = sampler_cost_now();
    const struct sampler_usage usage = sampler_cost_usage(&cost);
    if (usage.cpu_ns - control.probed_at_ns >= PROBE_EVERY_NS) {
        control.probed_at_ns = usage.cpu_ns;
        sampler_delivery_probe(fino_sampler_signal(), 1);
    }
    if (control.budget.ppm == 0) return;
    sampler_budget_step(&control.budget, &usage, applied_ns);
    apply_interval();
}

/* ---- The helper thread ---- */

static bool drain_on_helper(struct sampler_thread *thread) {
    uint64_t began_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
    bool drained = sampler_thread_drain_elsewhere(thread);
    if (drained) control.helper_apart_ns += sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    return drained;
}

/* Names are looked up for so long at a time, as meanwhile the helper finds no new threads and their stacks; a large
 * object's symbol table takes a few milliseconds once. */
#define NAMING_SLICE_NS UINT64_C(2000000)

/* Without the lock, which others go on taking while names are looked up. A program that waits is left in peace: there
 * is time at the stop. Returns: whether there is more to do. */
static bool name_on_helper(void) {
    sampler_registry_lock();
    bool may = control.open != NULL && control.program_is_busy;
    if (may) control.naming_since_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
    sampler_registry_unlock();
    if (!may) return false;
    bool done = sampler_fold_name_pending(sampler_clock_sig(CLOCK_MONOTONIC) + NAMING_SLICE_NS);
    sampler_registry_lock();
    control.helper_apart_ns += sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID) - control.naming_since_ns;
    control.naming_since_ns = 0;
    sampler_registry_unlock();
    return !done;
}

static void serve_drains(void) {
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next) {
        if (!atomic_load_explicit(&thread->wants_drain, memory_order_relaxed)) continue;
        if (drain_on_helper(thread)) continue;
        struct sampler_managed *managed = atomic_load(&thread->managed);
        if (managed && managed->request_drain) managed->request_drain(managed);
    }
}

/* Rings are emptied long before they are full: a stop has little left to fold then, and names are found meanwhile. */
static void want_drains(void) {
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next) {
        if (sampler_ring_used_sig(&thread->ring) != 0) atomic_store(&thread->wants_drain, true);
    }
}

/* Without the registry's lock: whoever holds the loader's may be waiting for a thread that is about to register. */
static void refresh_maps(void) {
    atomic_store_explicit(&sampler_shared.maps_stale, false, memory_order_relaxed);
    sampler_maps_refresh();
}

static void add_program(void) {
    sampler_fold_lock();
    sampler_fold_add_program();
    sampler_fold_unlock();
}

/* The number of the process's threads, cheaply; 0 when /proc doesn't tell. */
static unsigned long count_threads(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (unsigned long)tasks.st_nlink : 0;
}

static uint64_t longest_look_ns(bool busy) {
    uint64_t look_ns = LOOK_BUSY_INTERVALS * atomic_load(&sampler_shared.interval_ns);
    if (!busy) return LOOK_IDLE_NS;
    return look_ns > LOOK_BUSY_NS ? look_ns : LOOK_BUSY_NS;
}

/* Looks at the threads' number, and at the threads themselves when it changed, when objects did, or every
 * LOOKS_PER_SCAN times (one may have ended and another begun). Returns: how long until the next time. */
static uint64_t look_around(uint64_t period_ns) {
    static uint64_t cpu_before_ns;
    static unsigned long threads_before;
    static unsigned looks;
    uint64_t cpu_ns = sampler_clock_sig(CLOCK_PROCESS_CPUTIME_ID), used_ns = cpu_ns - cpu_before_ns;
    unsigned long threads = count_threads();
    int changes = 0;
    if (threads != threads_before || ++looks >= LOOKS_PER_SCAN ||
        atomic_load_explicit(&sampler_shared.maps_stale, memory_order_relaxed)) {
        changes = sampler_threads_scan(false);
        looks = 0;
    }
    cpu_before_ns = cpu_ns;
    threads_before = threads;
    control.program_is_busy = used_ns >= period_ns / IDLE_DIVISOR;
    uint64_t longest_ns = longest_look_ns(control.program_is_busy);
    if (changes > 0 || period_ns > longest_ns) return LOOK_MIN_NS;
    return period_ns * 2 < longest_ns ? period_ns * 2 : longest_ns;
}

static void wait_for_wake(uint32_t seen, uint64_t timeout_ns) {
    struct timespec timeout = {(time_t)(timeout_ns / SAMPLER_NS_PER_S), (long)(timeout_ns % SAMPLER_NS_PER_S)};
    syscall(SYS_futex, &sampler_shared.wake, SAMPLER_FUTEX_WAIT, seen, timeout_ns ? &timeout : NULL, NULL, 0);
}

static void *run_helper(void *unused) {
    uint64_t period_ns = LOOK_MIN_NS, next_ns = 0;
    (void)unused;
    fino_sampler_thread_register("fino-sampler");
    for (;;) {
        uint32_t seen = atomic_load(&sampler_shared.wake);
        uint64_t now_ns = sampler_clock_sig(CLOCK_MONOTONIC);
        sampler_registry_lock();
        bool active = control.open != NULL, looks = false;
        if (active) {
            if (now_ns >= next_ns) want_drains();
            serve_drains();
            sampler_threads_find_stacks();
            looks = now_ns >= next_ns || atomic_load_explicit(&sampler_shared.maps_stale, memory_order_relaxed);
            if (looks) {
                period_ns = look_around(period_ns);
                watch_cost();
                next_ns = now_ns + period_ns;
            }
        } else {
            period_ns = LOOK_MIN_NS;
        }
        sampler_registry_unlock();
        if (looks) refresh_maps(); /* each time: a library may come to where another one was */
        if (active && name_on_helper()) continue;
        wait_for_wake(seen, active ? (next_ns > now_ns ? next_ns - now_ns : 1) : 0);
    }
    return NULL;
}

/* Starts the helper with every signal blocked but ours: the program's are not its business. */
static int start_helper(void) {
    sigset_t all, before;
    if (control.helper_runs) return 0;
    sigfillset(&all);
    sigdelset(&all, fino_sampler_signal());
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&control.helper, NULL, run_helper, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    control.helper_runs = error == 0;
    return -error;
}

/* ---- Settling: every thread's samples folded, every nanosecond accounted ---- */

/* Folds what waits wherever that may be done from here, and asks the others. Returns: how many were asked. */
static unsigned drain_reachable(bool ask) {
    unsigned asked = 0;
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next) {
        if (sampler_ring_used_sig(&thread->ring) == 0) continue;
        if (thread == sampler_self) {
            fino_sampler_thread_drain(thread);
        } else if (!sampler_thread_drain_elsewhere(thread)) {
            struct sampler_managed *managed = atomic_load(&thread->managed);
            if (ask) atomic_store(&thread->wants_drain, true);
            if (!atomic_load(&thread->wants_drain)) continue; /* it has drained since it was asked */
            if (ask && managed && managed->request_drain) managed->request_drain(managed);
            asked++;
        }
    }
    return asked;
}

/* Without the registry's lock, which threads on their way to a drain may want. Returns: how many did not make it. */
static unsigned drain_all(uint64_t patience_ns) {
    uint64_t deadline_ns = sampler_clock_sig(CLOCK_MONOTONIC) + patience_ns;
    unsigned asked;
    for (bool ask = true;; ask = false) {
        sampler_registry_lock();
        asked = drain_reachable(ask);
        sampler_registry_unlock();
        if (asked == 0 || sampler_clock_sig(CLOCK_MONOTONIC) >= deadline_ns) return asked;
        pause_ns(200000);
    }
}

/* CPU time of threads that came and went between two scans is known of the process only. The process's clock is read
 * before the threads', so that what they do meanwhile can't be mistaken for it. */
static void account_all(void) {
    uint64_t process_ns = sampler_clock_sig(CLOCK_PROCESS_CPUTIME_ID) - control.began_process_ns;
    sampler_fold_lock();
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next)
        sampler_fold_account(thread, sampler_thread_cpu_ns(thread));
    sampler_fold_account_guests();
    uint64_t known_ns = sampler_threads_accounted_ns() + control.unseen_ns;
    if (process_ns > known_ns + UNSEEN_MIN_NS) {
        sampler_fold_account_unseen(process_ns - known_ns);
        control.unseen_ns += process_ns - known_ns;
    }
    sampler_fold_unlock();
}

static void wait_for_handlers(void) {
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next) {
        for (int i = 0; i < 10000 && atomic_load(&thread->in_handler); i++)
            sched_yield();
    }
}

/* ---- Starting ---- */

static void lock_control(void) {
    while (pthread_mutex_trylock(&control_mutex) != 0) {
        struct sampler_thread *self = sampler_self;
        if (self && atomic_load(&self->wants_drain)) fino_sampler_thread_drain(self);
        pause_ns(100000);
    }
}

/* Returns -EAGAIN when not even the calling thread could be given a timer. */
static int begin_first(uint64_t interval_ns) {
    sampler_threads_scan(true);
    sampler_cost_begin(upkeep_clock_ns());
    control.probed_at_ns = 0;
    control.began_process_ns = sampler_clock_sig(CLOCK_PROCESS_CPUTIME_ID);
    control.unseen_ns = 0;
    sampler_threads_begin();
    atomic_store(&sampler_shared.interval_ns, interval_ns);
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next)
        sampler_thread_arm(thread, interval_ns, thread == sampler_self);
    bool armed = sampler_self->timer_cpu != SAMPLER_TIMER_NONE || sampler_self->timer_wall != SAMPLER_TIMER_NONE;
    return armed ? 0 : -EAGAIN;
}

/* With the control mutex. RECORDING has its interval or budget. */
static int open_recording(struct sampler_recording *recording) {
    int result;
    bool first = control.open == NULL; /* which nobody else changes now */
    if (first) refresh_maps();
    sampler_registry_lock();
    if (first) add_program();
    result = start_helper();
    sampler_registry_unlock();
    if (result != 0) return result;
    if (!first) drain_all(START_PATIENCE_NS);
    sampler_registry_lock();
    if (first) {
        result = begin_first(recording->interval_ns != 0 ? recording->interval_ns : SAMPLER_AUTO_MIN_NS);
    } else {
        account_all();
        settle_cost();
    }
    sampler_fold_lock();
    for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next)
        sampler_fold_forget_last(thread);
    sampler_fold_forget_guests_last();
    recording->since = sampler_fold_snapshot();
    recording->totals = sampler_fold_totals();
    sampler_fold_unlock();
    if (recording->since && result == 0) {
        recording->next = control.open;
        control.open = recording;
        recording->cost = sampler_cost_now();
        apply_budget();
        apply_interval();
        sampler_threads_sum(&recording->counters);
        recording->lost_no_thread = atomic_load(&sampler_shared.lost_no_thread);
        recording->began_unix_ns = (int64_t)sampler_clock_sig(CLOCK_REALTIME);
        recording->began_ns = sampler_clock_sig(CLOCK_MONOTONIC);
        sampler_wake_helper_sig();
    } else {
        if (result == 0) result = -ENOMEM;
        fino_pprof_snapshot_free(recording->since);
        if (first) atomic_store(&sampler_shared.interval_ns, 0);
    }
    sampler_registry_unlock();
    return result;
}

static bool are_valid(const struct fino_sampler_options *options) {
    if (options->gzip_level < 0 || options->gzip_level > GZIP_LEVEL_MAX) return false;
    if (options->interval_ns != 0)
        return options->interval_ns >= INTERVAL_MIN_NS && options->interval_ns <= INTERVAL_MAX_NS &&
               options->budget_ppm == 0;
    return options->budget_ppm == 0 ||
           (options->budget_ppm >= SAMPLER_BUDGET_MIN_PPM && options->budget_ppm <= SAMPLER_BUDGET_MAX_PPM);
}

int fino_sampler_start(const struct fino_sampler_options *options, sampler_recording **recording_out) {
    static const struct fino_sampler_options defaults;
    if (!options) options = &defaults;
    if (!are_valid(options)) return -EINVAL;
    int result = sampler_threads_open();
    if (result == 0 && !sampler_threads_have_signal()) result = -EBUSY;
    if (result == 0) result = sampler_fold_open();
    if (result != 0) return result;
    pthread_once(&fork_once, watch_forks);
    if (!sampler_self && !fino_sampler_thread_register(NULL)) return -ENOMEM;
    struct sampler_recording *recording = calloc(1, sizeof *recording);
    if (!recording) return -ENOMEM;
    recording->interval_ns = options->interval_ns;
    recording->budget_ppm = options->budget_ppm != 0 ? options->budget_ppm : SAMPLER_BUDGET_DEFAULT_PPM;
    recording->gzip_level = options->gzip_level != 0 ? options->gzip_level : GZIP_LEVEL_DEFAULT;
    recording->interval_min_ns = UINT64_MAX;
    lock_control();
    if (sampler_delivery_probes() == 0) probe_at_first();
    result = open_recording(recording);
    pthread_mutex_unlock(&control_mutex);
    if (result != 0) {
        free(recording);
        return result;
    }
    *recording_out = recording;
    return 0;
}

/* ---- Stopping ---- */

static bool take_from_open(struct sampler_recording *recording) {
    for (struct sampler_recording **link = &control.open; *link; link = &(*link)->next) {
        if (*link != recording) continue;
        *link = recording->next;
        return true;
    }
    return false;
}

static uint64_t percentile(const struct sampler_counter_sums *counters, unsigned percent) {
    uint64_t sum = 0, passed = 0;
    for (unsigned i = 0; i < SAMPLER_HISTOGRAM_SIZE; i++)
        sum += counters->histogram[i];
    for (unsigned i = 0; i < SAMPLER_HISTOGRAM_SIZE; i++) {
        passed += counters->histogram[i];
        if (passed * 100 >= sum * percent && passed > 0) return sampler_histogram_value(i);
    }
    return 0;
}

static void subtract_counters(struct sampler_counter_sums *now, const struct sampler_counter_sums *before) {
    now->lost_ring_full -= before->lost_ring_full;
    now->merged -= before->merged;
    now->signals -= before->signals;
    now->handler_ns -= before->handler_ns;
    for (int i = 0; i < SAMPLER_HISTOGRAM_SIZE; i++)
        now->histogram[i] -= before->histogram[i];
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

static void measure_cost(const struct sampler_recording *recording, struct fino_sampler_stats *stats) {
    const struct sampler_cost cost = sampler_cost_since(&recording->cost);
    double mean_ns = cost.points > 0 ? (double)cost.cpu_ns / cost.points : 0;
    stats->points = (uint64_t)(cost.points + 0.5);
    stats->interval_min_ns = recording->interval_min_ns;
    stats->interval_max_ns = recording->interval_max_ns;
    stats->interval_mean_ns = within((uint64_t)mean_ns, stats->interval_min_ns, stats->interval_max_ns);
    stats->delivery_ns = sampler_delivery_ns();
    stats->delivery_ns_total = cost.delivery_ns;
    stats->upkeep_ns = cost.upkeep_ns;
    stats->cost_ns = cost.delivery_ns + cost.handler_ns + cost.fold_ns + cost.upkeep_ns;
}

/* With the registry's lock. */
static void measure(const struct sampler_recording *recording, struct fino_sampler_stats *stats) {
    struct sampler_counter_sums counters;
    const struct sampler_fold_totals *before = &recording->totals;
    sampler_threads_sum(&counters);
    subtract_counters(&counters, &recording->counters);
    sampler_fold_lock();
    struct sampler_fold_totals now = sampler_fold_totals();
    sampler_fold_unlock();
    for (int i = 0; i < SAMPLER_END_COUNT; i++)
        now.ends[i] -= before->ends[i];
    *stats = (struct fino_sampler_stats){
        .samples = now.samples - before->samples,
        .cpu_ns = now.cpu_ns - before->cpu_ns,
        .wall_ns = sampler_clock_sig(CLOCK_MONOTONIC) - recording->began_ns,
        .complete = now.ends[SAMPLER_END_COMPLETE],
        .truncated_depth = now.ends[SAMPLER_END_DEPTH],
        .truncated_no_cfi = now.ends[SAMPLER_END_NO_CFI],
        .truncated_bad_frame = now.ends[SAMPLER_END_BAD_FRAME],
        .truncated_managed = now.ends[SAMPLER_END_MANAGED],
        .truncated_no_stack = now.ends[SAMPLER_END_NO_STACK],
        .lost_ring_full = counters.lost_ring_full,
        .lost_no_thread = atomic_load(&sampler_shared.lost_no_thread) - recording->lost_no_thread,
        .timer_overruns = counters.merged,
        .unresolved_frames = now.unresolved_frames - before->unresolved_frames,
        .handler_ns_p50 = percentile(&counters, 50),
        .handler_ns_p99 = percentile(&counters, 99),
        .handler_ns_total = counters.handler_ns,
        .unsampled_ns = now.unsampled_ns - before->unsampled_ns,
        .fold_ns = now.fold_ns - before->fold_ns,
        .signals = counters.signals,
    };
    stats->truncated = stats->samples - stats->complete;
    measure_cost(recording, stats);
}

/* Closes RECORDING: when this returns, all that belongs to it is in the accumulator. With the control mutex. */
static int close_recording(struct sampler_recording *recording, struct fino_sampler_stats *stats) {
    sampler_registry_lock();
    settle_cost();
    bool found = take_from_open(recording), last = control.open == NULL;
    apply_budget();
    if (found && last) {
        atomic_store(&sampler_shared.interval_ns, 0);
        for (struct sampler_thread *thread = sampler_threads_first(); thread; thread = thread->next)
            sampler_thread_disarm(thread);
        wait_for_handlers();
    } else if (found) {
        apply_interval();
    }
    sampler_registry_unlock();
    if (!found) return -EINVAL;
    recording->late_drains = drain_all(STOP_PATIENCE_NS);
    sampler_registry_lock();
    account_all();
    settle_cost();
    measure(recording, stats);
    sampler_registry_unlock();
    return 0;
}

/* ---- The profile's comments ---- */

#define OWN_COMMENTS 6
#define COMMENT_SIZE 256

__attribute__((format(printf, 2, 3))) static void say(char *comment, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(comment, COMMENT_SIZE, format, arguments);
    va_end(arguments);
}

#define MS(ns) ((double)(ns) / 1e6)
#define US(ns) ((double)(ns) / 1e3)
#define N(count) ((unsigned long long)(count))

static void write_interval(const struct sampler_recording *recording, const struct fino_sampler_stats *stats,
                           char *comment) {
    char asked[64];
    if (recording->interval_ns != 0)
        snprintf(asked, sizeof asked, "%.1f us", US(recording->interval_ns));
    else
        snprintf(asked, sizeof asked, "auto, for %.1f %% of the CPU time", (double)recording->budget_ppm / 1e4);
    say(comment,
        "sampler: interval %s; of CPU time it was %.1f us in the mean, %.1f to %.1f us; signal %d, every "
        "thread",
        asked, US(stats->interval_mean_ns), US(stats->interval_min_ns), US(stats->interval_max_ns),
        fino_sampler_signal());
}

static void write_comments(const struct sampler_recording *recording, const struct fino_sampler_stats *stats,
                           char comments[OWN_COMMENTS][COMMENT_SIZE]) {
    write_interval(recording, stats, comments[0]);
    say(comments[1],
        "samples: %llu of %llu that the intervals ask for, CPU %.3f ms (%.3f ms of it without a sample), wall %.3f ms",
        N(stats->samples), N(stats->points), MS(stats->cpu_ns), MS(stats->unsampled_ns), MS(stats->wall_ns));
    say(comments[2],
        "stacks: %llu complete, %llu truncated (%llu too deep, %llu without CFI, %llu bad frames, %llu in managed "
        "code, "
        "%llu on unknown stacks)",
        N(stats->complete), N(stats->truncated), N(stats->truncated_depth), N(stats->truncated_no_cfi),
        N(stats->truncated_bad_frame), N(stats->truncated_managed), N(stats->truncated_no_stack));
    say(comments[3],
        "lost: %llu ring full, %llu thread gone (their CPU time is in the next sample); %llu merged, %llu frames "
        "unresolved, "
        "%llu threads not drained",
        N(stats->lost_ring_full), N(stats->lost_no_thread), N(stats->timer_overruns), N(stats->unresolved_frames),
        N(recording->late_drains));
    say(comments[4], "handler: %llu signals, p50 %.2f us, p99 %.2f us, %.3f ms in all", N(stats->signals),
        US(stats->handler_ns_p50), US(stats->handler_ns_p99), MS(stats->handler_ns_total));
    say(comments[5],
        "cost: %.2f %% of the CPU time: signals %.3f ms (%.1f us each by %u probes), handler %.3f ms, folding %.3f ms, "
        "helper "
        "thread %.3f ms",
        stats->cpu_ns != 0 ? 100 * (double)stats->cost_ns / (double)stats->cpu_ns : 0, MS(stats->delivery_ns_total),
        US(stats->delivery_ns), sampler_delivery_probes(), MS(stats->handler_ns_total), MS(stats->fold_ns),
        MS(stats->upkeep_ns));
}

static int encode(const struct sampler_recording *recording, const struct fino_sampler_stats *stats,
                  const char *const *comments, size_t comment_count, uint8_t **data_out, size_t *nbytes_out) {
    char own[OWN_COMMENTS][COMMENT_SIZE];
    const char **all = calloc(comment_count + OWN_COMMENTS, sizeof *all);
    if (!all) return -ENOMEM;
    write_comments(recording, stats, own);
    for (size_t i = 0; i < comment_count; i++)
        all[i] = comments[i];
    for (size_t i = 0; i < OWN_COMMENTS; i++)
        all[comment_count + i] = own[i];
    struct fino_pprof_header header = {
        .time_nanos = recording->began_unix_ns,
        .duration_nanos = (int64_t)stats->wall_ns,
        .period_type = {"cpu", "nanoseconds"},
        .period = (int64_t)stats->interval_mean_ns,
        .default_sample_type = "cpu",
        .comments = all,
        .comment_count = comment_count + OWN_COMMENTS,
        .has_program = true,
    };
    (void)sampler_fold_name_pending(UINT64_MAX);
    int result = sampler_fold_encode(recording->since, &header, recording->gzip_level, data_out, nbytes_out);
    free(all);
    return result;
}

void fino_sampler_look(sampler_recording *recording, struct fino_sampler_stats *stats_out) {
    if (sampler_self) fino_sampler_thread_drain(sampler_self);
    sampler_registry_lock();
    settle_cost();
    measure(recording, stats_out);
    sampler_registry_unlock();
}

int fino_sampler_stop(sampler_recording *recording, const char *const *comments, size_t comment_count,
                      uint8_t **data_out, size_t *nbytes_out, struct fino_sampler_stats *stats_out) {
    struct fino_sampler_stats stats = {0};
    if (!recording) return -EINVAL;
    lock_control();
    int result = close_recording(recording, &stats);
    if (result == 0) {
        if (data_out) result = encode(recording, &stats, comments, comment_count, data_out, nbytes_out);
        sampler_fold_lock();
        fino_pprof_snapshot_free(recording->since);
        sampler_fold_unlock();
        free(recording);
    }
    pthread_mutex_unlock(&control_mutex);
    if (stats_out) *stats_out = stats;
    return result;
}

void fino_sampler_bytes_free(uint8_t *data) {
    free(data);
}
