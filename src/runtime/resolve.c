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

/* ---- Real directories ----
 *
 * Thousands of imports share a few directories, and asking the kernel about each component of each path adds up: the
 * real path of a directory is found once. */

struct directory {
    char *path, *real;
    struct directory *next;
};

struct rt_resolver {
    struct directory *buckets[256];
};

static uint32_t hash_text(const char *text, size_t length) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

struct rt_resolver *rt_resolver_new(void) {
    return rt_must(calloc(1, sizeof(struct rt_resolver)));
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
    free(resolver);
}

/* NULL when there is none; that isn't remembered. */
static const char *real_directory(struct rt_resolver *resolver, const char *path, size_t length) {
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
static char *real_file(struct rt_resolver *resolver, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *directory = real_directory(resolver, path, (size_t)(slash - path));
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

/* Without "." and ".." and doubled slashes; PATH is absolute. In place. */
static void normalise(char *path) {
    char *to = path, *from = path;
    while (*from) {
        while (*from == '/')
            from++;
        size_t length = strcspn(from, "/");
        if (length == 0) {
            break;
        } else if (length == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/') {
            }
        } else if (!(length == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    if (to == path) *to++ = '/';
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

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_relative(const char *specifier) {
    return starts_with(specifier, "./") || starts_with(specifier, "../") || strcmp(specifier, ".") == 0 ||
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

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file that PATH, written as SPECIFIER, may have been meant as: "; did you mean './x.ts'?", or "". */
static char *guess(const char *path, const char *specifier) {
    size_t written = strcspn(specifier, "?#");
    while (written > 1 && specifier[written - 1] == '/')
        written--;
    for (size_t i = 0; i < GUESS_COUNT; i++) {
        char *candidate = rt_format("%s%s", path, guessed_suffixes[i]);
        bool exists = is_file(candidate);
        free(candidate);
        if (exists) return rt_format("; did you mean '%.*s%s'?", (int)written, specifier, guessed_suffixes[i]);
    }
    const char *dot = strrchr(path, '.');
    if (dot && !strchr(dot, '/') && written > strlen(dot))
        for (size_t i = 0; i < GUESS_COUNT; i++) {
            char *candidate = rt_format("%.*s%s", (int)(dot - path), path, guessed_suffixes[i]);
            bool exists = is_file(candidate);
            free(candidate);
            if (exists)
                return rt_format("; did you mean '%.*s%s'?", (int)(written - strlen(dot)), specifier,
                                   guessed_suffixes[i]);
        }
    return rt_must(strdup(""));
}

static char *why_not(const char *path, const char *specifier, const char *also_tried, int error) {
    char *hint = error == ENOENT || error == EISDIR || error == ENOTDIR ? guess(path, specifier) : rt_must(strdup(""));
    const char *what = error == ENOENT || error == ENOTDIR ? "there is no such file" : strerror(error);
    if (error == EISDIR) what = "it is a directory";
    char *why =
        rt_format("tried %s%s%s: %s%s", path, also_tried ? " and " : "", also_tried ? also_tried : "", what, hint);
    free(hint);
    return why;
}

/* ---- Resolving ---- */

/* The file of the TypeScript user's './x.js', when only x.ts is there. */
static char *real_typescript_file(struct rt_resolver *resolver, const char *path, char **tried_out) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof typescript_extensions / sizeof *typescript_extensions; i++) {
        if (strcmp(dot, typescript_extensions[i].written) != 0) continue;
        char *candidate = rt_format("%.*s%s", (int)(dot - path), path, typescript_extensions[i].meant);
        char *real = real_file(resolver, candidate);
        if (!*tried_out && !real)
            *tried_out = candidate;
        else
            free(candidate);
        if (real) return real;
    }
    return NULL;
}

static int resolve_path(struct rt_resolver *resolver, const char *path, const char *specifier,
                        struct rt_resolved *resolved_out, char **why_out) {
    char *tried = NULL;
    resolved_out->path = real_file(resolver, path);
    int error = errno;
    if (!resolved_out->path && error == ENOENT) resolved_out->path = real_typescript_file(resolver, path, &tried);
    if (!resolved_out->path) *why_out = why_not(path, specifier, tried, error);
    free(tried);
    return resolved_out->path ? 0 : -1;
}

/* REST: what follows the scheme and host of a URL, or a relative path below BASE. */
static int resolve_url_path(struct rt_resolver *resolver, const char *base, const char *rest, const char *specifier,
                            struct rt_resolved *resolved_out, char **why_out) {
    size_t length = strcspn(rest, "?#");
    char *decoded = rt_must(strndup(rest, length));
    int result = -1;
    if (!percent_decode(decoded)) {
        *why_out = rt_must(strdup("a file's name can't have an encoded '/' or NUL in it"));
    } else {
        char *path = rt_format("%s/%s", base, decoded);
        normalise(path);
        result = resolve_path(resolver, path, specifier, resolved_out, why_out);
        free(path);
    }
    free(decoded);
    resolved_out->suffix = rt_must(strdup(rest + length));
    return result;
}

static int resolve_file_url(struct rt_resolver *resolver, const char *specifier, struct rt_resolved *resolved_out,
                            char **why_out) {
    const char *rest = specifier + strlen("file:");
    if (starts_with(rest, "//")) {
        rest += 2;
        if (starts_with(rest, "localhost/")) rest += strlen("localhost");
    }
    if (rest[0] == '/') return resolve_url_path(resolver, "", rest, specifier, resolved_out, why_out);
    *why_out = rt_must(strdup("a file: URL must name an absolute path on this machine (file:///path)"));
    return -1;
}

/* 'lodash', '@scope/x', '#internal' */
static char *why_bare(const char *specifier, const char *base) {
    char *path = rt_format("%s/%s", base, specifier);
    char *hint = is_file(path) ? rt_format("; did you mean './%s'?", specifier) : guess(path, specifier);
    char *why = rt_format("it is neither a path ('./%s') nor a built-in module ('fino:...'), and fino does not look "
                            "for packages%s",
                            specifier, hint);
    free(hint);
    free(path);
    return why;
}

int rt_resolve(struct rt_resolver *resolver, const char *specifier, const char *referrer,
               struct rt_resolved *resolved_out, char **why_out) {
    *resolved_out = (struct rt_resolved){0};
    *why_out = NULL;
    if (starts_with(specifier, "fino:")) {
        *resolved_out = (struct rt_resolved){rt_must(strdup(specifier)), rt_must(strdup("")), true};
        return 0;
    }
    int result = -1;
    char *base = base_directory(referrer);
    size_t scheme = scheme_length(specifier);
    if (starts_with(specifier, "file:"))
        result = resolve_file_url(resolver, specifier, resolved_out, why_out);
    else if (scheme > 0)
        *why_out = rt_format("there are no '%.*s' modules in fino", (int)scheme, specifier);
    else if (specifier[0] == '/')
        result = resolve_url_path(resolver, "", specifier, specifier, resolved_out, why_out);
    else if (is_relative(specifier))
        result = resolve_url_path(resolver, base, specifier, specifier, resolved_out, why_out);
    else
        *why_out = why_bare(specifier, base);
    free(base);
    if (result) rt_resolved_free(resolved_out);
    return result;
}

int rt_resolve_main(struct rt_resolver *resolver, const char *given, struct rt_resolved *resolved_out, char **why_out) {
    char *base = base_directory("");
    char *path = given[0] == '/' ? rt_must(strdup(given)) : rt_format("%s/%s", base, given);
    *resolved_out = (struct rt_resolved){.suffix = rt_must(strdup(""))};
    *why_out = NULL;
    int result = resolve_path(resolver, path, given, resolved_out, why_out);
    if (result) rt_resolved_free(resolved_out);
    free(path);
    free(base);
    return result;
}

void rt_resolved_free(struct rt_resolved *resolved) {
    free(resolved->path);
    free(resolved->suffix);
    *resolved = (struct rt_resolved){0};
}
