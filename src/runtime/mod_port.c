/* mod_port.c: MessagePorts: ports (port.h) as JavaScript holds them.
 *
 * The object is an instance of the host class, whose pointer is a `struct rt_held_port` until the port is closed or
 * transferred. A port that was started keeps its object, and, unless it is unref'd, the loop alive.
 */
#include <stdlib.h>

#include "runtime/builtins.h"
#include "runtime/port.h"
#include "runtime/resolve.h"
#include "runtime/wire.h"

/* Messages that one port may deliver before others have their turn. */
#define MESSAGES_A_TURN 64

/* Ports that one message may carry. */
#define PORTS_MAX 1024

struct rt_held_port {
    struct rt_held_port *next, **link; /* in its Realm's list */
    struct rt_realm *realm;
    struct rt_port *port;
    v8s_ref *object; /* NULL: not started */
    bool has_ref;    /* wanted; it counts while started */
};

static void throw_clone_error(v8s_isolate *isolate, const char *message) {
    v8s_value error = rt_clone_error(isolate, v8s_string(isolate, message));
    if (error) v8s_throw(isolate, error);
}

/* ---- Holding ---- */

v8s_value rt_port_object(struct rt_realm *realm, struct rt_port *port) {
    struct v8s_caught caught;
    v8s_value object = v8s_call(realm->isolate, rt_realm_internal(realm, "makePort"), NULL, 0, NULL, &caught);
    if (!object) return NULL;
    struct rt_held_port *held = rt_must(calloc(1, sizeof *held));
    *held = (struct rt_held_port){
        .next = realm->ports, .link = &realm->ports, .realm = realm, .port = port, .has_ref = true};
    if (held->next) held->next->link = &held->next;
    realm->ports = held;
    v8s_host_set(object, held);
    return object;
}

/* Lets go of the port, which is returned. */
static struct rt_port *release(struct rt_held_port *held, v8s_value object) {
    struct rt_port *port = held->port;
    if (held->object && held->has_ref) held->realm->loop.pending_ref_count--;
    v8s_ref_free(held->object);
    if (object) v8s_host_set(object, NULL);
    *held->link = held->next;
    if (held->next) held->next->link = held->link;
    free(held);
    return port;
}

void rt_ports_close(struct rt_realm *realm) {
    while (realm->ports) {
        struct rt_port *port = realm->ports->port;
        rt_port_detach(port);
        release(realm->ports, NULL);
        if (port != realm->control) rt_port_free(port);
    }
}

/* The port in ARGUMENTS; NULL: it is closed or transferred, or (with an exception pending) no port at all. */
static struct rt_held_port *held_argument(v8s_isolate *isolate, const v8s_arguments *arguments, int index) {
    v8s_value value = v8s_argument(arguments, index);
    if (v8s_is_object(value) && v8s_is_host(isolate, value)) return v8s_host_get(value);
    v8s_throw_type_error(isolate, "Illegal invocation: 'this' is not a MessagePort");
    return NULL;
}

/* ---- Receiving ---- */

/* Calls internal.onPortMessage(port, data, ports), or onPortError(port) for what can't be read here. */
static void deliver(struct rt_realm *realm, struct rt_held_port *held, struct rt_parcel *parcel) {
    struct v8s_scope scope;
    struct v8s_caught caught;
    v8s_scope_open(realm->isolate, &scope);
    v8s_value *ports = rt_must(calloc(parcel->port_count + 1, sizeof *ports));
    v8s_value object = v8s_ref_get(realm->isolate, held->object);
    for (size_t i = 0; i < parcel->port_count; i++) {
        ports[i] = rt_port_object(realm, parcel->ports[i]);
        if (ports[i])
            parcel->ports[i] = NULL;
        else
            ports[i] = v8s_object_new(realm->isolate); /* which nobody will see: the Realm is being terminated */
    }
    v8s_value data = v8s_message_read(realm->isolate, parcel->message, ports, parcel->port_count, &caught);
    if (data) {
        v8s_value arguments[] = {object, data, v8s_array_new(realm->isolate, ports, parcel->port_count)};
        rt_realm_call_internal(realm, "onPortMessage", 3, arguments);
    } else if (!caught.terminated) {
        rt_realm_call_internal(realm, "onPortError", 1, &object);
    }
    free(ports);
    v8s_scope_close(&scope);
}

static void close_alone(struct rt_realm *realm, struct rt_held_port *held) {
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    v8s_value object = v8s_ref_get(realm->isolate, held->object);
    rt_port_free(release(held, object));
    rt_realm_call_internal(realm, "onPortClosed", 1, &object);
    v8s_scope_close(&scope);
}

/* The port itself, not what holds it, tells whether it is still there: a message's handler may have closed it. */
static struct rt_held_port *still_held(struct rt_realm *realm, const struct rt_port *port) {
    struct rt_held_port *held = realm->ports;
    while (held && held->port != port)
        held = held->next;
    return held;
}

static void on_ready(void *context) {
    struct rt_held_port *held = context;
    struct rt_realm *realm = held->realm;
    struct rt_port *port = held->port;
    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        bool is_closed;
        struct rt_parcel *parcel = rt_port_take(port, &is_closed);
        if (is_closed) close_alone(realm, held);
        if (!parcel) return;
        deliver(realm, held, parcel);
        rt_parcel_free(parcel);
        held = still_held(realm, port);
        if (rt_realm_is_stopped(realm) || !held || !held->object) return;
    }
    rt_port_again(port);
}

/* ---- Functions ---- */

static v8s_value host_class(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    return v8s_host_class(isolate);
}

