/* tsconfig.c: see tsconfig.h. Owns finding, extending and understanding tsconfig.json; jsonc.c reads its syntax, the
 * caller knows what a path may stand for. */
#include "runtime/tsconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/jsonc.h"
#include "runtime/resolve.h"
#include "runtime/whole_file.h"

enum { MAX_EXTENDS = 32 };

struct directory {
    char *path;
    struct rt_tsconfig *config;
    struct directory *next;
};

struct owned_config {
    struct rt_tsconfig config;
    struct owned_config *next;
};

struct rt_tsconfigs {
    struct directory *buckets[256];
    struct owned_config *owned;
    struct rt_tsconfig none;
};

/* One file while it is read. */
struct reading {
    struct rt_tsconfig *config;
    const char *path;     /* of this file */
    char *directory;      /* that it is in */
    const char *main_dir; /* the directory of the file that extends all others: ${configDir} */
    char *text;
    size_t nbytes;
    int depth;
};

/* ---- Small things ---- */

static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return rt_must(strndup(path, slash == path ? 1 : (size_t)(slash - path)));
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void set_string(const char **to, const char *text) {
    free((char *)*to);
    *to = rt_must(strdup(text));
}

/* Latches the first problem: MESSAGE, which it takes, at OFFSET in the file that is read. */
static void problem(struct reading *r, uint32_t offset, char *message) {
    struct rt_tsconfig *config = r->config;
    if (config->problem.message) {
        free(message);
        return;
    }
    config->problem.message = message;
    config->problem.path = rt_must(strdup(r->path));
    config->problem.line = config->problem.column = 1;
    for (uint32_t i = 0; i < offset && i < r->nbytes; i++) {
        unsigned char c = (unsigned char)r->text[i];
        if (c == '\n') {
            config->problem.line++;
            config->problem.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            config->problem.column += c >= 0xF0 ? 2 : 1;
        }
    }
}

/* TEXT as a path, relative to the file it is written in; to free. */
static char *absolute(const struct reading *r, const char *text) {
    static const char variable[] = "${configDir}";
    char *path;
    if (strncmp(text, variable, strlen(variable)) == 0)
        path = rt_format("%s%s", r->main_dir, text + strlen(variable));
    else
        path = text[0] == '/' ? rt_must(strdup(text)) : rt_format("%s/%s", r->directory, text);
    rt_normalise_path(path);
    return path;
}

/* ---- compilerOptions ---- */

static bool read_bool(struct reading *r, const struct rt_jsonc *options, const char *key, bool *to) {
    const struct rt_jsonc *value = rt_jsonc_get(options, key);
    if (!value || value->type == RT_JSONC_NULL) return false;
    if (value->type != RT_JSONC_TRUE && value->type != RT_JSONC_FALSE) {
        problem(r, value->offset, rt_format("\"%s\" must be true or false", key));
        return false;
    }
    *to = value->type == RT_JSONC_TRUE;
    return true;
}

/* NULL, too, when it is no string, which is then a problem. */
static const char *read_string(struct reading *r, const struct rt_jsonc *options, const char *key) {
    const struct rt_jsonc *value = rt_jsonc_get(options, key);
    if (!value || value->type == RT_JSONC_NULL) return NULL;
    if (value->type != RT_JSONC_STRING) problem(r, value->offset, rt_format("\"%s\" must be a string", key));
    return rt_jsonc_string(value);
}

static void read_jsx(struct reading *r, const struct rt_jsonc *options) {
    static const struct {
        const char *name;
        enum rt_ts_jsx jsx;
    } modes[] = {{"react", RT_TS_JSX_CLASSIC},
                 {"react-jsx", RT_TS_JSX_AUTOMATIC},
                 {"react-jsxdev", RT_TS_JSX_DEVELOPMENT},
                 {"preserve", RT_TS_JSX_PRESERVE},
                 {"react-native", RT_TS_JSX_PRESERVE}};
    struct rt_ts_options *to = &r->config->options;
    const char *mode = read_string(r, options, "jsx"), *text;
    bool known = !mode;
    for (size_t i = 0; mode && i < sizeof modes / sizeof *modes; i++) {
        if (strcasecmp(mode, modes[i].name) != 0) continue;
        to->jsx_mode = modes[i].jsx;
        known = true;
    }
    if (!known)
        problem(r, rt_jsonc_get(options, "jsx")->offset,
                rt_must(strdup("\"jsx\" must be \"react\", \"react-jsx\" or \"react-jsxdev\"")));
    if ((text = read_string(r, options, "reactNamespace"))) {
        char *factory = rt_format("%s.createElement", text), *fragment = rt_format("%s.Fragment", text);
        set_string(&to->jsx_factory, factory);
        set_string(&to->jsx_fragment_factory, fragment);
        free(factory);
        free(fragment);
    }
    if ((text = read_string(r, options, "jsxFactory"))) set_string(&to->jsx_factory, text);
    if ((text = read_string(r, options, "jsxFragmentFactory"))) set_string(&to->jsx_fragment_factory, text);
    if ((text = read_string(r, options, "jsxImportSource"))) set_string(&to->jsx_import_source, text);
}

