/* profile.c: see profile.h. Owns the list of attached Realms, the command line's one recording and its file; walking
 * and naming frames is jit_realm.c's, sampling the sampler's, what recordings are called recordings.c's. */
#include "runtime/profile.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/jit_realm.h"
#include "runtime/module.h"
#include "runtime/profile_output.h"
#include "runtime/realm.h"
#include "runtime/states.h"
#include "runtime/v8_shim.h"
#include "sampler/sampler.h"

/* Set once, on the main thread. */
static char *command_comment;

/* --profile's recording. */
static struct {
    pthread_mutex_t mutex;        /* protects RECORDING, which finish, on the main thread, takes away */
    sampler_recording *recording; /* NULL: none was asked for, or it is finished */
    char *path;                   /* absolute: the program may change its directory */
    const char *shown_path;       /* as given */
    uint32_t budget_ppm;          /* of recordings on auto; 0: the sampler's */
    const struct rt_report_format *format;
    char *view_path; /* NULL: no flame graph */
} run = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* What profile.h calls attached: `profile` of a Realm. */
struct attached {
    struct attached *next;
    v8s_isolate *isolate;
    struct jit_realm *jit;
    struct v8s_interrupt listen;
};

static pthread_mutex_t realms_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Under REALMS_MUTEX. */
static struct {
    struct attached *first;
    bool listen; /* there is or was a recording: Realms learn of their code as soon as they are attached */
} realms;

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("fino: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return -1;
}

/* ---- Beginning ---- */

static char *absolute_path(const char *path) {
    char cwd[4096], *absolute = NULL;
    if (path[0] == '/') return strdup(path);
    if (getcwd(cwd, sizeof cwd) == NULL || asprintf(&absolute, "%s/%s", cwd, path) < 0) return NULL;
    return absolute;
}

/* Of PATH's flame graph: .html instead of .pb, or behind what is there. */
static char *view_path(const char *path) {
    size_t length = strlen(path);
    char *view;
    if (length > 3 && strcmp(path + length - 3, ".pb") == 0) length -= 3;
    return asprintf(&view, "%.*s.html", (int)length, path) < 0 ? NULL : view;
}

/* Says now what would fail at the end. */
static int check_writable(const char *path) {
    struct stat status;
    char *directory = strdup(path), *slash = directory != NULL ? strrchr(directory, '/') : NULL;
    if (slash == NULL) {
        free(directory);
        return complain("cannot write the profile: out of memory");
    }
    slash[slash == directory ? 1 : 0] = '\0';
    int error = access(directory, W_OK | X_OK) != 0 ? errno : 0;
    if (error != 0)
        complain("cannot write the profile %s: directory %s: %s; name another place with --profile=FILE", path,
                 directory, strerror(error));
    else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        error = complain("cannot write the profile %s: it exists and is not a regular file", path);
    free(directory);
    return error != 0 ? -1 : 0;
}

/* "command: " and the arguments with spaces between them, for people to read. */
static char *describe_command(char *const argv[]) {
    static const char head[] = "command:";
    size_t nbytes = sizeof head;
    for (size_t i = 0; argv[i] != NULL; i++)
        nbytes += strlen(argv[i]) + 1;
    char *line = malloc(nbytes), *end = line;
    if (line == NULL) return NULL;
    end = stpcpy(end, head);
    for (size_t i = 0; argv[i] != NULL; i++) {
        *end++ = ' ';
        end = stpcpy(end, argv[i]);
    }
    return line;
}

void rt_profile_init(char *const argv[]) {
    command_comment = describe_command(argv);
    if (command_comment == NULL) abort();
    fino_sampler_set_frame_states(rt_states, rt_state_count);
    (void)fino_sampler_name_threads("V8 Default", "v8-worker"); /* can't be full: it is the first */
}

int rt_profile_begin(const struct rt_profile_options *options) {
    const struct fino_sampler_options sampling = {.interval_ns = options->interval_ns,
                                                  .budget_ppm = options->budget_ppm};
    run.path = absolute_path(options->path);
    run.shown_path = options->path;
    run.budget_ppm = options->budget_ppm;
    run.format = options->format;
    run.view_path = options->view && run.path != NULL ? view_path(run.path) : NULL;
    if (run.path == NULL || (options->view && run.view_path == NULL))
        return complain("cannot profile: %s", strerror(errno));
    if (check_writable(run.path) != 0 || (options->view && check_writable(run.view_path) != 0)) return -1;
    realms.listen = true; /* nobody else is there yet */
    int error = fino_sampler_start(&sampling, &run.recording);
    if (error == -EAGAIN)
        return complain(
            "cannot profile: no timer to be had; each takes one of this user's pending signals (ulimit -i): "
            "allow more of them");
    if (error != 0) return complain("cannot profile: %s", strerror(-error));
    return 0;
}

