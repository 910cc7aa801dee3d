/* declarations.c: see declarations.h. Owns the embedded copies of types/, and the two ways to have them: as one text on
 * standard output, or as a folder of files that TypeScript takes for a package. */

#include "runtime/declarations.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/embed.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* X(identifier, name without .d.ts) */
#define FILES(X)                                                                                                       \
    X(globals, "fino-globals")                                                                                         \
    X(web, "fino-web")                                                                                                 \
    X(file, "fino-file")                                                                                               \
    X(net, "fino-net")                                                                                                 \
    X(process, "fino-process")                                                                                         \
    X(profiler, "fino-profiler")                                                                                       \
    X(realm, "fino-realm")

#define EMBED(id, name) RT_EMBED(types_##id, "types/" name ".d.ts")
FILES(EMBED)

static const struct declarations {
    const char *name;
    const char *text;
    const char *end;
} all[] = {
#define ROW(id, name) {name, types_##id, types_##id##_end},
    FILES(ROW)};
#define FILE_COUNT (sizeof all / sizeof *all)

struct request {
    const char *directory; /* NULL: to standard output */
    bool with_dom;         /* the program is compiled with the library that declares what browsers have */
};

static bool is_wanted(const struct request *request, size_t index) {
    return !request->with_dom || all[index].text != types_web;
}

static int report(const char *what, const char *path) {
    fprintf(stderr, "fino: can't %s %s: %s\n", what, path, strerror(errno));
    return EXIT_FAILED;
}

static int finish(FILE *file, const char *path) {
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) return report("write", path);
    return 0;
}

static int print_all(const struct request *request) {
    for (size_t i = 0; i < FILE_COUNT; i++) {
        if (!is_wanted(request, i)) continue;
        fwrite(all[i].text, 1, (size_t)(all[i].end - all[i].text), stdout);
        fputc('\n', stdout);
    }
    return finish(stdout, "to standard output");
}

/* DIRECTORY and all that it is in. */
static int make_directories(const char *directory) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return report("make", directory);
    }
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) < 0 && errno != EEXIST) return report("make", path);
        *slash = '/';
    }
    return 0;
}

static FILE *create(const char *directory, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s.d.ts", directory, name);
    FILE *file = fopen(path, "we");
    if (!file) report("write", path);
    return file;
}

static int write_file(const char *directory, const struct declarations *declarations) {
    char path[PATH_MAX];
    FILE *file = create(directory, declarations->name, path);
    if (!file) return EXIT_FAILED;
    fwrite(declarations->text, 1, (size_t)(declarations->end - declarations->text), file);
    return finish(file, path);
}

/* The file that TypeScript looks for in a package, which names the others. */
static int write_index(const struct request *request) {
    char path[PATH_MAX];
    FILE *file = create(request->directory, "index", path);
    if (!file) return EXIT_FAILED;
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (is_wanted(request, i)) fprintf(file, "/// <reference path=\"%s.d.ts\" />\n", all[i].name);
    return finish(file, path);
}

static int write_all(const struct request *request) {
    int code = make_directories(request->directory);
    for (size_t i = 0; i < FILE_COUNT && code == 0; i++)
        if (is_wanted(request, i)) code = write_file(request->directory, &all[i]);
    return code ? code : write_index(request);
}

int rt_declarations_command(char *const *arguments) {
    struct request request = {NULL, false};
    for (; *arguments; arguments++) {
        const char *argument = *arguments;
        if (strcmp(argument, "--dom") == 0) {
            request.with_dom = true;
        } else if (strncmp(argument, "--out=", 6) == 0 && argument[6]) {
            request.directory = argument + 6;
        } else if (strcmp(argument, "--out") == 0 && arguments[1] && *arguments[1]) {
            request.directory = *++arguments;
        } else {
            fprintf(stderr,
                    "fino: fino types does not know what to do with '%s'; it is: fino types [--out=DIR] [--dom]\n",
                    argument);
            return EXIT_USAGE;
        }
    }
    return request.directory ? write_all(&request) : print_all(&request);
}
