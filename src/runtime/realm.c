/* realm.c: making, running and ending a Realm, and every entry from C into JavaScript.
 *
 * Owns: the isolate, the order of things between loop, microtasks and rejections, and how a run ends. Leaves modules to
 * module.c, the text of errors to errors.c, and what JavaScript finds to builtins.c.
 */

#include "runtime/realm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/live.h"
#include "runtime/module.h"
#include "runtime/port.h"
#include "runtime/profile.h"
#include "runtime/reactors.h"
#include "runtime/realms.h"
#include "runtime/signals.h"
#include "runtime/work.h"

/* Kept free below JavaScript's stack limit: for V8's C++ code, which checks the limit only now and then, for ours, and
 * for signal handlers. */
#define STACK_RESERVE_BYTES (512u << 10)
/* Of a main thread whose stack has no limit. */
#define STACK_ASSUMED_BYTES (8u << 20)
/* What the heap may grow beyond its limit while execution is being terminated because it got there. */
#define HEAP_GRACE_BYTES (256u << 20)
/* The same, each time, of a Realm that has a limit of its own: a built-in function that doesn't look whether it is to
 * end gets there again, until V8 gives up. */
#define HEAP_LIMITED_GRACE_BYTES (32u << 20)
/* How long the loop sleeps at most while work on V8's own threads must still come back. */
#define BACKGROUND_CHECK_NS 5000000

#define EXIT_CODE_UNSETTLED 13 /* the script waits at its top level for what can't come any more */
#define EXIT_CODE_HEAP 134     /* as V8's own abort when memory is short */

struct rt_realm *rt_realm_of(v8s_isolate *isolate) {
    return v8s_data(isolate);
}

const char *rt_realm_kind_name(enum rt_realm_kind kind) {
    static const char *const names[] = {[RT_REALM_MAIN] = "main",
                                        [RT_REALM_THREAD] = "thread",
                                        [RT_REALM_POOLED] = "pooled",
                                        [RT_REALM_SANDBOX] = "sandbox"};
    return names[kind];
}

/* ---- Stopping ---- */

bool rt_realm_is_stopped(struct rt_realm *realm) {
    return atomic_load(&realm->stop) != RT_STOP_NONE;
}

void rt_realm_stop(struct rt_realm *realm, enum rt_stop reason, int signal_number) {
    int none = RT_STOP_NONE;
    if (signal_number) realm->stop_signal = signal_number;
    atomic_compare_exchange_strong(&realm->stop, &none, (int)reason);
    v8s_terminate(realm->isolate);
    rt_loop_stop(&realm->loop);
}

/* ---- What V8 asks ---- */

static void on_work_posted(void *data) {
    struct rt_realm *realm = data;
    rt_loop_wake(&realm->loop);
}

static void on_uncaught(void *data, v8s_value error, v8s_value message) {
    rt_realm_uncaught(data, error, message);
}

static size_t on_heap_limit_near(void *data, size_t limit_bytes) {
    struct rt_realm *realm = data;
    if (!realm->heap_limit_bytes) realm->heap_limit_bytes = limit_bytes;
    rt_realm_stop(realm, RT_STOP_HEAP, 0);
    return limit_bytes + (realm->options.limits.heap_bytes ? HEAP_LIMITED_GRACE_BYTES : HEAP_GRACE_BYTES);
}

static void on_limit_passed(void *data) {
    struct rt_realm *realm = data;
    if (!realm->heap_limit_bytes) realm->heap_limit_bytes = realm->options.limits.heap_bytes;
    rt_realm_stop(realm, RT_STOP_HEAP, 0);
}

static _Thread_local struct {
    struct rt_realm *realm;
    sigjmp_buf *jump;
} escape;

void rt_realm_set_escape(struct rt_realm *realm, sigjmp_buf *jump) {
    escape.realm = jump ? realm : NULL;
    escape.jump = jump;
}

/* V8 has no way to refuse an allocation of its own. Where memory is all that is wrong, and the Realm has the thread to
 * itself, that Realm ends; in the middle of a collection its heap can't even be read any more. */
static void on_fatal(const char *location, const char *message, bool out_of_memory) {
    struct rt_realm *realm = escape.realm;
    if (!out_of_memory || !realm || v8s_in_gc(realm->isolate)) rt_fatal(location, message, out_of_memory);
    int none = RT_STOP_NONE;
    atomic_compare_exchange_strong(&realm->stop, &none, RT_STOP_HEAP);
    siglongjmp(*escape.jump, 1);
}

