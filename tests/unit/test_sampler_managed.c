/* A runtime's threads: frames are stepped and named by the runtime between native ones, samples carry its label, full
 * rings keep the CPU time, drains happen on the thread, or in its place while it is parked, never while it runs. */
// LINK: -lz
#include "sampler_harness.h"

/* Functions in a section of their own play the managed code; they have frame pointers. */
#define MANAGED __attribute__((section("managed_text"), noipa, optimize("no-omit-frame-pointer")))
extern const char __start_managed_text[], __stop_managed_text[];

struct runtime {
    struct sampler_managed managed; /* first */
    pthread_t thread;
    _Atomic bool drain_requested;
    _Atomic bool parked;
    _Atomic int resolved;
    _Atomic int resolved_elsewhere;
};

static bool owns_pc(const struct sampler_managed *self, uintptr_t pc) {
    (void)self;
    return pc >= (uintptr_t)__start_managed_text && pc < (uintptr_t)__stop_managed_text;
}

__attribute__((no_sanitize("address"))) static enum sampler_step
step(const struct sampler_managed *self, const struct sampler_stack_bounds *bounds, bool is_leaf,
     struct sampler_regs *regs, struct sampler_raw_frame out[2], size_t *count_out) {
    (void)self;
    const uintptr_t *frame = (const uintptr_t *)regs->fp;
    out[0] = (struct sampler_raw_frame){
        .pc = regs->pc, .extra = {42, 7}, .extra_count = 2, .kind = SAMPLER_FRAME_MANAGED + 3, .is_leaf = is_leaf};
    *count_out = 1;
    if (regs->fp < regs->sp || regs->fp + 16 > bounds->limit || regs->fp % 8 != 0) return SAMPLER_STEP_TRUNCATED;
    regs->sp = regs->fp + 16;
    regs->pc = frame[1];
    regs->fp = frame[0];
    regs->valid = 0;
    return SAMPLER_STEP_OK;
}

static uintptr_t state(const struct sampler_managed *self) {
    (void)self;
    return 99;
}

static const char *managed_name(uintptr_t pc);

static void resolve(struct sampler_managed *self, const struct sampler_raw_frame *frame, uintptr_t state_word,
                    struct sampler_sink *sink) {
    struct runtime *runtime = (struct runtime *)self;
    fino_pprof *profile = sampler_sink_profile(sink);
    const char *name = managed_name(frame->pc);
    EXPECT(frame->extra[0] == 42 && frame->extra[1] == 7 && frame->kind == SAMPLER_FRAME_MANAGED + 3);
    EXPECT_EQ(state_word, 99);
    runtime->resolved++;
    if (!pthread_equal(runtime->thread, pthread_self())) {
        EXPECT(runtime->parked);
        runtime->resolved_elsewhere++;
    }
    struct fino_pprof_function function = {.name = fino_pprof_string(profile, name, strlen(name))};
    struct fino_pprof_line line = {.function = fino_pprof_add_function(profile, &function), .line = 3};
    sampler_sink_location(sink, fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1));
    fino_sampler_thread_drain(fino_sampler_thread_self()); /* as a runtime may, by accident: does nothing */
}

static void request_drain(struct sampler_managed *self) {
    ((struct runtime *)self)->drain_requested = true;
}

#define RUNTIME                                                                                                        \
    { {owns_pc, step, state, resolve, NULL, request_drain}, pthread_self(), false, false, 0, 0 }

__attribute__((noipa)) static void native_leaf(uint64_t ns) {
    burn_here(ns);
}

MANAGED static void script_inner(uint64_t ns) {
    volatile double sum = 0;
    for (uint64_t i = 0; i < ns / 2; i++)
        sum = sum + 1;
    native_leaf(ns);
    sum = sum + 1;
}

MANAGED static int script_outer(uint64_t ns) {
    script_inner(ns);
    return 1;
}

static const char *managed_name(uintptr_t pc) {
    uintptr_t inner = (uintptr_t)script_inner, outer = (uintptr_t)script_outer;
    return pc >= outer && (inner < outer || pc < inner) ? "script.outer" : "script.inner";
}

__attribute__((noipa)) static int embedder(uint64_t ns) {
    return script_outer(ns) + 1;
}

