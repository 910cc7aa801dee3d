/* jit_realm.h: one isolate as the sampler sees it: walks its frames and names them.
 *
 * Threads: every function on the isolate's own thread.
 */
#ifndef FINO_RT_JIT_REALM_H
#define FINO_RT_JIT_REALM_H

#include "runtime/jit_map.h"
#include "runtime/v8_jit.h"
#include "sampler/sampler.h"

struct jit_realm;

/* Makes the sampler walk and name ISOLATE's frames in THREAD's samples, which carry LABEL (NULL: the thread's own; it
 * must stay valid), also after the detach. Returns NULL when memory is short. */
struct jit_realm *jit_realm_attach(v8s_isolate *isolate, sampler_thread *thread, const char *label);
/* The same in the samples of GUEST, on whatever thread it is; it is entered. */
struct jit_realm *jit_realm_attach_guest(v8s_isolate *isolate, sampler_guest *guest);

/* Of names with columns in them. */
void jit_realm_set_columns(struct jit_realm *realm, const struct jit_columns *columns);

/* Learns of all code there is and will be; costs a few milliseconds once, nothing when done already. Frames of
 * an isolate that does not listen stay unnamed. */
void jit_realm_listen(struct jit_realm *realm);

/* Can inlined and interpreted functions be told in this V8? Known after the first jit_realm_listen of the process,
 * which puts V8's layout to a test. If not, frames are named by their machine code alone. */
bool jit_realm_layout_is_known(void);

/* What was read of V8's code, as one line of text for the profile's comments; cut at CAP - 1 bytes. */
void jit_realm_describe(const struct jit_realm *realm, char *buffer, size_t cap);

/* Before the isolate is disposed of. The thread's samples are drained first. */
void jit_realm_detach(struct jit_realm *realm);

#endif
