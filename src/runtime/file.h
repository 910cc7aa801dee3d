/* file.h: one call of fino:file on its way: asked by JavaScript (mod_file.c), done on a thread of the pool (file_*.c),
 * answered on the loop's thread (mod_file.c).
 *
 * The functions that do it know nothing of V8. They return 0 or a negative errno (also -FILE_ESCAPES), and say in
 * SYSCALL what failed.
 */
#ifndef FINO_RT_FILE_H
#define FINO_RT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/file_root.h"
#include "runtime/work.h"

/* What is read in one call: so much may be done after it was cancelled. */
#define FILE_PIECE_BYTES (16u << 20)

/* Memory that grows, and is given away to an ArrayBuffer without a copy. */
struct file_memory {
    uint8_t *bytes;
    size_t nbytes;   /* that are filled */
    size_t capacity; /* from FILE_MAPPED_BYTES on it is mapped, else malloc's */
};

/* Returns 0 or -ENOMEM. */
int file_memory_reserve(struct file_memory *memory, size_t capacity);
void file_memory_free(struct file_memory *memory);
/* The same for what was given away: a v8s_dispose. CAPACITY is the hint. */
void file_memory_dispose(void *bytes, size_t nbytes, void *capacity);

/* What the answer is. */
enum file_answer {
    FILE_ANSWER_NOTHING,
    FILE_ANSWER_NUMBER, /* NUMBER */
    FILE_ANSWER_BYTES,  /* MEMORY */
    FILE_ANSWER_TEXT,   /* MEMORY, as UTF-8 */
    FILE_ANSWER_NAME,   /* MEMORY, as a file name */
    FILE_ANSWER_STATUS, /* STATUS */
    FILE_ANSWER_NAMES,  /* MEMORY: of each entry its type (DT_*), its name and a 0; nothing at all at the end */
    FILE_ANSWER_HANDLE, /* NUMBER: a descriptor; STATUS */
    FILE_ANSWER_EVENTS, /* MEMORY: inotify's */
};

struct file_request {
    struct rt_work work; /* first: recovered by a cast */

    /* Asked for. */
    struct file_place from; /* its path is the request's */
    struct file_place to;
    int fd;       /* of the handle */
    bool is_pipe; /* the handle waits for its other side: a FIFO, a terminal, ... */
    int flags;
    int64_t number;
    const uint8_t *bytes; /* to write */
    uint8_t *into;        /* to read into */
    size_t nbytes;

    /* Answered. */
    const char *syscall;
    const char *at; /* the path that an error is about, if not FROM's */
    struct file_memory memory;
    struct statx status;
    int64_t answer;
    bool is_ascii; /* the text in MEMORY */
    int error;
};

/* ERROR is what SYSCALL came to. */
static inline int file_failed(struct file_request *request, const char *syscall, int error) {
    request->syscall = syscall;
    return error;
}

/* Flags of requests, beside open(2)'s, which they don't overlap: the words of one don't reach another. */
enum file_flag {
    FILE_ATOMIC = 1,
    FILE_RECURSIVE = 2,
    FILE_EXCLUSIVE = 4,
    FILE_NO_FOLLOW = 8,
    FILE_SYNC = 16,
    FILE_DATA_ONLY = 32,
};

/* ---- file_io.c: contents ---- */

/* Does what is of this type keep its readers waiting? */
bool file_is_pipe(mode_t mode);
/* As their system calls, again after an interruption, and waiting for the other side of a FIFO. OFFSET: -1 for where
 * the descriptor is. The first returns the descriptor, the second how much was read, the third NBYTES. */
int file_open_patiently(struct file_request *request, const struct file_place *place, int flags, mode_t mode);
ssize_t file_read_patiently(struct file_request *request, int fd, bool is_pipe, void *into, size_t nbytes,
                            int64_t offset);
int64_t file_write_patiently(struct file_request *request, int fd, const uint8_t *bytes, size_t nbytes, int64_t offset);

int file_read_bytes(struct file_request *request); /* -> MEMORY */
int file_read_text(struct file_request *request);  /* -> MEMORY, IS_ASCII */
int file_write(struct file_request *request);      /* BYTES; FLAGS; NUMBER: the mode if it is new */
int file_append(struct file_request *request);     /* BYTES; NUMBER: the mode if it is new */
int file_copy(struct file_request *request);       /* FROM -> TO; FLAGS */

/* ---- file_handle.c: open files; FD ---- */

int file_open(struct file_request *request);      /* FROM; FLAGS: open's; NUMBER: mode -> ANSWER, STATUS */
int file_read_some(struct file_request *request); /* INTO; NUMBER: offset, -1: where it is -> ANSWER */
int file_write_all(struct file_request *request); /* BYTES; NUMBER: offset, -1: where it is -> ANSWER */
int file_truncate(struct file_request *request);  /* NUMBER: bytes */
int file_sync(struct file_request *request);      /* FLAGS */
int file_status_of(struct file_request *request);
int file_close(struct file_request *request);

/* ---- file_tree.c: names ---- */

int file_status(struct file_request *request);           /* FLAGS -> STATUS */
int file_make_directory(struct file_request *request);   /* NUMBER: mode; FLAGS */
int file_make_temporary(struct file_request *request);   /* FROM's path: a prefix -> MEMORY */
int file_remove_directory(struct file_request *request); /* FLAGS */
int file_remove(struct file_request *request);
int file_rename(struct file_request *request);         /* FROM -> TO */
int file_make_link(struct file_request *request);      /* TO's path: what the link FROM says */
int file_read_link(struct file_request *request);      /* -> MEMORY */
int file_set_mode(struct file_request *request);       /* NUMBER */
int file_set_times(struct file_request *request);      /* BYTES: two doubles, seconds */
int file_open_directory(struct file_request *request); /* -> ANSWER */
int file_read_directory(struct file_request *request); /* FD -> MEMORY */

/* ---- file_watch.c: changes; FD: inotify's ---- */

int file_watch_open(struct file_request *request);   /* -> ANSWER: a descriptor */
int file_watch_add(struct file_request *request);    /* FROM; FLAGS -> ANSWER: the watch's number */
int file_watch_remove(struct file_request *request); /* NUMBER: the watch's */
int file_watch_read(struct file_request *request);   /* -> MEMORY; waits */

#endif
