/* resolve.c: see resolve.h. Owns the rules by which a specifier becomes a path; knows nothing of V8. */

#include "runtime/resolve.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/node_names.h"
#include "runtime/resolve_internal.h"

/* What a missing file may have been meant as, for the hint. */
static const char *const guessed_suffixes[] = {".ts",  ".js",  ".mts",      ".mjs",      ".json",     ".cts",
                                               ".cjs", ".tsx", "/index.ts", "/index.js", "/index.mjs"};
#define GUESS_COUNT (sizeof guessed_suffixes / sizeof *guessed_suffixes)

/* TypeScript wants imports written with the extension that the compiled file would have. */
static const struct {
    const char *written, *meant;
} typescript_extensions[] = {{".js", ".ts"}, {".js", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}, {".jsx", ".tsx"}};

void *rt_must(void *memory) {
    if (!memory) abort();
    return memory;
}

char *rt_format(const char *format, ...) {
    char *text = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    return length < 0 ? rt_must(NULL) : text;
}

bool rt_has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(path + length - suffix_length, suffix) == 0;
}

bool rt_is_typescript(const char *path) {
    return rt_has_suffix(path, ".ts") || rt_has_suffix(path, ".tsx") || rt_has_suffix(path, ".mts") ||
           rt_has_suffix(path, ".cts") || rt_has_suffix(path, ".jsx");
}

/* ---- Real directories ----
 *
 * Thousands of imports share a few directories, and asking the kernel about each component of each path adds up: the
 * real path of a directory is found once. */

static uint32_t hash_text(const char *text, size_t length) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

struct rt_resolver *rt_resolver_new(void) {
    struct rt_resolver *resolver = rt_must(calloc(1, sizeof *resolver));
    resolver->configs = rt_tsconfigs_new();
    resolver->packages = rt_packages_new();
    return resolver;
}

void rt_resolver_free(struct rt_resolver *resolver) {
    for (size_t i = 0; i < sizeof resolver->buckets / sizeof *resolver->buckets; i++)
        while (resolver->buckets[i]) {
            struct directory *next = resolver->buckets[i]->next;
            free(resolver->buckets[i]->path);
            free(resolver->buckets[i]->real);
            free(resolver->buckets[i]);
            resolver->buckets[i] = next;
        }
    rt_tsconfigs_free(resolver->configs);
    rt_packages_free(resolver->packages);
    free(resolver);
}

const struct rt_tsconfig *rt_resolver_config(struct rt_resolver *resolver, const char *file) {
    return rt_tsconfig_for(resolver->configs, file);
}

enum rt_package_type rt_resolver_type(struct rt_resolver *resolver, const char *file) {
    const struct rt_package *package = rt_package_of(resolver->packages, file);
    return package ? package->type : RT_PACKAGE_SAYS_NOTHING;
}

/* NULL when there is none; that isn't remembered. */
const char *rt_real_directory(struct rt_resolver *resolver, const char *path, size_t length) {
    struct directory **bucket = &resolver->buckets[hash_text(path, length) % 256];
    for (struct directory *at = *bucket; at; at = at->next)
        if (strncmp(at->path, path, length) == 0 && at->path[length] == 0) return at->real;
    char *copy = rt_must(strndup(path, length));
    char *real = realpath(length > 0 ? copy : "/", NULL);
    if (!real) {
        free(copy);
        return NULL;
    }
    struct directory *added = rt_must(malloc(sizeof *added));
    *added = (struct directory){copy, real, *bucket};
    *bucket = added;
    return real;
}

/* The real path of the file PATH (absolute), to free; NULL with errno. */
char *rt_real_file(struct rt_resolver *resolver, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *directory = rt_real_directory(resolver, path, (size_t)(slash - path));
    struct stat status;
    if (!directory) return NULL;
    char *file = rt_format("%s/%s", strcmp(directory, "/") == 0 ? "" : directory, slash + 1);
    int found = lstat(file, &status);
    if (found == 0 && S_ISLNK(status.st_mode)) {
        char *real = realpath(file, NULL);
        free(file);
        file = real;
        found = file ? stat(file, &status) : -1;
    }
    if (found == 0 && !S_ISDIR(status.st_mode)) return file;
    if (found == 0) errno = EISDIR;
    int saved_errno = errno;
    free(file);
    errno = saved_errno;
    return NULL;
}

