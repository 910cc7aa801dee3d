/* frame_state.h: which state of the program a native function stands for; see fino_sampler_set_frame_states. */
#ifndef FINO_SAMPLER_FRAME_STATE_H
#define FINO_SAMPLER_FRAME_STATE_H

#include "sampler/sampler.h"

/* The frame of the first of STATES that matches SYMBOL, a demangled name; NULL: none does. */
const char *sampler_frame_state_of(const struct fino_sampler_frame_state *states, size_t count, const char *symbol);

#endif
