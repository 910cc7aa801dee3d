/* realm.h: a Realm: an isolate with its globals, its module graph and its event loop.
 *
 * Everything that runs JavaScript goes through rt_realm_call or rt_realm_checkpoint, which see to microtasks, unhandled
 * rejections and uncaught exceptions.
 *
 * Threads: a Realm belongs to the thread that has it entered; only the functions marked "any thread" are for others.
 */
#ifndef FINO_RT_REALM_H
#define FINO_RT_REALM_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/loop.h"
#include "runtime/v8_shim.h"

struct rt_child;
struct rt_held_port;
struct rt_import_rules;
struct rt_member;
struct rt_modules;
struct rt_port;
struct rt_stdin;
struct rt_files;
struct rt_http;
struct rt_tcp;
struct sampler_guest;

enum rt_realm_kind {
    RT_REALM_MAIN,    /* the process's first; its end is the process's */
    RT_REALM_THREAD,  /* on a thread of its own */
    RT_REALM_POOLED,  /* on whichever reactor is free (reactors.h) */
    RT_REALM_SANDBOX, /* on a thread of its own, with rules for what it may import */
};
/* Of a Realm that somebody else's process has, see realm_process.h. */
enum rt_realm_place {
    RT_REALM_HERE,
    RT_REALM_PROCESS, /* a process of its own */
    RT_REALM_REMOTE,  /* the same, of another machine's */
};
/* "main", "thread", "pooled", "sandbox": as profiles have it. */
const char *rt_realm_kind_name(enum rt_realm_kind kind);

/* 0: none. Who has any has a thread of its own, and what it makes has none that is wider. */
struct rt_limits {
    size_t heap_bytes; /* of its heap, and as much again of its ArrayBuffers, and of messages that wait elsewhere */
    uint64_t cpu_ns;   /* of its thread */
    size_t stack_bytes;
};

struct rt_realm_options {
    const char *name;       /* of its samples in a profile */
    const char *script;     /* as given on the command line */
    const char *source;     /* the script's text; NULL: it is a file */
    char *const *arguments; /* after the script; NULL-terminated; NULL: none */
    enum rt_realm_kind kind;
    uint64_t id;                   /* 1: the main Realm */
    struct rt_child *child;        /* realms.c's record of it; NULL: the main Realm */
    struct rt_member *member;      /* of a pooled one, */
    struct sampler_guest *guest;   /*   which is this to the sampler */
    struct rt_import_rules *rules; /* of a sandbox, held by CHILD */
    struct rt_limits limits;
};

/* Why a Realm was told to stop before its work was done. The first reason stays. */
enum rt_stop {
    RT_STOP_NONE,
    RT_STOP_EXIT,       /* exit() */
    RT_STOP_UNCAUGHT,   /* an exception or rejection that nobody handled; already reported */
    RT_STOP_SIGNAL,     /* SIGINT or SIGTERM: stop_signal says which */
    RT_STOP_HEAP,       /* the heap's limit was reached */
    RT_STOP_CPU,        /* its limit of CPU time was */
    RT_STOP_TERMINATED, /* by its owner */
    RT_STOP_UNSETTLED,  /* its top level awaits what can't come any more (not of the main Realm) */
    /* Of a Realm elsewhere, as its owner sees it: */
    RT_STOP_CRASHED,     /* its process ended, without a word, by a signal or with an exit code */
    RT_STOP_LOST,        /* the connection broke */
    RT_STOP_UNREACHABLE, /* it could not be started */
};

/* A rejected promise that nobody listens to yet. */
struct rt_rejection {
    v8s_ref *promise;
    v8s_ref *reason;
};

struct rt_realm {
    struct rt_realm_options options;
    v8s_isolate *isolate;
    struct v8s_entered entered;
    struct rt_loop loop;
    struct rt_modules *modules;
    struct rt_stdin *standard_input; /* mod_io's; NULL until it is read */
    struct rt_files *files;          /* mod_file's; NULL until it is used */
    struct rt_http *http;            /* mod_http's; NULL until it is used */
    struct rt_tcp *tcp;              /* mod_tcp's; NULL until it is used */
    struct rt_held_port *ports;      /* mod_port's */
    struct rt_port *control;         /* not the main one's: to be closed last of all */
    v8s_message *error;              /* not the main one's: what nobody caught, packed */
    void *profile;                   /* profile's */

