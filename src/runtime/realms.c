/* realms.c: see realms.h. Owns the registry, the threads of Realms that have one of their own, and the slices of those
 * that share the reactors'. What a Realm is made of is realm.c's.
 */
#include "runtime/realms.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/cpu_limit.h"
#include "runtime/import_rules.h"
#include "runtime/profile.h"
#include "runtime/reactors.h"
#include "runtime/realm_process.h"
#include "runtime/resolve.h"
#include "runtime/thread.h"
#include "sampler/sampler.h"

/* Of a Realm's own thread; address space, mostly. */
#define STACK_BYTES (8u << 20)
/* Of the thread of a Realm elsewhere. */
#define LINK_STACK_BYTES (256u << 10)

enum life { LIFE_NEW, LIFE_STARTING, LIFE_RUNNING, LIFE_ENDING, LIFE_ENDED };

struct rt_child {
    struct rt_child *next;
    uint64_t id;
    struct rt_realm *owner; /* NULL: it has ended; only compared */
    enum life life;
    struct rt_realm *realm;     /* RUNNING: so that it can be stopped, */
    struct rt_process *process; /*   elsewhere: this instead */
    bool stop_wanted;
    struct rt_realm_end end; /* ENDED */

    /* Of the thread that has it, from STARTING on. */
    struct rt_realm_options options;
    char *entry, *source;
    enum rt_realm_place place;
    char *address, *token;
    char label[FINO_SAMPLER_LABEL_SIZE];
    v8s_message *init;
    struct rt_port *control, *port;
};

/* All of it, and the first part of each child, under MUTEX. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t ended; /* LIVE_COUNT fell */
    struct rt_child *first;
    size_t live_count; /* STARTING, RUNNING or ENDING */
    uint64_t last_id;
    bool is_closed;
} realms = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .last_id = 1};

static void lock(void) {
    pthread_mutex_lock(&realms.mutex);
}

static void unlock(void) {
    pthread_mutex_unlock(&realms.mutex);
}

/* ---- The registry, locked ---- */

static struct rt_child *find(const struct rt_realm *owner, uint64_t id) {
    struct rt_child *child = realms.first;
    while (child && (child->id != id || child->owner != owner))
        child = child->next;
    return child;
}

static void take_out(struct rt_child *child) {
    struct rt_child **link = &realms.first;
    while (*link != child)
        link = &(*link)->next;
    *link = child->next;
}

static void stop(struct rt_child *child) {
    child->stop_wanted = true;
    if (child->realm) rt_realm_stop(child->realm, RT_STOP_TERMINATED, 0);
    if (child->process) rt_process_stop(child->process);
}

/* Any thread. */
static void on_cpu_limit(uint64_t id) {
    lock();
    struct rt_child *child = realms.first;
    while (child && child->id != id)
        child = child->next;
    if (child && child->realm) rt_realm_stop(child->realm, RT_STOP_CPU, 0);
    unlock();
}

/* Not locked. It is out of the registry. */
static void free_child(struct rt_child *child) {
    rt_port_free(child->control);
    rt_port_free(child->port);
    v8s_message_free(child->init);
    v8s_message_free(child->end.error);
    rt_import_rules_release(child->options.rules);
    free(child->entry);
    free(child->source);
    free(child->address);
    free(child->token);
    free(child);
}

/* ---- Making and starting ---- */

