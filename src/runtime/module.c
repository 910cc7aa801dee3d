/* module.c: the module graph of a Realm.
 *
 * A graph is loaded breadth first with a work list, then linked and evaluated by V8: files are never recursed into, so
 * that a chain of ten thousand of them is no deeper than one. What a module is (a script, CommonJS, JSON, a built-in)
 * shows only in how it is compiled. Which file a specifier means is resolve.c's business.
 */

#include "runtime/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/errors.h"
#include "runtime/import_rules.h"
#include "runtime/resolve.h"
#include "runtime/typescript.h"
#include "runtime/utf8.h"
#include "runtime/whole_file.h"

enum module_kind { MODULE_SCRIPT, MODULE_COMMONJS, MODULE_JSON, MODULE_BUILTIN };

struct dependency {
    char *specifier;
    bool is_json;
    struct module *module;
};

struct module {
    struct rt_modules *owner;
    enum module_kind kind;
    char *path;            /* real and absolute, or fino:name; the resource name */
    char *suffix;          /* of its URL */
    const char *text;      /* what the file would have in it; NULL: read it */
    struct module *target; /* of a facade: what all of its imports mean; NULL: it is none */
    v8s_module *handle;    /* NULL: not compiled */
    v8s_ref *error;        /* why it can't be compiled: every importer gets the same */
    v8s_ref *value;        /* of JSON: the value; of a built-in: the object of its exports; of CommonJS: its `module` */
    struct dependency *dependencies;
    size_t dependency_count;
    size_t next_dependency; /* V8 asks for them in order: where to look first */
    uint64_t visit;         /* the last load that came by */
    struct module *next;    /* in its bucket */
};

struct rt_modules {
    struct rt_realm *realm;
    struct rt_resolver *resolver;
    struct module **buckets;
    size_t bucket_count; /* a power of two */
    size_t module_count;
    struct module *main;
    uint64_t visit;
    unsigned note_count; /* of imports that could mean two files */
};

/* ---- The table ---- */

struct rt_modules *rt_modules_new(struct rt_realm *realm) {
    struct rt_modules *modules = rt_must(calloc(1, sizeof *modules));
    modules->realm = realm;
    modules->resolver = rt_resolver_new();
    modules->bucket_count = 64;
    modules->buckets = rt_must(calloc(modules->bucket_count, sizeof *modules->buckets));
    return modules;
}

static void free_module(struct module *module) {
    for (size_t i = 0; i < module->dependency_count; i++)
        free(module->dependencies[i].specifier);
    free(module->dependencies);
    v8s_module_free(module->handle);
    v8s_ref_free(module->error);
    v8s_ref_free(module->value);
    free(module->path);
    free(module->suffix);
    free(module);
}

void rt_modules_free(struct rt_modules *modules) {
    for (size_t i = 0; i < modules->bucket_count; i++)
        while (modules->buckets[i]) {
            struct module *next = modules->buckets[i]->next;
            free_module(modules->buckets[i]);
            modules->buckets[i] = next;
        }
    free(modules->buckets);
    rt_resolver_free(modules->resolver);
    free(modules);
}

static uint32_t hash_of(const char *path) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 16777619u;
    return hash;
}

static void grow_table(struct rt_modules *modules) {
    size_t count = modules->bucket_count * 2;
    struct module **buckets = rt_must(calloc(count, sizeof *buckets));
    for (size_t i = 0; i < modules->bucket_count; i++)
        while (modules->buckets[i]) {
            struct module *module = modules->buckets[i];
            modules->buckets[i] = module->next;
            size_t bucket = hash_of(module->path) & (count - 1);
            module->next = buckets[bucket];
            buckets[bucket] = module;
        }
    free(modules->buckets);
    modules->buckets = buckets;
    modules->bucket_count = count;
}

/* The one module of that path, suffix and kind. Takes what is in RESOLVED. */
static struct module *intern_module(struct rt_modules *modules, struct rt_resolved *resolved, enum module_kind kind) {
    uint32_t hash = hash_of(resolved->path);
    for (struct module *at = modules->buckets[hash & (modules->bucket_count - 1)]; at; at = at->next)
        if (at->kind == kind && strcmp(at->path, resolved->path) == 0 && strcmp(at->suffix, resolved->suffix) == 0) {
            rt_resolved_free(resolved);
            return at;
        }
    if (modules->module_count >= modules->bucket_count) grow_table(modules);
    struct module **bucket = &modules->buckets[hash & (modules->bucket_count - 1)];
    struct module *added = rt_must(calloc(1, sizeof *added));
    added->owner = modules;
    added->kind = kind;
    added->path = resolved->path;
    added->suffix = resolved->suffix;
    added->next = *bucket;
    *bucket = added;
    modules->module_count++;
    return added;
}

const char *rt_modules_main_path(const struct rt_modules *modules) {
    return modules->main ? modules->main->path : NULL;
}

/* ---- Errors ---- */

/* An error about an import in REFERRER. */
static v8s_value request_error(struct rt_modules *modules, enum v8s_error_type type, const char *referrer,
                               const struct v8s_request *request, const char *code, char *message) {
    struct rt_realm *realm = modules->realm;
    v8s_value error = v8s_error_new(realm->isolate, type, message);
    free(message);
    v8s_set(realm->isolate, error, "code", v8s_string(realm->isolate, code));
    if (request->line > 0)
        rt_error_set_place(realm, error, referrer, (uint32_t)request->line, (uint32_t)request->column);
    return error;
}

