/* report_paths.c: see report_paths.h. */

#include "runtime/report_paths.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kinds of frames ---- */

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

bool rt_report_is_script(const struct rt_report *report, uint32_t id) {
    static const char *const endings[] = {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"};
    const char *name = report->nodes[id].name,
               *file = fino_pprof_get_string(report->profile, report->nodes[id].file, NULL);
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcmp(file + length - strlen(endings[i]), endings[i]) == 0) return true;
    return begins(file, "fino:") || begins(file, "node:") || begins(name, "[builtin]");
}

/* What a frame is, below one of kind ABOVE: system calls are leaves in libc, the collector's and the compiler's own
 * functions are of their kind. */
static enum rt_report_kind kind_of(const struct rt_report *report, uint32_t id, enum rt_report_kind above,
                                   bool is_leaf) {
    const char *name = report->nodes[id].name,
               *file = fino_pprof_get_string(report->profile, report->nodes[id].file, NULL);
    if (rt_report_is_script(report, id)) return RT_KIND_JS;
    if (begins(name, "[gc]")) return RT_KIND_GC;
    if (begins(name, "[compile]") || begins(name, "[parse]") || begins(name, "[ic]")) return RT_KIND_COMPILE;
    if (is_leaf && strstr(file, "sysdeps/unix")) return RT_KIND_SYSTEM;
    return above == RT_KIND_GC || above == RT_KIND_COMPILE ? above : RT_KIND_NATIVE;
}

/* ---- Paths ---- */

static void add_path(const struct rt_report *report, struct rt_report_paths *paths,
                     const struct rt_report_stack *stack) {
    paths->frames = rt_report_reserve(paths->frames, paths->frame_count + stack->depth, &paths->frame_capacity,
                                      sizeof *paths->frames);
    bool is_base = rt_report_is_of_base(report, stack->label_set);
    paths->has_base |= is_base;
    paths->items[paths->count++] = (struct rt_report_path){NULL,
                                                           paths->frame_count,
                                                           stack->depth,
                                                           rt_report_thread(report, &paths->threads, stack->label_set),
                                                           is_base ? 0 : stack->value,
                                                           is_base ? -stack->value : 0,
                                                           stack->leaf_line};
    enum rt_report_kind kind = RT_KIND_NATIVE;
    for (size_t i = stack->depth; i-- > 0;) {
        kind = kind_of(report, stack->nodes[i], kind, i == 0);
        paths->frames[paths->frame_count++] =
            (uint64_t)stack->nodes[i] << 4 | (uint64_t)kind << 1 | (stack->is_inlined[i] ? 1 : 0);
    }
}

static int compare_stacks(const void *a, const void *b) {
    const struct rt_report_path *left = a, *right = b;
    for (size_t i = 0; i < left->depth && i < right->depth; i++)
        if (left->frames[i] != right->frames[i]) return left->frames[i] < right->frames[i] ? -1 : 1;
    if (left->depth != right->depth) return left->depth < right->depth ? -1 : 1;
    return left->thread < right->thread ? -1 : left->thread > right->thread;
}

static int compare_threads(const void *a, const void *b) {
    const struct rt_report_path *left = a, *right = b;
    if (left->thread != right->thread) return left->thread < right->thread ? -1 : 1;
    return compare_stacks(a, b);
}

void rt_report_paths_new(struct rt_report *report, struct rt_report_paths *paths, bool by_thread) {
    size_t capacity = fino_pprof_sample_count(report->profile), cursor = 0;
    *paths = (struct rt_report_paths){.items = rt_report_allocate(capacity, sizeof *paths->items)};
    struct rt_report_stack stack;
    while (rt_report_next(report, &cursor, &stack))
        add_path(report, paths, &stack);
    for (size_t i = 0; i < paths->count; i++)
        paths->items[i].frames = paths->frames + paths->items[i].start;
    if (paths->count)
        qsort(paths->items, paths->count, sizeof *paths->items, by_thread ? compare_threads : compare_stacks);
}

void rt_report_paths_free(struct rt_report_paths *paths) {
    free(paths->items);
    free(paths->frames);
    rt_report_threads_free(&paths->threads);
}

size_t rt_report_shared_depth(const struct rt_report_path *a, const struct rt_report_path *b) {
    size_t shared = 0;
    while (shared < a->depth && shared < b->depth && a->frames[shared] == b->frames[shared])
        shared++;
    return shared;
}

/* ---- The tree ---- */

void rt_report_calls_new(const struct rt_report_paths *paths, struct rt_report_calls *calls) {
    size_t capacity = 0, path_capacity = 0;
    uint32_t *above = NULL; /* the newest path's calls */
    *calls = (struct rt_report_calls){.ends = rt_report_allocate(paths->count, sizeof *calls->ends)};
    for (size_t i = 0; i < paths->count; i++) {
        const struct rt_report_path *path = &paths->items[i];
        bool continues = i > 0 && path[-1].thread == path->thread;
        above = rt_report_reserve(above, path->depth, &path_capacity, sizeof *above);
        calls->items = rt_report_reserve(calls->items, calls->count + path->depth, &capacity, sizeof *calls->items);
        for (size_t j = continues ? rt_report_shared_depth(path - 1, path) : 0; j < path->depth; j++) {
            calls->items[calls->count] =
                (struct rt_report_call){j > 0 ? above[j - 1] : FINO_PPROF_NONE, path->frames[j]};
            above[j] = (uint32_t)calls->count++;
        }
        calls->ends[i] = path->depth > 0 ? above[path->depth - 1] : FINO_PPROF_NONE;
    }
    free(above);
}

void rt_report_calls_free(struct rt_report_calls *calls) {
    free(calls->items);
    free(calls->ends);
}
