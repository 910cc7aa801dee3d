/* Bytes made to harm: a gzip bomb stops at the cap and takes no more memory than it allows; lengths of 2^63 and ids of
 * nothing are refused in every message; a profile cut anywhere, plain or compressed, is read to its end and no further
 * (sanitizers see the end of the allocation); more labels and sample types than anybody has take no more than their
 * share of time and memory. Messages can't nest in themselves, so there are no cycles to follow. */
#include "../test.h"
#include "pprof/pprof.h"

static size_t live_nbytes, peak_nbytes;

static void *counting_alloc(void *context, size_t nbytes) {
    (void)context;
    live_nbytes += nbytes;
    if (live_nbytes > peak_nbytes) peak_nbytes = live_nbytes;
    return malloc(nbytes);
}

static void counting_free(void *context, void *memory, size_t nbytes) {
    (void)context;
    live_nbytes -= nbytes;
    free(memory);
}

static const struct fino_allocator counting = {counting_alloc, counting_free, NULL};

/* Decodes a copy with nothing behind it. */
static int decode(const void *bytes, size_t nbytes, size_t nbytes_max, struct fino_pprof_problem *problem) {
    struct fino_pprof_decode_config config = {.allocator = &counting, .nbytes_max = nbytes_max};
    fino_pprof *profile;
    char *copy = malloc(nbytes + !nbytes);
    memcpy(copy, bytes, nbytes);
    int error = fino_pprof_decode(copy, nbytes, &config, &profile, problem);
    EXPECT((error == 0) == (profile != NULL));
    fino_pprof_free(profile);
    free(copy);
    EXPECT_EQ(live_nbytes, 0);
    return error;
}

static void test_bomb(void) {
    enum { PLAIN_NBYTES = 16 << 20, CAP_NBYTES = 1 << 20 };
    struct fino_pprof_problem problem;
    uint8_t *plain = calloc(PLAIN_NBYTES, 1), *bomb = malloc(PLAIN_NBYTES / 100);
    plain[0] = 0x32; /* one string of everything: 2^24 - 5 bytes */
    memcpy(plain + 1, "\xfb\xff\xff\x07", 4);
    size_t nbytes = fino_gzip_compress(9, NULL, plain, PLAIN_NBYTES, bomb, PLAIN_NBYTES / 100);
    EXPECT(nbytes > 0 && nbytes < PLAIN_NBYTES / 900);
    peak_nbytes = 0;
    EXPECT_EQ(decode(bomb, nbytes, CAP_NBYTES, &problem), -27); /* -EFBIG */
    EXPECT(peak_nbytes <= 2 * CAP_NBYTES);
    /* The size in the trailer is the bomber's to write. */
    memcpy(bomb + nbytes - 4, "\x10\0\0\0", 4);
    EXPECT_EQ(decode(bomb, nbytes, CAP_NBYTES, &problem), -27);
    memcpy(bomb + nbytes - 4, "\xff\xff\xff\xff", 4);
    peak_nbytes = 0;
    EXPECT_EQ(decode(bomb, nbytes, CAP_NBYTES, &problem), -27);
    EXPECT(peak_nbytes <= 2 * CAP_NBYTES);
    EXPECT_EQ(decode(bomb, 30, CAP_NBYTES, &problem), -22); /* cut off: -EINVAL */
    EXPECT_STR(problem.entity, "gzip");
    free(bomb);
    free(plain);
}

/* In each of the messages of a profile, a field of 2^63 and of 2^64 - 1 bytes. */
static void test_lengths(void) {
    static const char *const lengths[] = {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
                                          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
    for (int field = 1; field <= 15; field++) {
        for (size_t i = 0; i < 2; i++) {
            char bytes[40] = {(char)(field << 3 | 2)};
            struct fino_pprof_problem problem;
            memcpy(bytes + 1, lengths[i], 10);
            EXPECT_EQ(decode(bytes, 11, 0, &problem), -22);
            EXPECT_STR(problem.what, "has a length beyond its end");
            /* The same one level further in: a field of the message that FIELD is, where it is one. */
            if (field > 5) continue;
            bytes[1] = 11;
            for (int inner = 1; inner <= 10; inner++) {
                bytes[2] = (char)(inner << 3 | 2);
                memcpy(bytes + 3, lengths[i], 10);
                EXPECT_EQ(decode(bytes, 13, 0, &problem), -22);
            }
        }
    }
}

/* A number for every reference there is, far beyond what exists. */
static void test_dangling(void) {
    static const struct {
        const char *bytes;
        size_t nbytes;
        const char *entity, *field;
    } cases[] = {
#define CASE(text, entity, field) {"\x32\x00" text, sizeof(text) + 1, entity, field}
#define FAR "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
        CASE("\x0a\x0b\x08" FAR, "sample type", "type"),
        CASE("\x12\x0b\x08" FAR, "sample", "location_id"),
        CASE("\x12\x0c\x0a\x0a" FAR, "sample", "location_id"),
        CASE("\x12\x0d\x1a\x0b\x08" FAR, "sample", "label.key"),
        CASE("\x1a\x0d\x08\x01\x28" FAR, "mapping", "filename"),
        CASE("\x1a\x0d\x08\x01\x30" FAR, "mapping", "build_id"),
        CASE("\x22\x0d\x08\x01\x10" FAR, "location", "mapping_id"),
        CASE("\x22\x0f\x08\x01\x22\x0b\x08" FAR, "location", "function_id"),
        CASE("\x2a\x0d\x08\x01\x10" FAR, "function", "name"),
        CASE("\x2a\x0d\x08\x01\x18" FAR, "function", "system_name"),
        CASE("\x2a\x0d\x08\x01\x20" FAR, "function", "filename"),
        CASE("\x38" FAR, "profile", "drop_frames"),
        CASE("\x40" FAR, "profile", "keep_frames"),
        CASE("\x5a\x0b\x10" FAR, "profile", "unit"),
        CASE("\x68" FAR, "profile", "comment"),
        CASE("\x70" FAR, "profile", "default_sample_type"),
        CASE("\x78" FAR, "profile", "doc_url"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fino_pprof_problem problem;
        EXPECT_EQ(decode(cases[i].bytes, cases[i].nbytes, 0, &problem), -22);
        EXPECT_STR(problem.field, cases[i].field);
        EXPECT_STR(problem.entity, cases[i].entity);
        EXPECT(problem.value == UINT64_MAX);
    }
}

static void test_cuts(void) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){&type, 1, NULL, 0});
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t id = fino_pprof_string(profile, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" + i, 9);
        struct fino_pprof_function function = {id, id, id, i};
        struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), 1000 + i, 0};
        uint32_t location = fino_pprof_add_location(profile, FINO_PPROF_NONE, 1u << 31 | i, &line, 1);
        EXPECT_EQ(fino_pprof_add_sample(profile, &location, 1, 0, (int64_t[]){INT64_MAX - i}), 0);
    }
    for (int level = 0; level <= 6; level += 6) {
        struct fino_pprof_problem problem;
        uint8_t *data;
        size_t nbytes, failed = 0;
        EXPECT_EQ(fino_pprof_encode(profile, NULL, NULL, level, &data, &nbytes), 0);
        for (size_t cut = 0; cut < nbytes; cut++)
            failed += decode(data, cut, 0, &problem) != 0;
        EXPECT_EQ(decode(data, nbytes, 0, &problem), 0);
        /* A plain profile may be cut between two of its fields and still be one; a compressed one may not. */
        EXPECT(level == 0 ? failed > nbytes / 2 : failed == nbytes);
        fino_pprof_bytes_free(profile, data, nbytes);
    }
    fino_pprof_free(profile);
}

