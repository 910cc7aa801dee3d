/* pprof.h: build, encode, decode and check profiles in the pprof format.
 *
 * A builder interns everything it is given (strings, functions, mappings, locations, label sets, stacks), so
 * its memory grows with what is distinct, not with the number of samples. Values are cumulative: a recording is
 * the difference between the builder now and a snapshot of it taken earlier, which makes any number of
 * overlapping recordings free while sampling.
 *
 * Memory:   with two sample types, a distinct stack of depth 40 takes 135 to 185 bytes, as its tables are more or less
 *           full, and a function with its names, line and location 200: 100,000 stacks of 8,000 functions take 179
 *           bytes a stack, 202 while a table grows. fino_pprof_memory_nbytes tells exactly. A snapshot takes 8 bytes
 *           for each value. An encoder takes 8 bytes for each string, function, mapping and location, 24 and its
 *           encoded size for each label set, 4 for each 8 frames that stacks have in common, 10 for each frame of the
 *           deepest stack, 40 KiB, and what deflate.h states for a stream of the level; and where
 *           fino_pprof_set_lines has made locations equal, a second builder.
 * Needs:    memcpy, memmove and memset; malloc, realloc and free unless FINO_NO_MALLOC is defined, in which case every
 *           config must name an allocator. No files, threads, signals or locale. -ffreestanding will do.
 * Size:     36 kB of text and constants in a program that writes profiles, 56 kB for all there is (-Os, x86-64;
 *           -Wl,--gc-sections leaves out what is not used).
 * Stack:    up to 20 KiB, whatever the profile.
 * Threads:  one builder belongs to one thread at a time; the caller locks. Different builders are independent.
 * Errors:   a builder that runs out of memory latches -ENOMEM, ignores what follows and fails to encode. An id that it
 *           never gave out, other than FINO_PPROF_NONE where that is allowed, latches -EINVAL in the same way.
 * Source:   github.com/google/pprof, proto/profile.proto.
 */
#ifndef FINO_PPROF_H
#define FINO_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deflate/deflate.h" /* struct fino_allocator */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fino_pprof fino_pprof;
typedef struct fino_pprof_snapshot fino_pprof_snapshot;

/* What every intern function returns on failure, and what stands for "none" where an id is optional. */
#define FINO_PPROF_NONE UINT32_MAX

/* One dimension of a sample's value, such as {"cpu", "nanoseconds"}. */
struct fino_pprof_value_type {
    const char *type;
    const char *unit;
};

struct fino_pprof_config {
    const struct fino_pprof_value_type *sample_types; /* at least one */
    size_t sample_type_count;
    const struct fino_allocator *allocator; /* NULL: malloc and free */
    uint64_t hash_seed;                     /* unpredictable where names are hostile */
};

/* Returns: a builder, or NULL when memory is short or the config is out of range. Owns: fino_pprof_free frees it. */
fino_pprof *fino_pprof_new(const struct fino_pprof_config *config);
void fino_pprof_free(fino_pprof *profile);

/* Returns: 0, or the negative errno the builder has latched. */
int fino_pprof_error(const fino_pprof *profile);

/* Interns TEXT, NBYTES long (less than 1 GiB, else memory is short), any bytes (invalid UTF-8 is replaced by U+FFFD, as
 * protobuf strings must be UTF-8).
 * Returns: its id; "" is always 0. */
uint32_t fino_pprof_string(fino_pprof *profile, const char *text, size_t nbytes);

/* One function of source or machine code. The strings are ids from fino_pprof_string. */
struct fino_pprof_function {
    uint32_t name;
    uint32_t system_name; /* the mangled name, or the same as NAME */
    uint32_t filename;
    int64_t start_line; /* 0: unknown */
};
uint32_t fino_pprof_add_function(fino_pprof *profile, const struct fino_pprof_function *function);

