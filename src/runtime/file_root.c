/* file_root.c: see file_root.h. Owns all that decides whether a path stays beneath its root; what is done with what was
 * opened is file_do.c's. */

#include "runtime/file_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel has it. */
#define LINKS_MAX 40
/* openat2 gives up when directories are renamed while it looks at a "..": so often it is asked again before we walk. */
#define AGAIN_MAX 64

#define SWAPS_MAX 10000

/* What a component is opened with on the way to the last. */
#define STEP_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- Walking, where there is no openat2 ---- */

struct walk {
    int root_fd;
    int fd;              /* the directory reached; ROOT_FD or the walk's own */
    char done[PATH_MAX]; /* the path of FD, without links, "." or "..": "a/b" */
    char rest[PATH_MAX]; /* what is left to walk */
    int link_count;
    int swap_count; /* of components that became something else while they were looked at */
};

static void replace_fd(struct walk *walk, int fd) {
    if (walk->fd != walk->root_fd) close(walk->fd);
    walk->fd = fd;
}

/* Takes the next component off the front of REST. *IS_LAST: only slashes follow; *HAS_SLASH: at least one does. */
static void take_component(struct walk *walk, char name[NAME_MAX + 1], bool *is_last, bool *has_slash) {
    char *from = walk->rest + strspn(walk->rest, "/");
    size_t nbytes = strcspn(from, "/");
    char *next = from + nbytes;
    *has_slash = *next == '/';
    next += strspn(next, "/");
    *is_last = *next == '\0';
    if (nbytes > NAME_MAX) nbytes = NAME_MAX; /* the caller has looked */
    memcpy(name, from, nbytes);
    name[nbytes] = '\0';
    memmove(walk->rest, next, strlen(next) + 1);
}

/* Puts a component, or the text of a link, in front of REST. */
static int put_back(struct walk *walk, const char *text, bool has_slash) {
    size_t nbytes = strlen(text), rest_nbytes = strlen(walk->rest);
    if (nbytes + has_slash + rest_nbytes >= sizeof walk->rest) return -ENAMETOOLONG;
    memmove(walk->rest + nbytes + has_slash, walk->rest, rest_nbytes + 1);
    memcpy(walk->rest, text, nbytes);
    if (has_slash) walk->rest[nbytes] = '/';
    return 0;
}

static int step_down(struct walk *walk, const char *name) {
    int fd = openat(walk->fd, name, STEP_FLAGS);
    if (fd < 0) return -errno;
    size_t length = strlen(walk->done);
    if (length + 1 + strlen(name) >= sizeof walk->done) {
        close(fd);
        return -ENAMETOOLONG;
    }
    if (length > 0) walk->done[length++] = '/';
    strcpy(walk->done + length, name);
    replace_fd(walk, fd);
    return 0;
}

/* "..": down again from the root to all but the last of DONE. Asking the kernel for ".." would leave the root if
 * somebody had moved the directory out of it. */
static int step_up(struct walk *walk) {
    char path[PATH_MAX], *saved;
    if (walk->done[0] == '\0') return -FILE_ESCAPES;
    char *slash = strrchr(walk->done, '/');
    *(slash ? slash : walk->done) = '\0';
    strcpy(path, walk->done);
    walk->done[0] = '\0';
    replace_fd(walk, walk->root_fd);
    for (char *name = strtok_r(path, "/", &saved); name; name = strtok_r(NULL, "/", &saved)) {
        int error = step_down(walk, name);
        if (error) return error;
    }
    return 0;
}

/* Is NAME a link? Then its target goes in front of REST. Returns 1 if so, 0 or a negative errno. */
static int follow_link(struct walk *walk, const char *name, bool has_slash) {
    char target[PATH_MAX];
    ssize_t nbytes = readlinkat(walk->fd, name, target, sizeof target);
    if (nbytes < 0) return 0; /* whatever else is wrong, opening it tells */
    if (++walk->link_count > LINKS_MAX) return -ELOOP;
    if (nbytes == 0) return -ENOENT;
    if ((size_t)nbytes == sizeof target) return -ENAMETOOLONG;
    target[nbytes] = '\0';
    if (target[0] == '/') return -FILE_ESCAPES;
    int error = put_back(walk, target, has_slash);
    return error ? error : 1;
}

/* A link that appeared only now would be reported as this error; it may be a directory again, too. */
static bool may_be_swapped(struct walk *walk, const char *name, int error) {
    struct stat status;
    return (error == -ELOOP || error == -ENOTDIR) && fstatat(walk->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           (S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode));
}

