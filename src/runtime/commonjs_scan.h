/* commonjs_scan.h: what a JavaScript file shows of itself without being run: is it an ES module, and if it is CommonJS,
 * which names does it export?
 *
 * Names are found by the forms that compilers write (`exports.x =`, `module.exports = { a, b }`, `__exportStar(require(
 * './y'))`, `Object.defineProperty(exports, 'x', { get })`, ...): those that Node finds, so that what can be imported
 * by name there can be here. Knows nothing of V8.
 */
#ifndef FINO_RT_COMMONJS_SCAN_H
#define FINO_RT_COMMONJS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct rt_names {
    char **items; /* UTF-8 */
    size_t count, capacity;
};

struct rt_commonjs {
    bool is_module;            /* it has an import, an export, an import.meta or an await at its top */
    bool is_commonjs;          /* it names `require`, `module`, `exports`, `__filename` or `__dirname` */
    struct rt_names exports;   /* each once */
    struct rt_names reexports; /* specifiers: all that these export, it exports too */
};

/* Inputs: TEXT, NBYTES of UTF-8; any text: what isn't JavaScript yields what could be understood. */
void rt_commonjs_scan(const char *text, size_t nbytes, struct rt_commonjs *found_out);
void rt_commonjs_free(struct rt_commonjs *found);

/* Adds a copy of NAME unless it is there. */
void rt_names_add(struct rt_names *names, const char *name, size_t nbytes);
void rt_names_free(struct rt_names *names);

#endif
