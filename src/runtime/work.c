/* work.c: the pool of threads of work.h.
 *
 * Owns: the queue, the threads, and how one that waits for ever (a FIFO whose other end nobody opens) neither holds up
 * the others nor can't be woken. Leaves to its callers what is done on them.
 */

#include "runtime/work.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* That run at once. What they do waits for the disk more than it computes, so this doesn't follow the processors. */
#define RUNNING_MAX 4
/* With those that wait in rt_work_wait, which do nothing but take up memory. */
#define THREADS_MAX 256
/* Deep enough for what runs here and a signal handler on top; only what is touched becomes memory. */
#define STACK_BYTES (512u << 10)
/* A thread that found nothing to do for so long leaves. */
#define IDLE_SECONDS 10

struct rt_work_thread {
    int wake_fd;          /* readable while what it runs is cancelled */
    struct rt_work *work; /* that it runs; NULL: none */
    struct rt_work_thread *next;
};

static struct {
    pthread_mutex_t lock;          /* protects all below, and the pool's fields of all work */
    pthread_cond_t wanted;         /* there is work; idle threads wait for it */
    pthread_cond_t settled;        /* something has ended; rt_work_abandon waits for it */
    struct rt_work *first, **last; /* the queue */
    struct rt_work_thread *threads;
    unsigned queued_count, thread_count, idle_count, waiting_count, name_count;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wanted = PTHREAD_COND_INITIALIZER,
    .settled = PTHREAD_COND_INITIALIZER,
    .last = &pool.first,
};

/* ---- Threads ---- */

static struct rt_work *take_first(void) {
    struct rt_work *work = pool.first;
    if (!work) return NULL;
    pool.first = work->next;
    pool.queued_count--;
    if (!pool.first) pool.last = &pool.first;
    return work;
}

/* Threads in rt_work_wait don't count. */
static bool may_run_another(void) {
    return pool.thread_count - pool.waiting_count < RUNNING_MAX;
}

/* With the lock. Waits for work; NULL: none came for long. */
static struct rt_work *next_work(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += IDLE_SECONDS;
    for (;;) {
        struct rt_work *work = take_first();
        if (work) return work;
        pool.idle_count++;
        int error = pthread_cond_clockwait(&pool.wanted, &pool.lock, CLOCK_MONOTONIC, &until);
        pool.idle_count--;
        if (error == ETIMEDOUT) return take_first();
    }
}

static void clear_wake(struct rt_work_thread *thread) {
    uint64_t count;
    (void)!read(thread->wake_fd, &count, sizeof count);
}

/* With the lock, which is free while the work runs. */
static void run_one(struct rt_work_thread *thread, struct rt_work *work) {
    struct rt_loop *loop = work->loop;
    thread->work = work;
    work->thread = thread;
    pthread_mutex_unlock(&pool.lock);
    if (!atomic_load(&work->cancelled)) work->run(work);
    pthread_mutex_lock(&pool.lock);
    thread->work = NULL;
    work->thread = NULL;
    if (atomic_load(&work->cancelled)) clear_wake(thread);
    rt_loop_post(loop, &work->task); /* with the lock: whoever abandons the loop closes it only afterwards */
    pthread_cond_broadcast(&pool.settled);
}

static void forget_thread(struct rt_work_thread *thread) {
    struct rt_work_thread **link = &pool.threads;
    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
    pool.thread_count--;
    close(thread->wake_fd);
    free(thread);
}