/* Fields are defined, as JavaScript does, from ES2022 on; before, TypeScript assigned them. */
static void read_fields(struct reading *r, const struct rt_jsonc *options, bool *is_explicit) {
    bool define;
    const char *target = read_string(r, options, "target");
    if (read_bool(r, options, "useDefineForClassFields", &define)) {
        *is_explicit = true;
        r->config->options.assign_fields = !define;
    } else if (target && !*is_explicit) {
        long year = strncasecmp(target, "es20", 4) == 0 ? strtol(target + 2, NULL, 10) : 0;
        r->config->options.assign_fields = strcasecmp(target, "esnext") != 0 && year < 2022;
    }
}

static void read_imports(struct reading *r, const struct rt_jsonc *options) {
    struct rt_ts_options *to = &r->config->options;
    bool preserve;
    read_bool(r, options, "verbatimModuleSyntax", &to->verbatim_module_syntax);
    if (read_bool(r, options, "preserveValueImports", &preserve) && preserve) to->verbatim_module_syntax = true;
    const char *unused = read_string(r, options, "importsNotUsedAsValues");
    if (unused) to->keep_unused_imports = strcasecmp(unused, "remove") != 0;
}

static void free_paths(struct rt_tsconfig *config) {
    for (size_t i = 0; i < config->path_count; i++) {
        for (size_t t = 0; t < config->paths[i].target_count; t++)
            free(config->paths[i].targets[t]);
        free(config->paths[i].targets);
        free(config->paths[i].pattern);
    }
    free(config->paths);
    config->paths = NULL;
    config->path_count = 0;
}

static bool has_two_stars(const char *text) {
    const char *star = strchr(text, '*');
    return star && strchr(star + 1, '*');
}

static void read_path(struct reading *r, const struct rt_jsonc *member, const char *base) {
    struct rt_tsconfig *config = r->config;
    if (member->type != RT_JSONC_ARRAY || has_two_stars(member->key)) {
        problem(r, member->offset,
                rt_format("\"paths\" must map \"%s\" to an array of paths, with one \"*\" at most", member->key));
        return;
    }
    size_t count = 0;
    for (const struct rt_jsonc *target = member->first; target; target = target->next)
        count++;
    config->paths = rt_must(realloc(config->paths, (config->path_count + 1) * sizeof *config->paths));
    struct rt_tsconfig_path *path = &config->paths[config->path_count++];
    *path = (struct rt_tsconfig_path){.pattern = rt_must(strdup(member->key)),
                                      .targets = rt_must(calloc(count + 1, sizeof *path->targets))};
    for (const struct rt_jsonc *target = member->first; target; target = target->next) {
        const char *text = rt_jsonc_string(target);
        if (!text || has_two_stars(text)) {
            problem(r, target->offset, rt_must(strdup("a path with one \"*\" at most must be here")));
            return;
        }
        char *joined = text[0] == '/' || text[0] == '$' ? rt_must(strdup(text)) : rt_format("%s/%s", base, text);
        path->targets[path->target_count++] = absolute(r, joined);
        free(joined);
    }
}

static void read_resolution(struct reading *r, const struct rt_jsonc *options) {
    const char *base_url = read_string(r, options, "baseUrl");
    if (base_url) {
        free(r->config->base_url);
        r->config->base_url = absolute(r, base_url);
    }
    const struct rt_jsonc *paths = rt_jsonc_get(options, "paths");
    if (!paths || paths->type == RT_JSONC_NULL) return;
    free_paths(r->config);
    if (paths->type != RT_JSONC_OBJECT) {
        problem(r, paths->offset, rt_must(strdup("\"paths\" must be an object")));
        return;
    }
    for (const struct rt_jsonc *member = paths->first; member; member = member->next)
        read_path(r, member, r->config->base_url ? r->config->base_url : r->directory);
}

static void read_options(struct reading *r, const struct rt_jsonc *options, bool *fields_explicit) {
    struct rt_ts_options *to = &r->config->options;
    if (!options || options->type == RT_JSONC_NULL) return;
    if (options->type != RT_JSONC_OBJECT) {
        problem(r, options->offset, rt_must(strdup("\"compilerOptions\" must be an object")));
        return;
    }
    read_bool(r, options, "experimentalDecorators", &to->legacy_decorators);
    read_bool(r, options, "emitDecoratorMetadata", &to->decorator_metadata);
    read_bool(r, options, "strict", &to->strict_null_checks);
    read_bool(r, options, "strictNullChecks", &to->strict_null_checks);
    read_fields(r, options, fields_explicit);
    read_imports(r, options);
    read_jsx(r, options);
    read_resolution(r, options);
}

