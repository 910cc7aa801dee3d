/* test_pprof_check.c: each invariant of a profile, broken once, is reported with the entity that breaks it. The
 * profiles are written by hand, byte by byte. Each is read at the end of an allocation, where sanitizers see one byte
 * too many. */
#include "../test.h"
#include "pprof/pprof.h"

struct bad {
    const char *bytes;
    size_t nbytes;
    int valid; /* does FINO_PPROF_VALID accept it? Canonical never does */
    const char *entity, *what;
    uint64_t index;
};

#define B(text) text, sizeof(text) - 1
#define STRINGS                                                                                                        \
    "\x32\x00\x32\x01"                                                                                                 \
    "a\x32\x01"                                                                                                        \
    "b"                                              /* "", "a", "b" */
#define TYPE "\x0a\x04\x08\x01\x10\x02"              /* {a, b} */
#define FUNCTION1 "\x2a\x04\x08\x01\x10\x01"         /* id 1, name "a" */
#define LOCATION1 "\x22\x06\x08\x01\x22\x02\x08\x01" /* id 1, line of function 1 */
#define SAMPLE1 "\x12\x06\x0a\x01\x01\x12\x01\x05"   /* location 1, value 5 */

#define LEGACY_CPU "is a CPU profile in gperftools' legacy format: `go tool pprof -proto` converts it"
#define LEGACY_TEXT "is in a legacy text format: `go tool pprof -proto` converts it"

