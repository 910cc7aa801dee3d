/* builtins.c: the table of C functions, the table of embedded scripts and their code, and how they meet at a Realm's
 * start. */

#include "runtime/builtins.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/embed.h"
#include "runtime/errors.h"
#include "runtime/resolve.h"

static const struct rt_native_group *const native_groups[] = {
    &rt_mod_clone,       &rt_mod_commonjs, &rt_mod_encoding, &rt_mod_file, &rt_mod_http,
    &rt_mod_http_client, &rt_mod_inspect,  &rt_mod_io,       &rt_mod_port, &rt_mod_process,
    &rt_mod_profiler,    &rt_mod_realm,    &rt_mod_signals,  &rt_mod_tcp,  &rt_mod_timers,
};

/* ---- The embedded scripts ---- */

#define X(name) RT_EMBED(script_##name, "src/runtime/js/" #name ".js")
#include "runtime/js/table.h"
#undef X

static const struct script {
    const char *name;
    const char *text;
    const char *end;
} scripts[] = {
#define X(name) {#name, script_##name, script_##name##_end},
#include "runtime/js/table.h"
#undef X
};
#define SCRIPT_COUNT (sizeof scripts / sizeof *scripts)

/* What V8 made of them in one Realm, for those that start later: most of what loading them takes is compiling them. It
 * is taken when that Realm first rests, so that what a start calls is in it, and nothing else. */
static struct {
    atomic_uint child_count;            /* Realms that were made, without the main one */
    atomic_bool is_there;               /* once CODE is */
    struct v8s_code code[SCRIPT_COUNT]; /* BYTES NULL: nothing */
} shared;

static const struct script *find_script(const char *name) {
    for (size_t i = 0; i < SCRIPT_COUNT; i++)
        if (strcmp(scripts[i].name, name) == 0) return &scripts[i];
    return NULL;
}

static v8s_value script_text(v8s_isolate *isolate, const struct script *script) {
    size_t nbytes = (size_t)(script->end - script->text);
    for (size_t i = 0; i < nbytes; i++)
        if ((unsigned char)script->text[i] >= 0x80) return v8s_string_utf8(isolate, script->text, nbytes);
    return v8s_string_static(isolate, script->text, nbytes);
}

/* Compiles SCRIPT as the body of a function of (native, internal) and calls it. */
static v8s_value run_script(struct rt_realm *realm, const struct script *script, struct v8s_caught *caught) {
    static const char *const parameters[] = {"native", "internal"};
    v8s_isolate *isolate = realm->isolate;
    char name[80];
    snprintf(name, sizeof name, "fino:internal/%s", script->name);
    size_t index = (size_t)(script - scripts);
    const struct v8s_code *known =
        atomic_load(&shared.is_there) && shared.code[index].bytes ? &shared.code[index] : NULL;
    v8s_value function =
        v8s_compile_function(isolate, script_text(isolate, script), name, parameters, 2, known, caught);
    if (!function) return NULL;
    if (realm->scripts) realm->scripts[index] = v8s_ref_new(isolate, function);
    v8s_value arguments[] = {v8s_ref_get(isolate, realm->native), v8s_ref_get(isolate, realm->internal)};
    return v8s_call(isolate, function, NULL, 2, arguments, caught);
}

/* Is this the one that shares its code? */
static bool is_to_share(const struct rt_realm *realm) {
    return realm->options.child && atomic_fetch_add(&shared.child_count, 1) == 1;
}

void rt_builtins_share_code(struct rt_realm *realm) {
    if (!realm->scripts) return;
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    for (size_t i = 0; i < SCRIPT_COUNT; i++)
        if (realm->scripts[i]) shared.code[i] = v8s_code_of(v8s_ref_get(realm->isolate, realm->scripts[i]));
    v8s_scope_close(&scope);
    atomic_store(&shared.is_there, true);
    rt_builtins_free(realm);
}

void rt_builtins_free(struct rt_realm *realm) {
    for (size_t i = 0; realm->scripts && i < SCRIPT_COUNT; i++)
        v8s_ref_free(realm->scripts[i]);
    free(realm->scripts);
    realm->scripts = NULL;
}

/* load(name): runs an embedded script and returns what it returns. */
static v8s_value load(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value name = v8s_argument(arguments, 0);
    if (!v8s_is_string(name)) return v8s_throw_type_error(isolate, "load: name is not a string");
    char *text = v8s_string_copy(isolate, name, NULL);
    const struct script *script = find_script(text);
    free(text);
    if (!script) return v8s_throw_type_error(isolate, "load: no such built-in script");
    return run_script(rt_realm_of(isolate), script, NULL);
}

/* reportException(error): as if nobody had caught it. */
static v8s_value report_exception(v8s_isolate *isolate, const v8s_arguments *arguments) {
    rt_realm_uncaught(rt_realm_of(isolate), v8s_argument(arguments, 0), NULL);
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"load", load, 1},
    {"reportException", report_exception, 1},
};

/* ---- The start ---- */

static void set_functions(struct rt_realm *realm, v8s_value native, const struct v8s_native_entry *entries,
                          size_t count) {
    for (size_t i = 0; i < count; i++)
        v8s_set(realm->isolate, native, entries[i].name,
                v8s_function_new(realm->isolate, entries[i].name, entries[i].function, entries[i].parameter_count));
}

static v8s_value make_native(struct rt_realm *realm) {
    v8s_value native = v8s_object_new_null_prototype(realm->isolate);
    set_functions(realm, native, functions, sizeof functions / sizeof *functions);
    for (size_t i = 0; i < sizeof native_groups / sizeof *native_groups; i++) {
        set_functions(realm, native, native_groups[i]->functions, native_groups[i]->function_count);
        if (native_groups[i]->install) native_groups[i]->install(realm, native);
    }
    return native;
}

static int report_failure(struct rt_realm *realm, const struct v8s_caught *caught) {
    struct v8s_place place = {0};
    if (caught->error) v8s_place_of(realm->isolate, caught->error, caught->message, &place);
    fprintf(stderr, "fino: the built-in scripts failed: %s:%d:%d: %s\n", place.resource ? place.resource : "unknown",
            place.line, place.column, place.text ? place.text : "terminated");
    v8s_place_free(&place);
    return -1;
}

double rt_number_argument(const v8s_arguments *arguments, int index) {
    v8s_value value = v8s_argument(arguments, index);
    return v8s_is_number(value) ? v8s_number_of(value) : 0;
}

v8s_value rt_clone_error(v8s_isolate *isolate, v8s_value message) {
    v8s_value arguments[] = {message, v8s_string(isolate, "DataCloneError")};
    return v8s_call(isolate, rt_realm_internal(rt_realm_of(isolate), "makeDOMException"), NULL, 2, arguments, NULL);
}

int rt_builtins_start(struct rt_realm *realm) {
    struct v8s_scope scope;
    struct v8s_caught caught;
    if (is_to_share(realm)) realm->scripts = rt_must(calloc(SCRIPT_COUNT, sizeof(v8s_ref *)));
    v8s_scope_open(realm->isolate, &scope);
    realm->native = v8s_ref_new(realm->isolate, make_native(realm));
    realm->internal = v8s_ref_new(realm->isolate, v8s_object_new_null_prototype(realm->isolate));
    int result = run_script(realm, find_script("bootstrap"), &caught) ? 0 : report_failure(realm, &caught);
    v8s_scope_close(&scope);
    return result;
}
