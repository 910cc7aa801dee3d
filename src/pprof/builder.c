/* builder.c: a builder's life, and the interning of functions, mappings, locations and label sets. */
#include "pprof/builder.h"

uint32_t pprof_fail(fino_pprof *profile, int error) {
    if (profile->error == 0) profile->error = error;
    return FINO_PPROF_NONE;
}

int fino_pprof_error(const fino_pprof *profile) {
    return profile->error;
}

/* A string id that the builder gave out. */
static bool is_string(const fino_pprof *profile, uint32_t id) {
    return id < profile->strings.list.count;
}

uint32_t fino_pprof_string(fino_pprof *profile, const char *text, size_t nbytes) {
    if (profile->error) return FINO_PPROF_NONE;
    uint32_t id = pprof_strings_intern(&profile->allocator, &profile->strings, text, nbytes);
    return id == FINO_PPROF_NONE ? pprof_fail(profile, -ENOMEM) : id;
}

/* ---- Functions ---- */

static bool functions_equal(const struct fino_pprof_function *a, const struct fino_pprof_function *b) {
    return a->name == b->name && a->system_name == b->system_name && a->filename == b->filename &&
           a->start_line == b->start_line;
}

uint32_t fino_pprof_add_function(fino_pprof *profile, const struct fino_pprof_function *function) {
    if (profile->error) return FINO_PPROF_NONE;
    if (!is_string(profile, function->name) || !is_string(profile, function->system_name) ||
        !is_string(profile, function->filename))
        return pprof_fail(profile, -EINVAL);

    uint64_t key[] = {(uint64_t)function->name << 32 | function->system_name, function->filename,
                      (uint64_t)function->start_line};
    uint32_t hash = pprof_hash(key, sizeof key, profile->seed);
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->function_index, hash, &at)) != FINO_PPROF_NONE;)
        if (functions_equal(&profile->functions.items[id], function)) return id;

    if (!PPROF_RESERVE_BOTH(profile, &profile->functions, &profile->function_index))
        return pprof_fail(profile, -ENOMEM);
    uint32_t id = profile->functions.count++;
    profile->functions.items[id] = *function;
    pprof_index_put(&profile->function_index, hash, id);
    return id;
}

/* ---- Mappings ---- */

/* Flags are not part of a mapping's identity: what is learnt later only adds to them. */
static bool mappings_equal(const struct fino_pprof_mapping *a, const struct fino_pprof_mapping *b) {
    return a->memory_start == b->memory_start && a->memory_limit == b->memory_limit &&
           a->file_offset == b->file_offset && a->filename == b->filename && a->build_id == b->build_id;
}

static void mapping_add_flags(struct fino_pprof_mapping *mapping, const struct fino_pprof_mapping *more) {
    mapping->has_functions |= more->has_functions;
    mapping->has_filenames |= more->has_filenames;
    mapping->has_line_numbers |= more->has_line_numbers;
    mapping->has_inline_frames |= more->has_inline_frames;
}

uint32_t fino_pprof_add_mapping(fino_pprof *profile, const struct fino_pprof_mapping *mapping) {
    if (profile->error) return FINO_PPROF_NONE;
    if (!is_string(profile, mapping->filename) || !is_string(profile, mapping->build_id))
        return pprof_fail(profile, -EINVAL);

    uint64_t key[] = {mapping->memory_start, mapping->memory_limit, mapping->file_offset,
                      (uint64_t)mapping->filename << 32 | mapping->build_id};
    uint32_t hash = pprof_hash(key, sizeof key, profile->seed);
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->mapping_index, hash, &at)) != FINO_PPROF_NONE;) {
        if (!mappings_equal(&profile->mappings.items[id], mapping)) continue;
        mapping_add_flags(&profile->mappings.items[id], mapping);
        return id;
    }

    if (!PPROF_RESERVE_BOTH(profile, &profile->mappings, &profile->mapping_index)) return pprof_fail(profile, -ENOMEM);
    uint32_t id = profile->mappings.count++;
    profile->mappings.items[id] = *mapping;
    pprof_index_put(&profile->mapping_index, hash, id);
    return id;
}

/* ---- Locations ---- */

static uint32_t hash_location(const fino_pprof *profile, const struct fino_pprof_location_info *info) {
    uint64_t key[] = {info->address, (uint64_t)info->mapping << 1 | info->is_folded, info->line_count};
    uint64_t hash = pprof_hash64(key, sizeof key, profile->seed);
    for (size_t i = 0; i < info->line_count; i++) {
        const struct fino_pprof_line *line = &info->lines[i];
        uint64_t line_key[] = {line->function, (uint64_t)line->line, (uint64_t)line->column};
        hash = pprof_hash64(line_key, sizeof line_key, hash);
    }
    return (uint32_t)hash;
}

