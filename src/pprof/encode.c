/* encode.c: from a builder to the bytes of a profile.
 *
 * Three passes over what is there, none over intermediate objects:
 *   select   marks what the samples that gained something refer to
 *   number   gives all that is marked its id in the output, dense and in the order it was added
 *   emit     twice: once to count, once into a buffer of exactly that size
 *
 * Most of a profile is the location ids of its samples. A chunk of a stack (builder.h) is spelled out once; samples
 * that share it copy the bytes, so the work is near that of memcpy. Label sets are treated the same way.
 *
 * Output is deterministic: it depends on the calls made, not on the hash seed or on addresses.
 */
#include "pprof/builder.h"
#include "pprof/schema.h"
#include "pprof/wire.h"

#include <errno.h>
#include <string.h>

/* Bytes that many samples have in common. */
struct piece {
    size_t nbytes;     /* 0: nothing refers to it. While selecting: any other number for "marked" */
    size_t written_at; /* 0: not yet. (Nothing shared begins at 0.) */
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

    /* By id in the builder: 0 or the id in the output. (Strings: 0 is "", whose id is 0 on both sides.) */
    uint32_t *strings, *functions, *mappings, *locations;
    uint32_t *extra_strings;
    struct piece *chunks, *label_sets;
};

/* ---- Selecting ---- */

static void mark_line(struct encoder *e, const struct fino_pprof_line *line) {
    if (line->function == FINO_PPROF_NONE) return;
    const struct fino_pprof_function *function = &e->profile->functions.items[line->function];
    e->functions[line->function] = 1;
    e->strings[function->name] = e->strings[function->system_name] = e->strings[function->filename] = 1;
}

static void mark_mapping(struct encoder *e, uint32_t id) {
    const struct fino_pprof_mapping *mapping = &e->profile->mappings.items[id];
    e->mappings[id] = 1;
    e->strings[mapping->filename] = e->strings[mapping->build_id] = 1;
}

static void mark_location(struct encoder *e, uint32_t id) {
    if (e->locations[id]) return;
    e->locations[id] = 1;
    const struct pprof_location *location = &e->profile->locations.items[id];
    if (location->mapping != FINO_PPROF_NONE) mark_mapping(e, location->mapping);
    for (uint32_t i = 0; i < location->line_count; i++)
        mark_line(e, &e->profile->lines.items[location->line_begin + i]);
}

static void mark_label_set(struct encoder *e, uint32_t id) {
    if (e->label_sets[id].nbytes) return;
    e->label_sets[id].nbytes = 1;
    const struct pprof_label_set *set = &e->profile->label_sets.items[id];
    for (uint32_t i = 0; i < set->label_count; i++) {
        const struct fino_pprof_label *label = &e->profile->labels.items[set->label_begin + i];
        e->strings[label->key] = 1;
        e->strings[label->string != FINO_PPROF_NONE ? label->string : label->unit] = 1;
    }
}

static void select_samples(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    if (e->header->has_program && profile->mappings.count > 0) mark_mapping(e, 0);
    for (uint32_t id = 0; id < profile->samples.count; id++) {
        if (!pprof_has_gain(profile, e->since, id)) continue;
        struct pprof_sample sample = pprof_sample(profile, id);
        for (uint32_t i = 0; i < sample.tail_count; i++)
            mark_location(e, sample.tail[i]);
        for (uint32_t i = 0; i < sample.chunk_count; i++)
            e->chunks[sample.chunks[i]].nbytes = 1;
        mark_label_set(e, sample.label_set);
    }
    for (uint32_t id = 0; id < profile->chunks.count; id++)
        for (int i = 0; i < CHUNK_DEPTH && e->chunks[id].nbytes; i++)
            mark_location(e, profile->chunks.items[id].locations[i]);
    for (uint32_t type = 0; type < profile->sample_types.count; type++) {
        e->strings[profile->sample_types.items[type].type] = 1;
        e->strings[profile->sample_types.items[type].unit] = 1;
    }
}

/* ---- Numbering ---- */

/* Turns marks into ids FIRST, FIRST + 1, ... Returns: the id after the last. */
static uint32_t number(uint32_t *ids, uint32_t count, uint32_t first) {
    for (uint32_t i = 0; i < count; i++)
        if (ids[i]) ids[i] = first++;
    return first;
}