static void add_rejection(struct rt_realm *realm, v8s_value promise, v8s_value reason) {
    if (realm->rejection_count == realm->rejection_capacity) {
        size_t capacity = realm->rejection_capacity ? realm->rejection_capacity * 2 : 16;
        struct rt_rejection *grown = realloc(realm->rejections, capacity * sizeof *grown);
        if (!grown) abort();
        realm->rejections = grown;
        realm->rejection_capacity = capacity;
    }
    realm->rejections[realm->rejection_count++] = (struct rt_rejection){
        .promise = v8s_ref_new(realm->isolate, promise),
        .reason = v8s_ref_new(realm->isolate, reason),
    };
}

static void free_rejection(struct rt_rejection *rejection) {
    v8s_ref_free(rejection->promise);
    v8s_ref_free(rejection->reason);
}

/* From the newest on: a promise that gets its handler late mostly gets it soon. */
static void remove_rejection(struct rt_realm *realm, v8s_value promise) {
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    size_t i = realm->rejection_count;
    while (i > 0 && !v8s_same(v8s_ref_get(realm->isolate, realm->rejections[i - 1].promise), promise))
        i--;
    if (i > 0) {
        free_rejection(&realm->rejections[i - 1]);
        memmove(&realm->rejections[i - 1], &realm->rejections[i],
                (realm->rejection_count - i) * sizeof *realm->rejections);
        realm->rejection_count--;
    }
    v8s_scope_close(&scope);
}

static void on_promise_rejected(void *data, enum v8s_rejection event, v8s_value promise, v8s_value reason) {
    if (event == V8S_REJECTED_UNHANDLED)
        add_rejection(data, promise, reason);
    else
        remove_rejection(data, promise);
}

/* ---- Into JavaScript ---- */

v8s_value rt_realm_internal(struct rt_realm *realm, const char *name) {
    v8s_value function = v8s_get(realm->isolate, v8s_ref_get(realm->isolate, realm->internal), name);
    if (!function && rt_realm_is_stopped(realm)) return NULL; /* terminated while a built-in was being loaded */
    if (!function || !v8s_is_function(function)) {
        fprintf(stderr, "fino: the built-in scripts did not define internal.%s\n", name);
        abort();
    }
    return function;
}

static v8s_value make_clone_error(v8s_isolate *isolate, v8s_value message) {
    (void)message;
    return v8s_error_new(isolate, V8S_ERROR, "cannot be cloned");
}

/* What nobody caught: of the main Realm for people, of another for its owner. */
static void report(struct rt_realm *realm, v8s_value error, v8s_value message, bool in_promise) {
    struct v8s_caught caught;
    if (!realm->options.child) {
        rt_report_uncaught(realm, error, message, in_promise);
        return;
    }
    if (realm->error) return;
    v8s_value packed = v8s_call(realm->isolate, rt_realm_internal(realm, "packError"), NULL, 1, &error, &caught);
    if (packed)
        realm->error = v8s_message_write(realm->isolate, packed, NULL, NULL, 0, V8S_WITHIN_PROCESS, make_clone_error);
}

/* internal.emitProcessEvent(NAME, ...): has a handler of the user's seen it? */
static bool emit_process_event(struct rt_realm *realm, const char *name, v8s_value first, v8s_value second) {
    v8s_value arguments[3] = {v8s_string(realm->isolate, name), first, second};
    struct v8s_caught caught;
    v8s_value handled = v8s_call(realm->isolate, rt_realm_internal(realm, "emitProcessEvent"), NULL, second ? 3 : 2,
                                 arguments, &caught);
    if (caught.error) { /* a handler threw: that ends the matter */
        report(realm, caught.error, caught.message, false);
        realm->exit_code = 1;
        rt_realm_stop(realm, RT_STOP_UNCAUGHT, 0);
        return true;
    }
    return handled && v8s_truthy(realm->isolate, handled);
}

static void fail(struct rt_realm *realm, v8s_value error, v8s_value message, bool in_promise) {
    report(realm, error, message, in_promise);
    realm->exit_code = 1;
    rt_realm_stop(realm, RT_STOP_UNCAUGHT, 0);
}

void rt_realm_uncaught(struct rt_realm *realm, v8s_value error, v8s_value message) {
    if (rt_realm_is_stopped(realm)) return;
    if (!emit_process_event(realm, "uncaughtException", error, NULL) && !rt_realm_is_stopped(realm))
        fail(realm, error, message, false);
}