static bool lines_equal(const struct fino_pprof_line *a, const struct fino_pprof_line *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].function != b[i].function || a[i].line != b[i].line || a[i].column != b[i].column) return false;
    return true;
}

/* Is INFO what this location was added as, or what it is now? */
static bool location_is(const fino_pprof *profile, const struct pprof_location *location,
                        const struct fino_pprof_location_info *info) {
    if (location->address != info->address || location->mapping != info->mapping ||
        location->is_folded != info->is_folded)
        return false;
    if (info->line_count == 0) return location->added_unnamed;
    return location->line_count == info->line_count &&
           lines_equal(&profile->lines.items[location->line_begin], info->lines, info->line_count);
}

static uint32_t find_location(const fino_pprof *profile, const struct fino_pprof_location_info *info, uint32_t hash) {
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->location_index, hash, &at)) != FINO_PPROF_NONE;)
        if (location_is(profile, &profile->locations.items[id], info)) return id;
    return FINO_PPROF_NONE;
}

static bool lines_are_valid(const fino_pprof *profile, const struct fino_pprof_line *lines, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (lines[i].function >= profile->functions.count && lines[i].function != FINO_PPROF_NONE) return false;
    return true;
}

/* Appends lines for which there is room and points the location to them. */
static void append_lines(fino_pprof *profile, struct pprof_location *location, const struct fino_pprof_line *lines,
                         size_t count) {
    location->line_begin = profile->lines.count;
    location->line_count = (uint32_t)count;
    if (count) memcpy(profile->lines.items + profile->lines.count, lines, count * sizeof *lines);
    profile->lines.count += (uint32_t)count;
}

uint32_t fino_pprof_intern_location(fino_pprof *profile, const struct fino_pprof_location_info *info) {
    if (profile->error) return FINO_PPROF_NONE;
    if ((info->mapping >= profile->mappings.count && info->mapping != FINO_PPROF_NONE) ||
        !lines_are_valid(profile, info->lines, info->line_count))
        return pprof_fail(profile, -EINVAL);

    uint32_t hash = hash_location(profile, info), id = find_location(profile, info, hash);
    if (id != FINO_PPROF_NONE) return id;

    if (!PPROF_RESERVE_BOTH(profile, &profile->locations, &profile->location_index) ||
        !PPROF_RESERVE(&profile->allocator, &profile->lines, info->line_count))
        return pprof_fail(profile, -ENOMEM);
    id = profile->locations.count++;
    struct pprof_location *location = &profile->locations.items[id];
    *location = (struct pprof_location){
        .address = info->address,
        .mapping = info->mapping,
        .added_unnamed = info->line_count == 0,
        .is_folded = info->is_folded,
    };
    append_lines(profile, location, info->lines, info->line_count);
    pprof_index_put(&profile->location_index, hash, id);
    return id;
}

uint32_t fino_pprof_add_location(fino_pprof *profile, uint32_t mapping, uint64_t address,
                                 const struct fino_pprof_line *lines, size_t line_count) {
    return fino_pprof_intern_location(
        profile, &(struct fino_pprof_location_info){
                     .mapping = mapping, .address = address, .lines = lines, .line_count = line_count});
}

/* The location is entered a second time, as what it became: whoever adds it with its lines from now on gets the same
 * id. Where such a location existed before, the two have become one and the encoder merges them. */
void fino_pprof_set_lines(fino_pprof *profile, uint32_t id, const struct fino_pprof_line *lines, size_t line_count) {
    if (profile->error) return;
    if (id >= profile->locations.count || !lines_are_valid(profile, lines, line_count)) {
        pprof_fail(profile, -EINVAL);
        return;
    }
    struct pprof_location *location = &profile->locations.items[id];
    if (location->line_count != 0 || line_count == 0) return;
    if (!PPROF_RESERVE(&profile->allocator, &profile->lines, line_count) ||
        !pprof_index_reserve(&profile->allocator, &profile->location_index)) {
        pprof_fail(profile, -ENOMEM);
        return;
    }
    struct fino_pprof_location_info info = {location->mapping, location->address, lines, line_count,
                                            location->is_folded};
    uint32_t hash = hash_location(profile, &info);
    if (find_location(profile, &info, hash) != FINO_PPROF_NONE)
        profile->same_count++;
    else
        pprof_index_put(&profile->location_index, hash, id);
    append_lines(profile, location, lines, line_count);
}

