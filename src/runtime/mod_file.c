/* mod_file.c: fino:file's way from JavaScript to the pool of threads and back.
 *
 * Owns: requests from the call until their promise is settled, and open descriptors, which JavaScript knows by number.
 * Leaves what a request does to file_*.c, and what people may write to js/file.js, which checks it.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/file.h"
#include "runtime/utf8.h"

/* Bytes to write up to this size are copied, so that the caller may change them at once. */
#define COPY_BYTES (64u << 10)
/* Text from this size on is used where it was read, and not copied into V8's heap. */
#define ADOPT_TEXT_BYTES (4u << 10)

/* ---- Operations ---- */

enum target {
    TARGET_PATH,   /* beneath the root, if there is one */
    TARGET_HANDLE, /* an open file */
    TARGET_BOTH,   /* an open file, and a path; the root's number is the request's */
};

struct operation {
    const char *name;
    int (*run)(struct file_request *request);
    enum file_answer answer;
    enum target target;
    bool is_exclusive; /* nothing else happens to its handle meanwhile */
    bool into;         /* its data is memory to be filled */
};

static const struct operation operations[] = {
    {"readBytes", file_read_bytes, FILE_ANSWER_BYTES, TARGET_PATH, false, false},
    {"readText", file_read_text, FILE_ANSWER_TEXT, TARGET_PATH, false, false},
    {"write", file_write, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"append", file_append, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"copy", file_copy, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"open", file_open, FILE_ANSWER_HANDLE, TARGET_PATH, false, false},
    {"status", file_status, FILE_ANSWER_STATUS, TARGET_PATH, false, false},
    {"makeDirectory", file_make_directory, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"makeTemporary", file_make_temporary, FILE_ANSWER_NAME, TARGET_PATH, false, false},
    {"removeDirectory", file_remove_directory, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"remove", file_remove, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"rename", file_rename, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"makeLink", file_make_link, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"readLink", file_read_link, FILE_ANSWER_NAME, TARGET_PATH, false, false},
    {"setMode", file_set_mode, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"setTimes", file_set_times, FILE_ANSWER_NOTHING, TARGET_PATH, false, false},
    {"openDirectory", file_open_directory, FILE_ANSWER_HANDLE, TARGET_PATH, false, false},
    {"readDirectory", file_read_directory, FILE_ANSWER_NAMES, TARGET_HANDLE, true, false},
    {"readNext", file_read_some, FILE_ANSWER_NUMBER, TARGET_HANDLE, true, true},
    {"readAt", file_read_some, FILE_ANSWER_NUMBER, TARGET_HANDLE, false, true},
    {"writeNext", file_write_all, FILE_ANSWER_NUMBER, TARGET_HANDLE, true, false},
    {"writeAt", file_write_all, FILE_ANSWER_NUMBER, TARGET_HANDLE, false, false},
    {"truncate", file_truncate, FILE_ANSWER_NOTHING, TARGET_HANDLE, true, false},
    {"sync", file_sync, FILE_ANSWER_NOTHING, TARGET_HANDLE, true, false},
    {"statusOf", file_status_of, FILE_ANSWER_STATUS, TARGET_HANDLE, false, false},
    {"watchOpen", file_watch_open, FILE_ANSWER_HANDLE, TARGET_PATH, false, false},
    {"watchAdd", file_watch_add, FILE_ANSWER_NUMBER, TARGET_BOTH, false, false},
    {"watchRemove", file_watch_remove, FILE_ANSWER_NOTHING, TARGET_HANDLE, false, false},
    {"watchRead", file_watch_read, FILE_ANSWER_EVENTS, TARGET_HANDLE, false, false},
    {"close", file_close, FILE_ANSWER_NOTHING, TARGET_HANDLE, true, false},
};
/* What becomes of one that is cancelled in a handle's queue; it keeps its turn. */
static int be_cancelled(struct file_request *request) {
    (void)request;
    return -ECANCELED;
}
static const struct operation cancelled = {"cancelled", be_cancelled, FILE_ANSWER_NOTHING, TARGET_HANDLE, true, false};