/* Strings of the header that the builder has too take its ids. */
static void number_strings(struct encoder *e) {
    const struct pprof_strings *strings = &e->profile->strings;
    for (uint32_t i = 0; i < e->extra.list.count; i++) {
        uint32_t id = pprof_strings_find(strings, &e->extra.list.items[i]);
        if (id != FINO_PPROF_NONE) e->strings[id] = 1;
    }
    e->strings[0] = 0;
    uint32_t next = number(e->strings, strings->list.count, 1);
    for (uint32_t i = 0; i < e->extra.list.count; i++) {
        uint32_t id = pprof_strings_find(strings, &e->extra.list.items[i]);
        e->extra_strings[i] = id != FINO_PPROF_NONE ? e->strings[id] : next++;
    }
}

static void number_all(struct encoder *e) {
    number_strings(e);
    number(e->functions, e->profile->functions.count, 1);
    number(e->mappings, e->profile->mappings.count, 1);
    number(e->locations, e->profile->locations.count, 1);
}

/* ---- Emitting: one function per message, for counting and for writing ---- */

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
    wire_field(writer, VALUE_TYPE_TYPE, e->strings[e->profile->sample_types.items[type].type]);
    wire_field(writer, VALUE_TYPE_UNIT, e->strings[e->profile->sample_types.items[type].unit]);
}

static void emit_period_type(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    (void)item;
    wire_field(writer, VALUE_TYPE_TYPE, e->extra_strings[e->header_strings.period_type.type]);
    wire_field(writer, VALUE_TYPE_UNIT, e->extra_strings[e->header_strings.period_type.unit]);
}

static void emit_label(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    const struct fino_pprof_label *label = &e->profile->labels.items[item];
    wire_field(writer, LABEL_KEY, e->strings[label->key]);
    if (label->string != FINO_PPROF_NONE) {
        wire_field(writer, LABEL_STR, e->strings[label->string]);
    } else {
        wire_field(writer, LABEL_NUM, (uint64_t)label->number);
        wire_field(writer, LABEL_NUM_UNIT, e->strings[label->unit]);
    }
}

/* Spells a label set out the first time, copies it afterwards. */
static void emit_label_set(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    struct piece *piece = &e->label_sets[id];
    const struct pprof_label_set *set = &e->profile->label_sets.items[id];
    size_t begin = writer->nbytes;
    if (writer->out && piece->written_at) {
        memcpy(writer->out + begin, writer->out + piece->written_at, piece->nbytes);
        writer->nbytes += piece->nbytes;
        return;
    }
    for (uint32_t i = 0; i < set->label_count; i++)
        emit_message(e, writer, SAMPLE_LABEL, emit_label, set->label_begin + i);
    if (writer->out) piece->written_at = begin;
}

/* The same for a chunk; only ever writes. */
static void emit_chunk(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    struct piece *piece = &e->chunks[id];
    if (piece->written_at) {
        memcpy(writer->out + writer->nbytes, writer->out + piece->written_at, piece->nbytes);
        writer->nbytes += piece->nbytes;
        return;
    }
    piece->written_at = writer->nbytes;
    for (int i = 0; i < CHUNK_DEPTH; i++)
        wire_varint(writer, e->locations[e->profile->chunks.items[id].locations[i]]);
}

static size_t stack_nbytes(const struct encoder *e, const struct pprof_sample *sample) {
    size_t nbytes = 0;
    for (uint32_t i = 0; i < sample->tail_count; i++)
        nbytes += wire_varint_nbytes(e->locations[sample->tail[i]]);
    for (uint32_t i = 0; i < sample->chunk_count; i++)
        nbytes += e->chunks[sample->chunks[i]].nbytes;
    return nbytes;
}

static void emit_stack(struct encoder *e, struct pprof_writer *writer, const struct pprof_sample *sample) {
    for (uint32_t i = 0; i < sample->tail_count; i++)
        wire_varint(writer, e->locations[sample->tail[i]]);
    for (uint32_t i = 0; i < sample->chunk_count; i++)
        emit_chunk(e, writer, sample->chunks[i]);
}

