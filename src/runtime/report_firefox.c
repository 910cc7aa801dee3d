/* report_firefox.c: the processed profile format of profiler.firefox.com, of version 60, which it upgrades by itself.
 *
 * A pprof profile has no time: the stacks of a thread come one after another, in the order of the tree, each with its
 * value as its weight. In a comparison weights may be negative.
 *
 * Source:  github.com/firefox-devtools/profiler, src/types/profile.ts and docs-developer/CHANGELOG-formats.md.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report_paths.h"

#define FORMAT_VERSION 60
#define GECKO_VERSION 27

/* By kind, and the one of frames that have none, which the format wants to be grey. */
static const struct {
    const char *name, *color;
} categories[] = {[RT_KIND_JS] = {"JavaScript", "yellow"},         [RT_KIND_NATIVE] = {"Native", "blue"},
                  [RT_KIND_GC] = {"Garbage collection", "orange"}, [RT_KIND_COMPILE] = {"Compiler", "green"},
                  [RT_KIND_SYSTEM] = {"System call", "purple"},    [RT_KIND_COUNT] = {"Other", "grey"}};
#define CATEGORY_COUNT (sizeof categories / sizeof *categories)

struct export {
    struct rt_report *report;
    struct rt_report_paths paths;
    struct rt_report_calls calls;
    uint32_t *func_of;   /* by node */
    uint32_t *funcs;     /* by function: one of its nodes */
    uint32_t *source_of; /* by function: its file + 1; 0: none */
    uint32_t *sources;   /* by file: one of its functions */
    size_t func_count, source_count;
    const char *weight_type;
    double factor; /* from values to weights */
    FILE *file;
};

/* A table is an object of columns of the same length: this is one of them. CELL writes one value. */
static void write_column(const struct export *export, const char *name, size_t count,
                         void (*cell)(const struct export *export, size_t i)) {
    fprintf(export->file, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        if (i) fputc(',', export->file);
        cell(export, i);
    }
    fputs("],", export->file);
}

static void end_table(const struct export *export, size_t count, const char *after) {
    fprintf(export->file, "\"length\":%zu}%s", count, after);
}

static void put_number(const struct export *export, int64_t number) {
    fprintf(export->file, "%" PRId64, number);
}
static void cell_null(const struct export *export, size_t i) {
    (void)i;
    fputs("null", export->file);
}
static void cell_zero(const struct export *export, size_t i) {
    (void)i;
    fputc('0', export->file);
}
static void cell_none(const struct export *export, size_t i) {
    (void)i;
    fputs("-1", export->file);
}
static void put_line(const struct export *export, int64_t line) {
    if (line > 0)
        put_number(export, line);
    else
        fputs("null", export->file);
}

/* ---- Functions and files: nodes are lines of them ---- */

