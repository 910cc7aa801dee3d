/* report_list.c: the source lines of functions with what each has cost, as `go tool pprof -list` shows them.
 *
 * A routine is a function's name in one file. Its text comes from that file as it is on the disk now; what it cost is
 * known without it.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/report.h"
#include "runtime/whole_file.h"

#define MARGIN 5            /* lines shown around what is known of a routine */
#define LINES_MAX (1 << 20) /* of a routine: a line number may be anything */

typedef char text[RT_REPORT_TEXT_MAX];

/* ---- Routines ---- */

/* The nodes of one routine, by line. */
struct routine {
    const uint32_t *nodes;
    size_t count;
    int64_t first_line, last_line; /* of the text to show */
    int64_t flat, cum;             /* summed over its lines */
};

struct listing {
    struct rt_report *report;
    const struct rt_report_graph *graph;
    uint32_t *nodes; /* that match, by name, file and line */
    size_t count;
    FILE *file;
};

static const char *string_of(const struct rt_report *report, uint32_t id) {
    return fino_pprof_get_string(report->profile, id, NULL);
}

static int compare_nodes(const void *a, const void *b, void *context) {
    const struct rt_report *report = context;
    const struct rt_report_node *left = &report->nodes[*(const uint32_t *)a],
                                *right = &report->nodes[*(const uint32_t *)b];
    int order = strcmp(string_of(report, left->function_name), string_of(report, right->function_name));
    if (order == 0) order = strcmp(string_of(report, left->file), string_of(report, right->file));
    if (order == 0) order = left->line < right->line ? -1 : left->line > right->line;
    return order;
}

static void choose_nodes(struct listing *listing, const regex_t *expression) {
    const struct rt_report *report = listing->report;
    listing->nodes = rt_report_allocate(listing->graph->count, sizeof *listing->nodes);
    for (size_t i = 0; i < listing->graph->count; i++) {
        uint32_t id = listing->graph->order[i];
        uint32_t name = report->nodes[id].function_name;
        if (name != 0 && regexec(expression, string_of(report, name), 0, NULL, 0) == 0)
            listing->nodes[listing->count++] = id;
    }
    if (listing->count > 0)
        qsort_r(listing->nodes, listing->count, sizeof *listing->nodes, compare_nodes, listing->report);
}

static bool is_same_routine(const struct rt_report *report, uint32_t a, uint32_t b) {
    return report->nodes[a].function_name == report->nodes[b].function_name &&
           report->nodes[a].file == report->nodes[b].file;
}

/* The routine of the nodes from FIRST on. */
static struct routine routine_at(const struct listing *listing, size_t first) {
    const struct rt_report *report = listing->report;
    struct routine routine = {.nodes = &listing->nodes[first], .first_line = INT64_MAX};
    for (size_t i = first; i < listing->count; i++, routine.count++) {
        uint32_t id = listing->nodes[i];
        if (!is_same_routine(report, listing->nodes[first], id)) break;
        int64_t line = report->nodes[id].line, start = report->nodes[id].start_line;
        if (start == 0) start = line < INT64_MIN + MARGIN ? line : line - MARGIN;
        if (start < routine.first_line) routine.first_line = start;
        if (line > routine.last_line && line < INT64_MAX - MARGIN) routine.last_line = line;
        routine.flat += listing->graph->flat[id];
        routine.cum += listing->graph->cum[id];
    }
    if (routine.first_line < 1) routine.first_line = 1;
    routine.last_line += MARGIN;
    if (routine.last_line - routine.first_line > LINES_MAX) routine.last_line = routine.first_line + LINES_MAX;
    return routine;
}

/* ---- Source ---- */

struct source {
    char *bytes; /* NULL: there is none */
    size_t nbytes;
    const char *why_not;
    bool is_newer; /* than the profile: its lines may have moved */
};

static struct source read_source(const struct rt_report *report, const char *path) {
    struct source source = {0};
    struct stat status;
    int64_t taken = fino_pprof_get_header(report->profile)->time_nanos;
    source.bytes = rt_read_regular_file(path, &source.nbytes);
    if (!source.bytes)
        source.why_not = strerror(errno);
    else if (taken > 0 && stat(path, &status) == 0)
        source.is_newer = status.st_mtim.tv_sec > taken / 1000000000;
    return source;
}

