// bench_pprof_protobuf.cc: the workload of bench_pprof.c through the C++ that protoc makes of profile.proto (in an
// arena, its fastest way) and zlib. Equal stacks are counted in a hash table first. Built by tests/bench/pprof.sh.
//
//   bench_pprof_protobuf FILE LEVEL
#include <google/protobuf/arena.h>
#include <sys/resource.h>
#include <time.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile.pb.h"

namespace {

using perftools::profiles::Profile;
using perftools::profiles::Sample;

enum { STACK_COUNT = 100000, DEPTH = 40, SAMPLE_COUNT = 1000000, FUNCTION_COUNT = 8000 };

struct Workload {
    uint32_t stacks[STACK_COUNT][DEPTH];
    uint32_t order[SAMPLE_COUNT];
};

double now_ms() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

class Strings {
  public:
    explicit Strings(Profile *profile) : profile_(profile) {
        id("");
    }
    int64_t id(const std::string &text) {
        auto [at, is_new] = ids_.try_emplace(text, int64_t(ids_.size()));
        if (is_new) profile_->add_string_table(text);
        return at->second;
    }

  private:
    Profile *profile_;
    std::unordered_map<std::string, int64_t> ids_;
};

void add_header(Profile *profile, Strings *strings) {
    static const char *const types[][2] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
    for (auto &type : types) {
        auto *value_type = profile->add_sample_type();
        value_type->set_type(strings->id(type[0])), value_type->set_unit(strings->id(type[1]));
    }
    *profile->mutable_period_type() = profile->sample_type(1);
    profile->set_period(1000000);
    auto *mapping = profile->add_mapping();
    mapping->set_id(1), mapping->set_memory_start(0x400000), mapping->set_memory_limit(0x800000);
    mapping->set_filename(strings->id("/usr/bin/program")), mapping->set_build_id(strings->id("0123456789abcdef"));
    mapping->set_has_functions(true);
    for (unsigned i = 0; i < FUNCTION_COUNT; i++) {
        std::string module = "module" + std::to_string(i / 40);
        int64_t name = strings->id(module + ".function" + std::to_string(i));
        auto *function = profile->add_function();
        function->set_id(i + 1), function->set_name(name), function->set_system_name(name);
        function->set_filename(strings->id("/home/user/project/src/" + module + ".ts"));
        function->set_start_line(i % 40 * 25 + 1);
        auto *location = profile->add_location();
        location->set_id(i + 1), location->set_mapping_id(1), location->set_address(0x400000 + i * 64);
        auto *line = location->add_line();
        line->set_function_id(i + 1), line->set_line(i % 40 * 25 + 7);
    }
}

void add_samples(Profile *profile, Strings *strings, const Workload &work) {
    std::unordered_map<std::string_view, Sample *> samples;
    int64_t thread = strings->id("thread"), main = strings->id("main");
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const uint32_t *stack = work.stacks[work.order[i]];
        Sample *&sample = samples[{reinterpret_cast<const char *>(stack), DEPTH * sizeof *stack}];
        if (!sample) {
            sample = profile->add_sample();
            sample->mutable_location_id()->Reserve(DEPTH);
            for (int at = 0; at < DEPTH; at++)
                sample->add_location_id(stack[at] + 1);
            sample->add_value(0), sample->add_value(0);
            auto *label = sample->add_label();
            label->set_key(thread), label->set_str(main);
        }
        sample->set_value(0, sample->value(0) + 1);
        sample->set_value(1, sample->value(1) + 1000000 + i % 1000);
    }
}

std::string compress_gzip(const std::string &plain, int level) {
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

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::vector<Workload> work(1);
    FILE *file = fopen(argv[1], "rb");
    if (!file || fread(work.data(), sizeof(Workload), 1, file) != 1) return perror(argv[1]), 1;
    fclose(file);
    double started = now_ms();
    google::protobuf::Arena arena;
    Profile *profile = google::protobuf::Arena::CreateMessage<Profile>(&arena);
    Strings strings(profile);
    add_header(profile, &strings);
    add_samples(profile, &strings, work[0]);
    double added = now_ms();
    std::string plain = profile->SerializeAsString();
    double encoded = now_ms();
    std::string packed = compress_gzip(plain, atoi(argv[2]));
    double compressed = now_ms();
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"who\":\"C++ protobuf, zlib\",\"add_ms\":%.1f,\"encode_ms\":%.1f,\"gzip_ms\":%.1f,\"total_ms\":%.1f,"
           "\"stacks\":%d,\"plain_bytes\":%zu,\"gzip_bytes\":%zu,\"peak_bytes\":%ld}\n",
           added - started, encoded - added, compressed - encoded, compressed - started, profile->sample_size(),
           plain.size(), packed.size(), usage.ru_maxrss * 1024);
    return 0;
}
