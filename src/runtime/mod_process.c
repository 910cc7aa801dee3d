/* mod_process.c: what fino:process tells of the process, and its end. */

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/profile.h"

#if defined(__x86_64__)
#define ARCHITECTURE "x64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#error "which name does JavaScript know this machine by?"
#endif

extern char **environ;

/* A string argument as UTF-8 to free, or NULL with a TypeError pending. */
static char *string_argument(v8s_isolate *isolate, const v8s_arguments *arguments, int index, const char *what) {
    v8s_value value = v8s_argument(arguments, index);
    if (v8s_is_string(value)) {
        size_t nbytes;
        char *copy = v8s_string_copy(isolate, value, &nbytes);
        if (copy && memchr(copy, 0, nbytes) == NULL) return copy;
        free(copy);
        v8s_throw_type_error(isolate, "%s: the string has a NUL character in it", what);
        return NULL;
    }
    v8s_throw_type_error(isolate, "%s: not a string", what);
    return NULL;
}

static bool code_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what, int *code_out) {
    v8s_value code = v8s_argument(arguments, 0);
    if (!v8s_is_number(code) || v8s_number_of(code) != (double)(int)v8s_number_of(code)) {
        v8s_throw_type_error(isolate, "%s: the code is not an integer", what);
        return false;
    }
    *code_out = (int)v8s_number_of(code) & 0xFF; /* all that the system keeps */
    return true;
}

/* ---- Environment and directory ---- */

static v8s_value env_get(v8s_isolate *isolate, const v8s_arguments *arguments) {
    char *name = string_argument(isolate, arguments, 0, "envGet");
    const char *value = name ? getenv(name) : NULL;
    v8s_value result = value ? v8s_string_utf8(isolate, value, strlen(value)) : NULL;
    free(name);
    return result;
}

static v8s_value env_set(v8s_isolate *isolate, const v8s_arguments *arguments) {
    char *name = string_argument(isolate, arguments, 0, "envSet");
    char *value = name ? string_argument(isolate, arguments, 1, "envSet") : NULL;
    int error = value && setenv(name, value, 1) < 0 ? errno : 0;
    free(value);
    free(name);
    return error ? rt_throw_errno(isolate, error, "setenv", NULL) : NULL;
}

static v8s_value env_delete(v8s_isolate *isolate, const v8s_arguments *arguments) {
    char *name = string_argument(isolate, arguments, 0, "envDelete");
    int error = name && unsetenv(name) < 0 ? errno : 0;
    free(name);
    return error ? rt_throw_errno(isolate, error, "unsetenv", NULL) : NULL;
}

static v8s_value env_keys(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    size_t count = 0, found = 0;
    while (environ && environ[count])
        count++;
    v8s_value *keys = malloc((count + 1) * sizeof *keys);
    if (!keys) abort();
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(environ[i], '=');
        if (equals && equals > environ[i])
            keys[found++] = v8s_string_utf8(isolate, environ[i], (size_t)(equals - environ[i]));
    }
    v8s_value array = v8s_array_new(isolate, keys, found);
    free(keys);
    return array;
}

static v8s_value cwd(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    char *path = getcwd(NULL, 0);
    if (!path) return rt_throw_errno(isolate, errno, "getcwd", NULL);
    v8s_value result = v8s_string(isolate, path);
    free(path);
    return result;
}

static v8s_value change_directory(v8s_isolate *isolate, const v8s_arguments *arguments) {
    if (rt_realm_of(isolate)->options.child)
        return v8s_throw_type_error(isolate, "process.chdir: only the main Realm may change the process's directory");
    char *path = string_argument(isolate, arguments, 0, "chdir");
    if (path && chdir(path) < 0) rt_throw_errno(isolate, errno, "chdir", path);
    free(path);
    return NULL;
}

/* ---- The end ---- */

/* exit(code): JavaScript ends here, and does not come back. */
static v8s_value exit_process(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_realm *realm = rt_realm_of(isolate);
    int code;
    if (!code_argument(isolate, arguments, "exit", &code)) return NULL;
    if (atomic_load(&realm->stop) != RT_STOP_EXIT) realm->exit_code = code;
    rt_realm_stop(realm, RT_STOP_EXIT, 0);
    /* Termination takes hold where a function of JavaScript begins; here, so that not one more statement runs. */
    v8s_value function = v8s_compile_function(isolate, v8s_string(isolate, ""), "fino:internal/exit", NULL, 0, NULL, NULL);
    if (function) v8s_call(isolate, function, NULL, 0, NULL, NULL);
    return NULL;
}

