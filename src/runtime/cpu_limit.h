/* cpu_limit.h: limits of the CPU time of threads, by the kernel's own clocks: one that is far off costs nothing. */
#ifndef FINO_RT_CPU_LIMIT_H
#define FINO_RT_CPU_LIMIT_H

#include <stdint.h>
#include <time.h>

/* Once this thread has used LIMIT_NS more of CPU time, REACHED(ID) is called on a thread that waits for that alone; to
 * the kernel's tick, some milliseconds. REACHED is the same each time. Returns 0 or a negative errno (-EAGAIN: each
 * limit takes one of this user's pending signals). */
int rt_cpu_limit_begin(uint64_t limit_ns, uint64_t id, void (*reached)(uint64_t id), timer_t *timer_out);
/* REACHED may be called once more for that ID. */
void rt_cpu_limit_end(timer_t timer);

#endif
