/* realm_process.h: Realms elsewhere: in a process of their own, or in one that a host (realm_host.h) makes.
 *
 * The other process is fino as well: `fino realm-child`, which nobody types, with a socket as its descriptor 3. In it
 * the Realm is one on a thread (realms.h), whose two ports are linked (link.h) to those that the owner has here. So
 * whatever becomes of it, a crash included, the owner loses no more than that Realm; and since the connection ends when
 * the owner does, the other process does, too.
 *
 * Threads: one, which belongs to the Realm's record, for new, run and free.
 */
#ifndef FINO_RT_REALM_PROCESS_H
#define FINO_RT_REALM_PROCESS_H

#include <sys/types.h>

#include "runtime/options.h"
#include "runtime/realms.h"

/* Of the thread that has an owner's side of a connection, in profiles. */
#define RT_LINK_THREAD_NAME "fino-link"

struct rt_process;

/* Once, before any other: what children of this process inherit. OPTIONS is kept. */
void rt_process_init(const struct rt_options *options);

/* Makes a process whose descriptor 3 is FD, which stays the caller's too. LABEL is for people who look at processes.
 * Returns 0 or a negative errno. */
int rt_process_spawn(int fd, const char *label, pid_t *pid_out);

struct rt_process *rt_process_new(void);
void rt_process_free(struct rt_process *process);

/* Makes a Realm by PLAN, of which only what the other side needs is used, links PORT and CONTROL with it, and returns
 * when it is gone: nothing of its process is left then, and END_OUT says how it ended. Takes INIT and PORT. */
void rt_process_run(struct rt_process *process, const struct rt_realm_plan *plan, v8s_message *init,
                    struct rt_port *control, struct rt_port *port, struct rt_realm_end *end_out);

/* Any thread, between new and free: end it soon. */
void rt_process_stop(struct rt_process *process);

#endif
