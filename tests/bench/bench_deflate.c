// LINK: -lz -ldeflate -lzopfli
/* Compression and decompression of the files named, beside zlib and libdeflate in the same process, in alternated runs:
 * size relative to each, and speed relative to it (above 1: fino is faster), by medians of CPU time; then all ratios
 * and speeds in one table. Zopfli, which takes minutes, is run once.
 *
 * usage: bench_deflate [-r RUNS] [-l LEVEL,LEVEL,...] [-z ROUNDS] [-p] FILE...
 *   -l  level 0 stands for decompression of what fino has made at level 6 (1,6,9,12,0)
 *   -z  zopfli with so many rounds at the highest level (0: not at all)
 *   -p  not the files but 200 pieces of 1 to 50 kB cut from them, each compressed by itself */
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zopfli/zopfli.h>

#include "deflate/deflate.h"

enum {
    MAX_RUNS = 99,
    MAX_LEVELS = 12,
    MAX_FILES = 32,
    PIECES = 200,
    PIECE_MIN_NBYTES = 1000,
    PIECE_MAX_NBYTES = 50000,
    TURN_MS = 20,              /* so long at least is measured at a time, again and again if need be */
    SLACK_NBYTES = 65536,      /* on top of what a codec may need for a whole file */
    STREAM_IN_NBYTES = 16384,  /* what the streaming decoders are given at a time */
    STREAM_OUT_NBYTES = 65536, /* and the room for what they make of it */
};

enum { FINO, LIBDEFLATE, ZLIB, TIMED_COUNT, ZOPFLI = TIMED_COUNT, CODEC_COUNT };
/* The ways to decode: in one call, and by a stream. */
enum { FINO_WHOLE, LIBDEFLATE_WHOLE, ZLIB_WHOLE, FINO_STREAM, ZLIB_STREAM, DECODER_COUNT };

struct piece {
    const unsigned char *bytes;
    size_t nbytes;
};

/* What one row of the table is about: inputs that are compressed one by one. */
struct item {
    const char *name;
    struct piece pieces[PIECES];
    int count;
    size_t nbytes;     /* of all */
    size_t max_nbytes; /* of one */
};

/* What a codec has made of an item. */
struct result {
    size_t size;
    double ms;
};

/* All that takes part in a row. */
struct codecs {
    fino_deflate_compressor *fino;
    struct libdeflate_compressor *libdeflate;
    z_stream zlib;
};

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

/* Who of COUNT comes in turn TURN of round RUN: another one begins each round, and the rounds go forwards and
 * backwards, so that nobody always runs on the cache that the same one left. */
static int whose_turn(int run, int turn, int count) {
    return (run + (run % 2 ? count - turn : turn)) % count;
}

/* How often what takes MS is done in a turn. */
static int repeats(double ms) {
    return ms < TURN_MS ? (int)(TURN_MS / ms) + 1 : 1;
}

/* How much SIZE is above CONTROL. */
static double percent(size_t size, size_t control) {
    return 100.0 * ((double)size / (double)control - 1);
}

static void *allocate(size_t nbytes) {
    void *memory = malloc(nbytes ? nbytes : 1);
    if (!memory) abort();
    return memory;
}

/* ---- The inputs ---- */

static void add_piece(struct item *item, const unsigned char *bytes, size_t nbytes) {
    item->pieces[item->count++] = (struct piece){bytes, nbytes};
    item->nbytes += nbytes;
    if (nbytes > item->max_nbytes) item->max_nbytes = nbytes;
}

static struct item read_file(const char *path) {
    struct item item = {.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path};
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes;
    size_t nbytes;
    if (!stream) {
        perror(path);
        exit(1);
    }
    fseek(stream, 0, SEEK_END);
    nbytes = (size_t)ftell(stream);
    rewind(stream);
    bytes = allocate(nbytes);
    if (fread(bytes, 1, nbytes, stream) != nbytes) exit(1);
    fclose(stream);
    add_piece(&item, bytes, nbytes);
    return item;
}

