/* threads_interpose.c: registers every thread of the process with the sampler from its start to its end.
 *
 * Optional: only programs that link this file get it, the library does without (it scans /proc/self/task). What it
 * adds are the threads too short-lived to be found, whole stacks from the first sample on, and the exact last CPU time.
 * Threads end by returning, pthread_exit or cancellation; a thread-specific destructor of the registry covers all.
 *
 * A definition of pthread_create in the executable comes before libc's for every library of the process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sampler/sampler.h"

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct start {
    void *(*routine)(void *);
    void *argument;
};

static create_function *_Atomic libc_create;

/* At start-up, so that no dlsym happens on a thread's way to another. Earlier constructors may create threads too. */
static create_function *find_libc_create(void) {
    create_function *found = atomic_load_explicit(&libc_create, memory_order_acquire);
    if (!found) {
        found = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
        atomic_store_explicit(&libc_create, found, memory_order_release);
    }
    return found;
}

__attribute__((constructor)) static void find_early(void) {
    find_libc_create();
}

static void *run(void *memory) {
    struct start start = *(struct start *)memory;
    free(memory);
    fino_sampler_thread_register(NULL);
    return start.routine(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attributes,
                                                          void *(*routine)(void *), void *restrict argument) {
    create_function *create = find_libc_create();
    struct start *start = create ? malloc(sizeof *start) : NULL;
    if (!start) return EAGAIN;
    *start = (struct start){routine, argument};
    int error = create(thread, attributes, run, start);
    if (error != 0) free(start);
    return error;
}
