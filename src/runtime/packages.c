/* packages.c: see packages.h. Owns the table of package.json files and the rules of `exports` and `imports`. */

#include "runtime/packages.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"
#include "runtime/whole_file.h"

#define BUCKET_COUNT 256
/* How deep conditions may be nested: package.json is anybody's. */
#define DEPTH_MAX 32

struct rt_packages {
    struct rt_package *buckets[BUCKET_COUNT];
};

struct rt_packages *rt_packages_new(void) {
    return rt_must(calloc(1, sizeof(struct rt_packages)));
}

void rt_packages_free(struct rt_packages *packages) {
    for (size_t i = 0; i < BUCKET_COUNT; i++)
        while (packages->buckets[i]) {
            struct rt_package *package = packages->buckets[i];
            packages->buckets[i] = package->next;
            rt_jsonc_free(package->json);
            free(package->problem);
            free(package->directory);
            free(package);
        }
    free(packages);
}

/* ---- Reading package.json ---- */

static uint32_t hash_text(const char *text, size_t length) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static void read_fields(struct rt_package *package) {
    const struct rt_jsonc *exports = rt_jsonc_get(package->json, "exports");
    const char *type = rt_jsonc_string(rt_jsonc_get(package->json, "type"));
    package->name = rt_jsonc_string(rt_jsonc_get(package->json, "name"));
    package->main = rt_jsonc_string(rt_jsonc_get(package->json, "main"));
    package->exports = exports && exports->type != RT_JSONC_NULL ? exports : NULL;
    package->imports = rt_jsonc_get(package->json, "imports");
    if (type && strcmp(type, "module") == 0) package->type = RT_PACKAGE_MODULES;
    if (type && strcmp(type, "commonjs") == 0) package->type = RT_PACKAGE_COMMONJS;
}

static void read_package(struct rt_package *package) {
    char *path = rt_format("%s/package.json", package->directory);
    struct rt_jsonc_error error;
    size_t nbytes;
    char *text = rt_read_regular_file(path, &nbytes);
    if (text) {
        package->is_there = true;
        package->json = rt_jsonc_parse(text, nbytes, &error);
        if (!package->json) package->problem = rt_format("%s is not valid JSON: %s", path, error.message);
        read_fields(package);
    }
    free(text);
    free(path);
}

const struct rt_package *rt_package_in(struct rt_packages *packages, const char *directory, size_t length) {
    struct rt_package **bucket = &packages->buckets[hash_text(directory, length) % BUCKET_COUNT];
    struct rt_package *at = *bucket;
    while (at && (strncmp(at->directory, directory, length) != 0 || at->directory[length] != 0))
        at = at->next;
    if (!at) {
        at = rt_must(calloc(1, sizeof *at));
        at->directory = rt_must(strndup(directory, length));
        read_package(at);
        at->next = *bucket;
        *bucket = at;
    }
    return at->is_there ? at : NULL;
}

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

const struct rt_package *rt_package_of(struct rt_packages *packages, const char *file) {
    for (size_t length = strlen(file); length > 0;) {
        while (length > 0 && file[length - 1] != '/')
            length--;
        if (length > 0) length--;
        if (ends_with(file, length, "/node_modules")) return NULL;
        const struct rt_package *package = rt_package_in(packages, file, length);
        if (package) return package;
    }
    return NULL;
}

size_t rt_package_name_length(const char *specifier) {
    size_t length = strcspn(specifier, "/");
    if (specifier[0] == '@') {
        if (!specifier[length]) return 0;
        length += 1 + strcspn(specifier + length + 1, "/");
        if (specifier[length - 1] == '/') return 0;
    }
    if (specifier[0] == '.' || strcspn(specifier, "\\%") < length) return 0;
    return length;
}

/* ---- Conditions ---- */

struct condition_set {
    const char *names[4]; /* NULL after the last */
};
enum { PASS_COUNT = 3 };
static const struct condition_set passes[][PASS_COUNT] = {
    [RT_PACKAGE_IMPORT] = {{{"fino", "import"}}, {{"fino", "require"}}, {{"node", "import", "require"}}},
    [RT_PACKAGE_REQUIRE] = {{{"fino", "require"}}, {{"fino", "import"}}, {{"node", "require", "import"}}},
};