/* Opens the last component. -EAGAIN: it has become a link that is to be followed. */
static int open_last(struct walk *walk, const char *name, bool follow, int flags, mode_t mode) {
    int fd = openat(walk->fd, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    int error = -errno;
    struct stat status;
    if (fd < 0) return follow && may_be_swapped(walk, name, error) ? -EAGAIN : error;
    if (!follow || !(flags & O_PATH)) return fd;
    error = fstat(fd, &status) < 0 ? -errno : S_ISLNK(status.st_mode) ? -EAGAIN : 0;
    if (!error) return fd;
    close(fd);
    return error;
}

/* One component. Returns: the descriptor if that was the last; -EINPROGRESS if it goes on, or another negative errno.
 */
static int walk_one(struct walk *walk, int flags, mode_t mode) {
    char name[NAME_MAX + 1];
    bool is_last, has_slash;
    if (strcspn(walk->rest + strspn(walk->rest, "/"), "/") > NAME_MAX) return -ENAMETOOLONG;
    take_component(walk, name, &is_last, &has_slash);
    bool is_dot = name[0] == '\0' || strcmp(name, ".") == 0, is_up = strcmp(name, "..") == 0;
    if (is_dot || is_up) {
        int error = is_up ? step_up(walk) : 0;
        if (error || !is_last) return error ? error : -EINPROGRESS;
        return open_last(walk, ".", false, flags, mode);
    }
    bool follow =
        !is_last || has_slash || (!(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL));
    int link = follow ? follow_link(walk, name, has_slash || !is_last) : 0;
    if (link) return link < 0 ? link : -EINPROGRESS;
    int result =
        is_last ? open_last(walk, name, follow, has_slash ? flags | O_DIRECTORY : flags, mode) : step_down(walk, name);
    if (result >= 0) return is_last ? result : -EINPROGRESS;
    if (result != -EAGAIN && !(follow && may_be_swapped(walk, name, result))) return result;
    if (++walk->swap_count > SWAPS_MAX) return -EAGAIN;
    result = put_back(walk, name, has_slash || !is_last);
    return result ? result : -EINPROGRESS;
}

static int open_walking(int root_fd, const char *path, int flags, mode_t mode) {
    struct walk walk = {.root_fd = root_fd, .fd = root_fd};
    if (strlen(path) >= sizeof walk.rest) return -ENAMETOOLONG;
    strcpy(walk.rest, path);
    int result;
    do
        result = walk_one(&walk, flags, mode);
    while (result == -EINPROGRESS);
    replace_fd(&walk, root_fd);
    return result;
}

/* ---- The kernel's way ---- */

static int open_beneath(int root_fd, const char *path, int flags, mode_t mode) {
    struct open_how how = {
        .flags = (unsigned)flags | O_CLOEXEC, .mode = flags & O_CREAT ? mode & 07777 : 0, .resolve = RESOLVE_BENEATH};
    int fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof how);
    return fd < 0 ? -errno : fd;
}

/* Asked once, with a call that can't fail: kernels before 5.6 don't know openat2, and filters of system calls from
 * before its time answer it with one error or another. */
static bool has_openat2(int root_fd) {
    static atomic_int known; /* 1: yes, -1: no */
    int state = atomic_load(&known);
    if (state == 0) {
        int fd = open_beneath(root_fd, ".", O_PATH | O_DIRECTORY, 0);
        state = fd >= 0 ? 1 : -1;
        if (fd >= 0) close(fd);
        atomic_store(&known, state);
    }
    return state > 0;
}

/* The root itself is "." to both ways. */
static const char *strip_slashes(const char *path) {
    const char *stripped = path + strspn(path, "/");
    return *stripped || stripped == path ? stripped : ".";
}

static int open_in_root(int root_fd, const char *path, int flags, mode_t mode) {
    path = strip_slashes(path);
    if (!*path) return -ENOENT;
    for (int i = 0; i < AGAIN_MAX && has_openat2(root_fd); i++) {
        int fd = open_beneath(root_fd, path, flags, mode);
        if (fd == -EXDEV) return -FILE_ESCAPES;
        if (fd != -EAGAIN && fd != -EINTR) return fd;
    }
    return open_walking(root_fd, path, flags, mode);
}

int file_open_at(const struct file_place *place, int flags, mode_t mode) {
    int fd;
    if (place->root_fd >= 0) {
        do
            fd = open_in_root(place->root_fd, place->path, flags, mode);
        while (fd == -EINTR);
        return fd;
    }
    do
        fd = open(place->path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

/* ---- Entries ---- */

static int set_name(struct file_entry *entry, const char *name, size_t nbytes) {
    entry->name = nbytes < sizeof entry->small ? entry->small : malloc(nbytes + 1);
    if (!entry->name) return -ENOMEM;
    memcpy(entry->name, name, nbytes);
    entry->name[nbytes] = '\0';
    return 0;
}

static bool is_dots(const char *name, size_t nbytes) {
    return (nbytes == 1 || nbytes == 2) && memcmp(name, "..", nbytes) == 0;
}

int file_entry_open(const struct file_place *place, struct file_entry *entry) {
    char directory[PATH_MAX];
    const char *path = place->path;
    size_t length = strlen(path);
    *entry = (struct file_entry){.dir_fd = AT_FDCWD};
    entry->is_directory = length > 0 && path[length - 1] == '/';
    if (place->root_fd < 0) return set_name(entry, path, length);
    path = strip_slashes(path);
    length = strlen(path);
    if (length == 0) return -ENOENT;
    if (length >= sizeof directory) return -ENAMETOOLONG;
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t before = length;
    while (before > 0 && path[before - 1] != '/')
        before--;
    if (length - before > NAME_MAX) return -ENAMETOOLONG;
    if (is_dots(path + before, length - before)) return -EBUSY;
    memcpy(directory, path, before);
    strcpy(directory + before, before > 0 ? "" : ".");
    const struct file_place parent = {.root_fd = place->root_fd, .path = directory};
    entry->dir_fd = file_open_at(&parent, O_PATH | O_DIRECTORY, 0);
    if (entry->dir_fd < 0) return entry->dir_fd;
    return set_name(entry, path + before, length - before); /* a component fits: there is nothing to close */
}

void file_entry_close(struct file_entry *entry) {
    if (entry->dir_fd >= 0) close(entry->dir_fd);
    if (entry->name != entry->small) free(entry->name);
    entry->name = NULL;
}