/* One mapped object. Addresses are those of the profiled process. */
struct fino_pprof_mapping {
    uint64_t memory_start;
    uint64_t memory_limit; /* exclusive */
    uint64_t file_offset;
    uint32_t filename; /* string ids */
    uint32_t build_id; /* lower-case hexadecimal, or "" */
    bool has_functions;
    bool has_filenames;
    bool has_line_numbers;
    bool has_inline_frames;
};
uint32_t fino_pprof_add_mapping(fino_pprof *profile, const struct fino_pprof_mapping *mapping);

/* One line of a location: the innermost inlined function first, as in profile.proto. */
struct fino_pprof_line {
    uint32_t function; /* FINO_PPROF_NONE: unknown */
    int64_t line;      /* 0: unknown */
    int64_t column;    /* 0: unknown */
};

/* A place in code. Its identity is (mapping, address, lines as given here): a location added without lines stays
 * the same location when fino_pprof_set_lines names it later. MAPPING may be FINO_PPROF_NONE. */
uint32_t fino_pprof_add_location(fino_pprof *profile, uint32_t mapping, uint64_t address,
                                 const struct fino_pprof_line *lines, size_t line_count);

/* Names a location that has no lines yet (symbols found after sampling); one that has some is left alone. */
void fino_pprof_set_lines(fino_pprof *profile, uint32_t location, const struct fino_pprof_line *lines,
                          size_t line_count);

/* What the builder knows of a location; LINES is valid until the builder changes. */
struct fino_pprof_location_info {
    uint32_t mapping;
    uint64_t address;
    const struct fino_pprof_line *lines;
    size_t line_count;
    bool is_folded; /* other addresses with the same instructions were folded into this one */
};
size_t fino_pprof_location_count(const fino_pprof *profile); /* ids are 0..count-1 */
struct fino_pprof_location_info fino_pprof_get_location(const fino_pprof *profile, uint32_t location);

/* The same as fino_pprof_add_location, with all that a location can say. */
uint32_t fino_pprof_intern_location(fino_pprof *profile, const struct fino_pprof_location_info *location);

/* A label: KEY with either a string value (UNIT and NUMBER unused) or, with STRING == FINO_PPROF_NONE, a number. The
 * string "" becomes the number 0, from which the format does not tell it. */
struct fino_pprof_label {
    uint32_t key;
    uint32_t string;
    int64_t number;
    uint32_t unit; /* string id, 0 for none */
};
/* Interns a set of labels; order does not matter. The empty set is always 0. */
uint32_t fino_pprof_label_set(fino_pprof *profile, const struct fino_pprof_label *labels, size_t count);

/* Adds VALUES (one per sample type) to the sample with this stack (leaf first) and label set. O(count). Sums are modulo
 * 2^64. Returns: 0 or a negative errno: -EINVAL also for COUNT > 2^28. */
int fino_pprof_add_sample(fino_pprof *profile, const uint32_t *locations, size_t count, uint32_t label_set,
                          const int64_t *values);

/* One call of fino_pprof_add_sample. */
struct fino_pprof_addition {
    const uint32_t *locations;
    size_t count;
    uint32_t label_set;
    const int64_t *values;
};

/* Adds all of ADDITIONS as fino_pprof_add_sample would one after another, but in a third of its time once a profile is
 * larger than the caches: it works on 16 at once, so batches of that many or more are best.
 * Returns: 0 or a negative errno; what precedes the failure has then been added. */
int fino_pprof_add_samples(fino_pprof *profile, const struct fino_pprof_addition *additions, size_t count);

/* Remembers all values of now, as the start of a recording. Returns: NULL when memory is short.
 * Owns: fino_pprof_snapshot_free; it must not outlive the builder. */
fino_pprof_snapshot *fino_pprof_take_snapshot(const fino_pprof *profile);
void fino_pprof_snapshot_free(fino_pprof_snapshot *snapshot);

