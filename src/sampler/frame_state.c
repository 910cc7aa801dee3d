/* frame_state.c: see frame_state.h. */
#include "sampler/frame_state.h"

#include <ctype.h>
#include <stdbool.h>

static bool is_of_identifier(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A star that has taken too much or too little is tried again one character on; only the last one need be. */
static bool begins_with(const char *symbol, const char *pattern) {
    const char *after_star = NULL, *retry = NULL;
    while (*pattern != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = symbol;
        } else if (*symbol != '\0' && *symbol == *pattern) {
            symbol++;
            pattern++;
        } else if (after_star != NULL && is_of_identifier(*retry)) {
            symbol = ++retry;
            pattern = after_star;
        } else {
            return false;
        }
    }
    return true;
}

const char *sampler_frame_state_of(const struct fino_sampler_frame_state *states, size_t count, const char *symbol) {
    for (size_t i = 0; i < count; i++)
        if (begins_with(symbol, states[i].symbol_prefix)) return states[i].frame;
    return NULL;
}
