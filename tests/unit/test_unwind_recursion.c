/* A signal in the middle of a deep recursion through qsort's callbacks: every frame is found, in order, down to the
 * thread's start, on the main thread and on another one. */
#include <signal.h>

#include "../test.h"
#include "sampler/unwind.h"
#include "unwind_walk.h"

static struct walk walk;
static struct sampler_stack_bounds bounds;

static void on_signal(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    walk_ucontext(&walk, ucontext, &bounds);
}

static int depth_left;

__attribute__((noinline)) static int descend(void);

__attribute__((noinline)) static int compare(const void *left, const void *right) {
    return descend() + (*(const int *)left > *(const int *)right);
}

__attribute__((noinline)) static int descend(void) {
    int values[2] = {2, 1};
    if (depth_left < 0) return 0; /* on the way back */
    if (depth_left-- == 0) raise(SIGPROF);
    if (depth_left >= 0) qsort(values, 2, sizeof values[0], compare);
    return values[0] == 0;
}

static void check(size_t depth, const char *root) {
    depth_left = (int)depth;
    bounds = walk_bounds();
    descend();
    size_t at = 0;
    for (size_t i = 0; i < depth; i++) {
        size_t caller = walk_find(&walk, "descend", at);
        size_t callee = walk_find(&walk, "compare", caller);
        EXPECT(callee < walk.count);
        /* The C library's sort in between, whatever it calls its functions. */
        at = walk_find(&walk, "descend", callee);
        EXPECT(at > callee + 1 && at < walk.count);
    }
    if (walk.end != SAMPLER_UNWIND_END) walk_print(&walk);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    EXPECT(walk_find(&walk, root, at) < walk.count);
    for (size_t i = 1; i < walk.count; i++)
        EXPECT(walk.sps[i] > walk.sps[i - 1]);
}

static void *run(void *unused) {
    (void)unused;
    check(20, "run");
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_t thread;
    EXPECT_EQ(sampler_maps_refresh(), 0);
    EXPECT_EQ(sigaction(SIGPROF, &action, NULL), 0);
    check(200, "main");
    EXPECT_EQ(pthread_create(&thread, NULL, run, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}
