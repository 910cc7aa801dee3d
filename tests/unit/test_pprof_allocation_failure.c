/* test_pprof_allocation_failure.c: whichever allocation fails, it alone or it and all that follow, nothing crashes,
 * nothing leaks, and the caller is told.
 */
#include "../test.h"
#include "pprof/pprof.h"

static size_t left, live_nbytes;
static bool fails_once, has_failed;

static void *limited_alloc(void *context, size_t nbytes) {
    (void)context;
    if (left == 0 && !(fails_once && has_failed)) {
        has_failed = true;
        return NULL;
    }
    if (left > 0) left--;
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

static int write_nothing(void *context, const void *data, size_t nbytes) {
    (void)context, (void)data, (void)nbytes;
    return 0;
}

/* Adds samples one by one and in a batch, encodes them whole and as a stream, since a snapshot too. */
static int build_and_encode(fino_pprof *profile, uint8_t **data, size_t *nbytes) {
    enum { COUNT = 30 };
    uint32_t stack[COUNT];
    int64_t values[COUNT];
    struct fino_pprof_addition additions[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        stack[i] = add_location(profile, i);
        struct fino_pprof_label label = {fino_pprof_string(profile, "size", 4), FINO_PPROF_NONE, i, 0};
        values[i] = i + 1;
        fino_pprof_add_sample(profile, stack, i + 1, fino_pprof_label_set(profile, &label, 1), &values[i]);
        additions[i] = (struct fino_pprof_addition){stack + i / 2, i / 3, 0, &values[i]};
    }
    fino_pprof_snapshot *since = fino_pprof_take_snapshot(profile);
    if (!since) return -12; /* -ENOMEM */
    fino_pprof_add_samples(profile, additions, COUNT);
    const char *comment = "a comment";
    struct fino_pprof_header header = {.comments = &comment, .comment_count = 1, .doc_url = "https://example.org"};
    int error = fino_pprof_write(profile, since, &header, 1, write_nothing, NULL);
    fino_pprof_snapshot_free(since);
    return error ? error : fino_pprof_encode(profile, NULL, &header, 6, data, nbytes);
}

/* Reads back what was encoded, checks it and merges it into an empty profile. Returns: 0 or -ENOMEM. */
static int read_and_merge(const uint8_t *data, size_t nbytes) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    struct fino_pprof_decode_config config = {.allocator = &allocator};
    fino_pprof *read, *sum;
    int error = fino_pprof_check(data, nbytes, FINO_PPROF_CANONICAL, &config, NULL);
    if (error) return error;
    error = fino_pprof_decode(data, nbytes, &config, &read, NULL);
    if (error) return error;
    sum = fino_pprof_new(&(struct fino_pprof_config){&type, 1, &allocator, 0});
    error = sum ? fino_pprof_merge(sum, read, NULL, FINO_PPROF_DIFF_BASE) : -12;
    if (!error) EXPECT_EQ(fino_pprof_sample_count(sum), fino_pprof_sample_count(read));
    if (sum && error) EXPECT_EQ(fino_pprof_error(sum), -12);
    fino_pprof_free(sum);
    fino_pprof_free(read);
    return error;
}

/* Does all that with the allocation after the first BUDGET failing. Returns: whether they were enough. */
static bool run(size_t budget) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    left = budget;
    has_failed = false;
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){&type, 1, &allocator, 0});
    int error = -12;
    if (profile) {
        uint8_t *data;
        size_t nbytes;
        error = build_and_encode(profile, &data, &nbytes);
        if (!error) {
            error = read_and_merge(data, nbytes);
            fino_pprof_bytes_free(profile, data, nbytes);
        }
        fino_pprof_free(profile);
    }
    EXPECT_EQ(error, has_failed ? -12 : 0);
    EXPECT_EQ(live_nbytes, 0);
    return !has_failed;
}

/* Returns: how many allocations there are. */
static size_t fail_each(bool once) {
    size_t budget = 0;
    fails_once = once;
    while (!run(budget))
        EXPECT(++budget < 2000);
    return budget;
}

int main(void) {
    size_t count = fail_each(false);
    EXPECT_EQ(fail_each(true), count);
    printf("%zu allocations, each failed once, with and without those that follow\n", count);
    return 0;
}
