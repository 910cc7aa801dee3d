/* work.h: blocking calls off the event loop: a pool of threads that all Realms of the process share.
 *
 * A thread begins only when there is work and no thread waits for any; one that waited for long leaves. Waiting takes
 * no CPU time. Their names begin with RT_WORK_THREAD_NAME, under which profiles show them.
 *
 * Threads: a piece of work belongs to its loop's thread, but for what is said of RUN.
 */
#ifndef FINO_RT_WORK_H
#define FINO_RT_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/loop.h"

#define RT_WORK_THREAD_NAME "fino-work"

struct rt_work_thread;

/* Embed it, zeroed but for RUN and DONE. It may be submitted again once DONE was called. */
struct rt_work {
    struct rt_task task; /* the pool's */
    /* On a thread of the pool. Neither JavaScript nor V8 is there. */
    void (*run)(struct rt_work *work);
    /* On the loop's thread, once, whether RUN was called or the work cancelled before. May free the work. */
    void (*done)(struct rt_loop *loop, struct rt_work *work);

    /* The pool's. */
    struct rt_loop *loop;
    struct rt_work *next;
    struct rt_work_thread *thread; /* that runs it; under the pool's lock */
    atomic_bool cancelled;
};

/* Keeps the loop alive until DONE was called. */
void rt_work_submit(struct rt_loop *loop, struct rt_work *work);

/* RUN is not to begin any more or, if it has begun, learns from the two functions below that it should end. */
void rt_work_cancel(struct rt_work *work);

/* Within RUN. */
bool rt_work_is_cancelled(struct rt_work *work);
/* Within RUN: waits, without keeping a thread from others' work, until FD is ready for EVENTS (as for poll; -1: just
 * waits) or so many milliseconds have passed (-1: for ever). Returns 0, -ECANCELED or another negative errno. */
int rt_work_wait(struct rt_work *work, int fd, short events, int timeout_ms);

/* Before a loop is closed: cancels all of its work and waits until none of it runs. DONE is called for none. */
void rt_work_abandon(struct rt_loop *loop);

#endif
