/* mod_inspect.c: what console needs to look into values without running their code. */

#include "runtime/builtins.h"

static bool is_object_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what) {
    if (v8s_is_object(v8s_argument(arguments, 0))) return true;
    v8s_throw_type_error(isolate, "%s: not an object", what);
    return false;
}

/* getOwnNonIndexProperties(object, onlyEnumerable): keys, symbols too. */
static v8s_value own_non_index_properties(v8s_isolate *isolate, const v8s_arguments *arguments) {
    if (!is_object_argument(isolate, arguments, "getOwnNonIndexProperties")) return NULL;
    return v8s_own_non_index_properties(isolate, v8s_argument(arguments, 0),
                                        v8s_truthy(isolate, v8s_argument(arguments, 1)));
}

/* previewEntries(collection or iterator): [entries, are they key-value pairs], or undefined. */
static v8s_value preview_entries(v8s_isolate *isolate, const v8s_arguments *arguments) {
    if (!is_object_argument(isolate, arguments, "previewEntries")) return NULL;
    bool is_key_value = false;
    v8s_value entries = v8s_preview_entries(isolate, v8s_argument(arguments, 0), &is_key_value);
    if (!entries) return NULL;
    v8s_value pair[] = {entries, v8s_bool(isolate, is_key_value)};
    return v8s_array_new(isolate, pair, 2);
}

/* getPromiseDetails(promise): [state, value]; 0 pending, 1 fulfilled, 2 rejected. */
static v8s_value promise_details(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value promise = v8s_argument(arguments, 0);
    if (!v8s_is_promise(promise)) return v8s_throw_type_error(isolate, "getPromiseDetails: not a promise");
    enum v8s_promise_state state = v8s_promise_state(promise);
    v8s_value pair[] = {v8s_number(isolate, state),
                        state == V8S_PENDING ? v8s_undefined(isolate) : v8s_promise_result(promise)};
    return v8s_array_new(isolate, pair, 2);
}

/* getProxyDetails(value): [target, handler] of a proxy, else undefined. */
static v8s_value proxy_details(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value target = v8s_proxy_target(v8s_argument(arguments, 0));
    if (!target) return NULL;
    v8s_value pair[] = {target, v8s_proxy_handler(v8s_argument(arguments, 0))};
    return v8s_array_new(isolate, pair, 2);
}

static v8s_value constructor_name(v8s_isolate *isolate, const v8s_arguments *arguments) {
    if (!is_object_argument(isolate, arguments, "getConstructorName")) return NULL;
    return v8s_constructor_name(v8s_argument(arguments, 0));
}

/* getFunctionLocation(function): 'file:line:column', or undefined for a native one. */
static v8s_value function_location(v8s_isolate *isolate, const v8s_arguments *arguments) {
    if (!v8s_is_function(v8s_argument(arguments, 0)))
        return v8s_throw_type_error(isolate, "getFunctionLocation: not a function");
    return v8s_function_location(isolate, v8s_argument(arguments, 0));
}

static v8s_value type_tag(v8s_isolate *isolate, const v8s_arguments *arguments) {
    return v8s_string(isolate, v8s_type_tag(v8s_argument(arguments, 0)));
}

static const struct v8s_native_entry functions[] = {
    {"getOwnNonIndexProperties", own_non_index_properties, 2},
    {"previewEntries", preview_entries, 1},
    {"getPromiseDetails", promise_details, 1},
    {"getProxyDetails", proxy_details, 1},
    {"getConstructorName", constructor_name, 1},
    {"getFunctionLocation", function_location, 1},
    {"typeTag", type_tag, 1},
};

const struct rt_native_group rt_mod_inspect = {functions, sizeof functions / sizeof *functions, NULL};
