/* thread.c: see thread.h. */
#include "runtime/thread.h"

#include <pthread.h>
#include <signal.h>

int rt_thread_start(void *(*run)(void *argument), void *argument, size_t stack_nbytes, const char *name) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    int error = pthread_attr_init(&attributes);
    if (error) return -error;
    pthread_attr_setstacksize(&attributes, stack_nbytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!error && name) pthread_setname_np(thread, name);
    return -error;
}
