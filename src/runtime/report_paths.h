/* report_paths.h: a profile's stacks from their roots on, sorted, and the tree that they make: for flame graphs and the
 * formats of tools that show one.
 *
 * Threads and memory: as in report.h.
 */
#ifndef FINO_RT_REPORT_PATHS_H
#define FINO_RT_REPORT_PATHS_H

#include "runtime/report.h"

enum rt_report_kind { RT_KIND_JS, RT_KIND_NATIVE, RT_KIND_GC, RT_KIND_COMPILE, RT_KIND_SYSTEM, RT_KIND_COUNT };

/* A frame is a number: node * 16 + kind * 2 + whether it is inlined into its caller. */
#define RT_FRAME_NODE(frame) ((uint32_t)((frame) >> 4))
#define RT_FRAME_KIND(frame) ((enum rt_report_kind)((frame) >> 1 & 7))
#define RT_FRAME_IS_INLINED(frame) (((frame)&1) != 0)

/* Is this node JavaScript or one of its built-in functions? */
bool rt_report_is_script(const struct rt_report *report, uint32_t node);

struct rt_report_path {
    const uint64_t *frames; /* root first */
    size_t start, depth;
    size_t thread;
    int64_t value, base;
    int64_t leaf_line; /* 0: not known */
};

struct rt_report_paths {
    struct rt_report_path *items;
    size_t count;
    uint64_t *frames;
    size_t frame_count, frame_capacity;
    struct rt_report_threads threads;
    bool has_base;
};

/* Sorted by their frames, then by thread; BY_THREAD: first by thread. */
void rt_report_paths_new(struct rt_report *report, struct rt_report_paths *paths_out, bool by_thread);
void rt_report_paths_free(struct rt_report_paths *paths);

/* How many frames, from the root on, are the same. */
size_t rt_report_shared_depth(const struct rt_report_path *a, const struct rt_report_path *b);

/* One node of the tree of calls, each after its parent. */
struct rt_report_call {
    uint32_t parent; /* FINO_PPROF_NONE: a root */
    uint64_t frame;
};

struct rt_report_calls {
    struct rt_report_call *items;
    size_t count;
    uint32_t *ends; /* by path: where it ends; FINO_PPROF_NONE: it has no frames */
};

/* A tree for each thread, of paths that are sorted BY_THREAD. */
void rt_report_calls_new(const struct rt_report_paths *paths, struct rt_report_calls *calls_out);
void rt_report_calls_free(struct rt_report_calls *calls);

#endif
