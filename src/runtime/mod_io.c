/* mod_io.c: writing to standard output and error, whole and at once; reading standard input, when there is some. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/builtins.h"
#include "runtime/errors.h"
#include "runtime/live.h"
#include "runtime/profile.h"
#include "runtime/utf8.h"

/* Text up to this size is converted on the stack. */
#define SMALL_BYTES 8192
/* Of one read, at most. */
#define READ_BYTES_MAX (16u << 20)

/* ---- Writing ---- */

static void wait_writable(int fd) {
    rt_live_need();
    rt_profile_park();
    poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    rt_profile_unpark();
}

/* Returns 0 or a negative errno; a full pipe or terminal is waited for. */
static int write_whole(int fd, const void *bytes, size_t nbytes) {
    const char *at = bytes;
    while (nbytes > 0) {
        ssize_t written = write(fd, at, nbytes);
        if (written >= 0) {
            at += written;
            nbytes -= (size_t)written;
        } else if (errno == EAGAIN) {
            wait_writable(fd);
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

/* Most output is short ASCII, which V8 stores as it is written: one copy, no allocation. */
static int write_string(v8s_isolate *isolate, int fd, v8s_value string) {
    uint8_t small[SMALL_BYTES];
    size_t length = v8s_string_length(string), nbytes;
    if (length <= sizeof small && v8s_string_is_one_byte(string)) {
        v8s_string_write_latin1(isolate, string, small, 0, length);
        if (rt_utf8_is_ascii(small, length)) return write_whole(fd, small, length);
    }
    if (length <= sizeof small / 3) {
        nbytes = v8s_string_write_utf8(isolate, string, (char *)small, sizeof small, NULL);
        return write_whole(fd, small, nbytes);
    }
    char *copy = v8s_string_copy(isolate, string, &nbytes);
    if (!copy) return -ENOMEM;
    int error = write_whole(fd, copy, nbytes);
    free(copy);
    return error;
}

static bool fd_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what, int *fd_out) {
    v8s_value fd = v8s_argument(arguments, 0);
    if (!v8s_is_number(fd) || !(v8s_number_of(fd) >= 0 && v8s_number_of(fd) < 1 << 30)) {
        v8s_throw_type_error(isolate, "%s: fd is not a descriptor", what);
        return false;
    }
    *fd_out = (int)v8s_number_of(fd);
    return true;
}

/* write(fd, string or bytes) */
static v8s_value write_fd(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value data = v8s_argument(arguments, 1);
    int fd, error;
    uint8_t *bytes;
    size_t nbytes;
    if (!fd_argument(isolate, arguments, "write", &fd)) return NULL;
    if (v8s_is_string(data))
        error = write_string(isolate, fd, data);
    else if (v8s_bytes_of(data, &bytes, &nbytes))
        error = write_whole(fd, bytes, nbytes);
    else
        return v8s_throw_type_error(isolate, "write: data is neither a string nor bytes");
    return error ? rt_throw_errno(isolate, -error, "write", NULL) : NULL;
}

static v8s_value is_a_tty(v8s_isolate *isolate, const v8s_arguments *arguments) {
    int fd;
    return fd_argument(isolate, arguments, "isatty", &fd) ? v8s_bool(isolate, isatty(fd)) : NULL;
}

/* columns(fd): of the terminal; 0 when it is none. */
static v8s_value columns(v8s_isolate *isolate, const v8s_arguments *arguments) {
    int fd;
    if (!fd_argument(isolate, arguments, "columns", &fd)) return NULL;
    struct winsize size = {0};
    return v8s_number(isolate, ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0);
}

/* ---- Standard input ---- */

struct rt_stdin {
    struct rt_watch watch; /* first: recovered by a cast */
    struct rt_realm *realm;
    v8s_ref *callback; /* of the read that waits; NULL: none does */
    size_t nbytes_max;
    bool is_unref;
};

/* callback(null, bytes), callback(null, null) at the end, callback(error) */
static void finish_read(struct rt_stdin *input, v8s_value error, v8s_value bytes) {
    v8s_isolate *isolate = input->realm->isolate;
    v8s_value callback = v8s_ref_get(isolate, input->callback);
    v8s_ref_free(input->callback);
    input->callback = NULL; /* first: the callback asks for more */
    rt_loop_unwatch(&input->realm->loop, &input->watch);
    v8s_value arguments[] = {error ? error : v8s_null(isolate), bytes ? bytes : v8s_null(isolate)};
    rt_realm_call(input->realm, callback, 2, arguments);
}

static void on_readable(struct rt_loop *loop, struct rt_watch *watch, uint32_t events) {
    (void)loop, (void)events;
    struct rt_stdin *input = (struct rt_stdin *)watch;
    v8s_isolate *isolate = input->realm->isolate;
    uint8_t *buffer = malloc(input->nbytes_max);
    ssize_t got = buffer ? read(STDIN_FILENO, buffer, input->nbytes_max) : -1;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        free(buffer);
        return; /* still watched */
    }
    int error_number = errno;
    struct v8s_scope scope;
    v8s_scope_open(isolate, &scope);
    if (got < 0) {
        finish_read(input, rt_error_from_errno(isolate, error_number, "read", NULL), NULL);
    } else if (got == 0) {
        finish_read(input, NULL, NULL);
    } else {
        uint8_t *bytes;
        v8s_value array = v8s_uint8array_new(isolate, (size_t)got, &bytes);
        memcpy(bytes, buffer, (size_t)got);
        finish_read(input, NULL, array);
    }
    v8s_scope_close(&scope);
    free(buffer);
}

static struct rt_stdin *standard_input(struct rt_realm *realm) {
    if (!realm->standard_input) {
        struct rt_stdin *input = calloc(1, sizeof *input);
        if (!input) abort();
        input->watch = (struct rt_watch){.fd = STDIN_FILENO, .events = EPOLLIN, .on_ready = on_readable};
        input->realm = realm;
        realm->standard_input = input;
    }
    return realm->standard_input;
}

void rt_stdin_free(struct rt_realm *realm) {
    if (!realm->standard_input) return;
    rt_loop_unwatch(&realm->loop, &realm->standard_input->watch);
    v8s_ref_free(realm->standard_input->callback);
    free(realm->standard_input);
    realm->standard_input = NULL;
}

/* stdinRead(maxBytes, callback): one at a time. */
static v8s_value stdin_read(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_stdin *input = standard_input(rt_realm_of(isolate));
    v8s_value nbytes_max = v8s_argument(arguments, 0), callback = v8s_argument(arguments, 1);
    if (!v8s_is_number(nbytes_max) || !(v8s_number_of(nbytes_max) >= 1 && v8s_number_of(nbytes_max) <= READ_BYTES_MAX))
        return v8s_throw_type_error(isolate, "stdinRead: maxBytes is not a number from 1 to %u", READ_BYTES_MAX);
    if (!v8s_is_function(callback)) return v8s_throw_type_error(isolate, "stdinRead: callback is not a function");
    if (input->callback) return v8s_throw_type_error(isolate, "stdinRead: a read is already waiting");
    input->nbytes_max = (size_t)v8s_number_of(nbytes_max);
    input->watch.unref = input->is_unref;
    int error = rt_loop_watch(&input->realm->loop, &input->watch);
    if (error) return rt_throw_errno(isolate, -error, "read", NULL);
    input->callback = v8s_ref_new(isolate, callback);
    return NULL;
}

/* stdinCancel(): the read that waits, if any, is given up; its callback isn't called. */
static v8s_value stdin_cancel(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct rt_stdin *input = standard_input(rt_realm_of(isolate));
    rt_loop_unwatch(&input->realm->loop, &input->watch);
    v8s_ref_free(input->callback);
    input->callback = NULL;
    return NULL;
}

/* setStdinRef(on): does a waiting read keep the loop alive? */
static v8s_value set_stdin_ref(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_stdin *input = standard_input(rt_realm_of(isolate));
    struct rt_loop *loop = &input->realm->loop;
    input->is_unref = !v8s_truthy(isolate, v8s_argument(arguments, 0));
    if (input->watch.is_active && input->watch.unref != input->is_unref) {
        rt_loop_unwatch(loop, &input->watch);
        input->watch.unref = input->is_unref;
        rt_loop_watch(loop, &input->watch);
    }
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"write", write_fd, 2},       {"isatty", is_a_tty, 1},          {"columns", columns, 1},
    {"stdinRead", stdin_read, 2}, {"stdinCancel", stdin_cancel, 0}, {"setStdinRef", set_stdin_ref, 1},
};

const struct rt_native_group rt_mod_io = {functions, sizeof functions / sizeof *functions, NULL};
