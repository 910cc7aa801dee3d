/* reactors.c: see reactors.h. Owns the queue, the reactors, the watcher and its heap of times. What a member does in a
 * slice is its own business.
 */
#include "runtime/reactors.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/loop.h"
#include "runtime/resolve.h"
#include "runtime/thread.h"
#include "sampler/sampler.h"

/* Of a reactor, for JavaScript; address space, mostly. */
#define STACK_BYTES (8u << 20)
/* Deep enough for what runs here and a signal handler on top. */
#define WATCHER_STACK_BYTES (512u << 10)
/* Long enough that changing over doesn't show, short enough that two dozen busy Realms are not seen to stutter. */
#define SLICE_NS 4000000u
/* A reactor beyond the usual number that found nothing to do for so long leaves. */
#define SURPLUS_IDLE_SECONDS 2
/* Each can be held by a member that computes for ever or blocks. */
#define REACTORS_MAX 4096
#define EVENT_BATCH 64

enum member_state { RESTING, QUEUED, RUNNING };

struct rt_member {
    struct rt_member *next; /* in the queue, or of those that are gone */
    bool (*run)(void *data, struct rt_rest *rest_out);
    void *data;
    enum member_state state;
    bool is_woken;     /* while it was RUNNING */
    uint64_t wake_ns;  /* CLOCK_MONOTONIC */
    size_t heap_place; /* from 1; 0: there is no time to wake it at */
    int fd;            /* known to the watcher; -1: none */
};

static struct {
    pthread_mutex_t mutex; /* protects all below but for the constant descriptors */
    pthread_cond_t wanted; /* somebody is queued; idle reactors wait for it */
    struct rt_member *first, **last;
    struct rt_member *gone;  /* whose descriptor the watcher may just have heard of */
    struct rt_member **heap; /* the members that wake at some time, the first of them at [0] */
    size_t heap_count, heap_capacity;
    _Atomic unsigned queued_count; /* also read without the lock */
    unsigned reactor_count, idle_count, blocked_count;
    unsigned usual_count; /* constant */
    uint64_t taken_count; /* from the queue, ever */
    uint64_t watched_ns;  /* when the watcher looks next; UINT64_MAX: it waits for ever; 0: it is awake */
    int poll_fd, wake_fd; /* the watcher's; constant */
    int error;            /* of starting all this */
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .last = &pool.first, .poll_fd = -1, .wake_fd = -1};

static void lock(void) {
    pthread_mutex_lock(&pool.mutex);
}

static void unlock(void) {
    pthread_mutex_unlock(&pool.mutex);
}

/* ---- Times, locked ---- */

static void put(struct rt_member *member, size_t place) {
    pool.heap[place - 1] = member;
    member->heap_place = place;
}

static struct rt_member *at(size_t place) {
    return pool.heap[place - 1];
}

static void sift(struct rt_member *member, size_t place) {
    for (; place > 1 && at(place / 2)->wake_ns > member->wake_ns; place /= 2)
        put(at(place / 2), place);
    while (place * 2 <= pool.heap_count) {
        size_t child = place * 2;
        if (child < pool.heap_count && at(child + 1)->wake_ns < at(child)->wake_ns) child++;
        if (at(child)->wake_ns >= member->wake_ns) break;
        put(at(child), place);
        place = child;
    }
    put(member, place);
}

static void clear_time(struct rt_member *member) {
    size_t place = member->heap_place;
    if (place == 0) return;
    struct rt_member *last = at(pool.heap_count--);
    member->heap_place = 0;
    if (last != member) sift(last, place);
}

static void set_time(struct rt_member *member, uint64_t wake_ns) {
    if (pool.heap_count == pool.heap_capacity) {
        pool.heap_capacity = pool.heap_capacity ? pool.heap_capacity * 2 : 64;
        pool.heap = rt_must(realloc(pool.heap, pool.heap_capacity * sizeof(struct rt_member *)));
    }
    member->wake_ns = wake_ns;
    sift(member, ++pool.heap_count);
}

/* ---- The queue, locked ---- */

static int start_reactor(void);

/* The watcher is to look again by AT_NS. */
static void want_watch(uint64_t at_ns) {
    uint64_t one = 1;
    if (pool.watched_ns <= at_ns) return;
    pool.watched_ns = at_ns;
    (void)!write(pool.wake_fd, &one, sizeof one);
}

