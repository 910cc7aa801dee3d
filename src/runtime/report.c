/* report.c: a profile as stacks of nodes: reading it, choosing a value, naming the nodes, filtering the samples. */

#include "runtime/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/resolve.h"
#include "runtime/whole_file.h"

static _Noreturn void fail_memory(void) {
    fputs("fino pprof: out of memory\n", stderr);
    exit(1);
}

void *rt_report_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) fail_memory();
    return memory;
}

void *rt_report_reserve(void *items, size_t needed, size_t *capacity, size_t size) {
    if (needed <= *capacity) return items;
    size_t larger = needed > 2 * *capacity ? needed : 2 * *capacity;
    items = reallocarray(items, larger, size);
    if (!items) fail_memory();
    memset((char *)items + *capacity * size, 0, (larger - *capacity) * size);
    *capacity = larger;
    return items;
}

static char *copy_text(const char *text) {
    char *copy = strdup(text);
    if (!copy) fail_memory();
    return copy;
}

/* ---- Reading ---- */

void rt_report_print_problem(const char *name, int error, const struct fino_pprof_problem *problem) {
    if (error != -EINVAL) {
        fprintf(stderr, "fino pprof: %s: %s\n", name,
                error == -EFBIG ? "more than 1 GiB when decompressed" : strerror(-error));
        return;
    }
    fprintf(stderr, "fino pprof: %s is not a pprof profile: %s", name, problem->entity);
    if (strcmp(problem->entity, "gzip") != 0 && strcmp(problem->entity, "profile") != 0)
        fprintf(stderr, " %" PRIu64, problem->index);
    fprintf(stderr, "%s%s %s", *problem->field ? ", field " : "", problem->field, problem->what);
    if (problem->value) fprintf(stderr, " (%" PRIu64 ")", problem->value);
    fprintf(stderr, ", near byte %zu of the uncompressed profile\n", problem->offset);
}

int rt_report_load(const char *name, uint8_t **bytes_out, size_t *nbytes_out) {
    bool is_stdin = strcmp(name, "-") == 0;
    *bytes_out =
        (uint8_t *)(is_stdin ? rt_read_to_end(STDIN_FILENO, nbytes_out) : rt_read_whole_file(name, nbytes_out));
    if (*bytes_out) return 0;
    int error = -errno;
    fprintf(stderr, "fino pprof: cannot read %s: %s\n", name, strerror(-error));
    return error;
}

fino_pprof *rt_report_read(const char *name) {
    uint8_t *bytes;
    size_t nbytes;
    if (rt_report_load(name, &bytes, &nbytes) != 0) return NULL;
    struct fino_pprof_decode_config config = {0};
    if (getrandom(&config.hash_seed, sizeof config.hash_seed, GRND_NONBLOCK) < 0) config.hash_seed = (uintptr_t)bytes;
    fino_pprof *profile;
    struct fino_pprof_problem problem;
    int error = fino_pprof_decode(bytes, nbytes, &config, &profile, &problem);
    free(bytes);
    if (!error) return profile;
    rt_report_print_problem(name, error, &problem);
    return NULL;
}

/* ---- Labels ---- */

const char *rt_report_find_label(const struct rt_report *report, uint32_t label_set, const char *key,
                                 const char *value) {
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(report->profile, label_set, &count);
    for (size_t i = 0; i < count; i++) {
        if (labels[i].string == FINO_PPROF_NONE ||
            strcmp(fino_pprof_get_string(report->profile, labels[i].key, NULL), key) != 0)
            continue;
        const char *text = fino_pprof_get_string(report->profile, labels[i].string, NULL);
        if (!value || strcmp(text, value) == 0) return text;
    }
    return NULL;
}

bool rt_report_is_of_base(const struct rt_report *report, uint32_t label_set) {
    return rt_report_find_label(report, label_set, "pprof::base", "true") != NULL;
}

