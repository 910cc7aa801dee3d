/* resolve_package.c: packages, from the node_modules that has one to the file that is meant; Node's modules; and what a
 * require() makes of a path. Which file a package.json names is packages.c's business. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/node_names.h"
#include "runtime/resolve_internal.h"

/* What a require() may leave out, in Node's order, and then TypeScript's. */
static const char *const required_suffixes[] = {".js", ".json", ".cjs", ".ts", ".tsx", ".cts"};
#define REQUIRED_COUNT (sizeof required_suffixes / sizeof *required_suffixes)

/* The file PATH, or with an extension; then *MISSING_OUT is untouched. */
static char *real_with_suffix(struct rt_resolver *resolver, const char *path) {
    char *real = rt_names_directory(path) ? NULL : rt_real_file(resolver, path);
    for (size_t i = 0; !real && i < REQUIRED_COUNT && !rt_names_directory(path); i++) {
        char *candidate = rt_format("%s%s", path, required_suffixes[i]);
        real = rt_real_file(resolver, candidate);
        free(candidate);
    }
    return real;
}

static char *real_index(struct rt_resolver *resolver, const char *directory) {
    char *index = rt_format("%s/index", directory);
    char *real = real_with_suffix(resolver, index);
    free(index);
    return real;
}

/* The file that the directory PATH stands for, by its package.json's `main` or its index. */
static char *real_main(struct rt_resolver *resolver, const char *path) {
    const struct rt_package *package = rt_package_in(resolver->packages, path, strlen(path));
    char *real = NULL;
    if (package && package->main) {
        char *main = rt_format("%s/%s", path, package->main);
        rt_normalise_path(main);
        real = real_with_suffix(resolver, main);
        if (!real) real = real_index(resolver, main);
        free(main);
    }
    return real ? real : real_index(resolver, path);
}

/* REAL, found for PATH, is it, if there is one. */
static int take_real(const struct rt_asked *asked, const char *path, char *real) {
    asked->resolved->path = real;
    if (!real) *asked->why_out = rt_why_not(path, asked->specifier, NULL, ENOENT);
    return real ? 0 : -1;
}

/* What a require() of PATH means. Returns 0, or -1 with the reason. */
static int require_path(const struct rt_asked *asked, const char *path) {
    char *tried = NULL, *real = real_with_suffix(asked->resolver, path);
    if (!real) real = real_main(asked->resolver, path);
    if (!real) real = rt_real_typescript_file(asked->resolver, path, &tried);
    free(tried);
    return take_real(asked, path, real);
}

/* The file PATH that a package's `exports` or `imports` name: as it is. */
static int take_exported(const struct rt_asked *asked, char *path) {
    if (path) asked->resolved->path = rt_real_file(asked->resolver, path);
    if (path && !asked->resolved->path) *asked->why_out = rt_why_not(path, asked->specifier, NULL, errno);
    free(path);
    return asked->resolved->path ? 0 : -1;
}

/* What SUBPATH ("." or "./x") of the package in DIRECTORY means. */
static int resolve_in_package(const struct rt_asked *asked, const char *directory, const char *subpath) {
    const struct rt_package *package = rt_package_in(asked->resolver->packages, directory, strlen(directory));
    if (package && package->problem) {
        *asked->why_out = rt_must(strdup(package->problem));
        asked->resolved->code = "ERR_INVALID_PACKAGE_CONFIG";
        return -1;
    }
    if (package && package->exports) {
        char *path = rt_package_export(package, subpath, asked->use, asked->why_out);
        if (!path) asked->resolved->code = "ERR_PACKAGE_PATH_NOT_EXPORTED";
        return take_exported(asked, path);
    }
    char *path = rt_format("%s%s", directory, subpath + 1);
    int result;
    if (asked->use == RT_PACKAGE_REQUIRE)
        result = require_path(asked, path);
    else if (strcmp(subpath, ".") == 0)
        result = take_real(asked, path, real_main(asked->resolver, path));
    else
        result = rt_resolve_path(asked->resolver, path, asked->specifier, rt_is_typescript(asked->referrer),
                                 asked->resolved, asked->why_out);
    free(path);
    return result;
}

/* The package of the importer, by its own name. Returns whether it was meant: if so, with *RESULT_OUT. */
static bool resolve_self(const struct rt_asked *asked, size_t name_length, const char *subpath, int *result_out) {
    const struct rt_package *own = rt_package_of(asked->resolver->packages, asked->referrer);
    if (asked->referrer[0] != '/' || !own || !own->exports || !own->name) return false;
    if (strncmp(own->name, asked->specifier, name_length) != 0 || own->name[name_length]) return false;
    *result_out = resolve_in_package(asked, own->directory, subpath);
    return true;
}

/* Is there a directory for the package NAME in the node_modules of DIRECTORY? To free. */
static char *package_directory(const struct rt_asked *asked, const char *directory, size_t length, size_t name_length) {
    if (length >= strlen("/node_modules") &&
        rt_starts_with(directory + length - strlen("/node_modules"), "/node_modules"))
        return NULL;
    char *path = rt_format("%.*s/node_modules/%.*s", (int)length, directory, (int)name_length, asked->specifier);
    const char *real = rt_real_directory(asked->resolver, path, strlen(path));
    struct stat status;
    bool is_directory = real && stat(real, &status) == 0 && S_ISDIR(status.st_mode);
    bool is_file_there = !is_directory && asked->use == RT_PACKAGE_REQUIRE && !asked->specifier[name_length];
    if (is_directory || (is_file_there && (asked->resolved->path = real_with_suffix(asked->resolver, path))))
        return path;
    free(path);
    return NULL;
}