/* ---- extends ---- */

/* PATH as it is, with ".json", or the configuration that the package in that folder names; to free. Takes PATH. */
static char *config_file(char *path, bool is_package) {
    if (is_file(path)) return path;
    char *file = rt_format("%s.json", path);
    if (!is_file(file) && is_package) {
        size_t nbytes;
        struct rt_jsonc_error ignored;
        free(file);
        file = rt_format("%s/package.json", path);
        char *text = rt_read_regular_file(file, &nbytes);
        struct rt_jsonc *package = text ? rt_jsonc_parse(text, nbytes, &ignored) : NULL;
        const char *named = rt_jsonc_string(rt_jsonc_get(package, "tsconfig"));
        free(file);
        file = rt_format("%s/%s", path, named ? named : "tsconfig.json");
        rt_jsonc_free(package);
        free(text);
    }
    free(path);
    if (is_file(file)) return file;
    free(file);
    return NULL;
}

/* The file that `"extends": TEXT` means, to free, or NULL. */
static char *extended_file(const struct reading *r, const char *text) {
    if (text[0] == '.' || text[0] == '/' || text[0] == '$') return config_file(absolute(r, text), false);
    for (char *at = rt_must(strdup(r->directory));;) {
        char *found = config_file(rt_format("%s/node_modules/%s", strcmp(at, "/") == 0 ? "" : at, text), true);
        if (found || strcmp(at, "/") == 0) {
            free(at);
            return found;
        }
        char *up = directory_of(at);
        free(at);
        at = up;
    }
}

static void read_config(struct rt_tsconfig *config, const char *path, const char *main_dir, int depth,
                        bool *fields_explicit);

static void extend(struct reading *r, const struct rt_jsonc *value, bool *fields_explicit) {
    const char *text = rt_jsonc_string(value);
    if (!text) {
        problem(r, value->offset, rt_must(strdup("\"extends\" must be a path or an array of paths")));
        return;
    }
    char *file = extended_file(r, text);
    if (!file)
        problem(r, value->offset, rt_format("there is no configuration '%s' to extend", text));
    else if (r->depth >= MAX_EXTENDS)
        problem(r, value->offset, rt_must(strdup("this \"extends\" comes back to itself")));
    else
        read_config(r->config, file, r->main_dir, r->depth + 1, fields_explicit);
    free(file);
}

/* ---- A file ---- */

static void read_config(struct rt_tsconfig *config, const char *path, const char *main_dir, int depth,
                        bool *fields_explicit) {
    struct reading r = {.config = config, .path = path, .main_dir = main_dir, .depth = depth};
    struct rt_jsonc_error error;
    r.directory = directory_of(path);
    r.text = rt_read_regular_file(path, &r.nbytes);
    struct rt_jsonc *root = r.text ? rt_jsonc_parse(r.text, r.nbytes, &error) : NULL;
    if (!r.text) {
        problem(&r, 0, rt_must(strdup("this file can't be read")));
    } else if (!root) {
        problem(&r, error.offset, rt_must(strdup(error.message)));
    } else if (root->type != RT_JSONC_OBJECT) {
        problem(&r, root->offset, rt_must(strdup("expected an object, { ... }")));
    } else {
        const struct rt_jsonc *extends = rt_jsonc_get(root, "extends");
        if (extends && extends->type == RT_JSONC_ARRAY) {
            for (const struct rt_jsonc *one = extends->first; one; one = one->next)
                extend(&r, one, fields_explicit);
        } else if (extends && extends->type != RT_JSONC_NULL) {
            extend(&r, extends, fields_explicit);
        }
        read_options(&r, rt_jsonc_get(root, "compilerOptions"), fields_explicit);
    }
    rt_jsonc_free(root);
    free(r.text);
    free(r.directory);
}

/* ---- The nearest one ---- */

struct rt_tsconfigs *rt_tsconfigs_new(void) {
    return rt_must(calloc(1, sizeof(struct rt_tsconfigs)));
}