/* ---- Realms ---- */

static void listen(struct attached *attached) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    jit_realm_listen(attached->jit);
    if (!jit_realm_layout_is_known() && !atomic_flag_test_and_set(&told))
        complain("notice: the code objects of V8 %s are not known: inlined functions count as their callers, "
                 "interpreted ones as [unknown js]",
                 v8s_version());
}

static void listen_in_interrupt(void *context) {
    listen(context);
}

void rt_profile_begin_thread(const char *label, const char *kind) {
    sampler_thread *thread = fino_sampler_thread_register(NULL);
    fino_sampler_thread_set_managed(thread, NULL, label);
    fino_sampler_thread_set_tag(thread, "realm_kind", kind);
}

static _Noreturn void give_up(void) {
    complain("cannot profile this Realm: out of memory");
    abort();
}

sampler_guest *rt_profile_guest_new(const char *label, const char *kind) {
    sampler_guest *guest = fino_sampler_guest_new(label, "realm_kind", kind);
    if (guest == NULL) give_up();
    return guest;
}

void rt_profile_guest_free(sampler_guest *guest) {
    fino_sampler_guest_free(guest);
}

void rt_profile_begin_slice(sampler_guest *guest) {
    fino_sampler_guest_enter(guest);
}

void rt_profile_end_slice(sampler_guest *guest) {
    fino_sampler_guest_leave(guest);
}

