/* Libraries come and go while code runs in them: stacks stay whole or are counted, nothing crashes. */
// LINK: -lz -ldl
#include <dlfcn.h>

#include "sampler_harness.h"

static _Atomic bool stop;

static void *load_and_unload(void *unused) {
    while (!stop) {
        void *handle = dlopen("libbz2.so.1.0", RTLD_NOW);
        EXPECT(handle != NULL);
        const char *(*version)(void) = (const char *(*)(void))dlsym(handle, "BZ2_bzlibVersion");
        EXPECT(version && version()[0] == '1');
        EXPECT_EQ(dlclose(handle), 0);
    }
    return unused;
}

int main(void) {
    struct fino_sampler_stats stats;
    pthread_t threads[2];
    void *there = dlopen("libbz2.so.1.0", RTLD_NOW);
    if (!there) {
        puts("needs libbz2-1.0, part of Debian's base system");
        return 77;
    }
    dlclose(there);
    sampler_recording *recording = start_recording(MS / 10);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, load_and_unload, NULL), 0);
    burn_here(1500 * MS);
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fino_pprof_free(stop_recording(recording, &stats));
    print_stats(&stats);
    printf("  without CFI: %llu\n", (unsigned long long)stats.truncated_no_cfi);
    EXPECT(stats.truncated * 100 <= stats.samples * 2);
    return 0;
}
