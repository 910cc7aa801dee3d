/* clock.h: the clocks that weigh samples and the timers that ask for them.
 *
 * Timers are the kernel's own (integer ids by system call): libc's wrappers differ in how they spell SIGEV_THREAD_ID,
 * and a timer_t may hide memory that a signal handler must not touch.
 */
#ifndef FINO_SAMPLER_CLOCK_H
#define FINO_SAMPLER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "sampler/managed.h"

#define SAMPLER_NS_PER_S UINT64_C(1000000000)

/* SIGNAL_SAFE. Nanoseconds of CLOCK; 0 when the clock is gone (a thread that ended). */
static inline uint64_t sampler_clock_sig(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * SAMPLER_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The CPU clock of thread TID of this process. Source: MAKE_THREAD_CPUCLOCK in linux/posix-timers.h. */
static inline clockid_t sampler_clock_of_thread(pid_t tid) {
    return (clockid_t)((~(unsigned)tid << 3) | 6u);
}

static inline pid_t sampler_gettid(void) {
    return (pid_t)syscall(SYS_gettid);
}

#define SAMPLER_TIMER_NONE (-1)

/* SIGNAL_SAFE. Arms TIMER to expire after FIRST_NS and then every PERIOD_NS (0: once); FIRST_NS == 0 disarms it.
 * Replaces what was armed. */
void sampler_timer_set_sig(int timer, uint64_t first_ns, uint64_t period_ns);

/* Creates a disarmed timer on CLOCK that sends SIGNAL, carrying VALUE, to thread TID of this process.
 * Returns: its id (>= 0), or a negative errno (-EAGAIN: the user's RLIMIT_SIGPENDING is used up). */
int sampler_timer_create(clockid_t clock, pid_t tid, int signal, uintptr_t value);

/* SAMPLER_TIMER_NONE is ignored. */
void sampler_timer_delete(int timer);

#endif
