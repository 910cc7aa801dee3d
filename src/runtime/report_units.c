/* report_units.c: numbers as texts: values in a unit that suits them, and shares.
 *
 * Which texts there are is google/pprof's choice (internal/measurement), so that both tools' reports can be compared.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/report.h"

struct unit {
    const char *name;
    const char *aliases[4];
    double factor; /* of the family's smallest */
};

struct family {
    struct unit units[6];
    size_t count;
    size_t fallback; /* for values smaller than 1 of the smallest */
};

static const struct family families[] = {
    {{{"B", {"b", "byte"}, 1},
      {"kB", {"kb", "kbyte", "kilobyte"}, 1 << 10},
      {"MB", {"mb", "mbyte", "megabyte"}, 1 << 20},
      {"GB", {"gb", "gbyte", "gigabyte"}, 1 << 30},
      {"TB", {"tb", "tbyte", "terabyte"}, 1099511627776.0},
      {"PB", {"pb", "pbyte", "petabyte"}, 1125899906842624.0}},
     6,
     0},
    {{{"ns", {"ns", "nanosecond"}, 1},
      {"us", {"us", "\316\274s", "microsecond"}, 1e3},
      {"ms", {"ms", "millisecond"}, 1e6},
      {"s", {"s", "sec", "second"}, 1e9},
      {"hrs", {"hour", "hr"}, 3600e9}},
     5,
     3},
};
#define FAMILY_COUNT (sizeof families / sizeof *families)

static bool is_alias(const struct unit *unit, const char *name, size_t length) {
    for (size_t i = 0; i < sizeof unit->aliases / sizeof *unit->aliases && unit->aliases[i]; i++)
        if (strlen(unit->aliases[i]) == length && strncasecmp(unit->aliases[i], name, length) == 0) return true;
    return false;
}

/* A plural counts as well. */
static const struct unit *find_unit(const struct family *family, const char *name) {
    size_t length = strlen(name);
    if (length > 2 && (name[length - 1] == 's' || name[length - 1] == 'S')) length--;
    for (size_t i = 0; i < family->count; i++)
        if (is_alias(&family->units[i], name, length)) return &family->units[i];
    return NULL;
}

static const struct family *family_of(const char *unit) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (find_unit(&families[i], unit)) return &families[i];
    return NULL;
}

/* The largest unit of which VALUE is at least one. */
static const struct unit *suiting(const struct family *family, double value) {
    const struct unit *best = NULL;
    for (size_t i = 0; i < family->count; i++)
        if (value / family->units[i].factor >= 1) best = &family->units[i];
    return best ? best : &family->units[family->fallback];
}

const char *rt_report_unit_for(int64_t value, const char *unit) {
    const struct family *family = family_of(unit);
    if (!family) return "";
    return suiting(family, fabs((double)value) * find_unit(family, unit)->factor)->name;
}

const char *rt_report_number(int64_t value, const char *unit, const char *to, char out[static RT_REPORT_TEXT_MAX]) {
    const struct family *family = family_of(unit);
    bool is_auto = strcmp(to, "auto") == 0;
    double number = (double)value;
    const char *suffix = is_auto ? "" : to;
    if (family) {
        number *= find_unit(family, unit)->factor;
        const struct unit *target = is_auto ? NULL : find_unit(family, to);
        if (!target) target = suiting(family, fabs(number));
        number /= target->factor;
        suffix = target->name;
    } else if (strcmp(to, "count") == 0 || strcmp(to, "sample") == 0 || strcmp(to, "unit") == 0) {
        suffix = "";
    }
    int length = snprintf(out, RT_REPORT_TEXT_MAX, "%.2f", number);
    if (length > 3 && strcmp(out + length - 3, ".00") == 0) out[length -= 3] = 0;
    if (strcmp(out, "0") == 0 || strcmp(out, "-0") == 0) return strcpy(out, "0");
    snprintf(out + length, (size_t)(RT_REPORT_TEXT_MAX - length), "%s", suffix);
    return out;
}

const char *rt_report_percent(int64_t value, int64_t total, char out[static RT_REPORT_TEXT_MAX]) {
    double ratio = total ? fabs((double)value / (double)total) * 100 : 0;
    if (ratio >= 99.95 && ratio <= 100.05) return strcpy(out, "  100%");
    snprintf(out, RT_REPORT_TEXT_MAX, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
    return out;
}
