/* v8_shim.h: what the C side of fino needs of V8, without a V8 or C++ type.
 *
 * Bodies behind it convert, call and convert back; policy, tables, paths and messages are the caller's.
 *
 * Handles: a `v8s_value` is a V8 local handle. It is valid until the innermost open scope closes (a native function
 *          called from JavaScript has a scope of its own). NULL is "no value".
 * Errors:  a function that can run user code and takes a `struct v8s_caught *` fills it and returns NULL or false
 *          instead of leaving an exception pending. With NULL for CAUGHT the exception stays pending: only right inside
 *          a native function, which then returns NULL at once. Functions without that parameter throw nothing, except
 *          those named v8s_throw*.
 * Threads: an isolate belongs to the thread that entered it; only the functions marked "any thread" may be called from
 *          elsewhere.
 */
#ifndef FINO_RT_V8_SHIM_H
#define FINO_RT_V8_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct v8s_isolate v8s_isolate;     /* a v8::Isolate */
typedef struct v8s_local *v8s_value;        /* a v8::Local<v8::Value>, or another v8::Data where it says so */
typedef struct v8s_ref v8s_ref;             /* a handle that outlives scopes */
typedef struct v8s_module v8s_module;       /* an ES module record; freed by v8s_module_free */
typedef struct v8s_arguments v8s_arguments; /* of the native call that runs */

/* ---- The process ---- */

/* Starts V8 once, before any isolate. FLAGS: V8's own, separated by spaces, or NULL. Its worker threads are made when
 * there is something for them to do, which a short program has not. */
void v8s_start(const char *flags, int worker_count);
void v8s_stop(void);
const char *v8s_version(void);

/* ---- Isolates ---- */

enum v8s_rejection {
    V8S_REJECTED_UNHANDLED, /* a promise was rejected and nobody listens */
    V8S_REJECTED_HANDLED,   /* somebody began to listen later */
};

/* What a module request says of itself. */
struct v8s_request {
    const char *specifier; /* UTF-8, NUL-terminated */
    size_t specifier_nbytes;
    const char *type; /* of `assert { type: '...' }`; NULL when there is none */
    int line;         /* of the import in its module, from 1; 0: not known */
    int column;       /* from 1 */
};

/* What V8 asks of its host. Each gets DATA. */
struct v8s_host {
    void *data;
    /* Any thread: there is something for v8s_pump. */
    void (*work_posted)(void *data);
    /* `import(specifier)` in REFERRER, the name its script was compiled with: returns a promise. */
    v8s_value (*import_dynamic)(void *data, const char *referrer, const struct v8s_request *request);
    /* `import.meta` was first used in the module that carries MODULE_DATA. */
    void (*import_meta)(void *data, void *module_data, v8s_value meta);
    void (*promise_rejected)(void *data, enum v8s_rejection event, v8s_value promise, v8s_value reason);
    /* An exception that no caller of the shim could catch (thrown by a task of V8's own). */
    void (*uncaught)(void *data, v8s_value error, v8s_value message);
    /* Atomics.wait is about to block; it is over. Neither may run JavaScript. */
    void (*wait_begins)(void *data);
    void (*wait_ended)(void *data);
    /* The heap is about to pass LIMIT_BYTES: returns the limit to go on with. */
    size_t (*heap_limit_near)(void *data, size_t limit_bytes);
    /* An ArrayBuffer was refused for buffer_limit_bytes, garbage collection or not. */
    void (*buffer_limit_reached)(void *data);
};

struct v8s_isolate_options {
    struct v8s_host host;
    uint64_t memory_bytes;     /* of the machine or its container: sizes the heap */
    size_t heap_limit_bytes;   /* of the whole JavaScript heap; 0: derived from memory_bytes */
    size_t buffer_limit_bytes; /* of all ArrayBuffers made in it; 0: none */
    bool without_wasm;         /* code of WebAssembly is refused, as no limit holds for its memories */
    bool is_one_of_many;       /* make it smaller and sooner, if its calls of builtins are a little slower for it */
    void (*fatal)(const char *location, const char *message, bool out_of_memory); /* must not return */
};

/* Makes an isolate with one context, not entered. NULL: memory is short. */
v8s_isolate *v8s_isolate_new(const struct v8s_isolate_options *options);
void v8s_isolate_free(v8s_isolate *isolate);
/* Instead of v8s_leave and v8s_isolate_free, when `fatal` was called and did not return: it is never used again, and
 * its heap is lost. Its thread must end. */