    v8s_ref *native;   /* the object of C functions that the built-in scripts get */
    v8s_ref *internal; /* the object that the built-in scripts share */
    v8s_ref **scripts; /* builtins' */

    v8s_ref *main_promise; /* of the main module's completion; NULL until it runs */

    uint64_t start_ns;     /* CLOCK_MONOTONIC */
    double time_origin_ms; /* Unix time of start_ns */

    struct rt_rejection *rejections;
    size_t rejection_count, rejection_capacity;

    size_t heap_limit_bytes;   /* the limit that was reached; 0: none was */
    struct rt_allowance *sent; /* with a limit: what it sent and nobody has taken; NULL without */
    atomic_int stop;           /* enum rt_stop */
    int stop_signal;
    int exit_code;
};

/* Makes a Realm on this thread, ready to run: entered, its built-ins loaded. Returns: NULL after a message on stderr.
 */
struct rt_realm *rt_realm_new(const struct rt_realm_options *options);
/* Ends it, in the order that realms.h tells. Returns its control port, if it has one. */
struct rt_port *rt_realm_free(struct rt_realm *realm);

/* Runs the script and the loop until the work is done or the Realm is stopped. Returns the exit code. */
int rt_realm_run(struct rt_realm *realm);

/* A Realm on a thread of its own that can't go on in the middle of a call, with V8 in no state to be asked for
 * anything: as rt_realm_free, but for the isolate and its heap, which are lost. The thread must end. */
struct rt_port *rt_realm_abandon(struct rt_realm *realm);
/* This thread's way out of such a call, which ends by siglongjmp; NULL: none, the process must end. */
void rt_realm_set_escape(struct rt_realm *realm, sigjmp_buf *escape);

/* A pooled Realm's run, in turns: begin, then turns until one returns false, then finish, which returns the exit code.
 * REST_NS_OUT as rt_loop_turn says. Between turns another thread may have the Realm: this one leaves it, that one
 * enters it. One that was just made is entered. */
void rt_realm_begin(struct rt_realm *realm);
bool rt_realm_turn(struct rt_realm *realm, int64_t *rest_ns_out);
int rt_realm_finish(struct rt_realm *realm);
void rt_realm_enter(struct rt_realm *realm);
void rt_realm_leave(struct rt_realm *realm);

/* Any thread: makes the Realm stop soon, also in the middle of an endless loop. */
void rt_realm_stop(struct rt_realm *realm, enum rt_stop reason, int signal_number);
bool rt_realm_is_stopped(struct rt_realm *realm);

struct rt_realm *rt_realm_of(v8s_isolate *isolate);

/* From the loop, with no JavaScript on the stack: calls FUNCTION, then does what rt_realm_checkpoint does. What it
 * throws is reported as uncaught. */
void rt_realm_call(struct rt_realm *realm, v8s_value function, int argument_count, v8s_value *arguments);
/* Calls internal.NAME like that. */
void rt_realm_call_internal(struct rt_realm *realm, const char *name, int argument_count, v8s_value *arguments);
/* Runs the microtasks and reports the rejections that nobody handled. */
void rt_realm_checkpoint(struct rt_realm *realm);

/* Offers an exception to 'uncaughtException' handlers; without any, reports it and stops the Realm with exit code 1. */
void rt_realm_uncaught(struct rt_realm *realm, v8s_value error, v8s_value message);

/* fino's own version. */
const char *rt_version(void);

/* internal.NAME, as a function; aborts if the built-ins did not define it. NULL: the Realm is stopped, and it can't be
 * had any more. */
v8s_value rt_realm_internal(struct rt_realm *realm, const char *name);

#endif
