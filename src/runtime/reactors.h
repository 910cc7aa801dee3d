/* reactors.h: a few threads that many members (pooled Realms) share, each running for a slice at a time.
 *
 *               wake                 a reactor takes it
 *   RESTING ----------> QUEUED -----------------------> RUNNING ---> gone
 *      ^                  ^                                |
 *      +------------------+--------------------------------+
 *        nothing to do         more to do, or woken meanwhile
 *
 * A resting member costs nothing: no thread, no descriptor unless it watches some, no wake-up before its time. It is
 * woken by rt_reactors_wake, by the time it named, or by its descriptor.
 *
 * Who runs gives way when others wait and its slice is over (rt_reactors_should_yield). Nobody is forced to: where a
 * member computes for ever, or blocks, the others move on to another thread. That is one more reactor as soon as
 * somebody has waited for RT_REACTORS_PATIENCE_NS without any reactor taking anyone, and at once when a member says
 * that it blocks (rt_reactors_block). Reactors beyond one for each processor leave again when they find nothing to do.
 *
 * One more thread, the watcher, waits for times and descriptors, and looks after the queue while somebody is in it.
 *
 * Threads: any. A member runs on one thread at a time, and what it did in one slice is seen in the next.
 */
#ifndef FINO_RT_REACTORS_H
#define FINO_RT_REACTORS_H

#include <stdbool.h>
#include <stdint.h>

#define RT_REACTORS_PATIENCE_NS 20000000u

/* The names of their threads, under which profiles show what isn't any member's. */
#define RT_REACTOR_THREAD_NAME "fino-reactor"
#define RT_WATCHER_THREAD_NAME "fino-watcher"

struct rt_member;

/* What a slice leaves behind. */
struct rt_rest {
    int64_t ns; /* until the next slice, unless it is woken: 0 at once, -1 for ever */
    int fd;     /* an epoll instance that wakes it when it is readable; -1: none. The same in all slices once there */
};

/* Adds a member, queued, as *MEMBER_OUT, which is set before it runs. RUN(DATA) makes a slice; it returns false when
 * the member is gone: then nobody may wake it any more. Returns 0, or a negative errno when there is no thread to be
 * had. */
int rt_reactors_add(bool (*run)(void *data, struct rt_rest *rest_out), void *data, struct rt_member **member_out);

/* Another slice soon. */
void rt_reactors_wake(struct rt_member *member);

/* In a slice that began at BEGAN_NS (CLOCK_MONOTONIC): is it over, and does somebody wait? */
bool rt_reactors_should_yield(uint64_t began_ns);

/* In a slice, around what blocks: somebody else may have the processor, and no reactor less for it. */
void rt_reactors_block(void);
void rt_reactors_unblock(void);

#endif