static v8s_value not_found_error(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                                 char *why) {
    char place[32] = "";
    if (request->line > 0) snprintf(place, sizeof place, ":%d:%d", request->line, request->column);
    char *message =
        rt_format("Cannot find module '%s' imported from %s%s: %s", request->specifier, referrer, place, why);
    free(why);
    return request_error(modules, V8S_ERROR, referrer, request, "ERR_MODULE_NOT_FOUND", message);
}

/* ---- Resolving a request ---- */

static bool has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(path + length - suffix_length, suffix) == 0;
}

static enum module_kind kind_of_file(const char *path) {
    return has_suffix(path, ".cjs") || has_suffix(path, ".cts") ? MODULE_COMMONJS : MODULE_SCRIPT;
}

/* Says, of a few imports, that they could mean another file than the one that was taken; of a sandbox's they don't. */
static void print_note(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                       const char *note) {
    enum { NOTES_MAX = 5 };
    if (!note || modules->realm->options.rules || modules->note_count++ >= NOTES_MAX) return;
    if (request->line > 0)
        fprintf(stderr, "%s:%d:%d: note: %s\n", referrer, request->line, request->column, note);
    else
        fprintf(stderr, "%s: note: %s\n", referrer, note);
}

/* The module of RESOLVED, which it takes, or NULL with *ERROR_OUT. */
static struct module *module_for_resolved(struct rt_modules *modules, const char *referrer,
                                          const struct v8s_request *request, struct rt_resolved *resolved,
                                          v8s_value *error_out) {
    if (resolved->is_builtin) return intern_module(modules, resolved, MODULE_BUILTIN);
    print_note(modules, referrer, request, resolved->note);
    if (!request->type && has_suffix(resolved->path, ".json")) {
        *error_out =
            request_error(modules, V8S_TYPE_ERROR, referrer, request, "ERR_IMPORT_ASSERTION_TYPE_MISSING",
                          rt_format("Import of '%s': JSON needs `assert { type: 'json' }`", request->specifier));
        rt_resolved_free(resolved);
        return NULL;
    }
    return intern_module(modules, resolved, request->type ? MODULE_JSON : kind_of_file(resolved->path));
}

/* ---- Rules ----
 *
 * In a Realm that has some, they come before any look at a file: what is refused can't be told from what isn't there.
 */

/* A suffix that no specifier has: those begin with '?' or '#'. */
#define SOURCE_SUFFIX "source"

static v8s_value refused_error(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                               char *by) {
    char place[32] = "";
    if (request->line > 0) snprintf(place, sizeof place, ":%d:%d", request->line, request->column);
    char *message = rt_format("Import of '%s' from %s%s is refused: %s", request->specifier,
                              referrer[0] ? referrer : "a script without a name", place, by);
    free(by);
    return request_error(modules, V8S_ERROR, referrer, request, "ERR_IMPORT_REFUSED", message);
}

/* A module NAME that has the text SOURCE. */
static struct module *module_of_text(struct rt_modules *modules, const char *name, const struct v8s_request *request,
                                     const char *source) {
    struct rt_resolved resolved = {.path = rt_must(strdup(name)), .suffix = rt_must(strdup(SOURCE_SUFFIX))};
    struct module *module = intern_module(modules, &resolved, request->type ? MODULE_JSON : MODULE_SCRIPT);
    module->text = source;
    return module;
}

/* Finds the file or built-in module that DECISION is about. Returns 0, or -1 with *ERROR_OUT. */
static int resolve_permitted(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                             const struct rt_import_decision *decision, struct rt_resolved *resolved_out,
                             v8s_value *error_out) {
    const char *name = decision->is_remapped ? decision->name : request->specifier;
    char *why;
    int result = name[0] == '/' && decision->is_remapped
                     ? rt_resolve_main(modules->resolver, name, resolved_out, &why)
                     : rt_resolve(modules->resolver, name, referrer, resolved_out, &why);
    if (result != 0) {
        free(why); /* it tells of files nearby */
        *error_out = not_found_error(modules, referrer, request, rt_must(strdup("there is no such module")));
    } else if (!resolved_out->is_builtin && !rt_import_rules_admit(decision, resolved_out->path)) {
        rt_resolved_free(resolved_out);
        *error_out = refused_error(modules, referrer, request,
                                   rt_must(strdup("it leads to a file of another name, which no rule allows")));
        result = -1;
    }
    return result;
}

/* TARGET as the modules of DECISION's facades show it, the nearest to the importer last. */
static struct module *behind_facades(struct rt_modules *modules, struct module *target,
                                     const struct rt_import_decision *decision) {
    for (size_t i = decision->facade_count; i > 0; i--) {
        const char *text = decision->facades[i - 1];
        struct rt_resolved resolved = {.path = rt_must(strdup(target->path)),
                                       .suffix = rt_format("%s\n%s", target->suffix, text)};
        struct module *facade = intern_module(modules, &resolved, MODULE_SCRIPT);
        facade->text = text;
        facade->target = target;
        target = facade;
    }
    return target;
}

/* What the Realm's rules make of REQUEST, in *DECISION_OUT. Returns whether they allow it; if not, *ERROR_OUT. */
static bool decide(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                   struct rt_import_decision *decision_out, v8s_value *error_out) {
    char *name = rt_specifier_name(request->specifier, referrer);
    char *by = name ? rt_import_rules_decide(modules->realm->options.rules, name, decision_out) : NULL;
    if (!name)
        *error_out = not_found_error(modules, referrer, request, rt_must(strdup("no file can have such a name")));
    else if (by)
        *error_out = refused_error(modules, referrer, request, by);
    free(name);
    return name && !by;
}

