/* packages.h: what package.json files say: which file a package's name stands for, and what its files are.
 *
 * By Node's published rules (its documentation of packages, "Resolution Algorithm Specification"), with fino's own
 * conditions. Knows nothing of V8, and of no file but package.json.
 */
#ifndef FINO_RT_PACKAGES_H
#define FINO_RT_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/jsonc.h"

enum rt_package_type { RT_PACKAGE_SAYS_NOTHING, RT_PACKAGE_MODULES, RT_PACKAGE_COMMONJS };

struct rt_package {
    char *directory; /* where its package.json is */
    char *problem;   /* why that can't be understood, for people; NULL: it can */
    const char *name;
    const char *main;
    enum rt_package_type type;      /* of its .js files */
    const struct rt_jsonc *exports; /* NULL: there are none, and every file may be imported */
    const struct rt_jsonc *imports; /* NULL: there are none */
    struct rt_jsonc *json;          /* of which NAME, MAIN, EXPORTS and IMPORTS are parts */
    struct rt_package *next;        /* in its bucket */
    bool is_there;                  /* is there a package.json? */
};

struct rt_packages; /* remembers each package.json, and where there is none */

struct rt_packages *rt_packages_new(void);
void rt_packages_free(struct rt_packages *packages);

/* The package whose package.json is in DIRECTORY; NULL: there is none. Owned by PACKAGES. */
const struct rt_package *rt_package_in(struct rt_packages *packages, const char *directory, size_t length);

/* The package that FILE, an absolute path, belongs to: of the nearest package.json above it, but not beyond a
 * node_modules. NULL: none. */
const struct rt_package *rt_package_of(struct rt_packages *packages, const char *file);

/* How the package is asked: `import` tries the conditions `fino`, `import` and `default`, and if they lead nowhere,
 * `require`; a require() the other way round. What is only there for `node` is tried last. */
enum rt_package_use { RT_PACKAGE_IMPORT, RT_PACKAGE_REQUIRE };

/* What SUBPATH ("." or "./x") means by PACKAGE's `exports`, which it has. Returns an absolute path, which may not
 * exist, to free; or NULL with *WHY_OUT, for people, to free. */
char *rt_package_export(const struct rt_package *package, const char *subpath, enum rt_package_use use, char **why_out);

/* What SPECIFIER ("#x") means by PACKAGE's `imports`: as rt_package_export, or the specifier of another package. */
char *rt_package_import(const struct rt_package *package, const char *specifier, enum rt_package_use use,
                        char **why_out);

/* The length of the package's name at the start of SPECIFIER ("lodash/get", "@scope/x"); 0: it isn't one. */
size_t rt_package_name_length(const char *specifier);

#endif
