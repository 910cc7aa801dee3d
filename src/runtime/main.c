/* main.c: the fino command: from arguments to an exit code. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/command_pprof.h"
#include "runtime/command_profile.h"
#include "runtime/declarations.h"
#include "runtime/live.h"
#include "runtime/options.h"
#include "runtime/pprof_listen.h"
#include "runtime/profile.h"
#include "runtime/realm.h"
#include "runtime/realm_child.h"
#include "runtime/realm_host.h"
#include "runtime/realm_process.h"
#include "runtime/realms.h"
#include "runtime/recordings.h"
#include "runtime/signals.h"

#define EXIT_CODE_FAILED 1

/* For V8's concurrent compiler and garbage collector; more do not pay in a runtime whose JavaScript has one thread. */
#define WORKER_COUNT_MAX 4

/* How long the other Realms may take to stop at the end. Termination takes microseconds wherever JavaScript runs; a
 * Realm may be in the middle of a long native call, or one of a thousand. */
#define STOP_PATIENCE_NS 10000000000u

/* Does the process take itself apart at its end, so that leaks can be looked for? */
#ifdef FINO_DEBUG
#define STOPS_PROPERLY true
#else
#define STOPS_PROPERLY false
#endif

const char *rt_version(void) {
    return "0.1.0";
}

static int worker_count(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors <= 2 ? 1 : processors > WORKER_COUNT_MAX ? WORKER_COUNT_MAX : (int)processors - 1;
}

/* Descriptors 0 to 2 are standard input, output and error, or nothing: never something of ours that got their number.
 */
static void open_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) abort();
}

static int begin_profile(const struct rt_options *options, char *const argv[]) {
    rt_profile_init(argv);
    if (!options->profile) return 0;
    const struct rt_profile_options profile = {options->profile_path, options->profile_interval_ns,
                                               options->profile_budget_ppm, options->profile_format,
                                               options->profile_view};
    return rt_profile_begin(&profile);
}

/* Before anything is written: each Realm that still runs is stopped, so that all it did is in the profile. Returns
 * whether they all have. */
static bool stop_realms(void) {
    size_t left = rt_realms_stop_all(STOP_PATIENCE_NS);
    if (left > 0)
        fprintf(stderr, "fino: %zu Realm%s did not stop within %u s; what %s did last is not in the profile\n", left,
                left == 1 ? "" : "s", (unsigned)(STOP_PATIENCE_NS / 1000000000u), left == 1 ? "it" : "they");
    return left == 0;
}

/* The process is over: everything is written, so the kernel may take the rest back, which is much faster than running
 * the destructors of V8's library. Builds that look for leaks do it properly. */
static _Noreturn void leave(struct rt_realm *realm, int code, bool is_alone) {
    rt_signals_close();
    fflush(NULL);
    if (!STOPS_PROPERLY || !is_alone) _exit(code);
    rt_realm_free(realm);
    rt_profile_end_thread();
    v8s_stop();
    exit(code);
}

/* What fino does beside running scripts. Each gets what follows its name and returns the exit code. */
static const struct {
    const char *name;
    int (*run)(char *const *arguments);
} commands[] = {{"pprof", rt_command_pprof},
                {"profile", rt_command_profile},
                {"types", rt_declarations_command},
                {"realm-host", rt_realm_host_command}};

/* The process of somebody else's Realm. */
static _Noreturn void run_child(const struct rt_options *options) {
    rt_profile_begin_thread(RT_LINK_THREAD_NAME, rt_realm_kind_name(RT_REALM_MAIN));
    int code = rt_realm_child_run();
    if (options->profile) stop_realms();
    if (rt_profile_finish(NULL) != 0 && code == 0) code = EXIT_CODE_FAILED;
    fflush(NULL);
    _exit(code);
}

int main(int argc, char *argv[]) {
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argv + 2);
    bool is_child = argc > 1 && strcmp(argv[1], RT_REALM_CHILD_COMMAND) == 0;
    static struct rt_options options; /* processes of Realms may be made to the last */
    int code = rt_options_parse(argc - is_child, argv + is_child, &options);
    if (code >= 0) return code;
    open_standard_descriptors();
    rt_signals_init();
    rt_process_init(&options);
    if (is_child) rt_realm_child_begin(&options);
    if (begin_profile(&options, argv) != 0) return EXIT_CODE_FAILED;
    v8s_start(options.v8_flags, worker_count());
    if (is_child) run_child(&options);
    rt_profile_begin_thread("main", rt_realm_kind_name(RT_REALM_MAIN));
    struct rt_realm *realm = rt_realm_new(&(struct rt_realm_options){
        .name = "main", .script = options.script, .arguments = options.arguments, .kind = RT_REALM_MAIN, .id = 1});
    if (!realm) return EXIT_CODE_FAILED;
    if (options.pprof_listen && rt_pprof_listen(options.pprof_listen, argv) != 0) return EXIT_CODE_FAILED;
    int error = options.profile ? rt_signals_stop_realm(realm) : 0;
    if (error) fprintf(stderr, "fino: signals will end the process without a profile: %s\n", strerror(-error));
    if (!options.perf_map) rt_live_open(realm); /* as --profile refuses it: names would be wrong */
    code = rt_realm_run(realm);
    rt_pprof_listen_close();
    rt_live_close();
    rt_realms_disown(realm);
    bool is_alone = (options.profile || STOPS_PROPERLY) && stop_realms();
    if (rt_profile_finish(realm) != 0 && code == 0) code = EXIT_CODE_FAILED;
    rt_recordings_abandon();
    if (atomic_load(&realm->stop) == RT_STOP_SIGNAL) rt_signals_die(realm->stop_signal);
    leave(realm, code, is_alone);
}
