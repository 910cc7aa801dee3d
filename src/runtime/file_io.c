/* file_io.c: whole contents: reading, writing, appending, copying. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/file.h"
#include "runtime/utf8.h"

/* What is asked for first where the size isn't known: of a FIFO, or of /proc, whose files say 0. */
#define UNKNOWN_BYTES 65536
/* A FIFO opened for writing waits for a reader, of which nothing tells. */
#define READER_CHECK_MS 20
#define LINKS_MAX 40

/* ---- Descriptors ---- */

bool file_is_pipe(mode_t mode) {
    return !S_ISREG(mode) && !S_ISDIR(mode) && !S_ISBLK(mode);
}

static bool is_fifo(const struct file_place *place) {
    int fd = file_open_at(place, O_PATH, 0);
    struct stat status;
    bool is = fd >= 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
    if (fd >= 0) close(fd);
    return is;
}

int file_open_patiently(struct file_request *request, const struct file_place *place, int flags, mode_t mode) {
    for (;;) {
        int fd = file_open_at(place, flags | O_NONBLOCK | O_NOCTTY, mode);
        if (fd != -ENXIO || !is_fifo(place)) return fd;
        int error = rt_work_wait(&request->work, -1, 0, READER_CHECK_MS);
        if (error) return error;
    }
}

ssize_t file_read_patiently(struct file_request *request, int fd, bool is_pipe, void *into, size_t nbytes,
                            int64_t offset) {
    if (nbytes > FILE_PIECE_BYTES) nbytes = FILE_PIECE_BYTES;
    for (;;) {
        /* Before anybody has opened a FIFO for writing, reading says that it ended; waiting knows better. */
        int error = is_pipe ? rt_work_wait(&request->work, fd, POLLIN, -1) : 0;
        if (error || rt_work_is_cancelled(&request->work)) return error ? error : -ECANCELED;
        ssize_t got = offset >= 0 ? pread(fd, into, nbytes, offset) : read(fd, into, nbytes);
        if (got >= 0) return got;
        if (errno != EINTR && !(is_pipe && errno == EAGAIN)) return -errno;
    }
}

