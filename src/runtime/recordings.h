/* recordings.h: the recordings that the program itself starts and stops, by name. --profile's isn't one of them.
 *
 * A recording is of the whole process, so its name is the process's too: one Realm may stop what another started.
 *
 * Threads: a Realm's own, any of them, except where it says otherwise.
 */
#ifndef FINO_RT_RECORDINGS_H
#define FINO_RT_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/sampler.h"

struct rt_realm;

/* Which recording. NAME and its NBYTES, or NULL; or, with ID not 0, the one that rt_recordings_start gave this id. */
struct rt_recording_key {
    uint64_t id;
    const char *name;
    size_t name_nbytes;
};

/* Starts one, called KEY->name, or without a name. IS_PRIVATE: it is found by its id only.
 * Returns: 0 with its id in *ID_OUT; -EEXIST: there is one of that name; or as fino_sampler_start. */
int rt_recordings_start(struct rt_realm *realm, const struct rt_recording_key *key, bool is_private,
                        uint64_t interval_ns, uint64_t *id_out);

/* Stops the one that KEY names, or else the one started last. fino_sampler_bytes_free frees *DATA_OUT.
 * Returns: 0; -ENOENT: there is none; or as fino_sampler_stop. */
int rt_recordings_stop(struct rt_realm *realm, const struct rt_recording_key *key, uint8_t **data_out,
                       size_t *nbytes_out);

bool rt_recordings_has(const struct rt_recording_key *key);

/* What the one that KEY names, or else the one started last, saw so far. Returns: 0 or -ENOENT. */
int rt_recordings_look(const struct rt_recording_key *key, struct fino_sampler_stats *stats_out);

/* At the process's end, when no other Realm runs any more: stops what is still recording and throws it away. */
void rt_recordings_abandon(void);

#endif