/* What a profile says beside its samples. Every member may be zero. */
struct fino_pprof_header {
    int64_t time_nanos; /* Unix time of the start */
    int64_t duration_nanos;
    struct fino_pprof_value_type period_type; /* members NULL: none */
    int64_t period;
    const char *default_sample_type; /* the type of one of the sample types */
    const char *doc_url;
    const char *drop_frames;
    const char *keep_frames;
    const char *const *comments;
    size_t comment_count;
    bool has_program; /* the builder's first mapping is the program's own: it comes first, needed or not */
};

/* Encodes what was added since SINCE (NULL: everything): samples whose values all are 0 are left out, and so is all
 * that no remaining sample refers to. String 0 is "", no string, function, location or sample occurs twice.
 * Whether what it was told makes sense, such as an address within its mapping, it leaves to fino_pprof_check.
 * GZIP_LEVEL: 0 for plain protobuf, else 1..12 for gzip.
 * Memory:  while it grows, the result takes up to two and a half times its size.
 * Returns: 0 with *DATA_OUT and *NBYTES_OUT, or a negative errno. Owns: fino_pprof_bytes_free frees *DATA_OUT. */
int fino_pprof_encode(fino_pprof *profile, const fino_pprof_snapshot *since, const struct fino_pprof_header *header,
                      int gzip_level, uint8_t **data_out, size_t *nbytes_out);
void fino_pprof_bytes_free(fino_pprof *profile, uint8_t *data, size_t nbytes);

/* Encodes as fino_pprof_encode does and hands the bytes to WRITE as they arise: the profile is never in memory as a
 * whole. Compressed they come in pieces of up to 140 KiB, plain in those of 16 KiB or of one message or string that is
 * larger. WRITE returns 0, or else an error, after which it is called no more.
 * Returns: 0, a negative errno, or what WRITE returned. */
int fino_pprof_write(const fino_pprof *profile, const fino_pprof_snapshot *since,
                     const struct fino_pprof_header *header, int gzip_level,
                     int (*write)(void *context, const void *data, size_t nbytes), void *context);

/* ---- Reading a profile ---- */

/* What a profile, built or decoded, holds. Ids are 0..count-1 and outlive every call; so do texts. Other pointers are
 * valid until the profile changes, so that what they point to must be copied before it is handed to a function which
 * changes this profile. An id that is out of range is a mistake of the caller's and not caught. */
size_t fino_pprof_sample_type_count(const fino_pprof *profile);
struct fino_pprof_value_type fino_pprof_get_sample_type(const fino_pprof *profile, size_t type);

size_t fino_pprof_string_count(const fino_pprof *profile);
/* NBYTES_OUT may be NULL. The text ends with a NUL (and may contain others). */
const char *fino_pprof_get_string(const fino_pprof *profile, uint32_t string, size_t *nbytes_out);

size_t fino_pprof_function_count(const fino_pprof *profile);
const struct fino_pprof_function *fino_pprof_get_function(const fino_pprof *profile, uint32_t function);

size_t fino_pprof_mapping_count(const fino_pprof *profile);
const struct fino_pprof_mapping *fino_pprof_get_mapping(const fino_pprof *profile, uint32_t mapping);

const struct fino_pprof_label *fino_pprof_get_labels(const fino_pprof *profile, uint32_t label_set, size_t *count_out);

/* One distinct stack with its labels and the sums of all values added to it. */
struct fino_pprof_sample_info {
    size_t depth;
    uint32_t label_set;
    const int64_t *values; /* one per sample type */
};
size_t fino_pprof_sample_count(const fino_pprof *profile);
struct fino_pprof_sample_info fino_pprof_get_sample(const fino_pprof *profile, uint32_t sample);

/* Copies the first CAPACITY locations of a sample's stack, leaf first, to OUT. Returns: its depth. */
size_t fino_pprof_get_stack(const fino_pprof *profile, uint32_t sample, uint32_t *out, size_t capacity);