static void emit_values(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    for (uint32_t type = 0; type < e->profile->sample_types.count; type++)
        wire_varint(writer, (uint64_t)pprof_gain(e->profile, e->since, id, type));
}

static void emit_sample(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    struct pprof_sample sample = pprof_sample(e->profile, id);
    struct pprof_writer values = {0}, heads = {0};
    size_t locations_nbytes = stack_nbytes(e, &sample);
    emit_values(e, &values, id);
    if (sample.depth) wire_head(&heads, SAMPLE_LOCATION_ID, locations_nbytes);
    wire_head(&heads, SAMPLE_VALUE, values.nbytes);
    size_t body_nbytes = heads.nbytes + locations_nbytes + values.nbytes + e->label_sets[sample.label_set].nbytes;

    wire_head(writer, PROFILE_SAMPLE, body_nbytes);
    if (!writer->out) {
        writer->nbytes += body_nbytes;
        return;
    }
    if (sample.depth) {
        wire_head(writer, SAMPLE_LOCATION_ID, locations_nbytes);
        emit_stack(e, writer, &sample);
    }
    wire_head(writer, SAMPLE_VALUE, values.nbytes);
    emit_values(e, writer, id);
    emit_label_set(e, writer, sample.label_set);
}

static void emit_mapping(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct fino_pprof_mapping *mapping = &e->profile->mappings.items[id];
    wire_field(writer, MAPPING_ID, e->mappings[id]);
    wire_field(writer, MAPPING_MEMORY_START, mapping->memory_start);
    wire_field(writer, MAPPING_MEMORY_LIMIT, mapping->memory_limit);
    wire_field(writer, MAPPING_FILE_OFFSET, mapping->file_offset);
    wire_field(writer, MAPPING_FILENAME, e->strings[mapping->filename]);
    wire_field(writer, MAPPING_BUILD_ID, e->strings[mapping->build_id]);
    wire_field(writer, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    wire_field(writer, MAPPING_HAS_FILENAMES, mapping->has_filenames);
    wire_field(writer, MAPPING_HAS_LINE_NUMBERS, mapping->has_line_numbers);
    wire_field(writer, MAPPING_HAS_INLINE_FRAMES, mapping->has_inline_frames);
}

static void emit_line(struct encoder *e, struct pprof_writer *writer, uint32_t item) {
    const struct fino_pprof_line *line = &e->profile->lines.items[item];
    if (line->function != FINO_PPROF_NONE) wire_field(writer, LINE_FUNCTION_ID, e->functions[line->function]);
    wire_field(writer, LINE_LINE, (uint64_t)line->line);
    wire_field(writer, LINE_COLUMN, (uint64_t)line->column);
}

static void emit_location(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct pprof_location *location = &e->profile->locations.items[id];
    wire_field(writer, LOCATION_ID, e->locations[id]);
    if (location->mapping != FINO_PPROF_NONE) wire_field(writer, LOCATION_MAPPING_ID, e->mappings[location->mapping]);
    wire_field(writer, LOCATION_ADDRESS, location->address);
    for (uint32_t i = 0; i < location->line_count; i++)
        emit_message(e, writer, LOCATION_LINE, emit_line, location->line_begin + i);
    wire_field(writer, LOCATION_IS_FOLDED, location->is_folded);
}

static void emit_function(struct encoder *e, struct pprof_writer *writer, uint32_t id) {
    const struct fino_pprof_function *function = &e->profile->functions.items[id];
    wire_field(writer, FUNCTION_ID, e->functions[id]);
    wire_field(writer, FUNCTION_NAME, e->strings[function->name]);
    wire_field(writer, FUNCTION_SYSTEM_NAME, e->strings[function->system_name]);
    wire_field(writer, FUNCTION_FILENAME, e->strings[function->filename]);
    wire_field(writer, FUNCTION_START_LINE, (uint64_t)function->start_line);
}

/* In the order of their ids: the builder's own, then what only the header says. */
static void emit_strings(struct encoder *e, struct pprof_writer *writer) {
    const struct pprof_strings *strings = &e->profile->strings;
    uint32_t next = 1;
    wire_bytes(writer, PROFILE_STRING_TABLE, NULL, 0);
    for (uint32_t i = 1; i < strings->list.count; i++) {
        if (!e->strings[i]) continue;
        wire_bytes(writer, PROFILE_STRING_TABLE, strings->list.items[i].text, strings->list.items[i].nbytes);
        next++;
    }
    for (uint32_t i = 0; i < e->extra.list.count; i++) {
        if (e->extra_strings[i] != next) continue;
        wire_bytes(writer, PROFILE_STRING_TABLE, e->extra.list.items[i].text, e->extra.list.items[i].nbytes);
        next++;
    }
}

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

/* Emits FIELD once for each of COUNT items that has an id in the output. */
static void emit_numbered(struct encoder *e, struct pprof_writer *writer, uint32_t field, emit_body *emit,
                          const uint32_t *ids, uint32_t count) {
    for (uint32_t id = 0; id < count; id++)
        if (ids[id]) emit_message(e, writer, field, emit, id);
}

static void emit_profile(struct encoder *e, struct pprof_writer *writer) {
    const fino_pprof *profile = e->profile;
    for (uint32_t type = 0; type < profile->sample_types.count; type++)
        emit_message(e, writer, PROFILE_SAMPLE_TYPE, emit_sample_type, type);
    for (uint32_t id = 0; id < profile->samples.count; id++)
        if (pprof_has_gain(profile, e->since, id)) emit_sample(e, writer, id);
    emit_numbered(e, writer, PROFILE_MAPPING, emit_mapping, e->mappings, profile->mappings.count);
    emit_numbered(e, writer, PROFILE_LOCATION, emit_location, e->locations, profile->locations.count);
    emit_numbered(e, writer, PROFILE_FUNCTION, emit_function, e->functions, profile->functions.count);
    emit_strings(e, writer);
    emit_header(e, writer);
}

static void measure_pieces(struct encoder *e) {
    for (uint32_t id = 0; id < e->profile->chunks.count; id++) {
        size_t nbytes = 0;
        for (int i = 0; i < CHUNK_DEPTH && e->chunks[id].nbytes; i++)
            nbytes += wire_varint_nbytes(e->locations[e->profile->chunks.items[id].locations[i]]);
        e->chunks[id].nbytes = nbytes;
    }
    for (uint32_t id = 0; id < e->profile->label_sets.count; id++) {
        struct pprof_writer counter = {0};
        if (e->label_sets[id].nbytes) emit_label_set(e, &counter, id);
        e->label_sets[id].nbytes = counter.nbytes;
    }
}

/* ---- The encoder's own memory ---- */

static bool intern_header_string(struct encoder *e, const char *text, uint32_t *id_out) {
    *id_out = text ? pprof_strings_intern(e->allocator, &e->extra, text, strlen(text)) : 0;
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

/* One more than needed each: an allocation is never empty. */
static bool allocate(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    if (!pprof_strings_init(e->allocator, &e->extra, profile->seed) || !intern_header(e)) return false;
    e->extra_strings = pprof_alloc_zeroed(e->allocator, e->extra.list.count, sizeof *e->extra_strings);
    e->strings = pprof_alloc_zeroed(e->allocator, profile->strings.list.count, sizeof *e->strings);
    e->functions = pprof_alloc_zeroed(e->allocator, profile->functions.count + 1, sizeof *e->functions);
    e->mappings = pprof_alloc_zeroed(e->allocator, profile->mappings.count + 1, sizeof *e->mappings);
    e->locations = pprof_alloc_zeroed(e->allocator, profile->locations.count + 1, sizeof *e->locations);
    e->chunks = pprof_alloc_zeroed(e->allocator, profile->chunks.count + 1, sizeof *e->chunks);
    e->label_sets = pprof_alloc_zeroed(e->allocator, profile->label_sets.count, sizeof *e->label_sets);
    return e->extra_strings && e->strings && e->functions && e->mappings && e->locations && e->chunks && e->label_sets;
}

static void release(struct encoder *e) {
    const fino_pprof *profile = e->profile;
    pprof_free(e->allocator, e->label_sets, profile->label_sets.count, sizeof *e->label_sets);
    pprof_free(e->allocator, e->chunks, profile->chunks.count + 1, sizeof *e->chunks);
    pprof_free(e->allocator, e->locations, profile->locations.count + 1, sizeof *e->locations);
    pprof_free(e->allocator, e->mappings, profile->mappings.count + 1, sizeof *e->mappings);
    pprof_free(e->allocator, e->functions, profile->functions.count + 1, sizeof *e->functions);
    pprof_free(e->allocator, e->strings, profile->strings.list.count, sizeof *e->strings);
    pprof_free(e->allocator, e->extra_strings, e->extra.list.count, sizeof *e->extra_strings);
    pprof_free(e->allocator, e->header_strings.comments, e->header->comment_count, sizeof(uint32_t));
    pprof_strings_free(e->allocator, &e->extra);
}

/* ---- To bytes ---- */

static int encode_plain(struct encoder *e, struct pprof_writer *result) {
    if (!allocate(e)) return -ENOMEM;
    select_samples(e);
    number_all(e);
    measure_pieces(e);
    struct pprof_writer counter = {0}, writer = {0};
    emit_profile(e, &counter);
    writer.out = pprof_alloc(e->allocator, counter.nbytes, 1);
    if (!writer.out) return -ENOMEM;
    emit_profile(e, &writer);
    if (writer.nbytes != counter.nbytes) __builtin_trap(); /* the two passes run the same code */
    *result = writer;
    return 0;
}

/* Replaces *DATA, plain, by its compressed form. On failure *DATA is as it was. */
static int compress(const struct fino_allocator *allocator, int level, struct pprof_writer *data) {
    size_t bound_nbytes = fino_gzip_bound(data->nbytes);
    uint8_t *bound = pprof_alloc(allocator, bound_nbytes, 1);
    if (!bound) return -ENOMEM;
    size_t nbytes = fino_gzip_compress(level, allocator, data->out, data->nbytes, bound, bound_nbytes);
    uint8_t *exact = pprof_alloc(allocator, nbytes, 1);
    if (exact) memcpy(exact, bound, nbytes);
    pprof_free(allocator, bound, bound_nbytes, 1);
    if (!exact) return -ENOMEM;
    pprof_free(allocator, data->out, data->nbytes, 1);
    *data = (struct pprof_writer){exact, nbytes};
    return 0;
}

static int encode(const fino_pprof *profile, const fino_pprof_snapshot *since, const struct fino_pprof_header *header,
                  int gzip_level, struct pprof_writer *data) {
    static const struct fino_pprof_header no_header;
    struct encoder encoder = {
        .profile = profile,
        .since = since,
        .header = header ? header : &no_header,
        .allocator = &profile->allocator,
    };
    int error = encode_plain(&encoder, data);
    release(&encoder);
    if (error || gzip_level == 0) return error;
    error = compress(&profile->allocator, gzip_level, data);
    if (error) pprof_free(&profile->allocator, data->out, data->nbytes, 1);
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
                           const struct fino_pprof_header *header, int gzip_level, struct pprof_writer *data) {
    fino_pprof *gathered = pprof_new_alike(profile);
    if (!gathered) return -ENOMEM;
    if (header && header->has_program) copy_program(gathered, profile);
    int error = fino_pprof_merge(gathered, profile, since, FINO_PPROF_ADD);
    if (error == 0) error = encode(gathered, NULL, header, gzip_level, data);
    fino_pprof_free(gathered);
    return error;
}

int fino_pprof_encode(fino_pprof *profile, const fino_pprof_snapshot *since, const struct fino_pprof_header *header,
                      int gzip_level, uint8_t **data_out, size_t *nbytes_out) {
    *data_out = NULL, *nbytes_out = 0;
    if (profile->error) return profile->error;
    if (gzip_level < 0 || gzip_level > 12) return -EINVAL;
    struct pprof_writer data = {0};
    int error = profile->same_count ? encode_gathered(profile, since, header, gzip_level, &data)
                                    : encode(profile, since, header, gzip_level, &data);
    if (error) return error;
    *data_out = data.out, *nbytes_out = data.nbytes;
    return 0;
}

void fino_pprof_bytes_free(fino_pprof *profile, uint8_t *data, size_t nbytes) {
    pprof_free(&profile->allocator, data, nbytes, 1);
}
