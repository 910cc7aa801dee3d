/* thread.h: what the sampler keeps of each thread, shared by handler_sig.c, threads.c, fold.c and control.c.
 *
 * Records come from a pool and are never unmapped, so that a late signal finds a record of another generation rather
 * than no memory. Each field says who writes it: "registry" is whoever holds the registry's lock, "fold" whoever holds
 * the accumulator's lock, "handler" the signal handler on the thread, "thread" the thread itself outside of it.
 */
#ifndef FINO_SAMPLER_THREAD_H
#define FINO_SAMPLER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/managed.h"
#include "sampler/ring_sig.h"
#include "sampler/sampler.h"

/* Which timer asks for the next sample.
 *
 * CPU timers fire only while their thread runs, so they never disturb one that is blocked; but only at the kernel's
 * tick (1..4 ms late). WALL timers are precise, but fire at a blocked thread too. A thread is on the precise one while
 * it is busy, and goes to the other at the first expiration that finds it has been blocked: see choose_clock. */
enum sampler_timer_clock { SAMPLER_TIMER_CPU, SAMPLER_TIMER_WALL };

/* Whether the thread's event loop waits. A parked thread's samples may be folded by someone else. */
enum sampler_park { SAMPLER_RUNNING, SAMPLER_PARKED, SAMPLER_BORROWED };

/* Handler times by size: four steps for each power of two, 16 ns to 2^31 ns. */
#define SAMPLER_HISTOGRAM_STEPS 4
#define SAMPLER_HISTOGRAM_SIZE (28 * SAMPLER_HISTOGRAM_STEPS)

/* Counted by the handler, or summed over ended threads. */
struct sampler_counters {
    _Atomic uint64_t lost_ring_full;
    _Atomic uint64_t merged; /* sampling points that passed without a signal */
    _Atomic uint64_t signals;
    _Atomic uint64_t handler_ns;
    _Atomic uint32_t histogram[SAMPLER_HISTOGRAM_SIZE];
};

/* Where a thread or a guest was seen last. Fold's. */
struct sampler_last_stack {
    uint32_t *locations;
    size_t count; /* 0: nowhere yet */
    size_t capacity;
    uint32_t label_set;
};

/* See sampler.h. "Host" is the thread that has it entered. */
struct sampler_guest {
    struct sampler_guest *next, **link; /* fold: in the list of all */
    _Atomic uint64_t owed_ns;           /* CPU time claimed, but in no sample yet: handler, host and fold */
    struct sampler_managed *managed;    /* host */
    bool is_entered;                    /* host */
    uint64_t entered_cpu_ns;            /* host: its CPU time then */
    uint64_t cpu_ns;                    /* host: of the slices that have ended */

    /* Fold's. */
    char label[FINO_SAMPLER_LABEL_SIZE];
    const char *tag_key; /* NULL: none */
    const char *tag_value;
    uint32_t label_set; /* FINO_PPROF_NONE: not interned yet */
    struct sampler_last_stack last;
};

struct sampler_thread {
    uint32_t index;               /* constant */
    _Atomic uint32_t generation;  /* registry */
    _Atomic pid_t tid;            /* registry; 0: the record is free */
    _Atomic bool in_handler;      /* handler */
    _Atomic bool closing;         /* thread: no more samples */
    _Atomic bool paused;          /* thread: samples are put off for a moment */
    _Atomic bool wants_drain;     /* handler, helper */
    bool discovered;              /* registry: found in /proc, nobody registered it */
    bool seen;                    /* registry: by the current scan */
    struct sampler_thread *next;  /* registry: in the list of live or free records */
    struct sampler_thread *chain; /* registry: with the same hash of tid */

    /* The stack. Constant once BOUNDS_KNOWN is set. */
    struct sampler_stack_bounds bounds;
    _Atomic bool bounds_known;  /* registry */
    _Atomic uintptr_t seen_sp;  /* handler: somewhere in the stack, for finding its bounds; 0: nobody asks */
    _Atomic uintptr_t seen_tls; /* handler */

    /* Timers. The ids are the registry's; what is armed is the handler's business while the thread runs. */
    int timer_cpu;
    int timer_wall;
    _Atomic int clock;           /* enum sampler_timer_clock: handler */
    _Atomic int park;            /* enum sampler_park */
    bool park_disarmed;          /* thread and handler: nothing is armed until unpark */
    uint64_t last_wait_ns;       /* thread: how long it was parked last; the next time is expected to be alike */
    uint64_t park_began_ns;      /* thread */
    uint64_t parked_ns;          /* thread: since the timer was armed */
    uint64_t interval_ns;        /* handler: the interval that the schedule below is for */
    uint64_t period_ns;          /* handler: the interval with jitter */
    uint32_t period_left;        /* handler: expirations until PERIOD_NS is drawn again */
    uint32_t random;             /* handler */
    uint64_t due_cpu_ns;         /* handler: the CPU time at which the next sample is due */
    uint64_t armed_wall_ns;      /* handler */
    uint64_t expiry_wall_ns;     /* handler and thread: when the WALL timer, if armed, expires */
    uint64_t armed_cpu_ns;       /* handler */
    uint64_t blocked_park_count; /* handler: PARK_COUNT then */
    uint64_t park_count;         /* thread: waits that it announced */
    uint64_t blocked_count;      /* handler: voluntary context switches when last asked */

