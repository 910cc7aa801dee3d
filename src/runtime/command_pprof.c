/* command_pprof.c: `fino pprof`: from arguments to a report. */

#include "runtime/command_pprof.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/options.h"
#include "runtime/report.h"
#include "runtime/whole_file.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define NODE_FRACTION 0.005 /* what costs less is noise */
#define TREE_COUNT 80
#define FILES_MAX 256

struct command;

struct invocation {
    const struct command *command;
    struct rt_report_options options;
    const struct rt_report_format *format;
    const char *base;
    const char *operands[FILES_MAX];
    size_t operand_count;
    bool count_is_given;
};

/* ---- Commands ---- */

struct command {
    const char *name;
    const char *operands; /* as the help shows them */
    const char *help;
    size_t operand_min, operand_max;
    int (*run)(struct invocation *invocation, FILE *file);
};

/* Reads the file NAME and merges it into PROFILE. Returns 0, or -1 after a message. */
static int merge_file(fino_pprof *profile, const char *name, enum fino_pprof_merge_as as) {
    fino_pprof *other = rt_report_read(name);
    if (!other) return -1;
    int error = fino_pprof_merge(profile, other, NULL, as);
    fino_pprof_free(other);
    if (!error) return 0;
    fprintf(stderr, "fino pprof: %s does not fit the others: %s\n", name,
            error == -EINVAL ? "its sample types are not theirs" : strerror(-error));
    return -1;
}

/* The sum of the operands from FIRST on, compared with the base if there is one. NULL: not done, said. */
static fino_pprof *read_operands(const struct invocation *invocation, size_t first) {
    fino_pprof *sum = rt_report_read(invocation->operands[first]);
    int error = sum ? 0 : -1;
    for (size_t i = first + 1; !error && i < invocation->operand_count; i++)
        error = merge_file(sum, invocation->operands[i], FINO_PPROF_ADD);
    if (!error && invocation->base) error = merge_file(sum, invocation->base, FINO_PPROF_DIFF_BASE);
    if (!error) return sum;
    fino_pprof_free(sum);
    return NULL;
}

static int open_report(struct invocation *invocation, struct rt_report *report, size_t first) {
    fino_pprof *profile = read_operands(invocation, first);
    invocation->options.title = invocation->operands[first];
    return profile ? rt_report_open(report, profile, &invocation->options) : -1;
}

static int run_report(struct invocation *invocation, FILE *file, size_t first,
                      int (*write)(struct rt_report *report, struct invocation *invocation, FILE *file)) {
    struct rt_report report;
    if (open_report(invocation, &report, first) != 0) return EXIT_FAILED;
    int result = write(&report, invocation, file);
    rt_report_close(&report);
    return result == 0 ? 0 : EXIT_FAILED;
}

static int write_top(struct rt_report *report, struct invocation *invocation, FILE *file) {
    (void)invocation;
    return rt_report_top(report, file);
}
static int write_tree(struct rt_report *report, struct invocation *invocation, FILE *file) {
    (void)invocation;
    return rt_report_tree(report, NULL, file);
}
static int write_peek(struct rt_report *report, struct invocation *invocation, FILE *file) {
    return rt_report_tree(report, invocation->operands[0], file);
}
static int write_list(struct rt_report *report, struct invocation *invocation, FILE *file) {
    return rt_report_list(report, invocation->operands[0], file);
}
static int write_tags(struct rt_report *report, struct invocation *invocation, FILE *file) {
    (void)invocation;
    return rt_report_tags(report, file);
}
static int write_converted(struct rt_report *report, struct invocation *invocation, FILE *file) {
    return invocation->format->write(report, file);
}

static int run_top(struct invocation *invocation, FILE *file) {
    return run_report(invocation, file, 0, write_top);
}

static int run_tree(struct invocation *invocation, FILE *file) {
    if (!invocation->count_is_given) invocation->options.count = TREE_COUNT;
    return run_report(invocation, file, 0, write_tree);
}

static int run_peek(struct invocation *invocation, FILE *file) {
    invocation->options.node_fraction = 0;
    return run_report(invocation, file, 1, write_peek);
}

static int run_list(struct invocation *invocation, FILE *file) {
    invocation->options.by = RT_BY_LINE;
    invocation->options.node_fraction = 0;
    return run_report(invocation, file, 1, write_list);
}

