/* sampler.h: samples the CPU time of this process's threads into a pprof profile.
 *
 * One sampler a process. While at least one recording is open, every thread is sampled, registered or not: by a
 * precise monotonic timer while it is busy, by a timer on its CPU clock (which can't disturb it) while it mostly waits.
 * Each sample is weighted by the CPU time that its thread used since its previous one, so a profile's total is the CPU
 * time the kernel accounts.
 *
 * The sampler takes one real-time signal: the highest below SIGRTMAX - 2 that had no handler when the first thread
 * registered or the first recording started. Its handler stays installed for good, so that no late signal can kill.
 * A thread that blocks this signal is in the profile with its CPU time only.
 *
 * Threads:  every function may be called on any thread unless it says "on the thread itself".
 * Signal:   none of these is signal-safe.
 * Errors:   0 or a negative errno.
 */
#ifndef FINO_SAMPLER_H
#define FINO_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/pprof.h"
#include "sampler/managed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Threads ---- */

typedef struct sampler_thread sampler_thread;

/* Tells the sampler of the calling thread: its label (made unique with "#2", "#3", ...; NULL: after the thread's name,
 * see fino_sampler_name_threads), and its stack's bounds, which it finds itself. Unblocks the sampler's signal in it.
 * What isn't registered is found in /proc/self/task, somewhat later, and its first stack is a leaf only.
 * A thread that is registered already is given the new label. Returns: the thread, or NULL when memory is short or
 * there are more than 16,384 threads. A thread that ends is unregistered by itself. */
sampler_thread *fino_sampler_thread_register(const char *label);

/* On the thread itself, before it ends: folds what is left and accounts its last CPU time. */
void fino_sampler_thread_unregister(sampler_thread *thread);

/* On the thread itself: from now on its samples are this runtime's (NULL: native only) and carry LABEL
 * (NULL: the thread's own). What was sampled before is drained first. MANAGED must stay valid until replaced. */
void fino_sampler_thread_set_managed(sampler_thread *thread, struct sampler_managed *managed, const char *label);

/* Writes LABEL so that no other label of this process is like it, those of threads included: with "#2", "#3", ... from
 * its second use on. */
#define FINO_SAMPLER_LABEL_SIZE 64
void fino_sampler_unique_label(const char *label, char unique_out[FINO_SAMPLER_LABEL_SIZE]);

/* On the thread itself: from now on its samples carry the label KEY too, of this VALUE (NULL: no longer). What was
 * sampled before is drained first. Both strings must stay valid. */
void fino_sampler_thread_set_tag(sampler_thread *thread, const char *key, const char *value);

/* On the thread itself, about to block (park) and running again (unpark): a parked thread has no timer. Cheap and
 * idempotent; does nothing when no recording is open. */
void fino_sampler_thread_park(sampler_thread *thread);
void fino_sampler_thread_unpark(sampler_thread *thread);

/* On the thread itself (or with it stopped): turns the samples that wait in its ring into stacks in the accumulator.
 * A runtime calls this before code moves or goes away, and after request_drain. Safe while sampling goes on. */
void fino_sampler_thread_drain(sampler_thread *thread);

/* Threads without a label of their own whose name (as in /proc/self/task/TID/comm) starts with NAME_PREFIX are labelled
 * LABEL "-1", LABEL "-2", ... Other named threads have their name as label; unnamed ones are "thread-1", ...; the
 * process's first is "main". At most 16 rules; both strings must stay valid. Returns 0 or -ENOSPC. */
int fino_sampler_name_threads(const char *name_prefix, const char *label);

/* ---- Guests ---- */

/* What runs on threads for a slice at a time, now on this one, now on that, such as an isolate on a pool of threads.
 * Its samples carry its own labels and its CPU time is its own, however short its slices are. */
typedef struct sampler_guest sampler_guest;

/* LABEL is the value of "thread" in its samples, TAG_KEY and TAG_VALUE another label, or NULL; these two must stay
 * valid. Returns NULL when memory is short. */
sampler_guest *fino_sampler_guest_new(const char *label, const char *tag_key, const char *tag_value);
/* It is entered nowhere: accounts its last CPU time. NULL is fine. */
void fino_sampler_guest_free(sampler_guest *guest);

/* On the thread itself, which is registered and has no runtime of its own (set_managed): a slice begins, and ends. One
 * guest at a time. */
void fino_sampler_guest_enter(sampler_guest *guest);
void fino_sampler_guest_leave(sampler_guest *guest);

/* On the thread that has it entered: from now on its samples are this runtime's (NULL: native only), here and
 * elsewhere. MANAGED must stay valid until replaced. */
void fino_sampler_guest_set_managed(sampler_guest *guest, struct sampler_managed *managed);

/* On the thread that has it entered, or nobody has: the CPU time of all its slices. */
uint64_t fino_sampler_guest_cpu_ns(const sampler_guest *guest);

/* The calling thread, if it is known, else NULL. */
sampler_thread *fino_sampler_thread_self(void);

/* The number of the sampler's signal, for those who must keep their hands off it; 0 before it is chosen. */
int fino_sampler_signal(void);

/* A native function whose demangled name starts with SYMBOL_PREFIX, in which * stands for any letters, digits and
 * underscores, stands for a state of the program: FRAME, such as "[gc] mark-compact", is shown as its caller. */
