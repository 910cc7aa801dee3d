/* realms.h: the Realms that programs make: their lives, from `new Realm` to the last trace of them.
 *
 * The life of a Realm:
 *
 *   NEW ------> STARTING ------> RUNNING ------> ENDING ------> ENDED
 *      start       its isolate and   its script, then   folded, freed    its owner has been
 *                  built-ins made    its loop                            told by the control port
 *
 * It lives on a thread of its own, or in slices on the reactors (reactors.h): the first slice makes it, the last ends
 * it. A Realm that is never started goes from NEW to nothing when its owner ends. A stop may come at any time: in
 * STARTING it waits until there is something to stop, or spares making it; from ENDING on it changes nothing.
 *
 * ENDING has one order, the same however the Realm came there:
 *   1. no thread can reach it through this registry any more;
 *   2. the Realms that it owns are told to stop;
 *   3. its ports are closed, its work on other threads has ended: nobody posts to its loop any more, and what was
 *      posted is dropped;
 *   4. its last samples are folded (rt_profile_detach);
 *   5. the isolate is disposed of, then the loop is closed, which drops the tasks that still came;
 *   6. its CPU time is accounted, all of this included (rt_profile_end_thread, or rt_profile_guest_free);
 *   7. it is ENDED, and the control port is closed: its owner, if there still is one, hears of it only now;
 *   8. whoever waits for the number of live Realms to come to 0 is woken.
 * So when the owner knows, all is in the profile; and when the main Realm has seen 8, all of all Realms is.
 *
 * A Realm elsewhere (realm_process.h) has a thread, too, on which its owner's side of the connection lives: it goes
 * from STARTING to RUNNING when there is something to stop, and to ENDING when its process is gone or the connection
 * is.
 *
 * Threads: any, unless it says otherwise. An ID is of an owner's Realm, or one that is no more.
 */
#ifndef FINO_RT_REALMS_H
#define FINO_RT_REALMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/port.h"
#include "runtime/realm.h"

/* What a program asks for; all is copied or taken. */
struct rt_realm_plan {
    const char *entry;             /* a path, or a file: URL */
    const char *source;            /* the text of the entry instead; ENTRY is then what it is called. NULL: none */
    const char *name;              /* its label in a profile, to be made unique */
    enum rt_realm_kind kind;       /* any but the main one */
    struct rt_import_rules *rules; /* of a sandbox; held. NULL: of other kinds */
    struct rt_limits limits;       /* an owner's hold as well */
    enum rt_realm_place place;
    const char *address, *token; /* of a remote one: host:port, and what proves that it may be used */
};

/* Makes one that OWNER owns, NEW, on OWNER's thread. CONTROL_OUT and PORT_OUT are the owner's ends of two pairs.
 * Returns its id. */
uint64_t rt_realms_new(struct rt_realm *owner, const struct rt_realm_plan *plan, struct rt_port **control_out,
                       struct rt_port **port_out);
/* The unique label. ID must be one of OWNER's. */
const char *rt_realms_label(struct rt_realm *owner, uint64_t id);

/* Starts it. INIT is for internal.beginSelf in it. Returns 0 or a negative errno, and then INIT is freed. */
int rt_realms_start(struct rt_realm *owner, uint64_t id, v8s_message *init);

/* Makes it stop soon, also in the middle of an endless loop. */
void rt_realms_stop(struct rt_realm *owner, uint64_t id);

/* How it ended. */
struct rt_realm_end {
    enum rt_stop stop; /* RT_STOP_NONE: its work was done */
    int exit_code;
    int signal_number;  /* RT_STOP_CRASHED: 0: none */
    const char *reason; /* RT_STOP_LOST, RT_STOP_UNREACHABLE: for people; static */
    v8s_message *error; /* what internal.packError made of what nobody caught; NULL: nothing, or no memory for it */
};
/* For what leaves the process: is it of such a Realm? */
bool rt_realms_is_elsewhere(struct rt_realm *owner, uint64_t id);

/* Once its control port is closed: the end, and the last of it. Owns: the caller frees END_OUT->error. Returns: false
 * if it has not ended or was asked before. */
bool rt_realms_take_end(struct rt_realm *owner, uint64_t id, struct rt_realm_end *end_out);

/* On the Realm's own thread, once: what its owner gave it. */
void rt_child_take_ports(struct rt_child *child, struct rt_port **control_out, struct rt_port **port_out,
                         v8s_message **init_out);

/* OWNER ends: its Realms are told to stop, those that were never started are freed. On its thread. */
void rt_realms_disown(struct rt_realm *owner);

/* Stops all there are and allows no more; waits up to PATIENCE_NS. Returns how many are still there. */
size_t rt_realms_stop_all(uint64_t patience_ns);

#endif
