/* decode.c: from the bytes of any producer's profile into a builder.
 *
 * The tables of a profile may come in any order, so the bytes are walked once per table, those first that others refer
 * to: strings, sample types, mappings, functions, locations, samples, header. Nothing is copied on the way but the ids
 * of what was read. Everything lands in a builder, which finds duplicates by itself; a stricter reader (check.c) only
 * has to ask whether anything new was made.
 */
#include "pprof/decode.h"

#include "pprof/builder.h"
#include "pprof/schema.h"
#include "pprof/wire.h"

/* More than any profile needs, less than what makes a machine swap. */
#define NBYTES_MAX_DEFAULT ((size_t)1 << 30)

/* ---- What messages look like ---- */

#define FIELDS_MAX 16
#define BIT(field) (UINT32_C(1) << (field))

/* A message's fields by number. Those that are not in NESTED hold one number. */
struct message {
    const char *fields[FIELDS_MAX];
    uint32_t nested; /* bit n: field n is repeated or not a number, and read by its own code */
};

static const struct message profile_message = {
    {"", "sample_type", "sample", "mapping", "location", "function", "string_table", "drop_frames", "keep_frames",
     "time_nanos", "duration_nanos", "period_type", "period", "comment", "default_sample_type", "doc_url"},
    BIT(PROFILE_SAMPLE_TYPE) | BIT(PROFILE_SAMPLE) | BIT(PROFILE_MAPPING) | BIT(PROFILE_LOCATION) |
        BIT(PROFILE_FUNCTION) | BIT(PROFILE_STRING_TABLE) | BIT(PROFILE_PERIOD_TYPE) | BIT(PROFILE_COMMENT),
};
static const struct message value_type_message = {{"", "type", "unit"}, 0};
static const struct message label_message = {{"", "key", "str", "num", "num_unit"}, 0};
static const struct message mapping_message = {
    {"", "id", "memory_start", "memory_limit", "file_offset", "filename", "build_id", "has_functions", "has_filenames",
     "has_line_numbers", "has_inline_frames"},
    0,
};
static const struct message location_message = {{"", "id", "mapping_id", "address", "line", "is_folded"},
                                                BIT(LOCATION_LINE)};
static const struct message line_message = {{"", "function_id", "line", "column"}, 0};
static const struct message function_message = {{"", "id", "name", "system_name", "filename", "start_line"}, 0};

/* ---- State ---- */

/* What the profile calls WIRE_ID is ID in the builder. */
struct binding {
    uint64_t wire_id;
    uint32_t id;
    bool is_used;
};

struct id_map {
    PPROF_VECTOR(struct binding) list; /* in the order of the profile */
    struct pprof_index index;          /* of those whose wire id is not their position + 1 */
};

struct decoder {
    fino_pprof *profile;
    const struct fino_allocator *allocator;
    enum pprof_demands demands;
    const uint8_t *begin;
    size_t nbytes;

    int error;
    struct fino_pprof_problem problem; /* ENTITY and INDEX are kept current, the rest is set by a failure */
    const uint8_t *entity_at;

    struct id_map strings; /* WIRE_ID is the position */
    struct id_map mappings, functions, locations;
    size_t sample_count;

    PPROF_VECTOR(uint32_t) stack; /* scratch */
    PPROF_VECTOR(int64_t) values;
    PPROF_VECTOR(struct fino_pprof_label) labels;
    PPROF_VECTOR(struct fino_pprof_line) lines;
};

/* Latches what is wrong with the current entity. Returns: false. */
static bool fail_at(struct decoder *d, const uint8_t *at, const char *what, const char *field, uint64_t value) {
    if (d->error) return false;
    d->error = -EINVAL;
    d->problem.what = what;
    d->problem.field = field;
    d->problem.value = value;
    d->problem.offset = (size_t)(at - d->begin);
    return false;
}

static bool fail(struct decoder *d, const char *what, const char *field, uint64_t value) {
    return fail_at(d, d->entity_at, what, field, value);
}

