/* file_root.h: opening files by path, freely or beneath a directory that no path leads out of.
 *
 * Beneath a root every path is the root's own: "/a" and "a" are the same, and neither "..", nor a symbolic link, nor
 * one that is swapped in meanwhile leads out. The kernel sees to that (openat2 with RESOLVE_BENEATH); where it has no
 * openat2, or something forbids it, paths are walked component by component, none of which may be followed unseen.
 *
 * Errors:  a negative errno, or -FILE_ESCAPES: the path leads out of the root.
 * Threads: any.
 */
#ifndef FINO_RT_FILE_ROOT_H
#define FINO_RT_FILE_ROOT_H

#include <stdbool.h>
#include <sys/types.h>

/* No errno is as large. */
#define FILE_ESCAPES 4096

struct file_place {
    int root_fd; /* a directory's, -1: none */
    const char *path;
};

/* A directory entry, for the system calls that make, remove or rename one: unlinkat(DIR_FD, NAME, 0). Beneath a root
 * NAME is a single component without slashes. */
struct file_entry {
    int dir_fd; /* AT_FDCWD without a root */
    char *name;
    bool is_directory; /* the path ended in a slash: it can't mean anything else */
    char small[256];
};

/* As open(2), with O_CLOEXEC. Returns: the descriptor. */
int file_open_at(const struct file_place *place, int flags, mode_t mode);

/* Finds the directory of the entry that PATH names. Returns 0; then file_entry_close is due. -EBUSY: beneath a root it
 * is "." or "..", which no call here may have as a name, for that would be out of our hands. */
int file_entry_open(const struct file_place *place, struct file_entry *entry_out);
void file_entry_close(struct file_entry *entry);

#endif
