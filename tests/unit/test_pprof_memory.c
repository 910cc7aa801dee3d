/* test_pprof_memory.c: what pprof.h states of memory, measured at the allocator: what builders, snapshots, encoders,
 * decoders and merges take, that all of it is given back, and in what pieces fino_pprof_write hands out its bytes. */
#include "../test.h"
#include "pprof/builder.h"

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
static const int levels[] = {0, 1, 6, 12};
static const struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};

static fino_pprof *new_profile(void) {
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){types, 2, &counting, 1});
    EXPECT(profile != NULL);
    return profile;
}

/* What was live before; the peak begins anew. */
static size_t mark(void) {
    return peak_nbytes = live_nbytes;
}

/* ---- A builder ---- */

enum { STACK_COUNT = 100000, DEPTH = 40, FUNCTION_COUNT = 8000 };

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

static uint32_t intern(fino_pprof *profile, const char *text) {
    return fino_pprof_string(profile, text, strlen(text));
}

static void add_functions(fino_pprof *profile) {
    for (uint32_t i = 0; i < FUNCTION_COUNT; i++) {
        char name[64], file[64];
        snprintf(name, sizeof name, "module%u.function%u", (unsigned)i / 40, (unsigned)i);
        snprintf(file, sizeof file, "/home/user/project/src/module%u.ts", (unsigned)i / 40);
        uint32_t id = intern(profile, name);
        struct fino_pprof_function function = {id, id, intern(profile, file), i};
        struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), i, 0};
        EXPECT_EQ(fino_pprof_add_location(profile, FINO_PPROF_NONE, 0x400000 + i * 64, &line, 1), i);
    }
}

/* The next stack of a program's call tree: it differs from the one before in its 8 innermost frames, on average. */
static void next_stack(uint32_t stack[DEPTH]) {
    uint32_t changed = 1;
    while (changed < DEPTH - 1 && random_below(8) != 0)
        changed++;
    for (uint32_t at = changed; at-- > 0;) { /* leaf first */
        uint64_t mixed = (stack[at + 1] * UINT64_C(4) + random_below(4) + 1) * UINT64_C(0x9e3779b97f4a7c15);
        stack[at] = (uint32_t)((mixed >> 32) * FUNCTION_COUNT >> 32);
    }
}

static fino_pprof *test_builder(void) {
    fino_pprof *profile = new_profile();
    uint32_t stack[DEPTH] = {0};
    size_t begun = live_nbytes, functions_nbytes, count = 0;
    add_functions(profile);
    functions_nbytes = live_nbytes - begun;
    begun = live_nbytes;
    while (count < STACK_COUNT) {
        next_stack(stack);
        EXPECT_EQ(fino_pprof_add_sample(profile, stack, DEPTH, 0, (int64_t[]){1, 1000000}), 0);
        if (fino_pprof_sample_count(profile) == count) continue;
        count++;
        double nbytes = (double)(live_nbytes - begun) / (double)count;
        EXPECT(count < 1000 || (nbytes > 130 && nbytes < 190));
        if (count % 1000 == 0) EXPECT_EQ(fino_pprof_memory_nbytes(profile), live_nbytes);
    }
    double per_stack = (double)live_nbytes / (double)count, per_function = (double)functions_nbytes / FUNCTION_COUNT;
    double at_worst = (double)peak_nbytes / (double)count;
    printf("%.1f bytes a stack, %.1f at the worst moment, %.1f a function\n", per_stack, at_worst, per_function);
    EXPECT(per_stack > 170 && per_stack < 182);
    EXPECT(at_worst < 210);
    EXPECT(per_function > 160 && per_function < 205);
    return profile;
}

static void test_snapshot(const fino_pprof *profile) {
    size_t before = mark();
    fino_pprof_snapshot *snapshot = fino_pprof_take_snapshot(profile);
    size_t values_nbytes = fino_pprof_sample_count(profile) * 2 * sizeof(int64_t);
    EXPECT(live_nbytes - before >= values_nbytes && live_nbytes - before < values_nbytes + 100);
    fino_pprof_snapshot_free(snapshot);
    EXPECT_EQ(live_nbytes, before);
}

