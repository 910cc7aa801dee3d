/* whole_file.c: see whole_file.h. */
#include "runtime/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
