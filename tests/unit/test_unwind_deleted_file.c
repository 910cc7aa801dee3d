/* A library's file that was deleted, or that another file has replaced, after it was loaded: stacks through it are
 * whole and its frames are named by what was loaded, or by their offset where that can't be read, never by what lies at
 * its path now. As root and as an ordinary user. */
// LINK: -lz -ldl
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "../test.h"
#include "unwind_walk.h"

static struct walk walk;
static struct sampler_stack_bounds bounds;
static char folder[] = "/tmp/fino-test.XXXXXX";
static char path[sizeof folder + 32];

static void on_signal(int signal_number, siginfo_t *info, void *ucontext) {
    (void)signal_number, (void)info;
    if (walk.count == 0) walk_ucontext(&walk, ucontext, &bounds);
}

/* deflateInit2_ calls this. */
__attribute__((noipa)) static void *allocate(void *unused, unsigned count, unsigned nbytes) {
    (void)unused;
    raise(SIGPROF);
    return calloc(count, nbytes);
}

static void release(void *unused, void *memory) {
    (void)unused;
    free(memory);
}

static void copy_file(const char *from, const char *to) {
    static char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    EXPECT(in != NULL && out != NULL);
    for (size_t nbytes; (nbytes = fread(buffer, 1, sizeof buffer, in)) > 0;)
        EXPECT_EQ(fwrite(buffer, 1, nbytes, out), nbytes);
    EXPECT_EQ(fclose(out), 0);
    fclose(in);
    EXPECT_EQ(chmod(to, 0755), 0);
}

static void delete_it(void) {
    EXPECT_EQ(unlink(path), 0);
}

/* With this program: an ELF file, too, with code at the same offsets. */
static void replace_by_program(void) {
    delete_it();
    copy_file("/proc/self/exe", path);
}

static void replace_by_text(void) {
    delete_it();
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fputs("no ELF file\n", file) > 0 && fclose(file) == 0);
}

static void replace_by_nothing_readable(void) {
    delete_it();
    EXPECT_EQ(mkdir(path, 0), 0);
}

__attribute__((noipa)) static void call_library(int (*init)(z_streamp, int, int, int, int, int, const char *, int),
                                                int (*end)(z_streamp)) {
    z_stream stream = {.zalloc = allocate, .zfree = release};
    EXPECT_EQ(init(&stream, 6, Z_DEFLATED, 15, 8, 0, ZLIB_VERSION, (int)sizeof stream), Z_OK);
    EXPECT_EQ(end(&stream), Z_OK);
}

/* Frames of the library are between those of ours, and their names are right or say that they aren't known. */
static void check_walk(bool must_have_names) {
    size_t callee = walk_find(&walk, "allocate", 0), caller = walk_find(&walk, "call_library", callee);
    if (walk.end != SAMPLER_UNWIND_END || caller >= walk.count) walk_print(&walk);
    EXPECT_EQ(walk.end, SAMPLER_UNWIND_END);
    EXPECT(caller < walk.count && caller > callee + 1);
    EXPECT(walk_find(&walk, "main", caller) < walk.count);
    for (size_t i = callee + 1; i < caller; i++) {
        const struct sampler_object *object = sampler_maps_find_sig(walk.pcs[i] - 1);
        const char *name = walk_name(&walk, i);
        EXPECT(object != NULL && strcmp(object->path, path) == 0);
        bool is_unknown = strncmp(name, "library.so+0x", 13) == 0;
        if (!is_unknown && strcmp(name, "deflateInit2_") != 0 && strcmp(name, "deflateInit2") != 0) walk_print(&walk);
        EXPECT(strncmp(name, "deflateInit2", 12) == 0 || (is_unknown && !must_have_names));
    }
}

/* In a process of its own, as a library that was unloaded is remembered. */
static void check(void (*change)(void), uid_t user, bool must_have_names) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    int (*init)(z_streamp, int, int, int, int, int, const char *, int), (*end)(z_streamp), status;
    pid_t child = fork();
    if (child == 0) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        EXPECT(library != NULL);
        *(void **)&init = dlsym(library, "deflateInit2_");
        *(void **)&end = dlsym(library, "deflateEnd");
        EXPECT(init != NULL && end != NULL && init != deflateInit2_);
        if (change != NULL) change();
        if (user != getuid()) EXPECT_EQ(setuid(user), 0);
        EXPECT_EQ(sampler_maps_refresh(), 0);
        EXPECT_EQ(sigaction(SIGPROF, &action, NULL), 0);
        bounds = walk_bounds();
        call_library(init, end);
        check_walk(must_have_names);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    void (*const changes[])(void) = {NULL, delete_it, replace_by_program, replace_by_text, replace_by_nothing_readable};
    char original[PATH_MAX];
    struct link_map *zlib = NULL;
    Dl_info info;
    EXPECT(dladdr1((void *)(uintptr_t)deflateInit2_, &info, (void **)&zlib, RTLD_DL_LINKMAP) != 0);
    EXPECT(realpath(zlib->l_name, original) != NULL);
    EXPECT(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0);
    snprintf(path, sizeof path, "%s/library.so", folder);
    uid_t ordinary = getuid() == 0 ? 65534 : getuid();
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        /* The names are in the file, which stays within reach where nothing happened to it and for root. */
        for (int as_root = getuid() == 0; as_root >= 0; as_root--) {
            copy_file(original, path);
            check(changes[i], as_root ? 0 : ordinary, changes[i] == NULL);
            if (unlink(path) != 0) rmdir(path);
        }
    }
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}
