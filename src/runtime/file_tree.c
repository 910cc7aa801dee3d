/* file_tree.c: what is done with names: looking, making, removing, renaming, linking, listing. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/file.h"

/* Of the entries of a directory, in one call. */
#define LIST_BYTES (64u << 10)
#define TEMPORARY_TRIES 100

static int errno_of(struct file_request *request, const char *syscall, int result) {
    return result < 0 ? file_failed(request, syscall, -errno) : 0;
}

/* ---- Looking ---- */

/* Beneath a root by a descriptor, which is all that can be opened safely. */
static int open_path(struct file_request *request, int flags) {
    int fd = file_open_at(&request->from, O_PATH | flags, 0);
    return fd < 0 ? file_failed(request, "open", fd) : fd;
}

int file_status(struct file_request *request) {
    bool no_follow = request->flags & FILE_NO_FOLLOW;
    if (request->from.root_fd < 0)
        return errno_of(
            request, no_follow ? "lstat" : "stat",
            statx(AT_FDCWD, request->from.path, no_follow ? AT_SYMLINK_NOFOLLOW : 0, STATX_ALL, &request->status));
    int fd = open_path(request, no_follow ? O_NOFOLLOW : 0);
    if (fd < 0) return file_failed(request, no_follow ? "lstat" : "stat", fd);
    int error = errno_of(request, "stat", statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &request->status));
    close(fd);
    return error;
}

static int set_name(struct file_request *request, const char *name, size_t nbytes) {
    int error = file_memory_reserve(&request->memory, nbytes);
    if (error) return error;
    memcpy(request->memory.bytes, name, nbytes);
    request->memory.nbytes = nbytes;
    return 0;
}

int file_read_link(struct file_request *request) {
    struct file_entry entry;
    char target[PATH_MAX];
    int error = file_entry_open(&request->from, &entry);
    if (error) return file_failed(request, "readlink", error);
    ssize_t nbytes = readlinkat(entry.dir_fd, entry.name, target, sizeof target);
    error = nbytes < 0 ? -errno : set_name(request, target, (size_t)nbytes);
    file_entry_close(&entry);
    return file_failed(request, "readlink", error);
}

int file_open_directory(struct file_request *request) {
    int fd = file_open_at(&request->from, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return file_failed(request, "opendir", fd);
    request->answer = fd;
    request->fd = fd;
    return errno_of(request, "statx", statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &request->status));
}

/* getdents64's records, of which only type and name are kept, one after the other. */
static size_t pack_entries(uint8_t *bytes, size_t nbytes) {
    size_t kept = 0;
    for (size_t at = 0; at < nbytes;) {
        const struct dirent64 *entry = (const struct dirent64 *)(bytes + at);
        size_t record_nbytes = entry->d_reclen, name_nbytes = strlen(entry->d_name);
        unsigned char type = entry->d_type;
        bool is_dots = entry->d_name[0] == '.' && (!entry->d_name[1] || strcmp(entry->d_name, "..") == 0);
        if (!is_dots) {
            memmove(bytes + kept + 1, entry->d_name, name_nbytes + 1); /* never beyond: records are larger */
            bytes[kept] = type;
            kept += 1 + name_nbytes + 1;
        }
        at += record_nbytes;
    }
    return kept;
}

/* A file system that doesn't tell types is asked for each; what has gone meanwhile stays unknown. */
static void find_types(int fd, uint8_t *bytes, size_t nbytes) {
    struct stat status;
    for (size_t at = 0; at < nbytes; at += 1 + strlen((char *)bytes + at + 1) + 1)
        if (bytes[at] == DT_UNKNOWN && fstatat(fd, (char *)bytes + at + 1, &status, AT_SYMLINK_NOFOLLOW) == 0)
            bytes[at] = (uint8_t)IFTODT(status.st_mode);
}

int file_read_directory(struct file_request *request) {
    int error = file_memory_reserve(&request->memory, LIST_BYTES);
    if (error) return file_failed(request, "readdir", error);
    for (;;) { /* "." and ".." alone are not the end */
        long got = syscall(SYS_getdents64, request->fd, request->memory.bytes, LIST_BYTES);
        if (got < 0 && errno == ENOENT) got = 0; /* removed meanwhile */
        if (got < 0) return file_failed(request, "readdir", -errno);
        request->memory.nbytes = pack_entries(request->memory.bytes, (size_t)got);
        if (got > 0 && request->memory.nbytes == 0) continue;
        find_types(request->fd, request->memory.bytes, request->memory.nbytes);
        return 0;
    }
}