static void report_rejections(struct rt_realm *realm) {
    while (realm->rejection_count > 0 && !rt_realm_is_stopped(realm)) {
        struct rt_rejection first = realm->rejections[0];
        realm->rejection_count--;
        memmove(realm->rejections, realm->rejections + 1, realm->rejection_count * sizeof *realm->rejections);
        struct v8s_scope scope;
        v8s_scope_open(realm->isolate, &scope);
        v8s_value reason = v8s_ref_get(realm->isolate, first.reason);
        v8s_value promise = v8s_ref_get(realm->isolate, first.promise);
        free_rejection(&first);
        if (!emit_process_event(realm, "unhandledRejection", reason, promise) && !rt_realm_is_stopped(realm))
            fail(realm, reason, NULL, true);
        v8s_run_microtasks(realm->isolate);
        v8s_scope_close(&scope);
    }
}

void rt_realm_checkpoint(struct rt_realm *realm) {
    if (rt_realm_is_stopped(realm)) return;
    v8s_run_microtasks(realm->isolate);
    report_rejections(realm);
}

void rt_realm_call(struct rt_realm *realm, v8s_value function, int argument_count, v8s_value *arguments) {
    struct v8s_caught caught;
    v8s_call(realm->isolate, function, NULL, argument_count, arguments, &caught);
    if (caught.error) rt_realm_uncaught(realm, caught.error, caught.message);
    rt_realm_checkpoint(realm);
}

void rt_realm_call_internal(struct rt_realm *realm, const char *name, int argument_count, v8s_value *arguments) {
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    rt_realm_call(realm, rt_realm_internal(realm, name), argument_count, arguments);
    v8s_scope_close(&scope);
}

/* ---- The loop's hooks ---- */

static bool is_main_pending(struct rt_realm *realm) {
    if (!realm->main_promise) return false;
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    bool is_pending = v8s_promise_state(v8s_ref_get(realm->isolate, realm->main_promise)) == V8S_PENDING;
    v8s_scope_close(&scope);
    return is_pending;
}

static void on_timer(void *data) {
    rt_realm_call_internal(data, "onTimer", 0, NULL);
}
static void on_immediate(void *data) {
    rt_realm_call_internal(data, "onImmediate", 0, NULL);
}
static void before_wait(void *data) {
    rt_builtins_share_code(data);
    rt_profile_park();
}
static void after_wait(void *data) {
    (void)data;
    rt_profile_unpark();
}
static void wake(void *data) {
    const struct rt_realm *realm = data;
    rt_reactors_wake(realm->options.member);
}

/* V8 lets a single large object pass the limit, and looks only when there is garbage to collect. */
static void check_heap(struct rt_realm *realm) {
    size_t limit_bytes = realm->options.limits.heap_bytes;
    struct v8s_heap heap;
    if (!limit_bytes || rt_realm_is_stopped(realm)) return;
    v8s_heap_statistics(realm->isolate, &heap);
    if (heap.used_bytes <= limit_bytes) return;
    v8s_collect_garbage(realm->isolate);
    v8s_heap_statistics(realm->isolate, &heap);
    if (heap.used_bytes > limit_bytes) on_limit_passed(realm);
}

static bool on_turn(void *data, int64_t *delay_ns) {
    struct rt_realm *realm = data;
    rt_signals_dispatch(realm);
    rt_live_turn();
    if (v8s_pump(realm->isolate) > 0) rt_realm_checkpoint(realm);
    check_heap(realm);
    bool awaited;
    *delay_ns = v8s_pump_delay_ns(realm->isolate, &awaited);
    bool background = v8s_background_work_pending(realm->isolate);
    if (background && (*delay_ns < 0 || *delay_ns > BACKGROUND_CHECK_NS)) *delay_ns = BACKGROUND_CHECK_NS;
    return background || *delay_ns == 0 || (awaited && is_main_pending(realm));
}

/* ---- Making one ---- */

/* The smaller of the machine's memory and what its container may use. */
static uint64_t memory_bytes(void) {
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    unsigned long long limit;
    if (file && fscanf(file, "%llu", &limit) == 1 && limit > 0 && limit < bytes) bytes = limit;
    if (file) fclose(file);
    return bytes;
}

static uintptr_t find_stack_limit(void) {
    pthread_attr_t attributes;
    void *low;
    size_t nbytes;
    uintptr_t here = (uintptr_t)&attributes;
    uintptr_t limit = here - STACK_ASSUMED_BYTES / 2;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return limit;
    if (pthread_attr_getstack(&attributes, &low, &nbytes) == 0) {
        uintptr_t top = (uintptr_t)low + nbytes;
        if (nbytes > STACK_ASSUMED_BYTES) /* `ulimit -s unlimited`, or large: as much as anybody expects */
            low = (void *)(top - STACK_ASSUMED_BYTES);
        limit = (uintptr_t)low + STACK_RESERVE_BYTES;
    }
    pthread_attr_destroy(&attributes);
    return limit;
}

