/* errors.h: errors as values for JavaScript, and as text for people. */
#ifndef FINO_RT_ERRORS_H
#define FINO_RT_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/realm.h"

/* Prints what nobody caught to stderr: place, source line with a caret, the error with its stack and causes. MESSAGE
 * may be NULL. IN_PROMISE: it is a rejection's reason. */
void rt_report_uncaught(struct rt_realm *realm, v8s_value error, v8s_value message, bool in_promise);

/* v8s_place_of(), with the columns that are in the file. */
void rt_error_place_of(struct rt_realm *realm, v8s_value error, v8s_value message, struct v8s_place *place_out);

/* Gives ERROR the place in a source file that it is about, for its report and its `stack`. LINE and COLUMN count from
 * 1; COLUMN 0: not known. */
void rt_error_set_place(struct rt_realm *realm, v8s_value error, const char *path, uint32_t line, uint32_t column);
/* The second half of that alone. */
void rt_error_note_place_in_stack(struct rt_realm *realm, v8s_value error, const char *path, uint32_t line,
                                  uint32_t column);

/* An Error for a failed system call, with `code`, `errno`, `syscall` and, unless NULL, `path`. */
v8s_value rt_error_from_errno(v8s_isolate *isolate, int error_number, const char *syscall, const char *path);
/* Throws it and returns NULL. */
v8s_value rt_throw_errno(v8s_isolate *isolate, int error_number, const char *syscall, const char *path);

/* V8 cannot go on: says why and ends the process with code 134, as an abort would. */
void rt_fatal(const char *location, const char *message, bool out_of_memory);

#endif
