/* realm_process.c: see realm_process.h. Owns the other process: its start, its connection, its end. */
#include "runtime/realm_process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/link.h"
#include "runtime/plan_wire.h"
#include "runtime/realm_host.h"
#include "runtime/report.h"
#include "runtime/resolve.h"

/* How long a process may take to end once it was told to and has a profile to write, or once it hung up. */
#define PATIENCE_NS 10000000000u
/* How often it is looked whether it has. */
#define LOOK_NS_MIN 200000
#define LOOK_NS_MAX 20000000

struct rt_process {
    struct rt_loop loop;
    atomic_bool stop_wanted;
    const struct rt_realm_plan *plan;
    struct rt_link *link;
    struct rt_port *control;
    pid_t pid; /* 0: there is none, or none any more */
    bool has_hung_up, is_ending, has_end;
    uint64_t deadline_ns; /* CLOCK_MONOTONIC: then its process is killed */
    int64_t look_ns;      /* until it is looked after it again */
    struct rt_realm_end end;
};

static const struct rt_options *inherited;

void rt_process_init(const struct rt_options *options) {
    inherited = options;
}

/* ---- The start ---- */

#define ARGUMENTS_MAX 16

/* To free, all of them. */
static void make_arguments(const char *label, char *arguments[ARGUMENTS_MAX]) {
    size_t count = 0;
    arguments[count++] = rt_must(strdup("fino"));
    arguments[count++] = rt_must(strdup("realm-child"));
    if (inherited->v8_flags) arguments[count++] = rt_format("--v8-flags=%s", inherited->v8_flags);
    if (inherited->profile && inherited->profile_children) {
        arguments[count++] = rt_format("--profile=%s", inherited->profile_path);
        arguments[count++] = rt_must(strdup("--profile-children"));
        if (inherited->profile_interval_ns)
            arguments[count++] = rt_format("--profile-interval=%fus", (double)inherited->profile_interval_ns / 1e3);
        if (inherited->profile_budget_ppm)
            arguments[count++] = rt_format("--profile-budget=%f%%", (double)inherited->profile_budget_ppm / 1e4);
        if (inherited->profile_format)
            arguments[count++] = rt_format("--profile-format=%s", inherited->profile_format->name);
        if (inherited->profile_view) arguments[count++] = rt_must(strdup("--profile-view"));
    }
    arguments[count++] = rt_must(strdup("--"));
    arguments[count++] = rt_must(strdup(label));
    arguments[count] = NULL;
}

int rt_process_spawn(int fd, const char *label, pid_t *pid_out) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char *arguments[ARGUMENTS_MAX];
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none); /* this thread blocks nearly all */
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    make_arguments(label, arguments);
    int error = posix_spawn(pid_out, "/proc/self/exe", &actions, &attributes, arguments, environ);
    for (size_t i = 0; arguments[i]; i++)
        free(arguments[i]);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

/* Returns the socket of a new process, or a negative errno. */
static int start_process(struct rt_process *process, const char *label) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    int error = rt_process_spawn(ends[1], label, &process->pid);
    close(ends[1]);
    if (!error) return ends[0];
    process->pid = 0;
    close(ends[0]);
    return error;
}

/* ---- The end ---- */

static void expect_end(struct rt_process *process) {
    if (process->deadline_ns == UINT64_MAX) process->deadline_ns = rt_now_ns() + PATIENCE_NS;
}

static void kill_process(struct rt_process *process) {
    if (process->pid) kill(process->pid, SIGKILL);
}

/* Of a process that ended with STATUS, unless it has said so itself. */
static void note_status(struct rt_process *process, int status) {
    if (process->has_end) return;
    process->has_end = true;
    process->end = (struct rt_realm_end){.stop = RT_STOP_CRASHED};
    if (WIFSIGNALED(status))
        process->end.signal_number = WTERMSIG(status);
    else
        process->end.exit_code = WEXITSTATUS(status);
}

/* Is the process gone? Until then: when to look again. */
static bool is_reaped(struct rt_process *process) {
    int status;
    if (!process->pid) return true;
    if (waitpid(process->pid, &status, WNOHANG) == process->pid) {
        process->pid = 0;
        note_status(process, status);
        return true;
    }
    process->look_ns = process->look_ns * 2 < LOOK_NS_MAX ? process->look_ns * 2 : LOOK_NS_MAX;
    return false;
}

static void end_by(struct rt_process *process, enum rt_stop stop) {
    if (process->has_end) return;
    process->has_end = true;
    process->end = (struct rt_realm_end){.stop = stop, .exit_code = 1};
}

/* It was told to stop. Who is to write a profile is told as well; of all others nothing is lost. */
static void begin_stop(struct rt_process *process) {
    if (process->is_ending) return;
    process->is_ending = true;
    if (process->pid && inherited->profile && inherited->profile_children && !process->has_hung_up) {
        rt_link_send(process->link, RT_WIRE_STOP, NULL, NULL);
        expect_end(process);
        return;
    }
    end_by(process, RT_STOP_TERMINATED);
    kill_process(process);
    if (!process->pid) rt_loop_stop(&process->loop);
}

