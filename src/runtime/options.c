/* options.c: the command line, from a table of options. Everything after the script belongs to the script. */

#include "runtime/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/realm.h"
#include "runtime/report.h"
#include "runtime/resolve.h"

#define INTERVAL_NS_MIN 100000u
#define INTERVAL_NS_MAX 100000000u

#define BUDGET_PERCENT_MIN 0.1
#define BUDGET_PERCENT_MAX 50.0

#define EXIT_USAGE 2

/* What makes V8 name its code for perf, interpreted functions too, which else share one piece of code. */
#define PERF_MAP_FLAGS "--perf-basic-prof --interpreted-frames-native-stack"

/* ---- The table ---- */

enum takes { TAKES_NOTHING, TAKES_VALUE, TAKES_OPTIONAL_VALUE };

struct option {
    const char *name; /* without the dashes */
    enum takes takes;
    const char *value_name;
    const char *help; /* a line of it each */
    /* Returns -1 to go on, or the code to exit with. VALUE is NULL when none was given. */
    int (*apply)(struct rt_options *options, const char *value);
};

static int apply_help(struct rt_options *options, const char *value);
static int apply_version(struct rt_options *options, const char *value);
static int apply_profile(struct rt_options *options, const char *value);
static int apply_profile_interval(struct rt_options *options, const char *value);
static int apply_profile_budget(struct rt_options *options, const char *value);
static int apply_profile_format(struct rt_options *options, const char *value);
static int apply_profile_view(struct rt_options *options, const char *value);
static int apply_profile_children(struct rt_options *options, const char *value);
static int apply_pprof_listen(struct rt_options *options, const char *value);
static int apply_perf_map(struct rt_options *options, const char *value);
static int apply_v8_flags(struct rt_options *options, const char *value);

static const struct option table[] = {
    {"profile", TAKES_OPTIONAL_VALUE, "FILE", "record a CPU profile into FILE (profile.pb); read it with go tool pprof",
     apply_profile},
    {"profile-interval", TAKES_VALUE, "DURATION",
     "of CPU time between samples: 100us to 100ms, or auto: 1ms to 20ms, as the budget allows (auto)",
     apply_profile_interval},
    {"profile-budget", TAKES_VALUE, "PERCENT", "of the CPU time that sampling may cost on auto: 0.1% to 50% (2%)",
     apply_profile_budget},
    {"profile-format", TAKES_VALUE, "FORMAT",
     "of FILE: pprof, collapsed, speedscope, cpuprofile, firefox, html or json (pprof)", apply_profile_format},
    {"profile-view", TAKES_NOTHING, NULL, "write a flame graph, too: an HTML file beside FILE", apply_profile_view},
    {"profile-children", TAKES_NOTHING, NULL,
     "record each process Realm, too, into a file of its own: FILE with its process's number, such as profile.123.pb",
     apply_profile_children},
    {"pprof-listen", TAKES_VALUE, "ADDRESS",
     "serve profiles of the running program over HTTP, such as 127.0.0.1:6060, for go tool pprof", apply_pprof_listen},
    {"perf-map", TAKES_NOTHING, NULL, "name JavaScript for perf record -g, in /tmp/perf-PID.map; not with --profile",
     apply_perf_map},
    {"v8-flags", TAKES_VALUE, "FLAGS", "flags for V8, separated by spaces (--v8-flags=--help lists them)",
     apply_v8_flags},
    {"version", TAKES_NOTHING, NULL, "the versions of fino and V8", apply_version},
    {"help", TAKES_NOTHING, NULL, "this text", apply_help},
};
#define OPTION_COUNT (sizeof table / sizeof *table)

/* ---- Help and version ---- */

static void print_options(FILE *file) {
    fputs("\noptions:\n", file);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char shown[64];
        const struct option *option = &table[i];
        snprintf(shown, sizeof shown, "--%s%s%s%s", option->name,
                 option->takes == TAKES_NOTHING ? ""
                 : option->takes == TAKES_VALUE ? "="
                                                : "[=",
                 option->value_name ? option->value_name : "", option->takes == TAKES_OPTIONAL_VALUE ? "]" : "");
        fprintf(file, "  %-30s %s\n", shown, option->help);
    }
}

