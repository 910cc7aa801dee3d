/* module_compile.c: from a file to a module of V8's, for each kind of module there is. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/errors.h"
#include "runtime/module_internal.h"
#include "runtime/typescript.h"
#include "runtime/utf8.h"
#include "runtime/whole_file.h"

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

/* From now on, stacks say the columns that are in the files. */
static void move_columns(struct rt_modules *modules) {
    if (modules->moves_columns) return;
    v8s_value format = rt_realm_internal(modules->realm, "formatStack");
    if (!format) return;
    v8s_set_stack_formatter(modules->realm->isolate, format);
    modules->moves_columns = true;
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
    options.javascript = rt_has_suffix(module->path, ".jsx");
    options.jsx = options.javascript || rt_has_suffix(module->path, ".tsx");
    options.commonjs = module->kind == MODULE_COMMONJS;
    options.path = module->path;
    options.attributes_as_assertions = !knows_attributes();
    options.columns = &module->columns;
    module->columns.count = 0; /* of an earlier try */
    int result = rt_ts_erase(text, *nbytes, &options, &erased, nbytes, &problem);
    free(text);
    if (result == 0) {
        if (module->columns.count > 0) move_columns(module->owner);
        return erased;
    }
    module->columns.count = 0;
    *error_out = v8s_error_new(realm->isolate, V8S_SYNTAX_ERROR,
                               result == -ENOMEM ? "out of memory while erasing types" : problem.message);
    if (result != -ENOMEM) rt_error_set_place(realm, *error_out, module->path, problem.line, problem.column);
    return NULL;
}

v8s_value rt_module_source(struct module *module, v8s_value *error_out) {
    size_t nbytes;
    char *text = read_module(module, &nbytes, error_out);
    if (text && rt_is_typescript(module->path)) text = erase_types(module, text, &nbytes, error_out);
    return text ? source_string(module->owner->realm->isolate, module->path, text, nbytes, error_out) : NULL;
}

v8s_value rt_module_note_place(struct rt_realm *realm, const struct v8s_caught *caught) {
    struct v8s_place place;
    rt_error_place_of(realm, caught->error, caught->message, &place);
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
    v8s_value source = rt_module_source(module, error_out);
    if (!source) return false;
    module->handle = v8s_module_compile(realm->isolate, source, module->path, module, &caught);
    if (!module->handle && caught.error) {
        explain_attributes(realm->isolate, caught.error);
        *error_out = rt_module_note_place(realm, &caught);
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

static bool compile_commonjs(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    v8s_value names = rt_module_commonjs_names(module, error_out);
    if (!names) return false;
    size_t count = v8s_array_length(names);
    v8s_value *list = rt_must(malloc(count * sizeof *list));
    for (size_t i = 0; i < count; i++)
        list[i] = v8s_array_at(isolate, names, i);
    module->value = v8s_ref_new(isolate, names);
    module->handle = v8s_module_synthetic(isolate, module->path, list, count, rt_module_commonjs_export, module);
    free(list);
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

bool rt_module_compile(struct module *module, v8s_value *error_out) {
    v8s_isolate *isolate = module->owner->realm->isolate;
    bool compiled = false;
    if (module->error) {
        *error_out = v8s_ref_get(isolate, module->error);
        return false;
    }
    switch (module->kind) {
        case MODULE_SCRIPT: compiled = compile_script(module, error_out); break;
        case MODULE_COMMONJS: compiled = compile_commonjs(module, error_out); break;
        case MODULE_JSON: compiled = compile_json(module, error_out); break;
        case MODULE_BUILTIN: compiled = compile_builtin(module, error_out); break;
    }
    if (!compiled && *error_out) module->error = v8s_ref_new(isolate, *error_out);
    return compiled;
}
