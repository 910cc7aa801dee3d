/* fuzz_pprof_merge.c: two profiles of any bytes. What is added and subtracted again leaves the values that were there;
 * what came since a snapshot is what was added; a base and its difference encode to a profile that decodes. The input
 * is the first one's size in two bytes, a byte to scale by, and the profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

static void expect(int condition) {
    if (!condition) abort();
}

static fino_pprof *decode(const uint8_t *data, size_t nbytes, uint64_t seed) {
    struct fino_pprof_decode_config config = {.nbytes_max = 1 << 20, .hash_seed = seed};
    fino_pprof *profile;
    return fino_pprof_decode(data, nbytes, &config, &profile, NULL) == 0 ? profile : NULL;
}

static const int64_t *values(const fino_pprof *profile, uint32_t sample) {
    return fino_pprof_get_sample(profile, sample).values;
}

/* The sum of all values of all samples, which wraps as the values do. */
static uint64_t total(const fino_pprof *profile) {
    uint64_t sum = 0;
    for (uint32_t id = 0; id < fino_pprof_sample_count(profile); id++)
        for (size_t type = 0; type < fino_pprof_sample_type_count(profile); type++)
            sum += (uint64_t)values(profile, id)[type] * (type + 1);
    return sum;
}

/* PROFILE since SINCE, by way of its bytes. */
static fino_pprof *encode_and_decode(fino_pprof *profile, const fino_pprof_snapshot *since) {
    uint8_t *bytes;
    size_t nbytes;
    expect(fino_pprof_encode(profile, since, NULL, 1, &bytes, &nbytes) == 0);
    fino_pprof *read = decode(bytes, nbytes, 9);
    fino_pprof_bytes_free(profile, bytes, nbytes);
    expect(read != NULL);
    return read;
}

static void expect_values_of(const fino_pprof *sum, const fino_pprof *before) {
    size_t types = fino_pprof_sample_type_count(sum), count = fino_pprof_sample_count(before);
    for (uint32_t id = 0; id < fino_pprof_sample_count(sum); id++)
        for (size_t type = 0; type < types; type++)
            expect(values(sum, id)[type] == (id < count ? values(before, id)[type] : 0));
}

static void combine(fino_pprof *sum, const fino_pprof *before, const fino_pprof *more, double ratio) {
    fino_pprof_snapshot *since = fino_pprof_take_snapshot(sum);
    size_t count = fino_pprof_sample_count(sum);
    if (fino_pprof_merge(sum, more, NULL, FINO_PPROF_ADD) != 0) { /* of other types */
        expect(fino_pprof_error(sum) == 0 && fino_pprof_sample_count(sum) == count);
        fino_pprof_snapshot_free(since);
        return;
    }
    expect(total(sum) == total(before) + total(more));
    fino_pprof *gained = fino_pprof_sample_type_count(sum) ? encode_and_decode(sum, since) : NULL;
    if (gained) expect(total(gained) == total(more));
    fino_pprof_free(gained);
    expect(fino_pprof_merge(sum, more, NULL, FINO_PPROF_SUBTRACT) == 0);
    expect_values_of(sum, before);
    expect(fino_pprof_merge(sum, more, NULL, FINO_PPROF_DIFF_BASE) == 0);
    expect(total(sum) == total(before) - total(more));
    double *ratios = malloc((fino_pprof_sample_type_count(sum) + 1) * sizeof *ratios);
    for (size_t type = 0; type < fino_pprof_sample_type_count(sum); type++)
        ratios[type] = type ? -ratio : ratio;
    fino_pprof_scale(sum, ratios);
    free(ratios);
    if (fino_pprof_sample_type_count(sum)) fino_pprof_free(encode_and_decode(sum, NULL));
    fino_pprof_snapshot_free(since);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
    static const double ratios[] = {0, 1, 0.5, 3, -2.5, 1e18, 1e300, INFINITY, NAN};
    if (nbytes < 3) return 0;
    size_t first_nbytes = data[0] | (size_t)data[1] << 8;
    double ratio = ratios[data[2] % (sizeof ratios / sizeof *ratios)];
    data += 3, nbytes -= 3;
    if (first_nbytes > nbytes) first_nbytes = nbytes;
    fino_pprof *sum = decode(data, first_nbytes, 1), *before = decode(data, first_nbytes, 2);
    fino_pprof *more = decode(data + first_nbytes, nbytes - first_nbytes, 3);
    if (!more && before) more = decode(data, first_nbytes, 4);
    if (sum && more) combine(sum, before, more, ratio);
    fino_pprof_free(more);
    fino_pprof_free(before);
    fino_pprof_free(sum);
    return 0;
}