static uintptr_t stack_limit(void) {
    static _Thread_local uintptr_t known;
    if (!known) known = find_stack_limit();
    return known;
}

static uintptr_t stack_limit_of(const struct rt_realm *realm) {
    size_t nbytes = realm->options.limits.stack_bytes;
    uintptr_t least = stack_limit();
    uintptr_t limit = (uintptr_t)__builtin_frame_address(0) - nbytes;
    return nbytes > 0 && limit > least ? limit : least;
}

/* Atomics.wait: a reactor that waits can't run others. */
static void wait_begins(void *data) {
    const struct rt_realm *realm = data;
    rt_live_need();
    rt_profile_park();
    if (realm->options.member) rt_reactors_block();
}
static void wait_ended(void *data) {
    const struct rt_realm *realm = data;
    if (realm->options.member) rt_reactors_unblock();
    rt_profile_unpark();
}

static v8s_isolate *new_isolate(struct rt_realm *realm) {
    return v8s_isolate_new(&(struct v8s_isolate_options){
        .host =
            {
                .data = realm,
                .work_posted = on_work_posted,
                .import_dynamic = rt_import_dynamic,
                .import_meta = rt_import_meta,
                .promise_rejected = on_promise_rejected,
                .uncaught = on_uncaught,
                .wait_begins = wait_begins,
                .wait_ended = wait_ended,
                .heap_limit_near = on_heap_limit_near,
                .buffer_limit_reached = on_limit_passed,
            },
        .memory_bytes = memory_bytes(),
        .heap_limit_bytes = realm->options.limits.heap_bytes,
        .buffer_limit_bytes = realm->options.limits.heap_bytes,
        .without_wasm = realm->options.limits.heap_bytes > 0,
        .is_one_of_many = realm->options.child != NULL,
        .fatal = on_fatal,
    });
}

static void note_start(struct rt_realm *realm) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    realm->start_ns = rt_now_ns();
    realm->time_origin_ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct rt_realm *rt_realm_new(const struct rt_realm_options *options) {
    struct rt_realm *realm = calloc(1, sizeof *realm);
    if (!realm) goto fail;
    realm->options = *options;
    note_start(realm);
    int error = rt_loop_init(&realm->loop, &(struct rt_loop_hooks){.data = realm,
                                                                   .on_timer = on_timer,
                                                                   .on_immediate = on_immediate,
                                                                   .on_turn = on_turn,
                                                                   .before_wait = before_wait,
                                                                   .after_wait = after_wait,
                                                                   .wake = options->member ? wake : NULL});
    if (error) {
        fprintf(stderr, "fino: cannot make an event loop: %s\n", strerror(-error));
        goto fail_realm;
    }
    if (options->limits.heap_bytes) realm->sent = rt_allowance_new();
    realm->modules = rt_modules_new(realm);
    realm->isolate = new_isolate(realm);
    v8s_enter(realm->isolate, stack_limit_of(realm), &realm->entered);
    rt_profile_attach(realm);
    if (rt_builtins_start(realm) == 0) return realm;
    rt_realm_free(realm);
    return NULL;
fail_realm:
    free(realm);
fail:
    return NULL;
}

/* What it has outside of V8's heap. */
static void close_all(struct rt_realm *realm) {
    rt_ports_close(realm);
    rt_work_abandon(&realm->loop);
    rt_tcp_end_lookups(realm);
    rt_loop_drop_posted(&realm->loop); /* nobody posts any more; the tasks are parts of what is freed now */
    rt_stdin_free(realm);
    rt_http_free(realm);
    rt_tcp_free(realm);
    rt_files_free(realm);
    for (size_t i = 0; i < realm->rejection_count; i++)
        free_rejection(&realm->rejections[i]);
    free(realm->rejections);
    rt_builtins_free(realm);
    v8s_ref_free(realm->main_promise);
    v8s_ref_free(realm->internal);
    v8s_ref_free(realm->native);
    rt_profile_detach(realm);
    rt_modules_free(realm->modules); /* whose columns the last samples' names have */
}

struct rt_port *rt_realm_free(struct rt_realm *realm) {
    struct rt_port *control = realm->control;
    v8s_terminate_cancel(realm->isolate);
    close_all(realm);
    v8s_leave(&realm->entered);
    v8s_isolate_free(realm->isolate);
    rt_loop_close(&realm->loop);
    rt_allowance_release(realm->sent);
    free(realm);
    return control;
}

