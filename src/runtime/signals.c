/* signals.c: one handler for every signal that fino takes an interest in (signals.h).
 *
 * The handler itself only sets a bit and wakes somebody: the loop, for signals that JavaScript watches; or, to stop a
 * Realm, a thread of its own, because asking V8 to terminate takes a lock, and because the Realm's thread may be busy.
 */

#include "runtime/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "runtime/live.h"

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define STOP_SIGNAL_COUNT (sizeof stop_signals / sizeof *stop_signals)

static struct {
    struct rt_realm *_Atomic realm; /* that gets watched signals */
    atomic_uint_fast64_t watched;   /* bit n: signal n goes to JavaScript */
    atomic_uint_fast64_t pending;   /* came, and not yet dispatched */
    atomic_bool stops_realm;        /* stop signals are for the thread below */
    atomic_int stop_signal;         /* the first that came; -1: the thread shall end */
    atomic_uint_fast64_t stop_ns;   /* when it came, CLOCK_MONOTONIC */
    void (*_Atomic live)(const siginfo_t *info, const void *context); /* NULL: SIGUSR2 is like others */
    sem_t stop_wanted;
    pthread_t thread;
    bool has_thread;
} signals;

static uint64_t bit(int signal_number) {
    return (uint64_t)1 << signal_number;
}

/* One press of a key or one `timeout` can deliver a signal more than once, to the process and to its group. Within this
 * time that is one wish to stop, not the wish of somebody who lost patience. */
#define SAME_WISH_NS 300000000u

/* SIGNAL_SAFE: atomics, clock_gettime, sem_post, sigaction, raise, and rt_loop_wake and `live`, which promise it. */
static void on_signal(int signal_number, siginfo_t *info, void *context) {
    int saved_errno = errno;
    int none = 0;
    void (*live)(const siginfo_t *, const void *) = signal_number == SIGUSR2 ? atomic_load(&signals.live) : NULL;
    bool is_watched = atomic_load(&signals.watched) & bit(signal_number);
    if (live && (!is_watched || rt_live_is_ours(info))) {
        live(info, context);
    } else if (is_watched) {
        atomic_fetch_or(&signals.pending, bit(signal_number));
        rt_loop_wake(&atomic_load(&signals.realm)->loop);
    } else if (atomic_load(&signals.stops_realm) &&
               atomic_compare_exchange_strong(&signals.stop_signal, &none, signal_number)) {
        atomic_store(&signals.stop_ns, rt_now_ns());
        sem_post(&signals.stop_wanted);
    } else if (!atomic_load(&signals.stops_realm) || rt_now_ns() - atomic_load(&signals.stop_ns) > SAME_WISH_NS) {
        signal(signal_number, SIG_DFL); /* when this handler returns: what it does by default */
        raise(signal_number);
    }
    errno = saved_errno;
}

static int handle(int signal_number) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    return sigaction(signal_number, &action, NULL) < 0 ? -errno : 0;
}

static bool is_stop_signal(int signal_number) {
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
        if (stop_signals[i] == signal_number) return true;
    return false;
}

void rt_signals_init(void) {
    signal(SIGPIPE, SIG_IGN); /* a write says EPIPE instead */
}

/* Waits for the first stop signal. */
static void *stop_thread(void *data) {
    while (sem_wait(&signals.stop_wanted) < 0 && errno == EINTR) {
    }
    int signal_number = atomic_load(&signals.stop_signal);
    if (signal_number > 0) rt_realm_stop(data, RT_STOP_SIGNAL, signal_number);
    return NULL;
}

int rt_signals_stop_realm(struct rt_realm *realm) {
    if (signals.has_thread) return 0;
    sem_init(&signals.stop_wanted, 0, 0);
    atomic_store(&signals.stop_signal, 0);
    int error = pthread_create(&signals.thread, NULL, stop_thread, realm);
    if (error) return -error;
    pthread_setname_np(signals.thread, "fino-signals"); /* its label in a profile */
    signals.has_thread = true;
    atomic_store(&signals.stops_realm, true);
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++) {
        struct sigaction old;
        sigaction(stop_signals[i], NULL, &old);
        /* Under nohup it stays ignored. A shell lets its background jobs ignore SIGINT too: that isn't meant so. */
        if (stop_signals[i] != SIGHUP || old.sa_handler != SIG_IGN) handle(stop_signals[i]);
    }
    return 0;
}

void rt_signals_close(void) {
    atomic_store(&signals.stops_realm, false);
    for (int i = 1; i < 64; i++)
        if ((atomic_load(&signals.watched) & bit(i)) && i != SIGUSR2) signal(i, SIG_DFL);
    atomic_store(&signals.watched, 0);
    if (!signals.has_thread) return;
    for (size_t i = 0; i < STOP_SIGNAL_COUNT; i++)
        signal(stop_signals[i], SIG_DFL);
    int none = 0;
    atomic_compare_exchange_strong(&signals.stop_signal, &none, -1);
    sem_post(&signals.stop_wanted);
    pthread_join(signals.thread, NULL);
    signals.has_thread = false;
}

void rt_signals_set_live(void (*live)(const siginfo_t *info, const void *context)) {
    atomic_store(&signals.live, live);
    if (live)
        handle(SIGUSR2);
    else
        signal(SIGUSR2, SIG_IGN);
}

/* Those that no handler may have, and those that say that this very thread cannot go on. */
static bool can_be_watched(int signal_number) {
    static const int never[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (never[i] == signal_number) return false;
    return signal_number >= 1 && signal_number <= 63;
}

int rt_signals_watch(struct rt_realm *realm, int signal_number, bool on) {
    if (!can_be_watched(signal_number)) return -EINVAL;
    atomic_store(&signals.realm, realm);
    if (on) {
        atomic_fetch_or(&signals.watched, bit(signal_number));
        return handle(signal_number);
    }
    atomic_fetch_and(&signals.watched, ~bit(signal_number));
    bool stays = (atomic_load(&signals.stops_realm) && is_stop_signal(signal_number)) ||
                 (atomic_load(&signals.live) && signal_number == SIGUSR2);
    if (!stays) signal(signal_number, signal_number == SIGPIPE ? SIG_IGN : SIG_DFL);
    return 0;
}

void rt_signals_dispatch(struct rt_realm *realm) {
    if (atomic_load_explicit(&signals.pending, memory_order_relaxed) == 0 || atomic_load(&signals.realm) != realm)
        return;
    uint64_t pending = atomic_exchange(&signals.pending, 0);
    for (int i = 1; i < 64 && !rt_realm_is_stopped(realm); i++) {
        if (!(pending & bit(i))) continue;
        struct v8s_scope scope;
        v8s_scope_open(realm->isolate, &scope);
        v8s_value number = v8s_number(realm->isolate, i);
        rt_realm_call_internal(realm, "onSignal", 1, &number);
        v8s_scope_close(&scope);
    }
}

_Noreturn void rt_signals_die(int signal_number) {
    signal(signal_number, SIG_DFL);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal_number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(signal_number);
    _exit(128 + signal_number);
}