static struct module *module_permitted(struct rt_modules *modules, const char *referrer,
                                       const struct v8s_request *request, v8s_value *error_out) {
    struct rt_import_decision decision;
    struct rt_resolved resolved;
    struct module *module = NULL;
    if (!decide(modules, referrer, request, &decision, error_out)) return NULL;
    if (decision.source)
        module = module_of_text(modules, decision.name, request, decision.source);
    else if (resolve_permitted(modules, referrer, request, &decision, &resolved, error_out) == 0)
        module = module_for_resolved(modules, referrer, request, &resolved, error_out);
    if (module) module = behind_facades(modules, module, &decision);
    rt_import_decision_free(&decision);
    return module;
}

/* The module that REQUEST in REFERRER means, or NULL with *ERROR_OUT. */
static struct module *module_for_request(struct rt_modules *modules, const char *referrer,
                                         const struct v8s_request *request, v8s_value *error_out) {
    struct rt_resolved resolved;
    char *why;
    if (request->type && strcmp(request->type, "json") != 0) {
        *error_out = request_error(
            modules, V8S_TYPE_ERROR, referrer, request, "ERR_IMPORT_ASSERTION_TYPE_UNSUPPORTED",
            rt_format("Import of '%s': there is no module type '%s', only 'json'", request->specifier, request->type));
        return NULL;
    }
    if (strlen(request->specifier) != request->specifier_nbytes) {
        *error_out = not_found_error(modules, referrer, request, rt_must(strdup("no file has a NUL in its name")));
        return NULL;
    }
    if (modules->realm->options.rules) return module_permitted(modules, referrer, request, error_out);
    if (rt_resolve(modules->resolver, request->specifier, referrer, &resolved, &why) != 0) {
        *error_out = not_found_error(modules, referrer, request, why);
        return NULL;
    }
    return module_for_resolved(modules, referrer, request, &resolved, error_out);
}

/* ---- Reading ---- */

/* TEXT as a string of V8's; takes TEXT. NULL with *ERROR_OUT when it is too long. */
static v8s_value source_string(v8s_isolate *isolate, const char *path, char *text, size_t nbytes,
                               v8s_value *error_out) {
    size_t skip = nbytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    v8s_value string;
    if (rt_utf8_is_ascii(text, nbytes)) {
        string = nbytes > 0 ? v8s_string_owned(isolate, text, nbytes) : v8s_string(isolate, "");
        if (nbytes == 0) free(text);
    } else {
        string = v8s_string_utf8(isolate, text + skip, nbytes - skip);
        free(text);
    }
    if (!string) {
        char *message = rt_format("%s is larger than a string of V8's can be", path);
        *error_out = v8s_error_new(isolate, V8S_RANGE_ERROR, message);
        free(message);
    }
    return string;
}

/* The text of MODULE's file, or NULL with *ERROR_OUT. */
static char *read_module(struct module *module, size_t *nbytes_out, v8s_value *error_out) {
    if (module->text) {
        *nbytes_out = strlen(module->text);
        return rt_must(strdup(module->text));
    }
    char *text = rt_read_whole_file(module->path, nbytes_out);
    if (!text) *error_out = rt_error_from_errno(module->owner->realm->isolate, errno, "open", module->path);
    return text;
}

/* ---- Compiling ---- */

static bool is_typescript(const char *path) {
    return has_suffix(path, ".ts") || has_suffix(path, ".mts") || has_suffix(path, ".cts") ||
           has_suffix(path, ".tsx") || has_suffix(path, ".jsx");
}

/* The SyntaxError of a tsconfig.json that can't be understood. */
static v8s_value config_error(struct rt_realm *realm, const struct rt_tsconfig *config) {
    v8s_value error = v8s_error_new(realm->isolate, V8S_SYNTAX_ERROR, config->problem.message);
    rt_error_set_place(realm, error, config->problem.path, config->problem.line, config->problem.column);
    return error;
}

/* V8 12.3 is the first to know `with { type: "json" }`; before, it was `assert`. */
static bool knows_attributes(void) {
    int major = 0, minor = 0;
    sscanf(v8s_version(), "%d.%d", &major, &minor);
    return major > 12 || (major == 12 && minor >= 3);
}

/* TEXT, which it takes, with its types erased, or NULL with *ERROR_OUT. */
static char *erase_types(struct module *module, char *text, size_t *nbytes, v8s_value *error_out) {
    struct rt_realm *realm = module->owner->realm;
    const struct rt_tsconfig *config = rt_resolver_config(module->owner->resolver, module->path);
    struct rt_ts_options options = config->options;
    struct rt_ts_error problem = {0};
    char *erased = NULL;
    if (config->problem.message) {
        *error_out = config_error(realm, config);
        free(text);
        return NULL;
    }
    options.javascript = has_suffix(module->path, ".jsx");
    options.jsx = options.javascript || has_suffix(module->path, ".tsx");
    options.commonjs = module->kind == MODULE_COMMONJS;
    options.path = module->path;
    options.attributes_as_assertions = !knows_attributes();
    int result = rt_ts_erase(text, *nbytes, &options, &erased, nbytes, &problem);
    free(text);
    if (result == 0) return erased;
    *error_out = v8s_error_new(realm->isolate, V8S_SYNTAX_ERROR,
                               result == -ENOMEM ? "out of memory while erasing types" : problem.message);
    if (result != -ENOMEM) rt_error_set_place(realm, *error_out, module->path, problem.line, problem.column);
    return NULL;
}