/* Looks for the package in the node_modules of the importer's directory and of those above it. */
static int resolve_installed(const struct rt_asked *asked, size_t name_length, const char *subpath) {
    for (size_t length = strlen(asked->base);; length--) {
        while (length > 0 && asked->base[length] != '/' && asked->base[length] != 0)
            length--;
        char *directory = package_directory(asked, asked->base, length, name_length);
        if (directory) {
            int result = asked->resolved->path ? 0 : resolve_in_package(asked, directory, subpath);
            free(directory);
            bool is_last = asked->use == RT_PACKAGE_IMPORT || asked->resolved->code || length == 0;
            if (result == 0 || is_last) return result;
            free(*asked->why_out); /* CommonJS goes on looking */
            *asked->why_out = NULL;
        }
        if (length == 0) break;
    }
    return 1;
}

/* Why nothing has that name. */
static char *why_bare(const struct rt_asked *asked, size_t name_length) {
    const char *specifier = asked->specifier;
    char *path = rt_format("%s/%s", asked->base, specifier);
    char *hint = rt_is_file(path) ? rt_format("; did you mean './%s'?", specifier) : rt_guess(path, specifier);
    if (!*hint) {
        free(hint);
        hint = rt_format(": install it (npm install %.*s)", (int)name_length, specifier);
    }
    char *why = rt_format("no package '%.*s' in %s/node_modules or in one above it%s", (int)name_length, specifier,
                          asked->base, hint);
    free(hint);
    free(path);
    return why;
}

static char *why_not_node(const char *name) {
    char *list = rt_node_list();
    char *why = rt_format("fino does not have Node's module '%s'; of those it has %s", name, list);
    free(list);
    return why;
}

/* 'lodash', '@scope/x/y', 'path' */
int rt_resolve_bare(const struct rt_asked *asked) {
    size_t name_length = rt_package_name_length(asked->specifier);
    enum rt_node_name node = rt_node_name(asked->specifier);
    int result = 1;
    if (node == RT_NODE_THERE) {
        *asked->resolved = (struct rt_resolved){.path = rt_format("node:%s", asked->specifier), .is_builtin = true};
        return 0;
    }
    if (name_length == 0) {
        *asked->why_out = rt_must(strdup("it is neither a path nor the name of a package"));
        asked->resolved->code = "ERR_INVALID_MODULE_SPECIFIER";
        return -1;
    }
    char *subpath = rt_format(".%s", asked->specifier + name_length);
    if (!resolve_self(asked, name_length, subpath, &result)) result = resolve_installed(asked, name_length, subpath);
    free(subpath);
    if (result > 0)
        *asked->why_out = node == RT_NODE_MISSING ? why_not_node(asked->specifier) : why_bare(asked, name_length);
    return result == 0 ? 0 : -1;
}

/* '#internal', which may stand for another package. */
int rt_resolve_internal(const struct rt_asked *asked) {
    const struct rt_package *own =
        asked->referrer[0] == '/' ? rt_package_of(asked->resolver->packages, asked->referrer) : NULL;
    asked->resolved->code = "ERR_PACKAGE_IMPORT_NOT_DEFINED";
    if (!own) {
        *asked->why_out = rt_must(strdup("no package.json above the importer could say what it stands for"));
        return -1;
    }
    char *target = rt_package_import(own, asked->specifier, asked->use, asked->why_out);
    if (!target) return -1;
    asked->resolved->code = NULL;
    if (target[0] == '/') return take_exported(asked, target);
    struct rt_asked other = *asked;
    char *base = rt_must(strdup(own->directory));
    other.specifier = target;
    other.base = base;
    int result;
    if (rt_starts_with(target, "node:") || rt_starts_with(target, "fino:"))
        result = rt_resolve(asked->resolver, target, asked->referrer, asked->use, asked->resolved, asked->why_out);
    else
        result = rt_resolve_bare(&other);
    free(base);
    free(target);
    return result;
}

/* 'node:path' */
int rt_resolve_node(const struct rt_asked *asked) {
    const char *name = asked->specifier + strlen("node:");
    if (rt_node_name(name) == RT_NODE_THERE) {
        *asked->resolved = (struct rt_resolved){.path = rt_must(strdup(asked->specifier)), .is_builtin = true};
        return 0;
    }
    *asked->why_out = why_not_node(asked->specifier);
    asked->resolved->code = "ERR_UNKNOWN_BUILTIN_MODULE";
    return -1;
}

/* A path, relative or not, as it is: nothing is decoded, and nothing after it is a suffix. */
int rt_resolve_required_path(const struct rt_asked *asked) {
    const char *specifier = asked->specifier;
    char *path = rt_format("%s%s%s", specifier[0] == '/' ? "" : asked->base, specifier[0] == '/' ? "" : "/", specifier);
    bool is_directory = rt_names_directory(specifier);
    rt_normalise_path(path);
    int result = is_directory ? take_real(asked, path, real_main(asked->resolver, path)) : require_path(asked, path);
    free(path);
    return result;
}
