/* pprof_listen.h: profiles of the running process over HTTP, as Go's net/http/pprof serves them, for
 * `go tool pprof http://127.0.0.1:6060/debug/pprof/profile?seconds=5`.
 *
 * Served by threads of their own: also while JavaScript is in an endless loop. On loopback addresses only, to requests
 * whose Host is one (a web page elsewhere can't ask by a name that it had resolve to 127.0.0.1); one recording at a
 * time, of at most ten minutes; nothing is written to disk.
 *
 * Threads: the main one.
 */
#ifndef FINO_RT_PPROF_LISTEN_H
#define FINO_RT_PPROF_LISTEN_H

/* ADDRESS: "127.0.0.1:6060", "[::1]:6060", "localhost:6060"; port 0: any that is free. ARGV is the command line, kept.
 * Says on stderr where it listens. Returns 0, or -1 after a message on stderr. */
int rt_pprof_listen(const char *address, char *const argv[]);

/* Listens no longer; recordings under way are thrown away. Nothing if nobody listens. */
void rt_pprof_listen_close(void);

#endif
