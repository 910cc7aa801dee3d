/* module_internal.h: what the files of the module graph (module*.c) share. */
#ifndef FINO_RT_MODULE_INTERNAL_H
#define FINO_RT_MODULE_INTERNAL_H

#include "runtime/module.h"
#include "runtime/resolve.h"
#include "runtime/typescript.h"

enum module_kind { MODULE_SCRIPT, MODULE_COMMONJS, MODULE_JSON, MODULE_BUILTIN };

struct dependency {
    char *specifier;
    bool is_json;
    struct module *module;
};

struct module {
    struct rt_modules *owner;
    enum module_kind kind;
    char *path;            /* real and absolute, or fino:name; the resource name */
    char *suffix;          /* of its URL */
    const char *text;      /* what the file would have in it; NULL: read it */
    struct module *target; /* of a facade: what all of its imports mean; NULL: it is none */
    v8s_module *handle;    /* NULL: not compiled */
    v8s_ref *error;        /* why it can't be compiled: every importer gets the same */
    v8s_ref *value; /* of JSON: the value; of a built-in: the object of its exports; of CommonJS: the array of its
                       exports' names */
    struct dependency *dependencies;
    size_t dependency_count;
    size_t next_dependency;       /* V8 asks for them in order: where to look first */
    struct rt_ts_columns columns; /* of its text as it was compiled */
    uint64_t visit;               /* the last load that came by */
    struct module *next;          /* in its bucket */
};

struct rt_modules {
    struct rt_realm *realm;
    struct rt_resolver *resolver;
    struct module **buckets;
    size_t bucket_count; /* a power of two */
    size_t module_count;
    struct module *main;
    uint64_t visit;
    bool moves_columns;  /* in stacks: once there is a module with any */
    unsigned note_count; /* of imports that could mean two files */
};

/* ---- module.c: the table and the graph ---- */

/* The one module of that path and suffix, as JSON or not, if it is known already. */
struct module *rt_module_find(const struct rt_modules *modules, const char *path, const char *suffix, bool is_json);

/* The same, made if there is none. Takes what is in RESOLVED. */
struct module *rt_module_intern(struct rt_modules *modules, struct rt_resolved *resolved, enum module_kind kind);

/* Loads, links and begins to evaluate. Returns the promise of the completion, or NULL with *ERROR_OUT (NULL:
 * terminated). */
v8s_value rt_module_run(struct module *root, v8s_value *error_out);

/* The directory part of PATH, as a string: "/" of "/a", "" of what has only a name. */
v8s_value rt_module_directory(v8s_isolate *isolate, const char *path);

/* ---- module_request.c: from what an import says to its module ---- */

/* A suffix that no specifier has (those begin with '?' or '#'): of modules whose text isn't a file's. */
#define SOURCE_SUFFIX "source"

/* Of the file PATH: by its name, by what its package says, or by what is in it; only by its name if that is TEXT (NULL:
 * it is to be read). */
enum module_kind rt_module_kind_of_file(struct rt_modules *modules, const char *path, const char *text);

/* An import or a require(), as it stands in REFERRER. */
struct rt_wanted {
    const char *referrer;
    const struct v8s_request *request;
    enum rt_package_use use;
};

/* The module that WANTED means, or NULL with *ERROR_OUT. */
struct module *rt_module_wanted(struct rt_modules *modules, const struct rt_wanted *wanted, v8s_value *error_out);

/* What WANTED would load, without loading it. Returns 0, or -1 with *ERROR_OUT. */
int rt_module_resolve_only(struct rt_modules *modules, const struct rt_wanted *wanted, struct rt_resolved *resolved_out,
                           v8s_value *error_out);

/* ---- module_compile.c: from a file to a module of V8's ---- */

/* Sets MODULE's handle. Returns whether it could; if not, *ERROR_OUT (NULL: terminated). */
bool rt_module_compile(struct module *module, v8s_value *error_out);

/* The text of MODULE's file with its types erased, as it is to be compiled; NULL with *ERROR_OUT. */
v8s_value rt_module_source(struct module *module, v8s_value *error_out);

/* A SyntaxError of V8's says in its message where it is, but not in what a handler of the user's would print. Returns
 * the error with that added. */
v8s_value rt_module_note_place(struct rt_realm *realm, const struct v8s_caught *caught);

/* ---- module_commonjs.c ---- */

/* Runs the file of MODULE (DATA), unless it has run, and exports what it exported; as far as it got when it is running
 * (a cycle). A v8s_module_evaluator. */
bool rt_module_commonjs_export(v8s_isolate *isolate, v8s_module *handle, void *data);

/* The names by which MODULE, a CommonJS file, can be imported from, "default" the first, found without running it: an
 * array. NULL with *ERROR_OUT: it can't be read. */
v8s_value rt_module_commonjs_names(struct module *module, v8s_value *error_out);

#endif