/* Somebody was queued, or a reactor blocks: an idle reactor, a new one up to the usual number, or the watcher sees to
 * it. */
static void see_to_queue(void) {
    if (pool.queued_count == 0) return;
    if (pool.idle_count > 0) pthread_cond_signal(&pool.wanted);
    if (pool.idle_count >= pool.queued_count) return;
    if (pool.reactor_count - pool.blocked_count < pool.usual_count && start_reactor() == 0) return;
    want_watch(rt_now_ns() + RT_REACTORS_PATIENCE_NS);
}

static void enqueue(struct rt_member *member) {
    clear_time(member);
    member->state = QUEUED;
    member->next = NULL;
    *pool.last = member;
    pool.last = &member->next;
    pool.queued_count++;
}

static void wake(struct rt_member *member) {
    if (member->state == RUNNING) member->is_woken = true;
    if (member->state != RESTING) return;
    enqueue(member);
    see_to_queue();
}

static struct rt_member *take_first(void) {
    struct rt_member *member = pool.first;
    if (!member) return NULL;
    pool.first = member->next;
    if (!pool.first) pool.last = &pool.first;
    pool.queued_count--;
    pool.taken_count++;
    return member;
}

/* ---- Reactors ---- */

static bool is_surplus(void) {
    return pool.reactor_count - pool.blocked_count > pool.usual_count;
}

/* Locked. Waits for a member; NULL: none came for long, and there are enough reactors without this one. */
static struct rt_member *next_member(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += SURPLUS_IDLE_SECONDS;
    for (;;) {
        struct rt_member *member = take_first();
        if (member) return member;
        int error = 0;
        pool.idle_count++;
        fino_sampler_thread_park(fino_sampler_thread_self());
        if (is_surplus())
            error = pthread_cond_clockwait(&pool.wanted, &pool.mutex, CLOCK_MONOTONIC, &until);
        else
            pthread_cond_wait(&pool.wanted, &pool.mutex);
        fino_sampler_thread_unpark(fino_sampler_thread_self());
        pool.idle_count--;
        if (error == ETIMEDOUT && is_surplus()) return take_first();
    }
}

/* The watcher hears of the next time FD is readable, once. */
static void watch_fd(struct rt_member *member, int fd) {
    if (fd < 0) return;
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = member};
    if (epoll_ctl(pool.poll_fd, member->fd < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) < 0) {
        perror("fino: cannot watch a Realm's descriptors");
        abort();
    }
    member->fd = fd;
}

/* Locked, after a slice. */
static void settle(struct rt_member *member, const struct rt_rest *rest) {
    if (member->is_woken || rest->ns == 0) {
        enqueue(member);
        return;
    }
    member->state = RESTING;
    if (rest->ns < 0) return;
    set_time(member, rt_now_ns() + (uint64_t)rest->ns);
    want_watch(at(1)->wake_ns);
}

/* Locked; the lock is free while the member runs. */
static void run_one(struct rt_member *member) {
    struct rt_rest rest = {.ns = -1, .fd = -1};
    member->state = RUNNING;
    member->is_woken = false;
    unlock();
    bool goes_on = member->run(member->data, &rest);
    if (goes_on && rest.ns != 0) watch_fd(member, rest.fd);
    lock();
    if (goes_on) {
        settle(member, &rest);
    } else if (member->fd < 0) {
        free(member);
    } else {
        member->next = pool.gone;
        pool.gone = member;
        want_watch(rt_now_ns());
    }
}

static void *run_reactor(void *unused) {
    struct rt_member *member;
    (void)unused;
    fino_sampler_thread_register(NULL);
    lock();
    while ((member = next_member()))
        run_one(member);
    pool.reactor_count--;
    unlock();
    return NULL;
}

/* Locked: so the new thread, which takes the lock first, can't be gone before it has its name. */
static int start_reactor(void) {
    if (pool.reactor_count == REACTORS_MAX) return -EAGAIN;
    int error = rt_thread_start(run_reactor, NULL, STACK_BYTES, RT_REACTOR_THREAD_NAME);
    if (error) return error;
    pool.reactor_count++;
    return 0;
}

