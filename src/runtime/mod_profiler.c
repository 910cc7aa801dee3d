/* mod_profiler.c: recordings for JavaScript: arguments in, bytes, numbers and exceptions out. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/builtins.h"
#include "runtime/labels.h"
#include "runtime/profile.h"
#include "runtime/recordings.h"
#include "runtime/v8_jit.h"

/* ---- Which recording ---- */

/* A key argument: a name, an id, or undefined. Its name is to free. False with a TypeError pending. */
static bool key_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what,
                         struct rt_recording_key *key_out, char **name_out) {
    v8s_value value = v8s_argument(arguments, 0);
    *key_out = (struct rt_recording_key){0};
    *name_out = NULL;
    if (v8s_is_nullish(value)) return true;
    if (v8s_is_number(value) && v8s_number_of(value) >= 1) {
        key_out->id = (uint64_t)v8s_number_of(value);
        return true;
    }
    if (v8s_is_string(value)) key_out->name = *name_out = v8s_string_copy(isolate, value, &key_out->name_nbytes);
    if (*name_out == NULL) v8s_throw_type_error(isolate, "%s: neither a name nor an id", what);
    return *name_out != NULL;
}

/* ---- What went wrong ---- */

__attribute__((format(printf, 2, 3))) static void throw_error(v8s_isolate *isolate, const char *format, ...) {
    char *message;
    va_list values;
    va_start(values, format);
    if (vasprintf(&message, format, values) < 0) message = NULL;
    va_end(values);
    v8s_throw(isolate, v8s_error_new(isolate, V8S_ERROR, message ? message : "out of memory"));
    free(message);
}

static void throw_not_there(v8s_isolate *isolate, const char *what, const struct rt_recording_key *key) {
    if (key->name)
        throw_error(isolate, "%s: there is no recording '%s': it was not started, or is stopped already", what,
                    key->name);
    else
        throw_error(isolate,
                    "%s: nothing is being recorded: startProfiling() was not called, or everything that it "
                    "started is stopped already",
                    what);
}

static void throw_failure(v8s_isolate *isolate, int error, const char *what, const struct rt_recording_key *key) {
    if (error == -ENOENT)
        throw_not_there(isolate, what, key);
    else if (error == -EEXIST)
        throw_error(isolate, "%s: there is a recording '%s' already: stop it first, or give this one another name",
                    what, key->name);
    else
        throw_error(isolate, "%s: %s", what, strerror(-error));
}

/* ---- Functions ---- */

/* profilerPrepare(): makes later starts quick. */
static v8s_value profiler_prepare(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    rt_profile_prepare(rt_realm_of(isolate));
    return NULL;
}

/* profilerStart(name, intervalNs, isPrivate): the id. An interval of 0 is the default. */
static v8s_value profiler_start(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value interval = v8s_argument(arguments, 1);
    struct rt_recording_key key;
    char *name;
    uint64_t id;
    if (!key_argument(isolate, arguments, "profilerStart", &key, &name)) return NULL;
    int error = -EINVAL;
    if (v8s_is_number(interval) && v8s_number_of(interval) >= 0 && v8s_number_of(interval) < 1e18)
        error = rt_recordings_start(rt_realm_of(isolate), &key, v8s_truthy(isolate, v8s_argument(arguments, 2)),
                                    (uint64_t)v8s_number_of(interval), &id);
    if (error) throw_failure(isolate, error, "startProfiling", &key);
    free(name);
    return error ? NULL : v8s_number(isolate, (double)id);
}

/* profilerStop(name or id): the profile's bytes. */
static v8s_value profiler_stop(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_recording_key key;
    char *name;
    uint8_t *data, *bytes;
    size_t nbytes;
    if (!key_argument(isolate, arguments, "profilerStop", &key, &name)) return NULL;
    int error = rt_recordings_stop(rt_realm_of(isolate), &key, &data, &nbytes);
    if (error) throw_failure(isolate, error, "stopProfiling", &key);
    free(name);
    if (error) return NULL;
    v8s_value array = v8s_uint8array_new(isolate, nbytes, &bytes);
    memcpy(bytes, data, nbytes);
    fino_sampler_bytes_free(data);
    return array;
}