static int run_tags(struct invocation *invocation, FILE *file) {
    return run_report(invocation, file, 0, write_tags);
}

static int convert(struct invocation *invocation, const struct rt_report_format *format, FILE *file) {
    invocation->format = format;
    if (format->has_by) invocation->options.by = format->by;
    return run_report(invocation, file, 0, write_converted);
}

static int run_convert(struct invocation *invocation, FILE *file) {
    if (invocation->format) return convert(invocation, invocation->format, file);
    fputs("fino pprof: convert needs --to=FORMAT; fino pprof --help lists them\n", stderr);
    return EXIT_USAGE;
}

static int write_profile(fino_pprof *profile, const struct fino_pprof_header *header, FILE *file) {
    uint8_t *bytes;
    size_t nbytes;
    int error = fino_pprof_encode(profile, NULL, header, 6, &bytes, &nbytes);
    if (error) {
        fprintf(stderr, "fino pprof: cannot encode the profile: %s\n", strerror(-error));
        return EXIT_FAILED;
    }
    fwrite(bytes, 1, nbytes, file);
    fino_pprof_bytes_free(profile, bytes, nbytes);
    return 0;
}

static int run_merge(struct invocation *invocation, FILE *file) {
    if (file == stdout && isatty(STDOUT_FILENO)) {
        fputs("fino pprof: merge writes a profile: say where with -o FILE\n", stderr);
        return EXIT_USAGE;
    }
    fino_pprof *profile = read_operands(invocation, 0);
    int code = profile ? write_profile(profile, fino_pprof_get_header(profile), file) : EXIT_FAILED;
    fino_pprof_free(profile);
    return code;
}

static int run_diff(struct invocation *invocation, FILE *file) {
    invocation->base = invocation->operands[0];
    return run_report(invocation, file, 1, write_top);
}

/* A page that somebody opens in a browser: it goes into a file. */
static int run_flame(struct invocation *invocation, FILE *file) {
    if (file != stdout || !isatty(STDOUT_FILENO)) return convert(invocation, rt_report_find_format("html"), file);
    fputs("fino pprof: flame writes a page: say where with -o flame.html\n", stderr);
    return EXIT_USAGE;
}

static int run_check(struct invocation *invocation, FILE *file) {
    int code = 0;
    for (size_t i = 0; i < invocation->operand_count; i++) {
        const char *name = invocation->operands[i];
        uint8_t *bytes;
        size_t nbytes;
        struct fino_pprof_problem problem;
        int error = rt_report_load(name, &bytes, &nbytes);
        if (error) {
            code = EXIT_FAILED;
            continue;
        }
        error = fino_pprof_check(bytes, nbytes, FINO_PPROF_VALID, NULL, &problem);
        free(bytes);
        if (error) {
            rt_report_print_problem(name, error, &problem);
            code = EXIT_FAILED;
        } else {
            fprintf(file, "%s: valid\n", name);
        }
    }
    return code;
}

static const struct command commands[] = {
    {"top", "FILE...", "what costs most, by itself (flat) and with all it calls (cum)", 1, FILES_MAX, run_top},
    {"tree", "FILE...", "the same, each with its callers above and its callees below", 1, FILES_MAX, run_tree},
    {"peek", "REGEX FILE...", "the callers and callees of the functions that match", 2, FILES_MAX, run_peek},
    {"list", "REGEX FILE...", "the source of the functions that match, each line with its cost", 2, FILES_MAX,
     run_list},
    {"tags", "FILE...", "the labels' values and what each has cost", 1, FILES_MAX, run_tags},
    {"flame", "FILE...", "a flame graph to look at in a browser: one HTML file, -o flame.html", 1, FILES_MAX,
     run_flame},
    {"diff", "BASE NEW", "what became more or less expensive, as top shows it", 2, 2, run_diff},
    {"merge", "FILE...", "the sum of several profiles, as a profile", 1, FILES_MAX, run_merge},
    {"convert", "FILE...", "the profile for another tool, which --to=FORMAT names", 1, FILES_MAX, run_convert},
    {"check", "FILE...", "whether the files are valid profiles, and if not, what is wrong where", 1, FILES_MAX,
     run_check},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

/* ---- Options ---- */

struct option {
    const char *name;
    const char *value_name; /* NULL: it takes none */
    const char *help;
    int (*apply)(struct invocation *invocation, const char *value); /* 0, or the exit code; NULL: it is kept */
    size_t kept_at;                                                 /* where in the invocation */
};

static int apply_by(struct invocation *invocation, const char *value) {
    static const char *const names[] = {"function", "line", "file"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            invocation->options.by = (enum rt_report_by)i;
            return 0;
        }
    fprintf(stderr, "fino pprof: --by=%s is not function, line or file\n", value);
    return EXIT_USAGE;
}

static int apply_count(struct invocation *invocation, const char *value) {
    char *end;
    errno = 0;
    unsigned long count = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno) {
        fprintf(stderr, "fino pprof: --count=%s is not a number of lines\n", value);
        return EXIT_USAGE;
    }
    invocation->options.count = count;
    invocation->count_is_given = true;
    return 0;
}

