/* labels.c: see labels.h. */

#include "runtime/labels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct label_set {
    size_t count;
    struct sampler_label labels[SAMPLER_LABELS_MAX];
};

static struct {
    pthread_mutex_t lock; /* protects all below */
    struct label_set *sets[RT_LABEL_SETS_MAX];
    uint32_t count;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_labels(const struct sampler_label *labels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free((char *)labels[i].key);
        free((char *)labels[i].value);
    }
}

uint32_t rt_labels_add(const struct sampler_label *labels, size_t count) {
    struct label_set *set = malloc(sizeof *set);
    if (!set) abort();
    set->count = count;
    memcpy(set->labels, labels, count * sizeof *labels);
    pthread_mutex_lock(&table.lock);
    uint32_t number = table.count < RT_LABEL_SETS_MAX ? ++table.count : 0;
    if (number > 0) table.sets[number - 1] = set;
    pthread_mutex_unlock(&table.lock);
    if (number > 0) return number;
    free_labels(labels, count);
    free(set);
    return 0;
}

size_t rt_labels_get(uint32_t number, struct sampler_label out[SAMPLER_LABELS_MAX]) {
    pthread_mutex_lock(&table.lock);
    const struct label_set *set = number >= 1 && number <= table.count ? table.sets[number - 1] : NULL;
    pthread_mutex_unlock(&table.lock);
    if (!set) return 0;
    memcpy(out, set->labels, set->count * sizeof *out);
    return set->count;
}
