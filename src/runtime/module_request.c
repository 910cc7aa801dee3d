/* module_request.c: from what an import says to its module: what a Realm's rules make of it, and what becomes of one
 * that leads nowhere. Which file a specifier means is resolve.c's business. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/commonjs_scan.h"
#include "runtime/errors.h"
#include "runtime/import_rules.h"
#include "runtime/module_internal.h"
#include "runtime/whole_file.h"

/* ---- Errors ---- */

/* Of the import, in its file. */
static uint32_t column_of(const struct rt_modules *modules, const struct rt_wanted *wanted) {
    return rt_modules_source_column(modules, wanted->referrer, (uint32_t)wanted->request->line,
                                    (uint32_t)wanted->request->column);
}

/* An error about an import in REFERRER. */
static v8s_value request_error(struct rt_modules *modules, enum v8s_error_type type, const struct rt_wanted *wanted,
                               const char *code, char *message) {
    const struct v8s_request *request = wanted->request;
    struct rt_realm *realm = modules->realm;
    v8s_value error = v8s_error_new(realm->isolate, type, message);
    free(message);
    v8s_set(realm->isolate, error, "code", v8s_string(realm->isolate, code));
    if (request->line > 0)
        rt_error_set_place(realm, error, wanted->referrer, (uint32_t)request->line, column_of(modules, wanted));
    return error;
}

/* ":3:10", the place of an import in its file, if that is known; to free. */
static char *place_of(const struct rt_modules *modules, const struct rt_wanted *wanted) {
    int line = wanted->request->line;
    return line > 0 ? rt_format(":%d:%u", line, column_of(modules, wanted)) : rt_must(strdup(""));
}

/* CODE may be NULL. */
static v8s_value not_found_error(struct rt_modules *modules, const struct rt_wanted *wanted, const char *code,
                                 char *why) {
    char *place = place_of(modules, wanted);
    char *message =
        rt_format("Cannot find module '%s' %s %s%s: %s", wanted->request->specifier,
                  wanted->use == RT_PACKAGE_REQUIRE ? "required by" : "imported from", wanted->referrer, place, why);
    const char *missing = wanted->use == RT_PACKAGE_REQUIRE ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND";
    free(place);
    free(why);
    return request_error(modules, V8S_ERROR, wanted, code ? code : missing, message);
}

/* ---- Resolving a request ---- */

/* What FILE, of which nobody says it, is: a module if it shows that; else CommonJS if it is a package's or shows that;
 * else a module. */
static enum module_kind kind_by_text(const char *file, bool is_commonjs) {
    struct rt_commonjs found;
    size_t nbytes;
    char *text = rt_read_whole_file(file, &nbytes);
    if (!text) return MODULE_SCRIPT; /* which will tell why */
    rt_commonjs_scan(text, nbytes, &found);
    bool is_script = found.is_module || !(found.is_commonjs || is_commonjs || strstr(file, "/node_modules/"));
    rt_commonjs_free(&found);
    free(text);
    return is_script ? MODULE_SCRIPT : MODULE_COMMONJS;
}

enum module_kind rt_module_kind_of_file(struct rt_modules *modules, const char *path, const char *text) {
    const char *dot = strrchr(path, '.');
    bool has_extension = dot && !strchr(dot, '/');
    if (rt_has_suffix(path, ".cjs") || rt_has_suffix(path, ".cts")) return MODULE_COMMONJS;
    if (text || rt_is_typescript(path) || (has_extension && strcmp(dot, ".js") != 0)) return MODULE_SCRIPT;
    enum rt_package_type type = rt_resolver_type(modules->resolver, path);
    return type == RT_PACKAGE_MODULES ? MODULE_SCRIPT : kind_by_text(path, type == RT_PACKAGE_COMMONJS);
}

/* Says, of a few imports, that they could mean another file than the one that was taken; of a sandbox's they don't. */
static void print_note(struct rt_modules *modules, const struct rt_wanted *wanted, const char *note) {
    enum { NOTES_MAX = 5 };
    if (!note || modules->realm->options.rules || modules->note_count++ >= NOTES_MAX) return;
    char *place = place_of(modules, wanted);
    fprintf(stderr, "%s%s: note: %s\n", wanted->referrer, place, note);
    free(place);
}