static void check_stacks_and_label(void) {
    struct runtime runtime = RUNTIME;
    struct fino_sampler_stats stats;
    sampler_thread *self = fino_sampler_thread_register("plain");
    sampler_recording *recording = start_recording(MS / 2);
    fino_sampler_thread_set_managed(self, &runtime.managed, "realm-1");
    for (int i = 0; i < 20; i++)
        embedder(10 * MS);
    fino_sampler_thread_set_managed(self, NULL, NULL);
    native_leaf(50 * MS);
    fino_pprof *profile = stop_recording(recording, &stats);
    print_stats(&stats);
    EXPECT(runtime.resolved > 200);
    EXPECT_EQ(runtime.resolved_elsewhere, 0);
    double in_realm = (double)sum_of(profile, CPU, "embedder", "realm-1");
    EXPECT_NEAR((double)sum_of(profile, CPU, "script.inner", "realm-1") / in_realm, 1.0, 0.02);
    EXPECT_NEAR((double)sum_of(profile, CPU, "script.outer", "realm-1") / in_realm, 1.0, 0.02);
    EXPECT_NEAR((double)sum_of(profile, CPU, "main", "realm-1") / in_realm, 1.0, 0.02);
    EXPECT(sum_of(profile, CPU, "native_leaf", "plain") > 40 * MS);
    EXPECT_EQ(sum_of(profile, CPU, "embedder", "plain"), 0);
    EXPECT_NEAR((double)stats.complete / (double)stats.samples, 1.0, 0.02);
    fino_pprof_free(profile);
}

/* Nothing is drained for so long that the ring overflows: what doesn't fit is counted, its CPU time is not lost. */
static void check_full_ring(void) {
    struct runtime runtime = RUNTIME;
    struct fino_sampler_stats stats;
    sampler_thread *self = fino_sampler_thread_self();
    fino_sampler_thread_set_managed(self, &runtime.managed, "realm-2");
    sampler_recording *recording = start_recording(MS / 10);
    uint64_t before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    while (!runtime.drain_requested)
        embedder(MS);
    for (int i = 0; i < 300; i++)
        embedder(MS);
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    fino_pprof *profile = stop_recording(recording, &stats);
    uint64_t stopped_ns =
        clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns; /* some of the stop is in it: emptying the ring */
    print_stats(&stats);
    EXPECT(stats.lost_ring_full > 0);
    double seen_ns = (double)sum_of(profile, CPU, NULL, "realm-2");
    printf("  %.1f ms, of %.1f to %.1f\n", seen_ns / 1e6, (double)used_ns / 1e6, (double)stopped_ns / 1e6);
    EXPECT(seen_ns > 0.99 * (double)used_ns && seen_ns < 1.01 * (double)stopped_ns);
    fino_sampler_thread_set_managed(self, NULL, NULL);
    fino_pprof_free(profile);
}

static _Atomic bool may_end;

static void *parked_realm(void *argument) {
    struct runtime *runtime = argument;
    sampler_thread *self = fino_sampler_thread_register("other");
    runtime->thread = pthread_self();
    fino_sampler_thread_set_managed(self, &runtime->managed, "realm-3");
    embedder(30 * MS);
    runtime->parked = true;
    fino_sampler_thread_park(self);
    while (!may_end)
        sleep_ns(MS);
    fino_sampler_thread_unpark(self);
    runtime->parked = false;
    fino_sampler_thread_set_managed(self, NULL, NULL);
    return NULL;
}

static void *running_realm(void *argument) {
    struct runtime *runtime = argument;
    sampler_thread *self = fino_sampler_thread_register("other");
    runtime->thread = pthread_self();
    fino_sampler_thread_set_managed(self, &runtime->managed, "realm-4");
    while (!may_end) {
        embedder(MS);
        if (runtime->drain_requested) {
            runtime->drain_requested = false;
            fino_sampler_thread_drain(self);
        }
    }
    fino_sampler_thread_set_managed(self, NULL, NULL);
    return NULL;
}

static void check_other_threads(void) {
    struct runtime parked = RUNTIME, running = RUNTIME;
    pthread_t threads[2];
    struct fino_sampler_stats stats;
    sampler_recording *recording = start_recording(MS / 2);
    EXPECT_EQ(pthread_create(&threads[0], NULL, parked_realm, &parked), 0);
    EXPECT_EQ(pthread_create(&threads[1], NULL, running_realm, &running), 0);
    sleep_ns(300 * MS);
    uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
    fino_pprof *profile = stop_recording(recording, &stats);
    uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
    may_end = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    print_stats(&stats);
    EXPECT(took_ns < 500 * MS);
    EXPECT(parked.resolved_elsewhere > 0 && parked.resolved_elsewhere == parked.resolved);
    EXPECT(running.resolved > 0 && running.resolved_elsewhere == 0);
    EXPECT(sum_of(profile, CPU, "script.inner", "realm-3") > 30 * MS);
    EXPECT(sum_of(profile, CPU, "script.inner", "realm-4") > 50 * MS);
    fino_pprof_free(profile);
}

int main(void) {
    check_stacks_and_label();
    check_full_ring();
    check_other_threads();
    return 0;
}
