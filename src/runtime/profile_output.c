/* profile_output.c: see profile_output.h. */
#include "runtime/profile_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/whole_file.h"

#define HOTTEST_COUNT 5
#define NAME_COLUMNS 90 /* of a function, beside its numbers */

static int open_report(struct rt_report *report, const struct rt_report_options *options, const uint8_t *bytes,
                       size_t nbytes) {
    fino_pprof *profile;
    int error = fino_pprof_decode(bytes, nbytes, NULL, &profile, NULL);
    if (error) return error;
    return rt_report_open(report, profile, options) == 0 ? 0 : -EINVAL;
}

int rt_profile_output_write(const char *path, const struct rt_report_format *format, const char *title,
                            const uint8_t *profile, size_t nbytes, size_t *file_nbytes_out) {
    *file_nbytes_out = nbytes;
    if (format == NULL) return rt_write_whole_file(path, profile, nbytes);
    const struct rt_report_options options = {.by = format->has_by ? format->by : RT_BY_FUNCTION, .title = title};
    struct rt_report report;
    char *text = NULL;
    int error = open_report(&report, &options, profile, nbytes);
    if (error) return error;
    FILE *file = open_memstream(&text, file_nbytes_out);
    if (file == NULL) error = -errno;
    if (error == 0 && format->write(&report, file) != 0) error = -EINVAL;
    if (file != NULL && fclose(file) != 0 && error == 0) error = -errno;
    if (error == 0) error = rt_write_whole_file(path, text, *file_nbytes_out);
    free(text);
    rt_report_close(&report);
    return error;
}

/* A name may be anything: what would move a terminal's cursor isn't shown, nor what goes on for long. */
static void print_name(const char *name, FILE *file) {
    size_t columns = 0;
    for (; *name && columns < NAME_COLUMNS; name++) {
        unsigned char c = (unsigned char)*name;
        fputc(c < 0x20 || c == 0x7f ? '?' : c, file);
        columns += (c & 0xc0) != 0x80; /* what continues a character takes none */
    }
    while (((unsigned char)*name & 0xc0) == 0x80)
        fputc(*name++, file);
    fputs(*name ? "...\n" : "\n", file);
}

void rt_profile_output_hottest(const uint8_t *profile, size_t nbytes, FILE *file) {
    const struct rt_report_options options = {.count = HOTTEST_COUNT};
    char flat[RT_REPORT_TEXT_MAX], share[RT_REPORT_TEXT_MAX];
    struct rt_report report;
    struct rt_report_graph graph;
    if (open_report(&report, &options, profile, nbytes) != 0) return; /* such as: no memory for what is not needed */
    rt_report_graph_new(&report, &graph);
    for (size_t i = 0; i < graph.count; i++) {
        uint32_t node = graph.order[i];
        if (graph.flat[node] == 0) break;
        fprintf(file, "fino: %10s %s  ", rt_report_number(graph.flat[node], report.unit, graph.unit, flat),
                rt_report_percent(graph.flat[node], report.total, share));
        print_name(report.nodes[node].name, file);
    }
    rt_report_graph_free(&graph);
    rt_report_close(&report);
}