/* The module of RESOLVED, which it takes, or NULL with *ERROR_OUT. */
static struct module *module_for_resolved(struct rt_modules *modules, const struct rt_wanted *wanted,
                                          struct rt_resolved *resolved, v8s_value *error_out) {
    if (resolved->is_builtin) return rt_module_intern(modules, resolved, MODULE_BUILTIN);
    print_note(modules, wanted, resolved->note);
    bool is_json = wanted->request->type != NULL;
    if (!is_json && rt_has_suffix(resolved->path, ".json")) {
        if (wanted->use != RT_PACKAGE_REQUIRE) {
            char *message =
                rt_format("Import of '%s': JSON needs `assert { type: 'json' }`", wanted->request->specifier);
            *error_out = request_error(modules, V8S_TYPE_ERROR, wanted, "ERR_IMPORT_ASSERTION_TYPE_MISSING", message);
            rt_resolved_free(resolved);
            return NULL;
        }
        is_json = true;
    }
    struct module *known = rt_module_find(modules, resolved->path, resolved->suffix, is_json);
    enum module_kind kind = known     ? known->kind
                            : is_json ? MODULE_JSON
                                      : rt_module_kind_of_file(modules, resolved->path, NULL);
    return rt_module_intern(modules, resolved, kind);
}

/* ---- Rules ----
 *
 * In a Realm that has some, they come before any look at a file: what is refused can't be told from what isn't there.
 */

static v8s_value refused_error(struct rt_modules *modules, const struct rt_wanted *wanted, char *by) {
    char *place = place_of(modules, wanted);
    char *message = rt_format("Import of '%s' from %s%s is refused: %s", wanted->request->specifier,
                              wanted->referrer[0] ? wanted->referrer : "a script without a name", place, by);
    free(place);
    free(by);
    return request_error(modules, V8S_ERROR, wanted, "ERR_IMPORT_REFUSED", message);
}

/* A module NAME that has the text SOURCE. */
static struct module *module_of_text(struct rt_modules *modules, const char *name, const struct v8s_request *request,
                                     const char *source) {
    struct rt_resolved resolved = {.path = rt_must(strdup(name)), .suffix = rt_must(strdup(SOURCE_SUFFIX))};
    struct module *module = rt_module_intern(modules, &resolved, request->type ? MODULE_JSON : MODULE_SCRIPT);
    module->text = source;
    return module;
}

/* Finds the file or built-in module that DECISION is about. Returns 0, or -1 with *ERROR_OUT. */
static int resolve_permitted(struct rt_modules *modules, const struct rt_wanted *wanted,
                             const struct rt_import_decision *decision, struct rt_resolved *resolved_out,
                             v8s_value *error_out) {
    const char *name = decision->is_remapped ? decision->name : wanted->request->specifier;
    char *why;
    int result = name[0] == '/' && decision->is_remapped
                     ? rt_resolve_main(modules->resolver, name, resolved_out, &why)
                     : rt_resolve(modules->resolver, name, wanted->referrer, wanted->use, resolved_out, &why);
    if (result != 0) {
        free(why); /* it tells of files nearby */
        *error_out = not_found_error(modules, wanted, NULL, rt_must(strdup("there is no such module")));
    } else if (!rt_import_rules_admit(decision, resolved_out->path)) {
        rt_resolved_free(resolved_out);
        *error_out =
            refused_error(modules, wanted, rt_must(strdup("it leads to a file of another name, which no rule allows")));
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
        struct module *facade = rt_module_intern(modules, &resolved, MODULE_SCRIPT);
        facade->text = text;
        facade->target = target;
        target = facade;
    }
    return target;
}