static void *thread_main(void *argument) {
    struct rt_work_thread *thread = argument;
    struct rt_work *work;
    pthread_mutex_lock(&pool.lock);
    while ((work = next_work()))
        run_one(thread, work);
    forget_thread(thread);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* With the lock. Returns 0 or an errno. */
static int start_thread(void) {
    struct rt_work_thread *thread = calloc(1, sizeof *thread);
    pthread_attr_t attributes;
    pthread_t id;
    char name[16];
    int error = ENOMEM;
    if (!thread) return ENOMEM;
    thread->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (thread->wake_fd < 0) {
        error = errno;
        goto fail_thread;
    }
    if (pthread_attr_init(&attributes) != 0) goto fail_wake;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    error = pthread_create(&id, &attributes, thread_main, thread);
    pthread_attr_destroy(&attributes);
    if (error) goto fail_wake;
    snprintf(name, sizeof name, RT_WORK_THREAD_NAME "-%u", ++pool.name_count % 1000);
    pthread_setname_np(id, name); /* it can't be gone: it needs the lock first */
    thread->next = pool.threads;
    pool.threads = thread;
    pool.thread_count++;
    return 0;
fail_wake:
    close(thread->wake_fd);
fail_thread:
    free(thread);
    return error;
}

/* With the lock, after work came or a thread began to wait: somebody is to take what is queued. Without any thread and
 * without the means for one, the program can't go on. */
static void see_to_queue(void) {
    if (pool.queued_count == 0) return;
    if (pool.idle_count > 0) pthread_cond_signal(&pool.wanted);
    if (pool.idle_count >= pool.queued_count || !may_run_another() || pool.thread_count == THREADS_MAX) return;
    int error = start_thread();
    if (error && pool.thread_count == 0) {
        errno = error;
        perror("fino: cannot start a thread for blocking calls");
        abort();
    }
}

/* ---- Work ---- */

static void finish(struct rt_loop *loop, struct rt_task *task) {
    struct rt_work *work = (struct rt_work *)task;
    loop->pending_ref_count--;
    work->done(loop, work);
}

void rt_work_submit(struct rt_loop *loop, struct rt_work *work) {
    work->task.run = finish;
    work->loop = loop;
    work->next = NULL;
    work->thread = NULL;
    atomic_store(&work->cancelled, false);
    loop->pending_ref_count++;
    pthread_mutex_lock(&pool.lock);
    *pool.last = work;
    pool.last = &work->next;
    pool.queued_count++;
    see_to_queue();
    pthread_mutex_unlock(&pool.lock);
}

/* With the lock. */
static void wake_running(struct rt_work_thread *thread) {
    uint64_t one = 1;
    (void)!write(thread->wake_fd, &one, sizeof one);
}

void rt_work_cancel(struct rt_work *work) {
    pthread_mutex_lock(&pool.lock);
    if (!atomic_exchange(&work->cancelled, true) && work->thread) wake_running(work->thread);
    pthread_mutex_unlock(&pool.lock);
}

bool rt_work_is_cancelled(struct rt_work *work) {
    return atomic_load_explicit(&work->cancelled, memory_order_relaxed);
}

static void note_waiting(int change) {
    pthread_mutex_lock(&pool.lock);
    pool.waiting_count += (unsigned)change;
    if (change > 0) see_to_queue();
    pthread_mutex_unlock(&pool.lock);
}

int rt_work_wait(struct rt_work *work, int fd, short events, int timeout_ms) {
    struct pollfd polled[] = {{.fd = work->thread->wake_fd, .events = POLLIN}, {.fd = fd, .events = events}};
    note_waiting(1);
    int ready = poll(polled, 2, timeout_ms); /* interrupted: as if it were ready, the caller tries and comes back */
    int error = ready < 0 && errno != EINTR ? -errno : 0;
    note_waiting(-1);
    return rt_work_is_cancelled(work) ? -ECANCELED : error;
}

/* With the lock. Cancels all of LOOP's. Returns: how much of it is queued or runs. */
static unsigned cancel_all(struct rt_loop *loop) {
    unsigned count = 0;
    for (struct rt_work *work = pool.first; work; work = work->next) {
        if (work->loop != loop) continue;
        atomic_store(&work->cancelled, true);
        count++;
    }
    for (struct rt_work_thread *thread = pool.threads; thread; thread = thread->next) {
        if (!thread->work || thread->work->loop != loop) continue;
        if (!atomic_exchange(&thread->work->cancelled, true)) wake_running(thread);
        count++;
    }
    return count;
}

void rt_work_abandon(struct rt_loop *loop) {
    pthread_mutex_lock(&pool.lock);
    while (cancel_all(loop) > 0)
        pthread_cond_wait(&pool.settled, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}
