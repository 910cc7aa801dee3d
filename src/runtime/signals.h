/* signals.h: which signals end the process, and which go to JavaScript.
 *
 * Process-wide, for the main Realm. Without a recording and without handlers in JavaScript every signal keeps its
 * default action.
 */
#ifndef FINO_RT_SIGNALS_H
#define FINO_RT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/realm.h"

/* Once, before any thread is made. */
void rt_signals_init(void);

/* From now on SIGINT, SIGTERM and SIGHUP stop REALM instead of the process, so that its profile can be written; a
 * second one ends the process at once. Makes a thread, unless that was done before. Returns 0 or a negative errno. On
 * any thread, but one at a time and not after close. */
int rt_signals_stop_realm(struct rt_realm *realm);

/* REALM will not be stopped any more; signals have their default actions again. */
void rt_signals_close(void);

/* SIGUSR2 calls LIVE as a handler, which must be SIGNAL_SAFE, unless JavaScript watches it; and even then if it is of
 * live.h's. NULL: it is ignored instead. */
void rt_signals_set_live(void (*live)(const siginfo_t *info, const void *context));

/* SIGNAL_NUMBER goes to internal.onSignal, or (ON false) no longer. Returns 0 or a negative errno. */
int rt_signals_watch(struct rt_realm *realm, int signal_number, bool on);
/* In the loop: calls internal.onSignal for what came. */
void rt_signals_dispatch(struct rt_realm *realm);

/* Ends the process as SIGNAL_NUMBER would have. */
_Noreturn void rt_signals_die(int signal_number);

#endif
