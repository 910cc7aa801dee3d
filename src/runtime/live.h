/* live.h: recordings of a running process that somebody outside of it asks for.
 *
 * SIGUSR2 begins one; the next ends it and writes profile.PID.pb into the current directory. `fino profile PID` queues
 * a SIGUSR2 that carries a token: the process connects to the socket of that name in a directory which only its user
 * can use, reads a request from there and answers with the profile. Both work while the main Realm is in an endless
 * loop: they are served on a thread of their own, which is made when the first such signal comes.
 *
 * Threads: all on the main thread, but for what says otherwise.
 */
#ifndef FINO_RT_LIVE_H
#define FINO_RT_LIVE_H

#include <signal.h>
#include <stdint.h>
#include <sys/un.h>

struct rt_realm;

/* From now on such signals are taken; REALM is the main one. Nothing, when the process was started with SIGUSR2
 * ignored, or for want of memory. */
void rt_live_open(struct rt_realm *realm);
/* Makes the thread if somebody waits for it: in each turn of the loop. On any thread. */
void rt_live_turn(void);
/* Makes the thread: the main Realm may block outside of its loop. On any thread. */
void rt_live_need(void);
/* Ends and hands over what is still being recorded. SIGUSR2 is ignored from now on. */
void rt_live_close(void);

/* ---- Between the two processes ---- */

#define RT_LIVE_VERSION 1
#define RT_LIVE_SECONDS_MAX 86400

/* Whoever asks sends one of these; to end its sending side is to ask for what there is, at once. */
struct rt_live_request {
    uint32_t version;
    uint32_t seconds;     /* 1 to RT_LIVE_SECONDS_MAX */
    uint64_t interval_ns; /* 0: auto */
};

/* The answer, before NBYTES of a gzipped profile. */
struct rt_live_answer {
    uint32_t version;
    int32_t error; /* 0 or a negative errno; -EPROTO: the versions differ */
    uint64_t nbytes;
};

/* What a signal carries for TOKEN, which has 48 bits and is not 0. */
union sigval rt_live_value(uint64_t token);
/* Is INFO, of a SIGUSR2, of such a signal? SIGNAL_SAFE. */
_Bool rt_live_is_ours(const siginfo_t *info);
/* Where the socket for TOKEN is. The directory is there, this user's and nobody else's, if this returns 0; else a
 * negative errno. On any thread. */
int rt_live_address(uint64_t token, struct sockaddr_un *address_out);
/* Is this user at the other end of the socket? On any thread. */
_Bool rt_live_is_own_peer(int fd);

#endif
