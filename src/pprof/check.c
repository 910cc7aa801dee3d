/* check.c: the invariants of a profile. They live in the decoder, where each thing is at hand; this runs it strictly.
 */
#include "pprof/decode.h"

int fino_pprof_check(const void *data, size_t nbytes, enum fino_pprof_strictness strictness,
                     const struct fino_pprof_decode_config *config, struct fino_pprof_problem *problem_out) {
    fino_pprof *profile;
    enum pprof_demands demands = strictness == FINO_PPROF_CANONICAL ? PPROF_CANONICAL : PPROF_VALID;
    int error = pprof_decode(data, nbytes, config, demands, &profile, problem_out);
    if (error == 0) fino_pprof_free(profile);
    return error;
}