static const struct bad bads[] = {
    {B(""), 0, "profile", "is empty", 0},
    {B("\x32"), 0, "profile", "ends inside a varint", 0},
    {B("\x32\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0, "profile", "has a length beyond its end", 0},
    {B("\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0, "profile", "has a varint of more than 64 bits", 0},
    {B("\x00\x00"), 0, "profile", "has a field number out of range", 0},
    {B("\x4b"), 0, "profile", "has a field of an unknown wire type", 0},
    {B("\x32\x01x"), 0, "string", "is the first and not \"\"", 0},
    {B("\x30\x01"), 0, "string", "has the wrong wire type", 0},
    {B("\x32\x00\x32\x01\xff"), 0, "string", "is not valid UTF-8", 1},
    {B(STRINGS "\x32\x01"
               "a" TYPE),
     1, "string", "repeats an earlier one", 3},
    {B(STRINGS "\x0a\x02\x08\x07"), 0, "sample type", "refers to a string that does not exist", 0},
    {B(STRINGS "\x1a\x00"), 0, "mapping", "has the id 0", 0},
    {B(STRINGS "\x1a\x06\x08\x01\x10\x09\x18\x05"), 0, "mapping", "ends before it starts", 0},
    {B(STRINGS FUNCTION1 FUNCTION1), 0, "function", "has the id of an earlier one", 1},
    {B(STRINGS "\x2a\x04\x08\x02\x10\x01"), 1, "function", "has an id that is not its position", 0},
    {B(STRINGS FUNCTION1 "\x2a\x04\x08\x02\x10\x01"), 1, "function", "repeats an earlier one", 1},
    {B(STRINGS LOCATION1), 0, "location", "refers to a function that does not exist", 0},
    {B(STRINGS "\x22\x04\x08\x01\x10\x09"), 0, "location", "refers to a mapping that does not exist", 0},
    {B(STRINGS "\x1a\x06\x08\x01\x10\x05\x18\x09\x22\x06\x08\x01\x10\x01\x18\x0a"), 0, "location",
     "lies outside of its mapping", 0},
    {B(STRINGS TYPE SAMPLE1), 0, "sample", "refers to a location that does not exist", 0},
    {B(STRINGS FUNCTION1 LOCATION1 SAMPLE1), 0, "sample", "is in a profile without sample types", 0},
    {B("\x32\x00\x12\x00"), 0, "sample", "is in a profile without sample types", 0},
    {B(STRINGS TYPE FUNCTION1 LOCATION1 "\x12\x03\x0a\x01\x01"), 0, "sample", "has not one value per sample type", 0},
    {B(STRINGS TYPE FUNCTION1 LOCATION1 SAMPLE1 SAMPLE1), 1, "sample", "repeats an earlier one", 1},
    {B(STRINGS TYPE FUNCTION1 LOCATION1 "\x12\x06\x0a\x01\x01\x12\x01\x00"), 1, "sample", "has no value but 0", 0},
    {B(STRINGS TYPE FUNCTION1 LOCATION1 "\x12\x0e\x0a\x01\x01\x12\x01\x05\x1a\x06\x08\x01\x10\x02\x18\x07"), 0,
     "sample", "has a label with both a string and a number", 0},
    {B(STRINGS TYPE FUNCTION1 LOCATION1
       "\x12\x12\x0a\x01\x01\x12\x01\x05\x1a\x04\x08\x01\x10\x02\x1a\x04\x08\x01\x10\x02"),
     1, "sample", "has the same label twice", 0},
    {B(STRINGS TYPE "\x70\x02"), 0, "profile", "is not the name of a sample type", 0},
    {B(STRINGS TYPE FUNCTION1), 1, "function", "is not referred to", 0},
    {B(STRINGS TYPE "\x32\x01"
                    "c"),
     1, "string", "is not referred to", 3},
    {B("\x1f\x8b\x08\x00"), 0, "gzip", NULL, 0},
    /* What is older than profile.proto: words of 64 and 32 bits, either byte first, and text. */
    {B("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27"), 0, "profile", LEGACY_CPU, 0},
    {B("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0"), 0, "profile", LEGACY_CPU, 0},
    {B("\0\0\0\0\3\0\0\0\0\0\0\0\x10\x27\0\0"), 0, "profile", LEGACY_CPU, 0},
    {B("\0\0\0\0\0\0\0\3\0\0\0\0"), 0, "profile", LEGACY_CPU, 0},
    {B("\0\0\0\0\0\0\0\3\0\0\0"), 0, "profile", "has a field number out of range", 0},
    {B("heap profile:   3:  8388 [  3:  8388] @ heapprofile\n"), 0, "profile", LEGACY_TEXT, 0},
    {B("goroutine profile: total 3\n"), 0, "profile", LEGACY_TEXT, 0},
    {B("--- threadz 1 ---\n"), 0, "profile", LEGACY_TEXT, 0},
    {B("not a\nheap profile: 3\n"), 0, "profile", "has a field of an unknown wire type", 0},
};

static int check(const char *bytes, size_t nbytes, enum fino_pprof_strictness strictness,
                 struct fino_pprof_problem *problem) {
    char *copy = malloc(nbytes + !nbytes);
    memcpy(copy, bytes, nbytes);
    int error = fino_pprof_check(copy, nbytes, strictness, NULL, problem);
    free(copy);
    return error;
}

static void test_bad(const struct bad *bad) {
    struct fino_pprof_problem problem;
    EXPECT_EQ(check(bad->bytes, bad->nbytes, FINO_PPROF_VALID, &problem), bad->valid ? 0 : -22);
    EXPECT_EQ(check(bad->bytes, bad->nbytes, FINO_PPROF_CANONICAL, &problem), -22);
    EXPECT_STR(problem.entity, bad->entity);
    if (bad->what) EXPECT_STR(problem.what, bad->what);
    EXPECT_EQ(problem.index, bad->index);
}

/* What is right stays right: unpacked numbers, unknown fields, a line without a function. */
static void test_good(void) {
    struct fino_pprof_problem problem;
    static const char plain[] = STRINGS TYPE FUNCTION1 LOCATION1 SAMPLE1;
    EXPECT_EQ(check(B(STRINGS TYPE FUNCTION1 LOCATION1 SAMPLE1), FINO_PPROF_CANONICAL, &problem), 0);
    EXPECT_EQ(check(B(STRINGS TYPE FUNCTION1 LOCATION1 "\x12\x04\x08\x01\x10\x05"), FINO_PPROF_CANONICAL, &problem), 0);
    EXPECT_EQ(check(B(STRINGS TYPE FUNCTION1 LOCATION1 SAMPLE1 "\xfa\x01\x01x"), FINO_PPROF_CANONICAL, &problem), 0);
    EXPECT_EQ(check(B(STRINGS TYPE "\x22\x06\x08\x01\x22\x02\x10\x07" SAMPLE1), FINO_PPROF_VALID, &problem), 0);
    struct fino_pprof_decode_config config = {.nbytes_max = sizeof plain - 2};
    EXPECT_EQ(fino_pprof_check(plain, sizeof plain - 1, FINO_PPROF_VALID, &config, &problem), -27); /* -EFBIG */
    for (size_t nbytes = 1; nbytes < sizeof plain - 1; nbytes++) /* every cut: any answer, no bad read */
        check(plain, nbytes, FINO_PPROF_CANONICAL, &problem);
}

int main(void) {
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++)
        test_bad(&bads[i]);
    test_good();
    return 0;
}