/* A SyntaxError of V8's says in its message where it is, but not in what a handler of the user's would print. */
static v8s_value note_place(struct rt_realm *realm, const struct v8s_caught *caught) {
    struct v8s_place place;
    v8s_place_of(realm->isolate, caught->error, caught->message, &place);
    if (place.resource && v8s_is_object(caught->error)) /* V8's place knows the range: leave that to the report */
        rt_error_note_place_in_stack(realm, caught->error, place.resource, (uint32_t)place.line,
                                     (uint32_t)place.column);
    v8s_place_free(&place);
    return caught->error;
}

/* JavaScript is compiled as it stands: for a V8 that knows import attributes by their old name only, say that one. */
static void explain_attributes(v8s_isolate *isolate, v8s_value error) {
    if (!v8s_is_object(error) || knows_attributes()) return;
    v8s_value message = v8s_get(isolate, error, "message");
    char *text = message && v8s_is_string(message) ? v8s_string_copy(isolate, message, NULL) : NULL;
    if (text && strcmp(text, "Unexpected token 'with'") == 0) {
        static const char longer[] = "Unexpected token 'with': in JavaScript, this V8 wants import attributes written "
                                     "`assert { type: 'json' }` (in TypeScript, either will do)";
        v8s_set(isolate, error, "message", v8s_string(isolate, longer));
    }
    free(text);
}

/* Returns whether it compiled; if not, *ERROR_OUT (NULL: terminated). */
static bool compile_script(struct module *module, v8s_value *error_out) {
    struct rt_realm *realm = module->owner->realm;
    struct v8s_caught caught;
    size_t nbytes;
    char *text = read_module(module, &nbytes, error_out);
    if (text && is_typescript(module->path)) text = erase_types(module, text, &nbytes, error_out);
    v8s_value source = text ? source_string(realm->isolate, module->path, text, nbytes, error_out) : NULL;
    if (!source) return false;
    module->handle = v8s_module_compile(realm->isolate, source, module->path, module, &caught);
    if (!module->handle && caught.error) {
        explain_attributes(realm->isolate, caught.error);
        *error_out = note_place(realm, &caught);
    }
    return module->handle != NULL;
}

static bool export_default(v8s_isolate *isolate, v8s_module *handle, void *data) {
    struct module *module = data;
    return v8s_module_export(isolate, handle, v8s_string(isolate, "default"), v8s_ref_get(isolate, module->value));
}

/* Line and column of "... at position N", as V8's JSON errors end. */
static void place_json_error(struct module *module, v8s_value error, const char *text, size_t nbytes) {
    struct rt_realm *realm = module->owner->realm;
    v8s_value message = v8s_get(realm->isolate, error, "message");
    char *said = message && v8s_is_string(message) ? v8s_string_copy(realm->isolate, message, NULL) : NULL;
    const char *number = said ? strstr(said, "at position ") : NULL;
    size_t units = number ? strtoul(number + strlen("at position "), NULL, 10) : nbytes;
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < nbytes && units > 0; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xC0) == 0x80) continue;
        size_t width = byte >= 0xF0 ? 2 : 1;
        units -= width < units ? width : units;
        column += (uint32_t)width;
        if (byte == '\n') {
            line++;
            column = 1;
        }
    }
    rt_error_set_place(realm, error, module->path, line, column);
    free(said);
}

static bool compile_json(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    struct v8s_caught caught;
    size_t nbytes;
    char *text = read_module(module, &nbytes, error_out);
    if (!text) return false;
    size_t skip = nbytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    v8s_value source = v8s_string_utf8(isolate, text + skip, nbytes - skip);
    v8s_value value = source ? v8s_json_parse(isolate, source, &caught) : NULL;
    if (value) {
        v8s_value name = v8s_string(isolate, "default");
        module->value = v8s_ref_new(isolate, value);
        module->handle = v8s_module_synthetic(isolate, module->path, &name, 1, export_default, module);
    } else if (source && caught.error) {
        *error_out = caught.error;
        place_json_error(module, caught.error, text + skip, nbytes - skip);
    } else if (!source) {
        *error_out = v8s_error_new(isolate, V8S_RANGE_ERROR, "The JSON is larger than a string of V8's can be");
    }
    free(text);
    return module->handle != NULL;
}

static bool export_builtin(v8s_isolate *isolate, v8s_module *handle, void *data) {
    struct module *module = data;
    v8s_value exports = v8s_ref_get(isolate, module->value);
    v8s_value keys = v8s_own_keys(isolate, exports);
    for (size_t i = 0; i < v8s_array_length(keys); i++) {
        v8s_value key = v8s_array_at(isolate, keys, i);
        v8s_value value = v8s_get_by(isolate, exports, key);
        if (!value || !v8s_module_export(isolate, handle, key, value)) return false;
    }
    return true;
}

static v8s_value commonjs_exports(struct module *module);

/* A CommonJS file is read when it is its turn to run: what it needs shows only then. */
static bool export_commonjs(v8s_isolate *isolate, v8s_module *handle, void *data) {
    v8s_value exports = commonjs_exports(data);
    return exports && v8s_module_export(isolate, handle, v8s_string(isolate, "default"), exports);
}

static bool compile_commonjs(struct module *module) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value name = v8s_string(isolate, "default");
    module->handle = v8s_module_synthetic(isolate, module->path, &name, 1, export_commonjs, module);
    return true;
}

