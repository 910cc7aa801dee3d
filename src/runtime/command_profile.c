/* command_profile.c: `fino profile`: asks a fino that runs for a profile, and writes it. The other end is live.c's. */
#include "runtime/command_profile.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/live.h"
#include "runtime/options.h"
#include "runtime/profile_output.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define SECONDS_DEFAULT 10
#define PATIENCE_MS 5000 /* for the process to come; a busy machine's takes milliseconds */
#define RETRY_MS 100
#define PROFILE_NBYTES_MAX (1u << 30) /* more than any that was ever seen */

struct invocation {
    pid_t pid;
    const char *pid_text;
    uint32_t seconds;
    uint64_t interval_ns;
    const char *output;
    const struct rt_report_format *format;
};

/* ---- The command line ---- */

static int complain(const struct invocation *invocation, const char *problem) {
    fprintf(stderr, "fino profile: process %s: %s\n", invocation->pid_text, problem);
    return EXIT_FAILED;
}

static void print_usage(FILE *file) {
    fputs("usage: fino profile [options] pid\n"
          "\n"
          "Profiles the process PID, a fino that runs, from outside: all of its Realms and threads, also while they "
          "are in\n"
          "an endless loop. Ctrl-C ends the recording early and keeps what there is.\n"
          "\n"
          "options:\n"
          "  --seconds=N            how long (10)\n"
          "  --interval=DURATION    of CPU time between samples: 100us to 100ms, or auto (auto)\n"
          "  --format=FORMAT        pprof, collapsed, speedscope, cpuprofile, firefox, html or json (pprof)\n"
          "  --output=FILE          where to write it (profile.PID.pb); -o FILE is the same\n"
          "\n"
          "exit codes: 0 done; 1 there is no such process, or it can't be profiled; 2 a wrong command line.\n",
          file);
}

static bool parse_number(const char *text, unsigned long max, unsigned long *number_out) {
    char *end;
    errno = 0;
    *number_out = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *number_out >= 1 && *number_out <= max;
}

/* If ARGUMENT is --NAME=VALUE, its value. */
static const char *value_of(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static int apply_option(struct invocation *invocation, const char *argument) {
    const char *value;
    unsigned long number;
    if ((value = value_of(argument, "--seconds="))) {
        bool is_right = parse_number(value, RT_LIVE_SECONDS_MAX, &number);
        if (!is_right) fprintf(stderr, "fino profile: --seconds=%s is not a whole number from 1 to 86400\n", value);
        invocation->seconds = (uint32_t)number;
        return is_right ? 0 : EXIT_USAGE;
    }
    if ((value = value_of(argument, "--interval="))) {
        if (rt_options_parse_interval(value, &invocation->interval_ns)) return 0;
        fprintf(stderr, "fino profile: --interval=%s is not a duration from 100us to 100ms, such as 2ms, or auto\n",
                value);
        return EXIT_USAGE;
    }
    if ((value = value_of(argument, "--format="))) {
        if (strcmp(value, "pprof") == 0) return 0;
        invocation->format = rt_report_find_format(value);
        return invocation->format ? 0 : EXIT_USAGE;
    }
    if ((value = value_of(argument, "--output="))) {
        invocation->output = value;
        return 0;
    }
    fprintf(stderr, "fino profile: there is no option %s; fino profile --help lists them\n", argument);
    return EXIT_USAGE;
}

static int parse(struct invocation *invocation, char *const *next) {
    unsigned long pid = 0;
    for (int code = 0; *next; next++) {
        if (strcmp(*next, "-o") == 0 && next[1])
            invocation->output = *++next;
        else if ((*next)[0] == '-')
            code = apply_option(invocation, *next);
        else if (!invocation->pid_text)
            invocation->pid_text = *next;
        else
            fprintf(stderr, "fino profile: one process at a time, not also %s\n", *next), code = EXIT_USAGE;
        if (code) return code;
    }
    if (!invocation->pid_text || !parse_number(invocation->pid_text, INT32_MAX, &pid)) {
        fprintf(stderr, "fino profile: %s%s; fino profile --help says more\n",
                invocation->pid_text ? invocation->pid_text : "which process?",
                invocation->pid_text ? " is not the number of a process" : "");
        return EXIT_USAGE;
    }
    invocation->pid = (pid_t)pid;
    return 0;
}

/* ---- The process ---- */

/* A signal would end a process that does not expect it, or mean something else there. */
static bool takes_requests(pid_t pid) {
    char path[64], line[512] = "";
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t nbytes = readlink(path, line, sizeof line - 1);
    line[nbytes > 0 ? nbytes : 0] = 0;
    const char *slash = strrchr(line, '/');
    bool is_fino = slash && (strcmp(slash, "/fino") == 0 || strcmp(slash, "/fino (deleted)") == 0);
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = is_fino ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "SigCgt:", 7) == 0) caught = strtoull(line + 7, NULL, 16);
    if (file) fclose(file);
    return caught >> (SIGUSR2 - 1) & 1;
}

static int check_process(const struct invocation *invocation) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)invocation->pid);
    if (stat(path, &status) != 0) return complain(invocation, "there is none");
    if (status.st_uid != geteuid()) return complain(invocation, "it is another user's, who alone can profile it");
    if (!takes_requests(invocation->pid))
        return complain(invocation, "it is no fino that runs a program, or was started with SIGUSR2 ignored");
    return 0;
}

/* ---- The exchange ---- */

