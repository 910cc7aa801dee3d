/* profile.h: `fino run --profile`: one recording from before the script's first line to the process's end.
 *
 * Also the V8 half of the sampler: each attached Realm gets a `struct sampler_managed` that walks and names V8's frames.
 *
 * Threads: begin and finish on the main thread; attach, detach, park and unpark on the Realm's own thread.
 */
#ifndef FINO_RT_PROFILE_H
#define FINO_RT_PROFILE_H

#include <stdint.h>

struct rt_realm;

struct rt_profile_options {
    const char *path;     /* where finish writes; absolute or relative to the directory begin is called in; kept */
    uint64_t interval_ns; /* 0: 1 ms */
};

/* Starts recording. Returns: 0, or -1 after a message on stderr (such as: the directory can't be written).
 * ARGV (NULL-terminated) is the command line for the profile's comments. */
int rt_profile_begin(const struct rt_profile_options *options, char *const argv[]);

/* Right after the Realm's isolate was made and entered, before any code of the user's; always, also when nothing is
 * recorded yet: a recording may start later. And before its isolate is disposed of, on its thread. */
void rt_profile_attach(struct rt_realm *realm);
void rt_profile_detach(struct rt_realm *realm);

/* Around every wait of the event loop that may block. */
void rt_profile_park(struct rt_realm *realm);
void rt_profile_unpark(struct rt_realm *realm);

/* If begin succeeded: stops, writes the file (temporary name, fsync, rename) and prints one line to stderr. The main
 * Realm must still be attached. Returns: 0, or -1 after a message on stderr. Later calls do nothing and return 0. */
int rt_profile_finish(void);

#endif