/* ---- Making ---- */

static int make_one(const struct file_place *place, mode_t mode) {
    struct file_entry entry;
    int error = file_entry_open(place, &entry);
    if (error) return error == -EBUSY ? -EEXIST : error;
    error = mkdirat(entry.dir_fd, entry.name, mode) < 0 ? -errno : 0;
    file_entry_close(&entry);
    return error;
}

static bool is_directory(const struct file_place *place) {
    int fd = file_open_at(place, O_PATH | O_DIRECTORY, 0);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* PATH, so far as to the name above its last one; 0: there is none. */
static size_t length_above(const char *path, size_t length) {
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* And so far as to the name below; the last one comes with the slashes behind it. */
static size_t length_below(const char *path, size_t length) {
    length += strspn(path + length, "/");
    length += strcspn(path + length, "/");
    size_t slashes = strspn(path + length, "/");
    return path[length + slashes] == '\0' ? length + slashes : length;
}

/* The directories above, from the nearest that is there down: in a loop, as a path has room for thousands. */
static int make_with_parents(const struct file_place *place, mode_t mode) {
    char path[PATH_MAX];
    size_t whole = strlen(place->path), length = whole;
    struct file_place at = *place;
    int error = make_one(place, mode);
    if (error == -ENOENT && whole >= sizeof path) return -ENAMETOOLONG;
    while (error == -ENOENT) {
        length = length_above(place->path, length);
        if (length == 0) return -ENOENT;
        memcpy(path, place->path, length);
        path[length] = '\0';
        at.path = path;
        error = make_one(&at, mode);
    }
    for (;;) {
        if (error == -EEXIST && is_directory(&at)) error = 0;
        if (error || length == whole) return error;
        length = length_below(place->path, length);
        memcpy(path, place->path, length);
        path[length] = '\0';
        error = make_one(&at, mode);
    }
}

int file_make_directory(struct file_request *request) {
    mode_t mode = (mode_t)request->number;
    int error =
        request->flags & FILE_RECURSIVE ? make_with_parents(&request->from, mode) : make_one(&request->from, mode);
    return file_failed(request, "mkdir", error);
}

int file_make_temporary(struct file_request *request) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char path[PATH_MAX];
    size_t length = strlen(request->from.path);
    struct file_place place = {.root_fd = request->from.root_fd, .path = path};
    if (length + 7 > sizeof path) return file_failed(request, "mkdtemp", -ENAMETOOLONG);
    strcpy(path, request->from.path);
    int error = -EEXIST;
    for (int i = 0; i < TEMPORARY_TRIES && error == -EEXIST; i++) {
        uint8_t random[6];
        if (getrandom(random, sizeof random, 0) != sizeof random) return file_failed(request, "getrandom", -EIO);
        for (size_t j = 0; j < sizeof random; j++)
            path[length + j] = letters[random[j] % (sizeof letters - 1)];
        path[length + sizeof random] = '\0';
        error = make_one(&place, 0700);
    }
    if (!error) error = set_name(request, path, length + 6);
    return file_failed(request, "mkdtemp", error);
}

int file_make_link(struct file_request *request) {
    struct file_entry entry;
    int error = file_entry_open(&request->to, &entry);
    if (error) return file_failed(request, "symlink", error);
    error = symlinkat(request->from.path, entry.dir_fd, entry.name) < 0 ? -errno : 0;
    file_entry_close(&entry);
    return file_failed(request, "symlink", error);
}

/* ---- Removing and renaming ---- */

int file_remove(struct file_request *request) {
    struct file_entry entry;
    int error = file_entry_open(&request->from, &entry);
    if (error) return file_failed(request, "unlink", error);
    bool refused = entry.is_directory && request->from.root_fd >= 0; /* the entry's name lost its slash */
    error = refused ? -ENOTDIR : unlinkat(entry.dir_fd, entry.name, 0) < 0 ? -errno : 0;
    file_entry_close(&entry);
    return file_failed(request, "unlink", error);
}

/* A directory that is being emptied, in one that is, too. */
struct level {
    struct level *above; /* NULL: it is the first */
    DIR *directory;
    char name[];
};

static int enter_level(struct file_request *request, struct level **top, int dir_fd, const char *name) {
    if (rt_work_is_cancelled(&request->work)) return -ECANCELED;
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -errno;
    struct level *level = malloc(sizeof *level + strlen(name) + 1);
    DIR *directory = level ? fdopendir(fd) : NULL;
    if (!directory) {
        free(level);
        close(fd);
        return -ENOMEM;
    }
    level->above = *top;
    level->directory = directory;
    strcpy(level->name, name);
    *top = level;
    return 0;
}

/* REMOVES: it is empty now, and to go. DIR_FD has the first one's name. */
static int leave_level(struct level **top, int dir_fd, bool removes) {
    struct level *level = *top;
    *top = level->above;
    closedir(level->directory);
    if (*top) dir_fd = dirfd((*top)->directory);
    int error = removes && unlinkat(dir_fd, level->name, AT_REMOVEDIR) < 0 ? -errno : 0;
    free(level);
    return error;
}

static const struct dirent *next_entry(DIR *directory) {
    const struct dirent *entry;
    do
        entry = readdir(directory);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

/* Removes what is in the directory DIR_FD/NAME, and it. Links are removed, never followed. In a loop: only descriptors
 * limit how deep it may be. */
static int remove_tree(struct file_request *request, int dir_fd, const char *name) {
    struct level *top = NULL;
    int error = enter_level(request, &top, dir_fd, name);
    while (top) {
        const struct dirent *entry = error ? NULL : next_entry(top->directory);
        int fd = dirfd(top->directory);
        if (!entry) {
            int left = leave_level(&top, dir_fd, !error);
            if (!error) error = left;
        } else if (entry->d_type == DT_DIR) {
            error = enter_level(request, &top, fd, entry->d_name);
        } else if (unlinkat(fd, entry->d_name, 0) < 0) {
            error = errno == EISDIR ? enter_level(request, &top, fd, entry->d_name) : -errno;
        }
        if (error == -ENOENT && top) error = 0; /* somebody else was faster */
    }
    return error;
}

/* As rm does: "." and ".." are no names, and a slash at the end doesn't make a link a directory. */
static int remove_named_tree(struct file_request *request, struct file_entry *entry) {
    size_t length = strlen(entry->name);
    while (length > 1 && entry->name[length - 1] == '/')
        entry->name[--length] = '\0';
    const char *slash = strrchr(entry->name, '/'), *last = slash ? slash + 1 : entry->name;
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) return -EINVAL;
    return remove_tree(request, entry->dir_fd, entry->name);
}

int file_remove_directory(struct file_request *request) {
    struct file_entry entry;
    int error = file_entry_open(&request->from, &entry);
    if (error) return file_failed(request, "rmdir", error);
    if (request->flags & FILE_RECURSIVE)
        error = remove_named_tree(request, &entry);
    else
        error = unlinkat(entry.dir_fd, entry.name, AT_REMOVEDIR) < 0 ? -errno : 0;
    file_entry_close(&entry);
    return file_failed(request, "rmdir", error);
}

int file_rename(struct file_request *request) {
    struct file_entry from, to;
    int error = file_entry_open(&request->from, &from);
    if (error) return file_failed(request, "rename", error);
    error = file_entry_open(&request->to, &to);
    if (!error) {
        error = renameat(from.dir_fd, from.name, to.dir_fd, to.name) < 0 ? -errno : 0;
        file_entry_close(&to);
    }
    file_entry_close(&from);
    return file_failed(request, "rename", error);
}

/* ---- Changing ---- */

/* Of an O_PATH descriptor, which fchmod and, before Linux 5.8, utimensat refuse. */
static void path_of_fd(int fd, char path[32]) {
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

int file_set_mode(struct file_request *request) {
    char path[32];
    mode_t mode = (mode_t)request->number;
    if (request->from.root_fd < 0) return errno_of(request, "chmod", chmod(request->from.path, mode));
    int fd = open_path(request, 0);
    if (fd < 0) return file_failed(request, "chmod", fd);
    path_of_fd(fd, path);
    int error = errno_of(request, "chmod", chmod(path, mode));
    close(fd);
    return error;
}

static struct timespec time_of(double seconds) {
    double whole = __builtin_floor(seconds);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

int file_set_times(struct file_request *request) {
    char path[32];
    double seconds[2];
    if (request->nbytes != sizeof seconds) return file_failed(request, "utimes", -EINVAL);
    memcpy(seconds, request->bytes, sizeof seconds);
    const struct timespec times[] = {time_of(seconds[0]), time_of(seconds[1])};
    if (request->from.root_fd < 0)
        return errno_of(request, "utimes", utimensat(AT_FDCWD, request->from.path, times, 0));
    int fd = open_path(request, 0);
    if (fd < 0) return file_failed(request, "utimes", fd);
    path_of_fd(fd, path);
    int error = errno_of(request, "utimes", utimensat(AT_FDCWD, path, times, 0));
    close(fd);
    return error;
}