/* Makes the process connect to us. A signal is lost while another of its number is pending there: it is sent again
 * until one came through. Returns the connection, or -1 after a message. */
static int call_process(const struct invocation *invocation, int listener, uint64_t token) {
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    int error = listen(listener, 1) != 0 ? errno : 0, count = 0;
    for (int waited_ms = 0; !error && count == 0 && waited_ms < PATIENCE_MS; waited_ms += RETRY_MS) {
        error = sigqueue(invocation->pid, SIGUSR2, rt_live_value(token)) != 0 ? errno : 0;
        if (!error) count = poll(&ready, 1, RETRY_MS);
    }
    int fd = count > 0 ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd >= 0 && rt_live_is_own_peer(fd)) return fd;
    complain(invocation, error ? strerror(error) : "it does not answer; is its /tmp another one, or is it stopped?");
    return -1;
}

static int connect_to_process(const struct invocation *invocation) {
    struct sockaddr_un address;
    uint64_t token = 0;
    int fd = -1, error = getrandom(&token, sizeof token, 0) == sizeof token ? 0 : -errno;
    token = token >> 16 | 1;
    if (!error) error = rt_live_address(token, &address);
    int listener = error ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!error && (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0)) error = -errno;
    if (error)
        fprintf(stderr, "fino profile: cannot make a socket in /tmp/fino-%u, which must be yours alone: %s\n",
                (unsigned)geteuid(), strerror(-error));
    else
        fd = call_process(invocation, listener, token);
    if (!error) unlink(address.sun_path);
    if (listener >= 0) close(listener);
    return fd;
}

static int connection = -1;

/* SIGNAL_SAFE. */
static void on_interrupt(int signal_number) {
    (void)signal_number;
    shutdown(connection, SHUT_WR);
}

/* Ctrl-C asks for what there is; a second one ends this command. */
static void end_early_on_interrupt(int fd) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    connection = fd;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool receive(int fd, void *data, size_t nbytes) {
    for (char *at = data; nbytes > 0;) {
        ssize_t got = recv(fd, at, nbytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        nbytes -= (size_t)got;
    }
    return true;
}

/* Returns 0 with the profile, which is to be freed, or an exit code after a message. */
static int fetch(const struct invocation *invocation, int fd, uint8_t **data_out, size_t *nbytes_out) {
    const struct rt_live_request request = {RT_LIVE_VERSION, invocation->seconds, invocation->interval_ns};
    struct rt_live_answer answer;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "fino profile: recording process %s for %u s; Ctrl-C ends it early\n", invocation->pid_text,
                (unsigned)request.seconds);
    end_early_on_interrupt(fd);
    if (send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request || !receive(fd, &answer, sizeof answer))
        return complain(invocation, "it ended before there was a profile");
    if (answer.version != RT_LIVE_VERSION || answer.error == -EPROTO)
        return complain(invocation, "its fino is of another version: use that one's `fino profile`");
    if (answer.error == -EBUSY) return complain(invocation, "eight are profiling it already; try again later");
    if (answer.error) return complain(invocation, strerror(-answer.error));
    *data_out = answer.nbytes <= PROFILE_NBYTES_MAX ? malloc(answer.nbytes + 1) : NULL;
    *nbytes_out = answer.nbytes;
    if (!*data_out) return complain(invocation, strerror(ENOMEM));
    return receive(fd, *data_out, answer.nbytes) ? 0 : complain(invocation, "it ended while it sent its profile");
}

/* Says now what would fail at the end. */
static int check_output(const char *output) {
    const char *slash = strrchr(output, '/');
    char directory[4096];
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - output) + 1 : 1, slash ? output : ".");
    if (access(directory, W_OK | X_OK) == 0) return 0;
    fprintf(stderr, "fino profile: cannot write %s: directory %s: %s\n", output, directory, strerror(errno));
    return EXIT_FAILED;
}

static int write_profile(const struct invocation *invocation, const char *output, const uint8_t *data, size_t nbytes) {
    size_t file_nbytes;
    int error = rt_profile_output_write(output, invocation->format, output, data, nbytes, &file_nbytes);
    if (error) {
        fprintf(stderr, "fino profile: cannot write %s: %s\n", output, strerror(-error));
        return EXIT_FAILED;
    }
    fprintf(stderr, "fino: %s: %.1f kB\n", output, (double)file_nbytes / 1e3);
    rt_profile_output_hottest(data, nbytes, stderr);
    return 0;
}

int rt_command_profile(char *const *arguments) {
    struct invocation invocation = {.seconds = SECONDS_DEFAULT};
    char name[64];
    uint8_t *data = NULL;
    size_t nbytes = 0;
    if (rt_options_ask_for_help(arguments)) {
        print_usage(stdout);
        return 0;
    }
    int code = parse(&invocation, arguments);
    const char *output = invocation.output ? invocation.output : name;
    snprintf(name, sizeof name, "profile.%d%s", (int)invocation.pid,
             invocation.format ? strchr(invocation.format->file_name, '.') : ".pb");
    if (!code) code = check_output(output);
    if (!code) code = check_process(&invocation);
    if (code) return code;
    int fd = connect_to_process(&invocation);
    if (fd < 0) return EXIT_FAILED;
    code = fetch(&invocation, fd, &data, &nbytes);
    close(fd);
    if (!code) code = write_profile(&invocation, output, data, nbytes);
    free(data);
    return code;
}
