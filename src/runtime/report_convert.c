/* report_convert.c: profiles for other tools: the table of formats, and the small ones of them: collapsed stacks,
 * speedscope and plain JSON.
 *
 * Source:  github.com/brendangregg/FlameGraph (collapsed), speedscope.app/file-format-schema.json.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report.h"

void rt_report_json_string(FILE *file, const char *text, size_t nbytes) {
    fputc('"', file);
    for (size_t i = 0; i < nbytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f) /* no "</script>", no "<!--" */
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void json_text(FILE *file, const char *text) {
    rt_report_json_string(file, text, strlen(text));
}

/* ---- Collapsed stacks ---- */

/* A frame's name ends at ';', a line at a line feed. */
static void put_collapsed(FILE *file, const char *name) {
    for (; *name; name++)
        fputc(*name == ';' ? ':' : *name == '\n' || *name == '\r' ? ' ' : *name, file);
}

static int write_collapsed(struct rt_report *report, FILE *file) {
    size_t cursor = 0;
    struct rt_report_stack stack;
    while (rt_report_next(report, &cursor, &stack)) {
        const char *thread = rt_report_find_label(report, stack.label_set, "thread", NULL);
        if (thread) put_collapsed(file, thread);
        for (size_t i = stack.depth; i-- > 0;) {
            if (thread || i + 1 < stack.depth) fputc(';', file);
            put_collapsed(file, report->nodes[stack.nodes[i]].name);
        }
        fprintf(file, " %" PRId64 "\n", stack.value);
    }
    return 0;
}

/* ---- speedscope ---- */

static const char *speedscope_unit(const struct rt_report *report) {
    static const struct {
        const char *ours, *theirs;
    } units[] = {
        {"ns", "nanoseconds"}, {"us", "microseconds"}, {"ms", "milliseconds"}, {"s", "seconds"}, {"B", "bytes"}};
    const char *unit = rt_report_unit_for(1, report->unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].ours, unit) == 0) return units[i].theirs;
    return "none";
}

static void write_speedscope_frames(const struct rt_report *report, FILE *file) {
    for (size_t i = 0; i < report->node_count; i++) {
        const struct rt_report_node *node = &report->nodes[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", file);
        if (node->function_name)
            json_text(file, fino_pprof_get_string(report->profile, node->function_name, NULL));
        else
            json_text(file, node->name);
        if (node->file) {
            fputs(",\"file\":", file);
            json_text(file, fino_pprof_get_string(report->profile, node->file, NULL));
        }
        if (node->line > 0) fprintf(file, ",\"line\":%" PRId64, node->line);
        fputc('}', file);
    }
}

/* A sample, and where rt_report_next finds it again. */
struct placed {
    size_t thread, cursor;
    int64_t value;
};

static int compare_placed(const void *a, const void *b) {
    const struct placed *left = a, *right = b;
    if (left->thread != right->thread) return left->thread < right->thread ? -1 : 1;
    return left->cursor < right->cursor ? -1 : 1;
}

/* The samples in the order of their threads: to free. */
static struct placed *place_samples(struct rt_report *report, struct rt_report_threads *threads, size_t *count_out) {
    struct placed *placed = rt_report_allocate(fino_pprof_sample_count(report->profile), sizeof *placed);
    size_t count = 0;
    struct rt_report_stack stack;
    for (size_t cursor = 0; rt_report_next(report, &cursor, &stack); count++)
        placed[count] = (struct placed){rt_report_thread(report, threads, stack.label_set), cursor - 1, stack.value};
    qsort(placed, count, sizeof *placed, compare_placed);
    *count_out = count;
    return placed;
}

/* Of the samples from FIRST to before END. */
static void write_speedscope_samples(struct rt_report *report, const struct placed *first, const struct placed *end,
                                     FILE *file) {
    int64_t total = 0;
    struct rt_report_stack stack;
    fputs("\"samples\":[", file);
    for (const struct placed *placed = first; placed < end; placed++) {
        size_t cursor = placed->cursor;
        rt_report_next(report, &cursor, &stack);
        fputs(placed == first ? "\n[" : ",\n[", file);
        for (size_t i = stack.depth; i-- > 0;)
            fprintf(file, "%" PRIu32 "%s", stack.nodes[i], i ? "," : "");
        fputc(']', file);
    }
    fputs("],\n\"weights\":[", file);
    for (const struct placed *placed = first; placed < end; placed++) {
        fprintf(file, "%s%" PRId64, placed == first ? "" : ",", placed->value);
        total += placed->value;
    }
    fprintf(file, "],\"startValue\":0,\"endValue\":%" PRId64 "}", total);
}

static int write_speedscope(struct rt_report *report, FILE *file) {
    struct rt_report_threads threads = {0};
    size_t count;
    struct placed *placed = place_samples(report, &threads, &count);
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"fino\",\"shared\":{"
          "\"frames\":[",
          file);
    write_speedscope_frames(report, file);
    fputs("]},\"profiles\":[", file);
    for (size_t first = 0, end; first < count; first = end) {
        const char *name = threads.names[placed[first].thread];
        for (end = first; end < count && placed[end].thread == placed[first].thread; end++) {
        }
        fprintf(file, "%s\n{\"type\":\"sampled\",\"unit\":\"%s\",\"name\":", first ? "," : "", speedscope_unit(report));
        json_text(file, name ? name : "all");
        fputc(',', file);
        write_speedscope_samples(report, &placed[first], &placed[end], file);
    }
    fputs("]}\n", file);
    free(placed);
    rt_report_threads_free(&threads);
    return 0;
}