/* "fino:console, fino:process": the built-ins there are. */
static char *list_builtins(struct rt_realm *realm, v8s_value modules) {
    v8s_value keys = v8s_own_keys(realm->isolate, modules);
    char *list = rt_must(strdup(""));
    for (size_t i = 0; i < v8s_array_length(keys); i++) {
        char *name = rt_must(v8s_string_copy(realm->isolate, v8s_array_at(realm->isolate, keys, i), NULL));
        char *longer = rt_format("%s%s%s", list, i > 0 ? ", " : "", name);
        free(name);
        free(list);
        list = longer;
    }
    return list;
}

static bool compile_builtin(struct module *module, v8s_value *error_out) {
    struct rt_realm *realm = module->owner->realm;
    v8s_isolate *isolate = realm->isolate;
    v8s_value modules = v8s_get(isolate, v8s_ref_get(isolate, realm->internal), "modules");
    v8s_value exports = v8s_get(isolate, modules, module->path);
    if (!exports || !v8s_is_object(exports)) {
        char *list = list_builtins(realm, modules);
        char *message = rt_format("There is no built-in module '%s', only %s", module->path, list);
        *error_out = v8s_error_new(isolate, V8S_ERROR, message);
        v8s_set(isolate, *error_out, "code", v8s_string(isolate, "ERR_UNKNOWN_BUILTIN_MODULE"));
        free(message);
        free(list);
        return false;
    }
    v8s_value keys = v8s_own_keys(isolate, exports);
    size_t count = v8s_array_length(keys);
    v8s_value *names = rt_must(malloc((count + 1) * sizeof *names));
    for (size_t i = 0; i < count; i++)
        names[i] = v8s_array_at(isolate, keys, i);
    module->value = v8s_ref_new(isolate, exports);
    module->handle = v8s_module_synthetic(isolate, module->path, names, count, export_builtin, module);
    free(names);
    return true;
}

/* ---- Loading a graph ---- */

struct list {
    struct module **items;
    size_t count, capacity;
};

static void push(struct list *list, struct module *module) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->items = rt_must(realloc(list->items, list->capacity * sizeof *list->items));
    }
    list->items[list->count++] = module;
}

struct dependency_visit {
    struct module *module;
    v8s_value error;
};

static bool add_dependency(void *context, const struct v8s_request *request) {
    struct dependency_visit *visit = context;
    struct module *from = visit->module;
    struct module *to = from->target;
    if (!to) to = module_for_request(from->owner, from->path, request, &visit->error);
    if (!to) return false;
    from->dependencies[from->dependency_count++] =
        (struct dependency){rt_must(strdup(request->specifier)), request->type != NULL, to};
    return true;
}

static bool compile(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    bool compiled = false;
    if (module->error) {
        *error_out = v8s_ref_get(isolate, module->error);
        return false;
    }
    switch (module->kind) {
        case MODULE_SCRIPT: compiled = compile_script(module, error_out); break;
        case MODULE_COMMONJS: compiled = compile_commonjs(module); break;
        case MODULE_JSON: compiled = compile_json(module, error_out); break;
        case MODULE_BUILTIN: compiled = compile_builtin(module, error_out); break;
    }
    if (!compiled && *error_out) module->error = v8s_ref_new(isolate, *error_out);
    return compiled;
}

/* Compiles MODULE if need be and finds its dependencies; *ERROR_OUT is kept in the scope that is open here. */
static bool load_module(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    if (!module->handle && !compile(module, error_out)) return false;
    if (module->kind != MODULE_SCRIPT) /* a synthetic module has no requests, and V8 must not be asked for them */
        return true;
    size_t count = v8s_module_request_count(isolate, module->handle);
    if (module->dependency_count == count) return true;
    /* Anew, if an earlier load failed half-way: what was missing may be there now. */
    for (size_t i = 0; i < module->dependency_count; i++)
        free(module->dependencies[i].specifier);
    free(module->dependencies);
    module->dependencies = rt_must(calloc(count, sizeof *module->dependencies));
    module->dependency_count = 0;
    struct dependency_visit visit = {module, NULL};
    v8s_module_requests(isolate, module->handle, add_dependency, &visit);
    *error_out = visit.error;
    return module->dependency_count == count;
}

static bool is_linked(struct module *module) {
    return module->handle &&
           v8s_module_status(module->owner->realm->isolate, module->handle) >= V8S_MODULE_INSTANTIATED;
}

/* Loads all that ROOT needs and is not linked yet. */
static bool load_graph(struct module *root, v8s_value *error_out) {
    struct rt_modules *modules = root->owner;
    v8s_isolate *isolate = modules->realm->isolate;
    struct list list = {0};
    bool loaded = true;
    uint64_t visit = root->visit = ++modules->visit;
    push(&list, root);
    for (size_t i = 0; i < list.count && loaded; i++) {
        struct module *module = list.items[i];
        struct v8s_scope scope;
        v8s_ref *error = NULL;
        v8s_scope_open(isolate, &scope);
        v8s_value thrown = NULL;
        loaded = is_linked(module) || load_module(module, &thrown);
        if (thrown) error = v8s_ref_new(isolate, thrown);
        v8s_scope_close(&scope);
        if (error) *error_out = v8s_ref_get(isolate, error);
        v8s_ref_free(error);
        for (size_t d = 0; loaded && d < module->dependency_count; d++) {
            struct module *dependency = module->dependencies[d].module;
            if (dependency->visit != visit) {
                dependency->visit = visit;
                push(&list, dependency);
            }
        }
    }
    free(list.items);
    return loaded;
}