static v8s_value set_exit_code(v8s_isolate *isolate, const v8s_arguments *arguments) {
    code_argument(isolate, arguments, "setExitCode", &rt_realm_of(isolate)->exit_code);
    return NULL;
}

/* ---- Figures ---- */

static double resident_bytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static v8s_value memory_usage(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct v8s_heap heap;
    v8s_heap_statistics(isolate, &heap);
    v8s_value usage = v8s_object_new(isolate);
    v8s_set(isolate, usage, "rss", v8s_number(isolate, resident_bytes()));
    v8s_set(isolate, usage, "heapTotal", v8s_number(isolate, (double)heap.total_bytes));
    v8s_set(isolate, usage, "heapUsed", v8s_number(isolate, (double)heap.used_bytes));
    v8s_set(isolate, usage, "external", v8s_number(isolate, (double)heap.external_bytes));
    v8s_set(isolate, usage, "arrayBuffers", v8s_number(isolate, (double)heap.array_buffer_bytes));
    return usage;
}

static double microseconds(struct timeval time) {
    return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

/* cpuUsage(): {user, system} of the process, in microseconds */
static v8s_value cpu_usage(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    v8s_value result = v8s_object_new(isolate);
    v8s_set(isolate, result, "user", v8s_number(isolate, microseconds(usage.ru_utime)));
    v8s_set(isolate, result, "system", v8s_number(isolate, microseconds(usage.ru_stime)));
    return result;
}

/* threadCpuTimeNs(): of this Realm, whatever threads it has run on, as a BigInt */
static v8s_value thread_cpu_time_ns(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    return v8s_bigint_u64(isolate, rt_profile_cpu_ns(rt_realm_of(isolate)));
}

/* uptime(): seconds since the Realm's start */
static v8s_value uptime(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    return v8s_number(isolate, (double)(rt_now_ns() - rt_realm_of(isolate)->start_ns) / 1e9);
}

static const struct v8s_native_entry functions[] = {
    {"envGet", env_get, 1},
    {"envSet", env_set, 2},
    {"envDelete", env_delete, 1},
    {"envKeys", env_keys, 0},
    {"cwd", cwd, 0},
    {"chdir", change_directory, 1},
    {"exit", exit_process, 1},
    {"setExitCode", set_exit_code, 1},
    {"memoryUsage", memory_usage, 0},
    {"cpuUsage", cpu_usage, 0},
    {"threadCpuTimeNs", thread_cpu_time_ns, 0},
    {"uptime", uptime, 0},
};

/* How many processors this process may run on. */
static int processor_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static v8s_value arguments_array(struct rt_realm *realm) {
    size_t count = 0;
    while (realm->options.arguments && realm->options.arguments[count])
        count++;
    v8s_value *values = malloc((count + 1) * sizeof *values);
    if (!values) abort();
    for (size_t i = 0; i < count; i++)
        values[i] = v8s_string(realm->isolate, realm->options.arguments[i]);
    v8s_value array = v8s_array_new(realm->isolate, values, count);
    free(values);
    return array;
}

static void set_text(struct rt_realm *realm, v8s_value object, const char *name, const char *text) {
    v8s_set(realm->isolate, object, name, v8s_string(realm->isolate, text));
}

static void set_number(struct rt_realm *realm, v8s_value object, const char *name, double number) {
    v8s_set(realm->isolate, object, name, v8s_number(realm->isolate, number));
}

static void install(struct rt_realm *realm, v8s_value native) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    v8s_set(realm->isolate, native, "args", arguments_array(realm));
    set_text(realm, native, "scriptPath", realm->options.script);
    set_text(realm, native, "execPath", path);
    set_number(realm, native, "pid", getpid());
    set_number(realm, native, "ppid", getppid());
    set_text(realm, native, "version", rt_version());
    set_text(realm, native, "arch", ARCHITECTURE);
    set_text(realm, native, "platform", "linux");
    set_number(realm, native, "hardwareConcurrency", processor_count());
    v8s_value versions = v8s_object_new(realm->isolate);
    set_text(realm, versions, "fino", rt_version());
    set_text(realm, versions, "v8", v8s_version());
    v8s_set(realm->isolate, native, "versions", versions);
}

const struct rt_native_group rt_mod_process = {functions, sizeof functions / sizeof *functions, install};
