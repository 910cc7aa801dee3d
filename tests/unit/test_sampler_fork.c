/* Children made under load, by fork and exec, by fork alone and by posix_spawn, have no timers and a clean mask, and
 * run to their end; a forked child can record itself. Afterwards the parent's profile still adds up. */
// LINK: -lz
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "sampler_harness.h"

extern char **environ;
static _Atomic bool stop;

static void *load(void *unused) {
    while (!stop)
        burn_here(MS);
    return unused;
}

static void expect_exit(pid_t child, int code) {
    int status;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code) fprintf(stderr, "child: status %#x\n", status);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

/* In the shell: works for a while, then tells whether the sampler's signal is blocked or ignored. */
static char *shell_script(void) {
    static char script[512];
    snprintf(script, sizeof script,
             "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; bit=$((1 << (%d - 1)));"
             "for kind in SigBlk SigIgn SigPnd; do set -- $(grep $kind /proc/$$/status);"
             "[ $((0x$2 & bit)) = 0 ] || exit 9; done; [ ! -s /proc/$$/timers ] || exit 8; exit 7",
             fino_sampler_signal());
    return script;
}

static void exec_child(void) {
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        execl("/bin/bash", "bash", "-c", shell_script(), (char *)NULL);
        _exit(1);
    }
    expect_exit(child, 7);
}

static void spawn_child(void) {
    pid_t child;
    static char name[] = "bash", option[] = "-c";
    char *arguments[] = {name, option, shell_script(), NULL};
    EXPECT_EQ(posix_spawn(&child, "/bin/bash", NULL, NULL, arguments, environ), 0);
    expect_exit(child, 7);
}

static void recording_child(void) {
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        struct fino_sampler_stats stats;
        burn_here(20 * MS);
        sampler_recording *recording = start_recording(MS);
        burn_here(100 * MS);
        fino_pprof *profile = stop_recording(recording, &stats);
        uint64_t own_ns = sum_of(profile, CPU, NULL, "main"); /* the helper thread reads symbol tables, too */
        fino_pprof_free(profile);
        _exit(stats.samples > 50 && own_ns > 95 * MS && own_ns < 130 * MS ? 7 : 1);
    }
    expect_exit(child, 7);
}

int main(void) {
    struct fino_sampler_stats stats;
    pthread_t threads[2];
    sampler_recording *recording = start_recording(MS / 10);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, load, NULL), 0);
    uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 10; i++) {
        exec_child();
        spawn_child();
        recording_child();
    }
    uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
    fino_pprof *profile = stop_recording(recording, &stats);
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    print_stats(&stats);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.02);
    fino_pprof_free(profile);
    return 0;
}