#define OPERATION_COUNT (sizeof operations / sizeof *operations)

/* ---- What a Realm has open and under way ---- */

/* A request, as JavaScript's side needs it beside what the threads see. */
struct call {
    struct file_request request; /* first: recovered by a cast */
    struct rt_files *files;
    const struct operation *operation;
    struct descriptor *descriptor; /* of its handle or root; NULL: none */
    struct call *previous, *next;  /* in files->calls */
    struct call *waiting;          /* the next one in its descriptor's queue */
    bool is_submitted;
    double ticket; /* cancels it; 0: none */
    v8s_ref *deferred;
    char *from, *to;
    v8s_pin *pin;
    void *copy; /* of the bytes to write */
};

/* An open file or directory. What is asked of it begins in that order; what is exclusive has it for itself. */
struct descriptor {
    uint32_t id;
    int fd;
    bool is_pipe;
    bool is_closing; /* nothing more is begun */
    bool is_held;    /* by an exclusive call */
    unsigned running_count;
    struct call *first, **last;
    struct descriptor *next;
};

struct rt_files {
    struct rt_realm *realm;
    struct call *calls;
    struct descriptor *descriptors[64]; /* by id */
    uint32_t last_id;
};

static struct rt_files *files_of(struct rt_realm *realm) {
    if (!realm->files) {
        realm->files = calloc(1, sizeof *realm->files);
        if (!realm->files) abort();
        realm->files->realm = realm;
    }
    return realm->files;
}

static struct descriptor **descriptor_link(struct rt_files *files, uint32_t id) {
    struct descriptor **link = &files->descriptors[id % (sizeof files->descriptors / sizeof *files->descriptors)];
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

static struct descriptor *add_descriptor(struct rt_files *files, int fd, bool is_pipe) {
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor) abort();
    *descriptor = (struct descriptor){.id = ++files->last_id, .fd = fd, .is_pipe = is_pipe};
    descriptor->last = &descriptor->first;
    *descriptor_link(files, descriptor->id) = descriptor;
    return descriptor;
}

static void remove_descriptor(struct rt_files *files, struct descriptor *descriptor) {
    *descriptor_link(files, descriptor->id) = descriptor->next;
    free(descriptor);
}

static void free_call(struct call *call) {
    *(call->previous ? &call->previous->next : &call->files->calls) = call->next;
    if (call->next) call->next->previous = call->previous;
    file_memory_free(&call->request.memory);
    v8s_ref_free(call->deferred);
    v8s_pin_free(call->pin);
    free(call->copy);
    free(call->from);
    free(call->to);
    free(call);
}

/* ---- Names ---- */

/* A path argument: a string (see utf8.h) or bytes, as a copy to free. NULL with an exception pending. */
static char *path_argument(v8s_isolate *isolate, v8s_value value) {
    uint8_t *bytes;
    size_t nbytes;
    char *path = NULL;
    ptrdiff_t length = -1;
    if (v8s_is_string(value)) {
        size_t count = v8s_string_length(value);
        uint16_t *units = malloc(count * sizeof *units + 1);
        path = malloc(count * 3 + 1);
        if (!units || !path) abort();
        length = rt_name_from_units(units, v8s_string_write_utf16(isolate, value, units, count), path);
        free(units);
    } else if (v8s_bytes_of(value, &bytes, &nbytes)) {
        path = malloc(nbytes + 1);
        if (!path) abort();
        memcpy(path, bytes, nbytes);
        length = (ptrdiff_t)nbytes;
    }
    if (length >= 0 && !memchr(path, 0, (size_t)length)) {
        path[length] = '\0';
        return path;
    }
    free(path);
    v8s_throw_type_error(isolate, length >= 0 ? "The path has a NUL in it, which no file's name can have"
                                  : v8s_is_string(value)
                                      ? "The path has half of a surrogate pair in it, which no file's name can have"
                                      : "The path is neither a string nor bytes");
    return NULL;
}

