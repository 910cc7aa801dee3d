/* An ordinary user, in a PID namespace where that is allowed, under a seccomp filter that kills on perf_event_open,
 * gets the same profile. */
// LINK: -lz
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sampler_harness.h"

#define WORK_MS 100
#define TICK_MAX_MS 10

static void *work(void *unused) {
    burn_here(WORK_MS * MS);
    return unused;
}

static void forbid_perf(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    EXPECT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    EXPECT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

static int profile_here(const char *where) {
    struct fino_sampler_stats stats;
    pthread_t thread;
    printf("%s: pid %d, uid %d\n", where, (int)getpid(), (int)getuid());
    forbid_perf();
    uint64_t began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    sampler_recording *recording = start_recording(MS);
    EXPECT_EQ(pthread_create(&thread, NULL, work, NULL), 0);
    work(NULL);
    pthread_join(thread, NULL);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    /* What a thread does after its last sample goes to the next one, elsewhere: up to a tick of the kernel's where the
     * thread had to wait for a lock or for its turn. */
    EXPECT_NEAR((double)sum_of(profile, CPU, "work", "main") / MS, WORK_MS, TICK_MAX_MS);
    EXPECT(stats.cpu_ns > (2 * WORK_MS - TICK_MAX_MS) * MS &&
           stats.cpu_ns <= clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns);
    fino_pprof_free(profile);
    fflush(stdout);
    return 0;
}

/* Not _exit, where the leak checker would want to trace the process, which may not be traced any more. */
_Noreturn static void leave(int code) {
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

static void expect_success(pid_t child) {
    int status;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    bool is_root = getuid() == 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (is_root) EXPECT(setgid(65534) == 0 && setuid(65534) == 0);
        leave(profile_here("unprivileged"));
    }
    expect_success(child);
    /* In a namespace whose /proc is still the outer one, every tid there is somebody else's. */
    if (unshare(is_root ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID) != 0) {
        puts("no PID namespaces here");
        return 0;
    }
    fflush(stdout);
    if ((child = fork()) == 0) {
        profile_here("PID namespace, outer /proc");
        if (!is_root || unshare(CLONE_NEWNS) != 0) leave(0);
        EXPECT_EQ(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
        EXPECT_EQ(mount("proc", "/proc", "proc", 0, NULL), 0);
        leave(profile_here("PID namespace, its own /proc"));
    }
    expect_success(child);
    fflush(stdout);
    leave(0); /* the namespace is dead: nothing can be forked any more */
}