void rt_tsconfigs_free(struct rt_tsconfigs *configs) {
    for (size_t i = 0; i < sizeof configs->buckets / sizeof *configs->buckets; i++)
        while (configs->buckets[i]) {
            struct directory *next = configs->buckets[i]->next;
            free(configs->buckets[i]->path);
            free(configs->buckets[i]);
            configs->buckets[i] = next;
        }
    while (configs->owned) {
        struct owned_config *next = configs->owned->next;
        struct rt_tsconfig *config = &configs->owned->config;
        free_paths(config);
        free((char *)config->options.jsx_factory);
        free((char *)config->options.jsx_fragment_factory);
        free((char *)config->options.jsx_import_source);
        free(config->path);
        free(config->base_url);
        free(config->problem.message);
        free(config->problem.path);
        free(configs->owned);
        configs->owned = next;
    }
    free(configs);
}

static struct rt_tsconfig *new_config(struct rt_tsconfigs *configs, const char *path) {
    struct owned_config *owned = rt_must(calloc(1, sizeof *owned));
    bool fields_explicit = false;
    owned->next = configs->owned;
    configs->owned = owned;
    owned->config.path = rt_must(strdup(path));
    char *directory = directory_of(path);
    read_config(&owned->config, path, directory, 0, &fields_explicit);
    free(directory);
    return &owned->config;
}

static uint32_t hash_text(const char *text, size_t length) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* What is nearest to the directory that is the first LENGTH bytes of PATH (0: the root). */
static struct rt_tsconfig *nearest(struct rt_tsconfigs *configs, const char *path, size_t length) {
    struct directory **bucket = &configs->buckets[hash_text(path, length) % 256];
    for (struct directory *at = *bucket; at; at = at->next)
        if (strncmp(at->path, path, length) == 0 && at->path[length] == 0) return at->config;
    char *file = rt_format("%.*s/tsconfig.json", (int)length, path);
    struct rt_tsconfig *config = &configs->none;
    if (is_file(file)) {
        config = new_config(configs, file);
    } else if (length > 0) {
        size_t up = length - 1;
        while (up > 0 && path[up] != '/')
            up--;
        config = nearest(configs, path, up);
    }
    free(file);
    struct directory *added = rt_must(malloc(sizeof *added));
    *added = (struct directory){rt_must(strndup(path, length)), config, *bucket};
    *bucket = added;
    return config;
}

const struct rt_tsconfig *rt_tsconfig_for(struct rt_tsconfigs *configs, const char *file) {
    if (file[0] != '/' || strstr(file, "/node_modules/")) return &configs->none;
    return nearest(configs, file, (size_t)(strrchr(file, '/') - file));
}

/* ---- paths ---- */

/* What `*` in PATTERN stands for when SPECIFIER matches it: its start and *LENGTH_OUT; NULL when it doesn't. */
static const char *match(const char *pattern, const char *specifier, size_t *length_out) {
    const char *star = strchr(pattern, '*');
    size_t prefix = star ? (size_t)(star - pattern) : strlen(pattern), length = strlen(specifier);
    size_t suffix = star ? strlen(star + 1) : 0;
    *length_out = 0;
    if (!star) return strcmp(pattern, specifier) == 0 ? specifier : NULL;
    if (length < prefix + suffix || strncmp(pattern, specifier, prefix) != 0) return NULL;
    if (strcmp(star + 1, specifier + length - suffix) != 0) return NULL;
    *length_out = length - prefix - suffix;
    return specifier + prefix;
}

/* An exact pattern is best, then the one with the longest text before its `*`. */
static const struct rt_tsconfig_path *best_path(const struct rt_tsconfig *config, const char *specifier) {
    const struct rt_tsconfig_path *best = NULL;
    size_t best_prefix = 0, length;
    for (size_t i = 0; i < config->path_count; i++) {
        const char *pattern = config->paths[i].pattern, *star = strchr(pattern, '*');
        if (!match(pattern, specifier, &length)) continue;
        if (!star) return &config->paths[i];
        size_t prefix = (size_t)(star - pattern);
        if (best && prefix <= best_prefix) continue;
        best = &config->paths[i];
        best_prefix = prefix;
    }
    return best;
}

bool rt_tsconfig_match(const struct rt_tsconfig *config, const char *specifier,
                       bool (*try)(void *context, const char *path), void *context) {
    const struct rt_tsconfig_path *path = best_path(config, specifier);
    bool found = false;
    for (size_t i = 0; path && i < path->target_count && !found; i++) {
        size_t length;
        const char *middle = match(path->pattern, specifier, &length), *target = path->targets[i];
        const char *star = strchr(target, '*');
        char *candidate = star ? rt_format("%.*s%.*s%s", (int)(star - target), target, (int)length, middle, star + 1)
                               : rt_must(strdup(target));
        rt_normalise_path(candidate);
        found = try(context, candidate);
        free(candidate);
    }
    if (found || !config->base_url) return found;
    char *candidate = rt_format("%s/%s", config->base_url, specifier);
    rt_normalise_path(candidate);
    found = try(context, candidate);
    free(candidate);
    return found;
}
