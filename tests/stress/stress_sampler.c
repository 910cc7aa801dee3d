/* stress_sampler.c SECONDS: everything at once, at the highest rate: threads starting and ending, registered or not,
 * recordings opening and closing over each other, forks, libraries coming and going, deep stacks, forged signals.
 * Passes when nothing crashes or hangs, every profile is valid, and CPU time adds up in the end. */
// LINK: -lz -ldl
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../unit/sampler_harness.h"

static _Atomic bool stop;
static _Atomic unsigned threads_made, recordings_made, forks_made, libraries_loaded, signals_forged;

__attribute__((noipa)) static int dive(int depth) {
    int below = depth == 0 ? (int)burn_here(MS / 4) : dive(depth - 1);
    __asm__ volatile("" : "+r"(below));
    return below + 1;
}

static void *brief(void *kind) {
    sampler_thread *self = kind ? fino_sampler_thread_register("brief") : NULL;
    dive((int)((intptr_t)kind * 150));
    if (kind == (void *)2) fino_sampler_thread_unregister(self);
    if (kind == (void *)3) pthread_exit(NULL);
    return NULL;
}

static void *make_threads(void *unused) {
    for (intptr_t i = 0; !stop; i++) {
        pthread_t threads[8];
        for (int j = 0; j < 8; j++)
            EXPECT_EQ(pthread_create(&threads[j], NULL, brief, (void *)((i + j) % 5)), 0);
        for (int j = 0; j < 8; j++)
            pthread_join(threads[j], NULL);
        threads_made += 8;
    }
    return unused;
}

static void *make_recordings(void *unused) {
    for (unsigned i = 0; !stop; i++) {
        sampler_recording *outer = start_recording(MS / 10 + i % 7 * MS / 5);
        dive(20);
        sampler_recording *inner = start_recording(MS / 10);
        dive(20);
        fino_pprof_free(stop_recording(i % 2 ? outer : inner, NULL));
        dive(20);
        fino_pprof_free(stop_recording(i % 2 ? inner : outer, NULL));
        recordings_made += 2;
    }
    return unused;
}

static void *fork_children(void *unused) {
    while (!stop) {
        pid_t child = fork();
        int status = 0;
        if (child == 0) {
            dive(5);
            syscall(SYS_exit_group, 7);
        }
        EXPECT(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        forks_made++;
        sleep_ns(3 * MS);
    }
    return unused;
}

static void *load_libraries(void *unused) {
    while (!stop) {
        void *handle = dlopen("libbz2.so.1.0", RTLD_NOW);
        if (handle) dlclose(handle);
        libraries_loaded++;
        sleep_ns(MS);
    }
    return unused;
}

static void *forge_signals(void *unused) {
    for (uintptr_t i = 0; !stop; i++) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        info.si_signo = fino_sampler_signal();
        info.si_code = SI_TIMER;
        info.si_value.sival_ptr = (void *)((i % 64) << 1 | (i % 3) << 32 | (i & 1));
        syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), info.si_signo, &info);
        signals_forged++;
        if (i % 64 == 0) sleep_ns(MS);
    }
    return unused;
}

int main(int argc, char **argv) {
    void *(*const work[])(void *) = {make_threads,  make_threads,   make_recordings, make_recordings,
                                     fork_children, load_libraries, forge_signals};
    enum { COUNT = sizeof work / sizeof work[0] };
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    struct fino_sampler_stats stats;
    pthread_t threads[COUNT];
    sampler_recording *whole = start_recording(MS / 10);
    uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < COUNT; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, work[i], NULL), 0);
    sleep_ns((uint64_t)(seconds * 1000) * MS);
    stop = true;
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
    fino_pprof_free(stop_recording(whole, &stats));
    print_stats(&stats);
    printf("  %u threads, %u recordings, %u forks, %u libraries, %u forged signals\n", threads_made, recordings_made,
           forks_made, libraries_loaded, signals_forged);
    EXPECT_NEAR((double)stats.cpu_ns / (double)used_ns, 1.0, 0.02);
    return 0;
}
