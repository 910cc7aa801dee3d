// LINK: -ldl
/* What the unwinder and the symbolizer cost, with V8's library loaded: reading the maps, a step with and without the
 * rules remembered, decoding everything ahead of time instead, and the first name asked of a module. */
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "../unit/unwind_walk.h"
#include "sampler/maps.h"

#define LIBRARY "libnode.so.108"

static struct walk walk;
static struct sampler_stack_bounds bounds;
static double cold_ns, warm_ns;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static long resident_kbytes(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    EXPECT(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Compares the same walk with the cache emptied and with it filled. */
static void on_signal(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    enum { ROUNDS = 200 };
    walk_ucontext(&walk, ucontext, &bounds);
    for (int round = 0; round < ROUNDS; round++) {
        sampler_unwind_cache_clear();
        double start = now_ns();
        walk_ucontext(&walk, ucontext, &bounds);
        double middle = now_ns();
        walk_ucontext(&walk, ucontext, &bounds);
        cold_ns += (middle - start) / (double)walk.count / ROUNDS;
        warm_ns += (now_ns() - middle) / (double)walk.count / ROUNDS;
    }
}

/* Different functions, so that remembering one rule does not serve the next frame. */
static int ladder(int depth);
#define RUNG(N)                                                                                                        \
    __attribute__((noinline)) static int rung_##N(int depth) {                                                         \
        volatile int copy[N + 1];                                                                                      \
        copy[N] = ladder(depth - 1);                                                                                   \
        return copy[N] + 1;                                                                                            \
    }
RUNG(1) RUNG(2) RUNG(3) RUNG(4) RUNG(5) RUNG(6) RUNG(7) RUNG(8) RUNG(9) RUNG(10)
static int (*volatile const RUNGS[])(int) = {rung_1, rung_2, rung_3, rung_4, rung_5,
                                             rung_6, rung_7, rung_8, rung_9, rung_10};
__attribute__((noinline)) static int ladder(int depth) {
    if (depth > 0) return RUNGS[depth % 10](depth) + 1;
    return raise(SIGPROF);
}

static const struct sampler_object *find_library(void *library) {
    const struct sampler_object *object = sampler_maps_find_sig((uintptr_t)dlsym(library, "_ZN2v82V810GetVersionEv"));
    EXPECT(object != NULL);
    return object;
}

static void measure_ahead_of_time(const struct sampler_module *module) {
    struct sampler_cfi_fde fde;
    struct sampler_cfi_row row;
    uint64_t offset = 0;
    size_t count = 0;
    double start = now_ns();
    while (sampler_cfi_entry_sig(&module->cfi.eh_frame, &offset, &fde) == SAMPLER_CFI_OK) {
        if (fde.section == NULL || fde.pc == fde.pc_limit) continue;
        if (sampler_cfi_row_sig(&fde, fde.pc_limit - 1, &row) == SAMPLER_CFI_OK) count++;
    }
    printf("decoding all %zu FDEs ahead of time: %.1f ms, tables not written\n", count, (now_ns() - start) / 1e6);
    start = now_ns();
    size_t found = 0;
    uint64_t pc = 0x906d00, step = 0x1b4434e / 100000;
    for (size_t i = 0; i < 100000; i++) {
        pc += step;
        found += sampler_cfi_find_sig(&module->cfi, pc, &fde) == SAMPLER_CFI_OK &&
                 sampler_cfi_row_sig(&fde, pc, &row) == SAMPLER_CFI_OK;
    }
    printf("finding and decoding one rule, all over the library: %.0f ns (%zu %% found)\n",
           (now_ns() - start) / 100000, found / 1000);
}

static void measure_symbols(void *library, const struct sampler_object *object) {
    struct sampler_symbol symbol;
    long before = resident_kbytes();
    size_t heap = mallinfo2().uordblks + mallinfo2().hblkhd;
    double start = now_ns();
    sampler_symbol_find(object, (uintptr_t)dlsym(library, "_ZN2v82V810GetVersionEv"), &symbol);
    printf("first name: %.1f ms, %zu kB of heap kept, %ld kB more resident (%s)\n", (now_ns() - start) / 1e6,
           (mallinfo2().uordblks + mallinfo2().hblkhd - heap) / 1024, resident_kbytes() - before, symbol.name);
    start = now_ns();
    uintptr_t address = object->start, step = (object->limit - object->start) / 5000;
    for (size_t i = 0; i < 5000; i++) sampler_symbol_find(object, address += step, &symbol);
    double first = now_ns();
    address = object->start;
    for (size_t i = 0; i < 5000; i++) sampler_symbol_find(object, address += step, &symbol);
    printf("5,000 names all over the library: %.1f us each the first time, %.2f us again\n", (first - start) / 5e6,
           (now_ns() - first) / 5e6);
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    void *library = dlopen(argc > 1 ? argv[1] : "vendor/v8/lib/" LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "skipped: %s\n", dlerror());
        return 77;
    }
    double start = now_ns();
    EXPECT_EQ(sampler_maps_refresh(), 0);
    double first = now_ns();
    EXPECT_EQ(sampler_maps_refresh(), 0);
    printf("maps: %.3f ms the first time, %.2f us when nothing changed\n", (first - start) / 1e6,
           (now_ns() - first) / 1e3);
    bounds = walk_bounds();
    sigaction(SIGPROF, &action, NULL);
    ladder(100);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    printf("a step, %zu frames of 11 functions: %.0f ns with an empty cache, %.1f ns with a full one\n", walk.count,
           cold_ns, warm_ns);
    const struct sampler_object *object = find_library(library);
    measure_ahead_of_time(sampler_map_of(object)->module);
    measure_symbols(library, object);
    return 0;
}