/* ---- Label sets ---- */

static bool label_is_string(const struct fino_pprof_label *label) {
    return label->string != FINO_PPROF_NONE;
}

/* One way to write each label. A string value of "" reads back as the number 0, so that is what it is. */
static struct fino_pprof_label normal_label(struct fino_pprof_label label) {
    if (label.string == FINO_PPROF_NONE) return label;
    if (label.string == 0) return (struct fino_pprof_label){.key = label.key, .string = FINO_PPROF_NONE};
    return (struct fino_pprof_label){.key = label.key, .string = label.string};
}

/* Any total order will do; this one puts equal keys together. Returns: < 0, 0 or > 0. */
static int compare_labels(const struct fino_pprof_label *a, const struct fino_pprof_label *b) {
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    if (a->string != b->string) return a->string < b->string ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->unit == b->unit ? 0 : a->unit < b->unit ? -1 : 1;
}

/* Puts LABEL into a heap whose place AT is free and whose places below AT are in order. */
static void sift(struct fino_pprof_label *heap, size_t at, size_t count, struct fino_pprof_label label) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare_labels(&heap[child], &heap[child + 1]) < 0) child++;
        if (compare_labels(&label, &heap[child]) >= 0) break;
        heap[at] = heap[child];
    }
    heap[at] = label;
}

/* Sorts LABELS and drops what occurs twice. Returns: how many are left. Heapsort: sets are small, but for hostile ones,
 * which are large. */
static uint32_t sort_labels(struct fino_pprof_label *labels, size_t count) {
    uint32_t kept = 0;
    for (size_t at = count / 2; at-- > 0;)
        sift(labels, at, count, labels[at]);
    for (size_t end = count; end-- > 1;) {
        struct fino_pprof_label last = labels[end];
        labels[end] = labels[0];
        sift(labels, 0, end, last);
    }
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_labels(&labels[kept - 1], &labels[i]) != 0) labels[kept++] = labels[i];
    return kept;
}

static uint32_t hash_labels(const fino_pprof *profile, const struct fino_pprof_label *labels, uint32_t count) {
    uint64_t hash = profile->seed;
    for (uint32_t i = 0; i < count; i++) {
        const struct fino_pprof_label *label = &labels[i];
        uint64_t key[] = {(uint64_t)label->key << 32 | label->string, (uint64_t)label->number, label->unit};
        hash = pprof_hash64(key, sizeof key, hash);
    }
    return (uint32_t)hash;
}

static bool label_set_is(const fino_pprof *profile, uint32_t id, const struct fino_pprof_label *labels,
                         uint32_t count) {
    const struct pprof_label_set *set = &profile->label_sets.items[id];
    if (set->label_count != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (compare_labels(&profile->labels.items[set->label_begin + i], &labels[i]) != 0) return false;
    return true;
}

static bool labels_are_valid(const fino_pprof *profile, const struct fino_pprof_label *labels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!is_string(profile, labels[i].key)) return false;
        if (label_is_string(&labels[i]) ? !is_string(profile, labels[i].string) : !is_string(profile, labels[i].unit))
            return false;
    }
    return true;
}

/* The new set is built at the end of the labels and stays there only if it is new. */
uint32_t fino_pprof_label_set(fino_pprof *profile, const struct fino_pprof_label *labels, size_t count) {
    if (profile->error) return FINO_PPROF_NONE;
    if (count == 0) return 0;
    if (!labels_are_valid(profile, labels, count)) return pprof_fail(profile, -EINVAL);
    if (!PPROF_RESERVE_BOTH(profile, &profile->label_sets, &profile->label_set_index) ||
        !PPROF_RESERVE(&profile->allocator, &profile->labels, count))
        return pprof_fail(profile, -ENOMEM);

    struct fino_pprof_label *sorted = profile->labels.items + profile->labels.count;
    for (size_t i = 0; i < count; i++)
        sorted[i] = normal_label(labels[i]);
    uint32_t kept = sort_labels(sorted, count), hash = hash_labels(profile, sorted, kept);
    for (uint32_t at = hash, id; (id = pprof_index_next(&profile->label_set_index, hash, &at)) != FINO_PPROF_NONE;)
        if (label_set_is(profile, id, sorted, kept)) return id;

    uint32_t id = profile->label_sets.count++;
    profile->label_sets.items[id] = (struct pprof_label_set){profile->labels.count, kept};
    profile->labels.count += kept;
    pprof_index_put(&profile->label_set_index, hash, id);
    return id;
}

