/* realm_child.c: see realm_child.h. The main thread is the owner, as realms.h has it, on behalf of the one at the other
 * end of the link. */
#include "runtime/realm_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/link.h"
#include "runtime/plan_wire.h"
#include "runtime/realms.h"
#include "runtime/resolve.h"

#define SOCKET_FD 3

#define EXIT_CODE_ALONE 1

struct session {
    struct rt_loop loop;
    struct rt_link *link;
    struct rt_realm owner; /* of no limits; the Realm's rules are in its plan */
    uint64_t id;           /* 0: there is none yet */
    bool has_ended;
};

static void start(struct session *session, struct rt_wire_reader *body) {
    struct rt_realm_plan plan;
    v8s_message *init;
    struct rt_port *control, *port;
    if (session->id || !rt_plan_get(body, &plan, &init)) {
        body->is_bad = true;
        return;
    }
    session->id = rt_realms_new(&session->owner, &plan, &control, &port);
    rt_plan_free(&plan);
    rt_link_add_port(session->link, RT_WIRE_CONTROL, control);
    rt_link_add_port(session->link, RT_WIRE_PORT, port);
    int error = rt_realms_start(&session->owner, session->id, init);
    if (!error) return;
    fprintf(stderr, "fino: a Realm can't be started: %s\n", strerror(-error));
    rt_loop_stop(&session->loop);
}

static void on_frame(void *data, enum rt_wire_type type, struct rt_wire_reader *body) {
    struct session *session = data;
    if (type == RT_WIRE_PLAN)
        start(session, body);
    else if (type == RT_WIRE_STOP)
        rt_realms_stop(&session->owner, session->id);
    else
        body->is_bad = true;
}

static void put_end(struct rt_wire_buffer *buffer, const void *end) {
    rt_end_put(buffer, end);
}

static void on_closed(void *data, uint32_t channel, struct rt_port *port) {
    struct session *session = data;
    struct rt_realm_end end;
    rt_port_free(port);
    if (channel != RT_WIRE_CONTROL || !rt_realms_take_end(&session->owner, session->id, &end)) return;
    session->has_ended = true;
    rt_link_drain(session->link);
    rt_link_send(session->link, RT_WIRE_END, put_end, &end);
    v8s_message_free(end.error);
    rt_link_finish(session->link);
}

static void on_over(void *data, int error) {
    struct session *session = data;
    (void)error;
    rt_loop_stop(&session->loop);
}

static bool on_turn(void *data, int64_t *delay_ns) {
    struct session *session = data;
    *delay_ns = rt_link_look_after(session->link);
    return true;
}

/* PATH of a profile with this process's number before its extension. */
static char *numbered(const char *path) {
    const char *name = strrchr(path, '/');
    const char *extension = strrchr(name ? name : path, '.');
    size_t length = extension && extension != path ? (size_t)(extension - path) : strlen(path);
    return rt_format("%.*s.%ld%s", (int)length, path, (long)getpid(), path + length);
}

void rt_realm_child_begin(struct rt_options *options) {
    fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC);
    signal(SIGINT, SIG_IGN); /* of a terminal: for the owner */
    signal(SIGHUP, SIG_IGN);
    if (options->profile) options->profile_path = numbered(options->profile_path);
}

int rt_realm_child_run(void) {
    static struct session session; /* the Realm may outlive this call */
    const struct rt_loop_hooks hooks = {.data = &session, .on_turn = on_turn};
    int error = rt_loop_init(&session.loop, &hooks);
    if (error) {
        fprintf(stderr, "fino: cannot make an event loop: %s\n", strerror(-error));
        return EXIT_CODE_ALONE;
    }
    session.link =
        rt_link_new(&session.loop, SOCKET_FD, false, &(struct rt_link_hooks){&session, on_frame, on_closed, on_over});
    rt_loop_run(&session.loop);
    rt_realms_disown(&session.owner);
    rt_link_free(session.link);
    rt_loop_close(&session.loop);
    return session.has_ended ? 0 : EXIT_CODE_ALONE;
}
