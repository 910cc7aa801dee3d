/* stress_isolates.c SECONDS: 16 threads that start an isolate, run JavaScript in it and end it, again and again,
 * sampled 10,000 times a second, while others terminate them in the middle, start and stop recordings and load
 * libraries. Passes when nothing crashes, hangs or leaks, the profiles are valid and no thread has a function of
 * another's. */
// SOURCES: src/runtime/v8_shim.cc src/runtime/v8_jit.cc src/runtime/jit_realm.c src/runtime/jit_map.c
// SOURCES: src/runtime/jit_locate.c src/runtime/jit_layout.c src/runtime/jit_ranges.c src/runtime/jit_table.c
// SOURCES: src/runtime/jit_selftest.c src/runtime/jit_walk_sig.c src/runtime/jit_deopt_entry.c src/runtime/labels.c
// LINK: -lz -ldl
// V8
#include <dlfcn.h>
#include <stdatomic.h>

#include "../unit/sampler_harness.h"
#include "runtime/jit_realm.h"
#include "runtime/v8_shim.h"

enum { SLOTS = 16, KINDS = 64 };
#define STACK_BYTES (4u << 20)
#define STACK_RESERVE_BYTES (1u << 20)

static _Atomic bool stop;
static _Atomic unsigned isolates_made, terminated, recordings_made, libraries_loaded;

/* Who may be terminated. An isolate is freed with its slot's lock held. */
static struct slot {
    pthread_mutex_t lock;
    v8s_isolate *isolate;
} slots[SLOTS];

/* work_K is told from all others' by its number; it makes garbage, deoptimises, throws, and calls itself through sort.
 */
static const char script[] =
    "function deep_%d(n) { return n === 0 ? 0 : 1 + deep_%d(n - 1); }"
    "function work_%d(o, n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(o.a + i); return s; }"
    "const shapes = [(n) => ({ a: n }), (n) => ({ b: n, a: n + .5 }), (n) => ({ get a() { return n; } }), (n) => ({ a: "
    "'1' })];"
    "let kept = [];"
    "for (let k = 0; k < rounds; k++) {"
    "  work_%d(shapes[k %% 4](k), 2000);"
    "  kept.push(new Array(100).fill({ k }));"
    "  if (kept.length > 100) kept = [];"
    "  try { [3, 1, 2].sort((a, b) => { if (k %% 7 === 0) throw new Error('k'); return work_%d({ a }, 50) - b; }); } "
    "catch {}"
    "  if (k %% 50 === 0) new Function('n', `return n + ${k}`)(k);"
    "  if (k %% 90 === 0) try { deep_%d(1e6); } catch {}"
    "}";

static void on_work_posted(void *data) {
    (void)data;
}
static void on_rejection(void *data, enum v8s_rejection event, v8s_value promise, v8s_value reason) {
    (void)data, (void)event, (void)promise, (void)reason;
}
static void on_uncaught(void *data, v8s_value error, v8s_value message) {
    (void)data, (void)error, (void)message;
}
static size_t on_heap_limit(void *data, size_t limit_bytes) {
    (void)data;
    return limit_bytes * 2;
}
static void on_fatal(const char *location, const char *message, bool out_of_memory) {
    fprintf(stderr, "%s: %s%s\n", location, message, out_of_memory ? " (out of memory)" : "");
    abort();
}

static void run_script(v8s_isolate *isolate, int kind) {
    static const char *const parameters[] = {"rounds"};
    char source[sizeof script + 64], name[32];
    struct v8s_scope scope;
    struct v8s_caught caught;
    snprintf(source, sizeof source, script, kind, kind, kind, kind, kind, kind);
    snprintf(name, sizeof name, "isolate_%d.js", kind);
    v8s_scope_open(isolate, &scope);
    v8s_value function = v8s_compile_function(isolate, v8s_string(isolate, source), name, parameters, 1, NULL, &caught);
    v8s_value rounds = v8s_number(isolate, kind % 4 == 0 ? 1e9 : 200);
    if (function) v8s_call(isolate, function, NULL, 1, &rounds, &caught);
    EXPECT(function || caught.terminated);
    EXPECT(!caught.error);
    v8s_scope_close(&scope);
}

static void set_isolate(struct slot *slot, v8s_isolate *isolate) {
    pthread_mutex_lock(&slot->lock);
    slot->isolate = isolate;
    pthread_mutex_unlock(&slot->lock);
}

static void *live(void *argument) {
    struct slot *slot = argument;
    int kind = (int)(isolates_made++ % KINDS);
    char label[32];
    const struct v8s_isolate_options options = {
        .host = {.work_posted = on_work_posted,
                 .promise_rejected = on_rejection,
                 .uncaught = on_uncaught,
                 .heap_limit_near = on_heap_limit},
        .memory_bytes = 256u << 20,
        .fatal = on_fatal,
    };
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct v8s_entered entered;
    snprintf(label, sizeof label, "isolate_%d", kind);
    sampler_thread *thread = fino_sampler_thread_register(label);
    v8s_isolate *isolate = v8s_isolate_new(&options);
    EXPECT(thread && isolate);
    v8s_enter(isolate, here - STACK_BYTES + STACK_RESERVE_BYTES, &entered);
    struct jit_realm *realm = jit_realm_attach(isolate, thread, NULL);
    EXPECT(realm);
    jit_realm_listen(realm);
    set_isolate(slot, isolate);
    run_script(isolate, kind);
    set_isolate(slot, NULL);
    v8s_terminate_cancel(isolate);
    jit_realm_detach(realm);
    v8s_leave(&entered);
    v8s_isolate_free(isolate);
    if (kind % 3 != 0) fino_sampler_thread_unregister(thread); /* else it ends by itself */
    return NULL;
}

