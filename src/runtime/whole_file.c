/* whole_file.c: see whole_file.h. */
#include "runtime/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading ---- */

char *rt_read_to_end(int fd, size_t *nbytes_out) {
    struct stat status;
    size_t nbytes = 0;
    if (fstat(fd, &status) < 0) return NULL;
    size_t capacity = (size_t)status.st_size + 1; /* one more: to see the end without growing */
    char *bytes = malloc(capacity + 1);
    while (bytes) {
        ssize_t got = read(fd, bytes + nbytes, capacity - nbytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        if (got == 0) {
            bytes[nbytes] = 0;
            *nbytes_out = nbytes;
            return bytes;
        }
        nbytes += (size_t)got;
        if (nbytes < capacity) continue;
        char *grown = realloc(bytes, (capacity *= 2) + 1); /* a pipe, or a file that grows */
        if (!grown) break;
        bytes = grown;
    }
    free(bytes); /* which keeps errno */
    return NULL;
}

static char *read_and_close(int fd, size_t *nbytes_out) {
    char *bytes = fd >= 0 ? rt_read_to_end(fd, nbytes_out) : NULL;
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return bytes;
}

char *rt_read_whole_file(const char *path, size_t *nbytes_out) {
    return read_and_close(open(path, O_RDONLY | O_CLOEXEC), nbytes_out);
}

char *rt_read_regular_file(const char *path, size_t *nbytes_out) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
        close(fd);
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    return read_and_close(fd, nbytes_out);
}

/* ---- Writing ---- */

static int write_all(int fd, const char *data, size_t nbytes) {
    while (nbytes > 0) {
        ssize_t written = write(fd, data, nbytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -errno;
        data += written;
        nbytes -= (size_t)written;
    }
    return 0;
}

int rt_write_whole_file(const char *path, const void *data, size_t nbytes) {
    char *temporary;
    if (asprintf(&temporary, "%s.%d.tmp", path, (int)getpid()) < 0) return -ENOMEM;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    int error = fd < 0 ? -errno : write_all(fd, data, nbytes);
    if (error == 0 && fsync(fd) != 0) error = -errno;
    if (fd >= 0 && close(fd) != 0 && error == 0) error = -errno;
    if (error == 0 && rename(temporary, path) != 0) error = -errno;
    if (error != 0 && fd >= 0) unlink(temporary);
    free(temporary);
    return error;
}