void v8s_isolate_abandon(v8s_isolate *isolate);
/* Is garbage being collected? Only of use to `fatal`: then nothing in the heap can be relied on. */
bool v8s_in_gc(v8s_isolate *isolate);
void *v8s_data(v8s_isolate *isolate); /* host.data */

/* Binds the isolate to the calling thread, with its context and a handle scope, until v8s_leave; then another thread
 * may enter it. That no two do, and that one sees what the other did, is the caller's business. JavaScript may use the
 * stack down to STACK_LIMIT. */
struct v8s_entered {
    uintptr_t words[16];
};
void v8s_enter(v8s_isolate *isolate, uintptr_t stack_limit, struct v8s_entered *entered);
void v8s_leave(struct v8s_entered *entered);

struct v8s_scope {
    uintptr_t words[4];
};
void v8s_scope_open(v8s_isolate *isolate, struct v8s_scope *scope);
void v8s_scope_close(struct v8s_scope *scope);

/* Any thread: JavaScript stops at its next check, without running catch or finally; so does all that is called later,
 * until v8s_terminate_cancel. */
void v8s_terminate(v8s_isolate *isolate);
/* What v8s_terminate asked for is over (or never mind). */
void v8s_terminate_cancel(v8s_isolate *isolate);

void v8s_run_microtasks(v8s_isolate *isolate);
void v8s_enqueue_microtask(v8s_isolate *isolate, v8s_value function);

/* Runs the tasks that V8 posted for this isolate's thread and that are due. Returns how many ran. */
int v8s_pump(v8s_isolate *isolate);
/* Nanoseconds until a delayed task is due, or -1; *AWAITED_OUT: somebody's promise waits for one of them. */
int64_t v8s_pump_delay_ns(v8s_isolate *isolate, bool *awaited_out);
/* Work on V8's own threads whose end JavaScript waits for (a WebAssembly compilation). */
bool v8s_background_work_pending(v8s_isolate *isolate);

struct v8s_heap {
    size_t total_bytes, used_bytes, external_bytes, array_buffer_bytes, limit_bytes;
};
/* All of it, now. */
void v8s_collect_garbage(v8s_isolate *isolate);
void v8s_heap_statistics(v8s_isolate *isolate, struct v8s_heap *heap_out);

/* ---- Scopes of exceptions ---- */

struct v8s_caught {
    v8s_value error;   /* what was thrown; NULL when nothing was or execution was terminated */
    v8s_value message; /* a v8::Message with the place, or NULL */
    bool terminated;
};

/* Where an error came from. Strings are freed by v8s_place_free. */
struct v8s_place {
    char *resource;    /* the script's name; NULL: not known, nor is the rest */
    char *source_line; /* NULL when not known */
    int line;          /* from 1 */
    int column;        /* from 1, in UTF-16 units */
    int end_column;    /* after the last column; >= column */
    char *text;        /* "Uncaught Error: ..." as V8 puts it */
};
/* MESSAGE may be NULL: then the place is the one ERROR carries. */
void v8s_place_of(v8s_isolate *isolate, v8s_value error, v8s_value message, struct v8s_place *place_out);
void v8s_place_free(struct v8s_place *place);

/* Instead of V8's own way (Error.prepareStackTrace included), FORMAT(error, callSites) makes what `stack` is. */
void v8s_set_stack_formatter(v8s_isolate *isolate, v8s_value format);

