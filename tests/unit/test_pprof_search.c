/* test_pprof_search.c: finding what a builder has takes a few steps, however much it has: adding a sample costs what
 * its depth does, not what came before. Names, addresses and ids are the regular ones of programs: numbered, evenly
 * spaced, consecutive. */
#include "../test.h"
#include "pprof/builder.h"

enum { THING_COUNT = 100000, DEPTH = 20 };

/* How many slots a search looks at before the right one: MOST, and MEAN over all entries. */
static void expect_short_searches(const char *what, const struct pprof_index *index, uint32_t count) {
    uint64_t sum = 0;
    uint32_t most = 0;
    EXPECT_EQ(index->count, count);
    for (uint32_t at = 0; at < index->capacity; at++) {
        if (index->slots[at].id == FINO_PPROF_NONE) continue;
        uint32_t passed = (at - index->slots[at].hash) & (index->capacity - 1);
        sum += passed;
        if (passed > most) most = passed;
    }
    double mean = (double)sum / (double)count;
    printf("%s: %u of them, %.2f slots passed on average, %u at most\n", what, (unsigned)count, mean, (unsigned)most);
    EXPECT(mean < 2 && most < 500);
}

static uint32_t add_thing(fino_pprof *profile, uint32_t i) {
    char name[20];
    uint32_t id = fino_pprof_string(profile, name, (size_t)snprintf(name, sizeof name, "f%u", (unsigned)i));
    struct fino_pprof_function function = {id, id, 0, i};
    struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), i, 0};
    struct fino_pprof_mapping mapping = {.memory_start = (uint64_t)i << 12, .memory_limit = (uint64_t)(i + 1) << 12};
    uint32_t mapping_id = fino_pprof_add_mapping(profile, &mapping);
    return fino_pprof_add_location(profile, mapping_id, (uint64_t)i << 12, &line, 1);
}

static void add_sample(fino_pprof *profile, uint32_t i) {
    uint32_t stack[DEPTH];
    for (uint32_t at = 0; at < DEPTH; at++)
        stack[at] = i / (at + 1);
    struct fino_pprof_label label = {0, FINO_PPROF_NONE, (int64_t)i + 1, 0};
    uint32_t labels = fino_pprof_label_set(profile, &label, 1);
    EXPECT_EQ(fino_pprof_add_sample(profile, stack, DEPTH, labels, (int64_t[]){1}), 0);
}

int main(void) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){&type, 1, NULL, 0});
    for (uint32_t i = 0; i < THING_COUNT; i++)
        EXPECT_EQ(add_thing(profile, i), i);
    for (uint32_t i = 0; i < THING_COUNT; i++)
        add_sample(profile, i);

    expect_short_searches("strings", &profile->strings.index, profile->strings.list.count);
    expect_short_searches("functions", &profile->function_index, THING_COUNT);
    expect_short_searches("mappings", &profile->mapping_index, THING_COUNT);
    expect_short_searches("locations", &profile->location_index, THING_COUNT);
    expect_short_searches("label sets", &profile->label_set_index, THING_COUNT);
    expect_short_searches("chunks", &profile->chunk_index, profile->chunks.count);
    expect_short_searches("samples", &profile->sample_index, THING_COUNT);
    fino_pprof_free(profile);
    return 0;
}
