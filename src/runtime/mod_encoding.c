/* mod_encoding.c: between strings and bytes, as the Encoding standard says.
 *
 * Valid UTF-8 goes to V8 in one piece. Only where it is broken does our own decoder step in: the standard says exactly
 * how many U+FFFD a malformed sequence becomes ("maximal subparts"), and `fatal` must know of the first.
 */

#include <stdlib.h>
#include <string.h>

#include "runtime/builtins.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* The length of the well-formed character at BYTES, or 0; then *BAD_OUT is how many bytes make one replacement.
 * Source: Unicode 15, table 3-7, and section 3.9 on maximal subparts. */
static size_t character_length(const uint8_t *bytes, size_t nbytes, size_t *bad_out) {
    uint8_t lead = bytes[0], low = 0x80, high = 0xBF;
    size_t length;
    *bad_out = 1;
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        length = 4;
    else
        return 0;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < length; i++) {
        if (i >= nbytes || bytes[i] < low || bytes[i] > high) {
            *bad_out = i;
            return 0;
        }
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

/* How many bytes from the start are well-formed. ASCII goes eight at a time. */
static size_t valid_prefix(const uint8_t *bytes, size_t nbytes) {
    size_t at = 0, bad;
    while (at < nbytes) {
        uint64_t word;
        while (nbytes - at >= sizeof word && (memcpy(&word, bytes + at, sizeof word), true) &&
               !(word & 0x8080808080808080u))
            at += sizeof word;
        if (at == nbytes) break;
        size_t length = character_length(bytes + at, nbytes - at, &bad);
        if (length == 0) break;
        at += length;
    }
    return at;
}

/* A copy with each malformed part replaced; *NBYTES_OUT is its size. NULL: memory is short. */
static char *replace_malformed(const uint8_t *bytes, size_t nbytes, size_t *nbytes_out) {
    char *copy = malloc(nbytes * 3 + 1); /* a byte becomes at most a U+FFFD */
    size_t done = 0, at = 0, bad;
    while (copy && at < nbytes) {
        size_t valid = valid_prefix(bytes + at, nbytes - at);
        memcpy(copy + done, bytes + at, valid);
        done += valid;
        at += valid;
        if (at == nbytes) break;
        character_length(bytes + at, nbytes - at, &bad);
        memcpy(copy + done, REPLACEMENT, 3);
        done += 3;
        at += bad;
    }
    *nbytes_out = done;
    return copy;
}

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
    v8s_value first = v8s_argument(arguments, 1), last = v8s_argument(arguments, 2);
    double start = v8s_is_number(first) ? v8s_number_of(first) : 0;
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
    size_t valid = valid_prefix(bytes, nbytes);
    if (valid == nbytes) return or_too_long(isolate, v8s_string_utf8(isolate, (const char *)bytes, nbytes));
    if (v8s_truthy(isolate, v8s_argument(arguments, 3)))
        return v8s_throw_type_error(isolate, "The encoded data was not valid for encoding utf-8 (at byte %zu)", valid);
    char *replaced = replace_malformed(bytes, nbytes, &nbytes);
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