static v8s_module *resolve_linked(void *referrer, const struct v8s_request *request) {
    struct module *from = referrer;
    for (size_t i = 0; i < from->dependency_count; i++) {
        struct dependency *dependency = &from->dependencies[(from->next_dependency + i) % from->dependency_count];
        if (dependency->is_json == (request->type != NULL) && strcmp(dependency->specifier, request->specifier) == 0) {
            from->next_dependency += i + 1;
            return dependency->module->handle;
        }
    }
    abort(); /* load_graph has seen every request */
}

/* Loads, links and begins to evaluate. Returns the promise of the completion, or NULL with *ERROR_OUT (NULL:
 * terminated). */
static v8s_value run_module(struct module *root, v8s_value *error_out) {
    v8s_isolate *isolate = root->owner->realm->isolate;
    struct v8s_caught caught;
    if (!load_graph(root, error_out)) return NULL;
    if (!v8s_module_instantiate(isolate, root->handle, resolve_linked, &caught)) {
        *error_out = caught.error ? note_place(root->owner->realm, &caught) : NULL;
        return NULL;
    }
    v8s_value promise = v8s_module_evaluate(isolate, root->handle, &caught);
    if (!promise) *error_out = caught.error;
    return promise;
}

/* ---- CommonJS ----
 *
 * `.cjs` and `.cts` files, with `require` of what import could name. Everything below runs inside a native function: it
 * returns NULL or false with an exception pending. */

static v8s_value throw_value(v8s_isolate *isolate, v8s_value error) {
    if (error) v8s_throw(isolate, error);
    return NULL;
}

/* The namespace of an ES module that needs no time. */
static v8s_value require_script(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value promise = run_module(module, error_out);
    if (!promise) return NULL;
    if (v8s_promise_state(promise) == V8S_FULFILLED) return v8s_module_namespace(module->handle);
    v8s_promise_mark_handled(promise);
    if (v8s_promise_state(promise) == V8S_REJECTED) {
        *error_out = v8s_promise_result(promise);
        return NULL;
    }
    *error_out = v8s_error_new(isolate, V8S_ERROR, "require() of a module with a top-level await: use import()");
    return NULL;
}

/* require(specifier) in the file that is this function's data */
static v8s_value require(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_modules *modules = rt_realm_of(isolate)->modules;
    v8s_value specifier = v8s_argument(arguments, 0), error = NULL;
    if (!v8s_is_string(specifier)) return v8s_throw_type_error(isolate, "require: the specifier is not a string");
    char *referrer = rt_must(v8s_string_copy(isolate, v8s_argument_data(arguments), NULL));
    struct v8s_request request = {0};
    char *text = rt_must(v8s_string_copy(isolate, specifier, &request.specifier_nbytes));
    request.specifier = text;
    if (has_suffix(text, ".json")) request.type = "json";
    struct module *module = module_for_request(modules, referrer, &request, &error);
    free(text);
    free(referrer);
    if (!module) return throw_value(isolate, error);
    if (module->kind == MODULE_COMMONJS) return commonjs_exports(module);
    v8s_value result = module->kind == MODULE_SCRIPT ? require_script(module, &error) : NULL;
    if (module->kind != MODULE_SCRIPT && (module->handle || compile(module, &error)))
        result = v8s_ref_get(isolate, module->value);
    return result ? result : throw_value(isolate, error);
}

/* "/" of "/a", "" of what has only a name. */
static v8s_value directory_of(v8s_isolate *isolate, const char *path) {
    const char *slash = strrchr(path, '/');
    return v8s_string_utf8(isolate, path, !slash ? 0 : slash == path ? 1 : (size_t)(slash - path));
}

static bool run_commonjs(struct module *module, v8s_value object, v8s_value exports) {
    static const char *const parameters[] = {"exports", "require", "module", "__filename", "__dirname"};
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value error = NULL, path = v8s_string(isolate, module->path);
    size_t nbytes;
    char *text = read_module(module, &nbytes, &error);
    if (text && is_typescript(module->path)) text = erase_types(module, text, &nbytes, &error);
    v8s_value source = text ? source_string(isolate, module->path, text, nbytes, &error) : NULL;
    if (!source) return throw_value(isolate, error) != NULL;
    v8s_value function = v8s_compile_function(isolate, source, module->path, parameters, 5, NULL, NULL);
    v8s_value values[] = {exports, v8s_closure_new(isolate, require, path), object, path,
                          directory_of(isolate, module->path)};
    return function && v8s_call(isolate, function, exports, 5, values, NULL);
}

/* `module.exports`, once the file has run; as far as it got when it is running (a cycle). */
static v8s_value commonjs_exports(struct module *module) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    if (!module->value) {
        v8s_value object = v8s_object_new(isolate), exports = v8s_object_new(isolate);
        v8s_set(isolate, object, "exports", exports);
        module->value = v8s_ref_new(isolate, object);
        if (!run_commonjs(module, object, exports)) {
            v8s_ref_free(module->value);
            module->value = NULL;
            return NULL;
        }
    }
    return v8s_get(isolate, v8s_ref_get(isolate, module->value), "exports");
}

/* ---- The main module ---- */

static v8s_value on_main_failed(v8s_isolate *isolate, const v8s_arguments *arguments) {
    rt_realm_uncaught(rt_realm_of(isolate), v8s_argument(arguments, 0), NULL);
    return NULL;
}

static v8s_value do_nothing(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)isolate, (void)arguments;
    return NULL;
}

/* The main Realm's script wasn't found: nothing has run that could care how. */
static void report_not_found(struct rt_modules *modules, const char *script, const char *why) {
    fprintf(stderr, "fino: cannot find the script '%s': %s\n", script, why);
    modules->realm->exit_code = 1;
    rt_realm_stop(modules->realm, RT_STOP_UNCAUGHT, 0);
}

