/* jit_selftest.h: is what jit_layout.h thinks it knows of V8's objects and frames true of this V8?
 *
 * V8 could have changed without saying so in what it exports. Functions whose truth is known are compiled, inlined and
 * run; all constants that names, lines and inlining depend on must find that truth in them.
 */
#ifndef FINO_RT_JIT_SELFTEST_H
#define FINO_RT_JIT_SELFTEST_H

#include "runtime/v8_jit.h"

/* Once a process, before anything else reads V8's objects by the layout: takes about 2 ms and leaves it proven or
 * unknown. On the isolate's thread; other threads that come here meanwhile wait. */
void jit_selftest(v8s_isolate *isolate);

#endif
