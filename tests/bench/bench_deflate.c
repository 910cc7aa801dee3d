// LINK: -lz -ldeflate
/* Compression and decompression of the files named, against zlib and libdeflate in the same process, in alternated
 * runs: output size relative to each control, and speed relative to it (above 1: fino is faster), by medians of CPU
 * time.
 *
 * usage: bench_deflate [-r RUNS] [-l LEVEL,LEVEL,...] FILE... */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "deflate/deflate.h"

enum { MAX_RUNS = 99, MAX_LEVELS = 12 };

struct file {
    const char *name;
    unsigned char *bytes;
    size_t nbytes;
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

static struct file read_file(const char *path) {
    struct file file = {path, NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        exit(1);
    }
    fseek(stream, 0, SEEK_END);
    file.nbytes = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = allocate(file.nbytes);
    if (fread(file.bytes, 1, file.nbytes, stream) != file.nbytes) exit(1);
    fclose(stream);
    if (strrchr(path, '/')) file.name = strrchr(path, '/') + 1;
    return file;
}

static void bench_level(const struct file *file, int level, int runs) {
    size_t capacity = fino_deflate_bound(file->nbytes) + compressBound((uLong)file->nbytes), sizes[3] = {0};
    double times[3][MAX_RUNS], mid[3];
    unsigned char *out = allocate(capacity);
    fino_deflate_compressor *ours = fino_deflate_compressor_new(level, NULL);
    struct libdeflate_compressor *theirs = libdeflate_alloc_compressor(level);
    for (int run = 0; run < runs; run++) {
        uLongf zlib_size = (uLongf)capacity;
        double t0 = cpu_ms();
        sizes[0] = fino_deflate_compressor_deflate(ours, file->bytes, file->nbytes, out, capacity);
        double t1 = cpu_ms();
        sizes[1] = libdeflate_deflate_compress(theirs, file->bytes, file->nbytes, out, capacity);
        double t2 = cpu_ms();
        compress2(out, &zlib_size, file->bytes, (uLong)file->nbytes, level > 9 ? 9 : level);
        double t3 = cpu_ms();
        sizes[2] = zlib_size - 6; /* zlib's own header and trailer */
        times[0][run] = t1 - t0;
        times[1][run] = t2 - t1;
        times[2][run] = t3 - t2;
    }
    for (int i = 0; i < 3; i++)
        mid[i] = median(times[i], runs);
    printf("| %-16s | %2d | %.5f | %6.1f | %+6.2f %% | x%.2f | %+6.2f %% | x%.2f |\n", file->name, level,
           (double)sizes[0] / (double)file->nbytes, (double)file->nbytes / mid[0] / 1e3,
           100.0 * ((double)sizes[0] / (double)sizes[1] - 1), mid[1] / mid[0],
           100.0 * ((double)sizes[0] / (double)sizes[2] - 1), mid[2] / mid[0]);
    fflush(stdout);
    fino_deflate_compressor_free(ours);
    libdeflate_free_compressor(theirs);
    free(out);
}

static void bench_inflate(const struct file *file, int runs) {
    size_t capacity = fino_gzip_bound(file->nbytes), got;
    unsigned char *packed = allocate(capacity), *out = allocate(file->nbytes);
    size_t size = fino_deflate_compress(6, NULL, file->bytes, file->nbytes, packed, capacity);
    struct libdeflate_decompressor *theirs = libdeflate_alloc_decompressor();
    double times[3][MAX_RUNS], mid[3];
    for (int run = 0; run < runs; run++) {
        z_stream stream;
        double t0 = cpu_ms();
        if (fino_inflate(packed, size, out, file->nbytes, NULL, &got) != FINO_INFLATE_OK) abort();
        double t1 = cpu_ms();
        if (libdeflate_deflate_decompress(theirs, packed, size, out, file->nbytes, &got)) abort();
        double t2 = cpu_ms();
        memset(&stream, 0, sizeof stream);
        inflateInit2(&stream, -15);
        stream.next_in = packed;
        stream.avail_in = (uInt)size;
        stream.next_out = out;
        stream.avail_out = (uInt)file->nbytes;
        if (inflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
        inflateEnd(&stream);
        double t3 = cpu_ms();
        times[0][run] = t1 - t0;
        times[1][run] = t2 - t1;
        times[2][run] = t3 - t2;
    }
    for (int i = 0; i < 3; i++)
        mid[i] = median(times[i], runs);
    printf("| %-16s | %6.1f | x%.2f | x%.2f |\n", file->name, (double)file->nbytes / mid[0] / 1e3, mid[1] / mid[0],
           mid[2] / mid[0]);
    libdeflate_free_decompressor(theirs);
    free(packed);
    free(out);
}

int main(int argc, char **argv) {
    int levels[MAX_LEVELS] = {1, 6, 9, 12}, level_count = 4, runs = 7, first = 1;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (argv[first][1] == 'r') runs = atoi(argv[first + 1]);
        if (argv[first][1] != 'l') continue;
        level_count = 0;
        for (char *next = argv[first + 1]; *next && level_count < MAX_LEVELS; next += *next == ',')
            levels[level_count++] = (int)strtol(next, &next, 10);
    }
    if (runs < 1 || runs > MAX_RUNS) runs = 7;
    printf("| file             |  l | ratio   | MB/s   | size/libdeflate | speed | size/zlib | speed |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = first; i < argc; i++) {
        struct file file = read_file(argv[i]);
        for (int j = 0; j < level_count; j++)
            bench_level(&file, levels[j], levels[j] > 9 && runs > 3 ? 3 : runs);
        free(file.bytes);
    }
    printf("\n| inflate          | MB/s   | /libdeflate | /zlib |\n| --- | --- | --- | --- |\n");
    for (int i = first; i < argc; i++) {
        struct file file = read_file(argv[i]);
        bench_inflate(&file, runs);
        free(file.bytes);
    }
    return 0;
}
