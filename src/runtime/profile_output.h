/* profile_output.h: what is made of a recording once it is a pprof profile: other formats, and a few lines to read.
 *
 * Threads: any. Memory: a report's, see report.h.
 */
#ifndef FINO_RT_PROFILE_OUTPUT_H
#define FINO_RT_PROFILE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/report.h"

/* Makes PATH a file of FORMAT (NULL: pprof, the bytes as they are) of the profile, which is called TITLE in there.
 * Returns 0, with the file's size in *FILE_NBYTES_OUT, or a negative errno, and then leaves what was there. */
int rt_profile_output_write(const char *path, const struct rt_report_format *format, const char *title,
                            const uint8_t *profile, size_t nbytes, size_t *file_nbytes_out);

/* The functions that used most by themselves, a line each, with the numbers of `fino pprof top`. */
void rt_profile_output_hottest(const uint8_t *profile, size_t nbytes, FILE *file);

#endif
