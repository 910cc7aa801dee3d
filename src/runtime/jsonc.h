/* jsonc.h: JSON as people write it into tsconfig.json: with comments, trailing commas and a byte order mark.
 *
 * One allocation per value, freed as a whole with rt_jsonc_free(). Knows nothing of V8, so that configuration can be
 * read where no script may run.
 */
#ifndef FINO_RT_JSONC_H
#define FINO_RT_JSONC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rt_jsonc_type {
    RT_JSONC_NULL,
    RT_JSONC_FALSE,
    RT_JSONC_TRUE,
    RT_JSONC_NUMBER, /* its text is kept, not its value */
    RT_JSONC_STRING,
    RT_JSONC_ARRAY,
    RT_JSONC_OBJECT,
};

struct rt_jsonc {
    enum rt_jsonc_type type;
    uint32_t offset;        /* in bytes, of its first character */
    char *key;              /* of an object's member, else NULL */
    char *text;             /* STRING, decoded to UTF-8 and NUL-terminated; NUMBER */
    struct rt_jsonc *first; /* of an array's or an object's members, in the order of the text */
    struct rt_jsonc *next;  /* in the same array or object */
};

struct rt_jsonc_error {
    uint32_t offset;
    char message[120];
};

/* Inputs: TEXT, NBYTES of UTF-8. Returns the value, to be freed with rt_jsonc_free(), or NULL with *ERROR_OUT. */
struct rt_jsonc *rt_jsonc_parse(const char *text, size_t nbytes, struct rt_jsonc_error *error_out);
void rt_jsonc_free(struct rt_jsonc *value);

/* The member KEY of OBJECT (the last one of that name), or NULL; NULL too if OBJECT is NULL or no object. */
const struct rt_jsonc *rt_jsonc_get(const struct rt_jsonc *object, const char *key);
/* The text of a string; NULL if VALUE is NULL or no string. */
const char *rt_jsonc_string(const struct rt_jsonc *value);

#endif