static bool is_same_name(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static size_t find_thread(struct rt_report_threads *threads, const char *name) {
    for (size_t i = 0; i < threads->count; i++)
        if (is_same_name(threads->names[i], name)) return i;
    threads->names = rt_report_reserve(threads->names, threads->count + 1, &threads->capacity, sizeof *threads->names);
    threads->names[threads->count] = name;
    return threads->count++;
}

size_t rt_report_thread(const struct rt_report *report, struct rt_report_threads *threads, uint32_t label_set) {
    threads->of_set =
        rt_report_reserve(threads->of_set, (size_t)label_set + 1, &threads->set_count, sizeof *threads->of_set);
    size_t *thread = &threads->of_set[label_set];
    if (*thread == 0) *thread = find_thread(threads, rt_report_find_label(report, label_set, "thread", NULL)) + 1;
    return *thread - 1;
}

void rt_report_threads_free(struct rt_report_threads *threads) {
    free(threads->names);
    free(threads->of_set);
}

/* ---- The value that counts ---- */

static int choose_type(struct rt_report *report) {
    size_t count = fino_pprof_sample_type_count(report->profile);
    const char *wanted = report->options->sample_type;
    if (!wanted) wanted = fino_pprof_get_header(report->profile)->default_sample_type;
    report->type = count - 1;
    for (size_t i = 0; wanted && i < count; i++)
        if (strcmp(fino_pprof_get_sample_type(report->profile, i).type, wanted) == 0) report->type = i;
    struct fino_pprof_value_type type = fino_pprof_get_sample_type(report->profile, report->type);
    report->type_name = type.type;
    report->unit = type.unit;
    if (!report->options->sample_type || strcmp(type.type, report->options->sample_type) == 0) return 0;
    fprintf(stderr, "fino pprof: the profile has no samples of type %s, only of", report->options->sample_type);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", fino_pprof_get_sample_type(report->profile, i).type);
    fputc('\n', stderr);
    return -1;
}

static int64_t saturating_add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

/* Of all samples, whatever the filter says; when two profiles are compared, of the base. */
static int64_t sum_of_all(const struct rt_report *report) {
    int64_t total = 0, base = 0;
    for (uint32_t i = 0; i < fino_pprof_sample_count(report->profile); i++) {
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(report->profile, i);
        int64_t value = sample.values[report->type];
        int64_t size = value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
        total = saturating_add(total, size);
        if (rt_report_is_of_base(report, sample.label_set)) base = saturating_add(base, size);
    }
    return base > 0 ? base : total;
}

/* ---- Nodes ---- */

/* Nodes by what they are, in a table of open addressing. */
struct node_table {
    uint32_t *slots; /* node + 1; 0: free */
    size_t capacity; /* a power of two, more than twice the count */
};

static size_t hash_node(const struct rt_report_node *node) {
    uint64_t hash = node->function_name;
    const uint64_t parts[] = {node->file, node->mapping, (uint64_t)node->line};
    for (size_t i = 0; i < 3; i++)
        hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15u + parts[i];
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return (size_t)(hash ^ (hash >> 32));
}

static bool is_same(const struct rt_report_node *a, const struct rt_report_node *b) {
    return a->function_name == b->function_name && a->file == b->file && a->mapping == b->mapping && a->line == b->line;
}

static uint32_t intern_node(struct rt_report *report, struct node_table *table, const struct rt_report_node *node) {
    size_t slot = hash_node(node) & (table->capacity - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->capacity - 1))
        if (is_same(&report->nodes[table->slots[slot] - 1], node)) return table->slots[slot] - 1;
    report->nodes[report->node_count] = *node;
    table->slots[slot] = (uint32_t)++report->node_count;
    return (uint32_t)report->node_count - 1;
}

/* The string FILE as a path in its shortest form. */
static uint32_t normalised(const struct rt_report *report, uint32_t file) {
    const char *text = fino_pprof_get_string(report->profile, file, NULL);
    if (file == 0 || (text[0] != '.' && !strstr(text, "/.") && !strstr(text, "//"))) return file;
    char *path = copy_text(text);
    rt_normalise_path(path);
    uint32_t id = fino_pprof_string(report->profile, path, strlen(path));
    free(path);
    return id == FINO_PPROF_NONE ? file : id;
}

