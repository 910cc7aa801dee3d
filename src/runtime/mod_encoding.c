/* mod_encoding.c: between strings and bytes, as the Encoding standard says.
 *
 * Valid UTF-8 goes to V8 in one piece. Only where it is broken does our own decoder (utf8.h) step in.
 */

#include <stdlib.h>
#include <string.h>

#include "runtime/builtins.h"
#include "runtime/utf8.h"

static v8s_value or_too_long(v8s_isolate *isolate, v8s_value string) {
    if (!string) v8s_throw(isolate, v8s_error_new(isolate, V8S_RANGE_ERROR, "The text is longer than a string can be"));
    return string;
}

/* The bytes of the view ARGUMENTS[0] from index [1] to [2] (both optional). */
static bool range_argument(v8s_isolate *isolate, const v8s_arguments *arguments, const char *what, uint8_t **bytes_out,
                           size_t *nbytes_out) {
    uint8_t *bytes;
    size_t nbytes;
    if (!v8s_bytes_of(v8s_argument(arguments, 0), &bytes, &nbytes)) {
        v8s_throw_type_error(isolate, "%s: not an ArrayBuffer or a view of one", what);
        return false;
    }
    v8s_value last = v8s_argument(arguments, 2);
    double start = rt_number_argument(arguments, 1);
    double end = v8s_is_number(last) ? v8s_number_of(last) : (double)nbytes;
    if (!(start >= 0 && start <= end && end <= (double)nbytes)) {
        v8s_throw_type_error(isolate, "%s: range outside of the bytes", what);
        return false;
    }
    *bytes_out = bytes + (size_t)start;
    *nbytes_out = (size_t)end - (size_t)start;
    return true;
}

/* utf8Decode(view, start, end, fatal, ignoreBOM) */
static v8s_value utf8_decode(v8s_isolate *isolate, const v8s_arguments *arguments) {
    uint8_t *bytes;
    size_t nbytes;
    if (!range_argument(isolate, arguments, "utf8Decode", &bytes, &nbytes)) return NULL;
    if (nbytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 && !v8s_truthy(isolate, v8s_argument(arguments, 4))) {
        bytes += 3;
        nbytes -= 3;
    }
    size_t valid = rt_utf8_valid_prefix(bytes, nbytes);
    if (valid == nbytes) return or_too_long(isolate, v8s_string_utf8(isolate, (const char *)bytes, nbytes));
    if (v8s_truthy(isolate, v8s_argument(arguments, 3)))
        return v8s_throw_type_error(isolate, "The encoded data was not valid for encoding utf-8 (at byte %zu)", valid);
    char *replaced = rt_utf8_replace(bytes, nbytes, &nbytes);
    v8s_value string = replaced ? v8s_string_utf8(isolate, replaced, nbytes) : NULL;
    free(replaced);
    return or_too_long(isolate, string);
}

/* latin1Decode(view, start, end): each byte is a code point. */
static v8s_value latin1_decode(v8s_isolate *isolate, const v8s_arguments *arguments) {
    uint8_t *bytes;
    size_t nbytes;
    if (!range_argument(isolate, arguments, "latin1Decode", &bytes, &nbytes)) return NULL;
    return or_too_long(isolate, v8s_string_latin1(isolate, bytes, nbytes));
}

/* utf16leDecode(view, start, end): units as they are, lone surrogates too; an odd last byte is left out. */
static v8s_value utf16le_decode(v8s_isolate *isolate, const v8s_arguments *arguments) {
    uint8_t *bytes;
    size_t nbytes;
    if (!range_argument(isolate, arguments, "utf16leDecode", &bytes, &nbytes)) return NULL;
    uint16_t *units = malloc(nbytes + 1); /* aligned, as a view need not be */
    for (size_t i = 0; units && i < nbytes / 2; i++)
        units[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    v8s_value string = units ? v8s_string_utf16(isolate, units, nbytes / 2) : NULL;
    free(units);
    return or_too_long(isolate, string);
}

/* utf8Encode(string) */
static v8s_value utf8_encode(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value string = v8s_argument(arguments, 0);
    if (!v8s_is_string(string)) return v8s_throw_type_error(isolate, "utf8Encode: not a string");
    uint8_t *bytes;
    size_t nbytes = v8s_string_utf8_nbytes(isolate, string);
    v8s_value array = v8s_uint8array_new(isolate, nbytes, &bytes);
    v8s_string_write_utf8(isolate, string, (char *)bytes, nbytes, NULL);
    return array;
}

/* utf8EncodeInto(string, bytes): {read, written}; whole characters only. */
static v8s_value utf8_encode_into(v8s_isolate *isolate, const v8s_arguments *arguments) {
    v8s_value string = v8s_argument(arguments, 0);
    uint8_t *bytes;
    size_t nbytes, units = 0, written = 0;
    if (!v8s_is_string(string) || !v8s_bytes_of(v8s_argument(arguments, 1), &bytes, &nbytes))
        return v8s_throw_type_error(isolate, "utf8EncodeInto: not a string and bytes");
    if (nbytes > 0) written = v8s_string_write_utf8(isolate, string, (char *)bytes, nbytes, &units);
    v8s_value result = v8s_object_new(isolate);
    v8s_set(isolate, result, "read", v8s_number(isolate, (double)units));
    v8s_set(isolate, result, "written", v8s_number(isolate, (double)written));
    return result;
}

static const struct v8s_native_entry functions[] = {
    {"utf8Decode", utf8_decode, 5}, {"latin1Decode", latin1_decode, 3},      {"utf16leDecode", utf16le_decode, 3},
    {"utf8Encode", utf8_encode, 1}, {"utf8EncodeInto", utf8_encode_into, 2},
};

const struct rt_native_group rt_mod_encoding = {functions, sizeof functions / sizeof *functions, NULL};
