/* Merging by content, differences, scaling, and what happens at the ends of 64 bits. */
#include "../test.h"
#include "pprof/pprof.h"

static const struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};

static fino_pprof *new_profile(uint64_t seed) {
    return fino_pprof_new(&(struct fino_pprof_config){types, 2, NULL, seed});
}

static uint32_t location(fino_pprof *profile, const char *name) {
    uint32_t id = fino_pprof_string(profile, name, strlen(name));
    struct fino_pprof_line line = {fino_pprof_add_function(profile, &(struct fino_pprof_function){id, id, 0, 0}), 1, 0};
    return fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
}

static void add(fino_pprof *profile, const char *leaf, const char *root, int64_t first, int64_t second) {
    uint32_t stack[] = {location(profile, leaf), location(profile, root)};
    EXPECT_EQ(fino_pprof_add_sample(profile, stack, 2, 0, (int64_t[]){first, second}), 0);
}

/* The values of the sample whose leaf is LEAF, and which has so many labels. */
static const int64_t *values(const fino_pprof *profile, const char *leaf, size_t label_count) {
    for (uint32_t i = 0; i < fino_pprof_sample_count(profile); i++) {
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(profile, i);
        uint32_t first;
        size_t labels;
        fino_pprof_get_stack(profile, i, &first, 1);
        fino_pprof_get_labels(profile, sample.label_set, &labels);
        struct fino_pprof_location_info info = fino_pprof_get_location(profile, first);
        uint32_t name = fino_pprof_get_function(profile, info.lines[0].function)->name;
        if (labels == label_count && strcmp(fino_pprof_get_string(profile, name, NULL), leaf) == 0)
            return sample.values;
    }
    EXPECT(!"such a sample");
    return NULL;
}

static void expect_values(const fino_pprof *profile, const char *leaf, size_t labels, int64_t first, int64_t second) {
    const int64_t *found = values(profile, leaf, labels);
    EXPECT_EQ(found[0], first);
    EXPECT_EQ(found[1], second);
}

static void test_merge(void) {
    fino_pprof *into = new_profile(1), *from = new_profile(2);
    add(into, "a", "main", 1, 10);
    add(from, "b", "main", 5, 50); /* other ids, same names */
    add(from, "a", "main", 2, 20);
    fino_pprof_snapshot *since = fino_pprof_take_snapshot(from);
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_ADD), 0);
    EXPECT_EQ(fino_pprof_sample_count(into), 2);
    EXPECT_EQ(fino_pprof_function_count(into), 3);
    expect_values(into, "a", 0, 3, 30);
    expect_values(into, "b", 0, 5, 50);
    EXPECT_EQ(fino_pprof_merge(into, from, since, FINO_PPROF_ADD), 0); /* nothing since */
    add(from, "a", "main", 4, 40);
    EXPECT_EQ(fino_pprof_merge(into, from, since, FINO_PPROF_ADD), 0);
    expect_values(into, "a", 0, 7, 70);
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_SUBTRACT), 0);
    expect_values(into, "a", 0, 1, 10);
    expect_values(into, "b", 0, 0, 0);
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_DIFF_BASE), 0);
    EXPECT_EQ(fino_pprof_sample_count(into), 4);
    expect_values(into, "a", 0, 1, 10);
    expect_values(into, "a", 1, -6, -60);
    size_t count;
    const struct fino_pprof_label *label =
        fino_pprof_get_labels(into, fino_pprof_get_sample(into, 3).label_set, &count);
    EXPECT_EQ(count, 1);
    EXPECT_STR(fino_pprof_get_string(into, label->key, NULL), "pprof::base");
    EXPECT_STR(fino_pprof_get_string(into, label->string, NULL), "true");
    fino_pprof_snapshot_free(since);
    fino_pprof_free(from);
    fino_pprof_free(into);
}