/* ---- An encoder ---- */

struct pieces {
    size_t nbytes, largest_nbytes;
};

static int count_piece(void *context, const void *data, size_t nbytes) {
    struct pieces *pieces = context;
    EXPECT(data != NULL && nbytes > 0);
    pieces->nbytes += nbytes;
    if (nbytes > pieces->largest_nbytes) pieces->largest_nbytes = nbytes;
    return 0;
}

/* All tables of PROFILE, whose label sets are empty. */
static size_t encoder_nbytes(const fino_pprof *profile) {
    size_t numbered = fino_pprof_string_count(profile) + fino_pprof_function_count(profile) +
                      fino_pprof_location_count(profile) + fino_pprof_mapping_count(profile);
    return numbered * 8 + (size_t)profile->chunks.count * 4 + profile->label_sets.count * 24;
}

static void test_encoder(fino_pprof *profile) {
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct pieces pieces = {0, 0};
        size_t before = mark(), stream_nbytes = 0;
        if (levels[i]) stream_nbytes = fino_deflate_compressor_nbytes(levels[i]) + (300 << 10);
        EXPECT_EQ(fino_pprof_write(profile, NULL, NULL, levels[i], count_piece, &pieces), 0);
        EXPECT_EQ(live_nbytes, before);
        size_t taken = peak_nbytes - before, stated = encoder_nbytes(profile) + stream_nbytes;
        printf("level %d: %zu bytes in pieces of up to %zu, with %zu of memory\n", levels[i], pieces.nbytes,
               pieces.largest_nbytes, taken);
        EXPECT(taken > encoder_nbytes(profile) && taken < stated + DEPTH * 10 + (40 << 10));
        EXPECT(pieces.largest_nbytes <= (levels[i] ? 140u << 10 : 16u << 10));
    }
}

/* Two locations become equal: what is encoded is gathered first. */
static void test_gathering(fino_pprof *profile) {
    struct fino_pprof_line line = {0, 0, 0}; /* that of location 0 */
    struct pieces pieces = {0, 0};
    uint32_t same = fino_pprof_add_location(profile, FINO_PPROF_NONE, 0x400000, NULL, 0);
    EXPECT_EQ(fino_pprof_add_sample(profile, &same, 1, 0, (int64_t[]){1, 1}), 0);
    fino_pprof_set_lines(profile, same, &line, 1);
    size_t before = mark();
    EXPECT_EQ(fino_pprof_write(profile, NULL, NULL, 0, count_piece, &pieces), 0);
    EXPECT_EQ(live_nbytes, before);
    EXPECT(peak_nbytes - before > before / 2 && peak_nbytes - before < before * 3 / 2);
}

/* In one piece, which is exactly as large as what is in it. */
static void test_one_piece(fino_pprof *profile, int level) {
    uint8_t *data;
    size_t nbytes, before = mark(), stream_nbytes = level ? fino_deflate_compressor_nbytes(level) + (300 << 10) : 0;
    EXPECT_EQ(fino_pprof_encode(profile, NULL, NULL, level, &data, &nbytes), 0);
    EXPECT_EQ(live_nbytes, before + nbytes);
    EXPECT(peak_nbytes - before < encoder_nbytes(profile) + stream_nbytes + (40 << 10) + nbytes * 5 / 2);
    fino_pprof_bytes_free(profile, data, nbytes);
}

