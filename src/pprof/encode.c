/* encode.c: from a builder to the bytes of a profile.
 *
 *   select   counts how often each thing is referred to from the samples that gained something
 *   number   gives all that is referred to its id in the output
 *   emit     one message after another into a small buffer, from there to whoever takes the bytes
 *
 * Most of a profile is ids. Varints make those up to 127 one byte and those up to 16,383 two, so the most used
 * locations, functions and strings get these: that takes a fifth off a profile, and up to 4 % off its compressed form.
 * Within such a tier ids go in the order in which things were added, which compresses better than the order of use, as
 * what was added together is used together.
 *
 * Output is deterministic: it depends on the calls made, not on the hash seed or on addresses.
 */
#include "pprof/builder.h"
#include "pprof/output.h"
#include "pprof/schema.h"
#include "pprof/wire.h"

/* A table's way into the output, by id in the builder. */
struct numbering {
    uint32_t *ids;   /* 0, or what it is called in the output. While selecting: how often it is referred to */
    uint32_t *order; /* what the output calls 1, 2, 3, ... */
    uint32_t table_count;
    uint32_t count; /* in the output */
};

/* The bytes of a label set, which many samples have in common. */
struct piece {
    size_t begin; /* in label_bytes */
    size_t nbytes;
    bool is_used;
};

/* The header's strings as ids in EXTRA. */
struct header_strings {
    uint32_t drop_frames, keep_frames, default_sample_type, doc_url;
    struct pprof_value_type period_type;
    uint32_t *comments;
};

struct encoder {
    const fino_pprof *profile;
    const fino_pprof_snapshot *since;
    const struct fino_pprof_header *header;
    const struct fino_allocator *allocator;

    struct pprof_strings extra; /* the header's strings, kept out of the builder so that it does not grow */
    struct header_strings header_strings;

    struct numbering strings; /* 0 is "" and is 0 on both sides */
    struct numbering functions, mappings, locations;
    uint32_t *extra_strings; /* by id in EXTRA: what it is called in the output */
    uint32_t *chunk_uses;    /* by id: samples that refer to it, each as often as it does */
    struct piece *label_sets;
    uint8_t *label_bytes;
    size_t label_nbytes;

    uint8_t *stack_bytes; /* scratch: the location ids of one sample */
    uint32_t depth_max;   /* of the samples in the output */
    uint8_t *value_bytes; /* scratch: the values of one sample */
    struct pprof_output output;
};

/* A location id is at most 2^32 - 1. */
#define STACK_NBYTES_PER_LOCATION 5

/* ---- Selecting ---- */

static void count_use(uint32_t *uses, uint32_t more) {
    *uses = *uses > UINT32_MAX - more ? UINT32_MAX : *uses + more;
}

static void use_string(struct encoder *e, uint32_t id) {
    count_use(&e->strings.ids[id], 1);
}

static void use_line(struct encoder *e, const struct fino_pprof_line *line) {
    if (line->function == FINO_PPROF_NONE) return;
    uint32_t *uses = &e->functions.ids[line->function];
    if (*uses == 0) {
        const struct fino_pprof_function *function = &e->profile->functions.items[line->function];
        use_string(e, function->name);
        use_string(e, function->system_name);
        use_string(e, function->filename);
    }
    count_use(uses, 1);
}

static void use_mapping(struct encoder *e, uint32_t id) {
    const struct fino_pprof_mapping *mapping = &e->profile->mappings.items[id];
    if (e->mappings.ids[id]) return;
    e->mappings.ids[id] = 1;
    use_string(e, mapping->filename);
    use_string(e, mapping->build_id);
}

static void use_location(struct encoder *e, uint32_t id, uint32_t times) {
    uint32_t *uses = &e->locations.ids[id];
    if (*uses == 0) {
        const struct pprof_location *location = &e->profile->locations.items[id];
        if (location->mapping != FINO_PPROF_NONE) use_mapping(e, location->mapping);
        for (uint32_t i = 0; i < location->line_count; i++)
            use_line(e, &e->profile->lines.items[location->line_begin + i]);
    }
    count_use(uses, times);
}

