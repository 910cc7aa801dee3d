/* empty_handler.c, to be preloaded: a signal every EMPTY_HANDLER_US microseconds for a handler that only counts. What
 * it costs a program is the floor for every profiler that samples by signals. It is the main thread's alone; the file
 * EMPTY_HANDLER_COUNT, mapped, holds how many there were (64 bits), so that a signal's price can be told. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t *count;

static void do_nothing(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    *count += 1;
}

static volatile uint64_t *map_count(const char *path) {
    int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fd < 0 || ftruncate(fd, sizeof *count) != 0) abort();
    void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return mapped != MAP_FAILED ? mapped : (abort(), NULL);
}

__attribute__((constructor)) static void begin(void) {
    const char *interval = getenv("EMPTY_HANDLER_US");
    struct sigaction action;
    struct sigevent event;
    timer_t timer;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    count = map_count(getenv("EMPTY_HANDLER_COUNT"));
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
