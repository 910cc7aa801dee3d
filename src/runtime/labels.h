/* labels.h: sets of labels that JavaScript puts on samples (fino:profiler's withLabels), by number.
 *
 * What runs is labelled by a small integer in V8's continuation data, which follows await; this table says what the
 * integers mean. It only grows, and no further than RT_LABEL_SETS_MAX: recordings may ask of any set, at any time.
 *
 * Threads: any.
 */
#ifndef FINO_RT_LABELS_H
#define FINO_RT_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "sampler/managed.h"

#define RT_LABEL_SETS_MAX 65536

/* Adds a set, whose strings it takes (malloc'ed). COUNT is at most SAMPLER_LABELS_MAX. Returns: its number, from 1 on;
 * 0 when there are too many: then the strings are freed. */
uint32_t rt_labels_add(const struct sampler_label *labels, size_t count);

/* Copies the set to OUT. Returns how many labels it has; 0 if there is no such set. */
size_t rt_labels_get(uint32_t set, struct sampler_label out[SAMPLER_LABELS_MAX]);

#endif