static void use_label_set(struct encoder *e, uint32_t id) {
    if (e->label_sets[id].is_used) return;
    e->label_sets[id].is_used = true;
    const struct pprof_label_set *set = &e->profile->label_sets.items[id];
    for (uint32_t i = 0; i < set->label_count; i++) {
        const struct fino_pprof_label *label = &e->profile->labels.items[set->label_begin + i];
        use_string(e, label->key);
        use_string(e, label->string != FINO_PPROF_NONE ? label->string : label->unit);
    }
}

static void select_samples(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    if (e->header->has_program && profile->mappings.count > 0) use_mapping(e, 0);
    for (uint32_t id = 0; id < profile->samples.count; id++) {
        if (!pprof_has_gain(profile, e->since, id)) continue;
        struct pprof_sample sample = pprof_sample(profile, id);
        for (uint32_t i = 0; i < sample.tail_count; i++)
            use_location(e, sample.tail[i], 1);
        for (uint32_t i = 0; i < sample.chunk_count; i++)
            count_use(&e->chunk_uses[sample.chunks[i]], 1);
        use_label_set(e, sample.label_set);
        if (sample.depth > e->depth_max) e->depth_max = sample.depth;
    }
    for (uint32_t id = 0; id < profile->chunks.count; id++)
        for (int i = 0; i < CHUNK_DEPTH && e->chunk_uses[id]; i++)
            use_location(e, profile->chunks.items[id].locations[i], e->chunk_uses[id]);
    for (uint32_t type = 0; type < profile->sample_types.count; type++) {
        use_string(e, profile->sample_types.items[type].type);
        use_string(e, profile->sample_types.items[type].unit);
    }
}

/* ---- Numbering ---- */

/* What is used most often, when only COUNT items may be chosen: those used more than LEAST times, and the first
 * LEAST_COUNT of those used LEAST times. */
struct choice {
    uint32_t least;
    uint32_t least_count;
};

/* Narrows LEAST down byte by byte, from the most significant on. COUNT is less than the number of USES. */
static struct choice choose_most_used(const uint32_t *uses, uint32_t table_count, uint32_t count) {
    uint32_t least = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        uint32_t histogram[256] = {0}, digit = 255;
        for (uint32_t i = 0; i < table_count; i++)
            if (((uint64_t)uses[i] ^ least) >> shift >> 8 == 0) histogram[uses[i] >> shift & 255]++;
        for (; count > histogram[digit]; digit--)
            count -= histogram[digit];
        least |= digit << shift;
    }
    return (struct choice){least, count};
}

static void give_id(struct numbering *numbering, uint32_t item) {
    numbering->order[numbering->count++] = item;
    numbering->ids[item] = 0; /* it has been chosen */
}

/* Turns uses into ids: see the top. */
static void number_by_use(struct numbering *numbering) {
    uint32_t *uses = numbering->ids, left = 0;
    for (uint32_t i = 0; i < numbering->table_count; i++)
        left += uses[i] != 0;
    for (uint32_t tier_end = 127; left > 0; tier_end = tier_end < UINT32_MAX >> 7 ? tier_end << 7 | 127 : UINT32_MAX) {
        uint32_t room = tier_end - numbering->count;
        struct choice choice = {0, 0};
        if (room < left) choice = choose_most_used(uses, numbering->table_count, room);
        for (uint32_t i = 0; i < numbering->table_count; i++) {
            if (uses[i] > choice.least || (uses[i] == choice.least && choice.least_count > 0)) {
                choice.least_count -= uses[i] == choice.least;
                give_id(numbering, i);
                left--;
            }
        }
    }
    for (uint32_t i = 0; i < numbering->count; i++)
        numbering->ids[numbering->order[i]] = i + 1;
}

/* Mappings are few, and the first one must stay the first. */
static void number_as_added(struct numbering *numbering) {
    for (uint32_t i = 0; i < numbering->table_count; i++) {
        if (numbering->ids[i] == 0) continue;
        numbering->order[numbering->count++] = i;
        numbering->ids[i] = numbering->count;
    }
}