static v8s_value entry_error(struct rt_modules *modules, const char *script, const char *why) {
    v8s_isolate *isolate = modules->realm->isolate;
    char *message = rt_format("Cannot find the entry '%s' of the Realm: %s", script, why);
    v8s_value error = v8s_error_new(isolate, V8S_ERROR, message);
    v8s_set(isolate, error, "code", v8s_string(isolate, "ERR_MODULE_NOT_FOUND"));
    free(message);
    return error;
}

/* A module in the working directory, of which only the name is there; a sandbox isn't told of the directory. */
static void resolve_text(const struct rt_modules *modules, const char *name, struct rt_resolved *resolved_out) {
    char *directory = modules->realm->options.rules ? NULL : getcwd(NULL, 0);
    *resolved_out = (struct rt_resolved){
        .path = directory ? rt_format("%s/%s", directory, name) : rt_must(strdup(name)), .suffix = rt_must(strdup(""))};
    free(directory);
}

static int resolve_entry(struct rt_modules *modules, const char *script, struct rt_resolved *resolved_out,
                         char **why_out) {
    if (modules->realm->options.source) {
        resolve_text(modules, script, resolved_out);
        return 0;
    }
    if (modules->realm->options.child && strncmp(script, "file:", 5) == 0)
        return rt_resolve(modules->resolver, script, "", resolved_out, why_out);
    return rt_resolve_main(modules->resolver, script, resolved_out, why_out);
}

/* The entry is its owner's to give: if that is a sandbox itself, its rules must allow the file NAME. Returns 0, or -1
 * with *WHY_OUT. */
static int check_entry(const struct rt_modules *modules, const char *name, char **why_out) {
    const struct rt_realm_options *options = &modules->realm->options;
    const struct rt_import_rules *rules = options->rules ? rt_import_rules_owner(options->rules) : NULL;
    struct rt_import_decision decision;
    if (!rules || options->source) return 0;
    *why_out = rt_import_rules_decide(rules, name, &decision);
    if (*why_out) return -1;
    bool is_whole = !decision.source && decision.facade_count == 0 && !decision.is_remapped;
    rt_import_decision_free(&decision);
    if (!is_whole) *why_out = rt_must(strdup("its owner may not import all of it"));
    return is_whole ? 0 : -1;
}

/* Both what it says and what it is are checked: nobody finds out by it which files there are. */
static int find_entry(struct rt_modules *modules, const char *script, struct rt_resolved *resolved_out,
                      char **why_out) {
    bool is_name = script[0] == '/' || strncmp(script, "file:", 5) == 0;
    char *specifier = is_name ? rt_must(strdup(script)) : rt_format("./%s", script);
    char *name = rt_specifier_name(specifier, "");
    int result = check_entry(modules, name ? name : specifier, why_out);
    free(specifier);
    free(name);
    if (result == 0) result = resolve_entry(modules, script, resolved_out, why_out);
    if (result != 0) return result;
    result = check_entry(modules, resolved_out->path, why_out);
    if (result != 0) rt_resolved_free(resolved_out);
    return result;
}

v8s_value rt_modules_run_main(struct rt_modules *modules, const char *script, v8s_value *error_out) {
    v8s_isolate *isolate = modules->realm->isolate;
    struct rt_resolved resolved;
    char *why;
    *error_out = NULL;
    if (find_entry(modules, script, &resolved, &why) != 0) {
        if (modules->realm->options.child)
            *error_out = entry_error(modules, script, why);
        else
            report_not_found(modules, script, why);
        free(why);
        return NULL;
    }
    modules->main = intern_module(modules, &resolved, kind_of_file(resolved.path));
    modules->main->text = modules->realm->options.source;
    v8s_value promise = run_module(modules->main, error_out);
    if (promise) {
        v8s_value nothing = v8s_undefined(isolate);
        v8s_promise_then(isolate, promise, v8s_closure_new(isolate, do_nothing, nothing),
                         v8s_closure_new(isolate, on_main_failed, nothing));
    }
    return promise;
}

v8s_value rt_modules_main_exports(const struct rt_modules *modules) {
    return modules->main && is_linked(modules->main) ? v8s_module_namespace(modules->main->handle) : NULL;
}

/* ---- import() ---- */

static v8s_value on_import_done(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value pair = v8s_argument_data(arguments);
    v8s_deferred_resolve(isolate, v8s_array_at(isolate, pair, 0), v8s_array_at(isolate, pair, 1));
    return NULL;
}

static v8s_value on_import_failed(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_deferred_reject(isolate, v8s_argument_data(arguments), v8s_argument(arguments, 0));
    return NULL;
}

/* Settles DEFERRED with the namespace of what REQUEST in REFERRER means, once that has run. */
static void import_now(struct rt_realm *realm, v8s_value deferred, const char *referrer,
                       const struct v8s_request *request) {
    v8s_isolate *isolate = realm->isolate;
    v8s_value error = NULL;
    struct module *module = module_for_request(realm->modules, referrer, request, &error);
    v8s_value promise = module ? run_module(module, &error) : NULL;
    if (promise) {
        v8s_value pair[] = {deferred, v8s_module_namespace(module->handle)};
        v8s_promise_then(isolate, promise, v8s_closure_new(isolate, on_import_done, v8s_array_new(isolate, pair, 2)),
                         v8s_closure_new(isolate, on_import_failed, deferred));
    } else if (error) {
        v8s_deferred_reject(isolate, deferred, error);
    }
}

