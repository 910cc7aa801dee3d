/* A profile names its program even when no sample does: the first mapping stays, and stays the first, also where
 * locations that became equal are gathered. What else is not needed is left out. */
#include "../test.h"
#include "pprof/pprof.h"

static uint32_t string(fino_pprof *profile, const char *text) {
    return fino_pprof_string(profile, text, strlen(text));
}

static uint32_t add_mapping(fino_pprof *profile, const char *filename, uint64_t start) {
    struct fino_pprof_mapping mapping = {
        .memory_start = start,
        .memory_limit = start + 0x1000,
        .filename = string(profile, filename),
        .build_id = string(profile, "abcd"),
    };
    return fino_pprof_add_mapping(profile, &mapping);
}

static fino_pprof *encode_and_decode(fino_pprof *profile, bool has_program) {
    struct fino_pprof_header header = {.has_program = has_program};
    struct fino_pprof_problem problem;
    fino_pprof *decoded = NULL;
    uint8_t *data;
    size_t nbytes;
    EXPECT_EQ(fino_pprof_encode(profile, NULL, &header, 0, &data, &nbytes), 0);
    EXPECT_EQ(fino_pprof_check(data, nbytes, FINO_PPROF_CANONICAL, NULL, &problem), 0);
    EXPECT_EQ(fino_pprof_decode(data, nbytes, NULL, &decoded, NULL), 0);
    fino_pprof_bytes_free(profile, data, nbytes);
    return decoded;
}

static void expect_mappings(fino_pprof *profile, bool has_program, size_t count, const char *first) {
    fino_pprof *decoded = encode_and_decode(profile, has_program);
    EXPECT_EQ(fino_pprof_mapping_count(decoded), count);
    if (count > 0) {
        const struct fino_pprof_mapping *mapping = fino_pprof_get_mapping(decoded, 0);
        EXPECT_STR(fino_pprof_get_string(decoded, mapping->filename, NULL), first);
    }
    fino_pprof_free(decoded);
}

static void add_sample(fino_pprof *profile, uint32_t location) {
    static const int64_t one = 1;
    EXPECT_EQ(fino_pprof_add_sample(profile, &location, 1, 0, &one), 0);
}

int main(void) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    struct fino_pprof_config config = {.sample_types = &type, .sample_type_count = 1};
    fino_pprof *profile = fino_pprof_new(&config);
    expect_mappings(profile, true, 0, NULL);
    add_mapping(profile, "/bin/program", 0x1000);
    uint32_t library = add_mapping(profile, "/lib/library.so", 0x8000);
    expect_mappings(profile, true, 1, "/bin/program");
    expect_mappings(profile, false, 0, NULL);

    uint32_t locations[2];
    for (uint32_t i = 0; i < 2; i++) {
        locations[i] = fino_pprof_add_location(profile, library, 0x8000 + i, NULL, 0);
        add_sample(profile, locations[i]);
    }
    expect_mappings(profile, true, 2, "/bin/program");
    expect_mappings(profile, false, 1, "/lib/library.so");

    /* A location is added with the lines that another one gets later: the two become one. */
    struct fino_pprof_function function = {.name = string(profile, "f"), .system_name = string(profile, "f")};
    struct fino_pprof_line line = {.function = fino_pprof_add_function(profile, &function), .line = 3};
    add_sample(profile, fino_pprof_add_location(profile, library, 0x8000, &line, 1));
    fino_pprof_set_lines(profile, locations[0], &line, 1);
    fino_pprof *gathered = encode_and_decode(profile, true);
    EXPECT_EQ(fino_pprof_sample_count(gathered), 2);
    fino_pprof_free(gathered);
    expect_mappings(profile, true, 2, "/bin/program");
    fino_pprof_free(profile);
    return 0;
}