/* Strings of the header that the builder has too take its ids, the others follow. */
static void number_strings(struct encoder *e) {
    const struct pprof_strings *strings = &e->profile->strings;
    for (uint32_t i = 0; i < e->extra.list.count; i++) {
        uint32_t id = pprof_strings_find(strings, &e->extra.list.items[i]);
        if (id != FINO_PPROF_NONE) use_string(e, id);
    }
    e->strings.ids[0] = 0;
    number_by_use(&e->strings);
    uint32_t next = e->strings.count + 1;
    for (uint32_t i = 0; i < e->extra.list.count; i++) {
        uint32_t id = pprof_strings_find(strings, &e->extra.list.items[i]);
        e->extra_strings[i] = id != FINO_PPROF_NONE ? e->strings.ids[id] : next++;
    }
}

static void number_all(struct encoder *e) {
    number_strings(e);
    number_by_use(&e->functions);
    number_by_use(&e->locations);
    number_as_added(&e->mappings);
}

/* ---- Messages: one function each, which counts without a buffer and writes with one ---- */

typedef void emit_body(struct encoder *e, struct pprof_writer *writer, uint32_t item);

/* A nested message: its size by counting, then the message. */
static void emit_message(struct encoder *e, struct pprof_writer *writer, uint32_t field, emit_body *emit,
                         uint32_t item) {
    struct pprof_writer counter = {0};
    emit(e, &counter, item);
    wire_head(writer, field, counter.nbytes);
    if (writer->out)
        emit(e, writer, item);
    else
        writer->nbytes += counter.nbytes;
}

static void emit_sample_type(struct encoder *e, struct pprof_writer *writer, uint32_t type) {
    wire_field(writer, VALUE_TYPE_TYPE, e->strings.ids[e->profile->sample_types.items[type].type]);
    wire_field(writer, VALUE_TYPE_UNIT, e->strings.ids[e->profile->sample_types.items[type].unit]);
}

static void emit_period_type(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    (void)item;
    wire_field(writer, VALUE_TYPE_TYPE, e->extra_strings[e->header_strings.period_type.type]);
    wire_field(writer, VALUE_TYPE_UNIT, e->extra_strings[e->header_strings.period_type.unit]);
}

static void emit_label(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    const struct fino_pprof_label *label = &e->profile->labels.items[item];
    wire_field(writer, LABEL_KEY, e->strings.ids[label->key]);
    if (label->string != FINO_PPROF_NONE) {
        wire_field(writer, LABEL_STR, e->strings.ids[label->string]);
    } else {
        wire_field(writer, LABEL_NUM, (uint64_t)label->number);
        wire_field(writer, LABEL_NUM_UNIT, e->strings.ids[label->unit]);
    }
}

static void emit_label_set(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct pprof_label_set *set = &e->profile->label_sets.items[id];
    for (uint32_t i = 0; i < set->label_count; i++)
        emit_message(e, writer, SAMPLE_LABEL, emit_label, set->label_begin + i);
}

