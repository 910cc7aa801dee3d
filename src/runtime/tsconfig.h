/* tsconfig.h: what the tsconfig.json nearest to a file says about running it.
 *
 * Read: `extends` (a path, a package, an array of them) and of `compilerOptions`: target, useDefineForClassFields,
 * experimentalDecorators, emitDecoratorMetadata, jsx, jsxFactory, jsxFragmentFactory, jsxImportSource,
 * verbatimModuleSyntax, preserveValueImports, importsNotUsedAsValues, baseUrl and paths. Everything else, what `files`
 * and `include` select among it, is ignored. Files below a node_modules folder have no tsconfig.json: the packages'
 * authors used another one than what is found there.
 *
 * Threads: one at a time per struct rt_tsconfigs.
 */
#ifndef FINO_RT_TSCONFIG_H
#define FINO_RT_TSCONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/typescript.h"

struct rt_tsconfig_path {
    char *pattern;  /* with at most one `*` */
    char **targets; /* absolute, each with at most one `*` */
    size_t target_count;
};

struct rt_tsconfig {
    char *path; /* of the file, absolute; NULL: there is none, the rest are defaults */
    struct rt_ts_options options;
    char *base_url; /* absolute, or NULL */
    struct rt_tsconfig_path *paths;
    size_t path_count;
    struct {
        char *message; /* NULL: none */
        char *path;    /* of the file it is in, which may be one that is extended */
        uint32_t line, column;
    } problem;
};

struct rt_tsconfigs; /* remembers what each directory has */
struct rt_tsconfigs *rt_tsconfigs_new(void);
void rt_tsconfigs_free(struct rt_tsconfigs *configs);

/* The configuration of FILE, an absolute path. Never NULL; look at its problem. Owned by CONFIGS. */
const struct rt_tsconfig *rt_tsconfig_for(struct rt_tsconfigs *configs, const char *file);

/* What SPECIFIER, which is not relative, may mean by CONFIG's `paths` and `baseUrl`: calls TRY with each absolute path
 * in TypeScript's order until it returns true. Returns whether it did. */
bool rt_tsconfig_match(const struct rt_tsconfig *config, const char *specifier,
                       bool (*try)(void *context, const char *path), void *context);

#endif
