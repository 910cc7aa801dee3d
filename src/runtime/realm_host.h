/* realm_host.h: remote Realms: `fino realm-host`, which makes a process for each that is asked for, and the way there.
 *
 * Over TCP, in the clear: who can read the network can read the token, so the address is a loopback one, or the network
 * one that is trusted, or a tunnel. Before a byte of the connection is parsed as frames it says:
 *
 *   owner: "finorlm\n" | u32 RT_WIRE_VERSION | u32 nbytes of the token, up to 4096 | the token
 *   host:  "finorlm\n" | u32 RT_WIRE_VERSION | u32 verdict
 *
 * A host takes its time over nobody: a greeting that isn't whole within 10 s is cut off, and so are those beyond 64
 * that are under way at once. Tokens are compared in a time that depends on their lengths only.
 *
 * Threads: any for connect, the main one for the command.
 */
#ifndef FINO_RT_REALM_HOST_H
#define FINO_RT_REALM_HOST_H

/* Returns a connected socket on which frames may follow, or a negative errno with *REASON_OUT, for people, static.
 * ADDRESS: host:port. Takes up to 10 s. */
int rt_realm_host_connect(const char *address, const char *token, const char **reason_out);

/* fino realm-host. Returns the exit code. */
int rt_realm_host_command(char *const *arguments);

#endif
