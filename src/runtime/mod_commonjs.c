/* mod_commonjs.c: what js/commonjs.js needs of the module graph: what a require() means, and a file as a function. */

#include <stdlib.h>
#include <string.h>

#include "runtime/builtins.h"
#include "runtime/module_internal.h"

static v8s_value throw_value(v8s_isolate *isolate, v8s_value error) {
    if (error) v8s_throw(isolate, error);
    return NULL;
}

/* The arguments (specifier, referrer) of a native function, both strings. */
struct required {
    char *specifier, *referrer;
    struct v8s_request request;
    struct rt_wanted wanted;
};

static void take_arguments(v8s_isolate *isolate, const v8s_arguments *arguments, struct required *required_out) {
    struct required *required = required_out;
    *required = (struct required){0};
    required->specifier =
        rt_must(v8s_string_copy(isolate, v8s_argument(arguments, 0), &required->request.specifier_nbytes));
    required->referrer = rt_must(v8s_string_copy(isolate, v8s_argument(arguments, 1), NULL));
    required->request.specifier = required->specifier;
    required->wanted = (struct rt_wanted){required->referrer, &required->request, RT_PACKAGE_REQUIRE};
}

static void free_arguments(struct required *required) {
    free(required->specifier);
    free(required->referrer);
}

/* The namespace of an ES module that needs no time. */
static v8s_value require_script(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value promise = rt_module_run(module, error_out);
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

/* What a require() of MODULE, which isn't CommonJS, is; NULL with *ERROR_OUT. */
static v8s_value value_of(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    if (module->kind == MODULE_SCRIPT) return require_script(module, error_out);
    if (!module->handle && !rt_module_compile(module, error_out)) return NULL;
    v8s_value value = v8s_ref_get(isolate, module->value);
    return strncmp(module->path, "node:", 5) == 0 ? v8s_get(isolate, value, "default") : value;
}

/* commonjsFind(specifier, referrer): the path of the CommonJS file that is meant; of anything else, [what it is] */
static v8s_value find(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct required required;
    v8s_value error = NULL;
    take_arguments(isolate, arguments, &required);
    struct module *module = rt_module_wanted(rt_realm_of(isolate)->modules, &required.wanted, &error);
    free_arguments(&required);
    if (!module) return throw_value(isolate, error);
    if (module->kind == MODULE_COMMONJS) return v8s_string(isolate, module->path);
    v8s_value value = value_of(module, &error);
    return value ? v8s_array_new(isolate, &value, 1) : throw_value(isolate, error);
}

/* commonjsResolve(specifier, referrer): the path, or the name of a built-in module, that is meant */
static v8s_value resolve(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct required required;
    struct rt_resolved resolved;
    v8s_value error = NULL, path = NULL;
    take_arguments(isolate, arguments, &required);
    if (rt_module_resolve_only(rt_realm_of(isolate)->modules, &required.wanted, &resolved, &error) == 0) {
        path = v8s_string(isolate, resolved.path);
        rt_resolved_free(&resolved);
    }
    free_arguments(&required);
    return path ? path : throw_value(isolate, error);
}

/* commonjsCompile(path): a CommonJS file that was found, as a function */
static v8s_value compile(v8s_isolate *isolate, const v8s_arguments *arguments) {
    static const char *const parameters[] = {"exports", "require", "module", "__filename", "__dirname"};
    char *path = rt_must(v8s_string_copy(isolate, v8s_argument(arguments, 0), NULL));
    struct rt_resolved resolved = {.path = path, .suffix = rt_must(strdup(""))};
    struct module *module = rt_module_intern(rt_realm_of(isolate)->modules, &resolved, MODULE_COMMONJS);
    v8s_value error = NULL;
    v8s_value source = rt_module_source(module, &error);
    if (!source) return throw_value(isolate, error);
    return v8s_compile_function(isolate, source, module->path, parameters, 5, NULL, NULL);
}

/* mainPath(): of the main script, once it was found; undefined before that */
static v8s_value main_path(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    const char *path = rt_modules_main_path(rt_realm_of(isolate)->modules);
    return path ? v8s_string(isolate, path) : NULL;
}

/* sourceColumn(path, line, column): the column in the file of what V8 says is there */
static v8s_value source_column(v8s_isolate *isolate, const v8s_arguments *arguments) {
    char *path = rt_must(v8s_string_copy(isolate, v8s_argument(arguments, 0), NULL));
    uint32_t line = (uint32_t)v8s_number_of(v8s_argument(arguments, 1)),
             column = (uint32_t)v8s_number_of(v8s_argument(arguments, 2));
    column = rt_modules_source_column(rt_realm_of(isolate)->modules, path, line, column);
    free(path);
    return v8s_number(isolate, column);
}

static const struct v8s_native_entry functions[] = {
    {"mainPath", main_path, 0},      {"sourceColumn", source_column, 3}, {"commonjsFind", find, 2},
    {"commonjsResolve", resolve, 2}, {"commonjsCompile", compile, 1},
};

const struct rt_native_group rt_mod_commonjs = {functions, sizeof functions / sizeof *functions, NULL};
