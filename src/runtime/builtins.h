/* builtins.h: what JavaScript finds when it starts: the C functions (`native`) and the embedded scripts that use them.
 *
 * Each mod_*.c defines one group of functions; builtins.c has the table of them.
 */
#ifndef FINO_RT_BUILTINS_H
#define FINO_RT_BUILTINS_H

#include <stddef.h>

#include "runtime/realm.h"

struct rt_native_group {
    const struct v8s_native_entry *functions;
    size_t function_count;
    void (*install)(struct rt_realm *realm, v8s_value native); /* sets what isn't a function; may be NULL */
};

extern const struct rt_native_group rt_mod_clone;
extern const struct rt_native_group rt_mod_commonjs;
extern const struct rt_native_group rt_mod_encoding;
extern const struct rt_native_group rt_mod_file;
extern const struct rt_native_group rt_mod_http;
extern const struct rt_native_group rt_mod_http_client;
extern const struct rt_native_group rt_mod_inspect;
extern const struct rt_native_group rt_mod_io;
extern const struct rt_native_group rt_mod_port;
extern const struct rt_native_group rt_mod_process;
extern const struct rt_native_group rt_mod_profiler;
extern const struct rt_native_group rt_mod_realm;
extern const struct rt_native_group rt_mod_signals;
extern const struct rt_native_group rt_mod_tcp;
extern const struct rt_native_group rt_mod_timers;

/* Makes `native` and `internal` and runs the script `bootstrap`. Returns 0, or -1 after a message on stderr. */
int rt_builtins_start(struct rt_realm *realm);

/* When the Realm first has nothing to do: the second one besides the main one leaves what V8 has compiled of the
 * scripts for those that come after it. */
void rt_builtins_share_code(struct rt_realm *realm);
/* Before the isolate is disposed of. */
void rt_builtins_free(struct rt_realm *realm);

/* For the functions of a group. An argument that JavaScript has checked; 0 if it is no number. */
double rt_number_argument(const v8s_arguments *arguments, int index);
/* A v8s_clone_error: internal.makeDOMException(MESSAGE, 'DataCloneError'). */
v8s_value rt_clone_error(v8s_isolate *isolate, v8s_value message);

/* mod_port: closes the Realm's ports, but for its control port, which is only let go of. */
void rt_ports_close(struct rt_realm *realm);
/* mod_port: PORT, from now on the Realm's, as a MessagePort. NULL: it is the caller's still, as the Realm is being
 * terminated. */
v8s_value rt_port_object(struct rt_realm *realm, struct rt_port *port);

/* mod_io: forgets what is being read. */
void rt_stdin_free(struct rt_realm *realm);
/* mod_file: forgets what was under way, which has ended, and closes what is open. */
void rt_files_free(struct rt_realm *realm);
/* mod_http: closes servers and connections. */
void rt_http_free(struct rt_realm *realm);
/* mod_tcp: waits until no lookup is under way. */
void rt_tcp_end_lookups(struct rt_realm *realm);
/* mod_tcp: closes sockets and forgets lookups, which have ended. */
void rt_tcp_free(struct rt_realm *realm);

#endif