/* The same pieces for the same files. */
static struct item cut_pieces(const struct item *files, int file_count) {
    struct item item = {.name = "pieces"};
    unsigned long long state = 1;
    for (int i = 0; i < PIECES; i++) {
        const struct piece *file = &files[i % file_count].pieces[0];
        size_t nbytes = PIECE_MIN_NBYTES, at = 0;
        state = state * 6364136223846793005u + 1442695040888963407u;
        nbytes += (state >> 33) % (PIECE_MAX_NBYTES - PIECE_MIN_NBYTES);
        if (nbytes > file->nbytes) nbytes = file->nbytes;
        if (nbytes < file->nbytes) at = (size_t)(state >> 20) % (file->nbytes - nbytes);
        add_piece(&item, file->bytes + at, nbytes);
    }
    return item;
}

/* ---- Compression ---- */

static void open_codecs(struct codecs *codecs, int level) {
    memset(codecs, 0, sizeof *codecs);
    codecs->fino = fino_deflate_compressor_new(level, NULL);
    codecs->libdeflate = libdeflate_alloc_compressor(level);
    deflateInit2(&codecs->zlib, level > 9 ? 9 : level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

static void close_codecs(struct codecs *codecs) {
    fino_deflate_compressor_free(codecs->fino);
    libdeflate_free_compressor(codecs->libdeflate);
    deflateEnd(&codecs->zlib);
}

static size_t compress_piece(struct codecs *codecs, int codec, const struct piece *piece, unsigned char *out,
                             size_t capacity) {
    z_stream *zlib = &codecs->zlib;
    switch (codec) {
        case FINO: return fino_deflate_compressor_deflate(codecs->fino, piece->bytes, piece->nbytes, out, capacity);
        case LIBDEFLATE:
            return libdeflate_deflate_compress(codecs->libdeflate, piece->bytes, piece->nbytes, out, capacity);
        default:
            deflateReset(zlib);
            zlib->next_in = (unsigned char *)piece->bytes;
            zlib->avail_in = (unsigned)piece->nbytes;
            zlib->next_out = out;
            zlib->avail_out = (unsigned)capacity;
            if (deflate(zlib, Z_FINISH) != Z_STREAM_END) abort();
            return zlib->total_out;
    }
}

static struct result compress_item(struct codecs *codecs, int codec, const struct item *item, unsigned char *out,
                                   size_t capacity) {
    double begin = cpu_ms();
    size_t size = 0;
    for (int i = 0; i < item->count; i++)
        size += compress_piece(codecs, codec, &item->pieces[i], out, capacity);
    return (struct result){size, cpu_ms() - begin};
}

static struct result compress_with_zopfli(const struct item *item, int rounds) {
    ZopfliOptions options;
    double begin = cpu_ms();
    size_t size = 0;
    ZopfliInitOptions(&options);
    options.numiterations = rounds;
    for (int i = 0; i < item->count; i++) {
        unsigned char *out = NULL;
        size_t nbytes = 0;
        ZopfliCompress(&options, ZOPFLI_FORMAT_DEFLATE, item->pieces[i].bytes, item->pieces[i].nbytes, &out, &nbytes);
        size += nbytes;
        free(out);
    }
    return (struct result){size, cpu_ms() - begin};
}

static void bench_level(const struct item *item, int level, int runs, struct result results[CODEC_COUNT]) {
    size_t capacity = item->max_nbytes + item->max_nbytes / 8 + SLACK_NBYTES;
    double times[TIMED_COUNT][MAX_RUNS];
    unsigned char *out = allocate(capacity);
    struct codecs codecs;
    open_codecs(&codecs, level);
    int count = repeats(compress_item(&codecs, FINO, item, out, capacity).ms);
    for (int run = 0; run < runs; run++) {
        for (int turn = 0; turn < TIMED_COUNT; turn++) {
            int codec = whose_turn(run, turn, TIMED_COUNT);
            times[codec][run] = 0;
            for (int i = 0; i < count; i++) {
                results[codec] = compress_item(&codecs, codec, item, out, capacity);
                times[codec][run] += results[codec].ms / count;
            }
        }
    }
    for (int codec = 0; codec < TIMED_COUNT; codec++)
        results[codec].ms = median(times[codec], runs);
    close_codecs(&codecs);
    free(out);
}

static double ratio(const struct item *item, const struct result *result) {
    return (double)result->size / (double)item->nbytes;
}

static double speed(const struct item *item, const struct result *result) {
    return (double)item->nbytes / result->ms / 1e3;
}

/* One item at one level: fino, and how much larger and how many times faster it is than each. */
static void print_level(const struct item *item, int level, const struct result results[CODEC_COUNT]) {
    const struct result *fino = &results[FINO];
    printf("| %-13s | %2d | %.5f | %6.1f |", item->name, level, ratio(item, fino), speed(item, fino));
    for (int codec = LIBDEFLATE; codec < CODEC_COUNT; codec++)
        if (results[codec].size)
            printf(" %+6.2f %% | x%.2f |", percent(fino->size, results[codec].size), results[codec].ms / fino->ms);
    printf("\n");
    fflush(stdout);
}

/* ---- Decompression ---- */

struct decoders {
    struct libdeflate_decompressor *libdeflate;
    z_stream zlib;
};

static void inflate_with_zlib(z_stream *zlib, const struct piece *packed, unsigned char *out, size_t nbytes) {
    inflateReset(zlib);
    zlib->next_in = (unsigned char *)packed->bytes;
    zlib->avail_in = (unsigned)packed->nbytes;
    zlib->next_out = out;
    zlib->avail_out = (unsigned)nbytes;
    if (inflate(zlib, Z_FINISH) != Z_STREAM_END) abort();
}

static ptrdiff_t read_piece(void *context, void *buffer, size_t nbytes) {
    struct piece *left = context;
    if (nbytes > STREAM_IN_NBYTES) nbytes = STREAM_IN_NBYTES;
    if (nbytes > left->nbytes) nbytes = left->nbytes;
    memcpy(buffer, left->bytes, nbytes);
    left->bytes += nbytes;
    left->nbytes -= nbytes;
    return (ptrdiff_t)nbytes;
}

/* Both streams get their input by a copy into a buffer, as from a file. Returns how much they have decoded. */
static size_t stream_with_fino(const struct piece *packed, unsigned char *out) {
    struct piece left = *packed;
    struct fino_inflate_reader_config config = {.read = read_piece, .context = &left};
    fino_inflate_reader *reader = fino_inflate_reader_new(&config);
    size_t got, total = 0;
    if (!reader) abort();
    do {
        if (fino_inflate_reader_read(reader, out, STREAM_OUT_NBYTES, &got) != FINO_INFLATE_OK) abort();
        total += got;
    } while (got == STREAM_OUT_NBYTES);
    fino_inflate_reader_free(reader);
    return total;
}

static size_t stream_with_zlib(const struct piece *packed, unsigned char *out) {
    static unsigned char in[STREAM_IN_NBYTES];
    struct piece left = *packed;
    z_stream zlib = {0};
    int status = Z_OK;
    size_t total;
    if (inflateInit2(&zlib, -15) != Z_OK) abort();
    while (status == Z_OK) {
        if (zlib.avail_in == 0) {
            zlib.next_in = in;
            zlib.avail_in = (unsigned)read_piece(&left, in, sizeof in);
        }
        zlib.next_out = out;
        zlib.avail_out = STREAM_OUT_NBYTES;
        status = inflate(&zlib, Z_NO_FLUSH);
    }
    if (status != Z_STREAM_END) abort();
    total = zlib.total_out;
    inflateEnd(&zlib);
    return total;
}

static void decompress_piece(struct decoders *decoders, int decoder, const struct piece *packed, unsigned char *out,
                             size_t nbytes) {
    size_t got = nbytes;
    switch (decoder) {
        case FINO_WHOLE:
            if (fino_inflate(packed->bytes, packed->nbytes, out, nbytes, NULL, &got) != FINO_INFLATE_OK) abort();
            break;
        case LIBDEFLATE_WHOLE:
            if (libdeflate_deflate_decompress(decoders->libdeflate, packed->bytes, packed->nbytes, out, nbytes, &got))
                abort();
            break;
        case ZLIB_WHOLE: inflate_with_zlib(&decoders->zlib, packed, out, nbytes); break;
        case FINO_STREAM: got = stream_with_fino(packed, out); break;
        default: got = stream_with_zlib(packed, out); break;
    }
    if (got != nbytes) abort();
}

/* Returns the milliseconds it takes. */
static double decompress_item(struct decoders *decoders, int decoder, const struct item *item,
                              const struct item *packed, unsigned char *out) {
    double begin = cpu_ms();
    for (int i = 0; i < item->count; i++)
        decompress_piece(decoders, decoder, &packed->pieces[i], out, item->pieces[i].nbytes);
    return cpu_ms() - begin;
}

/* What level 6 of ours has made of ITEM, to be decoded. */
static struct item *pack(const struct item *item) {
    fino_deflate_compressor *compressor = fino_deflate_compressor_new(6, NULL);
    struct item *packed = allocate(sizeof *packed);
    memset(packed, 0, sizeof *packed);
    for (int i = 0; i < item->count; i++) {
        size_t bound = fino_deflate_bound(item->pieces[i].nbytes);
        unsigned char *bytes = allocate(bound);
        add_piece(
            packed, bytes,
            fino_deflate_compressor_deflate(compressor, item->pieces[i].bytes, item->pieces[i].nbytes, bytes, bound));
    }
    fino_deflate_compressor_free(compressor);
    return packed;
}

static void bench_inflate(const struct item *item, int runs) {
    double times[DECODER_COUNT][MAX_RUNS], mid[DECODER_COUNT];
    int count;
    unsigned char *out = allocate(item->max_nbytes + STREAM_OUT_NBYTES);
    struct item *packed = pack(item);
    struct decoders decoders = {.libdeflate = libdeflate_alloc_decompressor()};
    inflateInit2(&decoders.zlib, -15);
    count = repeats(decompress_item(&decoders, FINO_WHOLE, item, packed, out));
    for (int run = 0; run < runs; run++) {
        for (int turn = 0; turn < DECODER_COUNT; turn++) {
            int decoder = whose_turn(run, turn, DECODER_COUNT);
            times[decoder][run] = 0;
            for (int i = 0; i < count; i++)
                times[decoder][run] += decompress_item(&decoders, decoder, item, packed, out) / count;
        }
    }
    for (int decoder = 0; decoder < DECODER_COUNT; decoder++)
        mid[decoder] = median(times[decoder], runs);
    printf("| %-13s | %7.1f | x%.2f | x%.2f | %7.1f | x%.2f |\n", item->name,
           (double)item->nbytes / mid[FINO_WHOLE] / 1e3, mid[LIBDEFLATE_WHOLE] / mid[FINO_WHOLE],
           mid[ZLIB_WHOLE] / mid[FINO_WHOLE], (double)item->nbytes / mid[FINO_STREAM] / 1e3,
           mid[ZLIB_STREAM] / mid[FINO_STREAM]);
    fflush(stdout);
    libdeflate_free_decompressor(decoders.libdeflate);
    inflateEnd(&decoders.zlib);
    for (int i = 0; i < packed->count; i++)
        free((unsigned char *)packed->pieces[i].bytes);
    free(packed);
    free(out);
}

/* ---- The tables ---- */

struct options {
    int runs;
    int levels[MAX_LEVELS];
    int level_count;
    int zopfli_rounds;
    bool has_pieces;
};

static int read_options(int argc, char **argv, struct options *options) {
    int option;
    while ((option = getopt(argc, argv, "r:l:z:p")) != -1) {
        switch (option) {
            case 'r': options->runs = atoi(optarg); break;
            case 'z': options->zopfli_rounds = atoi(optarg); break;
            case 'p': options->has_pieces = true; break;
            case 'l':
                options->level_count = 0;
                for (char *next = optarg; *next && options->level_count < MAX_LEVELS; next += *next == ',')
                    options->levels[options->level_count++] = (int)strtol(next, &next, 10);
                break;
            default: exit(2);
        }
    }
    if (options->runs < 1 || options->runs > MAX_RUNS || optind == argc || argc - optind > MAX_FILES) exit(2);
    return optind;
}

/* What CODEC makes of ITEM at all levels: ratio and MB/s of each. */
static void print_cell(const struct item *item, int codec, const struct options *options,
                       struct result results[MAX_LEVELS][CODEC_COUNT]) {
    const char *before = " ";
    for (int j = 0; j < options->level_count; j++) {
        const struct result *result = &results[j][codec];
        if (!result->size || (codec == ZLIB && options->levels[j] > 9)) continue;
        printf("%s%.4f %.*f", before, ratio(item, result), codec == ZOPFLI ? 2 : 0, speed(item, result));
        before = " / ";
    }
    printf(" |");
}

static void print_summary(const struct item *items, int count, const struct options *options,
                          struct result results[MAX_FILES][MAX_LEVELS][CODEC_COUNT]) {
    static const char *const names[] = {
        [FINO] = "fino", [LIBDEFLATE] = "libdeflate", [ZLIB] = "zlib", [ZOPFLI] = "zopfli"};
    static const int order[] = {ZLIB, LIBDEFLATE, FINO, ZOPFLI};
    int columns = options->zopfli_rounds ? CODEC_COUNT : TIMED_COUNT;
    printf("\n| ratio, MB/s    |");
    for (int column = 0; column < columns; column++) {
        printf(" %s", names[order[column]]);
        for (int j = 0; j < options->level_count && order[column] != ZOPFLI; j++)
            if (options->levels[j] && (order[column] != ZLIB || options->levels[j] <= 9))
                printf("%s%d", j ? " / " : " ", options->levels[j]);
        printf(" |");
    }
    printf("\n| --- |");
    for (int column = 0; column < columns; column++)
        printf(" --- |");
    for (int i = 0; i < count; i++) {
        printf("\n| %-13s |", items[i].name);
        for (int column = 0; column < columns; column++)
            print_cell(&items[i], order[column], options, results[i]);
    }
    printf("\n\n");
}

static void print_compression(const struct item *items, int count, const struct options *options) {
    static struct result results[MAX_FILES][MAX_LEVELS][CODEC_COUNT];
    int highest = 0;
    for (int j = 0; j < options->level_count; j++)
        if (options->levels[j] > highest) highest = options->levels[j];
    if (highest == 0) return;
    printf("| file          |  l | ratio   | MB/s   | size/libdeflate | speed | size/zlib | speed |%s\n",
           options->zopfli_rounds ? " size/zopfli | speed |" : "");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- |%s\n", options->zopfli_rounds ? " --- | --- |" : "");
    for (int j = 0; j < options->level_count; j++) {
        int level = options->levels[j];
        for (int i = 0; level && i < count; i++) {
            bench_level(&items[i], level, options->runs, results[i][j]);
            if (level == highest && options->zopfli_rounds)
                results[i][j][ZOPFLI] = compress_with_zopfli(&items[i], options->zopfli_rounds);
            print_level(&items[i], level, results[i][j]);
        }
    }
    print_summary(items, count, options, results);
}

static void print_decompression(const struct item *items, int count, const struct options *options) {
    for (int j = 0; j < options->level_count; j++) {
        if (options->levels[j]) continue;
        printf("| inflate       | MB/s    | /libdeflate | /zlib | stream, MB/s | /zlib |\n");
        printf("| --- | --- | --- | --- | --- | --- |\n");
        for (int i = 0; i < count; i++)
            bench_inflate(&items[i], options->runs);
        printf("\n");
    }
}

int main(int argc, char **argv) {
    static struct item files[MAX_FILES], pieces;
    struct options options = {.runs = 5, .levels = {1, 6, 9, 12, 0}, .level_count = 5};
    int first = read_options(argc, argv, &options), count = argc - first;
    const struct item *items = files;
    for (int i = 0; i < count; i++)
        files[i] = read_file(argv[first + i]);
    if (options.has_pieces) {
        pieces = cut_pieces(files, count);
        items = &pieces;
        count = 1;
    }
    print_compression(items, count, &options);
    print_decompression(items, count, &options);
    return 0;
}
