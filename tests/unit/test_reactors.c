/* Reactors: a member runs on one thread at a time and sees what it did before, is woken by others, by its time and by
 * its descriptor, and none is held up by members that compute for ever or block. */
// SOURCES: src/runtime/reactors.c src/runtime/thread.c src/runtime/loop.c src/runtime/resolve.c
// SOURCES: src/runtime/tsconfig.c src/runtime/jsonc.c src/runtime/utf8.c src/runtime/whole_file.c
// SOURCES: src/runtime/resolve_package.c src/runtime/packages.c src/runtime/node_names.c
#include "runtime/reactors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "runtime/loop.h"

struct toy {
    struct rt_member *member;
    atomic_bool is_running, is_over, ends;
    _Atomic unsigned slices;
    unsigned long plain; /* not atomic: the sanitizers see whether slices follow each other */
    int64_t rest_ns;
    int fd; /* its epoll instance */
    void (*work)(struct toy *toy);
};

static bool run(void *data, struct rt_rest *rest_out) {
    struct toy *toy = data;
    EXPECT(!atomic_exchange(&toy->is_running, true));
    toy->plain++;
    if (toy->work) toy->work(toy);
    *rest_out = (struct rt_rest){.ns = toy->rest_ns, .fd = toy->fd};
    bool goes_on = !atomic_load(&toy->ends);
    atomic_store(&toy->is_running, false);
    atomic_fetch_add(&toy->slices, 1);
    if (!goes_on) atomic_store(&toy->is_over, true);
    return goes_on;
}

static struct toy *add(int64_t rest_ns, void (*work)(struct toy *toy)) {
    struct toy *toy = calloc(1, sizeof *toy);
    toy->rest_ns = rest_ns;
    toy->fd = -1;
    toy->work = work;
    EXPECT_EQ(rt_reactors_add(run, toy, &toy->member), 0);
    return toy;
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Waits as long as it takes; the runner's limit is the only one. */
static void until_slices(const struct toy *toy, unsigned count) {
    while (atomic_load(&toy->slices) < count)
        nap();
}

/* Who rests for ever must be woken to end; who doesn't may be gone by then. */
static void end(struct toy *toy) {
    atomic_store(&toy->ends, true);
    if (toy->rest_ns < 0) rt_reactors_wake(toy->member);
    while (!atomic_load(&toy->is_over))
        nap();
    free(toy);
}

static void rests_until_woken(void) {
    struct toy *toy = add(-1, NULL);
    until_slices(toy, 1);
    for (int i = 0; i < 20; i++)
        nap();
    EXPECT_EQ(atomic_load(&toy->slices), 1);
    for (unsigned i = 2; i < 1000; i++) {
        rt_reactors_wake(toy->member);
        until_slices(toy, i);
    }
    end(toy);
}

/* However often, and wherever it is at that moment: after the last wake there is a slice. */
static void *wake_often(void *data) {
    for (int i = 0; i < 20000; i++)
        rt_reactors_wake(((struct toy *)data)->member);
    return NULL;
}

static void loses_no_wake(void) {
    struct toy *toy = add(-1, NULL);
    pthread_t wakers[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&wakers[i], NULL, wake_often, toy);
    for (int i = 0; i < 3; i++)
        pthread_join(wakers[i], NULL);
    unsigned before = atomic_load(&toy->slices);
    rt_reactors_wake(toy->member);
    until_slices(toy, before + 1);
    while (atomic_load(&toy->is_running))
        nap();
    EXPECT(toy->slices <= 60002);
    end(toy);
}

static void is_woken_in_time(void) {
    struct toy *toys[50];
    uint64_t began_ns = rt_now_ns();
    for (int i = 0; i < 50; i++)
        toys[i] = add((50 - i) * 1000000, NULL);
    for (int i = 0; i < 50; i++)
        until_slices(toys[i], 2);
    EXPECT(rt_now_ns() - began_ns >= 50000000);
    for (int i = 0; i < 50; i++)
        end(toys[i]);
}

/* Its descriptor stays readable until it takes what is there: it is told again, each time it rests. */
static void read_one(struct toy *toy) {
    struct epoll_event event;
    uint64_t value;
    if (epoll_wait(toy->fd, &event, 1, 0) == 1) EXPECT_EQ(read(event.data.fd, &value, sizeof value), sizeof value);
}

static void is_woken_by_its_descriptor(void) {
    struct toy *toy = calloc(1, sizeof *toy);
    int source = eventfd(0, EFD_SEMAPHORE);
    toy->fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = source};
    epoll_ctl(toy->fd, EPOLL_CTL_ADD, source, &event);
    toy->rest_ns = -1;
    toy->work = read_one;
    EXPECT_EQ(rt_reactors_add(run, toy, &toy->member), 0);
    until_slices(toy, 1);
    uint64_t five = 5;
    EXPECT_EQ(write(source, &five, sizeof five), sizeof five);
    until_slices(toy, 6);
    int fd = toy->fd;
    end(toy);
    close(fd);
    close(source);
}

/* More of them than there can be usual reactors. */
static atomic_bool released;

static void compute(struct toy *toy) {
    (void)toy;
    while (!atomic_load(&released)) {
    }
}

static void block(struct toy *toy) {
    (void)toy;
    rt_reactors_block();
    while (!atomic_load(&released))
        nap();
    rt_reactors_unblock();
}

static void others_move_on(void (*hold)(struct toy *toy)) {
    struct toy *held[12];
    atomic_store(&released, false);
    for (int i = 0; i < 12; i++)
        held[i] = add(-1, hold);
    struct toy *other = add(0, NULL);
    until_slices(other, 3);
    for (int i = 0; i < 12; i++)
        EXPECT_EQ(atomic_load(&held[i]->slices), 0);
    end(other);
    atomic_store(&released, true);
    for (int i = 0; i < 12; i++) {
        until_slices(held[i], 1);
        end(held[i]);
    }
}

/* Who always has more to do gives way: all of them get on. */
static void spin(struct toy *toy) {
    (void)toy;
    for (uint64_t began_ns = rt_now_ns(); !rt_reactors_should_yield(began_ns) && rt_now_ns() - began_ns < 100000000;) {
    }
}

static void slices_are_fair(void) {
    struct toy *toys[20];
    for (int i = 0; i < 20; i++)
        toys[i] = add(0, spin);
    for (int i = 0; i < 20; i++)
        until_slices(toys[i], 5);
    for (int i = 0; i < 20; i++)
        end(toys[i]);
}

int main(void) {
    rests_until_woken();
    loses_no_wake();
    is_woken_in_time();
    is_woken_by_its_descriptor();
    others_move_on(compute);
    others_move_on(block);
    slices_are_fair();
    return 0;
}