/* profilerHas(name or id) */
static v8s_value profiler_has(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_recording_key key;
    char *name;
    if (!key_argument(isolate, arguments, "profilerHas", &key, &name)) return NULL;
    bool there = rt_recordings_has(&key);
    free(name);
    return v8s_bool(isolate, there);
}

static v8s_value stats_object(v8s_isolate *isolate, const struct fino_sampler_stats *stats) {
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"samples", stats->samples},
        {"cpuNs", stats->cpu_ns},
        {"wallNs", stats->wall_ns},
        {"complete", stats->complete},
        {"truncated", stats->truncated},
        {"truncatedDepth", stats->truncated_depth},
        {"truncatedNoCfi", stats->truncated_no_cfi},
        {"truncatedBadFrame", stats->truncated_bad_frame},
        {"truncatedManaged", stats->truncated_managed},
        {"truncatedNoStack", stats->truncated_no_stack},
        {"lostRingFull", stats->lost_ring_full},
        {"lostNoThread", stats->lost_no_thread},
        {"merged", stats->timer_overruns},
        {"unresolvedFrames", stats->unresolved_frames},
        {"unsampledNs", stats->unsampled_ns},
        {"signals", stats->signals},
        {"handlerNsP50", stats->handler_ns_p50},
        {"handlerNsP99", stats->handler_ns_p99},
        {"handlerNsTotal", stats->handler_ns_total},
        {"foldNs", stats->fold_ns},
    };
    v8s_value object = v8s_object_new(isolate);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        v8s_set(isolate, object, fields[i].name, v8s_number(isolate, (double)fields[i].value));
    return object;
}

/* profilerStats(name or id): without either, of the recording started last, or else --profile's; null when there is
 * none. */
static v8s_value profiler_stats(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_recording_key key;
    struct fino_sampler_stats stats;
    char *name;
    if (!key_argument(isolate, arguments, "profilerStats", &key, &name)) return NULL;
    int error = rt_recordings_look(&key, &stats);
    if (error && (key.name || key.id))
        throw_failure(isolate, error, "stats", &key);
    else if (error && rt_profile_look(&stats))
        error = 0;
    free(name);
    if (!error) return stats_object(isolate, &stats);
    return key.name || key.id ? NULL : v8s_null(isolate);
}

/* ---- Labels ---- */

/* labelSetAdd([key, value, key, value, ...]): the number of a new set; 0 when there are too many. */
static v8s_value label_set_add(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value list = v8s_argument(arguments, 0);
    struct sampler_label labels[SAMPLER_LABELS_MAX];
    size_t count = v8s_is_array(list) ? v8s_array_length(list) / 2 : SIZE_MAX;
    if (count > SAMPLER_LABELS_MAX) return v8s_throw_type_error(isolate, "labelSetAdd: not so few labels");
    for (size_t i = 0; i < count; i++) {
        labels[i].key = v8s_describe(isolate, v8s_array_at(isolate, list, 2 * i));
        labels[i].value = v8s_describe(isolate, v8s_array_at(isolate, list, 2 * i + 1));
    }
    return v8s_number(isolate, rt_labels_add(labels, count));
}

/* labelsGet(), labelsSet(number): the set of what runs and of its continuations; 0: none. */
static v8s_value labels_get(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    return v8s_number(isolate, v8s_continuation_get(isolate));
}
static v8s_value labels_set(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_continuation_set(isolate, (uint32_t)rt_number_argument(arguments, 0));
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"labelSetAdd", label_set_add, 1},        {"labelsGet", labels_get, 0},         {"labelsSet", labels_set, 1},
    {"profilerPrepare", profiler_prepare, 0}, {"profilerStart", profiler_start, 3}, {"profilerStop", profiler_stop, 1},
    {"profilerHas", profiler_has, 1},         {"profilerStats", profiler_stats, 1},
};

const struct rt_native_group rt_mod_profiler = {functions, sizeof functions / sizeof *functions, NULL};
