/* states.h: what V8 is at, by the function of its library that does it. */
#ifndef FINO_RT_STATES_H
#define FINO_RT_STATES_H

#include "sampler/sampler.h"

extern const struct fino_sampler_frame_state rt_states[];
extern const size_t rt_state_count;

#endif