static int compare_nodes(const void *a, const void *b, void *context) {
    const struct rt_report *report = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    const struct rt_report_node *l = &report->nodes[left], *r = &report->nodes[right];
    if (l->file != r->file) return l->file < r->file ? -1 : 1;
    if (l->function_name != r->function_name) return l->function_name < r->function_name ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void find_functions(struct export *export) {
    const struct rt_report *report = export->report;
    uint32_t *order = rt_report_allocate(report->node_count, sizeof *order);
    export->func_of = rt_report_allocate(report->node_count, sizeof *export->func_of);
    export->funcs = rt_report_allocate(report->node_count, sizeof *export->funcs);
    export->source_of = rt_report_allocate(report->node_count, sizeof *export->source_of);
    export->sources = rt_report_allocate(report->node_count, sizeof *export->sources);
    for (uint32_t i = 0; i < report->node_count; i++)
        order[i] = i;
    if (report->node_count) qsort_r(order, report->node_count, sizeof *order, compare_nodes, export->report);
    for (size_t i = 0; i < report->node_count; i++) {
        const struct rt_report_node *node = &report->nodes[order[i]],
                                    *last = i > 0 ? &report->nodes[order[i - 1]] : NULL;
        bool is_new_file = !last || last->file != node->file;
        if (is_new_file || last->function_name != node->function_name || node->function_name == 0) {
            if (is_new_file && node->file) export->sources[export->source_count++] = (uint32_t) export->func_count;
            export->source_of[export->func_count] = node->file ? (uint32_t) export->source_count : 0;
            export->funcs[export->func_count++] = order[i];
        }
        export->func_of[order[i]] = (uint32_t) export->func_count - 1;
    }
    free(order);
}

static const struct rt_report_node *node_of_function(const struct export *export, size_t func) {
    return &export->report->nodes[export->funcs[func]];
}

/* ---- Texts: the functions' names, the files' names, then the names of what has neither ---- */

static void cell_text(const struct export *export, size_t i) {
    const struct rt_report *report = export->report;
    size_t func = i < export->func_count ? i : export->sources[i - export->func_count];
    const struct rt_report_node *node = node_of_function(export, func);
    uint32_t string = i < export->func_count ? node->function_name : node->file;
    const char *text = string ? fino_pprof_get_string(report->profile, string, NULL) : node->name;
    rt_report_json_string(export->file, text, strlen(text));
}
static void cell_index(const struct export *export, size_t i) {
    put_number(export, (int64_t)i);
}
static void cell_source_name(const struct export *export, size_t i) {
    put_number(export, (int64_t)(export->func_count + i));
}

/* ---- Shared tables ---- */

static void cell_source(const struct export *export, size_t func) {
    if (export->source_of[func])
        put_number(export, export->source_of[func] - 1);
    else
        fputs("null", export->file);
}
static void cell_start(const struct export *export, size_t func) {
    put_line(export, node_of_function(export, func)->start_line);
}
static void cell_is_js(const struct export *export, size_t func) {
    bool is_js = rt_report_is_script(export->report, export->funcs[func]);
    fputs(is_js ? "true" : "false", export->file);
}
static void cell_false(const struct export *export, size_t i) {
    (void)i;
    fputs("false", export->file);
}

/* A frame is a call's: how it is inlined and of which kind may differ from one call of a node to the next. */
static void cell_category(const struct export *export, size_t call) {
    put_number(export, RT_FRAME_KIND(export->calls.items[call].frame));
}
static void cell_inline_depth(const struct export *export, size_t call) {
    int64_t depth = 0;
    for (const struct rt_report_call *at = &export->calls.items[call];
         RT_FRAME_IS_INLINED(at->frame) && at->parent != FINO_PPROF_NONE; at = &export->calls.items[at->parent])
        depth++;
    put_number(export, depth);
}
static void cell_func(const struct export *export, size_t call) {
    put_number(export, export->func_of[RT_FRAME_NODE(export->calls.items[call].frame)]);
}
static void cell_line(const struct export *export, size_t call) {
    put_line(export, export->report->nodes[RT_FRAME_NODE(export->calls.items[call].frame)].line);
}
static void cell_prefix(const struct export *export, size_t call) {
    uint32_t parent = export->calls.items[call].parent;
    if (parent == FINO_PPROF_NONE)
        fputs("null", export->file);
    else
        put_number(export, parent);
}

static void write_functions(const struct export *export) {
    size_t count = export->func_count;
    fputs("\"funcTable\":{", export->file);
    write_column(export, "name", count, cell_index);
    write_column(export, "isJS", count, cell_is_js);
    write_column(export, "relevantForJS", count, cell_false);
    write_column(export, "resource", count, cell_none);
    write_column(export, "source", count, cell_source);
    write_column(export, "lineNumber", count, cell_start);
    write_column(export, "columnNumber", count, cell_null);
    end_table(export, count, ",\n\"sources\":{");
    write_column(export, "uuid", export->source_count, cell_null);
    write_column(export, "filename", export->source_count, cell_source_name);
    end_table(export, export->source_count, ",\n");
    fputs("\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
          "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n",
          export->file);
}

static void write_shared(const struct export *export) {
    size_t count = export->calls.count;
    fputs("\"shared\":{\n", export->file);
    write_column(export, "stringArray", export->func_count + export->source_count, cell_text);
    fputc('\n', export->file);
    write_functions(export);
    fputs("\"frameTable\":{", export->file);
    write_column(export, "address", count, cell_none);
    write_column(export, "inlineDepth", count, cell_inline_depth);
    write_column(export, "category", count, cell_category);
    write_column(export, "subcategory", count, cell_zero);
    write_column(export, "func", count, cell_func);
    write_column(export, "nativeSymbol", count, cell_null);
    write_column(export, "innerWindowID", count, cell_null);
    write_column(export, "line", count, cell_line);
    write_column(export, "column", count, cell_null);
    end_table(export, count, ",\n\"stackTable\":{");
    write_column(export, "frame", count, cell_index);
    write_column(export, "prefix", count, cell_prefix);
    end_table(export, count, "},\n");
}

/* ---- Threads ---- */

static int64_t value_of(const struct rt_report_path *path) {
    return path->value - path->base;
}

static void write_samples(const struct export *export, size_t first, size_t end) {
    double time = 0;
    fprintf(export->file, "\"samples\":{\"weightType\":\"%s\",\"weight\":[", export->weight_type);
    for (size_t i = first; i < end; i++)
        fprintf(export->file, "%s%.16g", i > first ? "," : "",
                (double)value_of(&export->paths.items[i]) * export->factor);
    fputs("],\"stack\":[", export->file);
    for (size_t i = first; i < end; i++) {
        if (i > first) fputc(',', export->file);
        if (export->calls.ends[i] == FINO_PPROF_NONE)
            fputs("null", export->file);
        else
            put_number(export, export->calls.ends[i]);
    }
    fputs("],\"time\":[", export->file);
    for (size_t i = first; i < end; i++) {
        fprintf(export->file, "%s%.16g", i > first ? "," : "", time);
        time += llabs(value_of(&export->paths.items[i])) * export->factor;
    }
    fputs("],", export->file);
    end_table(export, end - first, ",\n");
}

static void write_thread(const struct export *export, size_t number, size_t first, size_t end) {
    const char *name = export->paths.threads.names[export->paths.items[first].thread];
    if (!name) name = "all";
    fputs(number ? ",\n{\"name\":" : "\n{\"name\":", export->file);
    rt_report_json_string(export->file, name, strlen(name));
    fprintf(export->file,
            ",\"processType\":\"default\",\"processName\":\"fino\",\"processStartupTime\":0,"
            "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
            "\"isMainThread\":%s,\"pid\":\"1\",\"tid\":%zu,\n",
            number ? "false" : "true", number + 1);
    write_samples(export, first, end);
    fputs("\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],"
          "\"length\":0}}",
          export->file);
}

static void write_threads(const struct export *export) {
    size_t number = 0;
    fputs("\"threads\":[", export->file);
    for (size_t first = 0, end; first < export->paths.count; first = end, number++) {
        for (end = first; end < export->paths.count; end++)
            if (export->paths.items[end].thread != export->paths.items[first].thread) break;
        write_thread(export, number, first, end);
    }
    fputs("]}\n", export->file);
}

/* ---- All of it ---- */

static void write_meta(const struct export *export) {
    const struct rt_report *report = export->report;
    const struct fino_pprof_header *header = fino_pprof_get_header(report->profile);
    fprintf(export->file,
            "{\"meta\":{\"interval\":1,\"startTime\":%.16g,\"processType\":0,\"stackwalk\":1,\"version\":%d,"
            "\"preprocessedProfileVersion\":%d,\"symbolicationNotSupported\":true,\"markerSchema\":[],"
            "\"product\":",
            (double)header->time_nanos / 1e6, GECKO_VERSION, FORMAT_VERSION);
    rt_report_json_string(export->file, report->options->title, strlen(report->options->title));
    fputs(",\n\"categories\":[", export->file);
    for (size_t i = 0; i < CATEGORY_COUNT; i++)
        fprintf(export->file, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}", i ? "," : "",
                categories[i].name, categories[i].color);
    fputs("]},\n\"libs\":[],\n", export->file);
}

/* Weights are milliseconds, bytes or samples. */
static void choose_weights(struct export *export) {
    static const struct {
        const char *unit, *weight_type;
        double factor;
    } units[] = {{"ns", "tracing-ms", 1e-6}, {"us", "tracing-ms", 1e-3}, {"ms", "tracing-ms", 1},
                 {"s", "tracing-ms", 1e3},   {"B", "bytes", 1},          {"kB", "bytes", 1024}};
    export->weight_type = "samples";
    export->factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(rt_report_unit_for(1, export->report->unit), units[i].unit) == 0) {
            export->weight_type = units[i].weight_type;
            export->factor = units[i].factor;
        }
}

int rt_report_firefox(struct rt_report *report, FILE *file) {
    struct export export = {.report = report, .file = file};
    rt_report_paths_new(report, &export.paths, true);
    rt_report_calls_new(&export.paths, &export.calls);
    find_functions(&export);
    choose_weights(&export);
    write_meta(&export);
    write_shared(&export);
    write_threads(&export);
    free(export.func_of);
    free(export.funcs);
    free(export.source_of);
    free(export.sources);
    rt_report_calls_free(&export.calls);
    rt_report_paths_free(&export.paths);
    return 0;
}
