/* Strings that are not UTF-8 are repaired as the Unicode Standard recommends (chapter 3, "U+FFFD Substitution of
 * Maximal Subparts"): each longest piece that could have begun a character becomes one U+FFFD, and what is valid stays.
 */
#include "../test.h"
#include "pprof/pprof.h"

#define R "\xef\xbf\xbd" /* U+FFFD */

static const struct {
    const char *bytes, *repaired; /* REPAIRED is NULL where BYTES are valid */
} cases[] = {
    {"plain", NULL},
    {"\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf",
     NULL},                              /* the ends of each length */
    {"\xed\x9f\xbf \xee\x80\x80", NULL}, /* on both sides of the surrogates */
    {"\x80", R},
    {"a\xff", "a" R},
    {"\xc0\xaf", R R}, /* shorter forms exist: no byte of these begins a character */
    {"\xc1\xbf", R R},
    {"\xe0\x9f\xbf", R R R},
    {"\xf0\x8f\xbf\xbf", R R R R},
    {"\xed\xa0\x80", R R R},       /* a surrogate */
    {"\xf4\x90\x80\x80", R R R R}, /* above U+10FFFF */
    {"\xf5\x80\x80\x80", R R R R},
    {"\xe2\x82", R}, /* cut off at the end */
    {"\xf0\x9f\x98", R},
    {"\xe2\x82z", R "z"}, /* and by another character */
    {"\xf0\x9f\xc3\xa9", R "\xc3\xa9"},
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
     "A",
     R R R R "A"}, /* the standard's own example, table 3-11 */
    {"12345678\xff"
     "12345678\xff",
     "12345678" R "12345678" R}, /* valid ones are passed over by eight */
};

int main(void) {
    static const struct fino_pprof_value_type type = {"samples", "count"};
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){&type, 1, NULL, 3});
    EXPECT_EQ(fino_pprof_string(profile, "", 0), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wanted = cases[i].repaired ? cases[i].repaired : cases[i].bytes;
        size_t nbytes = strlen(cases[i].bytes), got_nbytes;
        char *copy = malloc(nbytes); /* without a NUL: reading on would be noticed */
        memcpy(copy, cases[i].bytes, nbytes);
        uint32_t id = fino_pprof_string(profile, copy, nbytes);
        free(copy);
        EXPECT_STR(fino_pprof_get_string(profile, id, &got_nbytes), wanted);
        EXPECT_EQ(got_nbytes, strlen(wanted));
        EXPECT_EQ(fino_pprof_string(profile, wanted, strlen(wanted)), id); /* one string, however it was given */
    }
    /* A NUL is a character like others. */
    size_t nbytes;
    uint32_t id = fino_pprof_string(profile, "a\0b", 3);
    EXPECT(memcmp(fino_pprof_get_string(profile, id, &nbytes), "a\0b", 4) == 0 && nbytes == 3);
    EXPECT_EQ(fino_pprof_error(profile), 0);
    fino_pprof_free(profile);
    return 0;
}