static void print_usage(FILE *file) {
    fputs("usage: fino run [options] script [arguments...]\n"
          "       fino [options] script [arguments...]\n"
          "       fino pprof command [options] file...    reads profiles; fino pprof --help says more\n"
          "       fino profile [options] pid              profiles a fino that runs; fino profile --help says more\n"
          "       fino types [--out=DIR] [--dom]\n"
          "       fino realm-host --listen HOST:PORT --token-file FILE    runs Realms of other processes\n"
          "\n"
          "Runs a JavaScript or TypeScript module. Options go before the script; all that follows it is the script's.\n"
          "`--` ends the options, for a script whose name begins with a dash.\n"
          "\n"
          "`fino types` prints TypeScript's declarations of fino's modules and globals. "
          "`--out=node_modules/@types/fino`\n"
          "writes them where TypeScript looks by itself; `--dom`: without those that its library DOM has, too.\n",
          file);
    print_options(file);
    fputs("\n"
          "exit codes: 0 done; 1 an uncaught error; 2 a wrong command line; 13 the script awaits what can't come any\n"
          "more; 134 out of memory; 128 + n ended by signal n; else what the script says.\n",
          file);
}

static int apply_help(struct rt_options *options, const char *value) {
    (void)options, (void)value;
    print_usage(stdout);
    return 0;
}

static int apply_version(struct rt_options *options, const char *value) {
    (void)options, (void)value;
    printf("fino %s\nV8 %s\n", rt_version(), v8s_version());
    return 0;
}

/* ---- Values ---- */

static int apply_profile(struct rt_options *options, const char *value) {
    options->profile = true;
    if (value && !*value) {
        fputs("fino: --profile= names no file: write --profile=FILE, or --profile for profile.pb\n", stderr);
        return EXIT_USAGE;
    }
    if (value) options->profile_path = value;
    return -1;
}

bool rt_options_ask_for_help(char *const *arguments) {
    for (; *arguments && strcmp(*arguments, "--") != 0; arguments++)
        if (strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0) return true;
    return false;
}

bool rt_options_parse_interval(const char *text, uint64_t *ns_out) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}};
    char *unit;
    double number = strtod(text, &unit), ns = 0;
    bool is_auto = strcmp(text, "auto") == 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit != text && strcmp(unit, units[i].name) == 0) ns = number * units[i].ns;
    bool is_duration = ns >= INTERVAL_NS_MIN && ns <= INTERVAL_NS_MAX; /* not, when it is no number */
    *ns_out = is_duration ? (uint64_t)(ns + 0.5) : 0;
    return is_auto || is_duration;
}

static int apply_profile_interval(struct rt_options *options, const char *value) {
    options->profile_detail = "--profile-interval";
    if (rt_options_parse_interval(value, &options->profile_interval_ns)) return -1;
    fprintf(stderr,
            "fino: --profile-interval=%s is not a duration from 100us to 100ms, such as 500us or 2ms, and not auto\n",
            value);
    return EXIT_USAGE;
}

static int apply_profile_budget(struct rt_options *options, const char *value) {
    char *unit;
    double percent = strtod(value, &unit);
    options->profile_detail = "--profile-budget";
    if (strcmp(unit, "%") == 0 && percent >= BUDGET_PERCENT_MIN && percent <= BUDGET_PERCENT_MAX) {
        options->profile_budget_ppm = (uint32_t)(percent * 1e4 + 0.5);
        return -1;
    }
    fprintf(stderr, "fino: --profile-budget=%s is not a share of the CPU time from 0.1%% to 50%%, such as 1%%\n",
            value);
    return EXIT_USAGE;
}

static int apply_profile_format(struct rt_options *options, const char *value) {
    options->profile_detail = "--profile-format";
    options->profile_format = NULL;
    if (strcmp(value, "pprof") == 0) return -1;
    options->profile_format = rt_report_find_format(value);
    if (options->profile_format) return -1;
    fputs("fino: or pprof, the default\n", stderr);
    return EXIT_USAGE;
}

static int apply_profile_view(struct rt_options *options, const char *value) {
    (void)value;
    options->profile_detail = "--profile-view";
    options->profile_view = true;
    return -1;
}

static int apply_profile_children(struct rt_options *options, const char *value) {
    (void)value;
    options->profile_detail = "--profile-children";
    options->profile_children = true;
    return -1;
}

static int apply_pprof_listen(struct rt_options *options, const char *value) {
    options->pprof_listen = value;
    return -1;
}

static int apply_perf_map(struct rt_options *options, const char *value) {
    (void)value;
    options->perf_map = true;
    return -1;
}

static int apply_v8_flags(struct rt_options *options, const char *value) {
    options->v8_flags = value;
    return -1;
}

