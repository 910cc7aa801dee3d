// bench_pprof_protozero.cc: the workload of bench_pprof.c through Mapbox's protozero, which writes fields one after
// another into a string, with no message objects. Built by tests/bench/pprof.sh.
#include <protozero/pbf_writer.hpp>

#include "bench_pprof_counted.h"

using protozero::pbf_writer;

static void put_value_type(pbf_writer &profile, uint32_t field, const int64_t type[2]) {
    pbf_writer value_type(profile, field);
    value_type.add_int64(1, type[0]), value_type.add_int64(2, type[1]);
}

static void put_mapping(pbf_writer &profile, const Counted &counted) {
    pbf_writer mapping(profile, 3);
    mapping.add_uint64(1, 1);
    mapping.add_uint64(2, counted.memory_start), mapping.add_uint64(3, counted.memory_limit);
    mapping.add_int64(5, counted.mapping_filename), mapping.add_int64(6, counted.build_id);
    mapping.add_bool(7, true);
}

static void put_location(pbf_writer &profile, uint64_t id, const Function &function) {
    pbf_writer location(profile, 4);
    location.add_uint64(1, id), location.add_uint64(2, 1), location.add_uint64(3, 0x400000 + (id - 1) * 64);
    pbf_writer line(location, 4);
    line.add_uint64(1, id), line.add_int64(2, function.line);
}

static void put_function(pbf_writer &profile, uint64_t id, const Function &function) {
    pbf_writer message(profile, 5);
    message.add_uint64(1, id);
    message.add_int64(2, function.name), message.add_int64(3, function.name), message.add_int64(4, function.filename);
    message.add_int64(5, function.start_line);
}

static void put_sample(pbf_writer &profile, const Counted &counted, const Counted::Sample &sample) {
    pbf_writer message(profile, 2);
    message.add_packed_uint64(1, sample.location_ids.begin(), sample.location_ids.end());
    message.add_packed_int64(2, sample.values, sample.values + 2);
    pbf_writer label(message, 3);
    label.add_int64(1, counted.label_key), label.add_int64(2, counted.label_value);
}

static std::string encode(const Counted &counted) {
    std::string out;
    pbf_writer profile(out);
    put_value_type(profile, 1, counted.types[0]);
    put_value_type(profile, 1, counted.types[1]);
    for (const Counted::Sample &sample : counted.samples)
        put_sample(profile, counted, sample);
    put_mapping(profile, counted);
    for (size_t i = 0; i < counted.functions.size(); i++)
        put_location(profile, i + 1, counted.functions[i]);
    for (size_t i = 0; i < counted.functions.size(); i++)
        put_function(profile, i + 1, counted.functions[i]);
    for (const std::string &string : counted.strings)
        profile.add_string(6, string);
    put_value_type(profile, 11, counted.types[1]);
    profile.add_int64(12, counted.period);
    return out;
}

int main(int argc, char **argv) {
    return bench_main(argc, argv, "protozero, " BENCH_GZIP, encode);
}
