/* report_chrome.c: the .cpuprofile of Chrome's DevTools, VS Code and speedscope.
 *
 * That format is a tree of calls and a sequence of samples in time. A pprof profile has no time, so stacks come one
 * after another, by thread and in the order of the tree, each for as long as it cost. With several threads each has a
 * node of its own below the root. The format has microseconds; values that are no time count as so many.
 *
 * Source:  chromedevtools.github.io/devtools-protocol/tot/Profiler (Profile, ProfileNode, PositionTickInfo).
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report_paths.h"

#define ROOT_ID 1u

struct chart {
    struct rt_report *report;
    struct rt_report_paths paths;
    struct rt_report_calls calls;
    int64_t *ends_us; /* by path: when it ends, from the start on */
    size_t thread_count;
    bool has_thread_nodes;
    uint32_t *first_child, *next_sibling; /* by id; 0: none */
    FILE *file;
};

/* Ids: the root, then the threads, then the calls. */
static uint32_t thread_id(const struct chart *chart, size_t thread) {
    return chart->has_thread_nodes ? ROOT_ID + 1 + (uint32_t)thread : ROOT_ID;
}

static uint32_t first_call_id(const struct chart *chart) {
    return ROOT_ID + 1 + (chart->has_thread_nodes ? (uint32_t)chart->thread_count : 0);
}

static uint32_t end_id(const struct chart *chart, size_t path) {
    uint32_t call = chart->calls.ends[path];
    return call == FINO_PPROF_NONE ? thread_id(chart, chart->paths.items[path].thread) : first_call_id(chart) + call;
}

static bool set_times(struct chart *chart) {
    double sum = 0, factor = 1;
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(rt_report_unit_for(1, chart->report->unit), units[i].unit) == 0) factor = units[i].us;
    for (size_t i = 0; i < chart->paths.count; i++) {
        if (chart->paths.items[i].value < 0 || chart->paths.has_base) return false;
        sum += (double)chart->paths.items[i].value * factor;
        chart->ends_us[i] = sum < 9e15 ? (int64_t)(sum + 0.5) : 9000000000000000;
    }
    return true;
}

/* Children in the order of their ids. */
static void link_children(struct chart *chart) {
    uint32_t first_call = first_call_id(chart), *threads_of;
    threads_of = rt_report_allocate(chart->calls.count, sizeof *threads_of);
    for (size_t i = 0; i < chart->paths.count; i++) /* the roots of each thread's tree */
        for (uint32_t call = chart->calls.ends[i]; call != FINO_PPROF_NONE; call = chart->calls.items[call].parent) {
            if (threads_of[call]) break;
            threads_of[call] = thread_id(chart, chart->paths.items[i].thread);
        }
    for (uint32_t call = (uint32_t)chart->calls.count; call-- > 0;) {
        uint32_t above = chart->calls.items[call].parent, id = first_call + call;
        above = above == FINO_PPROF_NONE ? threads_of[call] : first_call + above;
        chart->next_sibling[id] = chart->first_child[above];
        chart->first_child[above] = id;
    }
    for (uint32_t id = first_call - 1; id > ROOT_ID; id--) {
        chart->next_sibling[id] = chart->first_child[ROOT_ID];
        chart->first_child[ROOT_ID] = id;
    }
    free(threads_of);
}

/* ---- Writing ---- */

/* What Node and Chrome have there: a URL, where it is an absolute path. */
static void write_url(const struct chart *chart, const char *path) {
    char *url = NULL;
    size_t nbytes = 0;
    FILE *text = *path == '/' ? open_memstream(&url, &nbytes) : NULL;
    if (text) {
        fputs("file://", text);
        for (; *path; path++)
            fprintf(text, strchr(" %#?\"<>\\^`{}|", *path) || (unsigned char)*path < 0x20 ? "%%%02X" : "%c",
                    (unsigned char)*path);
        fclose(text);
    }
    rt_report_json_string(chart->file, url ? url : path, url ? nbytes : strlen(path));
    free(url);
}

static void begin_node(const struct chart *chart, uint32_t id, const char *name, const char *path, int64_t line) {
    fprintf(chart->file, "%s\n{\"id\":%" PRIu32 ",\"callFrame\":{\"functionName\":", id == ROOT_ID ? "" : ",", id);
    rt_report_json_string(chart->file, name, strlen(name));
    fputs(",\"scriptId\":\"0\",\"url\":", chart->file);
    write_url(chart, path);
    fprintf(chart->file, ",\"lineNumber\":%" PRId64 ",\"columnNumber\":%d}", line > 0 ? line - 1 : -1,
            line > 0 ? 0 : -1);
}

static void end_node(const struct chart *chart, uint32_t id, int64_t hits) {
    const char *comma = "";
    fprintf(chart->file, ",\"hitCount\":%" PRId64 ",\"children\":[", hits);
    for (uint32_t child = chart->first_child[id]; child; child = chart->next_sibling[child], comma = ",")
        fprintf(chart->file, "%s%" PRIu32, comma, child);
    fputs("]}", chart->file);
}

