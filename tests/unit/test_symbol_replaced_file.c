/* A library without a build-id that another one replaces on disk after it was loaded, of the same layout down to the
 * last byte but with functions of other names, before the sampler has looked: no name of the new file's is given to the
 * old one's code. As root and as an ordinary user. */
// LINK: -lz -ldl
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "sampler/unwind.h"

static char folder[] = "/tmp/fino-test.XXXXXX";
static char path[sizeof folder + 32];

static void build_library(const char *name, const char *inner) {
    static const char *const SOURCE = "static __attribute__((noinline)) int %s(int x) { return x * 3; }\n"
                                      "int %s(int x) { return %s(x) + 1; }\n";
    char source[sizeof path], command[512];
    snprintf(source, sizeof source, "%s/library.c", folder);
    FILE *file = fopen(source, "w");
    EXPECT(file != NULL && fprintf(file, SOURCE, inner, name, inner) > 0 && fclose(file) == 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -O1 -Wl,--build-id=none -o %s/new %s && mv %s/new %s", folder,
             source, folder, path);
    EXPECT_EQ(system(command), 0);
    EXPECT_EQ(unlink(source), 0);
    EXPECT_EQ(chmod(path, 0755), 0);
}

/* The name of what is at ADDRESS is NAME, or an offset where it can't be known. */
static void check_name(uintptr_t address, const char *name, bool must_be_known) {
    const struct sampler_object *object = sampler_maps_find_sig(address);
    struct sampler_symbol symbol;
    EXPECT(object != NULL && strcmp(object->path, path) == 0 && object->build_id[0] == 0);
    sampler_symbol_find(object, address, &symbol);
    printf("%s: %s\n", name, symbol.name);
    EXPECT(strcmp(symbol.name, name) == 0 || (!must_be_known && strncmp(symbol.name, "library.so+0x", 13) == 0));
}

/* In a process of its own, as libraries are remembered. */
static void check(bool replaced, uid_t user) {
    int status;
    build_library("first_outer", "first_inner");
    fflush(stdout);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        EXPECT(library != NULL);
        uintptr_t outer = (uintptr_t)dlsym(library, "first_outer");
        EXPECT(outer != 0);
        if (replaced) build_library("other_outer", "other_inner");
        if (user != getuid()) EXPECT_EQ(setuid(user), 0);
        EXPECT_EQ(sampler_maps_refresh(), 0);
        check_name(outer, "first_outer", !replaced);
        check_name(outer - 1, "first_inner", false); /* the function before it, or padding */
        fflush(stdout);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(unlink(path), 0);
}

int main(void) {
    EXPECT(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0);
    snprintf(path, sizeof path, "%s/library.so", folder);
    uid_t ordinary = getuid() == 0 ? 65534 : getuid();
    for (int replaced = 0; replaced < 2; replaced++) {
        check(replaced, getuid());
        if (ordinary != getuid()) check(replaced, ordinary);
    }
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}