/* What hardly compresses, and messages larger than a piece. */
static void test_large_pieces(void) {
    enum { TEXT_NBYTES = 300 << 10, STACK_DEPTH = 50000 };
    static char text[TEXT_NBYTES];
    static uint32_t stack[STACK_DEPTH];
    fino_pprof *profile = new_profile();
    for (size_t i = 0; i < TEXT_NBYTES; i++)
        text[i] = (char)(1 + random_below(127));
    for (uint32_t i = 0; i < STACK_DEPTH; i++)
        stack[i] =
            fino_pprof_add_location(profile, FINO_PPROF_NONE, (uint64_t)random_below(1u << 30) << 30 | i, NULL, 0);
    struct fino_pprof_label label = {intern(profile, "key"), fino_pprof_string(profile, text, TEXT_NBYTES), 0, 0};
    uint32_t labels = fino_pprof_label_set(profile, &label, 1);
    EXPECT_EQ(fino_pprof_add_sample(profile, stack, STACK_DEPTH, labels, (int64_t[]){1, 1}), 0);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct pieces pieces = {0, 0};
        EXPECT_EQ(fino_pprof_write(profile, NULL, NULL, levels[i], count_piece, &pieces), 0);
        if (levels[i])
            EXPECT(pieces.largest_nbytes <= 140 << 10);
        else
            EXPECT_EQ(pieces.largest_nbytes, TEXT_NBYTES); /* in one piece, and not copied */
    }
    fino_pprof_free(profile);
}

/* ---- Merging ---- */

static void test_merge(const fino_pprof *from) {
    size_t before = live_nbytes;
    fino_pprof *into = new_profile();
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_ADD), 0);
    size_t merged = mark(); /* once more, when nothing in INTO grows */
    EXPECT_EQ(fino_pprof_merge(into, from, NULL, FINO_PPROF_ADD), 0);
    EXPECT_EQ(live_nbytes, merged);
    size_t mapped = fino_pprof_string_count(from) + fino_pprof_function_count(from) + fino_pprof_location_count(from) +
                    fino_pprof_mapping_count(from) + from->label_sets.count;
    EXPECT(peak_nbytes - merged < mapped * 4 + (1 << 10));
    fino_pprof_free(into);
    EXPECT_EQ(live_nbytes, before);
}

/* ---- A decoder ---- */

struct bytes {
    uint8_t *data;
    size_t nbytes;
};

static void put(struct bytes *bytes, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        bytes->data[bytes->nbytes++] = (uint8_t)(number | 0x80);
    bytes->data[bytes->nbytes++] = (uint8_t)number;
}

static size_t varint_nbytes(uint64_t number) {
    size_t nbytes = 1;
    while (number >>= 7)
        nbytes++;
    return nbytes;
}

/* A message FIELD with an id beyond its place and a number that tells it from others. */
static void put_thing(struct bytes *bytes, uint8_t field, uint32_t i, uint8_t number_field) {
    put(bytes, field);
    put(bytes, 2 + varint_nbytes(i + 2) + varint_nbytes(i));
    put(bytes, 0x08), put(bytes, i + 2);
    put(bytes, number_field), put(bytes, i);
}

/* Profiles of N times what is small in a file and large in memory. */
enum hostile {
    EMPTY_STRINGS,
    SHORT_STRINGS,
    MAPPINGS,
    LOCATIONS,
    FUNCTIONS,
    LINES,
    LABELS,
    LABEL_SETS,
    STACKS,
    DEEP_STACK,
    COMMENTS,
    SAMPLE_TYPES,
    HOSTILE_COUNT
};

static void put_repeated(struct bytes *bytes, enum hostile kind, uint32_t i) {
    switch (kind) {
        case EMPTY_STRINGS: put(bytes, 0x32), put(bytes, 0); break;
        case SHORT_STRINGS:
            put(bytes, 0x32), put(bytes, i ? 3 : 0);
            for (int shift = 0; shift < 21 && i; shift += 7)
                put(bytes, i >> shift & 0x7f);
            break;
        case MAPPINGS: put_thing(bytes, 0x1a, i, 0x10); break;
        case LOCATIONS: put_thing(bytes, 0x22, i, 0x18); break;
        case FUNCTIONS: put_thing(bytes, 0x2a, i, 0x28); break;
        case LINES: put(bytes, 0x22), put(bytes, 0); break;
        case LABELS: put(bytes, 0x1a), put(bytes, 0); break;
        case LABEL_SETS:
            put(bytes, 0x12), put(bytes, 5 + varint_nbytes(i));
            put(bytes, 0x10), put(bytes, 1);
            put(bytes, 0x1a), put(bytes, 1 + varint_nbytes(i)), put(bytes, 0x18), put(bytes, i);
            break;
        case STACKS:
            put(bytes, 0x12), put(bytes, 7), put(bytes, 0x10), put(bytes, 1), put(bytes, 0x0a), put(bytes, 3);
            put(bytes, 1 + i % 100), put(bytes, 1 + i / 100 % 100), put(bytes, 1 + i / 10000);
            break;
        case DEEP_STACK: put(bytes, 1 + i % 100); break;
        case COMMENTS: put(bytes, 0); break;
        case SAMPLE_TYPES: put(bytes, 0x0a), put(bytes, 0); break;
        case HOSTILE_COUNT: break;
    }
}

