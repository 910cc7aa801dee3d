/* Signals that are not a timer's, late, forged or for another thread, change nothing: no sample, no crash, errno kept.
 */
// LINK: -lz
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "sampler_harness.h"

static void send(int code, uintptr_t value) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = fino_sampler_signal();
    info.si_code = code;
    info.si_value.sival_ptr = (void *)value;
    errno = 1234;
    EXPECT_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), info.si_signo, &info), 0);
    EXPECT_EQ(errno, 1234);
}

static void send_all(void) {
    for (int i = 0; i < 1000; i++) {
        send(SI_QUEUE, (uintptr_t)i);
        send(SI_TKILL, UINTPTR_MAX);
        send(SI_TIMER, UINTPTR_MAX);
        send(SI_TIMER, (uintptr_t)i << 1);  /* somebody else's record, or an old one */
        send(SI_TIMER, (uintptr_t)i << 32); /* a generation that is gone or to come */
        send(SI_TIMER, (uintptr_t)0xFFFF << 32 | (uintptr_t)i << 1 | 1);
    }
    EXPECT_EQ(raise(fino_sampler_signal()), 0);
}

int main(void) {
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(100 * MS);
    send_all();
    fino_pprof_free(stop_recording(recording, &stats));
    print_stats(&stats);
    printf("  %llu strays\n", (unsigned long long)stats.lost_no_thread);
    EXPECT(stats.lost_no_thread >= 5000);
    EXPECT(stats.samples <= 10);
    send_all(); /* and after the end */
    return 0;
}
