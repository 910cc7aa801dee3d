/* report.h: what `fino pprof` shows of profiles: inside of the command, one file for each kind of report.
 *
 * A report sees a profile as stacks of nodes. A node is what one line of the report is about: a function, a function's
 * line, or a file. Numbers and their texts are those of `go tool pprof`, to the last digit.
 *
 * Threads: one. Memory: what a report needs is allocated once and checked; without memory the process ends (it has
 *          nothing to lose).
 * Source:  google/pprof: internal/graph, internal/report and internal/measurement say what is counted and how.
 */
#ifndef FINO_RT_REPORT_H
#define FINO_RT_REPORT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pprof/pprof.h"

enum rt_report_by {
    RT_BY_FUNCTION,
    RT_BY_LINE,
    RT_BY_FILE,
    RT_BY_START, /* a function by its name, file and first line: what the name of RT_BY_FUNCTION may stand for many of
                  */
};

/* What to leave out or in; each NULL when not asked for. Texts are POSIX extended regular expressions. */
struct rt_report_filter {
    const char *focus;     /* only stacks with a frame whose function or file matches */
    const char *ignore;    /* no stacks with such a frame */
    const char *hide;      /* such frames are taken out of their stacks */
    const char *tagfocus;  /* only samples with a label that matches: VALUE, or KEY=VALUE */
    const char *tagignore; /* none with such a label */
    const char *thread;    /* only samples of this thread, by its exact name */
};

struct rt_report_options {
    enum rt_report_by by;
    const char *sample_type; /* NULL: the profile's default, else its last */
    struct rt_report_filter filter;
    bool sort_by_cum;
    bool as_json;
    size_t count;         /* of lines at most; 0: all */
    double node_fraction; /* of the total that a node must reach to be shown */
    const char *title;    /* what the report is of */
    const char *output;   /* a file's name; NULL: standard output */
};

struct rt_report_node {
    const char *name;             /* as it is shown */
    uint32_t function_name, file; /* string ids; 0: none */
    uint32_t mapping;             /* FINO_PPROF_NONE, but for code without a name */
    int64_t line;                 /* 0: none */
    int64_t start_line;           /* the first of those of its functions; no part of what it is; 0: unknown */
};

struct rt_report {
    fino_pprof *profile;
    const struct rt_report_options *options;
    size_t type; /* which value of a sample counts */
    const char *type_name, *unit;
    int64_t total; /* what percentages are of */
    struct rt_report_node *nodes;
    size_t node_count;
    /* Location i has nodes frames[starts[i]] to frames[starts[i + 1]], innermost first. */
    uint32_t *frames, *starts;
    uint8_t *string_matches; /* for each string: which of the filter's expressions were asked, and match it */
    regex_t expressions[5];
    /* Of rt_report_next: a sample's locations and nodes. */
    uint32_t *locations, *stack;
    int64_t leaf_line;
    bool *is_inlined;
    size_t location_capacity, stack_capacity, inlined_capacity;
};

/* ---- The profile ---- */

/* Reads all of a file ("-": standard input). Returns 0, or a negative errno after a message on stderr. Owns: free. */
int rt_report_load(const char *file, uint8_t **bytes_out, size_t *nbytes_out);
/* Says on stderr what is wrong with FILE. */
void rt_report_print_problem(const char *file, int error, const struct fino_pprof_problem *problem);
/* Reads FILE and decodes it. NULL: not done, for a reason that was said on stderr. Owns: fino_pprof_free. */
fino_pprof *rt_report_read(const char *file);

/* Prepares REPORT for PROFILE, which it takes over. Returns 0, or -1 after a message on stderr. OPTIONS must outlive
 * the report. */
int rt_report_open(struct rt_report *report, fino_pprof *profile, const struct rt_report_options *options);
void rt_report_close(struct rt_report *report);

/* A sample that passes the filter. Valid until the next is asked for. */
struct rt_report_stack {
    const uint32_t *nodes;  /* leaf first */
    const bool *is_inlined; /* in the node that follows */
    size_t depth;
    int64_t value;
    uint32_t label_set;
    int64_t leaf_line; /* of the first node; 0: not known */
};
/* CURSOR begins as 0. Returns false after the last. */
bool rt_report_next(struct rt_report *report, size_t *cursor, struct rt_report_stack *stack_out);

/* The value of its label KEY that is a text and, unless VALUE is NULL, is VALUE. NULL: it has none. */
const char *rt_report_find_label(const struct rt_report *report, uint32_t label_set, const char *key,
                                 const char *value);