static int apply_to(struct invocation *invocation, const char *value) {
    invocation->format = rt_report_find_format(value);
    return invocation->format ? 0 : EXIT_USAGE;
}

static int apply_cum(struct invocation *invocation, const char *value) {
    (void)value;
    invocation->options.sort_by_cum = true;
    return 0;
}
static int apply_all(struct invocation *invocation, const char *value) {
    (void)value;
    invocation->options.node_fraction = 0;
    return 0;
}
static int apply_json(struct invocation *invocation, const char *value) {
    (void)value;
    invocation->options.as_json = true;
    return 0;
}

#define KEPT_AT(member) offsetof(struct invocation, member)
static const struct option options[] = {
    {"by", "WHAT", "a line of the report is a function, a line or a file (function)", apply_by, 0},
    {"count", "N", "show N lines at most", apply_count, 0},
    {"all", NULL, "show also what costs less than 0.5 % of the total", apply_all, 0},
    {"cum", NULL, "sort by cum instead of flat", apply_cum, 0},
    {"sample", "TYPE", "the value that counts, such as cpu or samples (the profile's default)", NULL,
     KEPT_AT(options.sample_type)},
    {"focus", "REGEX", "only stacks with a function or file that matches", NULL, KEPT_AT(options.filter.focus)},
    {"ignore", "REGEX", "no stacks with a function or file that matches", NULL, KEPT_AT(options.filter.ignore)},
    {"hide", "REGEX", "leave such functions out of their stacks", NULL, KEPT_AT(options.filter.hide)},
    {"tagfocus", "[KEY=]REGEX", "only samples with a label that matches", NULL, KEPT_AT(options.filter.tagfocus)},
    {"tagignore", "[KEY=]REGEX", "no samples with a label that matches", NULL, KEPT_AT(options.filter.tagignore)},
    {"thread", "NAME", "only samples of this thread or Realm", NULL, KEPT_AT(options.filter.thread)},
    {"base", "FILE", "compare with this profile; percentages are of it (top, tree, peek, list, flame)", NULL,
     KEPT_AT(base)},
    {"json", NULL, "the report as JSON (top, diff, list, tags)", apply_json, 0},
    {"to", "FORMAT", "what convert writes: collapsed, speedscope, cpuprofile, firefox, html or json", apply_to, 0},
    {"output", "FILE", "write to FILE instead of standard output; -o FILE is the same", NULL, KEPT_AT(options.output)},
};
#define OPTION_COUNT (sizeof options / sizeof *options)

static void print_usage(FILE *file) {
    fputs(
        "usage: fino pprof COMMAND [options] FILE...\n"
        "\n"
        "Shows, compares, joins and converts pprof profiles, fino's or others', gzipped or not; - is standard input.\n"
        "Several files are added up.\n"
        "\n"
        "commands:\n",
        file);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-9s%-15s %s\n", commands[i].name, commands[i].operands, commands[i].help);
    fputs("\noptions:\n", file);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char shown[64];
        snprintf(shown, sizeof shown, "--%s%s%s", options[i].name, options[i].value_name ? "=" : "",
                 options[i].value_name ? options[i].value_name : "");
        fprintf(file, "  %-24s %s\n", shown, options[i].help);
    }
    fputs("\nexit codes: 0 done; 1 not a profile, or nothing matches; 2 a wrong command line.\n", file);
}

/* ---- The command line ---- */