struct rt_port *rt_realm_abandon(struct rt_realm *realm) {
    struct rt_port *control = realm->control;
    close_all(realm);
    v8s_isolate_abandon(realm->isolate);
    rt_loop_close(&realm->loop);
    rt_allowance_release(realm->sent);
    free(realm);
    return control;
}

/* ---- Running one ---- */

static void start_main(struct rt_realm *realm) {
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    if (realm->options.child) rt_realm_call_internal(realm, "beginSelf", 0, NULL);
    v8s_value error = NULL;
    v8s_value promise = rt_modules_run_main(realm->modules, realm->options.script, &error);
    if (promise)
        realm->main_promise = v8s_ref_new(realm->isolate, promise);
    else if (error)
        rt_realm_uncaught(realm, error, NULL);
    rt_realm_checkpoint(realm);
    v8s_scope_close(&scope);
}

/* The loop has nothing left to do; 'beforeExit' handlers may find more. */
static bool goes_on(struct rt_realm *realm) {
    if (rt_realm_is_stopped(realm) || is_main_pending(realm)) return false;
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    emit_process_event(realm, "beforeExit", v8s_number(realm->isolate, realm->exit_code), NULL);
    rt_realm_checkpoint(realm);
    v8s_scope_close(&scope);
    return rt_loop_is_alive(&realm->loop);
}

static void emit_exit(struct rt_realm *realm) {
    v8s_terminate_cancel(realm->isolate);
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    emit_process_event(realm, "exit", v8s_number(realm->isolate, realm->exit_code), NULL);
    v8s_scope_close(&scope);
}

static void report_unsettled(struct rt_realm *realm) {
    fprintf(stderr,
            "fino: the top level of %s awaits a promise that can't settle any more: nothing is left that could run\n",
            rt_modules_main_path(realm->modules));
}

static void end_unsettled(struct rt_realm *realm) {
    if (realm->exit_code == 0) realm->exit_code = EXIT_CODE_UNSETTLED;
    if (realm->options.child)
        atomic_store(&realm->stop, RT_STOP_UNSETTLED);
    else
        report_unsettled(realm);
}

static void report_heap(struct rt_realm *realm) {
    if (!realm->options.child)
        fprintf(stderr,
                "fino: out of memory: the JavaScript heap reached its limit of %zu MB; "
                "--v8-flags=--max-old-space-size=MB sets another\n",
                realm->heap_limit_bytes >> 20);
    realm->exit_code = EXIT_CODE_HEAP;
}

void rt_realm_begin(struct rt_realm *realm) {
    if (!rt_realm_is_stopped(realm)) start_main(realm);
}

int rt_realm_finish(struct rt_realm *realm) {
    switch ((enum rt_stop)atomic_load(&realm->stop)) {
        case RT_STOP_SIGNAL: realm->exit_code = 128 + realm->stop_signal; break;
        case RT_STOP_HEAP: report_heap(realm); break;
        case RT_STOP_NONE:
            if (is_main_pending(realm)) end_unsettled(realm);
            emit_exit(realm);
            break;
        case RT_STOP_UNSETTLED:
        case RT_STOP_CPU:
        case RT_STOP_TERMINATED:
        case RT_STOP_CRASHED: /* what only an owner elsewhere sees */
        case RT_STOP_LOST:
        case RT_STOP_UNREACHABLE: break;
        case RT_STOP_EXIT: break; /* JavaScript's exit() has told the listeners */
        case RT_STOP_UNCAUGHT: emit_exit(realm); break;
    }
    return realm->exit_code;
}

int rt_realm_run(struct rt_realm *realm) {
    rt_realm_begin(realm);
    do
        rt_loop_run(&realm->loop);
    while (goes_on(realm));
    return rt_realm_finish(realm);
}

/* ---- In turns ---- */

bool rt_realm_turn(struct rt_realm *realm, int64_t *rest_ns_out) {
    if (rt_loop_turn(&realm->loop, rest_ns_out)) {
        if (*rest_ns_out != 0) rt_builtins_share_code(realm);
        return true;
    }
    *rest_ns_out = 0;
    return goes_on(realm);
}

void rt_realm_enter(struct rt_realm *realm) {
    v8s_enter(realm->isolate, stack_limit_of(realm), &realm->entered);
}

void rt_realm_leave(struct rt_realm *realm) {
    v8s_leave(&realm->entered);
}
