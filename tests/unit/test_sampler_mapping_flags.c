/* A mapping says that it has file names and lines exactly where they were found: in this program, which is built with
 * debug information, and not in Debian's libc. */
// LINK: -lz
#include "sampler_harness.h"

BURNER(own_code)

static int compare(const void *left, const void *right) {
    return *(const unsigned char *)left - *(const unsigned char *)right;
}

static void call_libc(uint64_t ns) {
    static char bytes[1 << 16];
    uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
        qsort(bytes, sizeof bytes / 8, 8, compare);
}

static bool has_lines(const struct fino_pprof_location_info *location) {
    for (size_t i = 0; i < location->line_count; i++)
        if (location->lines[i].line > 0) return true;
    return false;
}

int main(void) {
    sampler_recording *recording = start_recording(MS / 5);
    own_code(100 * MS);
    call_libc(100 * MS);
    fino_pprof *profile = stop_recording(recording, NULL);
    bool found[16] = {false};
    EXPECT(fino_pprof_mapping_count(profile) <= 16);
    for (uint32_t i = 0; i < fino_pprof_location_count(profile); i++) {
        struct fino_pprof_location_info location = fino_pprof_get_location(profile, i);
        if (location.mapping != FINO_PPROF_NONE && has_lines(&location)) found[location.mapping] = true;
    }
    for (uint32_t i = 0; i < fino_pprof_mapping_count(profile); i++) {
        const struct fino_pprof_mapping *mapping = fino_pprof_get_mapping(profile, i);
        const char *path = text_of(profile, mapping->filename);
        printf("  %s: %s\n", path, mapping->has_line_numbers ? "files and lines" : "functions only");
        EXPECT(mapping->has_functions && !mapping->has_inline_frames);
        EXPECT_EQ(mapping->has_line_numbers, found[i]);
        EXPECT_EQ(mapping->has_filenames, found[i]);
        if (i == 0) EXPECT(strstr(path, "test_sampler_mapping_flags") && found[i]); /* pprof takes it for the program */
    }
    EXPECT(fino_pprof_mapping_count(profile) > 1);
    fino_pprof_free(profile);
    return 0;
}
