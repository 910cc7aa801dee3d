/* test_pprof_stacks.c: stacks of every depth come back as they were added, summed with equal ones, and a recording is
 * the difference to its snapshot. The control is a plain array that is searched from end to end. */
#include "../test.h"
#include "pprof/pprof.h"

enum { LOCATION_COUNT = 6, DEPTH_MAX = 40, KIND_COUNT = 300 };

struct kind {
    uint32_t stack[DEPTH_MAX];
    size_t depth;
    uint32_t labels;
    int64_t before[2], after[2]; /* the snapshot */
};

static struct kind kinds[KIND_COUNT];
static size_t kind_count;
static uint64_t random_state = 7;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

static struct kind *find_kind(const uint32_t *stack, size_t depth, uint32_t labels) {
    for (size_t i = 0; i < kind_count; i++)
        if (kinds[i].depth == depth && kinds[i].labels == labels &&
            memcmp(kinds[i].stack, stack, depth * sizeof *stack) == 0)
            return &kinds[i];
    return NULL;
}

static fino_pprof *build(uint64_t seed, uint32_t labels[2]) {
    static const struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){types, 2, NULL, seed});
    for (uint32_t i = 0; i < LOCATION_COUNT; i++) {
        char name[2] = {(char)('a' + i), 0};
        uint32_t id = fino_pprof_string(profile, name, 1);
        struct fino_pprof_line line = {fino_pprof_add_function(profile, &(struct fino_pprof_function){id, id, 0, 0}),
                                       (int64_t)i + 1, 0};
        EXPECT_EQ(fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1), i);
    }
    labels[0] = 0;
    struct fino_pprof_label pair[] = {
        {fino_pprof_string(profile, "thread", 6), fino_pprof_string(profile, "t", 1), 0, 0},
        {fino_pprof_string(profile, "size", 4), FINO_PPROF_NONE, -5, 0}};
    labels[1] = fino_pprof_label_set(profile, pair, 2);
    struct fino_pprof_label swapped[] = {pair[1], pair[0], pair[1]};
    EXPECT_EQ(fino_pprof_label_set(profile, swapped, 3), labels[1]);
    return profile;
}

static void add(fino_pprof *profile, struct kind *kind, bool is_after) {
    int64_t values[] = {1, random_below(1000)};
    EXPECT_EQ(fino_pprof_add_sample(profile, kind->stack, kind->depth, kind->labels, values), 0);
    int64_t *sums = is_after ? kind->after : kind->before;
    sums[0] += values[0], sums[1] += values[1];
}

static void make_kinds(const uint32_t labels[2]) {
    for (size_t tries = 0; kind_count < KIND_COUNT; tries++) {
        struct kind *kind = &kinds[kind_count];
        *kind = (struct kind){.depth = tries % (DEPTH_MAX + 1), .labels = labels[random_below(2)]};
        for (size_t i = 0; i < kind->depth; i++)
            kind->stack[i] = random_below(LOCATION_COUNT);
        if (kind->depth >= 16 && kind_count > 50) /* roots in common */
            memcpy(kind->stack + kind->depth - 16, kinds[40].stack + kinds[40].depth - 16, 16 * sizeof(uint32_t));
        if (!find_kind(kind->stack, kind->depth, kind->labels)) kind_count++;
    }
}

/* Does PROFILE hold exactly what the control says, once it went through the wire? */
static void compare(fino_pprof *built, const fino_pprof_snapshot *since) {
    uint8_t *data;
    size_t nbytes, expected = 0;
    EXPECT_EQ(fino_pprof_encode(built, since, NULL, since ? 6 : 0, &data, &nbytes), 0);
    struct fino_pprof_problem problem;
    EXPECT_EQ(fino_pprof_check(data, nbytes, FINO_PPROF_CANONICAL, NULL, &problem), 0);
    fino_pprof *profile;
    EXPECT_EQ(fino_pprof_decode(data, nbytes, NULL, &profile, NULL), 0);
    fino_pprof_bytes_free(built, data, nbytes);
    for (size_t i = 0; i < kind_count; i++)
        expected += kinds[i].after[0] || (!since && kinds[i].before[0]);
    EXPECT_EQ(fino_pprof_sample_count(profile), expected);
    for (uint32_t id = 0; id < expected; id++) {
        uint32_t stack[DEPTH_MAX];
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(profile, id);
        EXPECT_EQ(fino_pprof_get_stack(profile, id, stack, DEPTH_MAX), sample.depth);
        for (size_t i = 0; i < sample.depth; i++) { /* by line: that tells the locations apart */
            EXPECT_EQ(fino_pprof_get_location(profile, stack[i]).line_count, 1);
            stack[i] = (uint32_t)fino_pprof_get_location(profile, stack[i]).lines[0].line - 1;
        }
        size_t label_count;
        fino_pprof_get_labels(profile, sample.label_set, &label_count);
        EXPECT(label_count == 0 || label_count == 2);
        struct kind *kind = find_kind(stack, sample.depth, label_count ? 1 : 0);
        EXPECT(kind != NULL);
        for (int type = 0; type < 2; type++)
            EXPECT_EQ(sample.values[type], kind->after[type] + (since ? 0 : kind->before[type]));
    }
    fino_pprof_free(profile);
}

int main(void) {
    uint32_t labels[2];
    uint8_t *first = NULL;
    size_t first_nbytes = 0;
    for (uint64_t seed = 0; seed < 3; seed++) { /* the same calls give the same bytes under any seed */
        memset(kinds, 0, sizeof kinds), kind_count = 0, random_state = 7;
        fino_pprof *profile = build(seed, labels);
        EXPECT_EQ(labels[1], 1);
        make_kinds(labels);
        for (int i = 0; i < 3000; i++)
            add(profile, &kinds[random_below(KIND_COUNT / 2)], false);
        fino_pprof_snapshot *since = fino_pprof_take_snapshot(profile);
        for (int i = 0; i < 500; i++)
            add(profile, &kinds[random_below(KIND_COUNT)], true);
        compare(profile, since);
        compare(profile, NULL);
        uint8_t *data;
        size_t nbytes;
        EXPECT_EQ(fino_pprof_encode(profile, since, NULL, 0, &data, &nbytes), 0);
        EXPECT(seed == 0 || (nbytes == first_nbytes && memcmp(data, first, nbytes) == 0));
        free(first);
        first = malloc(first_nbytes = nbytes);
        memcpy(first, data, nbytes);
        fino_pprof_bytes_free(profile, data, nbytes);
        fino_pprof_snapshot_free(since);
        fino_pprof_free(profile);
    }
    free(first);
    return 0;
}
