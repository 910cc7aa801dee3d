/* whole_file.h: files as a whole: read at once, and written whole or not at all. */
#ifndef FINO_RT_WHOLE_FILE_H
#define FINO_RT_WHOLE_FILE_H

#include <stddef.h>

/* All of a file (a pipe's: up to its end), with a NUL after it. Returns NULL with errno. Owns: free. */
char *rt_read_whole_file(const char *path, size_t *nbytes_out);
/* The same, where anything but a regular file (a pipe would make us wait) is an error. */
char *rt_read_regular_file(const char *path, size_t *nbytes_out);
/* What is left of FD, which stays open. */
char *rt_read_to_end(int fd, size_t *nbytes_out);

/* Makes PATH a file of these bytes, or leaves what is there: it gets its name only once its bytes are on the disk.
 * Returns 0 or a negative errno. */
int rt_write_whole_file(const char *path, const void *data, size_t nbytes);

#endif