/* ---- The watcher ---- */

/* Locked. The descriptors of these were closed before they came here: what the watcher hears from now on isn't theirs.
 */
static void free_gone(void) {
    while (pool.gone) {
        struct rt_member *member = pool.gone;
        pool.gone = member->next;
        free(member);
    }
}

static void wake_due(uint64_t now_ns) {
    while (pool.heap_count > 0 && at(1)->wake_ns <= now_ns)
        wake(at(1));
}

/* How often anybody was taken, as of some time: if that stays so while somebody waits, all reactors are held. */
struct progress {
    uint64_t taken_count, since_ns;
};

static void look_after_queue(struct progress *progress, uint64_t now_ns) {
    bool goes_on = pool.queued_count == 0 || pool.idle_count > 0 || progress->taken_count != pool.taken_count;
    if (!goes_on && now_ns < progress->since_ns + RT_REACTORS_PATIENCE_NS) return;
    if (!goes_on) start_reactor(); /* if there is none to be had, the next look tries again */
    *progress = (struct progress){pool.taken_count, now_ns};
}

static int timeout_ms(uint64_t now_ns) {
    if (pool.watched_ns == UINT64_MAX) return -1;
    if (pool.watched_ns <= now_ns) return 0;
    uint64_t ms = (pool.watched_ns - now_ns + 999999) / 1000000;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Locked: how long the watcher may sleep. */
static int plan_watch(const struct progress *progress, uint64_t now_ns) {
    uint64_t next_ns = pool.heap_count > 0 ? at(1)->wake_ns : UINT64_MAX;
    uint64_t look_ns = progress->since_ns + RT_REACTORS_PATIENCE_NS;
    if (pool.queued_count > 0 && look_ns < next_ns) next_ns = look_ns;
    pool.watched_ns = next_ns;
    return timeout_ms(now_ns);
}

static void *watch(void *unused) {
    struct epoll_event events[EVENT_BATCH];
    struct progress progress = {0, 0};
    (void)unused;
    lock();
    for (;;) {
        uint64_t now_ns = rt_now_ns(), rings;
        free_gone();
        wake_due(now_ns);
        look_after_queue(&progress, now_ns);
        int timeout = plan_watch(&progress, now_ns);
        unlock();
        int count = epoll_wait(pool.poll_fd, events, EVENT_BATCH, timeout);
        lock();
        pool.watched_ns = 0;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr)
                wake(events[i].data.ptr);
            else
                (void)!read(pool.wake_fd, &rings, sizeof rings);
        }
    }
    return NULL;
}

/* ---- The start ---- */

static void start_watcher(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    pool.usual_count = processors < 1 ? 1 : (unsigned)processors;
    pool.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    pool.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pool.poll_fd < 0 || pool.wake_fd < 0 || epoll_ctl(pool.poll_fd, EPOLL_CTL_ADD, pool.wake_fd, &event) < 0)
        pool.error = -errno;
    lock();
    if (!pool.error) pool.error = rt_thread_start(watch, NULL, WATCHER_STACK_BYTES, RT_WATCHER_THREAD_NAME);
    unlock();
}

int rt_reactors_add(bool (*run)(void *data, struct rt_rest *rest_out), void *data, struct rt_member **member_out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_watcher);
    struct rt_member *member = rt_must(calloc(1, sizeof *member));
    *member = (struct rt_member){.run = run, .data = data, .fd = -1};
    lock();
    int error = pool.error;
    if (!error && pool.reactor_count == 0) error = start_reactor();
    if (!error) {
        *member_out = member;
        enqueue(member);
        see_to_queue();
    }
    unlock();
    if (error) free(member);
    return error;
}

void rt_reactors_wake(struct rt_member *member) {
    lock();
    wake(member);
    unlock();
}

/* ---- In a slice ---- */

bool rt_reactors_should_yield(uint64_t began_ns) {
    return atomic_load_explicit(&pool.queued_count, memory_order_relaxed) > 0 && rt_now_ns() - began_ns >= SLICE_NS;
}

void rt_reactors_block(void) {
    lock();
    pool.blocked_count++;
    see_to_queue();
    unlock();
}

void rt_reactors_unblock(void) {
    lock();
    pool.blocked_count--;
    unlock();
}
