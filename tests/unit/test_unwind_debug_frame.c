/* A library whose rules are in .debug_frame alone, as code is that was built with debug information but without tables
 * for exceptions: a stack through its functions, which have no frame pointers, is whole. */
// LINK: -ldl
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "../test.h"
#include "unwind_walk.h"

static struct walk walk;
static struct sampler_stack_bounds bounds;

static void on_signal(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    walk_ucontext(&walk, ucontext, &bounds);
}

__attribute__((noipa)) static int called_back(void) {
    raise(SIGPROF);
    return 1;
}

__attribute__((noipa)) static int call_library(int (*outer)(int (*)(void))) {
    return outer(called_back) + 1;
}

/* INNER has a frame that only a rule can tell the size of. */
static void build_library(const char *folder) {
    static const char *const SOURCE =
        "__attribute__((noipa)) int inner(int (*call)(void)) {\n"
        "  volatile char room[1000]; room[0] = 1; return call() + room[0]; }\n"
        "__attribute__((noipa)) int outer(int (*call)(void)) { return inner(call) + 1; }\n";
    char path[64], command[512];
    snprintf(path, sizeof path, "%s/library.c", folder);
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fputs(SOURCE, file) >= 0 && fclose(file) == 0);
    snprintf(
        command, sizeof command,
        "cc -shared -fPIC -O2 -g -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -nostartfiles "
        "-o %s/library.so %s && readelf -SW %s/library.so | grep -q debug_frame",
        folder, path, folder);
    EXPECT_EQ(system(command), 0);
    EXPECT_EQ(unlink(path), 0);
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    char folder[] = "/tmp/fino-test.XXXXXX", path[64];
    int (*outer)(int (*)(void));
    EXPECT(mkdtemp(folder) != NULL);
    build_library(folder);
    snprintf(path, sizeof path, "%s/library.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    *(void **)&outer = dlsym(library, "outer");
    EXPECT(outer != NULL);
    EXPECT_EQ(sampler_maps_refresh(), 0);
    EXPECT_EQ(sigaction(SIGPROF, &action, NULL), 0);
    bounds = walk_bounds();
    EXPECT_EQ(call_library(outer), 4);
    size_t at = walk_find(&walk, "called_back", 0);
    static const char *const CALLERS[] = {"inner", "outer", "call_library", "main"};
    if (walk.end != SAMPLER_UNWIND_END) walk_print(&walk);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    for (size_t i = 0; i < sizeof CALLERS / sizeof *CALLERS; i++) {
        EXPECT(at + 1 + i < walk.count);
        EXPECT_STR(walk_name(&walk, at + 1 + i), CALLERS[i]);
    }
    EXPECT_EQ(unlink(path), 0);
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}
