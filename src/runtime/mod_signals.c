/* mod_signals.c: signals for JavaScript. */

#include <errno.h>
#include <signal.h>
#include <sys/types.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/signals.h"

static const struct {
    const char *name;
    int number;
} names[] = {
    {"SIGHUP", SIGHUP},     {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT}, {"SIGILL", SIGILL},   {"SIGTRAP", SIGTRAP},
    {"SIGABRT", SIGABRT},   {"SIGBUS", SIGBUS},   {"SIGFPE", SIGFPE},   {"SIGKILL", SIGKILL}, {"SIGUSR1", SIGUSR1},
    {"SIGSEGV", SIGSEGV},   {"SIGUSR2", SIGUSR2}, {"SIGPIPE", SIGPIPE}, {"SIGALRM", SIGALRM}, {"SIGTERM", SIGTERM},
    {"SIGCHLD", SIGCHLD},   {"SIGCONT", SIGCONT}, {"SIGSTOP", SIGSTOP}, {"SIGTSTP", SIGTSTP}, {"SIGTTIN", SIGTTIN},
    {"SIGTTOU", SIGTTOU},   {"SIGURG", SIGURG},   {"SIGXCPU", SIGXCPU}, {"SIGXFSZ", SIGXFSZ}, {"SIGVTALRM", SIGVTALRM},
    {"SIGWINCH", SIGWINCH}, {"SIGIO", SIGIO},     {"SIGPWR", SIGPWR},   {"SIGSYS", SIGSYS},
};

/* signalWatch(number, on) */
static v8s_value signal_watch(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value number = v8s_argument(arguments, 0);
    if (!v8s_is_number(number)) return v8s_throw_type_error(isolate, "signalWatch: signal is not a number");
    if (rt_realm_of(isolate)->options.child)
        return v8s_throw_type_error(isolate, "process.on: signals are the main Realm's; it can tell others by a port");
    int error = rt_signals_watch(rt_realm_of(isolate), (int)v8s_number_of(number),
                                 v8s_truthy(isolate, v8s_argument(arguments, 1)));
    return error ? rt_throw_errno(isolate, -error, "sigaction", NULL) : NULL;
}

/* kill(pid, number) */
static v8s_value kill_process(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value pid = v8s_argument(arguments, 0), number = v8s_argument(arguments, 1);
    if (!v8s_is_number(pid) || !v8s_is_number(number))
        return v8s_throw_type_error(isolate, "kill: pid and signal are numbers");
    if (kill((pid_t)v8s_number_of(pid), (int)v8s_number_of(number)) < 0)
        return rt_throw_errno(isolate, errno, "kill", NULL);
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"signalWatch", signal_watch, 2},
    {"kill", kill_process, 2},
};

static void install(struct rt_realm *realm, v8s_value native) {
    v8s_value table = v8s_object_new_null_prototype(realm->isolate);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        v8s_set(realm->isolate, table, names[i].name, v8s_number(realm->isolate, names[i].number));
    v8s_set(realm->isolate, native, "signals", table);
}

const struct rt_native_group rt_mod_signals = {functions, sizeof functions / sizeof *functions, install};
