/* fuzz_pprof_check.c: what is canonical is valid, what is valid decodes, what is refused is refused for a reason that
 * lies inside of the profile; and what we make of a valid profile is canonical. */
#include <stdlib.h>
#include <string.h>

#include "pprof/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

enum { NBYTES_MAX = 1 << 20, INVALID = -22, TOO_LARGE = -27 };

static const struct fino_pprof_decode_config config = {.nbytes_max = NBYTES_MAX};

static void expect(int condition) {
    if (!condition) abort();
}

static void expect_reason(int error, const struct fino_pprof_problem *problem) {
    expect(error == 0 || error == INVALID || error == TOO_LARGE);
    expect(problem->what && problem->entity && problem->field);
    expect((error == INVALID) == (problem->what[0] != '\0'));
    expect(problem->offset <= NBYTES_MAX);
}

static int check(const uint8_t *data, size_t nbytes, enum fino_pprof_strictness strictness) {
    struct fino_pprof_problem problem;
    int error = fino_pprof_check(data, nbytes, strictness, &config, &problem);
    expect_reason(error, &problem);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    struct fino_pprof_problem problem;
    fino_pprof *profile;
    int canonical = check(data, nbytes, FINO_PPROF_CANONICAL), valid = check(data, nbytes, FINO_PPROF_VALID);
    int error = fino_pprof_decode(data, nbytes, &config, &profile, &problem);
    expect_reason(error, &problem);
    expect(canonical != 0 || valid == 0);
    expect(valid != 0 || error == 0);
    if (valid == 0) {
        uint8_t *ours;
        size_t ours_nbytes;
        expect(fino_pprof_encode(profile, NULL, fino_pprof_get_header(profile), 1, &ours, &ours_nbytes) == 0);
        int again = fino_pprof_check(ours, ours_nbytes, FINO_PPROF_CANONICAL, NULL, &problem);
        expect(again == 0);
        fino_pprof_bytes_free(profile, ours, ours_nbytes);
    }
    fino_pprof_free(profile);
    return 0;
}
