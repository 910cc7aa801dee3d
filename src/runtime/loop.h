/* loop.h: an event loop: a timer, file descriptors, immediates, and work from other threads.
 *
 * It knows nothing of JavaScript: a Realm hangs its callbacks on it. One turn is: the timer, what was posted, I/O (the
 * only place that waits), then the immediate. It runs while something keeps it alive.
 *
 * A loop has a thread that runs it (rt_loop_run), which sleeps in it; or somebody hosts it and makes its turns one by
 * one (rt_loop_turn), which never wait: he is told when there is something to do.
 *
 * Threads: all functions on the thread that runs the loop, or makes its turn, except those marked otherwise.
 */
#ifndef FINO_RT_LOOP_H
#define FINO_RT_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct epoll_event;
struct rt_loop;

/* A descriptor that is watched. Level-triggered; the loop doesn't own it. Embed it and recover the outer object. */
struct rt_watch {
    int fd;
    uint32_t events; /* EPOLLIN, EPOLLOUT */
    bool unref;      /* does not keep the loop alive */
    void (*on_ready)(struct rt_loop *loop, struct rt_watch *watch, uint32_t events);
    bool is_active;        /* the loop's */
    struct rt_watch *next; /* the loop's: of those that can't be polled and so are always ready */
};

/* Work for the loop's thread. Embed it; it may be posted again once RUN was called. */
struct rt_task {
    void (*run)(struct rt_loop *loop, struct rt_task *task);
    /* Instead of RUN, when the loop is closed before TASK's turn has come. NULL: nothing is to be done then. */
    void (*drop)(struct rt_task *task);
    struct rt_task *next; /* the loop's */
};

/* A loop as somebody on another thread holds it who may outlive it. */
struct rt_poster;

struct rt_loop_hooks {
    void *data;
    /* Of these two, NULL: nobody asks for any. */
    void (*on_timer)(void *data);
    void (*on_immediate)(void *data);
    /* Each turn and after each wake-up: work of the engine's own. May lower *DELAY_NS, the time the loop may sleep
     * (-1: for ever). Returns whether it keeps the loop alive. */
    bool (*on_turn)(void *data, int64_t *delay_ns);
    /* Around a wait that may block; NULL: nothing. */
    void (*before_wait)(void *data);
    void (*after_wait)(void *data);
    /* Of a hosted loop, instead of these two; NULL: the loop has a thread. Any thread: make another turn. */
    void (*wake)(void *data);
};

struct rt_loop {
    struct rt_loop_hooks hooks;
    int poll_fd;                  /* hosted: -1 until something is watched */
    int wake_fd;                  /* hosted: -1 */
    uint64_t timer_ns;            /* when on_timer is due, CLOCK_MONOTONIC; UINT64_MAX: never */
    uint32_t timer_ref_count;     /* how many timers keep the loop alive */
    uint32_t immediate_ref_count; /* how many immediates do */
    bool immediate_requested;
    uint32_t watch_ref_count;           /* watches that keep it alive */
    uint32_t pending_ref_count;         /* work elsewhere that will come back by rt_loop_post: hold and release */
    struct rt_watch *always_ready;      /* regular files and the like, which epoll refuses */
    struct rt_watch *always_ready_next; /* of these, the one whose turn is next */
    struct epoll_event *batch;          /* what the kernel reported and is not yet handled */
    int batch_count;
    struct rt_poster *poster; /* NULL until somebody wants one */
    _Atomic(struct rt_task *) posted;
    atomic_bool wake_pending; /* wake_fd was written and not yet read */
    atomic_bool stop;         /* rt_loop_run returns as soon as it can */
};

/* Returns 0 or a negative errno. HOOKS is copied. */
int rt_loop_init(struct rt_loop *loop, const struct rt_loop_hooks *hooks);
void rt_loop_close(struct rt_loop *loop);
/* The loop's own thread, which won't run it again: drops what is posted, before its owners free the tasks. Who has
 * others post calls it when they no longer do. */
void rt_loop_drop_posted(struct rt_loop *loop);

/* Runs turns until nothing keeps the loop alive or it is stopped. */
void rt_loop_run(struct rt_loop *loop);
bool rt_loop_is_alive(const struct rt_loop *loop);

/* One turn of a hosted loop. Returns: false when nothing keeps it alive or it is stopped. Else *REST_NS_OUT is how long
 * it may rest unless it is woken or its POLL_FD (which may be new) becomes readable: 0 when there is more to do, -1 for
 * ever. */
bool rt_loop_turn(struct rt_loop *loop, int64_t *rest_ns_out);

/* The same: ends rt_loop_run, or all turns, after the callback that runs now. */
void rt_loop_stop(struct rt_loop *loop);
/* Any thread, also, unless it is hosted, a signal handler: the loop makes another turn. */
void rt_loop_wake(struct rt_loop *loop);
/* Any thread: TASK runs on the loop's thread, in the order of posting. It doesn't keep the loop alive by itself. */
void rt_loop_post(struct rt_loop *loop, struct rt_task *task);
/* The loop's own thread: TASK runs in the next turn, which comes without waiting and without a system call. */
void rt_loop_defer(struct rt_loop *loop, struct rt_task *task);

/* Any way to reach LOOP that outlives it; rt_poster_free gives it back. */
struct rt_poster *rt_loop_poster(struct rt_loop *loop);
void rt_poster_free(struct rt_poster *poster);
/* Any thread: as rt_loop_post. Returns false, and has done nothing, when the loop is closed. */
bool rt_poster_post(struct rt_poster *poster, struct rt_task *task);

/* Returns 0 or a negative errno. EVENTS may be changed by calling it again. */
int rt_loop_watch(struct rt_loop *loop, struct rt_watch *watch);
void rt_loop_unwatch(struct rt_loop *loop, struct rt_watch *watch);

/* The one timer: on_timer is called once DELAY_MS from now have passed; negative: never. */
void rt_loop_arm_timer(struct rt_loop *loop, double delay_ms);

/* CLOCK_MONOTONIC. */
uint64_t rt_now_ns(void);

#endif
