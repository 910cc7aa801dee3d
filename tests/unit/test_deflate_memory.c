/* What deflate.h says of memory is what is taken: its sentences are made here of what allocator hooks saw, and looked
 * for in the header. The figures are rounded up to KiB and the same on 32 and 64 bits. */
#include <ctype.h>
#include <stdint.h>

#include "../test.h"
#include "deflate/deflate.h"

enum { IN_NBYTES = 1000000, BUDGET_NBYTES = 1 << 20 };

static size_t live_nbytes, peak_nbytes, alloc_count;

static void *hooked_alloc(void *context, size_t nbytes) {
    (void)context;
    live_nbytes += nbytes;
    if (live_nbytes > peak_nbytes) peak_nbytes = live_nbytes;
    alloc_count++;
    return malloc(nbytes);
}

static void hooked_free(void *context, void *memory, size_t nbytes) {
    (void)context;
    live_nbytes -= nbytes;
    free(memory);
}

static const struct fino_allocator allocator = {hooked_alloc, hooked_free, NULL};
static uint8_t in[IN_NBYTES], out[IN_NBYTES + 100000];

/* The most that was held since the last call. */
static size_t take_peak(void) {
    size_t nbytes = peak_nbytes;
    EXPECT_EQ(live_nbytes, 0);
    peak_nbytes = 0;
    alloc_count = 0;
    return nbytes;
}

static unsigned kib(size_t nbytes) {
    return (unsigned)((nbytes + 1023) / 1024);
}

static size_t max_written_nbytes;

static int write_nothing(void *context, const void *data, size_t nbytes) {
    (void)context, (void)data;
    if (nbytes > max_written_nbytes) max_written_nbytes = nbytes;
    return 0;
}

/* What a compressor takes at LEVEL, in one call or as an object, and what a stream takes beside it. */
static size_t compressor_nbytes(int level, size_t *stream_nbytes_out) {
    struct fino_deflate_stream_config config = {.level = level, .allocator = &allocator, .write = write_nothing};
    size_t nbytes;
    EXPECT(fino_gzip_compress(level, &allocator, in, 5000, out, sizeof out) > 0);
    EXPECT_EQ(alloc_count, 1);
    nbytes = take_peak();
    EXPECT_EQ(nbytes, fino_deflate_compressor_nbytes(level));
    fino_deflate_compressor_free(fino_deflate_compressor_new(level, &allocator));
    EXPECT_EQ(take_peak(), nbytes);

    fino_deflate_stream *stream = fino_deflate_stream_new(&config);
    EXPECT(stream != NULL);
    EXPECT_EQ(fino_deflate_stream_write(stream, in, level < 9 ? sizeof in : 300000), 0);
    EXPECT_EQ(fino_deflate_stream_flush(stream), 0);
    EXPECT_EQ(fino_deflate_stream_finish(stream), 0);
    EXPECT_EQ(alloc_count, 2);
    fino_deflate_stream_free(stream);
    *stream_nbytes_out = take_peak() - nbytes;
    return nbytes;
}

static ptrdiff_t read_packed(void *context, void *buffer, size_t nbytes) {
    const uint8_t **next = context;
    memcpy(buffer, *next, nbytes < 1000 ? nbytes : 1000);
    *next += nbytes < 1000 ? nbytes : 1000;
    return (ptrdiff_t)(nbytes < 1000 ? nbytes : 1000);
}

static size_t reader_nbytes(void) {
    static uint8_t back[IN_NBYTES];
    const uint8_t *next = out;
    struct fino_inflate_reader_config config = {
        .is_gzip = true, .allocator = &allocator, .read = read_packed, .context = &next};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    size_t got;
    EXPECT(fino_gzip_compress(1, NULL, in, sizeof in, out, sizeof out) > 0);
    EXPECT(reader != NULL);
    EXPECT_EQ(fino_inflate_reader_read(reader, back, sizeof back, &got), FINO_INFLATE_OK);
    EXPECT(got == sizeof in && memcmp(back, in, got) == 0);
    EXPECT_EQ(alloc_count, 1);
    fino_inflate_reader_free(reader);
    return take_peak();
}

