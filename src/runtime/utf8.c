/* utf8.c: see utf8.h. */

#include "runtime/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Source: Unicode 15, table 3-7, and section 3.9 on maximal subparts. */
size_t rt_utf8_character(const uint8_t *bytes, size_t nbytes, size_t *bad_out) {
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

/* ASCII goes eight at a time. */
size_t rt_utf8_valid_prefix(const uint8_t *bytes, size_t nbytes) {
    size_t at = 0, bad;
    while (at < nbytes) {
        uint64_t word;
        while (nbytes - at >= sizeof word && (memcpy(&word, bytes + at, sizeof word), true) &&
               !(word & 0x8080808080808080u))
            at += sizeof word;
        if (at == nbytes) break;
        size_t length = rt_utf8_character(bytes + at, nbytes - at, &bad);
        if (length == 0) break;
        at += length;
    }
    return at;
}

char *rt_utf8_replace(const uint8_t *bytes, size_t nbytes, size_t *nbytes_out) {
    char *copy = malloc(nbytes * 3 + 1); /* a byte becomes at most a U+FFFD */
    size_t done = 0, at = 0, bad;
    while (copy && at < nbytes) {
        size_t valid = rt_utf8_valid_prefix(bytes + at, nbytes - at);
        memcpy(copy + done, bytes + at, valid);
        done += valid;
        at += valid;
        if (at == nbytes) break;
        rt_utf8_character(bytes + at, nbytes - at, &bad);
        memcpy(copy + done, REPLACEMENT, 3);
        done += 3;
        at += bad;
    }
    *nbytes_out = done;
    return copy;
}

bool rt_utf8_is_ascii(const void *text, size_t nbytes) {
    const uint8_t *bytes = text;
    uint64_t all = 0, word;
    size_t at = 0;
    for (; nbytes - at >= sizeof word && !(all & 0x8080808080808080u); at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        all |= word;
    }
    for (; at < nbytes && nbytes - at < sizeof word; at++)
        all |= bytes[at];
    return !(all & 0x8080808080808080u);
}

/* ---- Names ---- */

static size_t decode(const uint8_t *bytes, size_t length, uint16_t units[2]) {
    static const uint8_t lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = bytes[0] & lead_mask[length];
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (bytes[i] & 0x3F);
    units[0] = (uint16_t)point;
    if (point < 0x10000) return 1;
    units[0] = (uint16_t)(0xD7C0 + (point >> 10));
    units[1] = (uint16_t)(0xDC00 + (point & 0x3FF));
    return 2;
}

size_t rt_name_to_units(const char *name, size_t nbytes, uint16_t *units) {
    const uint8_t *bytes = (const uint8_t *)name;
    size_t count = 0, bad;
    for (size_t at = 0; at < nbytes;) {
        size_t length = rt_utf8_character(bytes + at, nbytes - at, &bad);
        if (length > 0)
            count += decode(bytes + at, length, units + count);
        else
            units[count++] = (uint16_t)(0xDC00 + bytes[at]);
        at += length > 0 ? length : 1;
    }
    return count;
}

static size_t encode(uint32_t point, char *out) {
    if (point < 0x80) return (void)(out[0] = (char)point), 1;
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; --i > 0; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)(0xF0 << (4 - length) | point);
    return length;
}

ptrdiff_t rt_name_from_units(const uint16_t *units, size_t count, char *name) {
    size_t nbytes = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t point = units[i];
        if (point >= 0xDC80 && point <= 0xDCFF) {
            name[nbytes++] = (char)(point - 0xDC00);
        } else if (point >= 0xD800 && point <= 0xDFFF) {
            if (point >= 0xDC00 || i + 1 == count || units[i + 1] < 0xDC00 || units[i + 1] > 0xDFFF) return -1;
            point = 0x10000 + ((point - 0xD800) << 10) + (units[++i] - 0xDC00u);
            nbytes += encode(point, name + nbytes);
        } else {
            nbytes += encode(point, name + nbytes);
        }
    }
    return (ptrdiff_t)nbytes;
}