int64_t file_write_patiently(struct file_request *request, int fd, const uint8_t *bytes, size_t nbytes,
                             int64_t offset) {
    size_t done = 0;
    while (done < nbytes) {
        size_t piece = nbytes - done > FILE_PIECE_BYTES ? FILE_PIECE_BYTES : nbytes - done;
        if (rt_work_is_cancelled(&request->work)) return -ECANCELED;
        ssize_t written =
            offset >= 0 ? pwrite(fd, bytes + done, piece, offset + (int64_t)done) : write(fd, bytes + done, piece);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN) {
            int error = rt_work_wait(&request->work, fd, POLLOUT, -1);
            if (error) return error;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return (int64_t)done;
}

static int close_written(struct file_request *request, int fd, int error) {
    if (close(fd) == 0 || error || errno == EINTR) return error;
    return file_failed(request, "close", -errno);
}

/* ---- Reading ---- */

/* To the end. SIZE is what fstat said: nothing that can be relied on, but mostly right, and then one piece of memory
 * and one look beyond it are all. */
static int read_to_end(struct file_request *request, int fd, bool is_pipe, size_t size) {
    struct file_memory *memory = &request->memory;
    uint8_t beyond[1024];
    int error = file_memory_reserve(memory, size > 0 ? size : UNKNOWN_BYTES);
    while (!error) {
        bool is_full = memory->nbytes == memory->capacity;
        ssize_t got = file_read_patiently(request, fd, is_pipe, is_full ? beyond : memory->bytes + memory->nbytes,
                                          is_full ? sizeof beyond : memory->capacity - memory->nbytes, -1);
        if (got <= 0) return (int)got;
        if (is_full) {
            error = file_memory_reserve(memory, memory->capacity + memory->capacity / 2 + UNKNOWN_BYTES);
            if (error) break;
            memcpy(memory->bytes + memory->nbytes, beyond, (size_t)got);
        }
        memory->nbytes += (size_t)got;
    }
    return error;
}

int file_read_bytes(struct file_request *request) {
    struct stat status;
    int fd = file_open_patiently(request, &request->from, O_RDONLY, 0);
    if (fd < 0) return file_failed(request, "open", fd);
    int error = fstat(fd, &status) < 0 ? -errno : 0;
    if (!error)
        error = read_to_end(request, fd, file_is_pipe(status.st_mode),
                            S_ISREG(status.st_mode) ? (size_t)status.st_size : 0);
    close(fd);
    return error ? file_failed(request, "read", error) : 0;
}

int file_read_text(struct file_request *request) {
    int error = file_read_bytes(request);
    if (!error) request->is_ascii = rt_utf8_is_ascii(request->memory.bytes, request->memory.nbytes);
    return error;
}

/* ---- Writing ---- */

static int write_through(struct file_request *request, int fd) {
    int64_t written = file_write_patiently(request, fd, request->bytes, request->nbytes, -1);
    if (written < 0) return file_failed(request, "write", (int)written);
    if ((request->flags & FILE_SYNC) && fsync(fd) < 0) return file_failed(request, "fsync", -errno);
    return 0;
}

static int write_with(struct file_request *request, int flags) {
    int fd = file_open_patiently(request, &request->from, O_WRONLY | O_CREAT | flags, (mode_t)request->number);
    if (fd < 0) return file_failed(request, "open", fd);
    return close_written(request, fd, write_through(request, fd));
}

int file_append(struct file_request *request) {
    return write_with(request, O_APPEND);
}

/* ---- Writing a whole or nothing ---- */

/* Replaces *PATH, which is a link's, by what the link says; links are relative to where they are. */
static int follow(const char *target, char path[PATH_MAX]) {
    char *slash = strrchr(path, '/');
    size_t before = target[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    if (before + strlen(target) >= PATH_MAX) return -ENAMETOOLONG;
    strcpy(path + before, target);
    return 0;
}

/* Opens the entry that is to be replaced: that at the end of all links, which stay. */
static int open_final_entry(struct file_request *request, struct file_entry *entry) {
    char path[PATH_MAX], target[PATH_MAX];
    struct file_place place = {.root_fd = request->from.root_fd, .path = path};
    if (strlen(request->from.path) >= sizeof path) return -ENAMETOOLONG;
    strcpy(path, request->from.path);
    for (int links = 0; links < LINKS_MAX; links++) {
        int error = file_entry_open(&place, entry);
        if (error) return error;
        ssize_t nbytes = readlinkat(entry->dir_fd, entry->name, target, sizeof target - 1);
        if (nbytes < 0) return 0;
        target[nbytes] = '\0';
        file_entry_close(entry);
        if (target[0] == '/' && place.root_fd >= 0) return -FILE_ESCAPES;
        error = follow(target, path);
        if (error) return error;
    }
    return -ELOOP;
}

/* "DIRECTORY/.BASE.RANDOM.tmp": beside what it is to become, because renaming doesn't cross file systems. */
static int temporary_name(const char *name, char out[PATH_MAX]) {
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return -EIO;
    int nbytes = snprintf(out, PATH_MAX, "%.*s.%.200s.%012llx.tmp", (int)(base - name), name, base,
                          (unsigned long long)random >> 16);
    return nbytes < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Makes sure that the new name is on the disk, too. */
static int sync_directory(const struct file_entry *entry, const char *temporary) {
    char path[PATH_MAX];
    const char *slash = strrchr(temporary, '/');
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - temporary) + 1 : 1, slash ? temporary : ".");
    int fd = openat(entry->dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno == EACCES ? 0 : -errno; /* may be written to, not read */
    int error = fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
    close(fd);
    return error;
}

/* It keeps whom the old one belongs to, if we may say so, and what may be done with it. */
static int be_like(int fd, const struct stat *old) {
    bool is_foreign = old->st_uid != geteuid() || old->st_gid != getegid();
    mode_t mode = old->st_mode & 07777;
    if (is_foreign && fchown(fd, old->st_uid, old->st_gid) < 0) mode &= 0777;
    return fchmod(fd, mode) < 0 ? -errno : 0;
}

/* Leaves nothing behind when it fails. */
static int write_temporary(struct file_request *request, const struct file_entry *entry, const char *temporary,
                           const struct stat *old) {
    int fd = openat(entry->dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    old ? old->st_mode & 0700 : (mode_t)request->number);
    if (fd < 0) return file_failed(request, "open", -errno);
    int error = old ? be_like(fd, old) : 0;
    if (error) file_failed(request, "fchmod", error);
    if (!error) error = write_through(request, fd);
    if (!error && fsync(fd) < 0) error = file_failed(request, "fsync", -errno);
    error = close_written(request, fd, error);
    if (error) unlinkat(entry->dir_fd, temporary, 0);
    return error;
}

static int replace(struct file_request *request, const struct file_entry *entry) {
    struct stat old;
    char temporary[PATH_MAX];
    bool exists = fstatat(entry->dir_fd, entry->name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (entry->is_directory || (exists && S_ISDIR(old.st_mode))) return file_failed(request, "open", -EISDIR);
    /* A device or FIFO can't be replaced and still be one. */
    if (exists && !S_ISREG(old.st_mode)) return file_failed(request, "open", -EINVAL);
    int error = temporary_name(entry->name, temporary);
    if (error) return file_failed(request, "open", error);
    error = write_temporary(request, entry, temporary, exists ? &old : NULL);
    if (error) return error;
    if (renameat(entry->dir_fd, temporary, entry->dir_fd, entry->name) < 0) {
        error = file_failed(request, "rename", -errno);
        unlinkat(entry->dir_fd, temporary, 0);
        return error;
    }
    error = sync_directory(entry, temporary);
    return error ? file_failed(request, "fsync", error) : 0;
}

static int write_atomic(struct file_request *request) {
    struct file_entry entry;
    int error = open_final_entry(request, &entry);
    if (error) return file_failed(request, "open", error);
    error = replace(request, &entry);
    file_entry_close(&entry);
    return error;
}

int file_write(struct file_request *request) {
    return request->flags & FILE_ATOMIC ? write_atomic(request) : write_with(request, O_TRUNC);
}

/* ---- Copying ---- */

static int copy_by_hand(struct file_request *request, int from, int to, bool is_pipe, int64_t offset, int64_t limit) {
    uint8_t *buffer = malloc(UNKNOWN_BYTES);
    if (!buffer) return file_failed(request, "read", -ENOMEM);
    int error = 0;
    while (!error && (limit < 0 || offset < limit)) {
        size_t piece = limit < 0 || limit - offset > UNKNOWN_BYTES ? UNKNOWN_BYTES : (size_t)(limit - offset);
        ssize_t got = file_read_patiently(request, from, is_pipe, buffer, piece, limit < 0 ? -1 : offset);
        if (got < 0) error = file_failed(request, "read", (int)got);
        if (got <= 0) break;
        int64_t written = file_write_patiently(request, to, buffer, (size_t)got, limit < 0 ? -1 : offset);
        if (written < 0) error = file_failed(request, "write", (int)written);
        offset += got;
    }
    free(buffer);
    return error;
}

static bool cannot_copy_in_kernel(int error) {
    return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM ||
           error == EBADF || error == ETXTBSY;
}

static int copy_range(struct file_request *request, int from, int to, int64_t offset, int64_t limit) {
    loff_t in = offset, out = offset;
    while (in < limit) {
        size_t piece = limit - in > FILE_PIECE_BYTES ? FILE_PIECE_BYTES : (size_t)(limit - in);
        if (rt_work_is_cancelled(&request->work)) return file_failed(request, "copy_file_range", -ECANCELED);
        ssize_t copied = copy_file_range(from, &in, to, &out, piece, 0);
        if (copied == 0) return 0; /* it has become shorter */
        if (copied > 0 || errno == EINTR) continue;
        if (cannot_copy_in_kernel(errno)) return copy_by_hand(request, from, to, false, in, limit);
        return file_failed(request, "copy_file_range", -errno);
    }
    return 0;
}

/* What the holes of a sparse file leave; a file system that doesn't know of holes says that there are none. */
static int copy_data(struct file_request *request, int from, int to, int64_t size) {
    for (int64_t at = 0; at < size;) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) break; /* a hole up to the end */
        if (data < 0) data = at;
        off_t hole = lseek(from, data, SEEK_HOLE);
        if (hole < 0 || hole > size) hole = size;
        int error = copy_range(request, from, to, data, hole);
        if (error) return error;
        at = hole > at ? hole : size;
    }
    return ftruncate(to, size) < 0 ? file_failed(request, "ftruncate", -errno) : 0;
}

static int copy_contents(struct file_request *request, int from, int to, const struct stat *source) {
    struct stat target;
    if (fstat(to, &target) < 0) return file_failed(request, "fstat", -errno);
    if (source->st_dev == target.st_dev && source->st_ino == target.st_ino)
        return file_failed(request, "copy", -EINVAL);
    bool both_regular = S_ISREG(source->st_mode) && S_ISREG(target.st_mode);
    if (S_ISREG(target.st_mode) && ftruncate(to, 0) < 0) return file_failed(request, "ftruncate", -errno);
    if (both_regular && ioctl(to, FICLONE, from) == 0) return 0;
    if (both_regular && source->st_size > 0) return copy_data(request, from, to, source->st_size);
    return copy_by_hand(request, from, to, file_is_pipe(source->st_mode), 0, -1);
}

int file_copy(struct file_request *request) {
    struct stat source;
    int from = file_open_patiently(request, &request->from, O_RDONLY, 0);
    if (from < 0) return file_failed(request, "open", from);
    int error = fstat(from, &source) < 0 ? -errno : S_ISDIR(source.st_mode) ? -EISDIR : 0;
    if (error) {
        close(from);
        return file_failed(request, "copy", error);
    }
    int flags = O_WRONLY | O_CREAT | (request->flags & FILE_EXCLUSIVE ? O_EXCL : 0);
    int to = file_open_patiently(request, &request->to, flags, source.st_mode & 0777);
    if (to < 0) {
        request->at = request->to.path;
        error = file_failed(request, "open", to);
    } else {
        error = close_written(request, to, copy_contents(request, from, to, &source));
    }
    close(from);
    return error;
}