    /* CPU time up to here is in samples or belongs to nobody's recording. Compare-and-swap: handler, fold. */
    _Atomic uint64_t accounted_cpu_ns;
    uint64_t born_cpu_ns;    /* registry: where its account began */
    uint64_t seen_cpu_ns;    /* registry: when last scanned */
    unsigned stack_searches; /* registry */

    struct sampler_managed *_Atomic managed; /* registry and thread */
    struct sampler_guest *_Atomic guest;     /* thread: whose slice this is; NULL: nobody's */
    _Atomic uint64_t owed_ns;                /* as a guest's, of the time between slices */
    bool is_host;                            /* registry: has or had guests */
    struct sampler_ring ring;                /* see ring_sig.h; replaced by the thread, paused, under the fold lock */
    struct sampler_counters counters;        /* handler */

    /* Fold's. */
    char name[16];                               /* registry: as the system knew it when last scanned */
    char label[FINO_SAMPLER_LABEL_SIZE];         /* "": to be found when it is first needed */
    char managed_label[FINO_SAMPLER_LABEL_SIZE]; /* "": the thread's own */
    const char *tag_key;                         /* NULL: none */
    const char *tag_value;
    uint32_t label_set; /* of the samples waiting in the ring; FINO_PPROF_NONE: not interned yet */
};

/* What the handler needs to know beside its thread. */
struct sampler_shared {
    _Atomic uint64_t interval_ns;    /* 0: no recording is open */
    _Atomic uint32_t wake;           /* futex: bumped to wake the helper thread */
    _Atomic uint64_t lost_no_thread; /* signals whose thread wasn't known any more */
    _Atomic bool maps_stale;         /* a pc was in no known object */
    struct sampler_thread *_Atomic threads[1 << 14];
};
extern struct sampler_shared sampler_shared;

/* Operations on `wake`, private to the process. Source: linux/futex.h, which musl's compiler wrapper doesn't find. */
#define SAMPLER_FUTEX_WAIT 128
#define SAMPLER_FUTEX_WAKE 129

#define SAMPLER_THREAD_MAX (sizeof sampler_shared.threads / sizeof sampler_shared.threads[0])

/* The record of the calling thread, or NULL. */
extern _Thread_local struct sampler_thread *sampler_self __attribute__((tls_model("initial-exec")));

/* ---- The value that a timer's signal carries: which record, which generation of it, which of its timers. ---- */

static inline uintptr_t sampler_timer_value(uint32_t index, uint32_t generation, enum sampler_timer_clock clock) {
    return (uintptr_t)clock | (uintptr_t)index << 1 | (uintptr_t)generation << 32;
}

/* ---- handler_sig.c ---- */

/* SIGNAL_SAFE. The signal handler itself. */
void sampler_handler_sig(int signal, void *siginfo, void *ucontext);

/* SIGNAL_SAFE. Wakes the helper thread. */
void sampler_wake_helper_sig(void);

/* SIGNAL_SAFE. Arms the timer of the thread's current clock to expire when its next sample is due, as seen from now,
 * WALL_NS and its CPU_NS: at once when that is past. */
void sampler_arm_sig(struct sampler_thread *thread, uint64_t wall_ns, uint64_t cpu_ns);

/* Starts a thread's schedule from nothing: the first sample is due at a random point of the first interval, so that
 * what threads do first is not favoured. CPU_NS: its CPU time now. */
void sampler_schedule_start(struct sampler_thread *thread, uint64_t interval_ns, uint64_t cpu_ns);

/* The histogram's bucket of a time, and the time at a bucket's middle. */
static inline unsigned sampler_histogram_bucket(uint64_t ns) {
    if (ns < 16) return 0;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    unsigned bucket = (power - 4) * SAMPLER_HISTOGRAM_STEPS + (unsigned)((ns >> (power - 2)) & 3);
    return bucket < SAMPLER_HISTOGRAM_SIZE ? bucket : SAMPLER_HISTOGRAM_SIZE - 1;
}
static inline uint64_t sampler_histogram_value(unsigned bucket) {
    unsigned power = bucket / SAMPLER_HISTOGRAM_STEPS + 4;
    return (UINT64_C(8) + 2 * (bucket % SAMPLER_HISTOGRAM_STEPS) + 1) << (power - 3);
}

#endif