/* Returns 0 to go on, or the exit code. *NEXT is what follows ARGUMENT. */
static int apply_argument(struct invocation *invocation, const char *argument, char *const **next) {
    const char *name = argument + strspn(argument, "-"), *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    if (strcmp(argument, "-o") == 0) name = "output", length = strlen(name);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (strlen(options[i].name) != length || strncmp(options[i].name, name, length) != 0) continue;
        if (!options[i].value_name && equals) {
            fprintf(stderr, "fino pprof: --%s takes no value\n", options[i].name);
            return EXIT_USAGE;
        }
        const char *value = !options[i].value_name ? "" : equals ? equals + 1 : **next ? *(*next)++ : NULL;
        if (value && options[i].apply) return options[i].apply(invocation, value);
        if (value) *(const char **)((char *)invocation + options[i].kept_at) = value;
        if (value) return 0;
        fprintf(stderr, "fino pprof: --%s needs a value: --%s=%s\n", options[i].name, options[i].name,
                options[i].value_name);
        return EXIT_USAGE;
    }
    fprintf(stderr, "fino pprof: there is no option %s; fino pprof --help lists them\n", argument);
    return EXIT_USAGE;
}

static int find_command(struct invocation *invocation, const char *name) {
    for (size_t i = 0; name && i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0) {
            invocation->command = &commands[i];
            return 0;
        }
    if (!name)
        fputs("fino pprof: which command? fino pprof top FILE shows what costs most; fino pprof --help says more\n",
              stderr);
    else
        fprintf(stderr, "fino pprof: there is no command %s; fino pprof --help lists them\n", name);
    return EXIT_USAGE;
}

static int parse(struct invocation *invocation, char *const *next) {
    bool takes_options = true;
    int code = find_command(invocation, *next ? *next++ : NULL);
    while (code == 0 && *next) {
        const char *argument = *next++;
        if (takes_options && strcmp(argument, "--") == 0)
            takes_options = false;
        else if (takes_options && argument[0] == '-' && argument[1])
            code = apply_argument(invocation, argument, &next);
        else if (invocation->operand_count < invocation->command->operand_max)
            invocation->operands[invocation->operand_count++] = argument;
        else
            code = EXIT_USAGE;
    }
    if (code == 0 && invocation->operand_count < invocation->command->operand_min) code = EXIT_USAGE;
    if (code != 0 && invocation->command && (invocation->operand_count < invocation->command->operand_min || *next))
        fprintf(stderr, "usage: fino pprof %s [options] %s\n", invocation->command->name,
                invocation->command->operands);
    return code;
}

static int complain_of_output(const char *output, int error) {
    fprintf(stderr, "fino pprof: cannot write %s: %s\n", output ? output : "standard output", strerror(-error));
    return EXIT_FAILED;
}

/* Once all is there: OUTPUT may be one of the files that were read, and is left alone when something is wrong. */
static int write_output(const char *output, const char *bytes, size_t nbytes) {
    struct stat status;
    if (stat(output, &status) != 0 || S_ISREG(status.st_mode)) return rt_write_whole_file(output, bytes, nbytes);
    FILE *file = fopen(output, "wbe"); /* a pipe, a terminal */
    if (!file) return -errno;
    int error = fwrite(bytes, 1, nbytes, file) == nbytes ? 0 : -errno;
    return fclose(file) == 0 ? error : -errno;
}

int rt_command_pprof(char *const *arguments) {
    struct invocation invocation = {.options = {.node_fraction = NODE_FRACTION}};
    if (rt_options_ask_for_help(arguments)) {
        print_usage(stdout);
        return 0;
    }
    int code = parse(&invocation, arguments);
    if (code != 0) return code;
    const char *output = invocation.options.output;
    char *bytes = NULL;
    size_t nbytes = 0;
    FILE *file = output ? open_memstream(&bytes, &nbytes) : stdout;
    if (!file) return complain_of_output(output, -errno);
    code = invocation.command->run(&invocation, file);
    int error = ferror(file) ? -EIO : 0;
    if ((output ? fclose(file) : fflush(file)) != 0) error = -errno;
    if (output && !error && (code == 0 || nbytes > 0)) error = write_output(output, bytes, nbytes);
    free(bytes);
    return code == 0 && error ? complain_of_output(output, error) : code;
}
