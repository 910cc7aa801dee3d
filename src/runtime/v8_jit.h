/* v8_jit.h: what V8 tells of the code it makes, as C.
 *
 * The second C++ translation unit next to v8_shim: it serves the profiler alone and is the only place that knows of
 * V8's JIT code events and code ranges.
 *
 * Threads: the Realm's own thread, except that `moved` events may come from GC helper threads while that thread waits.
 */
#ifndef FINO_RT_V8_JIT_H
#define FINO_RT_V8_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct v8s_isolate v8s_isolate;

enum v8s_code_event_type { V8S_CODE_ADDED, V8S_CODE_MOVED, V8S_CODE_REMOVED };
enum v8s_code_kind { V8S_CODE_BYTECODE, V8S_CODE_MACHINE, V8S_CODE_WASM };

struct v8s_code_event {
    enum v8s_code_event_type type;
    enum v8s_code_kind kind;
    uintptr_t start; /* first instruction or bytecode */
    size_t nbytes;
    uintptr_t new_start; /* of a moved one */
    const char *name;    /* of an added one, such as "LazyCompile:*f /a.js:3:7"; not NUL-terminated */
    size_t name_nbytes;
    uintptr_t shared; /* the SharedFunctionInfo, tagged, or 0 where there is none */
    int script_id;    /* 0 where there is none */
    void *script;     /* for v8s_code_event_script_name, during the event only */
};

struct v8s_code_listener {
    void (*on_code)(void *context, const struct v8s_code_event *event);
    /* Before and after a collection that may move or free code and bytecode. Nothing may be allocated in V8's heap. */
    void (*on_gc)(void *context, bool begins);
    void *context;
};

/* Tells LISTENER of all code there is, before this returns, and of all that comes. It must live as long as the isolate;
 * NULL ends it. */
void v8s_code_listen(v8s_isolate *isolate, const struct v8s_code_listener *listener);

/* Copies the name (or else the sourceURL) of the event's script, cut at CAP - 1 bytes. Returns its length. */
size_t v8s_code_event_script_name(const struct v8s_code_event *event, char *buffer, size_t cap);

struct v8s_code_ranges {
    uintptr_t jit_start, jit_limit;           /* where this isolate's machine code is made */
    uintptr_t embedded_start, embedded_limit; /* V8's builtins */
};
void v8s_get_code_ranges(v8s_isolate *isolate, struct v8s_code_ranges *ranges_out);

/* From now on optimised code remembers what was inlined where. Before any code is compiled. */
void v8s_code_keep_positions(v8s_isolate *isolate);

/* A small integer that belongs to what runs, and to what continues it after an await; 0 at first. */
void v8s_continuation_set(v8s_isolate *isolate, uint32_t number);
uint32_t v8s_continuation_get(v8s_isolate *isolate);

/* Where a signal handler can read it: *CONTEXT_SLOT is a tagged pointer, which only the collector changes, to an object
 * with the number OFFSET bytes on, as a Smi (anything else is 0). Found by trying. Returns: false when this V8 keeps it
 * elsewhere. Owns: v8s_continuation_forget, before the isolate is disposed of. */
struct v8s_continuation_slot {
    const uintptr_t *context_slot;
    int offset;
    void *keep;
};
bool v8s_continuation_find(v8s_isolate *isolate, struct v8s_continuation_slot *slot_out);
void v8s_continuation_forget(struct v8s_continuation_slot *slot);

/* What v8s_code_exercise shows: tagged pointers, valid while nothing is allocated in V8's heap, and a stack. */
struct v8s_code_exhibit {
    uintptr_t outer;      /* the function `fino_outer` */
    uintptr_t framed;     /* the function `fino_framed`, which is running, interpreted or in baseline code */
    uintptr_t context;    /* of both */
    uintptr_t stack_low;  /* its frame is above this, */
    uintptr_t stack_high; /*   and below this */
    bool optimized;       /* fino_outer is optimised, and has `fino_inner` inlined if V8 inlines at all */
};

/* The source of what is exercised, a script named "fino:selftest". */
extern const char v8s_code_exercise_source[];

/* Compiles and runs functions in a context of its own, while LISTENER (instead of any other) hears of their code, and
 * calls VISIT in the middle of it. Returns whether that happened. */
bool v8s_code_exercise(v8s_isolate *isolate, const struct v8s_code_listener *listener,
                       void (*visit)(void *context, const struct v8s_code_exhibit *exhibit), void *context);

/* What runs in an interrupt. */
struct v8s_interrupt {
    void (*run)(void *context);
    void *context;
};
/* Any thread: INTERRUPT runs soon on the isolate's thread, in the middle of whatever it does. It must live as long as
 * JavaScript may run there. */
void v8s_request_interrupt(v8s_isolate *isolate, const struct v8s_interrupt *interrupt);

#ifdef __cplusplus
}
#endif
#endif
