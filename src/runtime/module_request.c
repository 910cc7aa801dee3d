/* module_request.c: from what an import says to its module: what a Realm's rules make of it, and what becomes of one
 * that leads nowhere. Which file a specifier means is resolve.c's business. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/errors.h"
#include "runtime/import_rules.h"
#include "runtime/module_internal.h"

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

enum module_kind rt_module_kind_of_file(const char *path) {
    return rt_has_suffix(path, ".cjs") || rt_has_suffix(path, ".cts") ? MODULE_COMMONJS : MODULE_SCRIPT;
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
    if (resolved->is_builtin) return rt_module_intern(modules, resolved, MODULE_BUILTIN);
    print_note(modules, referrer, request, resolved->note);
    if (!request->type && rt_has_suffix(resolved->path, ".json")) {
        *error_out =
            request_error(modules, V8S_TYPE_ERROR, referrer, request, "ERR_IMPORT_ASSERTION_TYPE_MISSING",
                          rt_format("Import of '%s': JSON needs `assert { type: 'json' }`", request->specifier));
        rt_resolved_free(resolved);
        return NULL;
    }
    return rt_module_intern(modules, resolved, request->type ? MODULE_JSON : rt_module_kind_of_file(resolved->path));
}

/* ---- Rules ----
 *
 * In a Realm that has some, they come before any look at a file: what is refused can't be told from what isn't there.
 */

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
    struct module *module = rt_module_intern(modules, &resolved, request->type ? MODULE_JSON : MODULE_SCRIPT);
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
        struct module *facade = rt_module_intern(modules, &resolved, MODULE_SCRIPT);
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

struct module *rt_module_for_request(struct rt_modules *modules, const char *referrer,
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

int rt_module_resolve_only(struct rt_modules *modules, const char *referrer, const struct v8s_request *request,
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
