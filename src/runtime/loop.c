/* loop.c: the event loop, on epoll and an eventfd. What runs in it is the Realm's business (loop.h). */

#include "runtime/loop.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Events taken from the kernel at once: enough that a busy server makes few calls, little enough to stay on the stack
 * and to let timers have their turn. */
#define EVENT_BATCH 128

uint64_t rt_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int open_poll(struct rt_loop *loop) {
    loop->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    return loop->poll_fd < 0 ? -errno : 0;
}

int rt_loop_init(struct rt_loop *loop, const struct rt_loop_hooks *hooks) {
    *loop = (struct rt_loop){.hooks = *hooks, .timer_ns = UINT64_MAX, .poll_fd = -1, .wake_fd = -1};
    if (hooks->wake) return 0;
    if (open_poll(loop) < 0) return -errno;
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = -errno;
    if (loop->wake_fd < 0) goto fail_poll;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = loop}; /* the loop: not a watch */
    if (epoll_ctl(loop->poll_fd, EPOLL_CTL_ADD, loop->wake_fd, &event) < 0) {
        error = -errno;
        goto fail_wake;
    }
    return 0;
fail_wake:
    close(loop->wake_fd);
fail_poll:
    close(loop->poll_fd);
    return error;
}

/* ---- Posters ---- */

struct rt_poster {
    atomic_int reference_count;
    pthread_mutex_t mutex; /* protects LOOP, also over the post */
    struct rt_loop *loop;  /* NULL: closed */
};

struct rt_poster *rt_loop_poster(struct rt_loop *loop) {
    if (!loop->poster) {
        loop->poster = calloc(1, sizeof *loop->poster);
        if (!loop->poster) abort();
        loop->poster->loop = loop;
        pthread_mutex_init(&loop->poster->mutex, NULL);
        atomic_store(&loop->poster->reference_count, 1);
    }
    atomic_fetch_add(&loop->poster->reference_count, 1);
    return loop->poster;
}

void rt_poster_free(struct rt_poster *poster) {
    if (!poster || atomic_fetch_sub(&poster->reference_count, 1) > 1) return;
    pthread_mutex_destroy(&poster->mutex);
    free(poster);
}

bool rt_poster_post(struct rt_poster *poster, struct rt_task *task) {
    pthread_mutex_lock(&poster->mutex);
    bool is_open = poster->loop != NULL;
    if (is_open) rt_loop_post(poster->loop, task);
    pthread_mutex_unlock(&poster->mutex);
    return is_open;
}

static void close_poster(struct rt_loop *loop) {
    if (!loop->poster) return;
    pthread_mutex_lock(&loop->poster->mutex);
    loop->poster->loop = NULL;
    pthread_mutex_unlock(&loop->poster->mutex);
    rt_poster_free(loop->poster);
    loop->poster = NULL;
}

void rt_loop_drop_posted(struct rt_loop *loop) {
    struct rt_task *task = atomic_exchange(&loop->posted, NULL);
    while (task) {
        struct rt_task *next = task->next; /* first: DROP may free it */
        if (task->drop) task->drop(task);
        task = next;
    }
}

void rt_loop_close(struct rt_loop *loop) {
    close_poster(loop);
    rt_loop_drop_posted(loop);
    if (loop->wake_fd >= 0) close(loop->wake_fd);
    if (loop->poll_fd >= 0) close(loop->poll_fd);
}