uint64_t rt_profile_cpu_ns(const struct rt_realm *realm) {
    struct timespec used;
    if (realm->options.guest != NULL) return fino_sampler_guest_cpu_ns(realm->options.guest);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static struct jit_realm *attach_jit(const struct rt_realm *realm) {
    sampler_thread *thread = fino_sampler_thread_self();
    if (realm->options.guest != NULL) return jit_realm_attach_guest(realm->isolate, realm->options.guest);
    return thread != NULL ? jit_realm_attach(realm->isolate, thread, realm->options.name) : NULL;
}

static uint32_t source_column(const void *context, const char *path, uint32_t line, uint32_t column) {
    const struct rt_realm *realm = context;
    return realm->modules ? rt_modules_source_column(realm->modules, path, line, column) : column;
}

void rt_profile_attach(struct rt_realm *realm) {
    struct attached *attached = calloc(1, sizeof *attached);
    struct jit_realm *jit = attached != NULL ? attach_jit(realm) : NULL;
    if (jit == NULL) give_up();
    jit_realm_set_columns(jit, &(struct jit_columns){source_column, realm});
    *attached = (struct attached){
        .isolate = realm->isolate,
        .jit = jit,
        .listen = {.run = listen_in_interrupt, .context = attached},
    };
    realm->profile = attached;
    pthread_mutex_lock(&realms_mutex);
    attached->next = realms.first;
    realms.first = attached;
    bool listens = realms.listen;
    pthread_mutex_unlock(&realms_mutex);
    if (listens) listen(attached);
}

static struct jit_realm *jit_of(const struct rt_realm *realm) {
    return ((const struct attached *)realm->profile)->jit;
}

void rt_profile_detach(struct rt_realm *realm) {
    struct attached *attached = realm->profile;
    pthread_mutex_lock(&realms_mutex);
    struct attached **link = &realms.first;
    while (*link != attached)
        link = &(*link)->next;
    *link = attached->next;
    pthread_mutex_unlock(&realms_mutex);
    jit_realm_detach(attached->jit);
    free(attached);
    realm->profile = NULL;
}

void rt_profile_end_thread(void) {
    fino_sampler_thread_unregister(fino_sampler_thread_self());
}

/* REALM (NULL: none) at once, the others as soon as they run JavaScript: an interrupt comes before whatever there is to
 * sample. */
void rt_profile_prepare(struct rt_realm *realm) {
    pthread_mutex_lock(&realms_mutex);
    bool first = !realms.listen;
    realms.listen = true;
    for (struct attached *other = realms.first; first && other != NULL; other = other->next)
        if (realm == NULL || other != realm->profile) v8s_request_interrupt(other->isolate, &other->listen);
    pthread_mutex_unlock(&realms_mutex);
    if (realm != NULL) listen(realm->profile);
}

void rt_profile_park(void) {
    fino_sampler_thread_park(fino_sampler_thread_self());
}

void rt_profile_unpark(void) {
    fino_sampler_thread_unpark(fino_sampler_thread_self());
}

/* ---- Recordings ---- */

/* The program waits for a stop: it gets 9 % more bytes in half the time. */
#define LIVE_GZIP_LEVEL 1

int rt_profile_open(struct rt_realm *realm, uint64_t interval_ns, sampler_recording **recording_out) {
    const struct fino_sampler_options options = {
        .interval_ns = interval_ns,
        .budget_ppm = interval_ns == 0 ? run.budget_ppm : 0,
        .gzip_level = LIVE_GZIP_LEVEL,
    };
    rt_profile_prepare(realm);
    return fino_sampler_start(&options, recording_out);
}

static int stop(struct rt_realm *realm, sampler_recording *recording, const char *name, uint8_t **data_out,
                size_t *nbytes_out, struct fino_sampler_stats *stats_out) {
    char version[128], code[256], *called = NULL;
    const char *comments[4] = {command_comment, version};
    size_t count = 2;
    snprintf(version, sizeof version, "fino %s, V8 %s", rt_version(), v8s_version());
    if (realm != NULL) {
        jit_realm_describe(jit_of(realm), code, sizeof code);
        comments[count++] = code;
    }
    if (name != NULL && asprintf(&called, "recording: %s", name) < 0) called = NULL; /* it will do without */
    if (called != NULL) comments[count++] = called;
    int error = fino_sampler_stop(recording, comments, count, data_out, nbytes_out, stats_out);
    free(called);
    return error;
}

int rt_profile_close(struct rt_realm *realm, sampler_recording *recording, const char *name, uint8_t **data_out,
                     size_t *nbytes_out) {
    return stop(realm, recording, name, data_out, nbytes_out, NULL);
}

bool rt_profile_look(struct fino_sampler_stats *stats_out) {
    pthread_mutex_lock(&run.mutex);
    bool there = run.recording != NULL;
    if (there) fino_sampler_look(run.recording, stats_out);
    pthread_mutex_unlock(&run.mutex);
    return there;
}

/* ---- The end ---- */

/* "1 ms", or "1-4.2 ms" where it varied. */
static void show_interval(const struct fino_sampler_stats *stats, char *text, size_t size) {
    double least_ms = (double)stats->interval_min_ns / 1e6, most_ms = (double)stats->interval_max_ns / 1e6;
    if (stats->interval_min_ns == stats->interval_max_ns)
        snprintf(text, size, "%.3g ms", least_ms);
    else
        snprintf(text, size, "%.3g-%.3g ms", least_ms, most_ms);
}

static void print_summary(const struct fino_sampler_stats *stats, size_t nbytes) {
    uint64_t lost = stats->lost_ring_full + stats->lost_no_thread;
    double cost = stats->cpu_ns != 0 ? 100 * (double)stats->cost_ns / (double)stats->cpu_ns : 0;
    char interval[64];
    show_interval(stats, interval, sizeof interval);
    fprintf(stderr,
            "fino: %s: %llu samples, every %s, %.3f s CPU, %.1f %% of it for sampling, %llu lost, %llu truncated, "
            "%.1f kB\n",
            run.shown_path, (unsigned long long)stats->samples, interval, (double)stats->cpu_ns / 1e9, cost,
            (unsigned long long)lost, (unsigned long long)stats->truncated, (double)nbytes / 1e3);
}

static int write_view(const uint8_t *data, size_t nbytes) {
    size_t view_nbytes;
    int error = rt_profile_output_write(run.view_path, rt_report_find_format("html"), run.shown_path, data, nbytes,
                                        &view_nbytes);
    if (error == 0)
        fprintf(stderr, "fino: %s: its flame graph, for a browser\n", run.view_path);
    else
        complain("cannot write the flame graph %s: %s", run.view_path, strerror(-error));
    return error;
}

int rt_profile_finish(struct rt_realm *realm) {
    pthread_mutex_lock(&run.mutex);
    sampler_recording *recording = run.recording;
    run.recording = NULL;
    pthread_mutex_unlock(&run.mutex);
    if (recording == NULL) return 0;
    struct fino_sampler_stats stats;
    uint8_t *data = NULL;
    size_t nbytes = 0, file_nbytes = 0;
    int error = stop(realm, recording, NULL, &data, &nbytes, &stats);
    if (error == 0) error = rt_profile_output_write(run.path, run.format, run.shown_path, data, nbytes, &file_nbytes);
    if (error == 0) {
        print_summary(&stats, file_nbytes);
        rt_profile_output_hottest(data, nbytes, stderr);
        if (run.view_path != NULL) error = write_view(data, nbytes);
    } else {
        complain("cannot write the profile %s: %s; nothing was left there", run.path, strerror(-error));
    }
    fino_sampler_bytes_free(data);
    free(run.path);
    free(run.view_path);
    return error != 0 ? -1 : 0;
}