static bool fail_memory(struct decoder *d) {
    if (!d->error) d->error = -ENOMEM;
    return false;
}

/* Passes on what a cursor latched. Returns: true when it latched nothing. */
static bool finish(struct decoder *d, const struct pprof_cursor *cursor) {
    return !d->error && (!cursor->error || fail_at(d, cursor->at, cursor->error, "", 0));
}

/* ---- References ---- */

static bool bind(struct decoder *d, struct id_map *map, uint64_t wire_id, uint32_t id) {
    uint32_t position = map->list.count;
    bool is_dense = wire_id == (uint64_t)position + 1;
    if (!PPROF_RESERVE(d->allocator, &map->list, 1) || (!is_dense && !pprof_index_reserve(d->allocator, &map->index)))
        return fail_memory(d);
    map->list.items[map->list.count++] = (struct binding){wire_id, id, false};
    if (!is_dense) pprof_index_put(&map->index, pprof_hash(&wire_id, sizeof wire_id, d->profile->seed), position);
    return true;
}

static struct binding *find(const struct decoder *d, const struct id_map *map, uint64_t wire_id) {
    if (wire_id - 1 < map->list.count && map->list.items[wire_id - 1].wire_id == wire_id)
        return &map->list.items[wire_id - 1];
    uint32_t hash = pprof_hash(&wire_id, sizeof wire_id, d->profile->seed);
    for (uint32_t at = hash, i; (i = pprof_index_next(&map->index, hash, &at)) != FINO_PPROF_NONE;)
        if (map->list.items[i].wire_id == wire_id) return &map->list.items[i];
    return NULL;
}

/* Resolves a reference. Returns: the id in the builder, or FINO_PPROF_NONE with the problem WHAT. */
static uint32_t refer(struct decoder *d, const struct id_map *map, uint64_t wire_id, const char *what,
                      const char *field) {
    struct binding *binding = find(d, map, wire_id);
    if (!binding) return fail(d, what, field, wire_id), FINO_PPROF_NONE;
    binding->is_used = true;
    return binding->id;
}

/* Resolves an index into the string table, which need not be there as long as only "" is asked for. */
static uint32_t refer_string(struct decoder *d, uint64_t index, const char *field) {
    if (index < d->strings.list.count) {
        d->strings.list.items[index].is_used = true;
        return d->strings.list.items[index].id;
    }
    if (index == 0) return 0;
    return fail(d, "refers to a string that does not exist", field, index), FINO_PPROF_NONE;
}

/* ---- Reading messages ---- */

/* Reads all fields of MESSAGE that hold one number into VALUES, by field number. The last of several counts. */
static bool read_numbers(struct decoder *d, struct pprof_cursor cursor, const struct message *message,
                         uint64_t values[FIELDS_MAX]) {
    memset(values, 0, FIELDS_MAX * sizeof *values);
    for (struct pprof_field field; wire_next(&cursor, &field);) {
        if (field.number >= FIELDS_MAX || !message->fields[field.number] || message->nested & BIT(field.number))
            continue;
        if (field.type != WIRE_VARINT)
            return fail_at(d, cursor.at, "has the wrong wire type", message->fields[field.number], field.type);
        values[field.number] = field.value;
    }
    return finish(d, &cursor);
}

/* The numbers of a repeated field: packed or one by one. */
static bool open_repeated(struct decoder *d, const struct pprof_field *field, const char *name,
                          struct pprof_cursor *numbers) {
    if (field->type == WIRE_BYTES)
        *numbers = wire_content(field);
    else if (field->type != WIRE_VARINT)
        return fail(d, "has the wrong wire type", name, field->type);
    return true;
}

static bool expect_bytes(struct decoder *d, const struct pprof_field *field, const char *name) {
    return field->type == WIRE_BYTES || fail(d, "has the wrong wire type", name, field->type);
}