/* ---- JSON ---- */

static void write_labels(const struct rt_report *report, uint32_t label_set, FILE *file) {
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(report->profile, label_set, &count);
    fputc('{', file);
    for (size_t i = 0; i < count; i++) {
        if (i) fputc(',', file);
        json_text(file, fino_pprof_get_string(report->profile, labels[i].key, NULL));
        fputc(':', file);
        if (labels[i].string != FINO_PPROF_NONE)
            json_text(file, fino_pprof_get_string(report->profile, labels[i].string, NULL));
        else
            fprintf(file, "%" PRId64, labels[i].number);
    }
    fputc('}', file);
}

static int write_json(struct rt_report *report, FILE *file) {
    const struct fino_pprof_header *header = fino_pprof_get_header(report->profile);
    rt_report_print_json_header(report, file);
    fprintf(file, ",\"timeNanos\":\"%" PRId64 "\",\"durationNanos\":%" PRId64 ",\"frames\":[", header->time_nanos,
            header->duration_nanos);
    write_speedscope_frames(report, file);
    fputs("],\"samples\":[", file);
    size_t cursor = 0;
    struct rt_report_stack stack;
    const char *comma = "";
    while (rt_report_next(report, &cursor, &stack)) {
        fprintf(file, "%s\n{\"stack\":[", comma);
        for (size_t i = stack.depth; i-- > 0;)
            fprintf(file, "%" PRIu32 "%s", stack.nodes[i], i ? "," : "");
        fprintf(file, "],\"value\":%" PRId64 ",\"labels\":", stack.value);
        write_labels(report, stack.label_set, file);
        fputc('}', file);
        comma = ",";
    }
    fputs("]}\n", file);
    return 0;
}

/* ---- The table ---- */

static const struct rt_report_format formats[] = {
    {"collapsed", write_collapsed, false, 0, "profile.collapsed"},
    {"speedscope", write_speedscope, false, 0, "profile.speedscope.json"},
    {"cpuprofile", rt_report_chrome, true, RT_BY_START, "profile.cpuprofile"},
    {"firefox", rt_report_firefox, true, RT_BY_LINE, "profile.firefox.json"},
    {"html", rt_report_flame, true, RT_BY_START, "profile.html"},
    {"json", write_json, false, 0, "profile.json"},
};

const struct rt_report_format *rt_report_find_format(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    fprintf(stderr, "fino: there is no format %s, only", name);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        fprintf(stderr, "%s %s", i ? "," : "", formats[i].name);
    fputc('\n', stderr);
    return NULL;
}