/* portPair(): two ports, entangled */
static v8s_value port_pair(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct rt_realm *realm = rt_realm_of(isolate);
    struct rt_port *pair[2];
    rt_port_pair(pair);
    v8s_value objects[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        if (!(objects[i] = rt_port_object(realm, pair[i]))) rt_port_free(pair[i]);
    return objects[0] && objects[1] ? v8s_array_new(isolate, objects, 2) : NULL;
}

/* The ports of LIST, an array, into OBJECTS and PORTS; what else is in it into *REST_OUT. FROM, and what it is
 * entangled with, can't be among them. Returns their number, or -1 with an exception pending. */
static int split_transfer(v8s_isolate *isolate, const struct rt_held_port *from, v8s_value list, v8s_value *objects,
                          struct rt_port **ports, v8s_value *rest_out) {
    size_t length = v8s_array_length(list), rest = 0;
    int count = 0;
    v8s_value *others = rt_must(calloc(length + 1, sizeof *others));
    const char *problem = NULL;
    for (size_t i = 0; i < length && !problem; i++) {
        v8s_value item = v8s_array_at(isolate, list, i);
        if (!v8s_is_object(item) || !v8s_is_host(isolate, item)) {
            others[rest++] = item;
            continue;
        }
        const struct rt_held_port *held = v8s_host_get(item);
        if (count == PORTS_MAX)
            problem = "A message carries 1024 ports at most";
        else if (!held)
            problem = "A port in the transfer list is closed or was transferred before";
        else if (held == from || (from && rt_port_is_other_end(from->port, held->port)))
            problem = "A port can't be sent through itself";
        for (int j = 0; j < count && !problem; j++)
            if (v8s_same(objects[j], item)) problem = "A port is in the transfer list twice";
        if (problem) break;
        objects[count] = item;
        ports[count++] = held->port;
    }
    *rest_out = v8s_array_new(isolate, others, rest);
    free(others);
    if (problem) throw_clone_error(isolate, problem);
    return problem ? -1 : count;
}

/* Counts PARCEL as REALM's. What nobody takes is its sender's to answer for: past the limit that Realm is stopped. */
static bool is_within_limit(struct rt_realm *realm, struct rt_parcel *parcel) {
    if (!realm->sent || rt_parcel_count(parcel, realm->sent) <= realm->options.limits.heap_bytes) return true;
    rt_realm_stop(realm, RT_STOP_HEAP, 0);
    return false;
}

/* portPost(port, value, transfer): TRANSFER is an array */
static v8s_value port_post(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value objects[PORTS_MAX], rest;
    struct rt_port *ports[PORTS_MAX];
    struct rt_held_port *held = held_argument(isolate, arguments, 0);
    int count = split_transfer(isolate, held, v8s_argument(arguments, 2), objects, ports, &rest);
    if (count < 0) return NULL;
    enum v8s_reach reach = held && rt_port_is_far(held->port) ? V8S_BEYOND_PROCESS : V8S_WITHIN_PROCESS;
    v8s_message *message =
        v8s_message_write(isolate, v8s_argument(arguments, 1), rest, objects, (size_t)count, reach, rt_clone_error);
    if (!message) return NULL;
    if (reach == V8S_BEYOND_PROCESS && v8s_message_nbytes(message) > RT_WIRE_MESSAGE_NBYTES_MAX) {
        v8s_message_free(message);
        throw_clone_error(isolate, "A message that leaves the process has 1 GiB at most");
        return NULL;
    }
    for (int i = 0; i < count; i++) /* getters have run: they may have closed any port */
        if (!v8s_host_get(objects[i])) {
            v8s_message_free(message);
            throw_clone_error(isolate, "A port in the transfer list was closed meanwhile");
            return NULL;
        }
    held = held_argument(isolate, arguments, 0);
    for (int i = 0; i < count; i++) {
        rt_port_detach(ports[i]);
        release(v8s_host_get(objects[i]), objects[i]);
    }
    struct rt_parcel *parcel = rt_parcel_new(message, ports, (size_t)count);
    if (held && is_within_limit(rt_realm_of(isolate), parcel))
        rt_port_post(held->port, parcel);
    else
        rt_parcel_free(parcel);
    return NULL;
}

/* portStart(port): internal.onPortMessage hears of what comes */
static v8s_value port_start(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_held_port *held = held_argument(isolate, arguments, 0);
    if (!held || held->object) return NULL;
    held->object = v8s_ref_new(isolate, v8s_argument(arguments, 0));
    if (held->has_ref) held->realm->loop.pending_ref_count++;
    rt_port_attach(held->port, &held->realm->loop, on_ready, held);
    return NULL;
}

static v8s_value port_close(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_held_port *held = held_argument(isolate, arguments, 0);
    if (held) rt_port_free(release(held, v8s_argument(arguments, 0)));
    return NULL;
}

/* portRef(port, on): does it keep the loop alive? */
static v8s_value port_ref(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_held_port *held = held_argument(isolate, arguments, 0);
    bool on = v8s_truthy(isolate, v8s_argument(arguments, 1));
    if (!held || held->has_ref == on) return NULL;
    held->has_ref = on;
    if (held->object) held->realm->loop.pending_ref_count += on ? 1 : (uint32_t)-1;
    return NULL;
}

/* portHasRef(port) */
static v8s_value port_has_ref(v8s_isolate *isolate, const v8s_arguments *arguments) {
    const struct rt_held_port *held = held_argument(isolate, arguments, 0);
    return v8s_bool(isolate, held && held->object && held->has_ref);
}

static const struct v8s_native_entry functions[] = {
    {"hostClass", host_class, 0},    {"portPair", port_pair, 0},   {"portPost", port_post, 3},
    {"portStart", port_start, 1},    {"portClose", port_close, 1}, {"portRef", port_ref, 2},
    {"portHasRef", port_has_ref, 1},
};

const struct rt_native_group rt_mod_port = {functions, sizeof functions / sizeof *functions, NULL};
