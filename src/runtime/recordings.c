/* recordings.c: see recordings.h. Owns the list of the program's recordings and what they are called; taking them is
 * profile.c's. */
#include "runtime/recordings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile.h"

struct recording {
    struct recording *next;
    uint64_t id;
    sampler_recording *sampler; /* NULL: it is about to start, and only its name is taken */
    bool is_private;
    bool is_named;
    size_t name_nbytes;
    char name[]; /* NUL-terminated */
};

static pthread_mutex_t recordings_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Under RECORDINGS_MUTEX. */
static struct recording *recordings; /* the one started last first */
static uint64_t last_id;

static bool has_name(const struct recording *recording, const struct rt_recording_key *key) {
    return recording->is_named && recording->name_nbytes == key->name_nbytes &&
           memcmp(recording->name, key->name, key->name_nbytes) == 0;
}

static bool matches(const struct recording *recording, const struct rt_recording_key *key) {
    if (key->id != 0) return recording->id == key->id;
    return !recording->is_private && (key->name == NULL || has_name(recording, key));
}

/* The link to what KEY means among those that have started; it points to NULL when there is none. */
static struct recording **find(const struct rt_recording_key *key) {
    struct recording **link = &recordings;
    while (*link != NULL && ((*link)->sampler == NULL || !matches(*link, key)))
        link = &(*link)->next;
    return link;
}

/* Takes RECORDING, which is in it, out of the list. */
static void take(struct recording *recording) {
    struct recording **link = &recordings;
    while (*link != recording)
        link = &(*link)->next;
    *link = recording->next;
}

static struct recording *new_recording(const struct rt_recording_key *key, bool is_private) {
    struct recording *recording = calloc(1, sizeof *recording + key->name_nbytes + 1);
    if (recording == NULL) return NULL;
    recording->is_private = is_private;
    recording->is_named = key->name != NULL;
    recording->name_nbytes = key->name_nbytes;
    if (key->name != NULL) memcpy(recording->name, key->name, key->name_nbytes);
    return recording;
}

/* Puts RECORDING into the list unless its name is taken. */
static bool reserve(struct recording *recording, const struct rt_recording_key *key) {
    pthread_mutex_lock(&recordings_mutex);
    const struct recording *other = key->name != NULL ? recordings : NULL;
    while (other != NULL && !has_name(other, key))
        other = other->next;
    if (other == NULL) {
        recording->id = ++last_id;
        recording->next = recordings;
        recordings = recording;
    }
    pthread_mutex_unlock(&recordings_mutex);
    return other == NULL;
}

int rt_recordings_start(struct rt_realm *realm, const struct rt_recording_key *key, bool is_private,
                        uint64_t interval_ns, uint64_t *id_out) {
    struct recording *recording = new_recording(key, is_private);
    if (recording == NULL) return -ENOMEM;
    if (!reserve(recording, key)) {
        free(recording);
        return -EEXIST;
    }
    *id_out = recording->id; /* now: once it has started, others may stop it */
    sampler_recording *sampler;
    int error = rt_profile_open(realm, interval_ns, &sampler);
    pthread_mutex_lock(&recordings_mutex);
    if (error == 0)
        recording->sampler = sampler;
    else
        take(recording);
    pthread_mutex_unlock(&recordings_mutex);
    if (error != 0) free(recording);
    return error;
}

int rt_recordings_stop(struct rt_realm *realm, const struct rt_recording_key *key, uint8_t **data_out,
                       size_t *nbytes_out) {
    pthread_mutex_lock(&recordings_mutex);
    struct recording **link = find(key), *recording = *link;
    if (recording != NULL) *link = recording->next;
    pthread_mutex_unlock(&recordings_mutex);
    if (recording == NULL) return -ENOENT;
    const char *name = recording->is_named ? recording->name : NULL;
    int error = rt_profile_close(realm, recording->sampler, name, data_out, nbytes_out);
    free(recording);
    return error;
}

bool rt_recordings_has(const struct rt_recording_key *key) {
    pthread_mutex_lock(&recordings_mutex);
    bool there = *find(key) != NULL;
    pthread_mutex_unlock(&recordings_mutex);
    return there;
}

int rt_recordings_look(const struct rt_recording_key *key, struct fino_sampler_stats *stats_out) {
    pthread_mutex_lock(&recordings_mutex); /* over the look: nobody may stop it meanwhile */
    const struct recording *recording = *find(key);
    if (recording != NULL) fino_sampler_look(recording->sampler, stats_out);
    pthread_mutex_unlock(&recordings_mutex);
    return recording != NULL ? 0 : -ENOENT;
}

void rt_recordings_abandon(void) {
    pthread_mutex_lock(&recordings_mutex);
    struct recording *left = recordings;
    recordings = NULL;
    pthread_mutex_unlock(&recordings_mutex);
    while (left != NULL) {
        struct recording *next = left->next;
        if (left->sampler != NULL) fino_sampler_stop(left->sampler, NULL, 0, NULL, NULL, NULL);
        free(left);
        left = next;
    }
}