static v8s_value name_value(v8s_isolate *isolate, const char *name, size_t nbytes) {
    if (rt_utf8_valid_prefix((const uint8_t *)name, nbytes) == nbytes) return v8s_string_utf8(isolate, name, nbytes);
    uint16_t *units = malloc(nbytes * sizeof *units);
    if (!units) abort();
    v8s_value value = v8s_string_utf16(isolate, units, rt_name_to_units(name, nbytes, units));
    free(units);
    return value;
}

/* ---- Errors ---- */

static const char *code_of(int error) {
    const char *code = error == FILE_ESCAPES ? "EACCES" : strerrorname_np(error);
    return code ? code : "EIO";
}

static const char *describe(const struct call *call) {
    int error = call->request.error;
    if (error == FILE_ESCAPES) return "The path leads out of the file system's root";
    if (error == EINVAL && call->operation->run == file_copy) return "Source and target are the same file";
    if (error == EINVAL && call->operation->run == file_write) return "Only a regular file can be replaced atomically";
    return strerrordesc_np(error);
}

/* "ENOENT: No such file or directory, rename 'a' -> 'b'", with what it says as properties. */
static v8s_value error_value(v8s_isolate *isolate, const struct call *call) {
    const struct file_request *request = &call->request;
    const char *from = request->at ? request->at : call->from, *to = request->at ? NULL : call->to,
               *code = code_of(request->error);
    char *text = NULL;
    size_t nbytes;
    if (asprintf(&text, "%s: %s, %s%s%s%s%s%s%s", code, describe(call), request->syscall, from ? " '" : "",
                 from ? from : "", from ? "'" : "", to ? " -> '" : "", to ? to : "", to ? "'" : "") < 0)
        abort();
    char *valid = rt_utf8_replace((const uint8_t *)text, strlen(text) + 1, &nbytes); /* with its NUL */
    if (!valid) abort();
    v8s_value error = v8s_error_new(isolate, V8S_ERROR, valid);
    free(valid);
    free(text);
    v8s_set(isolate, error, "code", v8s_string(isolate, code));
    v8s_set(isolate, error, "errno", v8s_number(isolate, request->error == FILE_ESCAPES ? EACCES : request->error));
    v8s_set(isolate, error, "syscall", v8s_string(isolate, request->syscall));
    if (from) v8s_set(isolate, error, "path", name_value(isolate, from, strlen(from)));
    if (to) v8s_set(isolate, error, "dest", name_value(isolate, to, strlen(to)));
    return error;
}

/* ---- Answers ---- */

