// LINK: -lz -ldeflate
/* Compression and decompression of the files named, against zlib and libdeflate in the same process, in alternated
 * runs: output size relative to each control, and speed relative to it (above 1: fino is faster), by medians of CPU
 * time. A last row is of many short inputs, pieces of 1 to 50 kB cut from the files.
 *
 * usage: bench_deflate [-r RUNS] [-l LEVEL,LEVEL,...] FILE... */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "deflate/deflate.h"

enum {
    MAX_RUNS = 99,
    MAX_LEVELS = 12,
    MAX_FILES = 32,
    PIECES = 200,
    PIECE_MIN_NBYTES = 1000,
    PIECE_MAX_NBYTES = 50000,
    OUT_NBYTES = 65536 /* more than a piece's bound: what a whole file needs is asked for */
};

enum { FINO, LIBDEFLATE, ZLIB, CODEC_COUNT };

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
    struct item item = {.name = "1-50 kB pieces"};
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

static void bench_level(const struct item *item, int level, int runs) {
    size_t capacity = item->max_nbytes + item->max_nbytes / 8 + OUT_NBYTES, sizes[CODEC_COUNT];
    double times[CODEC_COUNT][MAX_RUNS], mid[CODEC_COUNT];
    unsigned char *out = allocate(capacity);
    struct codecs codecs;
    open_codecs(&codecs, level);
    for (int run = 0; run < runs; run++) {
        for (int codec = 0; codec < CODEC_COUNT; codec++) {
            double begin = cpu_ms();
            sizes[codec] = 0;
            for (int i = 0; i < item->count; i++)
                sizes[codec] += compress_piece(&codecs, codec, &item->pieces[i], out, capacity);
            times[codec][run] = cpu_ms() - begin;
        }
    }
    for (int codec = 0; codec < CODEC_COUNT; codec++)
        mid[codec] = median(times[codec], runs);
    printf("| %-16s | %2d | %.5f | %6.1f | %+6.2f %% | x%.2f | %+6.2f %% | x%.2f |\n", item->name, level,
           (double)sizes[FINO] / (double)item->nbytes, (double)item->nbytes / mid[FINO] / 1e3,
           100.0 * ((double)sizes[FINO] / (double)sizes[LIBDEFLATE] - 1), mid[LIBDEFLATE] / mid[FINO],
           100.0 * ((double)sizes[FINO] / (double)sizes[ZLIB] - 1), mid[ZLIB] / mid[FINO]);
    fflush(stdout);
    close_codecs(&codecs);
    free(out);
}

/* ---- Decompression ---- */

struct decoders {
    struct libdeflate_decompressor *libdeflate;
    z_stream zlib;
};

static void decompress_piece(struct decoders *decoders, int codec, const struct piece *packed, unsigned char *out,
                             size_t nbytes) {
    z_stream *zlib = &decoders->zlib;
    size_t got;
    switch (codec) {
        case FINO:
            if (fino_inflate(packed->bytes, packed->nbytes, out, nbytes, NULL, &got) != FINO_INFLATE_OK) abort();
            break;
        case LIBDEFLATE:
            if (libdeflate_deflate_decompress(decoders->libdeflate, packed->bytes, packed->nbytes, out, nbytes, &got))
                abort();
            break;
        default:
            inflateReset(zlib);
            zlib->next_in = (unsigned char *)packed->bytes;
            zlib->avail_in = (unsigned)packed->nbytes;
            zlib->next_out = out;
            zlib->avail_out = (unsigned)nbytes;
            if (inflate(zlib, Z_FINISH) != Z_STREAM_END) abort();
    }
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
    double times[CODEC_COUNT][MAX_RUNS], mid[CODEC_COUNT];
    unsigned char *out = allocate(item->max_nbytes);
    struct item *packed = pack(item);
    struct decoders decoders = {.libdeflate = libdeflate_alloc_decompressor()};
    inflateInit2(&decoders.zlib, -15);
    for (int run = 0; run < runs; run++) {
        for (int codec = 0; codec < CODEC_COUNT; codec++) {
            double begin = cpu_ms();
            for (int i = 0; i < item->count; i++)
                decompress_piece(&decoders, codec, &packed->pieces[i], out, item->pieces[i].nbytes);
            times[codec][run] = cpu_ms() - begin;
        }
    }
    for (int codec = 0; codec < CODEC_COUNT; codec++)
        mid[codec] = median(times[codec], runs);
    printf("| %-16s | %6.1f | x%.2f | x%.2f |\n", item->name, (double)item->nbytes / mid[FINO] / 1e3,
           mid[LIBDEFLATE] / mid[FINO], mid[ZLIB] / mid[FINO]);
    fflush(stdout);
    libdeflate_free_decompressor(decoders.libdeflate);
    inflateEnd(&decoders.zlib);
    for (int i = 0; i < packed->count; i++)
        free((unsigned char *)packed->pieces[i].bytes);
    free(packed);
    free(out);
}

int main(int argc, char **argv) {
    static struct item items[MAX_FILES + 1];
    int levels[MAX_LEVELS] = {1, 6, 9, 12}, level_count = 4, runs = 7, first = 1, count = 0;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (argv[first][1] == 'r') runs = atoi(argv[first + 1]);
        if (argv[first][1] != 'l') continue;
        level_count = 0;
        for (char *next = argv[first + 1]; *next && level_count < MAX_LEVELS; next += *next == ',')
            levels[level_count++] = (int)strtol(next, &next, 10);
    }
    if (runs < 1 || runs > MAX_RUNS) runs = 7;
    for (int i = first; i < argc && count < MAX_FILES; i++)
        items[count++] = read_file(argv[i]);
    if (count == 0) return 2;
    items[count] = cut_pieces(items, count);

    printf("| level | memory, KiB |\n| --- | --- |\n");
    for (int i = 0; i < level_count; i++)
        printf("| %2d | %.0f |\n", levels[i], (double)fino_deflate_compressor_nbytes(levels[i]) / 1024);
    printf("\n| file             |  l | ratio   | MB/s   | size/libdeflate | speed | size/zlib | speed |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int j = 0; j < level_count; j++)
        for (int i = 0; i <= count; i++)
            bench_level(&items[i], levels[j], levels[j] > 9 && runs > 3 ? 3 : runs);
    printf("\n| inflate          | MB/s   | /libdeflate | /zlib |\n| --- | --- | --- | --- |\n");
    for (int i = 0; i <= count; i++)
        bench_inflate(&items[i], runs);
    return 0;
}
