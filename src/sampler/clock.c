/* clock.c: creating and deleting the kernel's per-thread timers. Arming them is the handler's: handler_sig.c. */
#include "sampler/clock.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* struct sigevent as the kernel reads it. libc's has the same layout, but glibc and musl name the thread differently.
 */
struct kernel_sigevent {
    uintptr_t value;
    int signal;
    int notify;
    int tid;
    char padding[64 - sizeof(uintptr_t) - 3 * sizeof(int)];
};
#define NOTIFY_THREAD_ID 4

int sampler_timer_create(clockid_t clock, pid_t tid, int signal, uintptr_t value) {
    struct kernel_sigevent event;
    int timer = SAMPLER_TIMER_NONE;
    memset(&event, 0, sizeof event);
    event.value = value;
    event.signal = signal;
    event.notify = NOTIFY_THREAD_ID;
    event.tid = tid;
    if (syscall(SYS_timer_create, clock, &event, &timer) != 0) return -errno;
    return timer;
}

void sampler_timer_delete(int timer) {
    if (timer != SAMPLER_TIMER_NONE) syscall(SYS_timer_delete, timer);
}
