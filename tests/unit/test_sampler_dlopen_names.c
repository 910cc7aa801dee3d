/* Two libraries take turns at one address: the time of each is its own, not that of the library that was there before,
 * nor of the one that is there when its samples are folded: they were resolved by what was mapped by then. */
// LINK: -lz -ldl
#include <dlfcn.h>

#include "sampler/unwind.h"
#include "sampler_harness.h"

static char folder[] = "/tmp/fino-test.XXXXXX";

/* Builds folder/NAME.so with one function, called NAME. */
static void build_library(const char *name) {
    static const char *const SOURCE =
        "int %s(long (*now)(void), long until) { volatile double sum = 0; while (now() < until)"
        " for (int i = 0; i < 5000; i++) sum = sum + i * 0.5; return sum > 0; }\n";
    char path[128], command[512];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fprintf(file, SOURCE, name) > 0 && fclose(file) == 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -O1 -o %s/%s.so %s", folder, name, path);
    EXPECT_EQ(system(command), 0);
    EXPECT_EQ(unlink(path), 0);
}

static long now(void) {
    return (long)clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns: the CPU time used in the library's function. */
__attribute__((noipa)) static uint64_t run_library(const char *name, uint64_t ns, uintptr_t *address_out) {
    char path[128];
    int (*function)(long (*)(void), long);
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    *(void **)&function = dlsym(library, name);
    EXPECT(function != NULL);
    *address_out = (uintptr_t)function;
    EXPECT_EQ(sampler_maps_refresh(), 0); /* the helper thread would within 40 ms */
    long began = now();
    EXPECT_EQ(function(now, began + (long)ns), 1);
    uint64_t used_ns = (uint64_t)(now() - began);
    EXPECT_EQ(dlclose(library), 0);
    return used_ns;
}

int main(void) {
    uint64_t first_ns = 0, second_ns = 0;
    uintptr_t first_address = 0, second_address = 0;
    int same_address_count = 0;
    struct fino_sampler_stats stats;
    EXPECT(mkdtemp(folder) != NULL);
    build_library("first");
    build_library("second");
    sampler_recording *recording = start_recording(MS / 5);
    for (int i = 0; i < 40; i++) {
        first_ns += run_library("first", 15 * MS, &first_address);
        second_ns += run_library("second", 5 * MS, &second_address);
        same_address_count += first_address == second_address;
    }
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    double all = (double)stats.cpu_ns / 100;
    EXPECT_NEAR(share_of(profile, "first", NULL), (double)first_ns / all, 2);
    EXPECT_NEAR(share_of(profile, "second", NULL), (double)second_ns / all, 2);
    EXPECT(same_address_count > 10); /* or nothing was tested */
    fino_pprof_free(profile);
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.so", folder, i == 0 ? "first" : "second");
        EXPECT_EQ(unlink(path), 0);
    }
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}
