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
#include "runtime/report_paths.h"

RT_EMBED(flame_html, "src/runtime/flame/flame.html")
RT_EMBED(flame_css, "src/runtime/flame/flame.css")
RT_EMBED(flame_js, "src/runtime/flame/flame.js")

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

static void write_tree(const struct rt_report_paths *paths, struct numbering *frames, FILE *file) {
    static const struct rt_report_path nothing = {0};
    const struct rt_report_path *last = &nothing;
    const char *comma = "";
    fputs("\"tree\":[", file);
    for (size_t i = 0; i < paths->count; last = &paths->items[i++]) {
        const struct rt_report_path *path = &paths->items[i];
        size_t shared = rt_report_shared_depth(last, path), up = last->depth - shared;
        for (size_t j = shared; j < path->depth; j++, up = 0, comma = ",")
            fprintf(file, "%s%zu,%" PRIu32, comma, up, number_of(frames, path->frames[j]));
    }
    fputs("]", file);
}

/* A stack that is the start of the one before it can't come: they are sorted. So a stack ends at the newest node, but
 * for one of no frames, which ends at the root. */
static void write_costs(const struct rt_report_paths *paths, FILE *file) {
    static const struct rt_report_path nothing = {0};
    const struct rt_report_path *last = &nothing;
    size_t node = 0, written = 0;
    fputs(",\n\"costs\":[", file);
    for (size_t i = 0; i < paths->count; last = &paths->items[i++]) {
        const struct rt_report_path *path = &paths->items[i];
        node += path->depth - rt_report_shared_depth(last, path);
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
    struct rt_report_paths paths;
    rt_report_paths_new(report, &paths, false);
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
    rt_report_paths_free(&paths);
}

/* The page with each of its placeholders replaced. */
int rt_report_flame(struct rt_report *report, FILE *file) {
    const char *at = flame_html;
    for (const char *mark; (mark = strstr(at, "/*")); at = strstr(mark, "*/") + 2) {
        fwrite(at, 1, (size_t)(mark - at), file);
        if (strncmp(mark, "/*style*/", 9) == 0)
            fwrite(flame_css, 1, (size_t)(flame_css_end - flame_css), file);
        else if (strncmp(mark, "/*script*/", 10) == 0)
            fwrite(flame_js, 1, (size_t)(flame_js_end - flame_js), file);
        else
            write_data(report, file);
    }
    fwrite(at, 1, (size_t)(flame_html_end - at), file);
    return 0;
}