/* ---- Parsing ---- */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* How many letters must change to make B of A (Levenshtein); names here are shorter than 64. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[64], length = strlen(b);
    if (length >= 64) return length;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(changed, smaller(row[j + 1], row[j]) + 1);
        }
    }
    return row[length];
}

static int refuse_unknown(const char *argument, const char *name) {
    const struct option *nearest = NULL;
    size_t distance = 4; /* further away it is another word */
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (edit_distance(name, table[i].name) < distance) {
            distance = edit_distance(name, table[i].name);
            nearest = &table[i];
        }
    fprintf(stderr, "fino: there is no option %s", argument);
    if (nearest)
        fprintf(stderr, "; did you mean --%s?\n", nearest->name);
    else
        fputs("; fino --help lists them\n", stderr);
    return EXIT_USAGE;
}

/* Applies ARGUMENT, which begins with a dash; *NEXT is what follows it. Returns as apply does. */
static int apply_argument(struct rt_options *options, const char *argument, char *const **next) {
    const char *dashless = argument + strspn(argument, "-");
    if (strcmp(argument, "-h") == 0) return apply_help(options, NULL);
    if (strcmp(argument, "-v") == 0) return apply_version(options, NULL);
    const char *equals = strchr(dashless, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - dashless) : (int)sizeof name - 1, dashless);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &table[i];
        if (strncmp(argument, "--", 2) != 0 || strcmp(name, option->name) != 0) continue;
        if (option->takes == TAKES_NOTHING && equals) {
            fprintf(stderr, "fino: --%s takes no value\n", name);
            return EXIT_USAGE;
        }
        const char *value = equals ? equals + 1 : NULL;
        if (option->takes == TAKES_VALUE && !value) value = **next ? *(*next)++ : NULL;
        if (option->takes == TAKES_VALUE && !value) {
            fprintf(stderr, "fino: --%s needs a value: --%s=%s\n", name, name, option->value_name);
            return EXIT_USAGE;
        }
        return option->apply(options, value);
    }
    return refuse_unknown(argument, name);
}

/* With these flags each function has interpreter code of its own, which fino's own walk takes for compiled code. */
static int check_perf_map(struct rt_options *options) {
    if (options->profile || options->pprof_listen) {
        fprintf(
            stderr,
            "fino: --perf-map changes the code that runs, for perf, and %s would name it wrongly: use one of them\n",
            options->profile ? "--profile" : "--pprof-listen");
        return EXIT_USAGE;
    }
    options->v8_flags = options->v8_flags ? rt_format("%s %s", options->v8_flags, PERF_MAP_FLAGS) : PERF_MAP_FLAGS;
    return -1;
}

static int check_combination(struct rt_options *options) {
    if (options->perf_map && check_perf_map(options) >= 0) return EXIT_USAGE;
    if (!options->profile && options->profile_detail) {
        fprintf(stderr, "fino: %s says how to profile, but --profile is not there\n", options->profile_detail);
        return EXIT_USAGE;
    }
    if (options->profile_interval_ns != 0 && options->profile_budget_ppm != 0) {
        fputs("fino: notice: --profile-interval fixes the interval; --profile-budget has no effect beside it\n",
              stderr);
        options->profile_budget_ppm = 0;
    }
    if (options->profile_view && options->profile_format && strcmp(options->profile_format->name, "html") == 0) {
        fputs("fino: notice: --profile-format=html writes the flame graph; --profile-view has no effect beside it\n",
              stderr);
        options->profile_view = false;
    }
    if (!options->profile_path)
        options->profile_path = options->profile_format ? options->profile_format->file_name : "profile.pb";
    return -1;
}

int rt_options_parse(int argc, char *const argv[], struct rt_options *options_out) {
    char *const *next = argv + (argc > 0 ? 1 : 0);
    *options_out = (struct rt_options){0};
    if (*next && strcmp(*next, "run") == 0) next++;
    while (*next && (*next)[0] == '-' && (*next)[1]) {
        const char *argument = *next++;
        if (strcmp(argument, "--") == 0) break;
        int code = apply_argument(options_out, argument, &next);
        if (code >= 0) return code;
    }
    if (!*next) {
        fputs("fino: which script? fino run script.ts; fino --help says more\n", stderr);
        return EXIT_USAGE;
    }
    options_out->script = *next++;
    options_out->arguments = next;
    return check_combination(options_out);
}
