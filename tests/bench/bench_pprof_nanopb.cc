// bench_pprof_nanopb.cc: the workload of bench_pprof.c through the structs that nanopb makes of profile.proto, with
// pointers for what is repeated (bench_pprof_nanopb.options), and pb_encode into a buffer of the size that it says
// first. Debian's nanopb counts in 16 bits, so that the samples come from a callback. Built by tests/bench/pprof.sh.
#include <pb_encode.h>

#include "bench_pprof_counted.h"
#include "profile.pb.h"

static perftools_profiles_ValueType value_type(const int64_t type[2]) {
    perftools_profiles_ValueType message = perftools_profiles_ValueType_init_zero;
    message.type = type[0], message.unit = type[1];
    return message;
}

static perftools_profiles_Mapping mapping_of(const Counted &counted) {
    perftools_profiles_Mapping mapping = perftools_profiles_Mapping_init_zero;
    mapping.id = 1, mapping.memory_start = counted.memory_start, mapping.memory_limit = counted.memory_limit;
    mapping.filename = counted.mapping_filename, mapping.build_id = counted.build_id, mapping.has_functions = true;
    return mapping;
}

struct Functions {
    explicit Functions(const Counted &counted)
        : functions(counted.functions.size()), locations(functions.size()), lines(functions.size()) {
        for (size_t i = 0; i < counted.functions.size(); i++) {
            const Function &from = counted.functions[i];
            auto &function = functions[i];
            function.id = i + 1, function.name = function.system_name = from.name;
            function.filename = from.filename, function.start_line = from.start_line;
            lines[i].function_id = i + 1, lines[i].line = from.line;
            auto &location = locations[i];
            location.id = i + 1, location.mapping_id = 1, location.address = 0x400000 + i * 64;
            location.line_count = 1, location.line = &lines[i];
        }
    }
    std::vector<perftools_profiles_Function> functions;
    std::vector<perftools_profiles_Location> locations;
    std::vector<perftools_profiles_Line> lines;
};

// Takes the place of the field SAMPLE: both when the size is asked for and when it is written.
static bool encode_samples(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
    const Counted &counted = *static_cast<const Counted *>(*arg);
    perftools_profiles_Label label = perftools_profiles_Label_init_zero;
    perftools_profiles_Sample sample = perftools_profiles_Sample_init_zero;
    label.key = counted.label_key, label.str = counted.label_value;
    sample.label_count = 1, sample.label = &label, sample.value_count = 2;
    for (const Counted::Sample &from : counted.samples) {
        sample.location_id_count = pb_size_t(from.location_ids.size());
        sample.location_id = const_cast<uint64_t *>(from.location_ids.data());
        sample.value = const_cast<int64_t *>(from.values);
        if (!pb_encode_tag_for_field(stream, field)) return false;
        if (!pb_encode_submessage(stream, perftools_profiles_Sample_fields, &sample)) return false;
    }
    return true;
}

static std::string encode_message(const perftools_profiles_Profile &profile) {
    size_t nbytes;
    if (!pb_get_encoded_size(&nbytes, perftools_profiles_Profile_fields, &profile)) abort();
    std::string out(nbytes, 0);
    pb_ostream_t stream = pb_ostream_from_buffer(reinterpret_cast<pb_byte_t *>(&out[0]), nbytes);
    if (!pb_encode(&stream, perftools_profiles_Profile_fields, &profile)) abort();
    return out;
}

static std::string encode(const Counted &counted) {
    perftools_profiles_Profile profile = perftools_profiles_Profile_init_zero;
    perftools_profiles_ValueType types[] = {value_type(counted.types[0]), value_type(counted.types[1])};
    perftools_profiles_Mapping mapping = mapping_of(counted);
    Functions functions(counted);
    std::vector<char *> strings;
    for (const std::string &string : counted.strings)
        strings.push_back(const_cast<char *>(string.c_str()));
    profile.sample_type_count = 2, profile.sample_type = types;
    profile.sample.funcs.encode = encode_samples, profile.sample.arg = const_cast<Counted *>(&counted);
    profile.mapping_count = 1, profile.mapping = &mapping;
    profile.location_count = pb_size_t(functions.locations.size()), profile.location = functions.locations.data();
    profile.function_count = pb_size_t(functions.functions.size()), profile.function = functions.functions.data();
    profile.string_table_count = pb_size_t(strings.size()), profile.string_table = strings.data();
    profile.has_period_type = true, profile.period_type = types[1], profile.period = counted.period;
    return encode_message(profile);
}

int main(int argc, char **argv) {
    return bench_main(argc, argv, "nanopb, " BENCH_GZIP, encode);
}
