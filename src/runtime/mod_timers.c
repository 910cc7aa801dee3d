/* mod_timers.c: time, the loop's one timer, immediates and microtasks. The lists of timers are JavaScript's. */

#include "runtime/builtins.h"

static v8s_value now(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    return v8s_number(isolate, (double)(rt_now_ns() - rt_realm_of(isolate)->start_ns) / 1e6);
}

/* armTimer(ms): internal.onTimer() is called after MS; negative: never. */
static v8s_value arm_timer(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value delay = v8s_argument(arguments, 0);
    if (!v8s_is_number(delay)) return v8s_throw_type_error(isolate, "armTimer: delay is not a number");
    rt_loop_arm_timer(&rt_realm_of(isolate)->loop, v8s_number_of(delay));
    return NULL;
}

static bool count_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what, uint32_t *out) {
    v8s_value count = v8s_argument(arguments, 0);
    if (!v8s_is_number(count) || !(v8s_number_of(count) >= 0 && v8s_number_of(count) <= UINT32_MAX)) {
        v8s_throw_type_error(isolate, "%s: count is not a number from 0", what);
        return false;
    }
    *out = (uint32_t)v8s_number_of(count);
    return true;
}

/* setTimerRef(count): how many timers keep the loop alive. */
static v8s_value set_timer_ref(v8s_isolate *isolate, const v8s_arguments *arguments) {
    count_argument(isolate, arguments, "setTimerRef", &rt_realm_of(isolate)->loop.timer_ref_count);
    return NULL;
}

/* requestImmediate(count): internal.onImmediate() is called once in this turn or the next; COUNT > 0 keeps the loop
 * alive until then. */
static v8s_value request_immediate(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_loop *loop = &rt_realm_of(isolate)->loop;
    if (count_argument(isolate, arguments, "requestImmediate", &loop->immediate_ref_count))
        loop->immediate_requested = true;
    return NULL;
}

static v8s_value enqueue_microtask(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value function = v8s_argument(arguments, 0);
    if (!v8s_is_function(function)) return v8s_throw_type_error(isolate, "enqueueMicrotask: not a function");
    v8s_enqueue_microtask(isolate, function);
    return NULL;
}

/* runMicrotasks(): between two timers or immediates of one turn, as after every callback. */
static v8s_value run_microtasks(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    rt_realm_checkpoint(rt_realm_of(isolate));
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"now", now, 0},
    {"armTimer", arm_timer, 1},
    {"setTimerRef", set_timer_ref, 1},
    {"requestImmediate", request_immediate, 1},
    {"enqueueMicrotask", enqueue_microtask, 1},
    {"runMicrotasks", run_microtasks, 0},
};

static void install(struct rt_realm *realm, v8s_value native) {
    v8s_set(realm->isolate, native, "timeOrigin", v8s_number(realm->isolate, realm->time_origin_ms));
}

const struct rt_native_group rt_mod_timers = {functions, sizeof functions / sizeof *functions, install};