static struct bytes make_hostile(enum hostile kind, uint32_t count) {
    struct bytes bytes = {malloc(1000 + (size_t)count * 16), 0};
    if (kind >= LABELS && kind <= DEEP_STACK) put(&bytes, 0x0a), put(&bytes, 0); /* a sample type */
    for (uint32_t i = 0; i < 100 && (kind == STACKS || kind == DEEP_STACK); i++)
        put(&bytes, 0x22), put(&bytes, 4), put(&bytes, 0x08), put(&bytes, i + 1), put(&bytes, 0x18), put(&bytes, i);
    if (kind == LINES) put(&bytes, 0x22), put(&bytes, 2 + 2 * count), put(&bytes, 0x08), put(&bytes, 1);
    if (kind == LABELS) put(&bytes, 0x12), put(&bytes, 2 + 2 * count), put(&bytes, 0x10), put(&bytes, 1);
    if (kind == COMMENTS) put(&bytes, 0x6a), put(&bytes, count);
    if (kind == DEEP_STACK) {
        put(&bytes, 0x12), put(&bytes, 3 + varint_nbytes(count) + count), put(&bytes, 0x10), put(&bytes, 1);
        put(&bytes, 0x0a), put(&bytes, count);
    }
    for (uint32_t i = 0; i < count; i++)
        put_repeated(&bytes, kind, i);
    return bytes;
}

static void test_decoder(fino_pprof *ordinary) {
    struct fino_pprof_decode_config config = {.allocator = &counting};
    double most = 0;
    fino_pprof *read;
    for (enum hostile kind = 0; kind < HOSTILE_COUNT; kind++) {
        double most_of_kind = 0;
        for (uint32_t count = 1; count < 30000; count += 1 + count / 8) {
            struct bytes bytes = make_hostile(kind, count);
            size_t before = mark();
            EXPECT_EQ(fino_pprof_decode(bytes.data, bytes.nbytes, &config, &read, NULL), 0);
            EXPECT(peak_nbytes - before <= 30 * bytes.nbytes + (20 << 10));
            fino_pprof_free(read);
            EXPECT_EQ(live_nbytes, before);
            double times = ((double)(peak_nbytes - before) - (20 << 10)) / (double)bytes.nbytes;
            if (times > most_of_kind) most_of_kind = times;
            free(bytes.data);
        }
        EXPECT(most_of_kind > 1); /* it is read, and costs something */
        if (most_of_kind > most) most = most_of_kind;
    }
    EXPECT(most > 20); /* so that "30" is not said of what needs much less */

    uint8_t *data;
    size_t nbytes, before;
    EXPECT_EQ(fino_pprof_encode(ordinary, NULL, NULL, 0, &data, &nbytes), 0);
    before = mark();
    EXPECT_EQ(fino_pprof_decode(data, nbytes, &config, &read, NULL), 0);
    double times = (double)(peak_nbytes - before) / (double)nbytes;
    printf("decoding takes %.1f times the size of an ordinary profile, %.1f of the worst\n", times, most);
    EXPECT(times < 3);
    fino_pprof_free(read);
    fino_pprof_bytes_free(ordinary, data, nbytes);
}

int main(void) {
    fino_pprof *profile = test_builder();
    test_snapshot(profile);
    test_encoder(profile);
    test_one_piece(profile, 0);
    test_one_piece(profile, 1);
    test_large_pieces();
    test_merge(profile);
    test_decoder(profile);
    test_gathering(profile);
    fino_pprof_free(profile);
    EXPECT_EQ(live_nbytes, 0);
    return 0;
}
