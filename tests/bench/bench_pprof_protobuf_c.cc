// bench_pprof_protobuf_c.cc: the workload of bench_pprof.c through the structs that protobuf-c makes of profile.proto.
// They are laid out in arrays, so that filling them takes no allocation each. Built by tests/bench/pprof.sh.
#include "bench_pprof_counted.h"
#include "profile.pb-c.h"

using Profile = Perftools__Profiles__Profile;

// Messages of one type, and the pointers to them that protobuf-c wants.
template <typename Message> struct Table {
    explicit Table(size_t count) : messages(count), pointers(count) {
        for (size_t i = 0; i < count; i++)
            pointers[i] = &messages[i];
    }
    std::vector<Message> messages;
    std::vector<Message *> pointers;
};

static Perftools__Profiles__ValueType value_type(const int64_t type[2]) {
    Perftools__Profiles__ValueType message = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
    message.type = type[0], message.unit = type[1];
    return message;
}

static Perftools__Profiles__Mapping mapping_of(const Counted &counted) {
    Perftools__Profiles__Mapping mapping = PERFTOOLS__PROFILES__MAPPING__INIT;
    mapping.id = 1, mapping.memory_start = counted.memory_start, mapping.memory_limit = counted.memory_limit;
    mapping.filename = counted.mapping_filename, mapping.build_id = counted.build_id, mapping.has_functions = true;
    return mapping;
}

struct Functions {
    explicit Functions(const Counted &counted)
        : functions(counted.functions.size()), locations(functions.messages.size()), lines(functions.messages.size()) {
        for (size_t i = 0; i < counted.functions.size(); i++) {
            const Function &from = counted.functions[i];
            auto &function = functions.messages[i] = PERFTOOLS__PROFILES__FUNCTION__INIT;
            function.id = i + 1, function.name = function.system_name = from.name;
            function.filename = from.filename, function.start_line = from.start_line;
            auto &line = lines.messages[i] = PERFTOOLS__PROFILES__LINE__INIT;
            line.function_id = i + 1, line.line = from.line;
            auto &location = locations.messages[i] = PERFTOOLS__PROFILES__LOCATION__INIT;
            location.id = i + 1, location.mapping_id = 1, location.address = 0x400000 + i * 64;
            location.n_line = 1, location.line = &lines.pointers[i];
        }
    }
    Table<Perftools__Profiles__Function> functions;
    Table<Perftools__Profiles__Location> locations;
    Table<Perftools__Profiles__Line> lines;
};

static std::string encode(const Counted &counted) {
    Profile profile = PERFTOOLS__PROFILES__PROFILE__INIT;
    Table<Perftools__Profiles__ValueType> types(2);
    types.messages[0] = value_type(counted.types[0]), types.messages[1] = value_type(counted.types[1]);
    Perftools__Profiles__Mapping mapping = mapping_of(counted), *mapping_pointer = &mapping;
    Perftools__Profiles__Label label = PERFTOOLS__PROFILES__LABEL__INIT, *label_pointer = &label;
    label.key = counted.label_key, label.str = counted.label_value;
    Functions functions(counted);
    Table<Perftools__Profiles__Sample> samples(counted.samples.size());
    for (size_t i = 0; i < counted.samples.size(); i++) {
        const Counted::Sample &from = counted.samples[i];
        auto &sample = samples.messages[i] = PERFTOOLS__PROFILES__SAMPLE__INIT;
        sample.n_location_id = from.location_ids.size();
        sample.location_id = const_cast<uint64_t *>(from.location_ids.data());
        sample.n_value = 2, sample.value = const_cast<int64_t *>(from.values);
        sample.n_label = 1, sample.label = &label_pointer;
    }
    std::vector<char *> strings;
    for (const std::string &string : counted.strings)
        strings.push_back(const_cast<char *>(string.c_str()));
    profile.n_sample_type = 2, profile.sample_type = types.pointers.data();
    profile.n_sample = samples.pointers.size(), profile.sample = samples.pointers.data();
    profile.n_mapping = 1, profile.mapping = &mapping_pointer;
    profile.n_location = functions.locations.pointers.size(), profile.location = functions.locations.pointers.data();
    profile.n_function = functions.functions.pointers.size(), profile.function = functions.functions.pointers.data();
    profile.n_string_table = strings.size(), profile.string_table = strings.data();
    profile.period_type = types.pointers[1], profile.period = counted.period;
    std::string out(perftools__profiles__profile__get_packed_size(&profile), 0);
    perftools__profiles__profile__pack(&profile, reinterpret_cast<uint8_t *>(&out[0]));
    return out;
}

int main(int argc, char **argv) {
    return bench_main(argc, argv, "protobuf-c, " BENCH_GZIP, encode);
}
