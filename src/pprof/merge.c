/* merge.c: adding one profile to another, subtracting it, scaling. */
#include "pprof/builder.h"

/* One merge. Tables by id in FROM hold the id in INTO, or FINO_PPROF_NONE for "not looked up yet". */
struct merger {
    fino_pprof *into;
    const fino_pprof *from;
    const struct fino_allocator *allocator;
    bool negate;
    bool label_base;
    uint32_t *strings, *functions, *mappings, *locations, *label_sets;
    PPROF_VECTOR(struct fino_pprof_line) lines; /* scratch */
    PPROF_VECTOR(struct fino_pprof_label) labels;
    PPROF_VECTOR(uint32_t) stack;
    PPROF_VECTOR(int64_t) values;
};

static uint32_t merge_string(struct merger *m, uint32_t id) {
    if (m->strings[id] == FINO_PPROF_NONE) {
        const struct pprof_string *string = &m->from->strings.list.items[id];
        m->strings[id] = fino_pprof_string(m->into, string->text, string->nbytes);
    }
    return m->strings[id];
}

static uint32_t merge_function(struct merger *m, uint32_t id) {
    if (id == FINO_PPROF_NONE) return id;
    if (m->functions[id] == FINO_PPROF_NONE) {
        struct fino_pprof_function function = m->from->functions.items[id];
        function.name = merge_string(m, function.name);
        function.system_name = merge_string(m, function.system_name);
        function.filename = merge_string(m, function.filename);
        m->functions[id] = fino_pprof_add_function(m->into, &function);
    }
    return m->functions[id];
}

static uint32_t merge_mapping(struct merger *m, uint32_t id) {
    if (id == FINO_PPROF_NONE) return id;
    if (m->mappings[id] == FINO_PPROF_NONE) {
        struct fino_pprof_mapping mapping = m->from->mappings.items[id];
        mapping.filename = merge_string(m, mapping.filename);
        mapping.build_id = merge_string(m, mapping.build_id);
        m->mappings[id] = fino_pprof_add_mapping(m->into, &mapping);
    }
    return m->mappings[id];
}

static uint32_t merge_location(struct merger *m, uint32_t id) {
    if (m->locations[id] != FINO_PPROF_NONE) return m->locations[id];
    struct fino_pprof_location_info location = fino_pprof_get_location(m->from, id);
    m->lines.count = 0;
    if (!PPROF_RESERVE(m->allocator, &m->lines, location.line_count)) return pprof_fail(m->into, -ENOMEM);
    for (size_t i = 0; i < location.line_count; i++) {
        m->lines.items[i] = location.lines[i];
        m->lines.items[i].function = merge_function(m, location.lines[i].function);
    }
    location.lines = m->lines.items;
    location.mapping = merge_mapping(m, location.mapping);
    return m->locations[id] = fino_pprof_intern_location(m->into, &location);
}

static uint32_t merge_label_set(struct merger *m, uint32_t id) {
    if (m->label_sets[id] != FINO_PPROF_NONE) return m->label_sets[id];
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(m->from, id, &count);
    m->labels.count = 0;
    if (!PPROF_RESERVE(m->allocator, &m->labels, count + 1)) return pprof_fail(m->into, -ENOMEM);
    for (size_t i = 0; i < count; i++) {
        struct fino_pprof_label label = labels[i];
        bool is_string = label.string != FINO_PPROF_NONE;
        label.key = merge_string(m, label.key);
        label.string = is_string ? merge_string(m, label.string) : FINO_PPROF_NONE;
        label.unit = is_string ? 0 : merge_string(m, label.unit);
        m->labels.items[i] = label;
    }
    if (m->label_base)
        m->labels.items[count++] = (struct fino_pprof_label){.key = fino_pprof_string(m->into, "pprof::base", 11),
                                                             .string = fino_pprof_string(m->into, "true", 4)};
    return m->label_sets[id] = fino_pprof_label_set(m->into, m->labels.items, count);
}

static void merge_sample(struct merger *m, const fino_pprof_snapshot *since, uint32_t id) {
    struct fino_pprof_sample_info sample = fino_pprof_get_sample(m->from, id);
    m->stack.count = 0;
    if (!PPROF_RESERVE(m->allocator, &m->stack, sample.depth)) pprof_fail(m->into, -ENOMEM);
    if (m->into->error) return;
    fino_pprof_get_stack(m->from, id, m->stack.items, sample.depth);
    for (size_t i = 0; i < sample.depth; i++)
        m->stack.items[i] = merge_location(m, m->stack.items[i]);
    for (uint32_t type = 0; type < m->from->sample_types.count; type++) {
        uint64_t gain = (uint64_t)pprof_gain(m->from, since, id, type);
        m->values.items[type] = (int64_t)(m->negate ? 0 - gain : gain);
    }
    uint32_t label_set = merge_label_set(m, sample.label_set);
    fino_pprof_add_sample(m->into, m->stack.items, sample.depth, label_set, m->values.items);
}