/* ---- Life ---- */

fino_pprof *pprof_new_bare(const struct fino_allocator *allocator, uint64_t seed) {
    fino_pprof *profile = pprof_alloc_zeroed(allocator, 1, sizeof *profile);
    if (!profile) return NULL;
    profile->allocator = *allocator;
    profile->seed = seed;
    if (!pprof_strings_init(allocator, &profile->strings, seed) || !PPROF_RESERVE(allocator, &profile->label_sets, 1)) {
        fino_pprof_free(profile);
        return NULL;
    }
    /* The empty set of labels, whose id is 0 and which no search needs to find. */
    profile->label_sets.items[profile->label_sets.count++] = (struct pprof_label_set){0, 0};
    return profile;
}

bool pprof_add_sample_type(fino_pprof *profile, struct pprof_value_type type) {
    if (!PPROF_RESERVE(&profile->allocator, &profile->sample_types, 1)) return false;
    profile->sample_types.items[profile->sample_types.count++] = type;
    return true;
}

static uint32_t intern_text(fino_pprof *profile, const char *text) {
    return text ? fino_pprof_string(profile, text, pprof_text_nbytes(text)) : 0;
}

fino_pprof *fino_pprof_new(const struct fino_pprof_config *config) {
    if (config->sample_type_count < 1) return NULL;
    fino_pprof *profile =
        pprof_new_bare(config->allocator ? config->allocator : &pprof_default_allocator, config->hash_seed);
    if (!profile) return NULL;
    for (size_t i = 0; i < config->sample_type_count; i++) {
        struct pprof_value_type type = {intern_text(profile, config->sample_types[i].type),
                                        intern_text(profile, config->sample_types[i].unit)};
        if (profile->error || !pprof_add_sample_type(profile, type)) goto fail;
    }
    return profile;

fail:
    fino_pprof_free(profile);
    return NULL;
}

fino_pprof *pprof_new_alike(const fino_pprof *other) {
    fino_pprof *profile = pprof_new_bare(&other->allocator, other->seed);
    if (!profile) return NULL;
    for (uint32_t i = 0; i < other->sample_types.count; i++) {
        const struct pprof_string *name = &other->strings.list.items[other->sample_types.items[i].type];
        const struct pprof_string *unit = &other->strings.list.items[other->sample_types.items[i].unit];
        struct pprof_value_type type = {fino_pprof_string(profile, name->text, name->nbytes),
                                        fino_pprof_string(profile, unit->text, unit->nbytes)};
        if (profile->error || !pprof_add_sample_type(profile, type)) goto fail;
    }
    return profile;

fail:
    fino_pprof_free(profile);
    return NULL;
}

void fino_pprof_free(fino_pprof *profile) {
    if (!profile) return;
    struct fino_allocator allocator = profile->allocator;
    pprof_strings_free(&allocator, &profile->strings);
    PPROF_VECTOR_FREE(&allocator, &profile->functions);
    pprof_index_free(&allocator, &profile->function_index);
    PPROF_VECTOR_FREE(&allocator, &profile->mappings);
    pprof_index_free(&allocator, &profile->mapping_index);
    PPROF_VECTOR_FREE(&allocator, &profile->locations);
    pprof_index_free(&allocator, &profile->location_index);
    PPROF_VECTOR_FREE(&allocator, &profile->lines);
    PPROF_VECTOR_FREE(&allocator, &profile->label_sets);
    pprof_index_free(&allocator, &profile->label_set_index);
    PPROF_VECTOR_FREE(&allocator, &profile->labels);
    PPROF_VECTOR_FREE(&allocator, &profile->chunks);
    pprof_index_free(&allocator, &profile->chunk_index);
    PPROF_VECTOR_FREE(&allocator, &profile->records);
    PPROF_VECTOR_FREE(&allocator, &profile->samples);
    pprof_index_free(&allocator, &profile->sample_index);
    pprof_free(&allocator, profile->values, profile->values_capacity,
               profile->sample_types.count * sizeof *profile->values);
    PPROF_VECTOR_FREE(&allocator, &profile->sample_types);
    pprof_free(&allocator, (void *)profile->header.comments, profile->header.comment_count, sizeof(char *));
    pprof_free(&allocator, profile, 1, sizeof *profile);
}