/* Is a thing that the builder counted BEFORE things ahead of a duplicate? */
static bool expect_new(struct decoder *d, size_t before, size_t after) {
    return d->demands < PPROF_CANONICAL || after > before || fail(d, "repeats an earlier one", "", 0);
}

static bool expect_id(struct decoder *d, const struct id_map *map, uint64_t wire_id) {
    if (wire_id == 0) return fail(d, "has the id 0", "id", 0);
    if (find(d, map, wire_id)) return fail(d, "has the id of an earlier one", "id", wire_id);
    if (d->demands >= PPROF_CANONICAL && wire_id != (uint64_t)map->list.count + 1)
        return fail(d, "has an id that is not its position", "id", wire_id);
    return true;
}

/* ---- The tables, one visitor each ---- */

typedef bool visitor(struct decoder *d, struct pprof_cursor content);

static bool read_string(struct decoder *d, struct pprof_cursor content) {
    size_t nbytes = (size_t)(content.end - content.at), before = d->profile->strings.list.count;
    uint32_t position = d->strings.list.count, id = fino_pprof_string(d->profile, (const char *)content.at, nbytes);
    if (id == FINO_PPROF_NONE || !PPROF_RESERVE(d->allocator, &d->strings.list, 1)) return fail_memory(d);
    d->strings.list.items[d->strings.list.count++] = (struct binding){position, id, position == 0};
    if (position == 0) return nbytes == 0 || fail(d, "is the first and not \"\"", "", nbytes);
    const struct pprof_string *string = &d->profile->strings.list.items[id];
    if (d->demands >= PPROF_VALID && (string->nbytes != nbytes || !pprof_bytes_equal(string->text, content.at, nbytes)))
        return fail(d, "is not valid UTF-8", "", 0);
    return expect_new(d, before, d->profile->strings.list.count);
}

static bool read_value_type(struct decoder *d, struct pprof_cursor content, struct pprof_value_type *out) {
    uint64_t values[FIELDS_MAX];
    if (!read_numbers(d, content, &value_type_message, values)) return false;
    out->type = refer_string(d, values[VALUE_TYPE_TYPE], "type");
    out->unit = refer_string(d, values[VALUE_TYPE_UNIT], "unit");
    return !d->error;
}

static bool read_sample_type(struct decoder *d, struct pprof_cursor content) {
    struct pprof_value_type type;
    if (!read_value_type(d, content, &type)) return false;
    return pprof_add_sample_type(d->profile, type) || fail_memory(d);
}

static bool read_mapping(struct decoder *d, struct pprof_cursor content) {
    uint64_t values[FIELDS_MAX];
    if (!read_numbers(d, content, &mapping_message, values) || !expect_id(d, &d->mappings, values[MAPPING_ID]))
        return false;
    struct fino_pprof_mapping mapping = {
        .memory_start = values[MAPPING_MEMORY_START],
        .memory_limit = values[MAPPING_MEMORY_LIMIT],
        .file_offset = values[MAPPING_FILE_OFFSET],
        .filename = refer_string(d, values[MAPPING_FILENAME], "filename"),
        .build_id = refer_string(d, values[MAPPING_BUILD_ID], "build_id"),
        .has_functions = values[MAPPING_HAS_FUNCTIONS] != 0,
        .has_filenames = values[MAPPING_HAS_FILENAMES] != 0,
        .has_line_numbers = values[MAPPING_HAS_LINE_NUMBERS] != 0,
        .has_inline_frames = values[MAPPING_HAS_INLINE_FRAMES] != 0,
    };
    if (d->error) return false;
    if (d->demands >= PPROF_VALID && mapping.memory_limit && mapping.memory_start > mapping.memory_limit)
        return fail(d, "ends before it starts", "memory_limit", mapping.memory_limit);
    size_t before = d->profile->mappings.count;
    uint32_t id = fino_pprof_add_mapping(d->profile, &mapping);
    if (id == FINO_PPROF_NONE) return fail_memory(d);
    if (!expect_new(d, before, d->profile->mappings.count) || !bind(d, &d->mappings, values[MAPPING_ID], id))
        return false;
    d->mappings.list.items[0].is_used = true; /* it says what the program is */
    return true;
}