/* ---- The tables ---- */

static uint32_t *new_table(struct merger *m, uint32_t count) {
    uint32_t *table = pprof_alloc(m->allocator, (size_t)count + 1, sizeof *table);
    if (table) memset(table, 0xff, ((size_t)count + 1) * sizeof *table); /* FINO_PPROF_NONE throughout */
    return table;
}

static bool new_tables(struct merger *m) {
    m->strings = new_table(m, m->from->strings.list.count);
    m->functions = new_table(m, m->from->functions.count);
    m->mappings = new_table(m, m->from->mappings.count);
    m->locations = new_table(m, m->from->locations.count);
    m->label_sets = new_table(m, m->from->label_sets.count);
    return m->strings && m->functions && m->mappings && m->locations && m->label_sets &&
           PPROF_RESERVE(m->allocator, &m->values, m->from->sample_types.count);
}

static void free_table(struct merger *m, uint32_t *table, uint32_t count) {
    pprof_free(m->allocator, table, (size_t)count + 1, sizeof *table);
}

static void free_tables(struct merger *m) {
    PPROF_VECTOR_FREE(m->allocator, &m->values);
    PPROF_VECTOR_FREE(m->allocator, &m->stack);
    PPROF_VECTOR_FREE(m->allocator, &m->labels);
    PPROF_VECTOR_FREE(m->allocator, &m->lines);
    free_table(m, m->label_sets, m->from->label_sets.count);
    free_table(m, m->locations, m->from->locations.count);
    free_table(m, m->mappings, m->from->mappings.count);
    free_table(m, m->functions, m->from->functions.count);
    free_table(m, m->strings, m->from->strings.list.count);
}

static bool texts_equal(const fino_pprof *a, uint32_t id_a, const fino_pprof *b, uint32_t id_b) {
    const struct pprof_string *text_a = &a->strings.list.items[id_a], *text_b = &b->strings.list.items[id_b];
    return text_a->nbytes == text_b->nbytes && pprof_bytes_equal(text_a->text, text_b->text, text_a->nbytes);
}

static bool sample_types_equal(const fino_pprof *a, const fino_pprof *b) {
    if (a->sample_types.count != b->sample_types.count) return false;
    for (uint32_t i = 0; i < a->sample_types.count; i++)
        if (!texts_equal(a, a->sample_types.items[i].type, b, b->sample_types.items[i].type) ||
            !texts_equal(a, a->sample_types.items[i].unit, b, b->sample_types.items[i].unit))
            return false;
    return true;
}

int fino_pprof_merge(fino_pprof *into, const fino_pprof *from, const fino_pprof_snapshot *since,
                     enum fino_pprof_merge_as as) {
    if (into->error) return into->error;
    if (from->error) return from->error;
    if (into == from || !sample_types_equal(into, from)) return -EINVAL;
    struct merger merger = {
        .into = into,
        .from = from,
        .allocator = &into->allocator,
        .negate = as != FINO_PPROF_ADD,
        .label_base = as == FINO_PPROF_DIFF_BASE,
    };
    if (!new_tables(&merger)) pprof_fail(into, -ENOMEM);
    for (uint32_t id = 0; id < from->samples.count && into->error == 0; id++)
        if (pprof_has_gain(from, since, id)) merge_sample(&merger, since, id);
    free_tables(&merger);
    return into->error;
}

/* ---- Scaling ---- */

static int64_t scale_value(int64_t value, double ratio) {
    double scaled = (double)value * ratio;
    if (scaled >= 9223372036854775808.0) return INT64_MAX;
    if (scaled <= -9223372036854775808.0) return INT64_MIN;
    if (scaled != scaled) return 0; /* not a number: nothing */
    int64_t whole = (int64_t)scaled;
    double rest = scaled - (double)whole; /* exact, where SCALED with a half added is not */
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

void fino_pprof_scale(fino_pprof *profile, const double *ratios) {
    for (size_t id = 0; id < profile->samples.count; id++)
        for (uint32_t type = 0; type < profile->sample_types.count; type++)
            if (ratios[type] != 1.0) {
                int64_t *value = &profile->values[id * profile->sample_types.count + type];
                *value = scale_value(*value, ratios[type]);
            }
}
