/* access.c: looking into a profile. */
#include "pprof/builder.h"

size_t fino_pprof_sample_type_count(const fino_pprof *profile) {
    return profile->sample_types.count;
}

struct fino_pprof_value_type fino_pprof_get_sample_type(const fino_pprof *profile, size_t type) {
    struct pprof_value_type ids = profile->sample_types.items[type];
    return (struct fino_pprof_value_type){profile->strings.list.items[ids.type].text,
                                          profile->strings.list.items[ids.unit].text};
}

size_t fino_pprof_string_count(const fino_pprof *profile) {
    return profile->strings.list.count;
}

const char *fino_pprof_get_string(const fino_pprof *profile, uint32_t string, size_t *nbytes_out) {
    if (nbytes_out) *nbytes_out = profile->strings.list.items[string].nbytes;
    return profile->strings.list.items[string].text;
}

size_t fino_pprof_function_count(const fino_pprof *profile) {
    return profile->functions.count;
}

const struct fino_pprof_function *fino_pprof_get_function(const fino_pprof *profile, uint32_t function) {
    return &profile->functions.items[function];
}

size_t fino_pprof_mapping_count(const fino_pprof *profile) {
    return profile->mappings.count;
}

const struct fino_pprof_mapping *fino_pprof_get_mapping(const fino_pprof *profile, uint32_t mapping) {
    return &profile->mappings.items[mapping];
}

size_t fino_pprof_location_count(const fino_pprof *profile) {
    return profile->locations.count;
}

struct fino_pprof_location_info fino_pprof_get_location(const fino_pprof *profile, uint32_t id) {
    const struct pprof_location *location = &profile->locations.items[id];
    return (struct fino_pprof_location_info){
        .mapping = location->mapping,
        .address = location->address,
        .lines = location->line_count ? profile->lines.items + location->line_begin : NULL,
        .line_count = location->line_count,
        .is_folded = location->is_folded,
    };
}

const struct fino_pprof_label *fino_pprof_get_labels(const fino_pprof *profile, uint32_t label_set, size_t *count_out) {
    const struct pprof_label_set *set = &profile->label_sets.items[label_set];
    *count_out = set->label_count;
    return set->label_count ? profile->labels.items + set->label_begin : NULL;
}

size_t fino_pprof_sample_count(const fino_pprof *profile) {
    return profile->samples.count;
}

struct fino_pprof_sample_info fino_pprof_get_sample(const fino_pprof *profile, uint32_t id) {
    struct pprof_sample sample = pprof_sample(profile, id);
    return (struct fino_pprof_sample_info){
        .depth = sample.depth,
        .label_set = sample.label_set,
        .values = profile->values + (size_t)id * profile->sample_types.count,
    };
}

size_t fino_pprof_get_stack(const fino_pprof *profile, uint32_t id, uint32_t *out, size_t capacity) {
    struct pprof_sample sample = pprof_sample(profile, id);
    size_t copied = capacity < sample.tail_count ? capacity : sample.tail_count;
    if (copied) memcpy(out, sample.tail, copied * sizeof *out);
    for (uint32_t i = 0; i < sample.chunk_count && copied < capacity; i++) {
        size_t count = capacity - copied < CHUNK_DEPTH ? capacity - copied : CHUNK_DEPTH;
        memcpy(out + copied, profile->chunks.items[sample.chunks[i]].locations, count * sizeof *out);
        copied += count;
    }
    return sample.depth;
}

const struct fino_pprof_header *fino_pprof_get_header(const fino_pprof *profile) {
    return &profile->header;
}

#define VECTOR_NBYTES(vector) ((size_t)(vector).capacity * sizeof *(vector).items)
#define INDEX_NBYTES(index) ((size_t)(index).capacity * sizeof *(index).slots)

size_t fino_pprof_memory_nbytes(const fino_pprof *profile) {
    size_t value_nbytes = profile->sample_types.count * sizeof *profile->values;
    size_t nbytes = sizeof *profile + VECTOR_NBYTES(profile->sample_types);
    nbytes += pprof_strings_nbytes(&profile->strings);
    nbytes += VECTOR_NBYTES(profile->functions) + INDEX_NBYTES(profile->function_index);
    nbytes += VECTOR_NBYTES(profile->mappings) + INDEX_NBYTES(profile->mapping_index);
    nbytes += VECTOR_NBYTES(profile->locations) + INDEX_NBYTES(profile->location_index);
    nbytes += VECTOR_NBYTES(profile->lines) + VECTOR_NBYTES(profile->labels);
    nbytes += VECTOR_NBYTES(profile->label_sets) + INDEX_NBYTES(profile->label_set_index);
    nbytes += VECTOR_NBYTES(profile->chunks) + INDEX_NBYTES(profile->chunk_index);
    nbytes += VECTOR_NBYTES(profile->samples) + INDEX_NBYTES(profile->sample_index);
    nbytes += VECTOR_NBYTES(profile->records) + profile->values_capacity * value_nbytes;
    return nbytes + profile->header.comment_count * sizeof *profile->header.comments;
}
