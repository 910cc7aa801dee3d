/* module_commonjs.c: CommonJS files as modules: which names they export, and their values once they have run. How they
 * run and find one another is js/commonjs.js's business. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/commonjs_scan.h"
#include "runtime/errors.h"
#include "runtime/module_internal.h"
#include "runtime/whole_file.h"

/* ---- Names ---- */

/* The text of MODULE as JavaScript; to free. NULL with *ERROR_OUT. */
static char *text_of(struct module *module, size_t *nbytes_out, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    if (!module->text && !rt_is_typescript(module->path)) {
        char *text = rt_read_whole_file(module->path, nbytes_out);
        if (!text) *error_out = rt_error_from_errno(isolate, errno, "open", module->path);
        return text;
    }
    v8s_value source = rt_module_source(module, error_out);
    return source ? rt_must(v8s_string_copy(isolate, source, nbytes_out)) : NULL;
}

/* Adds to FILES the one that SPECIFIER means in REFERRER, if there is one that can be looked at. */
static void add_reexported(struct rt_modules *modules, const char *referrer, const char *specifier,
                           struct rt_names *files) {
    const struct v8s_request request = {.specifier = specifier, .specifier_nbytes = strlen(specifier)};
    const struct rt_wanted wanted = {referrer, &request, RT_PACKAGE_REQUIRE};
    struct rt_resolved resolved;
    v8s_value error;
    if (rt_module_resolve_only(modules, &wanted, &resolved, &error) != 0) return; /* running it will tell */
    bool is_readable =
        !resolved.is_builtin && (rt_has_suffix(resolved.path, ".js") || rt_has_suffix(resolved.path, ".cjs"));
    if (is_readable) rt_names_add(files, resolved.path, strlen(resolved.path));
    rt_resolved_free(&resolved);
}

/* Adds what FILE, with TEXT, shows: names, and the files whose names it exports too. */
static void add_shown(struct rt_modules *modules, const char *file, const char *text, size_t nbytes,
                      struct rt_names *names, struct rt_names *files) {
    struct rt_commonjs found;
    rt_commonjs_scan(text, nbytes, &found);
    for (size_t i = 0; i < found.exports.count && !found.is_module; i++)
        rt_names_add(names, found.exports.items[i], strlen(found.exports.items[i]));
    for (size_t i = 0; i < found.reexports.count && !found.is_module; i++)
        add_reexported(modules, file, found.reexports.items[i], files);
    rt_commonjs_free(&found);
}

v8s_value rt_module_commonjs_names(struct module *module, v8s_value *error_out) {
    struct rt_modules *modules = module->owner;
    v8s_isolate *isolate = modules->realm->isolate;
    struct rt_names names = {0}, files = {0};
    size_t nbytes;
    char *text = text_of(module, &nbytes, error_out);
    if (!text) return NULL;
    rt_names_add(&names, "default", strlen("default"));
    rt_names_add(&files, module->path, strlen(module->path));
    add_shown(modules, module->path, text, nbytes, &names, &files);
    free(text);
    for (size_t i = 1; i < files.count; i++) {
        text = rt_read_whole_file(files.items[i], &nbytes);
        if (text) add_shown(modules, files.items[i], text, nbytes, &names, &files);
        free(text);
    }
    v8s_value *values = rt_must(malloc(names.count * sizeof *values));
    for (size_t i = 0; i < names.count; i++)
        values[i] = v8s_string(isolate, names.items[i]);
    v8s_value array = v8s_array_new(isolate, values, names.count);
    free(values);
    rt_names_free(&names);
    rt_names_free(&files);
    return array;
}

/* ---- Values ---- */

bool rt_module_commonjs_export(v8s_isolate *isolate, v8s_module *handle, void *data) {
    struct module *module = data;
    struct rt_modules *modules = module->owner;
    v8s_value arguments[] = {v8s_string(isolate, module->path), v8s_bool(isolate, module == modules->main)};
    v8s_value exports =
        v8s_call(isolate, rt_realm_internal(modules->realm, "importCommonJs"), NULL, 2, arguments, NULL);
    if (!exports) return false;
    v8s_value names = v8s_ref_get(isolate, module->value);
    for (size_t i = 1; i < v8s_array_length(names); i++) {
        v8s_value name = v8s_array_at(isolate, names, i);
        v8s_value value = v8s_is_object(exports) ? v8s_get_by(isolate, exports, name) : NULL;
        if (!v8s_module_export(isolate, handle, name, value ? value : v8s_undefined(isolate))) return false;
    }
    return v8s_module_export(isolate, handle, v8s_array_at(isolate, names, 0), exports);
}