/* Is it of a sample that others are compared with? The values of those are negative. */
bool rt_report_is_of_base(const struct rt_report *report, uint32_t label_set);

/* The threads of samples, in the order in which they are met. Begins as zero. */
struct rt_report_threads {
    const char **names; /* NULL: samples without the label */
    size_t count, capacity;
    size_t *of_set; /* by label set: the thread + 1, once asked */
    size_t set_count;
};
size_t rt_report_thread(const struct rt_report *report, struct rt_report_threads *threads, uint32_t label_set);
void rt_report_threads_free(struct rt_report_threads *threads);

/* ---- Sums by node ---- */

struct rt_report_edge {
    uint32_t from, to; /* the caller, the callee */
    int64_t weight;
    bool is_inlined; /* each time */
    size_t seen;     /* the sample it was last counted for, from 1 */
};

struct rt_report_graph {
    int64_t *flat, *cum; /* by node */
    struct rt_report_edge *edges;
    size_t edge_count;
    uint32_t *order; /* the nodes that are shown, as they are sorted */
    size_t count;
    size_t kept_count;    /* likewise, but for options.count */
    size_t dropped_count; /* nodes below the cutoff */
    int64_t cutoff;
    const char *unit; /* the one that all numbers are shown in */
};
void rt_report_graph_new(struct rt_report *report, struct rt_report_graph *graph_out);
void rt_report_graph_free(struct rt_report_graph *graph);

/* ---- Numbers ---- */

#define RT_REPORT_TEXT_MAX 48

/* VALUE, which is in UNIT, as text in the unit TO ("auto": one that suits it), such as "1.25s". Returns OUT. */
const char *rt_report_number(int64_t value, const char *unit, const char *to, char out[static RT_REPORT_TEXT_MAX]);
/* The unit that suits VALUE; "" when UNIT is not one that is scaled. */
const char *rt_report_unit_for(int64_t value, const char *unit);
/* VALUE as a share of TOTAL in 6 columns, such as "12.34%". Returns OUT. */
const char *rt_report_percent(int64_t value, int64_t total, char out[static RT_REPORT_TEXT_MAX]);

/* ---- Writing ---- */

/* TEXT in double quotes as JSON, safe inside a script element too. */
void rt_report_json_string(FILE *file, const char *text, size_t nbytes);

/* What every report in text begins with: type, time, duration. */
void rt_report_print_header(const struct rt_report *report, const struct rt_report_graph *graph, FILE *file);
/* The same as the first members of a JSON object that is still open. */
void rt_report_print_json_header(const struct rt_report *report, FILE *file);
/* "Showing nodes accounting for...", and what was dropped. */
void rt_report_print_legend(const struct rt_report *report, const struct rt_report_graph *graph, FILE *file);

/* ---- Reports ---- */

/* Each returns 0, or -1 after a message on stderr. */
int rt_report_top(struct rt_report *report, FILE *file);
int rt_report_tree(struct rt_report *report, const char *peek, FILE *file); /* PEEK NULL: all */
int rt_report_tags(struct rt_report *report, FILE *file);
/* By RT_BY_LINE: the source of the functions whose names match. */
int rt_report_list(struct rt_report *report, const char *function, FILE *file);
/* By RT_BY_START the first two, by RT_BY_LINE the third. */
int rt_report_flame(struct rt_report *report, FILE *file);
int rt_report_chrome(struct rt_report *report, FILE *file);
int rt_report_firefox(struct rt_report *report, FILE *file);

/* Formats for other tools, and what their nodes are, unless that is for who calls to choose. */
struct rt_report_format {
    const char *name;
    int (*write)(struct rt_report *report, FILE *file);
    bool has_by;
    enum rt_report_by by;
    const char *file_name; /* of a profile that nobody has named */
};
/* NULL: there is none of that name, as was said on stderr. */
const struct rt_report_format *rt_report_find_format(const char *name);

/* Compiles a regular expression given as --NAME. Returns 0, or -1 after a message on stderr. Owns: regfree. */
int rt_report_compile(regex_t *expression_out, const char *text, const char *name);

/* Both end the process when there is no memory. The first gives zeroes; the second makes room for NEEDED of ITEMS, of
 * which *CAPACITY have room, keeping what is there, and returns where they are then: what is new in there is zero. */
void *rt_report_allocate(size_t count, size_t size);
void *rt_report_reserve(void *items, size_t needed, size_t *capacity, size_t size);

#endif
