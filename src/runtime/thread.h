/* thread.h: threads that Realms run on, or what serves them. */
#ifndef FINO_RT_THREAD_H
#define FINO_RT_THREAD_H

#include <stddef.h>

/* Starts RUN(ARGUMENT) on a detached thread with a stack of STACK_NBYTES. All signals are blocked there but the
 * sampler's, which unblocks its own: the program's are the main thread's business. NAME (of 15 bytes at most; NULL: it
 * gets none) is set by the caller's thread: whatever RUN does first must then wait for the caller, or the thread may be
 * gone. Returns 0 or a negative errno. */
int rt_thread_start(void *(*run)(void *argument), void *argument, size_t stack_nbytes, const char *name);

#endif