/* The header's text, with one space for any others and for what begins the lines of a comment. */
static const char *read_header(void) {
    static char text[40000];
    char path[4096];
    size_t nbytes = 0;
    int c, last = ' ';
    snprintf(path, sizeof path, "%.*s../../src/deflate/deflate.h", (int)(strrchr(__FILE__, '/') + 1 - __FILE__),
             __FILE__);
    FILE *file = fopen(path, "r");
    EXPECT(file != NULL);
    while ((c = getc(file)) != EOF) {
        if (isspace(c) || (c == '*' && last == ' ')) c = ' ';
        if (c == ' ' && last == ' ') continue;
        text[nbytes++] = (char)(last = c);
        EXPECT(nbytes < sizeof text);
    }
    fclose(file);
    return text;
}

static void expect_sentence(const char *header, const char *sentence) {
    if (strstr(header, sentence)) return;
    fprintf(stderr, "deflate.h should say: %s\n", sentence);
    exit(1);
}

static void test_figures(const char *header) {
    size_t nbytes[13], stream_nbytes[13];
    char sentence[300];
    for (int level = 1; level <= 12; level++) {
        nbytes[level] = compressor_nbytes(level, &stream_nbytes[level]);
        EXPECT_EQ(stream_nbytes[level], stream_nbytes[1]);
        EXPECT_EQ(nbytes[level], nbytes[level < 2 ? 1 : level < 10 ? 2 : 10]);
    }
    EXPECT(nbytes[6] + stream_nbytes[6] <= BUDGET_NBYTES);
    snprintf(sentence, sizeof sentence,
             "a compressor takes, in KiB: %u at level 1, %u at levels 2 to 9, %u,%03u above; a stream %u more.",
             kib(nbytes[1]), kib(nbytes[2]), kib(nbytes[12]) / 1000, kib(nbytes[12]) % 1000, kib(stream_nbytes[1]));
    expect_sentence(header, sentence);
    snprintf(sentence, sizeof sentence, "up to %u KiB at a time", kib(max_written_nbytes));
    expect_sentence(header, sentence);
    snprintf(sentence, sizeof sentence, "A reader takes %u.", kib(reader_nbytes()));
    expect_sentence(header, sentence);
}

/* What is decoded in one call is all that is allocated, and twice that where the trailer doesn't tell how large it is.
 */
static void test_decoding(const char *header) {
    size_t packed_nbytes = fino_gzip_compress(6, NULL, in, sizeof in, out, sizeof out), got;
    void *back;
    expect_sentence(header, "The one-shot decoders allocate nothing but the output.");
    EXPECT_EQ(fino_gzip_decompress(&allocator, out, packed_nbytes, SIZE_MAX, &back, &got), FINO_INFLATE_OK);
    EXPECT(got == sizeof in && alloc_count == 1 && peak_nbytes == sizeof in);
    hooked_free(NULL, back, got);
    take_peak();

    expect_sentence(header, "and no more than twice that is ever allocated");
    packed_nbytes += fino_gzip_compress(6, NULL, in, 1, out + packed_nbytes, sizeof out - packed_nbytes);
    for (size_t cap = sizeof in; cap <= 4 * sizeof in; cap += 333333) {
        enum fino_inflate_status status = fino_gzip_decompress(&allocator, out, packed_nbytes, cap, &back, &got);
        EXPECT_EQ(status, cap == sizeof in ? FINO_INFLATE_OUTPUT_FULL : FINO_INFLATE_OK);
        EXPECT(alloc_count > 10 && peak_nbytes <= 2 * cap);
        if (back) hooked_free(NULL, back, got);
        take_peak();
    }
}

int main(void) {
    const char *header = read_header();
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof in; i++) { /* random bytes, and then what compresses */
        state = state * 6364136223846793005u + 1442695040888963407u;
        in[i] = i < 300000 ? (uint8_t)(state >> 56) : (uint8_t)(state >> 61);
    }
    test_figures(header);
    test_decoding(header);
    return 0;
}
