/* mod_clone.c: structuredClone, on V8's serializer. */

#include "runtime/builtins.h"

/* structuredClone(value, transfer): TRANSFER is an array of ArrayBuffers, or undefined. */
static v8s_value structured_clone(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value transfer = v8s_argument(arguments, 1);
    if (!v8s_is_nullish(transfer) && !v8s_is_array(transfer))
        return v8s_throw_type_error(isolate, "structuredClone: transfer is not an array");
    return v8s_structured_clone(isolate, v8s_argument(arguments, 0), v8s_is_nullish(transfer) ? NULL : transfer,
                                rt_clone_error);
}

static const struct v8s_native_entry functions[] = {
    {"structuredClone", structured_clone, 2},
};

const struct rt_native_group rt_mod_clone = {functions, sizeof functions / sizeof *functions, NULL};
