/* cpu_limit.c: see cpu_limit.h. A timer on each thread's CPU clock, whose signal goes to one thread that waits for it
 * with sigwaitinfo: no signal handler, and nobody else's system calls are interrupted. */
#include "runtime/cpu_limit.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/thread.h"

#define SIGNAL_NUMBER SIGRTMIN
#define STACK_BYTES (128u << 10)

static struct {
    pthread_mutex_t mutex; /* protects TID; 0: the thread isn't there */
    pid_t tid;
    sem_t ready;
    void (*reached)(uint64_t id);
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *wait_for_signals(void *data) {
    (void)data;
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL_NUMBER);
    watch.tid = gettid();
    sem_post(&watch.ready);
    for (;;)
        if (sigwaitinfo(&set, &info) == SIGNAL_NUMBER && info.si_code == SI_TIMER)
            watch.reached((uint64_t)(uintptr_t)info.si_value.sival_ptr);
    return NULL;
}

/* With the lock. */
static int start_watch(void (*reached)(uint64_t id)) {
    if (watch.tid) return 0;
    watch.reached = reached;
    sem_init(&watch.ready, 0, 0);
    int error = rt_thread_start(wait_for_signals, NULL, STACK_BYTES, "fino-limits");
    if (error) return error;
    while (sem_wait(&watch.ready) < 0 && errno == EINTR) {
    }
    return 0;
}

int rt_cpu_limit_begin(uint64_t limit_ns, uint64_t id, void (*reached)(uint64_t id), timer_t *timer_out) {
    clockid_t clock;
    struct timespec now;
    pthread_mutex_lock(&watch.mutex);
    int error = start_watch(reached);
    pthread_mutex_unlock(&watch.mutex);
    if (error) return error;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_NUMBER};
    event.sigev_value.sival_ptr = (void *)(uintptr_t)id;
    event._sigev_un._tid = watch.tid;
    error = pthread_getcpuclockid(pthread_self(), &clock);
    if (error) return -error;
    if (clock_gettime(clock, &now) < 0 || timer_create(clock, &event, timer_out) < 0) return -errno;
    limit_ns += (uint64_t)now.tv_nsec;
    const struct itimerspec when = {.it_value = {.tv_sec = now.tv_sec + (time_t)(limit_ns / 1000000000u),
                                                 .tv_nsec = (long)(limit_ns % 1000000000u)}};
    if (timer_settime(*timer_out, TIMER_ABSTIME, &when, NULL) == 0) return 0;
    error = -errno;
    timer_delete(*timer_out);
    return error;
}

void rt_cpu_limit_end(timer_t timer) {
    timer_delete(timer);
}
