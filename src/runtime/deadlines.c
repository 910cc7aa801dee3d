/* deadlines.c: a binary heap of deadlines and the timerfd that wakes the loop for the first of them. */

#include "runtime/deadlines.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void put(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint32_t place) {
    deadlines->heap[place - 1] = deadline;
    deadline->place = place;
}

static struct rt_deadline *at(const struct rt_deadlines *deadlines, uint32_t place) {
    return deadlines->heap[place - 1];
}

static void sift_up(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint32_t place) {
    for (; place > 1 && at(deadlines, place / 2)->at_ns > deadline->at_ns; place /= 2)
        put(deadlines, at(deadlines, place / 2), place);
    put(deadlines, deadline, place);
}

static void sift_down(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint32_t place) {
    while (place * 2 <= deadlines->count) {
        uint32_t child = place * 2;
        if (child < deadlines->count && at(deadlines, child + 1)->at_ns < at(deadlines, child)->at_ns) child++;
        if (at(deadlines, child)->at_ns >= deadline->at_ns) break;
        put(deadlines, at(deadlines, child), place);
        place = child;
    }
    put(deadlines, deadline, place);
}

static void sift(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint32_t place) {
    if (place > 1 && at(deadlines, place / 2)->at_ns > deadline->at_ns)
        sift_up(deadlines, deadline, place);
    else
        sift_down(deadlines, deadline, place);
}

/* Only ever earlier: a timer that rings too early is set anew then, which is less work than following every change. */
static void arm(struct rt_deadlines *deadlines) {
    if (deadlines->count == 0 || at(deadlines, 1)->at_ns >= deadlines->armed_ns) return;
    uint64_t ns = deadlines->armed_ns = at(deadlines, 1)->at_ns;
    if (ns == 0) ns = 1; /* 0 would disarm it */
    struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    timerfd_settime(deadlines->watch.fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void on_ready(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    (void)loop, (void)events;
    struct rt_deadlines *deadlines = (struct rt_deadlines *)watch;
    uint64_t rings;
    if (read(watch->fd, &rings, sizeof rings) < 0) return; /* it was set anew meanwhile */
    deadlines->armed_ns = UINT64_MAX;
    uint64_t now_ns = rt_now_ns();
    while (deadlines->count > 0 && at(deadlines, 1)->at_ns <= now_ns)
        deadlines->on_due(deadlines, at(deadlines, 1));
    arm(deadlines);
}

int rt_deadlines_init(struct rt_deadlines *deadlines, struct rt_loop *loop,
                      void (*on_due)(struct rt_deadlines *deadlines, struct rt_deadline *deadline)) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -errno;
    *deadlines = (struct rt_deadlines){
        .watch = {.fd = fd, .events = EPOLLIN, .unref = true, .on_ready = on_ready},
        .loop = loop,
        .armed_ns = UINT64_MAX,
        .on_due = on_due,
    };
    int error = rt_loop_watch(loop, &deadlines->watch);
    if (error) close(fd);
    return error;
}

void rt_deadlines_close(struct rt_deadlines *deadlines) {
    rt_loop_unwatch(deadlines->loop, &deadlines->watch);
    close(deadlines->watch.fd);
    free(deadlines->heap);
}

static void grow(struct rt_deadlines *deadlines) {
    uint32_t capacity = deadlines->capacity ? deadlines->capacity * 2 : 64;
    struct rt_deadline **grown = realloc(deadlines->heap, capacity * sizeof *grown);
    if (!grown) abort();
    deadlines->heap = grown;
    deadlines->capacity = capacity;
}

void rt_deadline_set(struct rt_deadlines *deadlines, struct rt_deadline *deadline, uint64_t at_ns) {
    deadline->at_ns = at_ns;
    if (deadline->place == 0) {
        if (deadlines->count == deadlines->capacity) grow(deadlines);
        sift_up(deadlines, deadline, ++deadlines->count);
    } else {
        sift(deadlines, deadline, deadline->place);
    }
    arm(deadlines);
}

void rt_deadline_clear(struct rt_deadlines *deadlines, struct rt_deadline *deadline) {
    if (deadline->place == 0) return;
    uint32_t place = deadline->place;
    struct rt_deadline *last = at(deadlines, deadlines->count--);
    deadline->place = 0;
    if (last != deadline) sift(deadlines, last, place);
}
