// bench_pprof_counted.h: the workload of bench_pprof.c, read and counted, for the encoders that only encode: equal
// stacks in a hash table, strings in another, all in plain structs. What each of them makes of these is its own
// (bench_pprof_*.cc); zlib compresses it, or libdeflate with BENCH_LIBDEFLATE. A third argument names a file for it,
// which pprof.sh compares.
#ifndef BENCH_PPROF_COUNTED_H
#define BENCH_PPROF_COUNTED_H

#include <sys/resource.h>
#include <time.h>

#ifdef BENCH_LIBDEFLATE
#include <libdeflate.h>
#define BENCH_GZIP "libdeflate"
#else
#include <zlib.h>
#define BENCH_GZIP "zlib"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

enum { STACK_COUNT = 100000, DEPTH = 40, SAMPLE_COUNT = 1000000, FUNCTION_COUNT = 8000 };

struct Workload {
    uint32_t stacks[STACK_COUNT][DEPTH]; // leaf first; numbers of functions
    uint32_t order[SAMPLE_COUNT];
};

struct Function {
    int64_t name, filename, start_line, line; // each has one location, whose id is the function's
};

struct Counted {
    struct Sample {
        std::vector<uint64_t> location_ids;
        int64_t values[2];
    };
    std::vector<std::string> strings;
    int64_t types[2][2]; // name and unit; the second is the period's
    int64_t period = 1000000, mapping_filename, build_id, label_key, label_value;
    uint64_t memory_start = 0x400000, memory_limit = 0x800000;
    std::vector<Function> functions; // ids from 1
    std::vector<Sample> samples;
};

class Counter {
  public:
    explicit Counter(const Workload &work) {
        id("");
        add_header();
        for (unsigned i = 0; i < FUNCTION_COUNT; i++)
            add_function(i);
        add_samples(work);
    }
    Counted counted;

  private:
    int64_t id(const std::string &text) {
        auto [at, is_new] = ids_.try_emplace(text, int64_t(ids_.size()));
        if (is_new) counted.strings.push_back(text);
        return at->second;
    }

    void add_header() {
        static const char *const types[2][2] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
        for (int i = 0; i < 2; i++)
            counted.types[i][0] = id(types[i][0]), counted.types[i][1] = id(types[i][1]);
        counted.mapping_filename = id("/usr/bin/program"), counted.build_id = id("0123456789abcdef");
        counted.label_key = id("thread"), counted.label_value = id("main");
    }

    void add_function(unsigned i) {
        std::string module = "module" + std::to_string(i / 40);
        counted.functions.push_back({id(module + ".function" + std::to_string(i)),
                                     id("/home/user/project/src/" + module + ".ts"), i % 40 * 25 + 1, i % 40 * 25 + 7});
    }

    void add_samples(const Workload &work) {
        std::unordered_map<std::string_view, size_t> known;
        for (int i = 0; i < SAMPLE_COUNT; i++) {
            const uint32_t *stack = work.stacks[work.order[i]];
            std::string_view key{reinterpret_cast<const char *>(stack), DEPTH * sizeof *stack};
            auto [at, is_new] = known.try_emplace(key, known.size());
            if (is_new) {
                counted.samples.push_back({std::vector<uint64_t>(stack, stack + DEPTH), {0, 0}});
                for (uint64_t &location : counted.samples.back().location_ids)
                    location++;
            }
            Counted::Sample &sample = counted.samples[at->second];
            sample.values[0]++, sample.values[1] += 1000000 + i % 1000;
        }
    }

    std::unordered_map<std::string, int64_t> ids_;
};

inline double now_ms() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

#ifdef BENCH_LIBDEFLATE
inline std::string compress_gzip(const std::string &plain, int level) {
    libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    std::string packed(libdeflate_gzip_compress_bound(compressor, plain.size()), 0);
    packed.resize(libdeflate_gzip_compress(compressor, plain.data(), plain.size(), &packed[0], packed.size()));
    libdeflate_free_compressor(compressor);
    return packed;
}
#else
inline std::string compress_gzip(const std::string &plain, int level) {
    z_stream stream = {};
    deflateInit2(&stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, plain.size()), 0);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(plain.data()));
    stream.avail_in = unsigned(plain.size());
    stream.next_out = reinterpret_cast<Bytef *>(&packed[0]);
    stream.avail_out = unsigned(packed.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}
#endif

inline void write_file(const char *path, const std::string &bytes) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || fclose(file) != 0) abort();
}

inline void print_figures(const char *who, double add_ms, double encode_ms, double gzip_ms, const Counted &counted,
                          const std::string &plain, const std::string &packed) {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"who\":\"%s\",\"add_ms\":%.1f,\"encode_ms\":%.1f,\"gzip_ms\":%.1f,\"total_ms\":%.1f,\"stacks\":%zu,"
           "\"plain_bytes\":%zu,\"gzip_bytes\":%zu,\"peak_bytes\":%ld}\n",
           who, add_ms, encode_ms, gzip_ms, add_ms + encode_ms + gzip_ms, counted.samples.size(), plain.size(),
           packed.size(), usage.ru_maxrss * 1024);
}

// usage: PROGRAM WORKLOAD LEVEL [OUT]
template <typename Encode> int bench_main(int argc, char **argv, const char *who, Encode encode) {
    if (argc < 3) return 2;
    std::vector<Workload> work(1);
    FILE *file = fopen(argv[1], "rb");
    if (!file || fread(work.data(), sizeof(Workload), 1, file) != 1) return perror(argv[1]), 1;
    fclose(file);
    double started = now_ms();
    Counter counter(work[0]);
    double added = now_ms();
    std::string plain = encode(counter.counted);
    double encoded = now_ms();
    std::string packed = compress_gzip(plain, atoi(argv[2]));
    double compressed = now_ms();
    print_figures(who, added - started, encoded - added, compressed - encoded, counter.counted, plain, packed);
    if (argc > 3) write_file(argv[3], packed);
    return 0;
}

#endif
