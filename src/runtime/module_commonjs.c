/* module_commonjs.c: files with `require`, `module` and `exports`.
 *
 * Everything here runs inside a native function: it returns NULL or false with an exception pending. */

#include <stdlib.h>
#include <string.h>

#include "runtime/module_internal.h"

static v8s_value throw_value(v8s_isolate *isolate, v8s_value error) {
    if (error) v8s_throw(isolate, error);
    return NULL;
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

/* require(specifier) in the file that is this function's data */
static v8s_value require(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_modules *modules = rt_realm_of(isolate)->modules;
    v8s_value specifier = v8s_argument(arguments, 0), error = NULL;
    if (!v8s_is_string(specifier)) return v8s_throw_type_error(isolate, "require: the specifier is not a string");
    char *referrer = rt_must(v8s_string_copy(isolate, v8s_argument_data(arguments), NULL));
    struct v8s_request request = {0};
    char *text = rt_must(v8s_string_copy(isolate, specifier, &request.specifier_nbytes));
    request.specifier = text;
    if (rt_has_suffix(text, ".json")) request.type = "json";
    struct module *module = rt_module_for_request(modules, referrer, &request, &error);
    free(text);
    free(referrer);
    if (!module) return throw_value(isolate, error);
    if (module->kind == MODULE_COMMONJS) return rt_module_commonjs_exports(module);
    v8s_value result = module->kind == MODULE_SCRIPT ? require_script(module, &error) : NULL;
    if (module->kind != MODULE_SCRIPT && (module->handle || rt_module_compile(module, &error)))
        result = v8s_ref_get(isolate, module->value);
    return result ? result : throw_value(isolate, error);
}

static bool run_commonjs(struct module *module, v8s_value object, v8s_value exports) {
    static const char *const parameters[] = {"exports", "require", "module", "__filename", "__dirname"};
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value error = NULL, path = v8s_string(isolate, module->path);
    v8s_value source = rt_module_source(module, &error);
    if (!source) return throw_value(isolate, error) != NULL;
    v8s_value function = v8s_compile_function(isolate, source, module->path, parameters, 5, NULL, NULL);
    v8s_value values[] = {exports, v8s_closure_new(isolate, require, path), object, path,
                          rt_module_directory(isolate, module->path)};
    return function && v8s_call(isolate, function, exports, 5, values, NULL);
}

/* `module.exports`, once the file has run; as far as it got when it is running (a cycle). */
v8s_value rt_module_commonjs_exports(struct module *module) {
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
