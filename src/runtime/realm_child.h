/* realm_child.h: the process of a process Realm or of a remote one (realm_process.h).
 *
 * Threads: the main one.
 */
#ifndef FINO_RT_REALM_CHILD_H
#define FINO_RT_REALM_CHILD_H

#include "runtime/options.h"

/* The name of the command, which nobody types. */
#define RT_REALM_CHILD_COMMAND "realm-child"

/* First of all: signals that are meant for the owner, a profile's file of this process's own. */
void rt_realm_child_begin(struct rt_options *options);

/* Makes the Realm that the owner, at the socket 3, asks for, and returns once it has ended and the owner knows, or once
 * the owner is gone: then with the Realm still running. Returns the exit code. */
int rt_realm_child_run(void);

#endif