static void emit_mapping(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct fino_pprof_mapping *mapping = &e->profile->mappings.items[id];
    wire_field(writer, MAPPING_ID, e->mappings.ids[id]);
    wire_field(writer, MAPPING_MEMORY_START, mapping->memory_start);
    wire_field(writer, MAPPING_MEMORY_LIMIT, mapping->memory_limit);
    wire_field(writer, MAPPING_FILE_OFFSET, mapping->file_offset);
    wire_field(writer, MAPPING_FILENAME, e->strings.ids[mapping->filename]);
    wire_field(writer, MAPPING_BUILD_ID, e->strings.ids[mapping->build_id]);
    wire_field(writer, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    wire_field(writer, MAPPING_HAS_FILENAMES, mapping->has_filenames);
    wire_field(writer, MAPPING_HAS_LINE_NUMBERS, mapping->has_line_numbers);
    wire_field(writer, MAPPING_HAS_INLINE_FRAMES, mapping->has_inline_frames);
}

static void emit_line(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    const struct fino_pprof_line *line = &e->profile->lines.items[item];
    if (line->function != FINO_PPROF_NONE) wire_field(writer, LINE_FUNCTION_ID, e->functions.ids[line->function]);
    wire_field(writer, LINE_LINE, (uint64_t)line->line);
    wire_field(writer, LINE_COLUMN, (uint64_t)line->column);
}

static void emit_location(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct pprof_location *location = &e->profile->locations.items[id];
    wire_field(writer, LOCATION_ID, e->locations.ids[id]);
    if (location->mapping != FINO_PPROF_NONE)
        wire_field(writer, LOCATION_MAPPING_ID, e->mappings.ids[location->mapping]);
    wire_field(writer, LOCATION_ADDRESS, location->address);
    for (uint32_t i = 0; i < location->line_count; i++)
        emit_message(e, writer, LOCATION_LINE, emit_line, location->line_begin + i);
    wire_field(writer, LOCATION_IS_FOLDED, location->is_folded);
}

static void emit_function(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct fino_pprof_function *function = &e->profile->functions.items[id];
    wire_field(writer, FUNCTION_ID, e->functions.ids[id]);
    wire_field(writer, FUNCTION_NAME, e->strings.ids[function->name]);
    wire_field(writer, FUNCTION_SYSTEM_NAME, e->strings.ids[function->system_name]);
    wire_field(writer, FUNCTION_FILENAME, e->strings.ids[function->filename]);
    wire_field(writer, FUNCTION_START_LINE, (uint64_t)function->start_line);
}

/* The fields of Profile that are not tables. */
static void emit_header(struct encoder *e, struct pprof_writer *writer) {
    const struct fino_pprof_header *header = e->header;
    const struct header_strings *strings = &e->header_strings;
    wire_field(writer, PROFILE_DROP_FRAMES, e->extra_strings[strings->drop_frames]);
    wire_field(writer, PROFILE_KEEP_FRAMES, e->extra_strings[strings->keep_frames]);
    wire_field(writer, PROFILE_TIME_NANOS, (uint64_t)header->time_nanos);
    wire_field(writer, PROFILE_DURATION_NANOS, (uint64_t)header->duration_nanos);
    if (strings->period_type.type || strings->period_type.unit)
        emit_message(e, writer, PROFILE_PERIOD_TYPE, emit_period_type, 0);
    wire_field(writer, PROFILE_PERIOD, (uint64_t)header->period);
    if (header->comment_count) {
        struct pprof_writer counter = {0};
        for (size_t i = 0; i < header->comment_count; i++)
            wire_varint(&counter, e->extra_strings[strings->comments[i]]);
        wire_head(writer, PROFILE_COMMENT, counter.nbytes);
        for (size_t i = 0; i < header->comment_count; i++)
            wire_varint(writer, e->extra_strings[strings->comments[i]]);
    }
    wire_field(writer, PROFILE_DEFAULT_SAMPLE_TYPE, e->extra_strings[strings->default_sample_type]);
    wire_field(writer, PROFILE_DOC_URL, e->extra_strings[strings->doc_url]);
}

/* ---- The profile ---- */

/* A message of its own: counted, then written where there is room for it. */
static void put_message(struct encoder *e, uint32_t field, emit_body *emit, uint32_t item) {
    struct pprof_writer counter = {0}, head = {0}, writer = {0};
    emit(e, &counter, item);
    wire_head(&head, field, counter.nbytes);
    writer.out = pprof_output_room(&e->output, head.nbytes + counter.nbytes);
    if (!writer.out) return;
    wire_head(&writer, field, counter.nbytes);
    emit(e, &writer, item);
}

static void put_numbered(struct encoder *e, uint32_t field, emit_body *emit, const struct numbering *numbering) {
    for (uint32_t i = 0; i < numbering->count; i++)
        put_message(e, field, emit, numbering->order[i]);
}

/* Writes the stack's location ids to the scratch. Returns: their end. */
static uint8_t *spell_stack(struct encoder *e, const struct pprof_sample *sample) {
    uint8_t *out = e->stack_bytes;
    for (uint32_t i = 0; i < sample->tail_count; i++)
        out = wire_put_varint(out, e->locations.ids[sample->tail[i]]);
    for (uint32_t i = 0; i < sample->chunk_count; i++) {
        const struct pprof_chunk *chunk = &e->profile->chunks.items[sample->chunks[i]];
        for (int at = 0; at < CHUNK_DEPTH; at++)
            out = wire_put_varint(out, e->locations.ids[chunk->locations[at]]);
    }
    return out;
}

static void emit_values(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    for (uint32_t type = 0; type < e->profile->sample_types.count; type++)
        wire_varint(writer, (uint64_t)pprof_gain(e->profile, e->since, id, type));
}

static void put_sample(struct encoder *e, uint32_t id) {
    struct pprof_writer values = {.out = e->value_bytes}, heads = {0}, head = {0}, writer = {0};
    struct pprof_sample sample = pprof_sample(e->profile, id);
    const struct piece *labels = &e->label_sets[sample.label_set];
    size_t stack_nbytes = (size_t)(spell_stack(e, &sample) - e->stack_bytes);
    emit_values(e, &values, id);

    if (sample.depth) wire_head(&heads, SAMPLE_LOCATION_ID, stack_nbytes);
    wire_head(&heads, SAMPLE_VALUE, values.nbytes);
    size_t body_nbytes = heads.nbytes + stack_nbytes + values.nbytes + labels->nbytes;
    wire_head(&head, PROFILE_SAMPLE, body_nbytes);

    writer.out = pprof_output_room(&e->output, head.nbytes + body_nbytes);
    if (!writer.out) return;
    wire_head(&writer, PROFILE_SAMPLE, body_nbytes);
    if (sample.depth) wire_bytes(&writer, SAMPLE_LOCATION_ID, e->stack_bytes, stack_nbytes);
    wire_bytes(&writer, SAMPLE_VALUE, e->value_bytes, values.nbytes);
    wire_raw(&writer, e->label_bytes + labels->begin, labels->nbytes);
}

static void put_string(struct encoder *e, const struct pprof_string *string) {
    uint8_t head_bytes[2 * WIRE_VARINT_NBYTES_MAX];
    struct pprof_writer head = {.out = head_bytes};
    wire_head(&head, PROFILE_STRING_TABLE, string->nbytes);
    pprof_output_bytes(&e->output, head_bytes, head.nbytes);
    pprof_output_bytes(&e->output, string->text, string->nbytes);
}

/* "", the builder's by their ids, then what only the header says. */
static void put_strings(struct encoder *e) {
    put_string(e, &e->profile->strings.list.items[0]);
    for (uint32_t i = 0; i < e->strings.count; i++)
        put_string(e, &e->profile->strings.list.items[e->strings.order[i]]);
    for (uint32_t i = 0, next = e->strings.count + 1; i < e->extra.list.count; i++)
        if (e->extra_strings[i] == next) put_string(e, &e->extra.list.items[i]), next++;
}

static void put_header(struct encoder *e) {
    struct pprof_writer counter = {0}, writer = {0};
    emit_header(e, &counter);
    writer.out = pprof_output_room(&e->output, counter.nbytes);
    if (writer.out) emit_header(e, &writer);
}

static void put_profile(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    for (uint32_t type = 0; type < profile->sample_types.count; type++)
        put_message(e, PROFILE_SAMPLE_TYPE, emit_sample_type, type);
    for (uint32_t id = 0; id < profile->samples.count && !e->output.error; id++)
        if (pprof_has_gain(profile, e->since, id)) put_sample(e, id);
    put_numbered(e, PROFILE_MAPPING, emit_mapping, &e->mappings);
    put_numbered(e, PROFILE_LOCATION, emit_location, &e->locations);
    put_numbered(e, PROFILE_FUNCTION, emit_function, &e->functions);
    put_strings(e);
    put_header(e);
}

/* ---- The encoder's own memory ---- */

static bool intern_header_string(struct encoder *e, const char *text, uint32_t *id_out) {
    *id_out = text ? pprof_strings_intern(e->allocator, &e->extra, text, pprof_text_nbytes(text)) : 0;
    return *id_out != FINO_PPROF_NONE;
}

static bool intern_header(struct encoder *e) {
    const struct fino_pprof_header *header = e->header;
    struct header_strings *strings = &e->header_strings;
    if (!intern_header_string(e, header->drop_frames, &strings->drop_frames) ||
        !intern_header_string(e, header->keep_frames, &strings->keep_frames) ||
        !intern_header_string(e, header->default_sample_type, &strings->default_sample_type) ||
        !intern_header_string(e, header->doc_url, &strings->doc_url) ||
        !intern_header_string(e, header->period_type.type, &strings->period_type.type) ||
        !intern_header_string(e, header->period_type.unit, &strings->period_type.unit))
        return false;
    if (header->comment_count == 0) return true;
    strings->comments = pprof_alloc(e->allocator, header->comment_count, sizeof *strings->comments);
    if (!strings->comments) return false;
    for (size_t i = 0; i < header->comment_count; i++)
        if (!intern_header_string(e, header->comments[i], &strings->comments[i])) return false;
    return true;
}

static bool new_numbering(struct encoder *e, struct numbering *numbering, uint32_t table_count) {
    numbering->table_count = table_count;
    numbering->ids = pprof_alloc_zeroed(e->allocator, (size_t)table_count + 1, sizeof *numbering->ids);
    numbering->order = pprof_alloc(e->allocator, (size_t)table_count + 1, sizeof *numbering->order);
    return numbering->ids && numbering->order;
}

static void free_numbering(struct encoder *e, struct numbering *numbering) {
    pprof_free(e->allocator, numbering->ids, (size_t)numbering->table_count + 1, sizeof *numbering->ids);
    pprof_free(e->allocator, numbering->order, (size_t)numbering->table_count + 1, sizeof *numbering->order);
}

/* One more than needed each: an allocation is never empty. */
static bool allocate(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    if (!pprof_strings_init(e->allocator, &e->extra, profile->seed) || !intern_header(e)) return false;
    e->extra_strings = pprof_alloc_zeroed(e->allocator, e->extra.list.count, sizeof *e->extra_strings);
    e->chunk_uses = pprof_alloc_zeroed(e->allocator, (size_t)profile->chunks.count + 1, sizeof *e->chunk_uses);
    e->label_sets = pprof_alloc_zeroed(e->allocator, profile->label_sets.count, sizeof *e->label_sets);
    return e->extra_strings && e->chunk_uses && e->label_sets &&
           new_numbering(e, &e->strings, profile->strings.list.count) &&
           new_numbering(e, &e->functions, profile->functions.count) &&
           new_numbering(e, &e->mappings, profile->mappings.count) &&
           new_numbering(e, &e->locations, profile->locations.count);
}

static void release(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    pprof_free(e->allocator, e->value_bytes, (size_t)profile->sample_types.count + 1, WIRE_VARINT_NBYTES_MAX);
    pprof_free(e->allocator, e->stack_bytes, (size_t)e->depth_max + 1, STACK_NBYTES_PER_LOCATION);
    pprof_free(e->allocator, e->label_bytes, e->label_nbytes + 1, 1);
    free_numbering(e, &e->locations);
    free_numbering(e, &e->mappings);
    free_numbering(e, &e->functions);
    free_numbering(e, &e->strings);
    pprof_free(e->allocator, e->label_sets, profile->label_sets.count, sizeof *e->label_sets);
    pprof_free(e->allocator, e->chunk_uses, (size_t)profile->chunks.count + 1, sizeof *e->chunk_uses);
    pprof_free(e->allocator, e->extra_strings, e->extra.list.count, sizeof *e->extra_strings);
    pprof_free(e->allocator, e->header_strings.comments, e->header->comment_count, sizeof(uint32_t));
    pprof_strings_free(e->allocator, &e->extra);
}

/* Writes each label set that is used once, for its samples to copy. Counts first. */
static bool write_label_sets(struct encoder *e) {
    struct pprof_writer counter = {0}, writer = {0};
    uint32_t count = e->profile->label_sets.count;
    for (uint32_t id = 0; id < count; id++)
        if (e->label_sets[id].is_used) emit_label_set(e, &counter, id);
    writer.out = e->label_bytes = pprof_alloc(e->allocator, counter.nbytes + 1, 1);
    if (!writer.out) return false;
    e->label_nbytes = counter.nbytes;
    for (uint32_t id = 0; id < count; id++) {
        e->label_sets[id].begin = writer.nbytes;
        if (e->label_sets[id].is_used) emit_label_set(e, &writer, id);
        e->label_sets[id].nbytes = writer.nbytes - e->label_sets[id].begin;
    }
    return true;
}

static bool prepare(struct encoder *e) {
    if (!allocate(e)) return false;
    select_samples(e);
    number_all(e);
    e->stack_bytes = pprof_alloc(e->allocator, (size_t)e->depth_max + 1, STACK_NBYTES_PER_LOCATION);
    e->value_bytes = pprof_alloc(e->allocator, (size_t)e->profile->sample_types.count + 1, WIRE_VARINT_NBYTES_MAX);
    return e->stack_bytes && e->value_bytes && write_label_sets(e);
}

/* ---- The interface ---- */

static int encode(const fino_pprof *profile, const fino_pprof_snapshot *since, const struct fino_pprof_header *header,
                  int gzip_level, pprof_write *write, void *context) {
    static const struct fino_pprof_header no_header;
    struct encoder encoder = {
        .profile = profile,
        .since = since,
        .header = header ? header : &no_header,
        .allocator = &profile->allocator,
    };
    int error = -ENOMEM;
    if (prepare(&encoder)) {
        pprof_output_open(&encoder.output, encoder.allocator, gzip_level, write, context);
        put_profile(&encoder);
        error = pprof_output_close(&encoder.output);
    }
    release(&encoder);
    return error;
}

static void copy_program(fino_pprof *into, const fino_pprof *from) {
    if (from->mappings.count == 0) return;
    struct fino_pprof_mapping mapping = from->mappings.items[0];
    const struct pprof_string *filename = &from->strings.list.items[mapping.filename];
    const struct pprof_string *build_id = &from->strings.list.items[mapping.build_id];
    mapping.filename = fino_pprof_string(into, filename->text, filename->nbytes);
    mapping.build_id = fino_pprof_string(into, build_id->text, build_id->nbytes);
    fino_pprof_add_mapping(into, &mapping);
}

/* Locations that became equal make stacks equal: the samples are gathered anew in a second builder first. */
static int encode_gathered(const fino_pprof *profile, const fino_pprof_snapshot *since,
                           const struct fino_pprof_header *header, int gzip_level, pprof_write *write, void *context) {
    fino_pprof *gathered = pprof_new_alike(profile);
    if (!gathered) return -ENOMEM;
    if (header && header->has_program) copy_program(gathered, profile);
    int error = fino_pprof_merge(gathered, profile, since, FINO_PPROF_ADD);
    if (error == 0) error = encode(gathered, NULL, header, gzip_level, write, context);
    fino_pprof_free(gathered);
    return error;
}

int fino_pprof_write(const fino_pprof *profile, const fino_pprof_snapshot *since,
                     const struct fino_pprof_header *header, int gzip_level,
                     int (*write)(void *context, const void *data, size_t nbytes), void *context) {
    if (profile->error) return profile->error;
    if (gzip_level < 0 || gzip_level > 12) return -EINVAL;
    return (profile->same_count ? encode_gathered : encode)(profile, since, header, gzip_level, write, context);
}

int fino_pprof_encode(fino_pprof *profile, const fino_pprof_snapshot *since, const struct fino_pprof_header *header,
                      int gzip_level, uint8_t **data_out, size_t *nbytes_out) {
    struct pprof_collector collector = {.allocator = &profile->allocator};
    int error = fino_pprof_write(profile, since, header, gzip_level, pprof_collect, &collector);
    uint8_t *data = pprof_collector_finish(&collector);
    *data_out = NULL, *nbytes_out = 0;
    if (!error && !data) error = -ENOMEM;
    if (error) {
        pprof_free(&profile->allocator, data, collector.nbytes, 1);
        return error;
    }
    *data_out = data, *nbytes_out = collector.nbytes;
    return 0;
}

void fino_pprof_bytes_free(fino_pprof *profile, uint8_t *data, size_t nbytes) {
    pprof_free(&profile->allocator, data, nbytes, 1);
}
