/* test.h: the few macros that unit tests need. A failed check prints where and ends the program with status 1. */
#ifndef FINO_TEST_H
#define FINO_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define EXPECT_EQ(actual, expected)                                                                                    \
    do {                                                                                                               \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                                    \
        if (actual_ != expected_) {                                                                                    \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_, expected_);         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define EXPECT_STR(actual, expected)                                                                                   \
    do {                                                                                                               \
        const char *actual_ = (actual), *expected_ = (expected);                                                       \
        if (strcmp(actual_, expected_) != 0) {                                                                         \
            fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #actual, actual_, expected_);     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
