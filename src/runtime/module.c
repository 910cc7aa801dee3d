/* module.c: the module graph of a Realm.
 *
 * A graph is loaded breadth first with a work list, then linked and evaluated by V8: files are never recursed into, so
 * that a chain of ten thousand of them is no deeper than one. What a module is (a script, CommonJS, JSON, a built-in)
 * shows only in how it is compiled. Which file a specifier means is resolve.c's business.
 */

#include "runtime/module_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/errors.h"
#include "runtime/import_rules.h"

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
    free(module->columns.shifts);
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

struct module *rt_module_find(const struct rt_modules *modules, const char *path, const char *suffix, bool is_json) {
    for (struct module *at = modules->buckets[hash_of(path) & (modules->bucket_count - 1)]; at; at = at->next)
        if ((at->kind == MODULE_JSON) == is_json && strcmp(at->path, path) == 0 && strcmp(at->suffix, suffix) == 0)
            return at;
    return NULL;
}

struct module *rt_module_intern(struct rt_modules *modules, struct rt_resolved *resolved, enum module_kind kind) {
    struct module *known = rt_module_find(modules, resolved->path, resolved->suffix, kind == MODULE_JSON);
    if (known) {
        rt_resolved_free(resolved);
        return known;
    }
    if (modules->module_count >= modules->bucket_count) grow_table(modules);
    struct module **bucket = &modules->buckets[hash_of(resolved->path) & (modules->bucket_count - 1)];
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

uint32_t rt_modules_source_column(const struct rt_modules *modules, const char *path, uint32_t line, uint32_t column) {
    if (!modules->moves_columns) return column;
    for (struct module *at = modules->buckets[hash_of(path) & (modules->bucket_count - 1)]; at; at = at->next)
        if (at->columns.count > 0 && strcmp(at->path, path) == 0)
            return rt_ts_source_column(&at->columns, line, column);
    return column;
}

const char *rt_modules_main_path(const struct rt_modules *modules) {
    return modules->main ? modules->main->path : NULL;
}

v8s_value rt_module_directory(v8s_isolate *isolate, const char *path) {
    const char *slash = strrchr(path, '/');
    return v8s_string_utf8(isolate, path, !slash ? 0 : slash == path ? 1 : (size_t)(slash - path));
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
    const struct rt_wanted wanted = {from->path, request, RT_PACKAGE_IMPORT};
    if (!to) to = rt_module_wanted(from->owner, &wanted, &visit->error);
    if (!to) return false;
    from->dependencies[from->dependency_count++] =
        (struct dependency){rt_must(strdup(request->specifier)), request->type != NULL, to};
    return true;
}

/* Compiles MODULE if need be and finds its dependencies; *ERROR_OUT is kept in the scope that is open here. */
static bool load_module(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    if (!module->handle && !rt_module_compile(module, error_out)) return false;
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

v8s_value rt_module_run(struct module *root, v8s_value *error_out) {
    v8s_isolate *isolate = root->owner->realm->isolate;
    struct v8s_caught caught;
    if (!load_graph(root, error_out)) return NULL;
    if (!v8s_module_instantiate(isolate, root->handle, resolve_linked, &caught)) {
        *error_out = caught.error ? rt_module_note_place(root->owner->realm, &caught) : NULL;
        return NULL;
    }
    v8s_value promise = v8s_module_evaluate(isolate, root->handle, &caught);
    if (!promise) *error_out = caught.error;
    return promise;
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
        return rt_resolve(modules->resolver, script, "", RT_PACKAGE_IMPORT, resolved_out, why_out);
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
    enum module_kind kind = rt_module_kind_of_file(modules, resolved.path, modules->realm->options.source);
    modules->main = rt_module_intern(modules, &resolved, kind);
    modules->main->text = modules->realm->options.source;
    v8s_value promise = rt_module_run(modules->main, error_out);
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
    const struct rt_wanted wanted = {referrer, request, RT_PACKAGE_IMPORT};
    struct module *module = rt_module_wanted(realm->modules, &wanted, &error);
    v8s_value promise = module ? rt_module_run(module, &error) : NULL;
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
    const struct rt_wanted wanted = {referrer, &request, RT_PACKAGE_IMPORT};
    if (rt_module_resolve_only(modules, &wanted, &resolved, &error) == 0) {
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
        v8s_set(isolate, meta, "dirname", rt_module_directory(isolate, module->path));
    }
    v8s_set(isolate, meta, "main", v8s_bool(isolate, module == module->owner->main));
    v8s_set(isolate, meta, "resolve", v8s_closure_new(isolate, meta_resolve, path));
    free(url);
}