/* Signal-safe, as rt_loop_wake and rt_loop_stop promise: one atomic, one write. */
void rt_loop_wake(struct rt_loop *loop) {
    if (loop->hooks.wake) {
        loop->hooks.wake(loop->hooks.data);
        return;
    }
    if (atomic_exchange(&loop->wake_pending, true)) return;
    int saved_errno = errno;
    uint64_t one = 1;
    while (write(loop->wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    errno = saved_errno;
}

void rt_loop_stop(struct rt_loop *loop) {
    atomic_store(&loop->stop, true);
    rt_loop_wake(loop);
}

void rt_loop_defer(struct rt_loop *loop, struct rt_task *task) {
    struct rt_task *head = atomic_load(&loop->posted);
    do
        task->next = head;
    while (!atomic_compare_exchange_weak(&loop->posted, &head, task));
}

void rt_loop_post(struct rt_loop *loop, struct rt_task *task) {
    rt_loop_defer(loop, task);
    rt_loop_wake(loop);
}

static void clear_wake(struct rt_loop *loop) {
    uint64_t count;
    while (read(loop->wake_fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
    /* Only now: a wake in between has left its task where the next look finds it. */
    atomic_store(&loop->wake_pending, false);
}

/* Runs what was posted, oldest first. */
static void run_posted(struct rt_loop *loop) {
    struct rt_task *newest = atomic_exchange(&loop->posted, NULL);
    struct rt_task *oldest = NULL;
    while (newest) {
        struct rt_task *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest && !atomic_load(&loop->stop)) {
        struct rt_task *task = oldest;
        oldest = task->next; /* first: RUN may post or free it */
        task->run(loop, task);
    }
    while (oldest) { /* stopped: they go back, for rt_loop_close to drop */
        struct rt_task *task = oldest;
        oldest = task->next;
        rt_loop_defer(loop, task);
    }
}

int rt_loop_watch(struct rt_loop *loop, struct rt_watch *watch) {
    struct epoll_event event = {.events = watch->events, .data.ptr = watch};
    int error = loop->poll_fd < 0 ? open_poll(loop) : 0;
    if (error) return error;
    int operation = watch->is_active ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(loop->poll_fd, operation, watch->fd, &event) < 0) {
        if (errno != EPERM) return -errno;
        if (!watch->is_active) { /* a regular file: never blocks */
            watch->next = loop->always_ready;
            loop->always_ready = watch;
        }
    }
    if (!watch->is_active && !watch->unref) loop->watch_ref_count++;
    watch->is_active = true;
    return 0;
}

/* WATCH may be freed right after this, also by a callback of the same batch of events. */
void rt_loop_unwatch(struct rt_loop *loop, struct rt_watch *watch) {
    if (!watch->is_active) return;
    struct rt_watch **at = &loop->always_ready;
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
    else
        epoll_ctl(loop->poll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    if (loop->always_ready_next == watch) loop->always_ready_next = watch->next;
    for (int i = 0; i < loop->batch_count; i++)
        if (loop->batch[i].data.ptr == watch) loop->batch[i].data.ptr = NULL;
    if (!watch->unref) loop->watch_ref_count--;
    watch->is_active = false;
}

void rt_loop_arm_timer(struct rt_loop *loop, double delay_ms) {
    if (!(delay_ms >= 0)) {
        loop->timer_ns = UINT64_MAX;
        return;
    }
    /* A year is as good as any longer time, and can't overflow. */
    loop->timer_ns = rt_now_ns() + (uint64_t)(fmin(delay_ms, 366.0 * 86400e3) * 1e6);
}

static void run_timer(struct rt_loop *loop) {
    if (loop->timer_ns == UINT64_MAX || rt_now_ns() < loop->timer_ns) return;
    loop->timer_ns = UINT64_MAX;
    loop->hooks.on_timer(loop->hooks.data);
}

/* How long the loop may sleep: 0 when something is ready, -1 for ever. */
static int64_t sleep_ns(const struct rt_loop *loop, int64_t delay_ns) {
    if (loop->immediate_requested || loop->always_ready || atomic_load(&loop->posted)) return 0;
    if (loop->timer_ns != UINT64_MAX) {
        uint64_t now = rt_now_ns();
        int64_t left = loop->timer_ns <= now ? 0 : (int64_t)(loop->timer_ns - now);
        if (delay_ns < 0 || left < delay_ns) delay_ns = left;
    }
    return delay_ns;
}

/* Rounded up: waking early would only mean another turn. */
static int milliseconds(int64_t ns) {
    if (ns < 0) return -1;
    int64_t ms = (ns + 999999) / 1000000;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Takes what is ready, for which it waits so long, and handles it. Returns whether there was any. */
static bool poll_events(struct rt_loop *loop, int timeout_ms) {
    struct epoll_event events[EVENT_BATCH];
    if (timeout_ms != 0 && loop->hooks.before_wait) loop->hooks.before_wait(loop->hooks.data);
    int count = epoll_wait(loop->poll_fd, events, EVENT_BATCH, timeout_ms); /* EINTR: just another turn */
    if (timeout_ms != 0 && loop->hooks.after_wait) loop->hooks.after_wait(loop->hooks.data);
    loop->batch = events;
    loop->batch_count = count < 0 ? 0 : count;
    for (int i = 0; i < loop->batch_count && !atomic_load(&loop->stop); i++) {
        struct rt_watch *watch = events[i].data.ptr;
        if (events[i].data.ptr == loop)
            clear_wake(loop);
        else if (watch)
            watch->on_ready(loop, watch, events[i].events);
    }
    loop->batch_count = 0;
    return count > 0;
}

/* Each of those that are there now once; a callback may remove any of them, and add others in front. */
static void run_always_ready(struct rt_loop *loop) {
    loop->always_ready_next = loop->always_ready;
    while (loop->always_ready_next && !atomic_load(&loop->stop)) {
        struct rt_watch *watch = loop->always_ready_next;
        loop->always_ready_next = watch->next;
        watch->on_ready(loop, watch, watch->events);
    }
}

static void run_immediate(struct rt_loop *loop) {
    if (!loop->immediate_requested) return;
    loop->immediate_requested = false;
    loop->immediate_ref_count = 0;
    loop->hooks.on_immediate(loop->hooks.data);
}

bool rt_loop_is_alive(const struct rt_loop *loop) {
    return loop->timer_ref_count > 0 || loop->immediate_ref_count > 0 || loop->watch_ref_count > 0 ||
           loop->pending_ref_count > 0 || atomic_load(&loop->posted);
}

/* A turn up to where it may wait. Returns: false when nothing keeps the loop alive or it is stopped. */
static bool begin_turn(struct rt_loop *loop, int64_t *delay_ns_out) {
    run_timer(loop);
    run_posted(loop);
    *delay_ns_out = -1;
    bool awaited = loop->hooks.on_turn(loop->hooks.data, delay_ns_out);
    return !atomic_load(&loop->stop) && (rt_loop_is_alive(loop) || awaited);
}

static void end_turn(struct rt_loop *loop) {
    run_always_ready(loop);
    if (!atomic_load(&loop->stop)) run_immediate(loop);
}

void rt_loop_run(struct rt_loop *loop) {
    int64_t delay_ns;
    while (!atomic_load(&loop->stop) && begin_turn(loop, &delay_ns)) {
        poll_events(loop, milliseconds(sleep_ns(loop, delay_ns)));
        end_turn(loop);
    }
}

/* It rests only after a turn in which nothing was done that could keep it alive, or no longer do so. */
bool rt_loop_turn(struct rt_loop *loop, int64_t *rest_ns_out) {
    int64_t delay_ns;
    if (atomic_load(&loop->stop) || !begin_turn(loop, &delay_ns)) return false;
    bool is_busy = loop->immediate_requested || loop->always_ready;
    if (loop->poll_fd >= 0 && poll_events(loop, 0)) is_busy = true;
    end_turn(loop);
    *rest_ns_out = is_busy ? 0 : sleep_ns(loop, delay_ns);
    return true;
}