/* ---- Many of what there are few of ---- */

struct bytes {
    uint8_t *data;
    size_t nbytes;
};

static void put_number(struct bytes *bytes, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        bytes->data[bytes->nbytes++] = (uint8_t)(number | 0x80);
    bytes->data[bytes->nbytes++] = (uint8_t)number;
}

/* A field whose content is BODY, which it frees. */
static void put_field(struct bytes *bytes, uint8_t head, struct bytes *body) {
    put_number(bytes, head);
    put_number(bytes, body->nbytes);
    memcpy(bytes->data + bytes->nbytes, body->data, body->nbytes);
    bytes->nbytes += body->nbytes;
    free(body->data);
}

/* One sample with 300,000 labels from the largest to the smallest: sorted one by one, that would take minutes. */
static void test_many_labels(void) {
    enum { COUNT = 300000 };
    struct bytes profile = {malloc(COUNT * 16), 0}, sample = {malloc(COUNT * 16), 0};
    struct fino_pprof_decode_config config = {.allocator = &counting};
    fino_pprof *read;
    size_t count;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct bytes label = {malloc(16), 0};
        put_number(&label, 0x18);
        put_number(&label, COUNT - i / 2); /* each twice */
        put_field(&sample, 0x1a, &label);
    }
    memcpy(sample.data + sample.nbytes, "\x10\x01", 2); /* value 1 */
    sample.nbytes += 2;
    memcpy(profile.data, "\x0a\x00", 2); /* a sample type */
    profile.nbytes = 2;
    put_field(&profile, 0x12, &sample);
    EXPECT_EQ(fino_pprof_decode(profile.data, profile.nbytes, &config, &read, NULL), 0);
    const struct fino_pprof_label *labels = fino_pprof_get_labels(read, 1, &count);
    EXPECT_EQ(count, COUNT / 2);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(labels[i].number, COUNT / 2 + 1 + i);
    fino_pprof_free(read);
    EXPECT_EQ(live_nbytes, 0);
    free(profile.data);
}

/* 5,000 sample types, each with a value as long as values get: what is read is written as it was. */
static void test_many_sample_types(void) {
    enum { COUNT = 5000 };
    struct bytes profile = {malloc(COUNT * 16), 0}, sample = {malloc(COUNT * 16), 0}, values = {malloc(COUNT * 16), 0};
    fino_pprof *read, *again;
    uint8_t *data;
    size_t nbytes;
    for (uint32_t i = 0; i < COUNT; i++) {
        profile.data[profile.nbytes++] = 0x0a, profile.data[profile.nbytes++] = 0;
        put_number(&values, UINT64_MAX - i);
    }
    put_field(&sample, 0x12, &values);
    put_field(&profile, 0x12, &sample);
    EXPECT_EQ(fino_pprof_decode(profile.data, profile.nbytes, NULL, &read, NULL), 0);
    EXPECT_EQ(fino_pprof_encode(read, NULL, NULL, 6, &data, &nbytes), 0);
    EXPECT_EQ(fino_pprof_decode(data, nbytes, NULL, &again, NULL), 0);
    EXPECT_EQ(fino_pprof_sample_type_count(again), COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        EXPECT_EQ(fino_pprof_get_sample(again, 0).values[i], -1 - (int64_t)i);
    fino_pprof_free(again);
    fino_pprof_bytes_free(read, data, nbytes);
    fino_pprof_free(read);
    free(profile.data);
}

int main(void) {
    test_many_labels();
    test_many_sample_types();
    test_bomb();
    test_lengths();
    test_dangling();
    test_cuts();
    return 0;
}