static bool read_function(struct decoder *d, struct pprof_cursor content) {
    uint64_t values[FIELDS_MAX];
    if (!read_numbers(d, content, &function_message, values) || !expect_id(d, &d->functions, values[FUNCTION_ID]))
        return false;
    struct fino_pprof_function function = {
        .name = refer_string(d, values[FUNCTION_NAME], "name"),
        .system_name = refer_string(d, values[FUNCTION_SYSTEM_NAME], "system_name"),
        .filename = refer_string(d, values[FUNCTION_FILENAME], "filename"),
        .start_line = (int64_t)values[FUNCTION_START_LINE],
    };
    if (d->error) return false;
    size_t before = d->profile->functions.count;
    uint32_t id = fino_pprof_add_function(d->profile, &function);
    if (id == FINO_PPROF_NONE) return fail_memory(d);
    return expect_new(d, before, d->profile->functions.count) && bind(d, &d->functions, values[FUNCTION_ID], id);
}

/* Appends a line of the current location to the scratch. */
static bool read_line(struct decoder *d, struct pprof_cursor content) {
    uint64_t values[FIELDS_MAX];
    if (!read_numbers(d, content, &line_message, values)) return false;
    struct fino_pprof_line line = {
        .function = FINO_PPROF_NONE, .line = (int64_t)values[LINE_LINE], .column = (int64_t)values[LINE_COLUMN]};
    if (values[LINE_FUNCTION_ID])
        line.function = refer(d, &d->functions, values[LINE_FUNCTION_ID], "refers to a function that does not exist",
                              "function_id");
    if (d->error) return false;
    if (!PPROF_RESERVE(d->allocator, &d->lines, 1)) return fail_memory(d);
    d->lines.items[d->lines.count++] = line;
    return true;
}

static bool read_lines(struct decoder *d, struct pprof_cursor content) {
    d->lines.count = 0;
    for (struct pprof_field field; wire_next(&content, &field);)
        if (field.number == LOCATION_LINE && !(expect_bytes(d, &field, "line") && read_line(d, wire_content(&field))))
            return false;
    return finish(d, &content);
}

/* An address that its mapping does not hold. Many producers leave the bounds open. */
static bool is_outside(const struct fino_pprof_mapping *mapping, uint64_t address) {
    return address != 0 && mapping->memory_limit != 0 &&
           (address < mapping->memory_start || address > mapping->memory_limit);
}

static bool read_location(struct decoder *d, struct pprof_cursor content) {
    uint64_t values[FIELDS_MAX];
    if (!read_numbers(d, content, &location_message, values) || !expect_id(d, &d->locations, values[LOCATION_ID]) ||
        !read_lines(d, content))
        return false;
    struct fino_pprof_location_info location = {
        .mapping = FINO_PPROF_NONE,
        .address = values[LOCATION_ADDRESS],
        .lines = d->lines.items,
        .line_count = d->lines.count,
        .is_folded = values[LOCATION_IS_FOLDED] != 0,
    };
    if (values[LOCATION_MAPPING_ID]) {
        location.mapping = refer(d, &d->mappings, values[LOCATION_MAPPING_ID],
                                 "refers to a mapping that does not exist", "mapping_id");
        if (d->error) return false;
        if (d->demands >= PPROF_VALID && is_outside(&d->profile->mappings.items[location.mapping], location.address))
            return fail(d, "lies outside of its mapping", "address", location.address);
    }
    size_t before = d->profile->locations.count;
    uint32_t id = fino_pprof_intern_location(d->profile, &location);
    if (id == FINO_PPROF_NONE) return fail_memory(d);
    return expect_new(d, before, d->profile->locations.count) && bind(d, &d->locations, values[LOCATION_ID], id);
}

/* ---- Samples ---- */