enum v8s_error_type { V8S_ERROR, V8S_TYPE_ERROR, V8S_RANGE_ERROR, V8S_SYNTAX_ERROR };
v8s_value v8s_error_new(v8s_isolate *isolate, enum v8s_error_type type, const char *message);
void v8s_throw(v8s_isolate *isolate, v8s_value error);
/* Throws a TypeError and returns NULL, for `return v8s_throw_type_error(...)`. */
v8s_value v8s_throw_type_error(v8s_isolate *isolate, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Values ---- */

v8s_value v8s_undefined(v8s_isolate *isolate);
v8s_value v8s_null(v8s_isolate *isolate);
v8s_value v8s_bool(v8s_isolate *isolate, bool value);
v8s_value v8s_number(v8s_isolate *isolate, double value);
v8s_value v8s_bigint_u64(v8s_isolate *isolate, uint64_t value);
v8s_value v8s_string(v8s_isolate *isolate, const char *utf8); /* NUL-terminated */
/* These three return NULL when NBYTES makes a string longer than V8 takes. */
v8s_value v8s_string_utf8(v8s_isolate *isolate, const char *utf8, size_t nbytes);
v8s_value v8s_string_latin1(v8s_isolate *isolate, const uint8_t *latin1, size_t nbytes);
v8s_value v8s_string_utf16(v8s_isolate *isolate, const uint16_t *units, size_t unit_count);
/* ASCII text that V8 uses in place. TEXT must live as long as the process (static), or is freed by V8 (owned). */
v8s_value v8s_string_static(v8s_isolate *isolate, const char *ascii, size_t nbytes);
v8s_value v8s_string_owned(v8s_isolate *isolate, char *ascii, size_t nbytes);
/* Gets memory that V8 used in place, and HINT, on any thread, once nobody uses it. */
typedef void (*v8s_dispose)(void *bytes, size_t nbytes, void *hint);
/* The same with another way to free it. NULL: it is too long; the memory is still the caller's. */
v8s_value v8s_string_adopt(v8s_isolate *isolate, char *ascii, size_t nbytes, v8s_dispose dispose, void *hint);

bool v8s_is_nullish(v8s_value value);
bool v8s_is_string(v8s_value value);
bool v8s_is_number(v8s_value value);
bool v8s_is_function(v8s_value value);
bool v8s_is_object(v8s_value value);
bool v8s_is_promise(v8s_value value);
bool v8s_is_array(v8s_value value);
bool v8s_same(v8s_value a, v8s_value b); /* strict equality of objects */

bool v8s_truthy(v8s_isolate *isolate, v8s_value value);
double v8s_number_of(v8s_value value); /* of a number */

/* Strings. Lone surrogates become U+FFFD in UTF-8. */
size_t v8s_string_length(v8s_value string);    /* in UTF-16 units */
bool v8s_string_is_one_byte(v8s_value string); /* all units < 256, as stored: may say no although they are */
size_t v8s_string_utf8_nbytes(v8s_isolate *isolate, v8s_value string);
size_t v8s_string_write_latin1(v8s_isolate *isolate, v8s_value string, uint8_t *out, size_t start, size_t count);
size_t v8s_string_write_utf8(v8s_isolate *isolate, v8s_value string, char *out, size_t out_nbytes, size_t *units_out);
size_t v8s_string_write_utf16(v8s_isolate *isolate, v8s_value string, uint16_t *out, size_t count);
/* As a NUL-terminated copy to free; NULL when memory is short. NBYTES_OUT may be NULL. */
char *v8s_string_copy(v8s_isolate *isolate, v8s_value string, size_t *nbytes_out);
/* Any value as a string, as String(value) says, without throwing: "<...>" when it would. To free. */
char *v8s_describe(v8s_isolate *isolate, v8s_value value);

/* Bytes of an ArrayBuffer or of a view of one, valid until JavaScript runs. False: VALUE is neither. */
bool v8s_bytes_of(v8s_value value, uint8_t **bytes_out, size_t *nbytes_out);
v8s_value v8s_uint8array_new(v8s_isolate *isolate, size_t nbytes, uint8_t **bytes_out);
/* One of memory that the caller made. NULL: an ArrayBuffer can't be as large; the memory is still the caller's. */
v8s_value v8s_uint8array_adopt(v8s_isolate *isolate, void *bytes, size_t nbytes, v8s_dispose dispose, void *hint);
/* Keeps the memory behind such a value, also when its buffer is detached, for use on any thread. NULL: VALUE is
 * neither. v8s_pin_free: any thread. */
typedef struct v8s_pin v8s_pin;
v8s_pin *v8s_pin_new(v8s_value value, uint8_t **bytes_out, size_t *nbytes_out);
void v8s_pin_free(v8s_pin *pin); /* NULL is fine */

/* Objects. Names are NUL-terminated UTF-8. */
v8s_value v8s_object_new(v8s_isolate *isolate);
v8s_value v8s_object_new_null_prototype(v8s_isolate *isolate);
v8s_value v8s_array_new(v8s_isolate *isolate, const v8s_value *values, size_t count);
size_t v8s_array_length(v8s_value array);
v8s_value v8s_array_at(v8s_isolate *isolate, v8s_value array, size_t index);
/* An ordinary data property; getters that throw give NULL. */
v8s_value v8s_get(v8s_isolate *isolate, v8s_value object, const char *name);
bool v8s_set(v8s_isolate *isolate, v8s_value object, const char *name, v8s_value value);
/* Own enumerable string keys, as an array. */
v8s_value v8s_own_keys(v8s_isolate *isolate, v8s_value object);
v8s_value v8s_get_by(v8s_isolate *isolate, v8s_value object, v8s_value key);
/* Properties that JavaScript can't see. */
v8s_value v8s_get_private(v8s_isolate *isolate, v8s_value object, const char *name);
void v8s_set_private(v8s_isolate *isolate, v8s_value object, const char *name, v8s_value value);

/* FUNCTION NULL: there was none to be had, as execution is being terminated: nothing is called. */
v8s_value v8s_call(v8s_isolate *isolate, v8s_value function, v8s_value receiver, int argument_count,
                   v8s_value *arguments, struct v8s_caught *caught);

/* A promise and its settlement. */
v8s_value v8s_deferred_new(v8s_isolate *isolate); /* a v8::Promise::Resolver */
v8s_value v8s_deferred_promise(v8s_value deferred);
void v8s_deferred_resolve(v8s_isolate *isolate, v8s_value deferred, v8s_value value);
void v8s_deferred_reject(v8s_isolate *isolate, v8s_value deferred, v8s_value error);
enum v8s_promise_state { V8S_PENDING, V8S_FULFILLED, V8S_REJECTED };
enum v8s_promise_state v8s_promise_state(v8s_value promise);
v8s_value v8s_promise_result(v8s_value promise); /* of a settled promise */
void v8s_promise_mark_handled(v8s_value promise);
bool v8s_promise_then(v8s_isolate *isolate, v8s_value promise, v8s_value on_fulfilled, v8s_value on_rejected);

v8s_ref *v8s_ref_new(v8s_isolate *isolate, v8s_value value);
v8s_value v8s_ref_get(v8s_isolate *isolate, const v8s_ref *ref);
void v8s_ref_free(v8s_ref *ref); /* NULL is fine */

/* ---- Native functions ---- */

typedef v8s_value (*v8s_native)(v8s_isolate *isolate, const v8s_arguments *arguments);
struct v8s_native_entry {
    const char *name;
    v8s_native function;
    int parameter_count;
};
v8s_value v8s_argument(const v8s_arguments *arguments, int index); /* undefined beyond the last */
v8s_value v8s_function_new(v8s_isolate *isolate, const char *name, v8s_native function, int parameter_count);
/* One with a value of its own, which v8s_argument_data gives back. */
v8s_value v8s_closure_new(v8s_isolate *isolate, v8s_native function, v8s_value data);
v8s_value v8s_argument_data(const v8s_arguments *arguments);

/* ---- Scripts and modules ---- */

/* What a function and those inside it were compiled to, for other isolates with the same V8 flags. */
struct v8s_code {
    uint8_t *bytes;
    size_t nbytes;
};

/* The body SOURCE as a function of PARAMETERS. KNOWN (may be NULL) is what v8s_code_of said of the same one; if it does
 * not fit, it is compiled all the same. */
v8s_value v8s_compile_function(v8s_isolate *isolate, v8s_value source, const char *name, const char *const *parameters,
                               size_t parameter_count, const struct v8s_code *known, struct v8s_caught *caught);
/* Of a function made by v8s_compile_function, with all that was compiled so far. BYTES is NULL if there is nothing to
 * keep. Owns: free frees BYTES. */
struct v8s_code v8s_code_of(v8s_value function);

/* Compiles SOURCE, named NAME; DATA comes back in resolve and import_meta. */
v8s_module *v8s_module_compile(v8s_isolate *isolate, v8s_value source, const char *name, void *data,
                               struct v8s_caught *caught);
/* A module whose exports are set by EVALUATE, through v8s_module_export, when it is its turn. EVALUATE returns false
 * with an exception pending. */
typedef bool (*v8s_module_evaluator)(v8s_isolate *isolate, v8s_module *module, void *data);
v8s_module *v8s_module_synthetic(v8s_isolate *isolate, const char *name, const v8s_value *export_names,
                                 size_t export_count, v8s_module_evaluator evaluate, void *data);
bool v8s_module_export(v8s_isolate *isolate, v8s_module *module, v8s_value name, v8s_value value);
void v8s_module_free(v8s_module *module);

size_t v8s_module_request_count(v8s_isolate *isolate, v8s_module *module);
/* Calls VISIT for each request, in order, until it returns false. */
typedef bool (*v8s_request_visitor)(void *context, const struct v8s_request *request);
void v8s_module_requests(v8s_isolate *isolate, v8s_module *module, v8s_request_visitor visit, void *context);

/* The module that the module with REFERRER_DATA means by REQUEST; must be there. */
typedef v8s_module *(*v8s_module_resolver)(void *referrer_data, const struct v8s_request *request);
bool v8s_module_instantiate(v8s_isolate *isolate, v8s_module *module, v8s_module_resolver resolve,
                            struct v8s_caught *caught);
/* Returns the promise of its completion. */
v8s_value v8s_module_evaluate(v8s_isolate *isolate, v8s_module *module, struct v8s_caught *caught);
v8s_value v8s_module_namespace(v8s_module *module); /* of an instantiated module */
enum v8s_module_status {
    V8S_MODULE_NEW,
    V8S_MODULE_INSTANTIATING,
    V8S_MODULE_INSTANTIATED,
    V8S_MODULE_EVALUATING,
    V8S_MODULE_EVALUATED,
    V8S_MODULE_ERRORED,
};
enum v8s_module_status v8s_module_status(v8s_isolate *isolate, v8s_module *module);

v8s_value v8s_json_parse(v8s_isolate *isolate, v8s_value text, struct v8s_caught *caught);

/* ---- Looking into values (console, structuredClone) ---- */

v8s_value v8s_own_non_index_properties(v8s_isolate *isolate, v8s_value object, bool only_enumerable);
v8s_value v8s_preview_entries(v8s_isolate *isolate, v8s_value object, bool *is_key_value_out); /* NULL: has none */
v8s_value v8s_proxy_target(v8s_value proxy);                                                   /* NULL: no proxy */
v8s_value v8s_proxy_handler(v8s_value proxy);
v8s_value v8s_constructor_name(v8s_value object);
/* "name:line:column" of where FUNCTION is in the source; NULL for native ones. */
v8s_value v8s_function_location(v8s_isolate *isolate, v8s_value function);
const char *v8s_type_tag(v8s_value value); /* "Map", "Promise", ...: "" for primitives */

/* A copy of VALUE by the structured clone algorithm, TRANSFER (an array or NULL) moved. On failure returns NULL with
 * an exception pending: the one V8 threw, or what MAKE_ERROR made of its message. */
typedef v8s_value (*v8s_clone_error)(v8s_isolate *isolate, v8s_value message);
v8s_value v8s_structured_clone(v8s_isolate *isolate, v8s_value value, v8s_value transfer, v8s_clone_error make_error);

/* ---- Between isolates ---- */

/* A class to extend, one for each isolate: its instances carry a pointer, NULL at first, that only C can see. */
v8s_value v8s_host_class(v8s_isolate *isolate);
bool v8s_is_host(v8s_isolate *isolate, v8s_value value);
void *v8s_host_get(v8s_value host);
void v8s_host_set(v8s_value host, void *pointer); /* aligned to 2 bytes */

/* A value on its way from one isolate to another. */
typedef struct v8s_message v8s_message;

/* What a message may hold. */
enum v8s_reach {
    V8S_WITHIN_PROCESS,
    V8S_BEYOND_PROCESS, /* nothing that is shared: no SharedArrayBuffer, no code of WebAssembly */
};

/* Copies VALUE out of its isolate, after the structured clone algorithm; the ArrayBuffers of TRANSFER (an array or
 * NULL) are moved. Instances of the host class may be in it when they are among HOSTS. On failure as
 * v8s_structured_clone. */
v8s_message *v8s_message_write(v8s_isolate *isolate, v8s_value value, v8s_value transfer, const v8s_value *hosts,
                               size_t host_count, enum v8s_reach reach, v8s_clone_error make_error);
/* The value anew, HOSTS in the places of those that were written. Once: what was moved is then this isolate's. */
v8s_value v8s_message_read(v8s_isolate *isolate, v8s_message *message, const v8s_value *hosts, size_t host_count,
                           struct v8s_caught *caught);
/* What it takes, about. */
size_t v8s_message_nbytes(const v8s_message *message);
/* Any thread. NULL is fine. */
void v8s_message_free(v8s_message *message);

/* A message as bytes, any thread: the parts of one make another, which reads the same in any process. The first part is
 * the value, the others are the ArrayBuffers that were moved. */
bool v8s_message_can_leave(const v8s_message *message); /* else, not */
size_t v8s_message_part_count(const v8s_message *message);
const uint8_t *v8s_message_part(const v8s_message *message, size_t index, size_t *nbytes_out);
/* One without parts, which can't be read. */
v8s_message *v8s_message_new(void);
/* Copies. Returns: false if there is no memory for it. */
bool v8s_message_add_part(v8s_message *message, const uint8_t *bytes, size_t nbytes);

#ifdef __cplusplus
}
#endif
#endif
