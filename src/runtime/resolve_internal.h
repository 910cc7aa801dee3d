/* resolve_internal.h: what the files of resolving (resolve*.c) share. */
#ifndef FINO_RT_RESOLVE_INTERNAL_H
#define FINO_RT_RESOLVE_INTERNAL_H

#include "runtime/resolve.h"

struct directory {
    char *path, *real;
    struct directory *next;
};

struct rt_resolver {
    struct directory *buckets[256];
    struct rt_tsconfigs *configs;
    struct rt_packages *packages;
};

/* An import or a require() on its way. The functions that get one return 0 with RESOLVED's path, or -1 with *WHY_OUT
 * and RESOLVED's code. */
struct rt_asked {
    struct rt_resolver *resolver;
    const char *specifier, *referrer;
    const char *base; /* the directory of REFERRER */
    enum rt_package_use use;
    struct rt_resolved *resolved;
    char **why_out;
};

/* ---- resolve.c: files ---- */

bool rt_starts_with(const char *text, const char *prefix);
bool rt_is_file(const char *path);

/* Does TEXT, a path, say itself that it is a directory? */
bool rt_names_directory(const char *text);

/* The real path of the directory of LENGTH bytes at PATH; NULL when there is none; that isn't remembered. */
const char *rt_real_directory(struct rt_resolver *resolver, const char *path, size_t length);
/* The real path of the file PATH (absolute), to free; NULL with errno. */
char *rt_real_file(struct rt_resolver *resolver, const char *path);
/* The file of the TypeScript user's './x.js', when only x.ts is there; to free. */
char *rt_real_typescript_file(struct rt_resolver *resolver, const char *path, char **tried_out);

/* The file PATH, written as SPECIFIER. Returns 0, or -1 with *WHY_OUT. */
int rt_resolve_path(struct rt_resolver *resolver, const char *path, const char *specifier, bool from_typescript,
                    struct rt_resolved *resolved_out, char **why_out);

/* Why PATH, written as SPECIFIER, is not found; to free. */
char *rt_why_not(const char *path, const char *specifier, const char *also_tried, int error);
/* The file that PATH, written as SPECIFIER, may have been meant as: "; did you mean './x.ts'?", or ""; to free. */
char *rt_guess(const char *path, const char *specifier);

/* ---- resolve_package.c: packages, Node's modules, require() ---- */

int rt_resolve_node(const struct rt_asked *asked);          /* 'node:path' */
int rt_resolve_bare(const struct rt_asked *asked);          /* 'lodash', '@scope/x/y', 'path' */
int rt_resolve_internal(const struct rt_asked *asked);      /* '#internal', which may stand for another package */
int rt_resolve_required_path(const struct rt_asked *asked); /* a path, relative or not, as it is: nothing is decoded */

#endif
