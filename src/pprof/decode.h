/* decode.h: one reader of profiles for both fino_pprof_decode and fino_pprof_check. */
#ifndef FINO_PPROF_DECODE_H
#define FINO_PPROF_DECODE_H

#include "pprof/pprof.h"

enum pprof_demands {
    PPROF_DECODABLE, /* enough sense to become a builder */
    PPROF_VALID,
    PPROF_CANONICAL,
};

/* As fino_pprof_decode; each demand includes those before it. */
int pprof_decode(const void *data, size_t nbytes, const struct fino_pprof_decode_config *config,
                 enum pprof_demands demands, fino_pprof **profile_out, struct fino_pprof_problem *problem_out);

#endif