static bool read_location_ids(struct decoder *d, const struct pprof_field *field) {
    struct pprof_cursor numbers = {0};
    uint64_t wire_id = field->value;
    if (!open_repeated(d, field, "location_id", &numbers)) return false;
    for (bool more = field->type == WIRE_VARINT || !wire_at_end(&numbers); more; more = !wire_at_end(&numbers)) {
        if (field->type == WIRE_BYTES) wire_id = wire_read_varint(&numbers);
        if (numbers.error) break;
        uint32_t id = refer(d, &d->locations, wire_id, "refers to a location that does not exist", "location_id");
        if (d->error) return false;
        if (!PPROF_RESERVE(d->allocator, &d->stack, 1)) return fail_memory(d);
        d->stack.items[d->stack.count++] = id;
    }
    return finish(d, &numbers);
}

static bool read_values(struct decoder *d, const struct pprof_field *field) {
    struct pprof_cursor numbers = {0};
    uint64_t value = field->value;
    if (!open_repeated(d, field, "value", &numbers)) return false;
    for (bool more = field->type == WIRE_VARINT || !wire_at_end(&numbers); more; more = !wire_at_end(&numbers)) {
        if (field->type == WIRE_BYTES) value = wire_read_varint(&numbers);
        if (numbers.error) break;
        if (!PPROF_RESERVE(d->allocator, &d->values, 1)) return fail_memory(d);
        d->values.items[d->values.count++] = (int64_t)value;
    }
    return finish(d, &numbers);
}

static bool read_label(struct decoder *d, const struct pprof_field *field) {
    uint64_t values[FIELDS_MAX];
    if (!expect_bytes(d, field, "label") || !read_numbers(d, wire_content(field), &label_message, values)) return false;
    if (d->demands >= PPROF_VALID && values[LABEL_STR] && (values[LABEL_NUM] || values[LABEL_NUM_UNIT]))
        return fail(d, "has a label with both a string and a number", "label", values[LABEL_NUM]);
    struct fino_pprof_label label = {.key = refer_string(d, values[LABEL_KEY], "label.key")};
    if (values[LABEL_STR]) {
        label.string = refer_string(d, values[LABEL_STR], "label.str");
    } else {
        label.string = FINO_PPROF_NONE;
        label.number = (int64_t)values[LABEL_NUM];
        label.unit = refer_string(d, values[LABEL_NUM_UNIT], "label.num_unit");
    }
    if (d->error) return false;
    if (!PPROF_RESERVE(d->allocator, &d->labels, 1)) return fail_memory(d);
    d->labels.items[d->labels.count++] = label;
    return true;
}

/* Adds the sample that the scratch holds. */
static bool add_sample(struct decoder *d) {
    if (d->profile->sample_types.count == 0)
        return fail(d, "is in a profile without sample types", "value", d->values.count);
    if (d->values.count != d->profile->sample_types.count)
        return fail(d, "has not one value per sample type", "value", d->values.count);
    uint32_t label_set = fino_pprof_label_set(d->profile, d->labels.items, d->labels.count);
    if (label_set == FINO_PPROF_NONE) return fail_memory(d);
    if (d->demands >= PPROF_CANONICAL) {
        uint32_t zeros = 0;
        for (uint32_t i = 0; i < d->values.count; i++)
            zeros += d->values.items[i] == 0;
        if (zeros == d->values.count) return fail(d, "has no value but 0", "value", 0);
        if (d->profile->label_sets.items[label_set].label_count != d->labels.count)
            return fail(d, "has the same label twice", "label", 0);
    }
    size_t before = d->profile->samples.count;
    if (fino_pprof_add_sample(d->profile, d->stack.items, d->stack.count, label_set, d->values.items) != 0)
        return fail_memory(d);
    return expect_new(d, before, d->profile->samples.count);
}