/* ---- Specifiers as URLs ---- */

void rt_normalise_path(char *path) {
    bool is_absolute = path[0] == '/';
    char *start = path + is_absolute, *to = start, *floor = start; /* ".." goes up as far as FLOOR */
    for (char *from = start, *end; *from; from = end + (*end == '/')) {
        end = from + strcspn(from, "/");
        size_t length = (size_t)(end - from);
        bool is_parent = length == 2 && from[0] == '.' && from[1] == '.';
        if (length == 0 || (length == 1 && from[0] == '.') || (is_parent && is_absolute && to == start)) continue;
        if (is_parent && to > floor) {
            while (--to > floor && *to != '/') {
            }
            continue;
        }
        if (to > start) *to++ = '/';
        memmove(to, from, length);
        to += length;
        if (is_parent) floor = to;
    }
    if (to == path && *path) *to++ = '.';
    *to = 0;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX in place. False: a slash or a NUL is hidden in it, which no file can mean. */
static bool percent_decode(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        int high = from[0] == '%' ? hex_value(from[1]) : -1;
        int low = high >= 0 ? hex_value(from[2]) : -1;
        if (low >= 0) {
            int byte = high * 16 + low;
            if (byte == 0 || byte == '/') return false;
            *to++ = (char)byte;
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return true;
}

char *rt_file_url(const char *path, const char *suffix) {
    static const char digits[] = "0123456789ABCDEF", kept[] = "/-._~!$&'()*+,;=:@";
    char *url = rt_must(malloc(strlen(path) * 3 + strlen(suffix) + sizeof "file://")), *to = stpcpy(url, "file://");
    for (; *path; path++) {
        unsigned char byte = (unsigned char)*path;
        if ((byte < 0x80 && isalnum(byte)) || strchr(kept, byte)) {
            *to++ = (char)byte;
        } else {
            *to++ = '%';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
        }
    }
    strcpy(to, suffix);
    return url;
}

bool rt_starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_relative(const char *specifier) {
    return rt_starts_with(specifier, "./") || rt_starts_with(specifier, "../") || strcmp(specifier, ".") == 0 ||
           strcmp(specifier, "..") == 0;
}

/* The length of "scheme:" at the start, 0 when there is none. */
static size_t scheme_length(const char *specifier) {
    size_t length = 0;
    while (isalnum((unsigned char)specifier[length]) ||
           (length > 0 && strchr("+-.", specifier[length]) && specifier[length]))
        length++;
    return length > 0 && specifier[length] == ':' ? length + 1 : 0;
}

/* The directory of REFERRER, or the working directory; to free. */
static char *base_directory(const char *referrer) {
    if (referrer[0] == '/') return rt_must(strndup(referrer, (size_t)(strrchr(referrer, '/') - referrer)));
    char *directory = getcwd(NULL, 0);
    return directory ? directory : rt_must(strdup(""));
}

/* ---- Why it is not found ---- */

bool rt_is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file that PATH, written as SPECIFIER, may have been meant as: "; did you mean './x.ts'?", or "". */
char *rt_guess(const char *path, const char *specifier) {
    size_t written = strcspn(specifier, "?#");
    while (written > 1 && specifier[written - 1] == '/')
        written--;
    for (size_t i = 0; i < GUESS_COUNT; i++) {
        char *candidate = rt_format("%s%s", path, guessed_suffixes[i]);
        bool exists = rt_is_file(candidate);
        free(candidate);
        if (exists) return rt_format("; did you mean '%.*s%s'?", (int)written, specifier, guessed_suffixes[i]);
    }
    const char *dot = strrchr(path, '.');
    if (dot && !strchr(dot, '/') && written > strlen(dot))
        for (size_t i = 0; i < GUESS_COUNT; i++) {
            char *candidate = rt_format("%.*s%s", (int)(dot - path), path, guessed_suffixes[i]);
            bool exists = rt_is_file(candidate);
            free(candidate);
            if (exists)
                return rt_format("; did you mean '%.*s%s'?", (int)(written - strlen(dot)), specifier,
                                 guessed_suffixes[i]);
        }
    return rt_must(strdup(""));
}

char *rt_why_not(const char *path, const char *specifier, const char *also_tried, int error) {
    char *hint =
        error == ENOENT || error == EISDIR || error == ENOTDIR ? rt_guess(path, specifier) : rt_must(strdup(""));
    const char *what = error == ENOENT || error == ENOTDIR ? "there is no such file" : strerror(error);
    if (error == EISDIR) what = "it is a directory";
    char *why =
        rt_format("tried %s%s%s: %s%s", path, also_tried ? " and " : "", also_tried ? also_tried : "", what, hint);
    free(hint);
    return why;
}

/* ---- TypeScript's other ways to name a file ---- */

/* What a TypeScript file may leave out, in TypeScript's order. */
static const char *const implied_suffixes[] = {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"};
#define IMPLIED_COUNT (sizeof implied_suffixes / sizeof *implied_suffixes)

/* The file of the TypeScript user's './x.js', when only x.ts is there. */
char *rt_real_typescript_file(struct rt_resolver *resolver, const char *path, char **tried_out) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof typescript_extensions / sizeof *typescript_extensions; i++) {
        if (strcmp(dot, typescript_extensions[i].written) != 0) continue;
        char *candidate = rt_format("%.*s%s", (int)(dot - path), path, typescript_extensions[i].meant);
        char *real = rt_real_file(resolver, candidate);
        if (!*tried_out && !real)
            *tried_out = candidate;
        else
            free(candidate);
        if (real) return real;
    }
    return NULL;
}

/* The file of './x': x.ts and the like, or x/index.ts. Whatever else there is, is *OTHER_OUT. */
static char *real_implied_file(struct rt_resolver *resolver, const char *path, char **other_out) {
    char *found = NULL;
    bool has_name = path[strlen(path) - 1] != '/';
    for (size_t i = has_name ? 0 : IMPLIED_COUNT; i < 2 * IMPLIED_COUNT && !*other_out; i++) {
        const char *middle = i < IMPLIED_COUNT ? "" : has_name ? "/index" : "index";
        char *candidate = rt_format("%s%s%s", path, middle, implied_suffixes[i % IMPLIED_COUNT]);
        char *real = rt_real_file(resolver, candidate);
        free(candidate);
        if (found)
            *other_out = real;
        else
            found = real;
    }
    return found;
}

static void note_other(struct rt_resolved *resolved, const char *specifier, const char *other) {
    resolved->note = rt_format("'%s' could mean %s or %s; fino took the first (write the whole name to say which)",
                               specifier, resolved->path, other);
}

/* What was compiled in place may be older than its source. */
static void note_source(struct rt_resolved *resolved, const char *specifier) {
    const char *path = resolved->path;
    if (!rt_has_suffix(path, ".js") || strstr(path, "/node_modules/")) return;
    for (size_t i = 0; i < 2; i++) {
        char *source = rt_format("%.*s%s", (int)(strlen(path) - 3), path, implied_suffixes[i]);
        if (rt_is_file(source) && !resolved->note) note_other(resolved, specifier, source);
        free(source);
    }
}

/* Finds the file that PATH, written as SPECIFIER by a TypeScript file, stands for. Returns false if there is none. */
static bool find_typescript(struct rt_resolver *resolver, const char *path, const char *specifier,
                            struct rt_resolved *resolved_out) {
    char *other = NULL;
    resolved_out->path = real_implied_file(resolver, path, &other);
    if (other) note_other(resolved_out, specifier, other);
    free(other);
    return resolved_out->path != NULL;
}

/* ---- Resolving ---- */

int rt_resolve_path(struct rt_resolver *resolver, const char *path, const char *specifier, bool from_typescript,
                    struct rt_resolved *resolved_out, char **why_out) {
    char *tried = NULL;
    resolved_out->path = rt_real_file(resolver, path);
    int error = errno;
    if (resolved_out->path && from_typescript) note_source(resolved_out, specifier);
    if (!resolved_out->path && error == ENOENT) resolved_out->path = rt_real_typescript_file(resolver, path, &tried);
    bool may_imply = from_typescript && (error == ENOENT || error == EISDIR);
    if (!resolved_out->path && !(may_imply && find_typescript(resolver, path, specifier, resolved_out)))
        *why_out = rt_why_not(path, specifier, tried, error);
    free(tried);
    return resolved_out->path ? 0 : -1;
}

struct mapped {
    struct rt_resolver *resolver;
    const char *specifier;
    struct rt_resolved *resolved;
};

/* Types are no module: a path that leads to them only leaves the specifier to others. */
static bool try_mapped(void *context, const char *path) {
    struct mapped *mapped = context;
    char *why = NULL;
    if (rt_resolve_path(mapped->resolver, path, mapped->specifier, true, mapped->resolved, &why) != 0) {
        free(why);
        return false;
    }
    if (!rt_has_suffix(mapped->resolved->path, ".d.ts")) return true;
    rt_resolved_free(mapped->resolved);
    return false;
}

/* By the `paths` and `baseUrl` of REFERRER's tsconfig.json. */
static bool resolve_mapped(struct rt_resolver *resolver, const char *specifier, const char *referrer,
                           struct rt_resolved *resolved_out) {
    if (referrer[0] != '/') return false;
    struct mapped mapped = {resolver, specifier, resolved_out};
    if (!rt_tsconfig_match(rt_resolver_config(resolver, referrer), specifier, try_mapped, &mapped)) return false;
    resolved_out->suffix = rt_must(strdup(""));
    return true;
}

/* An import as it stands in a file. */
struct written {
    const char *specifier;
    bool by_typescript;
};

/* Does TEXT, a path, say itself that it is a directory? */
bool rt_names_directory(const char *text) {
    return rt_has_suffix(text, "/") || rt_has_suffix(text, "/.") || rt_has_suffix(text, "/..") ||
           strcmp(text, ".") == 0 || strcmp(text, "..") == 0;
}

/* The path that REST means, what follows the scheme and host of a URL or a relative path below BASE, up to its suffix;
 * to free. *IS_DIRECTORY_OUT: it says itself that it is one. NULL: no file can have such a name. */
static char *path_of(const char *base, const char *rest, bool *is_directory_out) {
    char *decoded = rt_must(strndup(rest, strcspn(rest, "?#")));
    char *path = NULL;
    if (percent_decode(decoded)) {
        *is_directory_out = rt_names_directory(decoded);
        path = rt_format("%s/%s/", base, decoded);
        rt_normalise_path(path);
    }
    free(decoded);
    return path;
}

static int resolve_url_path(struct rt_resolver *resolver, const char *base, const char *rest,
                            const struct written *written, struct rt_resolved *resolved_out, char **why_out) {
    bool is_directory;
    char *path = path_of(base, rest, &is_directory);
    int result = -1;
    if (!path) {
        *why_out = rt_must(strdup("a file's name can't have an encoded '/' or NUL in it"));
    } else {
        if (written->by_typescript && is_directory && strcmp(path, "/") != 0) strcat(path, "/"); /* there was one */
        result = rt_resolve_path(resolver, path, written->specifier, written->by_typescript, resolved_out, why_out);
    }
    free(path);
    resolved_out->suffix = rt_must(strdup(rest + strcspn(rest, "?#")));
    return result;
}

/* What follows the host of a file: URL; NULL if that isn't this machine's. */
static const char *file_url_path(const char *url) {
    const char *rest = url + strlen("file:");
    if (rt_starts_with(rest, "//")) {
        rest += 2;
        if (rt_starts_with(rest, "localhost/")) rest += strlen("localhost");
    }
    return rest[0] == '/' ? rest : NULL;
}

static int resolve_file_url(struct rt_resolver *resolver, const struct written *written,
                            struct rt_resolved *resolved_out, char **why_out) {
    const char *rest = file_url_path(written->specifier);
    if (rest) return resolve_url_path(resolver, "", rest, written, resolved_out, why_out);
    *why_out = rt_must(strdup("a file: URL must name an absolute path on this machine (file:///path)"));
    return -1;
}

char *rt_specifier_name(const char *specifier, const char *referrer) {
    bool is_directory, is_url = rt_starts_with(specifier, "file:");
    const char *rest = is_url ? file_url_path(specifier) : specifier;
    if (!rest) return NULL;
    if (is_relative(specifier)) {
        char *base = base_directory(referrer), *path = path_of(base, rest, &is_directory);
        free(base);
        return path;
    }
    if (rest[0] == '/') return path_of("", rest, &is_directory);
    return rt_format("%s%s", rt_node_name(specifier) == RT_NODE_THERE ? "node:" : "", specifier);
}

/* ---- Any specifier ---- */

static int resolve_asked(const struct rt_asked *asked) {
    const char *specifier = asked->specifier;
    const struct written written = {specifier, rt_is_typescript(asked->referrer)};
    size_t scheme = scheme_length(specifier);
    if (rt_starts_with(specifier, "node:")) return rt_resolve_node(asked);
    if (rt_starts_with(specifier, "fino:")) {
        *asked->resolved = (struct rt_resolved){.path = rt_must(strdup(specifier)), .is_builtin = true};
        return 0;
    }
    bool is_path = is_relative(specifier) || specifier[0] == '/';
    if (is_path && asked->use == RT_PACKAGE_REQUIRE) return rt_resolve_required_path(asked);
    if (rt_starts_with(specifier, "file:"))
        return resolve_file_url(asked->resolver, &written, asked->resolved, asked->why_out);
    if (is_relative(specifier))
        return resolve_url_path(asked->resolver, asked->base, specifier, &written, asked->resolved, asked->why_out);
    if (resolve_mapped(asked->resolver, specifier, asked->referrer, asked->resolved)) return 0;
    if (scheme > 0) {
        *asked->why_out = rt_format("there are no '%.*s' modules in fino", (int)scheme, specifier);
        return -1;
    }
    if (specifier[0] == '/')
        return resolve_url_path(asked->resolver, "", specifier, &written, asked->resolved, asked->why_out);
    return specifier[0] == '#' ? rt_resolve_internal(asked) : rt_resolve_bare(asked);
}

int rt_resolve(struct rt_resolver *resolver, const char *specifier, const char *referrer, enum rt_package_use use,
               struct rt_resolved *resolved_out, char **why_out) {
    *resolved_out = (struct rt_resolved){0};
    *why_out = NULL;
    char *base = base_directory(referrer);
    const struct rt_asked asked = {resolver, specifier, referrer, base, use, resolved_out, why_out};
    int result = resolve_asked(&asked);
    const char *code = resolved_out->code;
    free(base);
    if (result) {
        rt_resolved_free(resolved_out);
        resolved_out->code = code;
    } else if (!resolved_out->suffix) {
        resolved_out->suffix = rt_must(strdup(""));
    }
    return result;
}

int rt_resolve_main(struct rt_resolver *resolver, const char *given, struct rt_resolved *resolved_out, char **why_out) {
    char *base = base_directory("");
    char *path = given[0] == '/' ? rt_must(strdup(given)) : rt_format("%s/%s", base, given);
    *resolved_out = (struct rt_resolved){.suffix = rt_must(strdup(""))};
    *why_out = NULL;
    int result = rt_resolve_path(resolver, path, given, false, resolved_out, why_out);
    if (result) rt_resolved_free(resolved_out);
    free(path);
    free(base);
    return result;
}

void rt_resolved_free(struct rt_resolved *resolved) {
    free(resolved->path);
    free(resolved->suffix);
    free(resolved->note);
    *resolved = (struct rt_resolved){0};
}