static bool holds(const struct condition_set *conditions, const char *name) {
    for (size_t i = 0; i < 4 && conditions->names[i]; i++)
        if (strcmp(conditions->names[i], name) == 0) return true;
    return strcmp(name, "default") == 0;
}

/* ---- Targets ---- */

/* What a target came to. */
enum found { FOUND_NOTHING, FOUND_REFUSED /* null: not for others */, FOUND_INVALID, FOUND };

struct search {
    const struct rt_package *package;
    const struct condition_set *conditions;
    const char *star; /* what stands for the pattern's star, STAR_LENGTH bytes; NULL: the key has none */
    size_t star_length;
    bool may_leave;     /* may the target be another package? */
    const char *target; /* that was invalid */
    char *path;         /* to free */
};

/* Is there a "..", a "." or a node_modules among the parts of PATH? None may lead out of the package. */
static bool has_wrong_part(const char *path, size_t nbytes) {
    for (size_t i = 0; i < nbytes;) {
        size_t length = 0;
        while (i + length < nbytes && path[i + length] != '/' && path[i + length] != '\\')
            length++;
        const char *part = path + i;
        if ((length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0) ||
            (length == 12 && memcmp(part, "node_modules", 12) == 0))
            return true;
        i += length + 1;
    }
    return false;
}

/* TARGET with the star's text in it, to free. */
static char *fill_stars(const struct search *search, const char *target) {
    size_t count = 0;
    for (const char *at = target; search->star && (at = strchr(at, '*')); at++)
        count++;
    char *filled = rt_must(malloc(strlen(target) + count * search->star_length + 1)), *to = filled;
    for (; *target; target++) {
        if (search->star && *target == '*')
            to = mempcpy(to, search->star, search->star_length);
        else
            *to++ = *target;
    }
    *to = 0;
    return filled;
}

static enum found find_text(struct search *search, const char *target) {
    if (strncmp(target, "./", 2) != 0) {
        search->target = target;
        if (!search->may_leave || target[0] == '/' || strncmp(target, "../", 3) == 0) return FOUND_INVALID;
        search->path = fill_stars(search, target);
        return FOUND;
    }
    search->target = target;
    if (has_wrong_part(target + 2, strlen(target + 2))) return FOUND_INVALID;
    if (search->star && has_wrong_part(search->star, search->star_length)) return FOUND_INVALID;
    char *inside = fill_stars(search, target + 2);
    search->path = rt_format("%s/%s", search->package->directory, inside);
    free(inside);
    return FOUND;
}

static enum found find_target(struct search *search, const struct rt_jsonc *target, unsigned depth) {
    enum found found = FOUND_NOTHING;
    if (depth > DEPTH_MAX) return FOUND_INVALID;
    switch (target->type) {
        case RT_JSONC_STRING: return find_text(search, target->text);
        case RT_JSONC_NULL: return FOUND_REFUSED;
        case RT_JSONC_OBJECT:
            for (const struct rt_jsonc *at = target->first; at && found == FOUND_NOTHING; at = at->next)
                if (holds(search->conditions, at->key)) found = find_target(search, at, depth + 1);
            return found;
        case RT_JSONC_ARRAY:
            for (const struct rt_jsonc *at = target->first; at && found != FOUND; at = at->next) {
                enum found one = find_target(search, at, depth + 1);
                if (one != FOUND_NOTHING) found = one;
            }
            return found;
        default: return FOUND_INVALID;
    }
}

/* ---- Keys ---- */

/* Does KEY, with a star in it, match NAME? Then *STAR_OUT is what the star stands for. */
static bool matches(const char *key, const char *name, const char **star_out, size_t *star_length_out) {
    const char *star = strchr(key, '*');
    if (!star || strchr(star + 1, '*')) return false;
    size_t before = (size_t)(star - key), after = strlen(star + 1), length = strlen(name);
    if (length <= before + after || strncmp(key, name, before) != 0) return false;
    if (strcmp(name + length - after, star + 1) != 0) return false;
    *star_out = name + before;
    *star_length_out = length - before - after;
    return true;
}