static void test_refusals(void) {
    struct fino_pprof_value_type other[] = {{"samples", "count"}, {"cpu", "microseconds"}};
    fino_pprof *into = new_profile(1), *from = fino_pprof_new(&(struct fino_pprof_config){other, 2, NULL, 1});
    fino_pprof *fewer = fino_pprof_new(&(struct fino_pprof_config){types, 1, NULL, 1});
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_ADD), -22); /* -EINVAL */
    EXPECT_EQ(fino_pprof_merge(into, fewer, NULL, FINO_PPROF_ADD), -22);
    EXPECT_EQ(fino_pprof_merge(into, into, NULL, FINO_PPROF_ADD), -22);
    EXPECT_EQ(fino_pprof_error(into), 0); /* refused, not broken */
    EXPECT_EQ(fino_pprof_add_sample(from, (uint32_t[]){7}, 1, 0, (int64_t[]){1, 1}), -22);
    EXPECT_EQ(fino_pprof_merge(from, into, NULL, FINO_PPROF_ADD), -22); /* latched */
    fino_pprof_free(fewer);
    fino_pprof_free(from);
    fino_pprof_free(into);
}

/* Sums wrap, as 64-bit counters do: a recording is a difference of two, and comes out right all the same. */
static void test_overflow(void) {
    fino_pprof *profile = new_profile(1), *sum = new_profile(1);
    add(profile, "a", "main", INT64_MAX, INT64_MIN);
    fino_pprof_snapshot *since = fino_pprof_take_snapshot(profile);
    add(profile, "a", "main", 3, -4);
    expect_values(profile, "a", 0, INT64_MIN + 2, INT64_MAX - 3);
    EXPECT_EQ(fino_pprof_merge(sum, profile, since, FINO_PPROF_ADD), 0);
    expect_values(sum, "a", 0, 3, -4);
    add(sum, "b", "main", INT64_MIN, 0); /* whose negative does not exist */
    EXPECT_EQ(fino_pprof_merge(profile, sum, NULL, FINO_PPROF_SUBTRACT), 0);
    expect_values(profile, "b", 0, INT64_MIN, 0);
    fino_pprof_snapshot_free(since);
    fino_pprof_free(sum);
    fino_pprof_free(profile);
}

static void test_scale(void) {
    fino_pprof *profile = new_profile(1);
    add(profile, "a", "main", 3, INT64_MAX);
    add(profile, "b", "main", -3, INT64_MIN);
    fino_pprof_scale(profile, (double[]){0.5, 1.0});
    expect_values(profile, "a", 0, 2, INT64_MAX); /* half away from zero; 1 leaves every bit */
    expect_values(profile, "b", 0, -2, INT64_MIN);
    fino_pprof_scale(profile, (double[]){1e30, 2.0});
    expect_values(profile, "a", 0, INT64_MAX, INT64_MAX);
    expect_values(profile, "b", 0, INT64_MIN, INT64_MIN);
    fino_pprof_scale(profile, (double[]){0.0, 0.0 / (double)(fino_pprof_sample_count(profile) - 2)});
    expect_values(profile, "a", 0, 0, 0); /* not a number: nothing */
    fino_pprof_free(profile);
}

/* Values to which a half can't be added exactly: a double has 53 bits. */
static void test_scale_near_2_to_the_52(void) {
    fino_pprof *profile = new_profile(1);
    add(profile, "a", "main", (INT64_C(1) << 52) + 1, 1);
    add(profile, "b", "main", -(INT64_C(1) << 52) - 1, -1);
    fino_pprof_scale(profile, (double[]){-1.0, 0.49999999999999994});
    expect_values(profile, "a", 0, -(INT64_C(1) << 52) - 1, 0);
    expect_values(profile, "b", 0, (INT64_C(1) << 52) + 1, 0);
    fino_pprof_free(profile);
}

int main(void) {
    test_merge();
    test_refusals();
    test_overflow();
    test_scale();
    test_scale_near_2_to_the_52();
    return 0;
}
