/* module.h: from a specifier to a running module: resolving, reading, compiling, linking.
 *
 * One module a real path (plus query): the same file through a symbolic link is the same module. Resource names in
 * stack traces and profiles are plain absolute paths; `import.meta.url` is the file: URL.
 */
#ifndef FINO_RT_MODULE_H
#define FINO_RT_MODULE_H

#include "runtime/realm.h"

struct rt_modules *rt_modules_new(struct rt_realm *realm);
void rt_modules_free(struct rt_modules *modules);

/* Loads the main script and all it imports, and begins to evaluate it. Returns the promise of its completion, or NULL
 * with *ERROR_OUT (NULL too: execution was terminated). */
v8s_value rt_modules_run_main(struct rt_modules *modules, const char *script, v8s_value *error_out);

/* The absolute path of the main script, once rt_modules_run_main found it; before that, or without, NULL. */
const char *rt_modules_main_path(const struct rt_modules *modules);

/* The namespace of the main module, once it is linked; before that, NULL. */
v8s_value rt_modules_main_exports(const struct rt_modules *modules);

/* The column in the file PATH of what V8 says is at LINE and COLUMN: another one where erasing types had to write
 * something. All count from 1. */
uint32_t rt_modules_source_column(const struct rt_modules *modules, const char *path, uint32_t line, uint32_t column);

/* For struct v8s_host. */
v8s_value rt_import_dynamic(void *realm, const char *referrer, const struct v8s_request *request);
void rt_import_meta(void *realm, void *module, v8s_value meta);

#endif
