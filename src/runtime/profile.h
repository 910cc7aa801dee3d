/* profile.h: recordings as the runtime makes them, and the one of `fino run --profile`, which lasts from before the
 * script's first line to the process's end.
 *
 * Also the V8 half of the sampler: each attached Realm gets a `struct sampler_managed` that walks and names V8's
 * frames.
 *
 * Threads: init, begin and finish on the main thread; all else on the thread that has the Realm. That is one which
 * rt_profile_begin_thread made known for good, or, of a pooled Realm, any that is in a slice of it.
 */
#ifndef FINO_RT_PROFILE_H
#define FINO_RT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/sampler.h"

struct rt_realm;
struct rt_report_format;

struct rt_profile_options {
    const char *path;     /* where finish writes; absolute or relative to the directory begin is called in; kept */
    uint64_t interval_ns; /* 0: auto; else BUDGET_PPM is 0: see sampler.h */
    uint32_t budget_ppm;  /* also of recordings on auto that are opened meanwhile */
    const struct rt_report_format *format; /* NULL: pprof */
    bool view;                             /* write a flame graph, too: beside it, as .html */
};

/* First of all. ARGV (NULL-terminated, kept) is the command line for the profiles' comments. */
void rt_profile_init(char *const argv[]);

/* Starts recording. Returns: 0, or -1 after a message on stderr (such as: the directory can't be written). */
int rt_profile_begin(const struct rt_profile_options *options);

/* First of all on a thread that shall run a Realm: its samples are that Realm's from now on. LABEL and KIND stay valid
 * for as long as the thread runs. */
void rt_profile_begin_thread(const char *label, const char *kind);
/* Last of all: its CPU time is accounted, up to now. */
void rt_profile_end_thread(void);

/* A pooled Realm's instead: what the sampler knows it by, from before it is made until it is gone, in slices. LABEL and
 * KIND stay valid until free, which accounts its CPU time. */
struct sampler_guest *rt_profile_guest_new(const char *label, const char *kind);
void rt_profile_guest_free(struct sampler_guest *guest);
void rt_profile_begin_slice(struct sampler_guest *guest);
void rt_profile_end_slice(struct sampler_guest *guest);

/* CPU time of the thread, or of all the Realm's slices: the Realm's own, either way. */
uint64_t rt_profile_cpu_ns(const struct rt_realm *realm);

/* Right after the Realm's isolate was made and entered, before any code of the user's; always, also when nothing is
 * recorded yet: a recording may start later. And before its isolate is disposed of, on its thread. */
void rt_profile_attach(struct rt_realm *realm);
void rt_profile_detach(struct rt_realm *realm);

/* Around every wait of the event loop that may block, on the thread that waits. */
void rt_profile_park(void);
void rt_profile_unpark(void);

/* Learns of all code there is, in every Realm, so that an open later is quick: a few milliseconds for V8's builtins and
 * one for each thousand functions compiled. Nothing when that was done, as it is with --profile. */
void rt_profile_prepare(struct rt_realm *realm);

/* Opens a recording of the whole process, all Realms included. REALM: the one that asks for it; NULL: none does, and
 * this may be any thread. Returns: as fino_sampler_start. */
int rt_profile_open(struct rt_realm *realm, uint64_t interval_ns, sampler_recording **recording_out);

/* Closes it, as it was opened, and encodes it, with comments that say of what and by whom it was made. NAME (may be
 * NULL) is one of them. Returns: as fino_sampler_stop. Owns: fino_sampler_bytes_free frees *DATA_OUT. */
int rt_profile_close(struct rt_realm *realm, sampler_recording *recording, const char *name, uint8_t **data_out,
                     size_t *nbytes_out);

/* What --profile's recording saw so far. Returns: false when there is none. */
bool rt_profile_look(struct fino_sampler_stats *stats_out);

/* If begin succeeded: stops, writes the file (temporary name, fsync, rename) and prints what it came to
 * on stderr. REALM, the
 * main one, must still be attached. Returns: 0, or -1 after a message on stderr. Later calls do nothing and return 0.
 */
int rt_profile_finish(struct rt_realm *realm);

#endif
