/* report_graph.c: what each node costs by itself and with all it called, and who called whom.
 *
 * Two passes: the first gives the sums, which say which nodes are worth showing; the second the calls between those,
 * over the nodes left out.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report.h"

#define EDGE_FRACTION 0.2 /* of a node's cutoff: 0.1 % of the total when that is 0.5 % */
#define EDGES_FIRST 256   /* a power of two, as all capacities are then */
#define NONE UINT32_MAX

static int64_t size_of(int64_t value) {
    return value < 0 ? -value : value;
}

/* ---- The first pass ---- */

static void sum_nodes(struct rt_report *report, struct rt_report_graph *graph) {
    size_t *seen = rt_report_allocate(report->node_count, sizeof *seen), cursor = 0, number = 0;
    struct rt_report_stack stack;
    while (rt_report_next(report, &cursor, &stack)) {
        number++;
        for (size_t i = 0; i < stack.depth; i++) {
            uint32_t node = stack.nodes[i];
            if (seen[node] != number) graph->cum[node] += stack.value;
            seen[node] = number; /* a function that calls itself counts once */
        }
        if (stack.depth > 0) graph->flat[stack.nodes[0]] += stack.value;
    }
    free(seen);
}

/* ---- The second ---- */

struct edge_table {
    uint32_t *slots; /* edge + 1; 0: free */
    size_t slot_count;
    size_t capacity; /* of edges */
};

static size_t hash_edge(uint32_t from, uint32_t to) {
    uint64_t hash = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return (size_t)(hash ^ (hash >> 32));
}

static size_t slot_of(const struct edge_table *table, const struct rt_report_graph *graph, uint32_t from, uint32_t to) {
    size_t slot = hash_edge(from, to) & (table->slot_count - 1);
    while (table->slots[slot]) {
        const struct rt_report_edge *edge = &graph->edges[table->slots[slot] - 1];
        if (edge->from == from && edge->to == to) break;
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static void grow_edges(struct edge_table *table, struct rt_report_graph *graph) {
    graph->edges = rt_report_reserve(graph->edges, table->capacity ? table->capacity + 1 : EDGES_FIRST,
                                     &table->capacity, sizeof *graph->edges);
    free(table->slots);
    table->slot_count = table->capacity * 4;
    table->slots = rt_report_allocate(table->slot_count, sizeof *table->slots);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        table->slots[slot_of(table, graph, graph->edges[i].from, graph->edges[i].to)] = i + 1;
}

static void add_call(struct edge_table *table, struct rt_report_graph *graph, const struct rt_report_edge *call) {
    if (graph->edge_count == table->capacity) grow_edges(table, graph);
    size_t slot = slot_of(table, graph, call->from, call->to);
    if (!table->slots[slot]) {
        graph->edges[graph->edge_count] = *call;
        table->slots[slot] = (uint32_t)++graph->edge_count;
        return;
    }
    struct rt_report_edge *edge = &graph->edges[table->slots[slot] - 1];
    if (edge->seen == call->seen) return; /* once for each stack */
    edge->seen = call->seen;
    edge->weight += call->weight;
    edge->is_inlined &= call->is_inlined;
}

static void sum_calls(struct rt_report *report, struct rt_report_graph *graph, const bool *is_kept) {
    struct edge_table table = {0};
    size_t cursor = 0, number = 0;
    struct rt_report_stack stack;
    grow_edges(&table, graph);
    while (rt_report_next(report, &cursor, &stack)) {
        uint32_t caller = NONE;
        number++;
        for (size_t i = stack.depth; i-- > 0;) {
            uint32_t node = stack.nodes[i];
            if (!is_kept[node]) continue;
            if (caller != NONE && caller != node)
                add_call(&table, graph,
                         &(struct rt_report_edge){caller, node, stack.value, stack.is_inlined[i], number});
            caller = node;
        }
    }
    free(table.slots);
}

static void drop_small_calls(struct rt_report_graph *graph, int64_t cutoff) {
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        if (size_of(graph->edges[i].weight) >= cutoff) graph->edges[kept++] = graph->edges[i];
    graph->edge_count = kept;
}

/* ---- What is shown, in which order ---- */

struct ordering {
    const struct rt_report *report;
    const struct rt_report_graph *graph;
};

/* The larger first, then by name, then by the other sum. */
static int compare_nodes(const void *a, const void *b, void *context) {
    const struct ordering *ordering = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    bool by_cum = ordering->report->options->sort_by_cum;
    const int64_t *first = by_cum ? ordering->graph->cum : ordering->graph->flat;
    const int64_t *second = by_cum ? ordering->graph->flat : ordering->graph->cum;
    int64_t l = size_of(first[left]), r = size_of(first[right]);
    if (l != r) return l > r ? -1 : 1;
    int order = strcmp(ordering->report->nodes[left].name, ordering->report->nodes[right].name);
    if (order != 0) return order;
    l = size_of(second[left]), r = size_of(second[right]);
    if (l != r) return l > r ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void choose_nodes(struct rt_report *report, struct rt_report_graph *graph) {
    int64_t total = 0;
    size_t there = 0;
    for (size_t i = 0; i < report->node_count; i++)
        total += graph->flat[i];
    graph->cutoff = size_of((int64_t)((double)total * report->options->node_fraction));
    for (uint32_t i = 0; i < report->node_count; i++) {
        if (graph->cum[i] == 0 && graph->flat[i] == 0) continue;
        there++;
        if (size_of(graph->cum[i]) >= graph->cutoff) graph->order[graph->count++] = i;
    }
    graph->dropped_count = there - graph->count;
    qsort_r(graph->order, graph->count, sizeof *graph->order, compare_nodes, &(struct ordering){report, graph});
}

/* One that shows the smallest number to be seen with two digits at least, and suits the total if both allow it. */
static const char *choose_unit(const struct rt_report *report, const struct rt_report_graph *graph) {
    int64_t smallest = 0;
    for (size_t i = 0; i < graph->count; i++) {
        uint32_t node = graph->order[i];
        int64_t value = size_of(graph->flat[node] ? graph->flat[node] : graph->cum[node]);
        if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
    }
    if (smallest == 0) smallest = report->total;
    const char *unit = rt_report_unit_for(smallest, report->unit);
    bool is_far = strcmp(unit, rt_report_unit_for(report->total, report->unit)) != 0 &&
                  (double)smallest * 100 < (double)report->total;
    if (is_far) unit = rt_report_unit_for(smallest * 100, report->unit);
    return *unit ? unit : report->unit;
}

void rt_report_graph_new(struct rt_report *report, struct rt_report_graph *graph) {
    *graph = (struct rt_report_graph){.flat = rt_report_allocate(report->node_count, sizeof *graph->flat),
                                      .cum = rt_report_allocate(report->node_count, sizeof *graph->cum),
                                      .order = rt_report_allocate(report->node_count, sizeof *graph->order)};
    sum_nodes(report, graph);
    choose_nodes(report, graph);
    graph->kept_count = graph->count;
    if (report->options->count && graph->count > report->options->count) graph->count = report->options->count;
    bool *is_kept = rt_report_allocate(report->node_count, sizeof *is_kept);
    for (size_t i = 0; i < graph->count; i++)
        is_kept[graph->order[i]] = true;
    sum_calls(report, graph, is_kept);
    free(is_kept);
    drop_small_calls(graph, (int64_t)((double)graph->cutoff * EDGE_FRACTION));
    graph->unit = choose_unit(report, graph);
}

void rt_report_graph_free(struct rt_report_graph *graph) {
    free(graph->flat);
    free(graph->cum);
    free(graph->order);
    free(graph->edges);
}