/* What the decoded profile said beside its samples; all zero for a profile that was built. Valid until it is freed. */
const struct fino_pprof_header *fino_pprof_get_header(const fino_pprof *profile);

/* What this profile has allocated at present, all told. */
size_t fino_pprof_memory_nbytes(const fino_pprof *profile);

/* ---- Combining profiles ---- */

enum fino_pprof_merge_as {
    FINO_PPROF_ADD,       /* the sum of both */
    FINO_PPROF_SUBTRACT,  /* the difference: what `pprof -base` shows */
    FINO_PPROF_DIFF_BASE, /* subtracted under the label pprof::base=true: percentages are of the base (-diff_base) */
};

/* Adds what FROM gained since SINCE (a snapshot of FROM; NULL: everything) to INTO. Frames are matched by content.
 * Locations that became equal through fino_pprof_set_lines arrive as one.
 * Memory:  beside what INTO gains, 4 bytes for each string, function, mapping, location and label set of FROM.
 * Returns: 0; -EINVAL when the sample types are not the same or FROM is INTO; or what INTO or FROM has latched. */
int fino_pprof_merge(fino_pprof *into, const fino_pprof *from, const fino_pprof_snapshot *since,
                     enum fino_pprof_merge_as as);

/* Multiplies all values by RATIOS, one per sample type, as doubles, rounding half away from zero and saturating.
 * Snapshots taken before do not fit any more: encode with SINCE == NULL. */
void fino_pprof_scale(fino_pprof *profile, const double *ratios);

/* ---- Decoding and checking ---- */

/* What is wrong with a profile and where. */
struct fino_pprof_problem {
    const char *what;   /* such as "refers to a location that does not exist"; a constant */
    const char *entity; /* "gzip", "profile", "sample", "mapping", "location", "function", "string" or "sample type" */
    const char *field;  /* its name in profile.proto, or "" */
    uint64_t index;     /* which of these entities, in the order of the file, from 0 */
    uint64_t value;     /* the offending number; 0 where there is none */
    size_t offset;      /* where in the uncompressed profile, roughly */
};

struct fino_pprof_decode_config {
    const struct fino_allocator *allocator; /* NULL: malloc and free */
    uint64_t hash_seed;                     /* unpredictable where profiles are hostile */
    size_t nbytes_max;                      /* the largest uncompressed size to accept; 0: 1 GiB */
};

/* Reads a profile of any producer, gzipped or not: packed and unpacked fields, unknown fields (skipped), ids in any
 * order. What occurs twice is merged, bytes that are not UTF-8 are replaced.
 * Inputs:  CONFIG and PROBLEM_OUT may be NULL. Any bytes are safe. Memory use is 2 to 3 times the uncompressed size as
 *          a rule, and at most 30 times with 20 KiB more; one more where the profile is compressed.
 * Returns: 0 with *PROFILE_OUT, which fino_pprof_free frees; -EINVAL for what is not a profile, with *PROBLEM_OUT;
 *          -EFBIG for more than nbytes_max; -ENOMEM. */
int fino_pprof_decode(const void *data, size_t nbytes, const struct fino_pprof_decode_config *config,
                      fino_pprof **profile_out, struct fino_pprof_problem *problem_out);

enum fino_pprof_strictness {
    FINO_PPROF_VALID,     /* decodable, and nothing contradicts profile.proto or what `go tool pprof` demands */
    FINO_PPROF_CANONICAL, /* also as this library writes it: ids are 1, 2, 3, ...; nothing occurs twice; nothing is
                             there that no sample needs, other than a first mapping; no sample is
                             all 0 */
};

/* Checks the invariants of a profile. Parameters and results as for fino_pprof_decode; PROBLEM_OUT tells of the first
 * violation. */
int fino_pprof_check(const void *data, size_t nbytes, enum fino_pprof_strictness strictness,
                     const struct fino_pprof_decode_config *config, struct fino_pprof_problem *problem_out);

#ifdef __cplusplus
}
#endif
#endif