/* What the rules forbid of fino's nobody has by the name of Node's: returns who refuses it, to free, or NULL. */
static char *refusal_of_twin(const struct rt_import_rules *rules, const char *name) {
    struct rt_import_decision decision;
    bool is_process = strcmp(name, "node:process") == 0;
    bool is_file = strcmp(name, "node:fs") == 0 || strcmp(name, "node:fs/promises") == 0;
    const char *twin = is_process ? "fino:process" : is_file ? "fino:file" : NULL;
    char *by = twin ? rt_import_rules_decide(rules, twin, &decision) : NULL;
    if (by || !twin) return by;
    bool is_whole = !decision.source && decision.facade_count == 0 && !decision.is_remapped;
    rt_import_decision_free(&decision);
    return is_whole ? NULL : rt_format("the rules allow only a part of '%s'", twin);
}

/* What the Realm's rules make of WANTED, in *DECISION_OUT. Returns whether they allow it; if not, *ERROR_OUT. */
static bool decide(struct rt_modules *modules, const struct rt_wanted *wanted, struct rt_import_decision *decision_out,
                   v8s_value *error_out) {
    char *name = rt_specifier_name(wanted->request->specifier, wanted->referrer);
    const struct rt_import_rules *rules = modules->realm->options.rules;
    char *by = name ? refusal_of_twin(rules, name) : NULL;
    if (name && !by) by = rt_import_rules_decide(rules, name, decision_out);
    if (!name)
        *error_out = not_found_error(modules, wanted, NULL, rt_must(strdup("no file can have such a name")));
    else if (by)
        *error_out = refused_error(modules, wanted, by);
    free(name);
    return name && !by;
}

static struct module *module_permitted(struct rt_modules *modules, const struct rt_wanted *wanted,
                                       v8s_value *error_out) {
    struct rt_import_decision decision;
    struct rt_resolved resolved;
    struct module *module = NULL;
    if (!decide(modules, wanted, &decision, error_out)) return NULL;
    if (decision.source)
        module = module_of_text(modules, decision.name, wanted->request, decision.source);
    else if (resolve_permitted(modules, wanted, &decision, &resolved, error_out) == 0)
        module = module_for_resolved(modules, wanted, &resolved, error_out);
    if (module) module = behind_facades(modules, module, &decision);
    rt_import_decision_free(&decision);
    return module;
}

/* Without rules. */
static int resolve_freely(struct rt_modules *modules, const struct rt_wanted *wanted, struct rt_resolved *resolved_out,
                          v8s_value *error_out) {
    char *why;
    int result =
        rt_resolve(modules->resolver, wanted->request->specifier, wanted->referrer, wanted->use, resolved_out, &why);
    if (result != 0) *error_out = not_found_error(modules, wanted, resolved_out->code, why);
    return result;
}

struct module *rt_module_wanted(struct rt_modules *modules, const struct rt_wanted *wanted, v8s_value *error_out) {
    const struct v8s_request *request = wanted->request;
    struct rt_resolved resolved;
    if (request->type && strcmp(request->type, "json") != 0) {
        *error_out = request_error(
            modules, V8S_TYPE_ERROR, wanted, "ERR_IMPORT_ASSERTION_TYPE_UNSUPPORTED",
            rt_format("Import of '%s': there is no module type '%s', only 'json'", request->specifier, request->type));
        return NULL;
    }
    if (strlen(request->specifier) != request->specifier_nbytes) {
        *error_out = not_found_error(modules, wanted, NULL, rt_must(strdup("no file has a NUL in its name")));
        return NULL;
    }
    if (modules->realm->options.rules) return module_permitted(modules, wanted, error_out);
    if (resolve_freely(modules, wanted, &resolved, error_out) != 0) return NULL;
    return module_for_resolved(modules, wanted, &resolved, error_out);
}

int rt_module_resolve_only(struct rt_modules *modules, const struct rt_wanted *wanted, struct rt_resolved *resolved_out,
                           v8s_value *error_out) {
    struct rt_import_decision decision;
    int result;
    if (!modules->realm->options.rules) return resolve_freely(modules, wanted, resolved_out, error_out);
    if (!decide(modules, wanted, &decision, error_out)) return -1;
    if (decision.source) {
        *resolved_out = (struct rt_resolved){.path = rt_must(strdup(decision.name)), .suffix = rt_must(strdup(""))};
        result = 0;
    } else {
        result = resolve_permitted(modules, wanted, &decision, resolved_out, error_out);
    }
    rt_import_decision_free(&decision);
    return result;
}
