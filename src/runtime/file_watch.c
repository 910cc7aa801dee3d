/* file_watch.c: what the kernel tells of changes (inotify), for js/file_watch.js, which makes sense of it.
 *
 * A watcher that waits has a thread of the pool; fs.inotify.max_user_instances, 128 unless somebody changed it, keeps
 * them from taking up the pool.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runtime/file.h"

/* Some hundred events; the kernel refuses to give any if not even the next fits. */
#define EVENTS_BYTES 16384u

#define EVENTS_OF_ENTRIES                                                                                              \
    (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | IN_EXCL_UNLINK)
#define EVENTS_OF_ITSELF (IN_DELETE_SELF | IN_MOVE_SELF)

int file_watch_open(struct file_request *request) {
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) return file_failed(request, "inotify_init", -errno);
    request->answer = fd;
    return 0;
}

/* By what it is, not by its name, once it is known to be beneath the root. */
static int watch_beneath(struct file_request *request, int flags, uint32_t mask) {
    char path[32];
    int fd = file_open_at(&request->from, O_PATH | flags, 0);
    if (fd < 0) return fd;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int watch = inotify_add_watch(request->fd, path, mask);
    int result = watch < 0 ? -errno : watch;
    close(fd);
    return result;
}

int file_watch_add(struct file_request *request) {
    bool is_inner = request->flags & FILE_RECURSIVE; /* a directory that was found, whose parent tells of it */
    uint32_t mask = EVENTS_OF_ENTRIES | (is_inner ? IN_ONLYDIR : EVENTS_OF_ITSELF);
    int result;
    if (request->from.root_fd >= 0) {
        result = watch_beneath(request, is_inner ? O_NOFOLLOW | O_DIRECTORY : 0, mask);
    } else {
        result = inotify_add_watch(request->fd, request->from.path, mask | (is_inner ? IN_DONT_FOLLOW : 0));
        if (result < 0) result = -errno;
    }
    request->syscall = "inotify_add_watch";
    if (result < 0) return result;
    request->answer = result;
    return 0;
}

int file_watch_remove(struct file_request *request) {
    /* EINVAL: it is gone already, with what it watched. */
    if (inotify_rm_watch(request->fd, (int)request->number) < 0 && errno != EINVAL)
        return file_failed(request, "inotify_rm_watch", -errno);
    return 0;
}

int file_watch_read(struct file_request *request) {
    request->syscall = "read";
    int error = file_memory_reserve(&request->memory, EVENTS_BYTES);
    while (!error) {
        ssize_t got = read(request->fd, request->memory.bytes, EVENTS_BYTES);
        if (got > 0) {
            request->memory.nbytes = (size_t)got;
            return 0;
        }
        error = got < 0 && errno != EAGAIN && errno != EINTR ? -errno
                                                             : rt_work_wait(&request->work, request->fd, POLLIN, -1);
    }
    return error;
}
