/* file_handle.c: what is done with an open file. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runtime/file.h"

int file_status_of(struct file_request *request) {
    return statx(request->fd, "", AT_EMPTY_PATH, STATX_ALL, &request->status) < 0
               ? file_failed(request, "statx", -errno)
               : 0;
}

int file_open(struct file_request *request) {
    int fd = file_open_patiently(request, &request->from, request->flags, (mode_t)request->number);
    if (fd < 0) return file_failed(request, "open", fd);
    request->fd = fd;
    int error = file_status_of(request);
    if (error)
        close(fd);
    else
        request->answer = fd;
    return error;
}

int file_read_some(struct file_request *request) {
    ssize_t got =
        file_read_patiently(request, request->fd, request->is_pipe, request->into, request->nbytes, request->number);
    if (got < 0) return file_failed(request, "read", (int)got);
    request->answer = got;
    return 0;
}

int file_write_all(struct file_request *request) {
    int64_t written = file_write_patiently(request, request->fd, request->bytes, request->nbytes, request->number);
    if (written < 0) return file_failed(request, "write", (int)written);
    request->answer = written;
    return 0;
}

int file_truncate(struct file_request *request) {
    while (ftruncate(request->fd, request->number) < 0)
        if (errno != EINTR) return file_failed(request, "ftruncate", -errno);
    return 0;
}

int file_sync(struct file_request *request) {
    bool data_only = request->flags & FILE_DATA_ONLY;
    while ((data_only ? fdatasync(request->fd) : fsync(request->fd)) < 0)
        if (errno != EINTR) return file_failed(request, data_only ? "fdatasync" : "fsync", -errno);
    return 0;
}

int file_close(struct file_request *request) {
    return close(request->fd) < 0 && errno != EINTR ? file_failed(request, "close", -errno) : 0;
}
