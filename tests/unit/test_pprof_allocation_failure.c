/* test_pprof_allocation_failure.c: whichever allocation fails, nothing crashes, nothing leaks, and the caller is told.
 */
#include "../test.h"
#include "pprof/pprof.h"

static size_t left, live_nbytes;

static void *limited_alloc(void *context, size_t nbytes) {
    (void)context;
    if (left == 0) return NULL;
    left--;
    live_nbytes += nbytes;
    return malloc(nbytes);
}

static void limited_free(void *context, void *memory, size_t nbytes) {
    (void)context;
    live_nbytes -= nbytes;
    free(memory);
}

static const struct fino_allocator allocator = {limited_alloc, limited_free, NULL};

static uint32_t add_location(fino_pprof *profile, uint32_t i) {
    char name[20];
    int nbytes = snprintf(name, sizeof name, "function %u\xff", i);
    uint32_t id = fino_pprof_string(profile, name, (size_t)nbytes);
    struct fino_pprof_function function = {id, id, id, 0};
    struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), i, 0};
    struct fino_pprof_mapping mapping = {.memory_start = i, .memory_limit = i + 1, .filename = id};
    uint32_t mapping_id = fino_pprof_add_mapping(profile, &mapping);
    uint32_t location = fino_pprof_add_location(profile, mapping_id, i, i % 2 ? &line : NULL, i % 2);
    fino_pprof_set_lines(profile, location, &line, 1);
    if (i % 10 == 0) fino_pprof_add_location(profile, mapping_id, i, &line, 1);
    return location;
}

static int build_and_encode(fino_pprof *profile, uint8_t **data, size_t *nbytes) {
    uint32_t stack[30];
    for (uint32_t i = 0; i < 30; i++) {
        stack[i] = add_location(profile, i);
        struct fino_pprof_label label = {fino_pprof_string(profile, "size", 4), FINO_PPROF_NONE, i, 0};
        fino_pprof_add_sample(profile, stack, i + 1, fino_pprof_label_set(profile, &label, 1), (int64_t[]){i + 1});
    }
    const char *comment = "a comment";
    struct fino_pprof_header header = {.comments = &comment, .comment_count = 1, .doc_url = "https://example.org"};
    return fino_pprof_encode(profile, NULL, &header, 6, data, nbytes);
}

/* Builds, encodes and reads back with BUDGET allocations. Returns: whether they were enough. */
static bool run(size_t budget) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    left = budget;
    bool done = false;
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){&type, 1, &allocator, budget}), *read, *sum;
    if (profile) {
        uint8_t *data;
        size_t nbytes;
        struct fino_pprof_decode_config config = {.allocator = &allocator};
        int error = build_and_encode(profile, &data, &nbytes);
        EXPECT(error == 0 || error == -12); /* -ENOMEM */
        if (error == 0) {
            error = fino_pprof_decode(data, nbytes, &config, &read, NULL);
            EXPECT(error == 0 || error == -12);
            fino_pprof_bytes_free(profile, data, nbytes);
            if (error == 0) {
                sum = fino_pprof_new(&(struct fino_pprof_config){&type, 1, &allocator, 0});
                if (sum) error = fino_pprof_merge(sum, read, NULL, FINO_PPROF_DIFF_BASE);
                EXPECT(error == 0 || error == -12);
                done = sum && error == 0;
                fino_pprof_free(sum);
                fino_pprof_free(read);
            }
        }
    }
    fino_pprof_free(profile);
    EXPECT_EQ(live_nbytes, 0);
    return done;
}

int main(void) {
    size_t budget = 0;
    while (!run(budget))
        EXPECT(++budget < 2000);
    printf("%zu allocations, each failed once\n", budget);
    return 0;
}
