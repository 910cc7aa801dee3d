/* report_text.c: reports for reading in a terminal: top, tree, peek and tags, and what they begin with. */

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/report.h"

typedef char text[RT_REPORT_TEXT_MAX];

/* ---- What they begin with ---- */

void rt_report_print_header(const struct rt_report *report, const struct rt_report_graph *graph, FILE *file) {
    const struct fino_pprof_header *header = fino_pprof_get_header(report->profile);
    text duration, total, share;
    for (size_t i = 0; i < header->comment_count; i++)
        if (header->comments[i][0] != '#') fprintf(file, "%s\n", header->comments[i]);
    fprintf(file, "Type: %s\n", report->type_name);
    if (header->time_nanos) {
        time_t seconds = (time_t)(header->time_nanos / 1000000000);
        char when[64];
        struct tm local;
        if (localtime_r(&seconds, &local) && strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S (%Z)", &local))
            fprintf(file, "Time: %s\n", when);
    }
    if (header->duration_nanos == 0) return;
    fprintf(file, "Duration: %s, Total samples = %s",
            rt_report_number(header->duration_nanos, "nanoseconds", "auto", duration),
            rt_report_number(report->total, report->unit, graph->unit, total));
    if (strcmp(rt_report_unit_for(1, report->unit), "ns") == 0 && report->total)
        fprintf(file, " (%s)", rt_report_percent(report->total, header->duration_nanos, share));
    fputc('\n', file);
}

void rt_report_print_json_header(const struct rt_report *report, FILE *file) {
    fputs("{\"type\":", file);
    rt_report_json_string(file, report->type_name, strlen(report->type_name));
    fputs(",\"unit\":", file);
    rt_report_json_string(file, report->unit, strlen(report->unit));
    fprintf(file, ",\"total\":%" PRId64, report->total);
}

void rt_report_print_legend(const struct rt_report *report, const struct rt_report_graph *graph, FILE *file) {
    text shown, share, total, cutoff;
    int64_t flat = 0;
    for (size_t i = 0; i < graph->count; i++)
        flat += graph->flat[graph->order[i]];
    rt_report_percent(flat, report->total, share);
    fprintf(file, "Showing nodes accounting for %s, %s of %s total\n",
            rt_report_number(flat, report->unit, graph->unit, shown), share + strspn(share, " "),
            rt_report_number(report->total, report->unit, graph->unit, total));
    if (graph->dropped_count > 0)
        fprintf(file, "Dropped %zu node%s (cum <= %s)\n", graph->dropped_count, graph->dropped_count == 1 ? "" : "s",
                rt_report_number((int64_t)((double)report->total * report->options->node_fraction), report->unit,
                                 graph->unit, cutoff));
    if (graph->count < graph->kept_count)
        fprintf(file, "Showing top %zu nodes out of %zu\n", graph->count, graph->kept_count);
}

/* The columns that each node has in top and tree; *SUM is of all flat so far. */
static void print_columns(const struct rt_report *report, const struct rt_report_graph *graph, uint32_t id,
                          int64_t *sum, FILE *file) {
    text flat, flat_share, sum_share, cum, cum_share;
    *sum += graph->flat[id];
    fprintf(file, "%10s %s %s %10s %s", rt_report_number(graph->flat[id], report->unit, graph->unit, flat),
            rt_report_percent(graph->flat[id], report->total, flat_share),
            rt_report_percent(*sum, report->total, sum_share),
            rt_report_number(graph->cum[id], report->unit, graph->unit, cum),
            rt_report_percent(graph->cum[id], report->total, cum_share));
}

/* ---- top ---- */

enum { NOT_INLINED, PARTLY_INLINED, INLINED };

/* How each node is called: to free. */
static uint8_t *find_inlined(const struct rt_report *report, const struct rt_report_graph *graph) {
    uint8_t *seen = rt_report_allocate(report->node_count, 1);
    for (size_t i = 0; i < graph->edge_count; i++)
        seen[graph->edges[i].to] |= graph->edges[i].is_inlined ? 1 : 2;
    for (size_t i = 0; i < report->node_count; i++)
        seen[i] = seen[i] == 3 ? PARTLY_INLINED : seen[i] == 1 ? INLINED : NOT_INLINED;
    return seen;
}

static void print_top_json(const struct rt_report *report, const struct rt_report_graph *graph, const uint8_t *inlined,
                           FILE *file) {
    static const char *const words[] = {"false", "\"partly\"", "true"};
    rt_report_print_json_header(report, file);
    fprintf(file, ",\"dropped\":%zu,\"rows\":[", graph->dropped_count);
    for (size_t i = 0; i < graph->count; i++) {
        uint32_t id = graph->order[i];
        const struct rt_report_node *node = &report->nodes[id];
        fprintf(file, "%s\n{\"flat\":%" PRId64 ",\"cum\":%" PRId64 ",\"name\":", i ? "," : "", graph->flat[id],
                graph->cum[id]);
        rt_report_json_string(file, node->name, strlen(node->name));
        fprintf(file, ",\"inlined\":%s}", words[inlined[id]]);
    }
    fputs("]}\n", file);
}

int rt_report_top(struct rt_report *report, FILE *file) {
    static const char *const notes[] = {"", " (partial-inline)", " (inline)"};
    struct rt_report_graph graph;
    rt_report_graph_new(report, &graph);
    uint8_t *inlined = find_inlined(report, &graph);
    if (report->options->as_json) {
        print_top_json(report, &graph, inlined, file);
    } else {
        rt_report_print_header(report, &graph, file);
        rt_report_print_legend(report, &graph, file);
        fprintf(file, "%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum");
    }
    int64_t sum = 0;
    for (size_t i = 0; i < graph.count && !report->options->as_json; i++) {
        uint32_t id = graph.order[i];
        print_columns(report, &graph, id, &sum, file);
        fprintf(file, "  %s%s\n", report->nodes[id].name, notes[inlined[id]]);
    }
    free(inlined);
    rt_report_graph_free(&graph);
    return 0;
}

/* ---- tree and peek ---- */

/* The calls of each node by its callers, or by its callees. */
struct side {
    const struct rt_report *report;
    bool of_callers;
    struct rt_report_edge *edges; /* node i has edges[starts[i]] to edges[starts[i + 1]] */
    size_t *starts;
};

static uint32_t near_end(const struct side *side, const struct rt_report_edge *edge) {
    return side->of_callers ? edge->to : edge->from;
}

static uint32_t far_end(const struct side *side, const struct rt_report_edge *edge) {
    return side->of_callers ? edge->from : edge->to;
}

/* By node; of one node the heaviest first, then by the name at the other end. */
static int compare_edges(const void *a, const void *b, void *context) {
    const struct side *side = context;
    const struct rt_report_edge *left = a, *right = b;
    uint32_t l = near_end(side, left), r = near_end(side, right);
    if (l != r) return l < r ? -1 : 1;
    long long left_size = llabs(left->weight), right_size = llabs(right->weight);
    if (left_size != right_size) return left_size > right_size ? -1 : 1;
    return strcmp(side->report->nodes[far_end(side, left)].name, side->report->nodes[far_end(side, right)].name);
}

static struct side open_side(const struct rt_report *report, const struct rt_report_graph *graph, bool of_callers) {
    struct side side = {report, of_callers, rt_report_allocate(graph->edge_count, sizeof *side.edges),
                        rt_report_allocate(report->node_count + 1, sizeof *side.starts)};
    memcpy(side.edges, graph->edges, graph->edge_count * sizeof *side.edges);
    qsort_r(side.edges, graph->edge_count, sizeof *side.edges, compare_edges, &side);
    for (size_t i = 0; i < graph->edge_count; i++)
        side.starts[near_end(&side, &side.edges[i]) + 1]++;
    for (size_t i = 0; i < report->node_count; i++)
        side.starts[i + 1] += side.starts[i];
    return side;
}

static void close_side(struct side *side) {
    free(side->edges);
    free(side->starts);
}

static void print_side(const struct side *side, const struct rt_report_graph *graph, uint32_t node, FILE *file) {
    for (size_t i = side->starts[node]; i < side->starts[node + 1]; i++) {
        const struct rt_report_edge *edge = &side->edges[i];
        text weight, share;
        fprintf(file, "%50s %s |   %s%s\n", rt_report_number(edge->weight, side->report->unit, graph->unit, weight),
                rt_report_percent(edge->weight, graph->cum[node], share), side->report->nodes[far_end(side, edge)].name,
                edge->is_inlined ? " (inline)" : "");
    }
}

static const char separator[] = "----------------------------------------------------------+-------------\n";

static int print_tree(struct rt_report *report, const regex_t *expression, FILE *file) {
    struct rt_report_graph graph;
    size_t printed = 0;
    int64_t sum = 0;
    rt_report_graph_new(report, &graph);
    struct side callers = open_side(report, &graph, true), callees = open_side(report, &graph, false);
    rt_report_print_header(report, &graph, file);
    rt_report_print_legend(report, &graph, file);
    fprintf(file, "%s      flat  flat%%   sum%%        cum   cum%%   calls calls%% + context\n", separator);
    for (size_t i = 0; i < graph.count; i++) {
        uint32_t id = graph.order[i];
        if (expression && regexec(expression, report->nodes[id].name, 0, NULL, 0) != 0) continue;
        printed++;
        fputs(separator, file);
        print_side(&callers, &graph, id, file);
        print_columns(report, &graph, id, &sum, file);
        fprintf(file, "                | %s\n", report->nodes[id].name);
        print_side(&callees, &graph, id, file);
    }
    if (graph.count > 0) fputs(separator, file);
    close_side(&callers);
    close_side(&callees);
    rt_report_graph_free(&graph);
    return expression && printed == 0 ? -1 : 0;
}

int rt_report_tree(struct rt_report *report, const char *peek, FILE *file) {
    regex_t expression;
    if (!peek) return print_tree(report, NULL, file);
    if (rt_report_compile(&expression, peek, "peek") != 0) return -1;
    int result = print_tree(report, &expression, file);
    regfree(&expression);
    if (result != 0) fprintf(stderr, "fino pprof: no function matches %s\n", peek);
    return result;
}

/* ---- tags ---- */

struct tag {
    uint32_t key, value; /* string ids */
    int64_t number;      /* when VALUE is FINO_PPROF_NONE */
    uint32_t unit;
    int64_t sum, key_sum;
};

static int compare_identities(const void *a, const void *b) {
    const struct tag *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    if (left->value != right->value) return left->value < right->value ? -1 : 1;
    if (left->number != right->number) return left->number < right->number ? -1 : 1;
    return left->unit < right->unit ? -1 : left->unit > right->unit;
}

static const char *tag_text(const struct rt_report *report, const struct tag *tag, text number) {
    if (tag->value != FINO_PPROF_NONE) return fino_pprof_get_string(report->profile, tag->value, NULL);
    return rt_report_number(tag->number, fino_pprof_get_string(report->profile, tag->unit, NULL), "auto", number);
}

/* By key, the heaviest first; then each key's values, the heaviest first. */
static int compare_tags(const void *a, const void *b, void *context) {
    const struct rt_report *report = context;
    const struct tag *left = a, *right = b;
    text left_number, right_number;
    if (left->key_sum != right->key_sum) return llabs(left->key_sum) > llabs(right->key_sum) ? -1 : 1;
    int order = strcmp(fino_pprof_get_string(report->profile, left->key, NULL),
                       fino_pprof_get_string(report->profile, right->key, NULL));
    if (order != 0) return order;
    if (left->sum != right->sum) return llabs(left->sum) > llabs(right->sum) ? -1 : 1;
    return strcmp(tag_text(report, left, left_number), tag_text(report, right, right_number));
}

struct tag_list {
    struct tag *tags;
    size_t count, capacity;
};

static void add_tags(struct rt_report *report, const struct rt_report_stack *stack, struct tag_list *list) {
    size_t count;
    const struct fino_pprof_label *labels = fino_pprof_get_labels(report->profile, stack->label_set, &count);
    for (size_t i = 0; i < count; i++) {
        list->tags = rt_report_reserve(list->tags, list->count + 1, &list->capacity, sizeof *list->tags);
        bool is_number = labels[i].string == FINO_PPROF_NONE;
        list->tags[list->count++] = (struct tag){labels[i].key,
                                                 labels[i].string,
                                                 is_number ? labels[i].number : 0,
                                                 is_number ? labels[i].unit : 0,
                                                 stack->value,
                                                 0};
    }
}

/* Adds up what is the same, and for each key all of its values. */
static void fold_tags(struct tag_list *list) {
    size_t count = 0;
    qsort(list->tags, list->count, sizeof *list->tags, compare_identities);
    for (size_t i = 0; i < list->count; i++)
        if (count > 0 && compare_identities(&list->tags[count - 1], &list->tags[i]) == 0)
            list->tags[count - 1].sum += list->tags[i].sum;
        else
            list->tags[count++] = list->tags[i];
    list->count = count;
    for (size_t first = 0, end; first < count; first = end) {
        int64_t sum = 0;
        for (end = first; end < count && list->tags[end].key == list->tags[first].key; end++)
            sum += list->tags[end].sum;
        for (size_t i = first; i < end; i++)
            list->tags[i].key_sum = sum;
    }
}

static void print_tag(const struct rt_report *report, const struct tag *tag, bool is_first, FILE *file) {
    text sum, share, number;
    if (is_first)
        fprintf(file, "%s: total %s\n", fino_pprof_get_string(report->profile, tag->key, NULL),
                rt_report_number(tag->key_sum, report->unit, "auto", sum));
    fprintf(file, "%12s (%s): %s\n", rt_report_number(tag->sum, report->unit, "auto", sum),
            rt_report_percent(tag->sum, tag->key_sum, share), tag_text(report, tag, number));
}

static void print_tag_json(const struct rt_report *report, const struct tag *tag, bool is_first, FILE *file) {
    text number;
    const char *key = fino_pprof_get_string(report->profile, tag->key, NULL), *value = tag_text(report, tag, number);
    fputs(is_first ? "\n{\"key\":" : ",\n{\"key\":", file);
    rt_report_json_string(file, key, strlen(key));
    fputs(",\"value\":", file);
    rt_report_json_string(file, value, strlen(value));
    fprintf(file, ",\"sum\":%" PRId64 "}", tag->sum);
}

int rt_report_tags(struct rt_report *report, FILE *file) {
    struct tag_list list = {0};
    size_t cursor = 0;
    struct rt_report_stack stack;
    while (rt_report_next(report, &cursor, &stack))
        add_tags(report, &stack, &list);
    if (list.count) fold_tags(&list);
    if (list.count) qsort_r(list.tags, list.count, sizeof *list.tags, compare_tags, report);
    if (report->options->as_json) fputs("[", file);
    for (size_t i = 0; i < list.count; i++)
        if (report->options->as_json)
            print_tag_json(report, &list.tags[i], i == 0, file);
        else
            print_tag(report, &list.tags[i], i == 0 || list.tags[i].key != list.tags[i - 1].key, file);
    if (report->options->as_json) fputs("]\n", file);
    free(list.tags);
    return 0;
}