static bool read_sample(struct decoder *d, struct pprof_cursor content) {
    d->stack.count = d->values.count = d->labels.count = 0;
    for (struct pprof_field field; wire_next(&content, &field);) {
        bool ok = true;
        switch (field.number) {
            case SAMPLE_LOCATION_ID: ok = read_location_ids(d, &field); break;
            case SAMPLE_VALUE: ok = read_values(d, &field); break;
            case SAMPLE_LABEL: ok = read_label(d, &field); break;
        }
        if (!ok) return false;
    }
    return finish(d, &content) && add_sample(d);
}

/* ---- The header ---- */

static const char *text_of(const struct decoder *d, uint32_t id) {
    return id == 0 || id == FINO_PPROF_NONE ? NULL : d->profile->strings.list.items[id].text;
}

static bool read_period_type(struct decoder *d, struct pprof_cursor content) {
    struct pprof_value_type type;
    if (!read_value_type(d, content, &type)) return false;
    d->profile->header.period_type = (struct fino_pprof_value_type){text_of(d, type.type), text_of(d, type.unit)};
    return true;
}

/* Collects the comments' string ids in the scratch for stacks. */
static bool read_comments(struct decoder *d, const struct pprof_field *field) {
    struct pprof_cursor numbers = {0};
    uint64_t index = field->value;
    if (!open_repeated(d, field, "comment", &numbers)) return false;
    for (bool more = field->type == WIRE_VARINT || !wire_at_end(&numbers); more; more = !wire_at_end(&numbers)) {
        if (field->type == WIRE_BYTES) index = wire_read_varint(&numbers);
        if (numbers.error) break;
        uint32_t id = refer_string(d, index, "comment");
        if (d->error) return false;
        if (!PPROF_RESERVE(d->allocator, &d->stack, 1)) return fail_memory(d);
        d->stack.items[d->stack.count++] = id;
    }
    return finish(d, &numbers);
}

static bool keep_comments(struct decoder *d) {
    if (d->stack.count == 0) return true;
    const char **comments = pprof_alloc(d->allocator, d->stack.count, sizeof *comments);
    if (!comments) return fail_memory(d);
    for (uint32_t i = 0; i < d->stack.count; i++)
        comments[i] = d->profile->strings.list.items[d->stack.items[i]].text;
    d->profile->header.comments = comments;
    d->profile->header.comment_count = d->stack.count;
    return true;
}

static bool expect_known_type(struct decoder *d, uint32_t default_type) {
    if (default_type == 0 || d->demands < PPROF_VALID) return true;
    for (uint32_t i = 0; i < d->profile->sample_types.count; i++)
        if (d->profile->sample_types.items[i].type == default_type) return true;
    return fail(d, "is not the name of a sample type", "default_sample_type", 0);
}

static bool read_header(struct decoder *d) {
    uint64_t values[FIELDS_MAX];
    struct pprof_cursor cursor = {.at = d->begin, .end = d->begin + d->nbytes};
    if (!read_numbers(d, cursor, &profile_message, values)) return false;
    d->stack.count = 0;
    for (struct pprof_field field; wire_next(&cursor, &field);) {
        if (field.number == PROFILE_COMMENT && !read_comments(d, &field)) return false;
        if (field.number == PROFILE_PERIOD_TYPE &&
            !(expect_bytes(d, &field, "period_type") && read_period_type(d, wire_content(&field))))
            return false;
    }
    uint32_t default_type = refer_string(d, values[PROFILE_DEFAULT_SAMPLE_TYPE], "default_sample_type");
    struct fino_pprof_header *header = &d->profile->header;
    header->time_nanos = (int64_t)values[PROFILE_TIME_NANOS];
    header->duration_nanos = (int64_t)values[PROFILE_DURATION_NANOS];
    header->period = (int64_t)values[PROFILE_PERIOD];
    header->default_sample_type = text_of(d, default_type);
    header->doc_url = text_of(d, refer_string(d, values[PROFILE_DOC_URL], "doc_url"));
    header->drop_frames = text_of(d, refer_string(d, values[PROFILE_DROP_FRAMES], "drop_frames"));
    header->keep_frames = text_of(d, refer_string(d, values[PROFILE_KEEP_FRAMES], "keep_frames"));
    return !d->error && keep_comments(d) && expect_known_type(d, default_type);
}