static void *keep_alive(void *slot) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (!stop) {
        pthread_t thread;
        EXPECT_EQ(pthread_create(&thread, &attributes, live, slot), 0);
        pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
    return NULL;
}

static void *terminate(void *unused) {
    for (unsigned i = 0; !stop; i++) {
        struct slot *slot = &slots[i % SLOTS];
        pthread_mutex_lock(&slot->lock);
        if (slot->isolate) {
            v8s_terminate(slot->isolate);
            terminated++;
        }
        pthread_mutex_unlock(&slot->lock);
        sleep_ns(5 * MS);
    }
    return unused;
}

static void *make_recordings(void *unused) {
    for (unsigned i = 0; !stop; i++) {
        sampler_recording *recording = start_recording(MS / 10 + i % 5 * MS / 4);
        sleep_ns((20 + i % 30) * MS);
        fino_pprof_free(stop_recording(recording, NULL));
        recordings_made++;
    }
    return unused;
}

static void *load_libraries(void *unused) {
    while (!stop) {
        void *handle = dlopen("libbz2.so.1.0", RTLD_NOW);
        if (handle) dlclose(handle);
        libraries_loaded++;
        sleep_ns(3 * MS);
    }
    return unused;
}

/* ---- Is every function's number its thread's? */

static int number_after(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? atoi(text + length) : -1;
}

static void check_location(const fino_pprof *profile, uint32_t location, int kind, unsigned *checked) {
    struct fino_pprof_location_info info = fino_pprof_get_location(profile, location);
    for (size_t i = 0; i < info.line_count; i++) {
        const struct fino_pprof_function *function = fino_pprof_get_function(profile, info.lines[i].function);
        const char *name = text_of(profile, function->name), *file = text_of(profile, function->filename);
        int number = number_after(name, "work_");
        if (number < 0) number = number_after(name, "deep_");
        if (number < 0) number = number_after(file, "isolate_");
        if (number >= 0 && number != kind) fprintf(stderr, "isolate %d runs %s of %s\n", kind, name, file);
        EXPECT(number < 0 || number == kind);
        *checked += number >= 0;
    }
}

static void check_names(const fino_pprof *profile) {
    static uint32_t stack[16384];
    unsigned checked = 0;
    for (uint32_t i = 0; i < fino_pprof_sample_count(profile); i++) {
        struct fino_pprof_sample_info sample = fino_pprof_get_sample(profile, i);
        int kind = number_after(thread_of(profile, sample.label_set), "isolate_");
        size_t depth = fino_pprof_get_stack(profile, i, stack, sizeof stack / sizeof stack[0]);
        for (size_t j = 0; j < depth; j++)
            check_location(profile, stack[j], kind, &checked);
    }
    printf("  %u frames checked\n", checked);
    EXPECT(checked > 0);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    pthread_t lives[SLOTS], killer, recorder, loader;
    struct fino_sampler_stats stats;
    v8s_start("--stress-scavenge=60 --interrupt-budget=3000", 2);
    sampler_recording *whole = start_recording(MS / 10);
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_init(&slots[i].lock, NULL);
        EXPECT_EQ(pthread_create(&lives[i], NULL, keep_alive, &slots[i]), 0);
    }
    EXPECT_EQ(pthread_create(&killer, NULL, terminate, NULL), 0);
    EXPECT_EQ(pthread_create(&recorder, NULL, make_recordings, NULL), 0);
    EXPECT_EQ(pthread_create(&loader, NULL, load_libraries, NULL), 0);
    sleep_ns((uint64_t)(seconds * 1000) * MS);
    stop = true;
    for (int i = 0; i < SLOTS; i++) { /* whoever began before STOP was seen and loops for ever is terminated still */
        while (pthread_tryjoin_np(lives[i], NULL) != 0) {
            pthread_mutex_lock(&slots[i].lock);
            if (slots[i].isolate) v8s_terminate(slots[i].isolate);
            pthread_mutex_unlock(&slots[i].lock);
            sleep_ns(5 * MS);
        }
    }
    pthread_join(killer, NULL);
    pthread_join(recorder, NULL);
    pthread_join(loader, NULL);
    fino_pprof *profile = stop_recording(whole, &stats);
    print_stats(&stats);
    check_names(profile);
    fino_pprof_free(profile);
    printf("  %u isolates, %u terminated, %u recordings, %u libraries\n", isolates_made, terminated, recordings_made,
           libraries_loaded);
    v8s_stop();
    return 0;
}
