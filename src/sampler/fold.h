/* fold.h: the accumulator that every thread's samples end in.
 *
 * One fino_pprof for the process, behind one lock. Recordings are snapshots of it, so any number may overlap.
 * Lock order: names, registry (threads.h), then fold, then whatever a runtime's `resolve` takes. The handler takes
 * none.
 */
#ifndef FINO_SAMPLER_FOLD_H
#define FINO_SAMPLER_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/pprof.h"
#include "sampler/thread.h"

/* What was folded since the process began. */
struct sampler_fold_totals {
    uint64_t samples;
    uint64_t cpu_ns;                  /* of samples, and accounted without one */
    uint64_t unsampled_ns;            /* part of CPU_NS: of threads that never had a sample */
    uint64_t ends[SAMPLER_END_COUNT]; /* stacks by enum sampler_end */
    uint64_t unresolved_frames;
    uint64_t fold_ns; /* CPU time spent folding */
};

/* Makes the accumulator when there is none. Returns 0 or -ENOMEM. */
int sampler_fold_open(void);

void sampler_fold_lock(void);
/* Returns: true if the lock was free. */
bool sampler_fold_trylock(void);
void sampler_fold_unlock(void);
/* Over a fork, so that the child finds whole symbol tables. */
void sampler_fold_lock_names(void);
void sampler_fold_unlock_names(void);
/* In the child of a fork, where other threads' state is gone. The locks were held over the fork. */
void sampler_fold_after_fork(void);

/* ---- With the lock held ---- */

/* Turns what waits in the thread's ring into samples. */
void sampler_fold_drain(struct sampler_thread *thread);

/* The same on the thread itself, which takes no samples meanwhile (paused): were deep stacks sampled while they are
 * folded, as many could come as go, and the thread would get nowhere. The time this takes is accounted to
 * "[sampler] fold". */
void sampler_fold_drain_own(struct sampler_thread *thread);

/* Accounts the thread's CPU time up to CPU_NS, as far as no sample did: more weight for the stack it was last seen in,
 * or "[not sampled]" when it never was. */
void sampler_fold_account(struct sampler_thread *thread, uint64_t cpu_ns);

/* The same for what guests are owed. (What a thread is owed sampler_fold_account sees to.) */
void sampler_fold_account_guests(void);

void sampler_fold_add_guest(struct sampler_guest *guest, const char *label, const char *tag_key, const char *tag_value);
/* Accounts what it is owed, and forgets it. */
void sampler_fold_remove_guest(struct sampler_guest *guest);

/* The thread's next sample has no predecessor: a recording begins in between. */
void sampler_fold_forget_last(struct sampler_thread *thread);
/* The same of all guests. */
void sampler_fold_forget_guests_last(void);
/* Nobody was recording: what guests are owed is forgotten, too. */
void sampler_fold_discard_guests(void);

/* Forgets what waits, and all CPU time up to CPU_NS: nobody was recording. */
void sampler_fold_discard(struct sampler_thread *thread, uint64_t cpu_ns);

/* Accounts CPU time of threads that were born and ended unseen. */
void sampler_fold_account_unseen(uint64_t cpu_ns);

/* The label of samples yet to come; NULL: the thread's own. */
void sampler_fold_set_label(struct sampler_thread *thread, const char *label);

/* A second label of theirs; VALUE NULL: none. Both are kept as pointers. */
void sampler_fold_set_tag(struct sampler_thread *thread, const char *key, const char *value);

/* Makes the program's own mapping the first one. */
void sampler_fold_add_program(void);

struct sampler_fold_totals sampler_fold_totals(void);
fino_pprof_snapshot *sampler_fold_snapshot(void);

/* ---- Without the lock ---- */

/* Finds the names of native locations that have none yet, mostly with the lock free, until DEADLINE_NS on the monotonic
 * clock; what was begun is finished. Returns: whether all have one now, those that another thread was about to name
 * included. */
bool sampler_fold_name_pending(uint64_t deadline_ns);

/* Encodes what was folded since SINCE as gzip of that level. Owns: the caller frees *DATA_OUT with free(). */
int sampler_fold_encode(const fino_pprof_snapshot *since, const struct fino_pprof_header *header, int gzip_level,
                        uint8_t **data_out, size_t *nbytes_out);

#endif