struct fino_sampler_frame_state {
    const char *symbol_prefix;
    const char *frame;
};
/* Replaces the table; the first matching entry counts. STATES must stay valid. */
void fino_sampler_set_frame_states(const struct fino_sampler_frame_state *states, size_t count);

/* ---- Recordings ---- */

/* How often to sample: at a fixed interval, or ("auto", with INTERVAL_NS 0) as often as a budget allows.
 *
 * Auto: a sample for every 1 ms of CPU time as long as sampling costs less than BUDGET_PPM of the CPU time that it
 * observes, longer intervals where it would cost more, 20 ms at most. Weights are CPU time, so that a profile of mixed
 * intervals is as true as any. A recording begins at 1 ms whatever that costs, until it has overdrawn its budget by
 * what half a second of CPU time earns: short programs get their samples, and longer ones pay them back.
 *
 * The cost is measured: what delivering a signal takes is found by probes, when the first recording starts (1 ms, once
 * a process) and then once for each second of CPU time; the handler, folding and the helper thread are on the clock.
 * Not in it: what a runtime does to keep track of its code, finding names, and encoding at the end. */
struct fino_sampler_options {
    uint64_t interval_ns; /* 100 us .. 100 ms; 0: auto. While several recordings overlap, the shortest applies */
    uint32_t budget_ppm;  /* 1,000 .. 500,000 millionths; 0: 20,000, which is 2 %. With an INTERVAL_NS it must be 0 */
    int gzip_level;       /* 1 .. 12, as deflate.h has it; 0: 6. Most of what a stop costs: 1 takes half of the time */
};

typedef struct sampler_recording sampler_recording;

/* Opens a recording. Cheap: well below a millisecond for a few threads, without managed code; the first 1 ms more.
 * Returns: 0, -EINVAL (interval or budget out of range, or both given), -ENOMEM, -EAGAIN (no timer, no thread or no
 * signal to be had), -EBUSY (the program has taken the sampler's signal, see fino_sampler_signal, for itself). */
int fino_sampler_start(const struct fino_sampler_options *options, sampler_recording **recording_out);

/* What a recording saw. Samples that are lost still have their CPU time in the thread's next sample ("carried"). */
struct fino_sampler_stats {
    uint64_t samples;
    uint64_t cpu_ns;
    uint64_t wall_ns;
    uint64_t complete;        /* stacks that reach the thread's start */
    uint64_t truncated;       /* stacks that do not, in all; by reason: */
    uint64_t truncated_depth; /*   deeper than the limit */
    uint64_t truncated_no_cfi;
    uint64_t truncated_bad_frame;
    uint64_t truncated_managed;
    uint64_t lost_ring_full;
    uint64_t lost_no_thread;
    uint64_t timer_overruns;    /* sampling points merged into the next sample: signals blocked, late, or by the tick */
    uint64_t unresolved_frames; /* managed frames that got no name */
    uint64_t handler_ns_p50;
    uint64_t handler_ns_p99;
    uint64_t handler_ns_total;
    uint64_t truncated_no_stack; /* part of TRUNCATED: the stack's bounds unknown, or a stack of the program's own */
    uint64_t unsampled_ns;       /* part of CPU_NS: of threads that ended before their first sample */
    uint64_t fold_ns;            /* CPU time of turning samples into stacks */
    uint64_t signals;            /* expirations handled, with or without a sample */
    uint64_t points;             /* the samples that the intervals ask for, of the CPU time observed */
    uint64_t interval_min_ns;    /* the intervals that applied, others' shorter ones included */
    uint64_t interval_max_ns;
    uint64_t interval_mean_ns; /* over the CPU time observed; the profile's period */
    uint64_t delivery_ns;      /* of one signal, the last probes' median */
    uint64_t delivery_ns_total;
    uint64_t upkeep_ns; /* of the helper thread, other than for folding and naming */
    uint64_t cost_ns;   /* all that sampling cost: delivery, handler, folding and upkeep */
};

/* What an open recording saw so far. The calling thread is drained; what waits in other threads' rings isn't in it. */
void fino_sampler_look(sampler_recording *recording, struct fino_sampler_stats *stats_out);

/* Closes a recording and encodes it as gzipped pprof. The calling thread is drained; other managed threads are asked to
 * drain and waited for, up to 1 s. COMMENTS (may be NULL) are put before the sampler's own. With DATA_OUT NULL it is
 * thrown away.
 * Owns: fino_sampler_bytes_free frees *DATA_OUT. The recording is gone whatever is returned. */
int fino_sampler_stop(sampler_recording *recording, const char *const *comments, size_t comment_count,
                      uint8_t **data_out, size_t *nbytes_out, struct fino_sampler_stats *stats_out);
void fino_sampler_bytes_free(uint8_t *data);

/* ---- For runtimes: building locations while resolving (managed.h) ---- */

/* The shared accumulator: the caller is inside `resolve`, which holds its lock. */
fino_pprof *sampler_sink_profile(struct sampler_sink *sink);
/* Appends a location of that accumulator to the stack being built, callers after callees. */
void sampler_sink_location(struct sampler_sink *sink, uint32_t location);
/* Counts the frame as unresolved. */
void sampler_sink_unresolved(struct sampler_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