/* The entry of MAPPING for NAME: itself, or else the pattern with the longest text before its star. */
static const struct rt_jsonc *entry_for(const struct rt_jsonc *mapping, const char *name, struct search *search) {
    search->star = NULL;
    if (!strchr(name, '*')) {
        const struct rt_jsonc *exact = rt_jsonc_get(mapping, name);
        if (exact) return exact;
    }
    const struct rt_jsonc *best = NULL;
    size_t best_before = 0, best_length = 0;
    for (const struct rt_jsonc *at = mapping->first; at; at = at->next) {
        const char *star;
        size_t star_length;
        if (!matches(at->key, name, &star, &star_length)) continue;
        size_t before = (size_t)(strchr(at->key, '*') - at->key), length = strlen(at->key);
        if (best && (before < best_before || (before == best_before && length <= best_length))) continue;
        best = at;
        best_before = before;
        best_length = length;
        search->star = star;
        search->star_length = star_length;
    }
    return best;
}

/* Finds what ENTRY leads to by the first set of conditions that leads anywhere. */
static enum found find_by_use(struct search *search, const struct rt_jsonc *entry, enum rt_package_use use) {
    enum found found = FOUND_NOTHING;
    for (size_t i = 0; i < PASS_COUNT && found == FOUND_NOTHING; i++) {
        search->conditions = &passes[use][i];
        found = find_target(search, entry, 0);
    }
    return found;
}

static const char *label_of(const struct rt_package *package) {
    return package->name ? package->name : package->directory;
}

static char *explain(const struct search *search, enum found found, const char *field, const char *key) {
    const struct rt_package *package = search->package;
    if (found == FOUND_INVALID)
        return rt_format("the \"%s\" of %s/package.json lead from '%s' to '%s', which is not a file of the package",
                         field, package->directory, key, search->target ? search->target : "what is no path");
    if (found == FOUND_REFUSED)
        return rt_format("package '%s' keeps '%s' to itself (null in the \"%s\" of %s/package.json)", label_of(package),
                         key, field, package->directory);
    return rt_format("the \"%s\" of %s/package.json have nothing for '%s' under the conditions that fino knows (fino, "
                     "import, require, node, default)",
                     field, package->directory, key);
}

/* "'.', './x' and 3 more": the keys that MAPPING has, for a hint. */
static char *list_keys(const struct rt_jsonc *mapping) {
    enum { SHOWN_MAX = 6 };
    char *list = rt_must(strdup(""));
    size_t count = 0;
    for (const struct rt_jsonc *at = mapping->first; at; at = at->next) {
        if (count++ >= SHOWN_MAX) continue;
        char *longer = rt_format("%s%s'%s'", list, count > 1 ? ", " : "", at->key);
        free(list);
        list = longer;
    }
    if (count > SHOWN_MAX) {
        char *longer = rt_format("%s and %zu more", list, count - SHOWN_MAX);
        free(list);
        list = longer;
    }
    return list;
}

/* Are the keys of EXPORTS subpaths, and not conditions? */
static bool has_subpaths(const struct rt_jsonc *exports) {
    return exports->type == RT_JSONC_OBJECT && exports->first && exports->first->key[0] == '.';
}

char *rt_package_export(const struct rt_package *package, const char *subpath, enum rt_package_use use,
                        char **why_out) {
    struct search search = {.package = package};
    const struct rt_jsonc *exports = package->exports, *entry = NULL;
    if (has_subpaths(exports))
        entry = entry_for(exports, subpath, &search);
    else if (strcmp(subpath, ".") == 0)
        entry = exports;
    if (entry) {
        enum found found = find_by_use(&search, entry, use);
        if (found != FOUND) *why_out = explain(&search, found, "exports", subpath);
        return search.path;
    }
    char *list = has_subpaths(exports) ? list_keys(exports) : rt_must(strdup("'.'"));
    *why_out = rt_format("package '%s' does not export '%s': the \"exports\" of %s/package.json have only %s",
                         label_of(package), subpath, package->directory, list);
    free(list);
    return NULL;
}

char *rt_package_import(const struct rt_package *package, const char *specifier, enum rt_package_use use,
                        char **why_out) {
    struct search search = {.package = package, .may_leave = true};
    const struct rt_jsonc *imports = package->imports;
    bool is_name = specifier[1] && specifier[1] != '/';
    const struct rt_jsonc *entry =
        is_name && imports && imports->type == RT_JSONC_OBJECT ? entry_for(imports, specifier, &search) : NULL;
    if (entry) {
        enum found found = find_by_use(&search, entry, use);
        if (found != FOUND) *why_out = explain(&search, found, "imports", specifier);
        return search.path;
    }
    *why_out = rt_format("the \"imports\" of %s/package.json have no '%s'", package->directory, specifier);
    return NULL;
}
