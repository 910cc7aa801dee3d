/* empty_handler.c, to be preloaded: a signal every EMPTY_HANDLER_US microseconds for a handler that does nothing. What
 * it costs a program is the floor for every profiler that samples by signals. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void do_nothing(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
}

__attribute__((constructor)) static void begin(void) {
    const char *interval = getenv("EMPTY_HANDLER_US");
    struct sigaction action;
    struct sigevent event;
    timer_t timer;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    action.sa_sigaction = do_nothing;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + 5;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    const struct timespec period = {0, interval ? atol(interval) * 1000 : 1000000};
    const struct itimerspec when = {period, period};
    if (sigaction(SIGRTMIN + 5, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        abort();
}
