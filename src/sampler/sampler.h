/* sampler.h: samples the CPU time of this process's threads into a pprof profile.
 *
 * One sampler a process. While at least one recording is open, every thread is sampled: registered threads by a
 * precise monotonic timer, others by a timer on their CPU clock. Each sample is weighted by the CPU time that its
 * thread used since its previous one, so a profile's total is the CPU time the kernel accounts.
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

/* Tells the sampler of the calling thread: its label (made unique with "#2", "#3", ...), and its stack's bounds, which
 * it finds itself. Registered threads get the precise timer. Returns: the thread, or NULL when memory is short. */
sampler_thread *fino_sampler_thread_register(const char *label);

/* On the thread itself, before it ends: folds what is left and accounts its last CPU time. */
void fino_sampler_thread_unregister(sampler_thread *thread);

/* On the thread itself: from now on its samples are this runtime's (NULL: native only) and carry LABEL
 * (NULL: the thread's own). What was sampled before is drained first. MANAGED must stay valid until replaced. */
void fino_sampler_thread_set_managed(sampler_thread *thread, struct sampler_managed *managed, const char *label);

/* On the thread itself, about to block (park) and running again (unpark): a parked thread has no timer. Cheap and
 * idempotent; does nothing when no recording is open. */
void fino_sampler_thread_park(sampler_thread *thread);
void fino_sampler_thread_unpark(sampler_thread *thread);

/* On the thread itself (or with it stopped): turns the samples that wait in its ring into stacks in the accumulator.
 * A runtime calls this before code moves or goes away, and after request_drain. Safe while sampling goes on. */
void fino_sampler_thread_drain(sampler_thread *thread);

/* ---- Recordings ---- */

struct fino_sampler_options {
    uint64_t interval_ns; /* 100 us .. 100 ms; 0: 1 ms. While several recordings overlap, the shortest applies */
};

typedef struct sampler_recording sampler_recording;

/* Opens a recording. Managed threads drain on their own; STARTED is cheap (< 1 ms without managed code). */
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
    uint64_t timer_overruns;    /* expirations merged into one signal by the kernel */
    uint64_t unresolved_frames; /* managed frames that got no name */
    uint64_t handler_ns_p50;
    uint64_t handler_ns_p99;
    uint64_t handler_ns_total;
};

/* Closes a recording and encodes it as gzipped pprof. The calling thread is drained; other managed threads are asked to
 * drain and waited for, up to 1 s. COMMENTS (may be NULL) are put before the sampler's own.
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