enum { IMPORT_DEFERRED, IMPORT_REFERRER, IMPORT_SPECIFIER, IMPORT_TYPE, IMPORT_LINE, IMPORT_COLUMN, IMPORT_WORDS };

static v8s_value on_import_turn(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value words[IMPORT_WORDS], data = v8s_argument_data(arguments);
    for (size_t i = 0; i < IMPORT_WORDS; i++)
        words[i] = v8s_array_at(isolate, data, i);
    size_t nbytes;
    char *referrer = rt_must(v8s_string_copy(isolate, words[IMPORT_REFERRER], NULL));
    char *specifier = rt_must(v8s_string_copy(isolate, words[IMPORT_SPECIFIER], &nbytes));
    char *type = v8s_is_string(words[IMPORT_TYPE]) ? rt_must(v8s_string_copy(isolate, words[IMPORT_TYPE], NULL)) : NULL;
    struct v8s_request request = {specifier, nbytes, type, (int)v8s_number_of(words[IMPORT_LINE]),
                                  (int)v8s_number_of(words[IMPORT_COLUMN])};
    import_now(rt_realm_of(isolate), words[IMPORT_DEFERRED], referrer, &request);
    free(type);
    free(specifier);
    free(referrer);
    return NULL;
}

/* What is imported runs in a microtask of its own, never inside import() itself. */
v8s_value rt_import_dynamic(void *data, const char *referrer, const struct v8s_request *request) {
    struct rt_realm *realm = data;
    v8s_isolate *isolate = realm->isolate;
    v8s_value words[IMPORT_WORDS] = {
        [IMPORT_DEFERRED] = v8s_deferred_new(isolate),
        [IMPORT_REFERRER] = v8s_string(isolate, referrer),
        [IMPORT_SPECIFIER] = v8s_string_utf8(isolate, request->specifier, request->specifier_nbytes),
        [IMPORT_TYPE] = request->type ? v8s_string(isolate, request->type) : v8s_undefined(isolate),
        [IMPORT_LINE] = v8s_number(isolate, request->line),
        [IMPORT_COLUMN] = v8s_number(isolate, request->column),
    };
    if (!words[IMPORT_DEFERRED]) return NULL;
    v8s_enqueue_microtask(isolate,
                          v8s_closure_new(isolate, on_import_turn, v8s_array_new(isolate, words, IMPORT_WORDS)));
    return v8s_deferred_promise(words[IMPORT_DEFERRED]);
}

/* ---- import.meta ---- */

/* What importing REQUEST in REFERRER would load, without loading it. Returns 0, or -1 with *ERROR_OUT. */
static int resolve_only(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
                        struct rt_resolved *resolved_out, v8s_value *error_out) {
    struct rt_import_decision decision;
    char *why;
    int result;
    if (!modules->realm->options.rules) {
        result = rt_resolve(modules->resolver, request->specifier, referrer, resolved_out, &why);
        if (result != 0) *error_out = not_found_error(modules, referrer, request, why);
        return result;
    }
    if (!decide(modules, referrer, request, &decision, error_out)) return -1;
    if (decision.source) {
        *resolved_out = (struct rt_resolved){.path = rt_must(strdup(decision.name)), .suffix = rt_must(strdup(""))};
        result = 0;
    } else {
        result = resolve_permitted(modules, referrer, request, &decision, resolved_out, error_out);
    }
    rt_import_decision_free(&decision);
    return result;
}

/* Of a file; of what has only a name, the name. To free. */
static char *url_of(const char *path, const char *suffix) {
    return path[0] == '/' ? rt_file_url(path, suffix) : rt_must(strdup(path));
}

/* import.meta.resolve(specifier): the URL that importing it here would load. */
static v8s_value meta_resolve(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_modules *modules = rt_realm_of(isolate)->modules;
    v8s_value specifier = v8s_argument(arguments, 0);
    if (!v8s_is_string(specifier))
        return v8s_throw_type_error(isolate, "import.meta.resolve: the specifier is not a string");
    struct v8s_request request = {0};
    char *referrer = rt_must(v8s_string_copy(isolate, v8s_argument_data(arguments), NULL));
    char *text = rt_must(v8s_string_copy(isolate, specifier, &request.specifier_nbytes));
    request.specifier = text;
    struct rt_resolved resolved;
    v8s_value result = NULL, error = NULL;
    if (resolve_only(modules, referrer, &request, &resolved, &error) == 0) {
        char *url = url_of(resolved.path, resolved.suffix);
        result = v8s_string(isolate, url);
        free(url);
        rt_resolved_free(&resolved);
    } else {
        v8s_throw(isolate, error);
    }
    free(text);
    free(referrer);
    return result;
}

void rt_import_meta(void *data, void *module_data, v8s_value meta) {
    struct rt_realm *realm = data;
    struct module *module = module_data;
    v8s_isolate *isolate = realm->isolate;
    char *url = url_of(module->path, strcmp(module->suffix, SOURCE_SUFFIX) == 0 ? "" : module->suffix);
    v8s_value path = v8s_string(isolate, module->path);
    v8s_set(isolate, meta, "url", v8s_string(isolate, url));
    if (module->path[0] == '/') {
        v8s_set(isolate, meta, "filename", path);
        v8s_set(isolate, meta, "dirname", directory_of(isolate, module->path));
    }
    v8s_set(isolate, meta, "main", v8s_bool(isolate, module == module->owner->main));
    v8s_set(isolate, meta, "resolve", v8s_closure_new(isolate, meta_resolve, path));
    free(url);
}