static int64_t duration_us(const struct chart *chart, size_t path) {
    return chart->ends_us[path] - (path > 0 ? chart->ends_us[path - 1] : 0);
}

/* The samples of ID: those whose place is sorted there. */
struct hit {
    uint32_t id;
    int64_t line, us;
};

static int compare_hits(const void *a, const void *b) {
    const struct hit *left = a, *right = b;
    if (left->id != right->id) return left->id < right->id ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static struct hit *collect_hits(const struct chart *chart) {
    struct hit *hits = rt_report_allocate(chart->paths.count + 1, sizeof *hits); /* the last one ends them */
    for (size_t i = 0; i < chart->paths.count; i++)
        hits[i] = (struct hit){end_id(chart, i), chart->paths.items[i].leaf_line, duration_us(chart, i)};
    if (chart->paths.count) qsort(hits, chart->paths.count, sizeof *hits, compare_hits);
    return hits;
}

/* The lines that ID's samples are at. Returns the sum of these samples, which *HITS is behind then. */
static int64_t write_ticks(const struct chart *chart, uint32_t id, const struct hit **hits) {
    const char *comma = "";
    int64_t sum = 0;
    fputs(",\"positionTicks\":[", chart->file);
    while ((*hits)->id == id) {
        int64_t line = (*hits)->line, ticks = 0;
        for (; (*hits)->id == id && (*hits)->line == line; (*hits)++)
            ticks += (*hits)->us;
        if (line > 0) fprintf(chart->file, "%s{\"line\":%" PRId64 ",\"ticks\":%" PRId64 "}", comma, line, ticks);
        if (line > 0) comma = ",";
        sum += ticks;
    }
    fputc(']', chart->file);
    return sum;
}

static void write_nodes(const struct chart *chart) {
    const struct rt_report *report = chart->report;
    struct hit *all = collect_hits(chart);
    const struct hit *hits = all;
    uint32_t first_call = first_call_id(chart);
    fputs("{\"nodes\":[", chart->file);
    for (uint32_t id = ROOT_ID; id < first_call; id++) {
        const char *thread = id == ROOT_ID ? "(root)" : chart->paths.threads.names[id - ROOT_ID - 1];
        begin_node(chart, id, thread ? thread : "(no thread)", "", 0);
        end_node(chart, id, write_ticks(chart, id, &hits));
    }
    for (uint32_t i = 0; i < chart->calls.count; i++) {
        const struct rt_report_node *node = &report->nodes[RT_FRAME_NODE(chart->calls.items[i].frame)];
        begin_node(chart, first_call + i,
                   node->function_name ? fino_pprof_get_string(report->profile, node->function_name, NULL) : node->name,
                   fino_pprof_get_string(report->profile, node->file, NULL), node->start_line);
        end_node(chart, first_call + i, write_ticks(chart, first_call + i, &hits));
    }
    free(all);
}

/* A sample lasts until the next one, so the root comes last. */
static void write_samples(const struct chart *chart) {
    int64_t start_us = fino_pprof_get_header(chart->report->profile)->time_nanos / 1000;
    size_t count = chart->paths.count;
    fprintf(chart->file, "],\n\"startTime\":%" PRId64 ",\"endTime\":%" PRId64 ",\n\"samples\":[", start_us,
            start_us + (count > 0 ? chart->ends_us[count - 1] : 0));
    for (size_t i = 0; i < count; i++)
        fprintf(chart->file, "%" PRIu32 ",", end_id(chart, i));
    fprintf(chart->file, "%u],\n\"timeDeltas\":[0", ROOT_ID);
    for (size_t i = 0; i < count; i++)
        fprintf(chart->file, ",%" PRId64, duration_us(chart, i));
    fputs("]}\n", chart->file);
}

int rt_report_chrome(struct rt_report *report, FILE *file) {
    struct chart chart = {.report = report, .file = file};
    rt_report_paths_new(report, &chart.paths, true);
    rt_report_calls_new(&chart.paths, &chart.calls);
    chart.thread_count = chart.paths.threads.count;
    chart.has_thread_nodes = chart.thread_count > 1;
    chart.ends_us = rt_report_allocate(chart.paths.count, sizeof *chart.ends_us);
    size_t id_count = first_call_id(&chart) + chart.calls.count;
    chart.first_child = rt_report_allocate(id_count, sizeof *chart.first_child);
    chart.next_sibling = rt_report_allocate(id_count, sizeof *chart.next_sibling);
    bool fits = set_times(&chart);
    if (fits) {
        link_children(&chart);
        write_nodes(&chart);
        write_samples(&chart);
    } else {
        fputs("fino pprof: a .cpuprofile can't say what became less; --to=firefox can\n", stderr);
    }
    free(chart.ends_us);
    free(chart.first_child);
    free(chart.next_sibling);
    rt_report_calls_free(&chart.calls);
    rt_report_paths_free(&chart.paths);
    return fits ? 0 : -1;
}
