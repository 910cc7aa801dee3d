/* whole_file.h: results as files. */
#ifndef FINO_RT_WHOLE_FILE_H
#define FINO_RT_WHOLE_FILE_H

#include <stddef.h>

/* Makes PATH a file of these bytes, or leaves what is there: it gets its name only once its bytes are on the disk.
 * Returns 0 or a negative errno. */
int rt_write_whole_file(const char *path, const void *data, size_t nbytes);

#endif
