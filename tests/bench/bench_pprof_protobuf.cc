// bench_pprof_protobuf.cc: the workload of bench_pprof.c through the C++ that protoc makes of profile.proto, in an
// arena, its fastest way. Built by tests/bench/pprof.sh.
#include <google/protobuf/arena.h>

#include "bench_pprof_counted.h"
#include "profile.pb.h"

using perftools::profiles::Profile;

static void set_value_type(perftools::profiles::ValueType *message, const int64_t type[2]) {
    message->set_type(type[0]), message->set_unit(type[1]);
}

static void add_header(Profile *profile, const Counted &counted) {
    set_value_type(profile->add_sample_type(), counted.types[0]);
    set_value_type(profile->add_sample_type(), counted.types[1]);
    set_value_type(profile->mutable_period_type(), counted.types[1]);
    profile->set_period(counted.period);
    auto *mapping = profile->add_mapping();
    mapping->set_id(1), mapping->set_memory_start(counted.memory_start),
        mapping->set_memory_limit(counted.memory_limit);
    mapping->set_filename(counted.mapping_filename), mapping->set_build_id(counted.build_id);
    mapping->set_has_functions(true);
    for (const std::string &string : counted.strings)
        profile->add_string_table(string);
}

static void add_function(Profile *profile, uint64_t id, const Function &from) {
    auto *function = profile->add_function();
    function->set_id(id), function->set_name(from.name), function->set_system_name(from.name);
    function->set_filename(from.filename), function->set_start_line(from.start_line);
    auto *location = profile->add_location();
    location->set_id(id), location->set_mapping_id(1), location->set_address(0x400000 + (id - 1) * 64);
    auto *line = location->add_line();
    line->set_function_id(id), line->set_line(from.line);
}

static void add_sample(Profile *profile, const Counted &counted, const Counted::Sample &from) {
    auto *sample = profile->add_sample();
    sample->mutable_location_id()->Add(from.location_ids.begin(), from.location_ids.end());
    sample->mutable_value()->Add(from.values, from.values + 2);
    auto *label = sample->add_label();
    label->set_key(counted.label_key), label->set_str(counted.label_value);
}

static std::string encode(const Counted &counted) {
    google::protobuf::Arena arena;
    Profile *profile = google::protobuf::Arena::CreateMessage<Profile>(&arena);
    add_header(profile, counted);
    for (size_t i = 0; i < counted.functions.size(); i++)
        add_function(profile, i + 1, counted.functions[i]);
    for (const Counted::Sample &sample : counted.samples)
        add_sample(profile, counted, sample);
    return profile->SerializeAsString();
}

int main(int argc, char **argv) {
    return bench_main(argc, argv, "C++ protobuf, " BENCH_GZIP, encode);
}