static uint64_t narrower(uint64_t a, uint64_t b) {
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static struct rt_limits limits_of(const struct rt_limits *wanted, const struct rt_limits *owners) {
    return (struct rt_limits){narrower(wanted->heap_bytes, owners->heap_bytes),
                              narrower(wanted->cpu_ns, owners->cpu_ns),
                              narrower(wanted->stack_bytes, owners->stack_bytes)};
}

static bool is_limited(const struct rt_limits *limits) {
    return limits->heap_bytes || limits->cpu_ns || limits->stack_bytes;
}

uint64_t rt_realms_new(struct rt_realm *owner, const struct rt_realm_plan *plan, struct rt_port **control_out,
                       struct rt_port **port_out) {
    struct rt_child *child = rt_must(calloc(1, sizeof *child));
    struct rt_port *control[2], *port[2];
    rt_port_pair(control);
    rt_port_pair(port);
    *control_out = control[0];
    *port_out = port[0];
    child->control = control[1];
    child->port = port[1];
    child->owner = owner;
    child->entry = rt_must(strdup(plan->entry));
    child->source = plan->source ? rt_must(strdup(plan->source)) : NULL;
    child->place = plan->place;
    child->address = plan->address ? rt_must(strdup(plan->address)) : NULL;
    child->token = plan->token ? rt_must(strdup(plan->token)) : NULL;
    if (plan->place != RT_REALM_HERE) {
        rt_port_leaves_process(control[0]);
        rt_port_leaves_process(port[0]);
    }
    fino_sampler_unique_label(plan->name, child->label);
    child->options = (struct rt_realm_options){
        .name = child->label,
        .script = child->entry,
        .source = child->source,
        .kind = plan->kind,
        .child = child,
        .rules = rt_import_rules_hold(plan->rules),
        .limits = limits_of(&plan->limits, &owner->options.limits),
    };
    if (plan->kind == RT_REALM_POOLED && (is_limited(&child->options.limits) || plan->place != RT_REALM_HERE))
        child->options.kind = RT_REALM_THREAD;
    lock();
    child->id = child->options.id = ++realms.last_id;
    child->next = realms.first;
    realms.first = child;
    unlock();
    return child->id;
}

bool rt_realms_is_elsewhere(struct rt_realm *owner, uint64_t id) {
    lock();
    const struct rt_child *child = find(owner, id);
    unlock();
    return child && child->place != RT_REALM_HERE;
}

const char *rt_realms_label(struct rt_realm *owner, uint64_t id) {
    lock();
    const struct rt_child *child = find(owner, id);
    unlock();
    return child ? child->label : NULL;
}

/* ---- Its own thread ---- */

void rt_child_take_ports(struct rt_child *child, struct rt_port **control_out, struct rt_port **port_out,
                         v8s_message **init_out) {
    *control_out = child->control;
    *port_out = child->port;
    *init_out = child->init;
    child->control = child->port = NULL;
    child->init = NULL;
}

/* From here on it can be stopped. */
static void publish(struct rt_child *child, struct rt_realm *realm, struct rt_process *process) {
    lock();
    child->realm = realm;
    child->process = process;
    child->life = LIFE_RUNNING;
    if (child->stop_wanted) stop(child);
    unlock();
}

static void withdraw(struct rt_child *child) {
    lock();
    child->realm = NULL;
    child->process = NULL;
    child->life = LIFE_ENDING;
    unlock();
}

/* The steps 7 and 8. CONTROL is freed last: the owner may take the end as soon as it hears of it. */
static void finish(struct rt_child *child, const struct rt_realm_end *end, struct rt_port *control) {
    lock();
    child->end = *end;
    child->life = LIFE_ENDED;
    bool is_orphan = child->owner == NULL;
    if (is_orphan) take_out(child);
    unlock();
    if (is_orphan) free_child(child);
    rt_port_free(control);
    lock();
    realms.live_count--;
    pthread_cond_broadcast(&realms.ended);
    unlock();
}

/* The step 6. */
static void account(struct rt_child *child) {
    if (!child->options.guest) {
        rt_profile_end_thread();
        return;
    }
    rt_profile_end_slice(child->options.guest);
    rt_profile_guest_free(child->options.guest);
}

/* Returns NULL if it can't be made, or was told to stop before there was anything to stop. */
static struct rt_realm *begin(struct rt_child *child) {
    lock();
    bool is_stopped = child->stop_wanted;
    unlock();
    struct rt_realm *realm = is_stopped ? NULL : rt_realm_new(&child->options);
    if (!realm) return NULL;
    publish(child, realm, NULL);
    return realm;
}

/* REALM is NULL if there never was one. IS_LOST: it can't be freed as it should be. */
static void end(struct rt_child *child, struct rt_realm *realm, int exit_code, bool is_lost) {
    struct rt_realm_end end = {.stop = RT_STOP_UNCAUGHT, .exit_code = 1};
    struct rt_port *control = NULL;
    withdraw(child);
    if (realm) {
        end = (struct rt_realm_end){
            .stop = (enum rt_stop)atomic_load(&realm->stop), .exit_code = exit_code, .error = realm->error};
        rt_realms_disown(realm);
        control = is_lost ? rt_realm_abandon(realm) : rt_realm_free(realm);
    } else if (child->stop_wanted) {
        end = (struct rt_realm_end){.stop = RT_STOP_TERMINATED};
    }
    if (!control) { /* never taken */
        control = child->control;
        child->control = NULL;
    }
    account(child);
    finish(child, &end, control);
}

/* Returns false if it could only be left in the middle of a call. */
static bool run_guarded(struct rt_realm *realm, int *exit_code_out) {
    sigjmp_buf escape;
    bool is_whole = sigsetjmp(escape, 0) == 0;
    if (is_whole) {
        rt_realm_set_escape(realm, &escape);
        *exit_code_out = rt_realm_run(realm);
    }
    rt_realm_set_escape(realm, NULL);
    return is_whole;
}

static void run(struct rt_child *child, struct rt_realm *realm) {
    uint64_t cpu_ns = child->options.limits.cpu_ns;
    timer_t timer;
    int exit_code = 1;
    int error = cpu_ns ? rt_cpu_limit_begin(cpu_ns, child->id, on_cpu_limit, &timer) : 0;
    if (error) {
        fprintf(stderr, "fino: %s: limits.cpuMs can't be watched: %s\n", child->label, strerror(-error));
        rt_realm_stop(realm, RT_STOP_TERMINATED, 0);
    }
    bool is_whole = run_guarded(realm, &exit_code);
    if (cpu_ns && !error) rt_cpu_limit_end(timer);
    end(child, realm, exit_code, !is_whole);
}

static void *run_thread(void *data) {
    struct rt_child *child = data;
    rt_profile_begin_thread(child->label, rt_realm_kind_name(child->options.kind));
    struct rt_realm *realm = begin(child);
    if (realm)
        run(child, realm);
    else
        end(child, NULL, 0, false);
    return NULL;
}

/* ---- Elsewhere ---- */

static void run_elsewhere(struct rt_child *child, struct rt_process *process, struct rt_port *control,
                          struct rt_realm_end *end_out) {
    const struct rt_realm_options *options = &child->options;
    const struct rt_realm_plan plan = {.entry = child->entry,
                                       .source = child->source,
                                       .name = child->label,
                                       .kind = options->kind,
                                       .rules = options->rules,
                                       .limits = options->limits,
                                       .place = child->place,
                                       .address = child->address,
                                       .token = child->token};
    struct rt_port *port = child->port;
    v8s_message *init = child->init;
    child->port = NULL;
    child->init = NULL;
    publish(child, NULL, process);
    rt_process_run(process, &plan, init, control, port, end_out);
    withdraw(child);
    rt_process_free(process);
}

static void *run_connection(void *data) {
    struct rt_child *child = data;
    struct rt_realm_end end = {.stop = RT_STOP_UNREACHABLE, .exit_code = 1, .reason = "no more descriptors"};
    struct rt_port *control = child->control;
    struct rt_process *process = rt_process_new();
    child->control = NULL;
    if (process) run_elsewhere(child, process, control, &end);
    finish(child, &end, control);
    return NULL;
}

/* ---- On the reactors ---- */

/* A slice of a pooled Realm: the first makes it, the last ends it. */
static bool run_slice(void *data, struct rt_rest *rest_out) {
    struct rt_child *child = data;
    uint64_t began_ns = rt_now_ns();
    bool goes_on = true;
    rt_profile_begin_slice(child->options.guest);
    struct rt_realm *realm = child->realm; /* only this thread changes it */
    if (realm)
        rt_realm_enter(realm);
    else if ((realm = begin(child)))
        rt_realm_begin(realm);
    do
        goes_on = realm && rt_realm_turn(realm, &rest_out->ns);
    while (goes_on && rest_out->ns == 0 && !rt_reactors_should_yield(began_ns));
    if (!goes_on) {
        end(child, realm, realm ? rt_realm_finish(realm) : 0, false);
        return false;
    }
    rest_out->fd = realm->loop.poll_fd;
    rt_realm_leave(realm);
    rt_profile_end_slice(child->options.guest);
    return true;
}

static int start_pooled(struct rt_child *child) {
    child->options.guest = rt_profile_guest_new(child->label, rt_realm_kind_name(child->options.kind));
    int error = rt_reactors_add(run_slice, child, &child->options.member);
    if (!error) return 0;
    rt_profile_guest_free(child->options.guest);
    child->options.guest = NULL;
    return error;
}

/* ---- Starting ---- */

int rt_realms_start(struct rt_realm *owner, uint64_t id, v8s_message *init) {
    lock();
    struct rt_child *child = find(owner, id);
    int error = !child || realms.is_closed ? -ESHUTDOWN : child->life != LIFE_NEW ? -EALREADY : 0;
    if (!error) {
        child->life = LIFE_STARTING;
        realms.live_count++;
    }
    unlock();
    if (error) {
        v8s_message_free(init);
        return error;
    }
    child->init = init;
    if (child->place != RT_REALM_HERE)
        error = rt_thread_start(run_connection, child, LINK_STACK_BYTES, RT_LINK_THREAD_NAME);
    else if (child->options.kind == RT_REALM_POOLED)
        error = start_pooled(child);
    else
        error = rt_thread_start(run_thread, child, STACK_BYTES, NULL);
    if (!error) return 0;
    lock();
    child->life = LIFE_NEW;
    realms.live_count--;
    unlock();
    v8s_message_free(child->init);
    child->init = NULL;
    return error;
}

/* ---- Stopping ---- */

void rt_realms_stop(struct rt_realm *owner, uint64_t id) {
    lock();
    struct rt_child *child = find(owner, id);
    if (child) stop(child);
    unlock();
}

bool rt_realms_take_end(struct rt_realm *owner, uint64_t id, struct rt_realm_end *end_out) {
    lock();
    struct rt_child *child = find(owner, id);
    if (child && child->life != LIFE_ENDED && child->life != LIFE_NEW) child = NULL;
    if (child) take_out(child);
    unlock();
    if (!child) return false;
    *end_out = child->end;
    child->end.error = NULL;
    free_child(child);
    return true;
}

/* One of OWNER's that nobody will ask for any more. */
static struct rt_child *take_settled(const struct rt_realm *owner) {
    struct rt_child *child = realms.first;
    while (child && (child->owner != owner || (child->life != LIFE_NEW && child->life != LIFE_ENDED)))
        child = child->next;
    if (child) take_out(child);
    return child;
}

void rt_realms_disown(struct rt_realm *owner) {
    struct rt_child *settled;
    do {
        lock();
        settled = take_settled(owner);
        unlock();
        if (settled) free_child(settled);
    } while (settled);
    lock();
    for (struct rt_child *child = realms.first; child; child = child->next) {
        if (child->owner != owner) continue;
        child->owner = NULL;
        stop(child);
    }
    unlock();
}

static struct timespec deadline_in(uint64_t ns) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    ns += (uint64_t)at.tv_nsec;
    at.tv_sec += (time_t)(ns / 1000000000u);
    at.tv_nsec = (long)(ns % 1000000000u);
    return at;
}

size_t rt_realms_stop_all(uint64_t patience_ns) {
    struct timespec deadline = deadline_in(patience_ns);
    lock();
    realms.is_closed = true;
    for (struct rt_child *child = realms.first; child; child = child->next)
        stop(child);
    while (realms.live_count > 0 && pthread_cond_timedwait(&realms.ended, &realms.mutex, &deadline) == 0) {
    }
    size_t left = realms.live_count;
    unlock();
    return left;
}