/* ---- The whole ---- */

/* Calls VISIT for each top-level field NUMBER; problems name ENTITY and its index. */
static bool each(struct decoder *d, uint32_t number, const char *entity, visitor *visit) {
    struct pprof_cursor cursor = {.at = d->begin, .end = d->begin + d->nbytes};
    uint64_t index = 0;
    for (struct pprof_field field; wire_next(&cursor, &field);) {
        if (field.number != number) continue;
        d->problem.entity = entity;
        d->problem.index = index++;
        d->entity_at = field.bytes ? field.bytes : cursor.at;
        if (!expect_bytes(d, &field, "") || !visit(d, wire_content(&field))) return false;
    }
    d->problem.entity = "profile";
    d->problem.index = 0;
    d->entity_at = d->begin;
    return finish(d, &cursor);
}

static bool expect_all_used(struct decoder *d, const struct id_map *map, const char *entity) {
    for (uint32_t i = 0; i < map->list.count; i++) {
        if (map->list.items[i].is_used) continue;
        d->problem.entity = entity;
        d->problem.index = i;
        return fail(d, "is not referred to", "", 0);
    }
    return true;
}

static bool read_all(struct decoder *d) {
    return each(d, PROFILE_STRING_TABLE, "string", read_string) &&
           each(d, PROFILE_SAMPLE_TYPE, "sample type", read_sample_type) &&
           each(d, PROFILE_MAPPING, "mapping", read_mapping) && each(d, PROFILE_FUNCTION, "function", read_function) &&
           each(d, PROFILE_LOCATION, "location", read_location) && each(d, PROFILE_SAMPLE, "sample", read_sample) &&
           read_header(d) &&
           (d->demands < PPROF_CANONICAL ||
            (expect_all_used(d, &d->strings, "string") && expect_all_used(d, &d->mappings, "mapping") &&
             expect_all_used(d, &d->functions, "function") && expect_all_used(d, &d->locations, "location")));
}

/* ---- What came before profile.proto ---- */

static bool begins_with(const uint8_t *data, size_t nbytes, const char *text) {
    size_t text_nbytes = pprof_text_nbytes(text);
    return nbytes >= text_nbytes && pprof_bytes_equal(data, text, text_nbytes);
}

/* gperftools' CPU profiles begin with these numbers, each a word of their machine's: 0, how many follow, the format's
 * version. */
static bool is_legacy_cpu(const uint8_t *data, size_t nbytes) {
    for (size_t word_nbytes = 4; word_nbytes <= 8; word_nbytes += 4) {
        for (int is_big_endian = 0; is_big_endian <= 1; is_big_endian++) {
            uint8_t words[3 * 8] = {0};
            words[word_nbytes + (is_big_endian ? word_nbytes - 1 : 0)] = 3;
            if (nbytes >= 3 * word_nbytes && pprof_bytes_equal(data, words, 3 * word_nbytes)) return true;
        }
    }
    return false;
}

/* Says of what can not be decoded whether it is one of the formats that pprof still reads. Returns: NULL if not. */
static const char *legacy_format(const uint8_t *data, size_t nbytes) {
    if (is_legacy_cpu(data, nbytes))
        return "is a CPU profile in gperftools' legacy format: `go tool pprof -proto` converts it";
    /* "heap profile: ...", "goroutine profile: total ...", "--- contentionz 1 ---" and their like */
    bool is_legacy = begins_with(data, nbytes, "--- ");
    for (size_t at = 0; at < nbytes && at < 32 && data[at] >= ' ' && data[at] <= '~' && !is_legacy; at++)
        is_legacy = begins_with(data + at, nbytes - at, " profile: ");
    return is_legacy ? "is in a legacy text format: `go tool pprof -proto` converts it" : NULL;
}

/* ---- The interface ---- */