/* ---- What the link says ---- */

static void on_frame(void *data, enum rt_wire_type type, struct rt_wire_reader *body) {
    struct rt_process *process = data;
    struct rt_realm_end end;
    if (type != RT_WIRE_END || process->has_end || !rt_end_get(body, &end)) {
        body->is_bad = true;
        return;
    }
    process->end = end;
    process->has_end = true;
    expect_end(process);
    rt_link_finish(process->link);
    if (!process->pid) rt_loop_stop(&process->loop);
}

static void on_closed(void *data, uint32_t channel, struct rt_port *port) {
    struct rt_process *process = data;
    if (channel == RT_WIRE_CONTROL)
        process->control = port;
    else
        rt_port_free(port);
}

static const char *reason_of(int error) {
    switch (error) {
        case 0: return "its process, or its host, is gone";
        case -EPROTO: return "it said what no Realm says";
        case -ETIMEDOUT: return "nothing was heard of it for 20 s";
        default: return strerrordesc_np(-error);
    }
}

static void on_over(void *data, int error) {
    struct rt_process *process = data;
    process->has_hung_up = true;
    expect_end(process);
    if (!process->has_end && (error || !process->pid)) {
        end_by(process, RT_STOP_LOST);
        process->end.reason = reason_of(error);
        kill_process(process);
    }
    if (!process->pid) rt_loop_stop(&process->loop);
}

/* ---- The loop ---- */

static int64_t sooner(int64_t a, int64_t b) {
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static bool on_turn(void *data, int64_t *delay_ns) {
    struct rt_process *process = data;
    size_t heap_bytes = process->plan->limits.heap_bytes;
    if (atomic_load(&process->stop_wanted)) begin_stop(process);
    if (heap_bytes && rt_link_untaken_bytes(process->link) > heap_bytes) {
        end_by(process, RT_STOP_HEAP);
        kill_process(process);
    }
    if (process->has_hung_up && is_reaped(process)) rt_loop_stop(&process->loop);
    if (process->has_hung_up) *delay_ns = process->look_ns;
    if (process->deadline_ns != UINT64_MAX) {
        uint64_t now_ns = rt_now_ns();
        if (now_ns >= process->deadline_ns) kill_process(process);
        *delay_ns =
            sooner(*delay_ns, now_ns < process->deadline_ns ? (int64_t)(process->deadline_ns - now_ns) : LOOK_NS_MAX);
    }
    *delay_ns = sooner(*delay_ns, rt_link_look_after(process->link));
    return true; /* until it is stopped */
}

struct rt_process *rt_process_new(void) {
    struct rt_process *process = rt_must(calloc(1, sizeof *process));
    process->deadline_ns = UINT64_MAX;
    process->look_ns = LOOK_NS_MIN;
    const struct rt_loop_hooks hooks = {.data = process, .on_turn = on_turn};
    if (rt_loop_init(&process->loop, &hooks) == 0) return process;
    free(process);
    return NULL;
}

void rt_process_free(struct rt_process *process) {
    rt_loop_close(&process->loop);
    free(process);
}

void rt_process_stop(struct rt_process *process) {
    atomic_store(&process->stop_wanted, true);
    rt_loop_wake(&process->loop);
}

struct first_frame {
    const struct rt_realm_plan *plan;
    const v8s_message *init;
};

static void put_plan(struct rt_wire_buffer *buffer, const void *context) {
    const struct first_frame *frame = context;
    rt_plan_put(buffer, frame->plan, frame->init);
}

static void run_linked(struct rt_process *process, int fd, v8s_message *init, struct rt_port *control,
                       struct rt_port *port) {
    process->link =
        rt_link_new(&process->loop, fd, true, &(struct rt_link_hooks){process, on_frame, on_closed, on_over});
    rt_link_send(process->link, RT_WIRE_PLAN, put_plan, &(struct first_frame){process->plan, init});
    rt_link_add_port(process->link, RT_WIRE_CONTROL, control);
    rt_link_add_port(process->link, RT_WIRE_PORT, port);
    rt_loop_run(&process->loop);
    struct rt_port *linked = rt_link_take_port(process->link, RT_WIRE_CONTROL);
    if (!linked && process->control != control) abort(); /* it is the caller's, whatever became of the channel */
    rt_link_free(process->link);
}

void rt_process_run(struct rt_process *process, const struct rt_realm_plan *plan, v8s_message *init,
                    struct rt_port *control, struct rt_port *port, struct rt_realm_end *end_out) {
    process->plan = plan;
    const char *reason = NULL;
    int fd = plan->place == RT_REALM_REMOTE ? rt_realm_host_connect(plan->address, plan->token, &reason)
                                            : start_process(process, plan->name);
    if (fd < 0) {
        rt_port_free(port);
        process->end = (struct rt_realm_end){
            .stop = RT_STOP_UNREACHABLE, .exit_code = 1, .reason = reason ? reason : strerrordesc_np(-fd)};
    } else {
        run_linked(process, fd, init, control, port);
    }
    v8s_message_free(init);
    *end_out = process->end;
}