/* What remains of the text from line LINE on; NULL: it ends before. Line 1 is at BYTES. */
static const char *seek_line(const struct source *source, int64_t line) {
    const char *at = source->bytes, *end = at + source->nbytes;
    for (; line > 1 && at; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    return at == end ? NULL : at;
}

/* The line at *AT, without its end, and *AT behind it: NULL after the last. */
static size_t take_line(const struct source *source, const char **at) {
    const char *start = *at, *end = source->bytes + source->nbytes;
    const char *feed = memchr(start, '\n', (size_t)(end - start));
    size_t length = (size_t)((feed ? feed : end) - start);
    *at = feed && feed + 1 < end ? feed + 1 : NULL;
    return length;
}

/* ---- Writing ---- */

static void print_text_line(const struct listing *listing, int64_t line, int64_t flat, int64_t cum, const char *code,
                            size_t nbytes) {
    const char *unit = listing->report->unit;
    text flat_text = ".", cum_text = ".";
    if (flat) rt_report_number(flat, unit, "auto", flat_text);
    if (cum) rt_report_number(cum, unit, "auto", cum_text);
    fprintf(listing->file, "%10s %10s %6" PRId64 ":", flat_text, cum_text, line);
    fwrite(code, 1, nbytes, listing->file);
    fputc('\n', listing->file);
}

static void print_json_line(const struct listing *listing, int64_t line, int64_t flat, int64_t cum, const char *code,
                            size_t nbytes) {
    fprintf(listing->file, "{\"line\":%" PRId64 ",\"flat\":%" PRId64 ",\"cum\":%" PRId64, line, flat, cum);
    if (code) {
        fputs(",\"text\":", listing->file);
        rt_report_json_string(listing->file, code, nbytes);
    }
    fputc('}', listing->file);
}

static void print_line(const struct listing *listing, int64_t line, int64_t flat, int64_t cum, const char *code,
                       size_t nbytes) {
    if (listing->report->options->as_json)
        print_json_line(listing, line, flat, cum, code, nbytes);
    else
        print_text_line(listing, line, flat, cum, code ? code : "", code ? nbytes : 0);
}

/* The lines of its text, with what each has cost; then those with a cost that the text does not have. */
static void print_lines(const struct listing *listing, const struct routine *routine, const struct source *source) {
    const struct rt_report *report = listing->report;
    const char *at = source->bytes ? seek_line(source, routine->first_line) : NULL;
    const char *separator = report->options->as_json ? "\n" : "";
    int64_t line = routine->first_line;
    size_t i = 0;
    while (i < routine->count || (at && line <= routine->last_line)) {
        const char *code = NULL;
        size_t nbytes = 0;
        int64_t flat = 0, cum = 0;
        bool has_text = at && line <= routine->last_line;
        if (i < routine->count && (!has_text || report->nodes[routine->nodes[i]].line < line))
            line = report->nodes[routine->nodes[i]].line, has_text = false;
        if (has_text) code = at, nbytes = take_line(source, &at);
        for (; i < routine->count && report->nodes[routine->nodes[i]].line == line; i++) {
            flat += listing->graph->flat[routine->nodes[i]];
            cum += listing->graph->cum[routine->nodes[i]];
        }
        fputs(separator, listing->file);
        print_line(listing, line, flat, cum, code, nbytes);
        if (report->options->as_json) separator = ",\n";
        line++;
    }
}

static void print_routine(const struct listing *listing, const struct routine *routine) {
    const struct rt_report *report = listing->report;
    const struct rt_report_node *node = &report->nodes[routine->nodes[0]];
    const char *name = string_of(report, node->function_name), *path = string_of(report, node->file);
    text flat, cum, share;
    struct source source = read_source(report, path);
    fprintf(listing->file, "ROUTINE ======================== %s in %s\n", name, *path ? path : "an unknown file");
    fprintf(listing->file, "%10s %10s (flat, cum) %s of Total\n",
            rt_report_number(routine->flat, report->unit, "auto", flat),
            rt_report_number(routine->cum, report->unit, "auto", cum),
            rt_report_percent(routine->cum, report->total, share));
    if (*path && !source.bytes) fprintf(listing->file, " no source: %s: %s\n", path, source.why_not);
    if (source.is_newer) fprintf(listing->file, " %s was changed after the profile was taken\n", path);
    print_lines(listing, routine, &source);
    free(source.bytes);
}

static void print_routine_json(const struct listing *listing, const struct routine *routine) {
    const struct rt_report *report = listing->report;
    const struct rt_report_node *node = &report->nodes[routine->nodes[0]];
    const char *name = string_of(report, node->function_name), *path = string_of(report, node->file);
    struct source source = read_source(report, path);
    fputs("{\"name\":", listing->file);
    rt_report_json_string(listing->file, name, strlen(name));
    fputs(",\"file\":", listing->file);
    rt_report_json_string(listing->file, path, strlen(path));
    fprintf(listing->file, ",\"flat\":%" PRId64 ",\"cum\":%" PRId64 ",\"hasSource\":%s,\"isNewer\":%s,\"lines\":[",
            routine->flat, routine->cum, source.bytes ? "true" : "false", source.is_newer ? "true" : "false");
    print_lines(listing, routine, &source);
    fputs("]}", listing->file);
    free(source.bytes);
}

static void print_listing(const struct listing *listing) {
    const struct rt_report *report = listing->report;
    text total;
    size_t next;
    if (report->options->as_json)
        rt_report_print_json_header(report, listing->file);
    else
        fprintf(listing->file, "Total: %s\n", rt_report_number(report->total, report->unit, "auto", total));
    if (report->options->as_json) fputs(",\"routines\":[", listing->file);
    for (size_t first = 0; first < listing->count; first = next) {
        struct routine routine = routine_at(listing, first);
        next = first + routine.count;
        if (!report->options->as_json) {
            print_routine(listing, &routine);
        } else {
            fputs(first ? ",\n" : "\n", listing->file);
            print_routine_json(listing, &routine);
        }
    }
    if (report->options->as_json) fputs("]}\n", listing->file);
}

int rt_report_list(struct rt_report *report, const char *function, FILE *file) {
    struct rt_report_graph graph;
    regex_t expression;
    if (rt_report_compile(&expression, function, "list") != 0) return -1;
    rt_report_graph_new(report, &graph);
    struct listing listing = {.report = report, .graph = &graph, .file = file};
    choose_nodes(&listing, &expression);
    if (listing.count > 0)
        print_listing(&listing);
    else
        fprintf(stderr, "fino pprof: no function matches %s\n", function);
    free(listing.nodes);
    rt_report_graph_free(&graph);
    regfree(&expression);
    return listing.count > 0 ? 0 : -1;
}