static void free_map(struct decoder *d, struct id_map *map) {
    PPROF_VECTOR_FREE(d->allocator, &map->list);
    pprof_index_free(d->allocator, &map->index);
}

static int decode_plain(const struct fino_pprof_decode_config *config, enum pprof_demands demands, const uint8_t *data,
                        size_t nbytes, fino_pprof **profile_out, struct fino_pprof_problem *problem_out) {
    struct decoder d = {
        .profile = pprof_new_bare(config->allocator, config->hash_seed),
        .allocator = config->allocator,
        .demands = demands,
        .begin = data,
        .nbytes = nbytes,
        .entity_at = data,
        .problem = {.entity = "profile"},
    };
    if (!d.profile) return -ENOMEM;
    if (nbytes == 0) fail(&d, "is empty", "", 0);
    if (!d.error) read_all(&d);
    free_map(&d, &d.strings);
    free_map(&d, &d.mappings);
    free_map(&d, &d.functions);
    free_map(&d, &d.locations);
    PPROF_VECTOR_FREE(d.allocator, &d.stack);
    PPROF_VECTOR_FREE(d.allocator, &d.values);
    PPROF_VECTOR_FREE(d.allocator, &d.labels);
    PPROF_VECTOR_FREE(d.allocator, &d.lines);
    if (d.error == 0) {
        *profile_out = d.profile;
        return 0;
    }
    fino_pprof_free(d.profile);
    if (d.error == -EINVAL) {
        const char *legacy = legacy_format(data, nbytes);
        *problem_out = d.problem;
        if (legacy) *problem_out = (struct fino_pprof_problem){.what = legacy, .entity = "profile", .field = ""};
    }
    return d.error;
}

static int decode_gzip(const struct fino_pprof_decode_config *config, enum pprof_demands demands, const uint8_t *data,
                       size_t nbytes, fino_pprof **profile_out, struct fino_pprof_problem *problem_out) {
    void *plain;
    size_t plain_nbytes;
    enum fino_inflate_status status =
        fino_gzip_decompress(config->allocator, data, nbytes, config->nbytes_max, &plain, &plain_nbytes);
    if (status == FINO_INFLATE_NO_MEMORY) return -ENOMEM;
    if (status == FINO_INFLATE_OUTPUT_FULL) return -EFBIG;
    if (status != FINO_INFLATE_OK) {
        *problem_out =
            (struct fino_pprof_problem){.what = fino_inflate_status_text(status), .entity = "gzip", .field = ""};
        return -EINVAL;
    }
    int error = decode_plain(config, demands, plain, plain_nbytes, profile_out, problem_out);
    pprof_free(config->allocator, plain, plain_nbytes, 1);
    return error;
}

int pprof_decode(const void *data, size_t nbytes, const struct fino_pprof_decode_config *config,
                 enum pprof_demands demands, fino_pprof **profile_out, struct fino_pprof_problem *problem_out) {
    struct fino_pprof_decode_config effective = config ? *config : (struct fino_pprof_decode_config){0};
    struct fino_pprof_problem ignored;
    if (!effective.allocator) effective.allocator = &pprof_default_allocator;
    if (effective.nbytes_max == 0) effective.nbytes_max = NBYTES_MAX_DEFAULT;
    if (!problem_out) problem_out = &ignored;
    *problem_out = (struct fino_pprof_problem){.what = "", .entity = "", .field = ""};
    *profile_out = NULL;
    const uint8_t *bytes = data;
    if (fino_is_gzip(bytes, nbytes)) return decode_gzip(&effective, demands, bytes, nbytes, profile_out, problem_out);
    if (nbytes > effective.nbytes_max) return -EFBIG;
    return decode_plain(&effective, demands, bytes, nbytes, profile_out, problem_out);
}

int fino_pprof_decode(const void *data, size_t nbytes, const struct fino_pprof_decode_config *config,
                      fino_pprof **profile_out, struct fino_pprof_problem *problem_out) {
    return pprof_decode(data, nbytes, config, PPROF_DECODABLE, profile_out, problem_out);
}
