/* options.h: the command line. */
#ifndef FINO_RT_OPTIONS_H
#define FINO_RT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct rt_report_format;

struct rt_options {
    const char *script;     /* NULL: rt_options_parse has done what was asked for (help, version) */
    char *const *arguments; /* after the script, NULL-terminated; never looked at */
    bool profile;
    const char *profile_path;                      /* "profile.pb", or as the format wants it, unless given */
    const struct rt_report_format *profile_format; /* NULL: pprof */
    bool profile_view;
    bool profile_children;        /* each process of a process Realm writes a profile, too */
    uint64_t profile_interval_ns; /* 0: auto */
    uint32_t profile_budget_ppm;  /* 0: not given, or of no effect beside an interval */
    const char *profile_detail;   /* the last option given that means nothing without PROFILE; NULL: none was */
    const char *pprof_listen;     /* NULL: profiles are not served */
    bool perf_map;                /* V8 writes /tmp/perf-PID.map; its flags for that are among V8_FLAGS */
    const char *v8_flags;         /* NULL: none */
};

/* Returns -1 with *OPTIONS_OUT filled, or the code to exit with: 0 after help or version went to stdout, 2 after a
 * message on stderr. What is in *OPTIONS_OUT points into ARGV. */
int rt_options_parse(int argc, char *const argv[], struct rt_options *options_out);

/* Is --help or -h among the ARGUMENTS of a command, NULL-terminated, before any `--`? */
bool rt_options_ask_for_help(char *const *arguments);

/* TEXT, a duration from 100us to 100ms or auto, in nanoseconds (auto: 0). Returns false when it is neither. */
bool rt_options_parse_interval(const char *text, uint64_t *ns_out);

#endif