static double milliseconds(struct statx_timestamp time) {
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* In the order that js/file.js reads them in. */
static v8s_value status_value(v8s_isolate *isolate, const struct statx *status) {
    const double fields[] = {
        (double)makedev(status->stx_dev_major, status->stx_dev_minor),
        (double)status->stx_ino,
        status->stx_mode,
        status->stx_nlink,
        status->stx_uid,
        status->stx_gid,
        (double)makedev(status->stx_rdev_major, status->stx_rdev_minor),
        (double)status->stx_size,
        status->stx_blksize,
        (double)status->stx_blocks,
        milliseconds(status->stx_atime),
        milliseconds(status->stx_mtime),
        milliseconds(status->stx_ctime),
        milliseconds(status->stx_mask & STATX_BTIME ? status->stx_btime : status->stx_ctime),
    };
    v8s_value values[sizeof fields / sizeof *fields];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        values[i] = v8s_number(isolate, fields[i]);
    return v8s_array_new(isolate, values, sizeof fields / sizeof *fields);
}

/* These two give the memory away. NULL: there is more than a value of that kind can hold. */
static v8s_value bytes_value(v8s_isolate *isolate, struct file_memory *memory) {
    v8s_value value =
        v8s_uint8array_adopt(isolate, memory->bytes, memory->nbytes, file_memory_dispose, (void *)memory->capacity);
    if (value) *memory = (struct file_memory){0};
    return value;
}

static v8s_value text_value(v8s_isolate *isolate, struct file_request *request) {
    struct file_memory *memory = &request->memory;
    const uint8_t *bytes = memory->bytes;
    size_t nbytes = memory->nbytes;
    v8s_value value;
    if (request->is_ascii && nbytes >= ADOPT_TEXT_BYTES) {
        value = v8s_string_adopt(isolate, (char *)memory->bytes, nbytes, file_memory_dispose, (void *)memory->capacity);
        if (value) *memory = (struct file_memory){0};
    } else if (request->is_ascii) {
        value = v8s_string_latin1(isolate, bytes, nbytes);
    } else {
        size_t bom = nbytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        bool valid = rt_utf8_valid_prefix(bytes, nbytes) == nbytes;
        char *replaced = valid ? NULL : rt_utf8_replace(bytes, nbytes, &nbytes);
        if (!valid && !replaced) abort();
        value = v8s_string_utf8(isolate, (valid ? (const char *)bytes : replaced) + bom, nbytes - bom);
        free(replaced);
    }
    return value;
}

/* [type, name, type, name, ...], types as DT_* */
static v8s_value names_value(v8s_isolate *isolate, const struct file_memory *memory) {
    const char *bytes = (const char *)memory->bytes;
    size_t count = 0;
    for (size_t at = 0; at < memory->nbytes; at += 1 + strlen(bytes + at + 1) + 1)
        count += 2;
    v8s_value *values = malloc(count * sizeof *values + 1);
    if (!values) abort();
    count = 0;
    for (size_t at = 0; at < memory->nbytes;) {
        size_t length = strlen(bytes + at + 1);
        values[count++] = v8s_number(isolate, bytes[at]);
        values[count++] = name_value(isolate, bytes + at + 1, length);
        at += 1 + length + 1;
    }
    v8s_value array = v8s_array_new(isolate, values, count);
    free(values);
    return array;
}

/* [watch, mask, cookie, name, watch, ...] */
static v8s_value events_value(v8s_isolate *isolate, const struct file_memory *memory) {
    const struct inotify_event *event;
    size_t count = 0;
    v8s_value *values = malloc(memory->nbytes / sizeof *event * 4 * sizeof *values + 1);
    if (!values) abort();
    for (size_t at = 0; at < memory->nbytes; at += sizeof *event + event->len) {
        event = (const struct inotify_event *)(memory->bytes + at);
        values[count++] = v8s_number(isolate, event->wd);
        values[count++] = v8s_number(isolate, event->mask);
        values[count++] = v8s_number(isolate, event->cookie);
        values[count++] = name_value(isolate, event->name, event->len ? strlen(event->name) : 0);
    }
    v8s_value array = v8s_array_new(isolate, values, count);
    free(values);
    return array;
}

/* [number, status] */
static v8s_value handle_value(v8s_isolate *isolate, struct call *call) {
    const struct file_request *request = &call->request;
    struct descriptor *descriptor =
        add_descriptor(call->files, (int)request->answer, file_is_pipe(request->status.stx_mode));
    v8s_value values[] = {v8s_number(isolate, descriptor->id), status_value(isolate, &request->status)};
    return v8s_array_new(isolate, values, 2);
}

static v8s_value answer_value(v8s_isolate *isolate, struct call *call) {
    switch (call->operation->answer) {
        case FILE_ANSWER_NOTHING: return v8s_undefined(isolate);
        case FILE_ANSWER_NUMBER: return v8s_number(isolate, (double)call->request.answer);
        case FILE_ANSWER_BYTES: return bytes_value(isolate, &call->request.memory);
        case FILE_ANSWER_TEXT: return text_value(isolate, &call->request);
        case FILE_ANSWER_NAME:
            return name_value(isolate, (char *)call->request.memory.bytes, call->request.memory.nbytes);
        case FILE_ANSWER_STATUS: return status_value(isolate, &call->request.status);
        case FILE_ANSWER_NAMES: return names_value(isolate, &call->request.memory);
        case FILE_ANSWER_HANDLE: return handle_value(isolate, call);
        case FILE_ANSWER_EVENTS: return events_value(isolate, &call->request.memory);
    }
    abort();
}

static v8s_value too_large(v8s_isolate *isolate, const struct call *call) {
    return v8s_error_new(isolate, V8S_RANGE_ERROR,
                         call->operation->answer == FILE_ANSWER_TEXT
                             ? "The text is longer than a string can be (512 MiB); readBytes can have it"
                             : "The file is larger than an ArrayBuffer can be (4 GiB); open() reads it piece by piece");
}

/* What CALL came to; NULL with *ERROR_OUT. */
static v8s_value outcome(v8s_isolate *isolate, struct call *call, v8s_value *error_out) {
    v8s_value answer = call->request.error ? NULL : answer_value(isolate, call);
    if (call->request.error)
        *error_out = error_value(isolate, call);
    else if (!answer)
        *error_out = too_large(isolate, call);
    return answer;
}

static void settle(v8s_isolate *isolate, struct call *call) {
    v8s_value deferred = v8s_ref_get(isolate, call->deferred);
    v8s_value error = NULL, answer = outcome(isolate, call, &error);
    if (error)
        v8s_deferred_reject(isolate, deferred, error);
    else
        v8s_deferred_resolve(isolate, deferred, answer);
}

/* ---- Under way ---- */

static void run_call(struct rt_work *work) {
    struct call *call = (struct call *)work;
    int error = call->operation->run(&call->request);
    call->request.error = -error;
}

static void on_done(struct rt_loop *loop, struct rt_work *work);

static void submit(struct call *call) {
    call->is_submitted = true;
    call->request.error = ECANCELED; /* unless it runs */
    call->request.syscall = call->operation->name;
    call->request.work.run = run_call;
    call->request.work.done = on_done;
    rt_work_submit(&call->files->realm->loop, &call->request.work);
}

/* Begins what may begin now, in the order it was asked for. */
static void begin_waiting(struct descriptor *descriptor) {
    while (descriptor->first) {
        struct call *call = descriptor->first;
        bool is_exclusive = call->operation->is_exclusive;
        if (descriptor->is_held || (is_exclusive && descriptor->running_count > 0)) return;
        descriptor->first = call->waiting;
        if (!descriptor->first) descriptor->last = &descriptor->first;
        descriptor->is_held = is_exclusive;
        descriptor->running_count++;
        submit(call);
    }
}

static void begin(struct call *call) {
    struct descriptor *descriptor = call->descriptor;
    if (!descriptor) {
        submit(call);
        return;
    }
    *descriptor->last = call;
    descriptor->last = &call->waiting;
    begin_waiting(descriptor);
}

static void leave_descriptor(struct call *call) {
    struct descriptor *descriptor = call->descriptor;
    if (!descriptor) return;
    descriptor->running_count--;
    if (call->operation->is_exclusive) descriptor->is_held = false;
    if (call->operation->run == file_close)
        remove_descriptor(call->files, descriptor); /* the last: nothing is begun behind it */
    else
        begin_waiting(descriptor);
}

static void on_done(struct rt_loop *loop, struct rt_work *work) {
    (void)loop;
    struct call *call = (struct call *)work;
    struct rt_realm *realm = call->files->realm;
    struct v8s_scope scope;
    v8s_scope_open(realm->isolate, &scope);
    settle(realm->isolate, call);
    leave_descriptor(call);
    free_call(call);
    rt_realm_checkpoint(realm);
    v8s_scope_close(&scope);
}

/* ---- Called by JavaScript ---- */

/* The bytes of a string or of a buffer; false with an exception pending. */
static bool data_argument(v8s_isolate *isolate, v8s_value value, struct call *call) {
    uint8_t *bytes;
    size_t nbytes;
    if (v8s_is_nullish(value)) return true;
    if (v8s_is_string(value)) {
        bytes = call->copy = v8s_string_copy(isolate, value, &nbytes);
        if (!bytes) return v8s_throw_type_error(isolate, "The text is too long"), false;
    } else if ((call->pin = v8s_pin_new(value, &bytes, &nbytes)) && !call->operation->into && nbytes <= COPY_BYTES) {
        call->copy = malloc(nbytes + 1);
        if (!call->copy) abort();
        if (nbytes > 0) memcpy(call->copy, bytes, nbytes);
        v8s_pin_free(call->pin);
        call->pin = NULL;
        bytes = call->copy;
    } else if (!call->pin) {
        return v8s_throw_type_error(isolate, "The data is neither a string nor bytes"), false;
    }
    call->request.bytes = call->request.into = bytes;
    call->request.nbytes = nbytes;
    return true;
}

/* The open file of that number; NULL with an exception pending. */
static struct descriptor *find_descriptor(v8s_isolate *isolate, struct rt_files *files, uint32_t id) {
    struct descriptor *descriptor = *descriptor_link(files, id);
    if (descriptor && !descriptor->is_closing) return descriptor;
    v8s_throw_type_error(isolate, "The file is closed");
    return NULL;
}

/* The handle or, for a path, the root; 0 for none. False with an exception pending. */
static bool descriptor_argument(v8s_isolate *isolate, const v8s_arguments *arguments, struct call *call) {
    uint32_t id = (uint32_t)rt_number_argument(arguments, 2), root_id = (uint32_t)call->request.number;
    call->request.from.root_fd = call->request.to.root_fd = call->request.fd = -1;
    if (id == 0 && call->operation->target == TARGET_PATH) return true;
    call->descriptor = find_descriptor(isolate, call->files, id);
    if (!call->descriptor) return false;
    call->request.from.root_fd = call->request.to.root_fd = call->request.fd = call->descriptor->fd;
    call->request.is_pipe = call->descriptor->is_pipe;
    if (call->operation->target != TARGET_BOTH) return true;
    /* The caller keeps the root open until this is answered. */
    struct descriptor *root = root_id ? find_descriptor(isolate, call->files, root_id) : NULL;
    call->request.from.root_fd = root ? root->fd : -1;
    return root || !root_id;
}

static bool path_arguments(v8s_isolate *isolate, const v8s_arguments *arguments, struct call *call) {
    v8s_value from = v8s_argument(arguments, 3), to = v8s_argument(arguments, 4);
    if (!v8s_is_nullish(from) && !(call->from = path_argument(isolate, from))) return false;
    if (!v8s_is_nullish(to) && !(call->to = path_argument(isolate, to))) return false;
    call->request.from.path = call->from;
    call->request.to.path = call->to;
    return true;
}

/* What the arguments (operation, ticket, handle or root, path, path, flags, number, data) ask for; what isn't used is
 * undefined. NULL with an exception pending. */
static struct call *new_call(v8s_isolate *isolate, const v8s_arguments *arguments) {
    double index = rt_number_argument(arguments, 0);
    if (!(index >= 0 && index < OPERATION_COUNT)) {
        v8s_throw_type_error(isolate, "fileDo: no such operation");
        return NULL;
    }
    struct rt_files *files = files_of(rt_realm_of(isolate));
    struct call *call = calloc(1, sizeof *call);
    if (!call) abort();
    call->files = files;
    call->operation = &operations[(size_t)index];
    call->next = files->calls;
    if (call->next) call->next->previous = call;
    files->calls = call;
    call->ticket = rt_number_argument(arguments, 1);
    call->request.flags = (int)rt_number_argument(arguments, 5);
    call->request.number = (int64_t)rt_number_argument(arguments, 6);
    if (!descriptor_argument(isolate, arguments, call) || !path_arguments(isolate, arguments, call) ||
        !data_argument(isolate, v8s_argument(arguments, 7), call)) {
        free_call(call);
        return NULL;
    }
    if (call->operation->run == file_close) call->descriptor->is_closing = true;
    return call;
}

/* fileDo(...): a promise */
static v8s_value file_do(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct call *call = new_call(isolate, arguments);
    if (!call) return NULL;
    v8s_value deferred = v8s_deferred_new(isolate);
    call->deferred = v8s_ref_new(isolate, deferred);
    begin(call);
    return v8s_deferred_promise(deferred);
}

/* fileDoNow(...): the same, done while JavaScript waits. Nothing else may be under way with the handle. */
static v8s_value file_do_now(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct call *call = new_call(isolate, arguments);
    if (!call) return NULL;
    if (call->descriptor) call->descriptor->running_count++;
    call->request.syscall = call->operation->name;
    run_call(&call->request.work);
    v8s_value error = NULL, answer = outcome(isolate, call, &error);
    leave_descriptor(call);
    free_call(call);
    if (error) v8s_throw(isolate, error);
    return answer;
}

/* fileCancel(ticket): its promise is rejected soon, with the code ECANCELED, unless it is done already. */
static v8s_value file_cancel(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_files *files = files_of(rt_realm_of(isolate));
    double ticket = rt_number_argument(arguments, 0);
    struct call *call = files->calls;
    while (call && call->ticket != ticket)
        call = call->next;
    if (!call) return NULL;
    if (!call->is_submitted) { /* it begins in its turn, and ends at once */
        call->operation = &cancelled;
        return NULL;
    }
    rt_work_cancel(&call->request.work);
    return NULL;
}

/* fileRoot(path): the number of a directory that paths will stay beneath. */
static v8s_value file_root(v8s_isolate *isolate, const v8s_arguments *arguments) {
    char *path = path_argument(isolate, v8s_argument(arguments, 0));
    if (!path) return NULL;
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) rt_throw_errno(isolate, errno, "open", path);
    free(path);
    if (fd < 0) return NULL;
    return v8s_number(isolate, add_descriptor(files_of(rt_realm_of(isolate)), fd, false)->id);
}

