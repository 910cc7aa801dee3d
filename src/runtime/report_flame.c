/* report_flame.c: the flame graph: one HTML file with the page of flame/ and the profile in a compact form in it.
 *
 * The tree of calls is not built: stacks sorted from their roots on are its nodes in the order of a walk, each stack
 * adding what it does not share with the one before.
 *
 * The form, JSON:
 *   names   texts
 *   frames  four numbers each: name, file (both in names), first line, kind * 2 + whether it is inlined
 *   tree    two numbers a node, in the order of a walk: how many levels to go up from the node before, and the frame
 *   costs   four numbers each: how many nodes to go on from the one before, thread (in threads), value, value of the
 * base
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/embed.h"
#include "runtime/report.h"

RT_EMBED(flame_html, "src/runtime/flame/flame.html")
RT_EMBED(flame_css, "src/runtime/flame/flame.css")
RT_EMBED(flame_js, "src/runtime/flame/flame.js")

enum kind { KIND_JS, KIND_NATIVE, KIND_GC, KIND_COMPILE, KIND_SYSTEM };

/* ---- Kinds of frames ---- */

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_script(const char *name, const char *file) {
    static const char *const endings[] = {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcmp(file + length - strlen(endings[i]), endings[i]) == 0) return true;
    return begins(file, "fino:") || begins(file, "node:") || begins(name, "[builtin]");
}

/* What a frame is, below one of kind ABOVE: system calls are leaves in libc, the collector's and the compiler's own
 * functions are of their kind. */
static enum kind kind_of(const struct rt_report *report, uint32_t id, enum kind above, bool is_leaf) {
    const char *name = report->nodes[id].name,
               *file = fino_pprof_get_string(report->profile, report->nodes[id].file, NULL);
    if (is_script(name, file)) return KIND_JS;
    if (begins(name, "[gc]")) return KIND_GC;
    if (begins(name, "[compile]") || begins(name, "[parse]") || begins(name, "[ic]")) return KIND_COMPILE;
    if (is_leaf && strstr(file, "sysdeps/unix")) return KIND_SYSTEM;
    return above == KIND_GC || above == KIND_COMPILE ? above : KIND_NATIVE;
}

/* ---- Stacks, from the root on, each frame as node * 16 + kind * 2 + whether it is inlined ---- */

struct path {
    const uint64_t *frames; /* root first; valid once all are there */
    size_t start, depth;
    size_t thread;
    int64_t value, base;
};

struct paths {
    struct path *items;
    size_t count;
    uint64_t *frames;
    size_t frame_count, frame_capacity;
    struct rt_report_threads threads;
    bool has_base;
};

static void add_path(const struct rt_report *report, struct paths *paths, const struct rt_report_stack *stack) {
    paths->frames = rt_report_reserve(paths->frames, paths->frame_count + stack->depth, &paths->frame_capacity,
                                      sizeof *paths->frames);
    bool is_base = rt_report_is_of_base(report, stack->label_set);
    paths->has_base |= is_base;
    paths->items[paths->count++] = (struct path){NULL,
                                                 paths->frame_count,
                                                 stack->depth,
                                                 rt_report_thread(report, &paths->threads, stack->label_set),
                                                 is_base ? 0 : stack->value,
                                                 is_base ? -stack->value : 0};
    enum kind kind = KIND_NATIVE;
    for (size_t i = stack->depth; i-- > 0;) {
        kind = kind_of(report, stack->nodes[i], kind, i == 0);
        paths->frames[paths->frame_count++] =
            (uint64_t)stack->nodes[i] << 4 | (uint64_t)kind << 1 | (stack->is_inlined[i] ? 1 : 0);
    }
}

static int compare_paths(const void *a, const void *b) {
    const struct path *left = a, *right = b;
    for (size_t i = 0; i < left->depth && i < right->depth; i++)
        if (left->frames[i] != right->frames[i]) return left->frames[i] < right->frames[i] ? -1 : 1;
    if (left->depth != right->depth) return left->depth < right->depth ? -1 : 1;
    return left->thread < right->thread ? -1 : left->thread > right->thread;
}

static void collect(struct rt_report *report, struct paths *paths) {
    size_t capacity = fino_pprof_sample_count(report->profile), cursor = 0;
    *paths = (struct paths){.items = rt_report_allocate(capacity, sizeof *paths->items)};
    struct rt_report_stack stack;
    while (rt_report_next(report, &cursor, &stack))
        add_path(report, paths, &stack);
    for (size_t i = 0; i < paths->count; i++)
        paths->items[i].frames = paths->frames + paths->items[i].start;
    if (paths->count) qsort(paths->items, paths->count, sizeof *paths->items, compare_paths);
}

/* ---- Numbers for frames and names, in the order in which they are met ---- */

struct numbering {
    uint32_t *ids; /* by key; 0: none yet, else the number + 1 */
    uint64_t *keys;
    size_t count;
};

static uint32_t number_of(struct numbering *numbering, uint64_t key) {
    if (!numbering->ids[key]) {
        numbering->keys[numbering->count] = key;
        numbering->ids[key] = (uint32_t)++numbering->count;
    }
    return numbering->ids[key] - 1;
}

