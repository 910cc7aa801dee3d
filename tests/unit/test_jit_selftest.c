/* Each constant of V8's layout, made wrong in several ways: the process finds out before it uses it, and names by
 * machine code alone; or the constant did not matter. Never a crash, nor a function or a line that is not true. */
// TIMEOUT: 240
// SOURCES: src/runtime/v8_shim.cc src/runtime/v8_jit.cc src/runtime/jit_realm.c src/runtime/jit_map.c
// SOURCES: src/runtime/jit_locate.c src/runtime/jit_layout.c src/runtime/jit_ranges.c src/runtime/jit_table.c
// SOURCES: src/runtime/jit_selftest.c src/runtime/jit_walk_sig.c src/runtime/jit_deopt_entry.c src/runtime/labels.c
// LINK: -lz -ldl
// V8
#include <sys/wait.h>

#include "../unit/sampler_harness.h"
#include "runtime/jit_layout.h"
#include "runtime/jit_realm.h"
#include "runtime/v8_shim.h"

/* Processes end with all they have: leaks are of no interest. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}

/* `burn` is at line 1, called at line 3 by `middle`, called at line 6 by `top`: inlined when optimised. */
static const char script[] =
    "function burn(o, n) { let s = 0; for (let i = 0; i < n; i++) s = Math.sqrt(s + o[i % 9]); return s; }\n"
    "function middle(o, n) {\n"
    "  return burn(o, n) + 1; }\n"
    "function top(o) {\n"
    "  let t = 0;\n"
    "  for (let k = 0; k < 40; k++) t += middle(o, 300);\n"
    "  return t; }\n"
    "const o = {}; for (let i = 0; i < 9; i++) o[i] = i;\n"
    "for (let r = 0; r < 1000; r++) {\n"
    "  top(o); }\n";
static const struct {
    const char *callee, *caller;
    int line; /* of the call; 0: the anonymous top */
} calls[] = {{"burn", "middle", 3}, {"middle", "top", 6}};

static void on_work_posted(void *data) {
    (void)data;
}
static void on_fatal(const char *location, const char *message, bool out_of_memory) {
    (void)out_of_memory;
    fprintf(stderr, "%s: %s\n", location, message);
    abort();
}

/* ---- What is checked */

struct seen {
    const char *name;
    int64_t line;
};

/* The script's own frames of a stack, leaf first. */
static size_t frames_of(const fino_pprof *profile, uint32_t sample, struct seen *seen, size_t capacity) {
    static uint32_t stack[16384];
    size_t depth = fino_pprof_get_stack(profile, sample, stack, sizeof stack / sizeof stack[0]), count = 0;
    for (size_t i = 0; i < depth; i++) {
        struct fino_pprof_location_info info = fino_pprof_get_location(profile, stack[i]);
        for (size_t j = 0; j < info.line_count; j++) {
            const struct fino_pprof_function *function = fino_pprof_get_function(profile, info.lines[j].function);
            if (strcmp(text_of(profile, function->filename), "truth.js") != 0 || count == capacity) continue;
            seen[count++] = (struct seen){text_of(profile, function->name), info.lines[j].line};
        }
    }
    return count;
}

/* Returns: samples with a whole, right chain of calls. Where the layout is known, there is no other. */
static unsigned check_stacks(const fino_pprof *profile, bool known) {
    unsigned right = 0;
    for (uint32_t i = 0; i < fino_pprof_sample_count(profile); i++) {
        struct seen seen[64];
        size_t count = frames_of(profile, i, seen, 64);
        for (size_t k = 0; k + 1 < count; k++) {
            for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
                if (strcmp(seen[k].name, calls[c].callee) != 0) continue;
                if (known) EXPECT_STR(seen[k + 1].name, calls[c].caller);
                if (known) EXPECT_EQ(seen[k + 1].line, calls[c].line);
                right += c == 0;
            }
        }
    }
    return right;
}

#define NOTICED 3 /* exit code */

/* ---- A process with a wrong constant */

_Noreturn static void profile_with(const char *spoil, bool profiles_anyway) {
    static const char *const parameters[] = {"unused"};
    const struct v8s_isolate_options options = {
        .host = {.work_posted = on_work_posted}, .memory_bytes = 256u << 20, .fatal = on_fatal};
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct v8s_entered entered;
    struct v8s_scope scope;
    struct v8s_caught caught;
    if (spoil) setenv("FINO_TEST_JIT_LAYOUT", spoil, 1);
    v8s_start(NULL, 1);
    sampler_thread *thread = fino_sampler_thread_register("main");
    sampler_recording *recording = start_recording(MS / 5);
    v8s_isolate *isolate = v8s_isolate_new(&options);
    v8s_enter(isolate, here - (4u << 20), &entered);
    struct jit_realm *realm = jit_realm_attach(isolate, thread, "main");
    jit_realm_listen(realm);
    bool known = jit_realm_layout_is_known();
    if (!known && !profiles_anyway) exit(NOTICED);
    v8s_scope_open(isolate, &scope);
    v8s_value function = v8s_compile_function(isolate, v8s_string(isolate, script), "truth.js", parameters, 1, NULL, &caught);
    EXPECT(function && v8s_call(isolate, function, NULL, 0, NULL, &caught));
    v8s_scope_close(&scope);
    struct fino_sampler_stats stats;
    fino_pprof *profile = stop_recording(recording, &stats);
    unsigned right = check_stacks(profile, known);
    printf("%-32s %s, %llu samples, %u with the whole chain, %llu frames without a name\n",
           spoil ? spoil : "(as it is)", known ? "known" : "noticed", (unsigned long long)stats.samples, right,
           (unsigned long long)stats.unresolved_frames);
    fflush(stdout);
    if (known) EXPECT(right > 0);
    exit(known ? 0 : NOTICED);
}

/* Returns whether it was noticed. */
static bool run_with(const char *spoil, bool profiles_anyway) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) profile_with(spoil, profiles_anyway);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    bool fine = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NOTICED);
    if (!fine) fprintf(stderr, "%s: status %#x\n", spoil, status);
    EXPECT(fine);
    return WEXITSTATUS(status) == NOTICED;
}

#define NAME(field) #field

int main(int argc, char **argv) {
    static const char *const names[] = {JIT_LAYOUT_CONSTANTS(NAME)};
    static const char *const changes[] = {"+8", "=1"};
    const char *only = argc > 1 ? argv[1] : "";
    unsigned noticed = 0, harmless = 0;
    EXPECT(!run_with(NULL, true));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t j = 0; j < sizeof changes / sizeof *changes; j++) {
            char spoil[64];
            snprintf(spoil, sizeof spoil, "%s%s", names[i], changes[j]);
            if (strncmp(spoil, only, strlen(only)) != 0) continue;
            if (run_with(spoil, i == 0))
                noticed++;
            else
                harmless++;
        }
    }
    printf("%u wrong constants noticed, %u of no consequence\n", noticed, harmless);
    EXPECT(noticed > harmless);
    return 0;
}
