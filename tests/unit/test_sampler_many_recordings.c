/* 10,000 recordings, one after another and nested, leave memory, file descriptors, threads and timers as they were. */
// LINK: -lz
#include <dirent.h>

#include "sampler_harness.h"

static long resident_kb(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int entries(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    EXPECT(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int timers(void) {
    int count = 0;
    char line[256];
    FILE *file = fopen("/proc/self/timers", "r");
    if (!file) return 0; /* a kernel without CONFIG_CHECKPOINT_RESTORE */
    while (fgets(line, sizeof line, file))
        count += strncmp(line, "ID:", 3) == 0;
    fclose(file);
    return count;
}

static void cycle(int count) {
    for (int i = 0; i < count; i++) {
        uint8_t *data;
        size_t nbytes;
        sampler_recording *outer = start_recording(MS), *inner = i % 4 == 0 ? start_recording(MS) : NULL;
        if (i % 100 == 0) burn_here(2 * MS);
        EXPECT_EQ(fino_sampler_stop(outer, NULL, 0, &data, &nbytes, NULL), 0);
        fino_sampler_bytes_free(data);
        if (!inner) continue;
        EXPECT_EQ(fino_sampler_stop(inner, NULL, 0, &data, &nbytes, NULL), 0);
        fino_sampler_bytes_free(data);
    }
}

int main(void) {
    cycle(1000);
    long memory_kb = resident_kb();
    int fds = entries("/proc/self/fd"), tasks = entries("/proc/self/task"), timer_count = timers();
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    cycle(9000);
    printf("  %.1f us a cycle, %ld kB more, %d timers\n", (double)(clock_ns(CLOCK_MONOTONIC) - began_ns) / 9000 / 1e3,
           resident_kb() - memory_kb, timer_count);
    EXPECT_EQ(entries("/proc/self/fd"), fds);
    EXPECT_EQ(entries("/proc/self/task"), tasks);
    EXPECT_EQ(timers(), timer_count);
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory on purpose */
    EXPECT(resident_kb() - memory_kb < 512);
#endif
    return 0;
}
