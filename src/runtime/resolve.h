/* resolve.h: from what an import or a require() says to the file it means.
 *
 * An import's specifiers are URLs, as the language has them: relative ones ('./x.js', '../x.ts?v=2'), absolute paths,
 * file: URLs, each percent-decoded. Those of a require() are paths, of which the extension may be missing. Both may
 * name a package ('lodash/get', '#internal': packages.h) or a built-in module ('fino:process', 'node:path', 'path').
 */
#ifndef FINO_RT_RESOLVE_H
#define FINO_RT_RESOLVE_H

#include <stdbool.h>

#include "runtime/packages.h"
#include "runtime/tsconfig.h"

struct rt_resolver; /* remembers which directories are really which, and each one's tsconfig.json */

struct rt_resolver *rt_resolver_new(void);
void rt_resolver_free(struct rt_resolver *resolver);

/* The configuration of FILE, an absolute path. Owned by RESOLVER. */
const struct rt_tsconfig *rt_resolver_config(struct rt_resolver *resolver, const char *file);

/* What the package of FILE, an absolute path, says of its .js files. */
enum rt_package_type rt_resolver_type(struct rt_resolver *resolver, const char *file);

struct rt_resolved {
    char *path;   /* absolute and real, or the name of a built-in module */
    char *suffix; /* "?query#fragment" of the URL, "" mostly: another suffix is another module */
    char *note;   /* for people: what else it could have meant; NULL: nothing */
    bool is_builtin;
    const char *code; /* static: Node's word for why it wasn't found; NULL: that there is no such module */
};
void rt_resolved_free(struct rt_resolved *resolved);

/* What SPECIFIER means in the module REFERRER (an absolute path; anything else: in the working directory).
 * Returns 0, or -1 with *WHY_OUT, for people, to free: what was wrong, what was tried, what may have been meant; and
 * with RESOLVED_OUT's code. */
int rt_resolve(struct rt_resolver *resolver, const char *specifier, const char *referrer, enum rt_package_use use,
               struct rt_resolved *resolved_out, char **why_out);

/* The same for a path given on the command line: nothing is decoded. */
int rt_resolve_main(struct rt_resolver *resolver, const char *path, struct rt_resolved *resolved_out, char **why_out);

/* What SPECIFIER in REFERRER says, before any file is looked at: an absolute path, normalised and decoded, if it is a
 * path or a file: URL; "node:path" for "path"; else SPECIFIER itself. NULL: no file can have such a name. To free. */
char *rt_specifier_name(const char *specifier, const char *referrer);

/* The file: URL of an absolute PATH, with SUFFIX, to free. */
char *rt_file_url(const char *path, const char *suffix);

/* Removes "." and ".." and doubled slashes from PATH, as far as that can be done without looking at the disk: a
 * relative one may still begin with "..", and is "." when nothing else is left. In place. */
void rt_normalise_path(char *path);

bool rt_has_suffix(const char *path, const char *suffix);
/* Is the file written for TypeScript's rules? */
bool rt_is_typescript(const char *path);

/* MEMORY, which must not be NULL: without memory for paths and messages the process ends. */
void *rt_must(void *memory);
/* Text as printf makes it. The caller frees it. */
char *rt_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