static struct numbering new_numbering(size_t key_count) {
    return (struct numbering){rt_report_allocate(key_count, sizeof(uint32_t)),
                              rt_report_allocate(key_count, sizeof(uint64_t)), 0};
}

static void free_numbering(struct numbering *numbering) {
    free(numbering->ids);
    free(numbering->keys);
}

/* ---- Writing ---- */

static size_t shared_depth(const struct path *a, const struct path *b) {
    size_t shared = 0;
    while (shared < a->depth && shared < b->depth && a->frames[shared] == b->frames[shared])
        shared++;
    return shared;
}

static void write_tree(const struct paths *paths, struct numbering *frames, FILE *file) {
    static const struct path nothing = {0};
    const struct path *last = &nothing;
    const char *comma = "";
    fputs("\"tree\":[", file);
    for (size_t i = 0; i < paths->count; last = &paths->items[i++]) {
        const struct path *path = &paths->items[i];
        size_t shared = shared_depth(last, path), up = last->depth - shared;
        for (size_t j = shared; j < path->depth; j++, up = 0, comma = ",")
            fprintf(file, "%s%zu,%" PRIu32, comma, up, number_of(frames, path->frames[j]));
    }
    fputs("]", file);
}

/* A stack that is the start of the one before it can't come: they are sorted. So a stack ends at the newest node, but
 * for one of no frames, which ends at the root. */
static void write_costs(const struct paths *paths, FILE *file) {
    static const struct path nothing = {0};
    const struct path *last = &nothing;
    size_t node = 0, written = 0;
    fputs(",\n\"costs\":[", file);
    for (size_t i = 0; i < paths->count; last = &paths->items[i++]) {
        const struct path *path = &paths->items[i];
        node += path->depth - shared_depth(last, path);
        fprintf(file, "%s%zu,%zu,%" PRId64 ",%" PRId64, i ? "," : "", node - written, path->thread, path->value,
                path->base);
        written = node;
    }
    fputs("]", file);
}

static void write_frames(const struct rt_report *report, const struct numbering *frames, struct numbering *names,
                         FILE *file) {
    size_t string_count = fino_pprof_string_count(report->profile);
    fputs(",\n\"frames\":[", file);
    for (size_t i = 0; i < frames->count; i++) {
        uint64_t id = frames->keys[i] >> 4;
        const struct rt_report_node *node = &report->nodes[id];
        uint64_t name = node->function_name ? node->function_name : string_count + id;
        fprintf(file, "%s%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%u", i ? "," : "", number_of(names, name),
                number_of(names, node->file), node->line, (unsigned)(frames->keys[i] & 15));
    }
    fputs("]", file);
}

static void write_names(const struct rt_report *report, const struct numbering *names, FILE *file) {
    size_t string_count = fino_pprof_string_count(report->profile);
    fputs(",\n\"names\":[", file);
    for (size_t i = 0; i < names->count; i++) {
        uint64_t key = names->keys[i];
        if (i) fputc(',', file);
        size_t nbytes;
        const char *text = key < string_count ? fino_pprof_get_string(report->profile, (uint32_t)key, &nbytes)
                                              : report->nodes[key - string_count].name;
        rt_report_json_string(file, text, key < string_count ? nbytes : strlen(text));
    }
    fputs("]", file);
}

static void write_data(struct rt_report *report, FILE *file) {
    struct paths paths;
    collect(report, &paths);
    struct numbering frames = new_numbering(report->node_count << 4);
    struct numbering names = new_numbering(fino_pprof_string_count(report->profile) + report->node_count);
    fputs("{\"title\":", file);
    rt_report_json_string(file, report->options->title, strlen(report->options->title));
    fputs(",\"type\":", file);
    rt_report_json_string(file, report->type_name, strlen(report->type_name));
    fputs(",\"unit\":", file);
    rt_report_json_string(file, report->unit, strlen(report->unit));
    fprintf(file, ",\"hasBase\":%s,\"threads\":[", paths.has_base ? "true" : "false");
    for (size_t i = 0; i < paths.threads.count; i++) {
        const char *name = paths.threads.names[i] ? paths.threads.names[i] : "";
        if (i) fputc(',', file);
        rt_report_json_string(file, name, strlen(name));
    }
    fputs("],\n", file);
    write_tree(&paths, &frames, file);
    write_costs(&paths, file);
    write_frames(report, &frames, &names, file);
    write_names(report, &names, file);
    fputs("}\n", file);
    free_numbering(&frames);
    free_numbering(&names);
    free(paths.items);
    free(paths.frames);
    rt_report_threads_free(&paths.threads);
}

/* The page with each of its placeholders replaced. */
int rt_report_flame(struct rt_report *report, FILE *file) {
    const char *at = flame_html;
    for (const char *mark; (mark = strstr(at, "/*")); at = strstr(mark, "*/") + 2) {
        fwrite(at, 1, (size_t)(mark - at), file);
        if (begins(mark, "/*style*/"))
            fwrite(flame_css, 1, (size_t)(flame_css_end - flame_css), file);
        else if (begins(mark, "/*script*/"))
            fwrite(flame_js, 1, (size_t)(flame_js_end - flame_js), file);
        else
            write_data(report, file);
    }
    fwrite(at, 1, (size_t)(flame_html_end - at), file);
    return 0;
}
