/* deadlines.h: many points in time of which most are never reached, on one timer of the kernel's.
 *
 * A binary heap orders them. Who moves a deadline further away again and again need not tell: leave it where it is, and
 * move it when it is due after all. That is what makes a timeout per connection free for busy connections, and waiting
 * ones cause no wake-up before the first of them is due.
 *
 * Threads: the loop's.
 */
#ifndef FINO_RT_DEADLINES_H
#define FINO_RT_DEADLINES_H

#include <stdint.h>

#include "runtime/loop.h"

/* Embed it, zeroed. */
struct rt_deadline {
    uint64_t at_ns; /* CLOCK_MONOTONIC */
    uint32_t place; /* in the heap, from 1; 0: not set */
};

struct rt_deadlines {
    struct rt_watch watch; /* first: recovered by a cast */
    struct rt_loop *loop;
    struct rt_deadline **heap;
    uint32_t count, capacity;
    uint64_t armed_ns; /* what the kernel's timer is set to; UINT64_MAX: nothing */
    /* DEADLINE is due: it is set anew or cleared by this, or called for again at once. */
    void (*on_due)(struct rt_deadlines *deadlines, struct rt_deadline *deadline);
};

/* Returns 0 or a negative errno. Waiting deadlines don't keep the loop alive. */
int rt_deadlines_init(struct rt_deadlines *deadlines, struct rt_loop *loop,
                      void (*on_due)(struct rt_deadlines *deadlines, struct rt_deadline *deadline));
void rt_deadlines_close(struct rt_deadlines *deadlines);

void rt_deadline_set(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint64_t at_ns);
void rt_deadline_clear(struct rt_deadlines *deadlines, struct rt_deadline *deadline);

#endif
