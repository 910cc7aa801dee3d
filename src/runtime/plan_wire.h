/* plan_wire.h: what a Realm of another process is made of, and how it ended, as bodies of frames (wire.h).
 *
 *   PLAN:  text entry, source, name | u32 is a sandbox | u64 heap bytes, CPU ns, stack bytes | rules | message init
 *   rules: u32 depth, from the outermost owner's on: u32 denies, u32 count: u32 directive, text shown, name, text
 *   END:   u32 stop | u32 exit code | u32 has an error | message error
 *
 * A text is u32 nbytes (2^32 - 1: none) and its bytes, without a NUL.
 */
#ifndef FINO_RT_PLAN_WIRE_H
#define FINO_RT_PLAN_WIRE_H

#include "runtime/realms.h"
#include "runtime/wire.h"

void rt_plan_put(struct rt_wire_buffer *buffer, const struct rt_realm_plan *plan, const v8s_message *init);
/* Owns: rt_plan_free frees what is in *PLAN_OUT, v8s_message_free *INIT_OUT. Returns: false if it is no plan; then
 * there is nothing to free. */
bool rt_plan_get(struct rt_wire_reader *reader, struct rt_realm_plan *plan_out, v8s_message **init_out);
void rt_plan_free(struct rt_realm_plan *plan);

void rt_end_put(struct rt_wire_buffer *buffer, const struct rt_realm_end *end);
/* END_OUT->error is to be freed. Returns: false if it is no end. */
bool rt_end_get(struct rt_wire_reader *reader, struct rt_realm_end *end_out);

#endif