/* The node of LINE (NULL: there is none) of a location in MAPPING. */
static struct rt_report_node node_of(const struct rt_report *report, uint32_t mapping,
                                     const struct fino_pprof_line *line) {
    struct rt_report_node node = {.mapping = FINO_PPROF_NONE};
    if (line && line->function != FINO_PPROF_NONE) {
        const struct fino_pprof_function *function = fino_pprof_get_function(report->profile, line->function);
        if (report->options->by != RT_BY_FILE) node.function_name = function->name;
        if (report->options->by != RT_BY_FUNCTION) node.file = normalised(report, function->filename);
        if (report->options->by == RT_BY_LINE) node.line = line->line;
        if (report->options->by == RT_BY_START) node.line = function->start_line;
    }
    if (node.function_name == 0) node.mapping = mapping;
    if (node.file != 0) node.mapping = FINO_PPROF_NONE;
    return node;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What google/pprof prints: the name, then file:line, or file, or else the mapping. */
static const char *make_name(const struct rt_report *report, const struct rt_report_node *node) {
    const char *function = fino_pprof_get_string(report->profile, node->function_name, NULL);
    const char *file = fino_pprof_get_string(report->profile, node->file, NULL);
    size_t capacity = strlen(function) + strlen(file) + 32;
    if (node->function_name != 0 && node->file == 0 && node->line == 0) return copy_text(function);
    const char *mapping =
        node->mapping == FINO_PPROF_NONE
            ? ""
            : fino_pprof_get_string(report->profile, fino_pprof_get_mapping(report->profile, node->mapping)->filename,
                                    NULL);
    capacity += strlen(mapping);
    char *name = rt_report_allocate(capacity, 1);
    const char *space = *function ? " " : "";
    if (node->line != 0)
        snprintf(name, capacity, "%s%s%s:%" PRId64, function, space, file, node->line);
    else if (*file)
        snprintf(name, capacity, "%s%s%s", function, space, file);
    else if (*mapping)
        snprintf(name, capacity, "[%s]", base_name(mapping));
    else
        snprintf(name, capacity, "<unknown>");
    return name;
}

static size_t count_lines(const fino_pprof *profile) {
    size_t count = 0;
    for (uint32_t i = 0; i < fino_pprof_location_count(profile); i++) {
        size_t lines = fino_pprof_get_location(profile, i).line_count;
        count += lines ? lines : 1;
    }
    return count;
}

static void note_start(struct rt_report *report, uint32_t id, const struct fino_pprof_line *line) {
    int64_t *start = &report->nodes[id].start_line;
    if (line->function == FINO_PPROF_NONE) return;
    int64_t first = fino_pprof_get_function(report->profile, line->function)->start_line;
    if (first > 0 && (*start == 0 || first < *start)) *start = first;
}

static void make_nodes(struct rt_report *report) {
    size_t location_count = fino_pprof_location_count(report->profile), frame_count = count_lines(report->profile);
    struct node_table table = {.capacity = 16};
    while (table.capacity < 2 * frame_count + 2)
        table.capacity *= 2;
    table.slots = rt_report_allocate(table.capacity, sizeof *table.slots);
    report->nodes = rt_report_allocate(frame_count, sizeof *report->nodes);
    report->frames = rt_report_allocate(frame_count, sizeof *report->frames);
    report->starts = rt_report_allocate(location_count + 1, sizeof *report->starts);
    uint32_t frame = 0;
    for (uint32_t i = 0; i < location_count; i++) {
        struct fino_pprof_location_info location = fino_pprof_get_location(report->profile, i);
        report->starts[i] = frame;
        for (size_t j = 0; j < (location.line_count ? location.line_count : 1); j++) {
            struct rt_report_node node =
                node_of(report, location.mapping, location.line_count ? &location.lines[j] : NULL);
            uint32_t id = report->frames[frame++] = intern_node(report, &table, &node);
            if (location.line_count) note_start(report, id, &location.lines[j]);
        }
    }
    report->starts[location_count] = frame;
    free(table.slots);
    for (size_t i = 0; i < report->node_count; i++)
        report->nodes[i].name = make_name(report, &report->nodes[i]);
}

/* ---- The filter ---- */

enum { FOCUS, IGNORE, HIDE, TAGFOCUS, TAGIGNORE, EXPRESSION_COUNT };

/* Two bits for each of the first three in string_matches: it was asked, and it matched. */
static bool matches_text(struct rt_report *report, int expression, uint32_t string) {
    uint8_t *known = &report->string_matches[string];
    uint8_t asked = (uint8_t)(1 << (2 * expression)), matched = (uint8_t)(asked << 1);
    if (!(*known & asked)) {
        const char *text = fino_pprof_get_string(report->profile, string, NULL);
        *known |= asked;
        if (regexec(&report->expressions[expression], text, 0, NULL, 0) == 0) *known |= matched;
    }
    return *known & matched;
}

static bool matches_line(struct rt_report *report, int expression, const struct fino_pprof_line *line) {
    if (line->function == FINO_PPROF_NONE) return false;
    const struct fino_pprof_function *function = fino_pprof_get_function(report->profile, line->function);
    return matches_text(report, expression, function->name) || matches_text(report, expression, function->filename);
}

static bool matches_location(struct rt_report *report, int expression, uint32_t id) {
    struct fino_pprof_location_info location = fino_pprof_get_location(report->profile, id);
    for (size_t i = 0; i < location.line_count; i++)
        if (matches_line(report, expression, &location.lines[i])) return true;
    return location.mapping != FINO_PPROF_NONE &&
           matches_text(report, expression, fino_pprof_get_mapping(report->profile, location.mapping)->filename);
}

static bool matches_stack(struct rt_report *report, int expression, const uint32_t *locations, size_t depth) {
    for (size_t i = 0; i < depth; i++)
        if (matches_location(report, expression, locations[i])) return true;
    return false;
}

static bool matches_label(struct rt_report *report, int expression, const struct fino_pprof_label *label) {
    char number[24];
    const char *value = number;
    snprintf(number, sizeof number, "%" PRId64, label->number);
    if (label->string != FINO_PPROF_NONE) value = fino_pprof_get_string(report->profile, label->string, NULL);
    const char *asked = expression == TAGFOCUS ? report->options->filter.tagfocus : report->options->filter.tagignore;
    const char *equals = strchr(asked, '=');
    if (equals) {
        const char *key = fino_pprof_get_string(report->profile, label->key, NULL);
        if (strlen(key) != (size_t)(equals - asked) || strncmp(key, asked, strlen(key)) != 0) return false;
    }
    return regexec(&report->expressions[expression], value, 0, NULL, 0) == 0;
}

static bool has_label(struct rt_report *report, int expression, uint32_t label_set) {
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(report->profile, label_set, &count);
    for (size_t i = 0; i < count; i++)
        if (matches_label(report, expression, &labels[i])) return true;
    return false;
}

static bool passes(struct rt_report *report, uint32_t label_set, const uint32_t *locations, size_t depth) {
    const struct rt_report_filter *filter = &report->options->filter;
    return (!filter->thread || rt_report_find_label(report, label_set, "thread", filter->thread)) &&
           (!filter->tagfocus || has_label(report, TAGFOCUS, label_set)) &&
           (!filter->tagignore || !has_label(report, TAGIGNORE, label_set)) &&
           (!filter->focus || matches_stack(report, FOCUS, locations, depth)) &&
           (!filter->ignore || !matches_stack(report, IGNORE, locations, depth));
}

int rt_report_compile(regex_t *expression, const char *text, const char *name) {
    int error = regcomp(expression, text, REG_EXTENDED | REG_NOSUB);
    if (!error) return 0;
    char why[128];
    regerror(error, expression, why, sizeof why);
    fprintf(stderr, "fino pprof: %s: '%s' is not a regular expression (POSIX, extended): %s\n", name, text, why);
    return -1;
}

static int compile_filter(struct rt_report *report) {
    const struct rt_report_filter *filter = &report->options->filter;
    const char *const texts[EXPRESSION_COUNT] = {filter->focus, filter->ignore, filter->hide, filter->tagfocus,
                                                 filter->tagignore};
    static const char *const names[EXPRESSION_COUNT] = {"--focus", "--ignore", "--hide", "--tagfocus", "--tagignore"};
    for (int i = 0; i < EXPRESSION_COUNT; i++) {
        const char *text = texts[i] ? texts[i] : "", *equals = i >= TAGFOCUS ? strchr(text, '=') : NULL;
        if (rt_report_compile(&report->expressions[i], equals ? equals + 1 : text, names[i]) == 0) continue;
        while (i-- > 0)
            regfree(&report->expressions[i]);
        return -1;
    }
    return 0;
}

/* ---- Samples ---- */

static void reserve_stack(struct rt_report *report, size_t needed) {
    report->stack = rt_report_reserve(report->stack, needed, &report->stack_capacity, sizeof *report->stack);
    report->is_inlined =
        rt_report_reserve(report->is_inlined, needed, &report->inlined_capacity, sizeof *report->is_inlined);
}

/* Puts the nodes of a location behind the first DEPTH of the stack; returns how many there are then. */
static size_t push_location(struct rt_report *report, uint32_t id, size_t depth) {
    struct fino_pprof_location_info location = fino_pprof_get_location(report->profile, id);
    uint32_t first = report->starts[id], end = report->starts[id + 1];
    bool hides = report->options->filter.hide != NULL;
    for (uint32_t i = first; i < end; i++) {
        if (hides && location.line_count && matches_line(report, HIDE, &location.lines[i - first])) continue;
        if (depth == 0) report->leaf_line = location.line_count ? location.lines[i - first].line : 0;
        report->stack[depth] = report->frames[i];
        report->is_inlined[depth++] = i + 1 < end;
    }
    return depth;
}

static size_t frame_count_of(const struct rt_report *report, const uint32_t *locations, size_t count) {
    size_t frames = 0;
    for (size_t i = 0; i < count; i++)
        frames += report->starts[locations[i] + 1] - report->starts[locations[i]];
    return frames;
}

bool rt_report_next(struct rt_report *report, size_t *cursor, struct rt_report_stack *stack_out) {
    size_t count = fino_pprof_sample_count(report->profile);
    while (*cursor < count) {
        uint32_t id = (uint32_t)(*cursor)++;
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(report->profile, id);
        if (sample.values[report->type] == 0) continue;
        report->locations =
            rt_report_reserve(report->locations, sample.depth, &report->location_capacity, sizeof *report->locations);
        fino_pprof_get_stack(report->profile, id, report->locations, sample.depth);
        if (!passes(report, sample.label_set, report->locations, sample.depth)) continue;
        reserve_stack(report, frame_count_of(report, report->locations, sample.depth));
        size_t depth = 0;
        report->leaf_line = 0;
        for (size_t i = 0; i < sample.depth; i++)
            depth = push_location(report, report->locations[i], depth);
        *stack_out = (struct rt_report_stack){report->stack,    report->is_inlined, depth, sample.values[report->type],
                                              sample.label_set, report->leaf_line};
        return true;
    }
    return false;
}

/* ---- Opening and closing ---- */

int rt_report_open(struct rt_report *report, fino_pprof *profile, const struct rt_report_options *options) {
    *report = (struct rt_report){.profile = profile, .options = options};
    if (fino_pprof_sample_type_count(profile) == 0) {
        fputs("fino pprof: the profile has no sample types\n", stderr);
    } else if (choose_type(report) == 0 && compile_filter(report) == 0) {
        report->total = sum_of_all(report);
        make_nodes(report);
        report->string_matches = rt_report_allocate(fino_pprof_string_count(profile), 1);
        return 0;
    }
    fino_pprof_free(profile);
    return -1;
}

void rt_report_close(struct rt_report *report) {
    for (size_t i = 0; i < report->node_count; i++)
        free((char *)report->nodes[i].name);
    for (int i = 0; i < EXPRESSION_COUNT; i++)
        regfree(&report->expressions[i]);
    free(report->nodes);
    free(report->frames);
    free(report->starts);
    free(report->string_matches);
    free(report->locations);
    free(report->stack);
    free(report->is_inlined);
    fino_pprof_free(report->profile);
}