static const struct v8s_native_entry functions[] = {
    {"fileDo", file_do, 8},
    {"fileDoNow", file_do_now, 8},
    {"fileCancel", file_cancel, 1},
    {"fileRoot", file_root, 1},
};

static void install(struct rt_realm *realm, v8s_value native) {
    v8s_value table = v8s_object_new_null_prototype(realm->isolate);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        v8s_set(realm->isolate, table, operations[i].name, v8s_number(realm->isolate, (double)i));
    v8s_set(realm->isolate, native, "fileOperations", table);
}

const struct rt_native_group rt_mod_file = {functions, sizeof functions / sizeof *functions, install};

void rt_files_free(struct rt_realm *realm) {
    struct rt_files *files = realm->files;
    if (!files) return;
    while (files->calls) {
        struct call *call = files->calls;
        bool opened = call->operation->answer == FILE_ANSWER_HANDLE && call->is_submitted && !call->request.error;
        if (opened) close((int)call->request.answer);
        free_call(call);
    }
    for (size_t i = 0; i < sizeof files->descriptors / sizeof *files->descriptors; i++) {
        while (files->descriptors[i]) {
            close(files->descriptors[i]->fd);
            remove_descriptor(files, files->descriptors[i]);
        }
    }
    free(files);
    realm->files = NULL;
}
