/* maps.c: owns the list of mapped ELF objects and its publication to the signal handlers.
 *
 * dl_iterate_phdr lists them; it holds the loader's lock, so no object can go away while module.c reads its headers and
 * opens its file.
 *
 * Nothing that was published is ever freed: a handler may be looking at it. A program that loads and unloads the same
 * library again and again still doesn't grow, as objects and sets that come back are found again. */
#include "sampler/maps.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "sampler/module.h"

struct module_entry {
    struct sampler_module module;
    const char *loader_name; /* as the loader calls it */
    size_t map_count;
    struct sampler_map *maps;
    bool seen; /* in the refresh that is under way */
};

/* Refreshes hold it for reading, as a fork must wait for them but they needn't wait for one another here: one may be
 * called with the loader's lock already held. */
static pthread_rwlock_t fork_lock = PTHREAD_RWLOCK_INITIALIZER;

/* All below is guarded by LOCK, which is taken after the loader's and held beyond it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module_entry **entries;
static size_t entry_count, entry_capacity;
static const struct sampler_map_set **sets; /* all that were ever published */
static size_t set_count, set_capacity;
static uint32_t map_count; /* of all entries: the next index */
static bool counters_known;
static unsigned long long last_adds, last_subs;

struct refresh {
    uintptr_t vdso;
    size_t position; /* how many objects the loader named so far: the first is the program; LOCK is held since then */
    bool vdso_seen, unchanged;
    int result;
};

/* Makes room for one more pointer in a growing array. */
static int reserve(void *array, size_t count, size_t *capacity) {
    if (count < *capacity) return 0;
    size_t larger_capacity = *capacity == 0 ? 64 : 2 * *capacity;
    void **pointer = array;
    void *larger = realloc(*pointer, larger_capacity * sizeof(void *));
    if (larger == NULL) return -ENOMEM;
    *pointer = larger;
    *capacity = larger_capacity;
    return 0;
}

/* ---- Modules ---- */

static bool is_code(const Elf64_Phdr *segment) {
    return segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && segment->p_memsz > 0;
}

struct range {
    uintptr_t start, limit;
};

static struct range mapped_range(const struct sampler_loaded *loaded, const Elf64_Phdr *segment) {
    uintptr_t start = loaded->load_bias + segment->p_vaddr;
    return (struct range){sampler_page_floor(start), sampler_page_ceiling(start + segment->p_memsz)};
}

static struct sampler_map describe_map(const struct sampler_loaded *loaded, const Elf64_Phdr *segment,
                                       struct sampler_module *module, uint32_t index) {
    struct range range = mapped_range(loaded, segment);
    struct sampler_object object = {
        .start = range.start,
        .limit = range.limit,
        .file_offset = sampler_page_floor(segment->p_offset),
        .load_bias = loaded->load_bias,
        .path = module->path,
        .build_id = module->build_id,
        .index = index,
    };
    return (struct sampler_map){object, module};
}

/* Was ENTRY made from the very same object? */
static bool matches(const struct module_entry *entry, const struct sampler_loaded *loaded) {
    size_t index = 0;
    if (entry->module.load_bias != loaded->load_bias || strcmp(entry->loader_name, loaded->loader_name) != 0 ||
        strcmp(entry->module.build_id, loaded->build_id) != 0)
        return false;
    for (size_t i = 0; i < loaded->segment_count; i++) {
        if (!is_code(&loaded->segments[i])) continue;
        if (index == entry->map_count) return false;
        struct range range = mapped_range(loaded, &loaded->segments[i]);
        if (range.start != entry->maps[index].object.start || range.limit != entry->maps[index].object.limit)
            return false;
        index++;
    }
    return index == entry->map_count;
}

static int fill_entry(struct module_entry *entry, const struct sampler_loaded *loaded) {
    struct sampler_module *module = &entry->module;
    size_t count = 0;
    for (size_t i = 0; i < loaded->segment_count; i++)
        count += is_code(&loaded->segments[i]);
    entry->loader_name = strdup(loaded->loader_name);
    entry->maps = calloc(count + 1, sizeof *entry->maps);
    if (entry->loader_name == NULL || entry->maps == NULL) return -ENOMEM;
    int result = sampler_module_open(module, loaded);
    if (result != 0) return result;
    for (size_t i = 0; i < loaded->segment_count; i++) {
        if (!is_code(&loaded->segments[i])) continue;
        uint32_t index = map_count + (uint32_t)entry->map_count;
        entry->maps[entry->map_count++] = describe_map(loaded, &loaded->segments[i], module, index);
    }
    return 0;
}

static void free_entry(struct module_entry *entry) {
    sampler_module_close(&entry->module);
    free(entry->maps);
    free((void *)(uintptr_t)entry->loader_name);
    free(entry);
}

/* Notes that LOADED is there now. */
static int see(struct sampler_loaded *loaded) {
    sampler_loaded_read_build_id(loaded);
    for (size_t i = 0; i < entry_count; i++) {
        if (!matches(entries[i], loaded)) continue;
        entries[i]->seen = true;
        return 0;
    }
    int result = reserve(&entries, entry_count, &entry_capacity);
    if (result != 0) return result;
    struct module_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return -ENOMEM;
    result = fill_entry(entry, loaded);
    if (result != 0) {
        free_entry(entry);
        return result;
    }
    entry->seen = true;
    map_count += (uint32_t)entry->map_count;
    entries[entry_count++] = entry;
    return 0;
}

static int see_vdso(uintptr_t address) {
    struct sampler_elf elf;
    /* The header says where the rest is, and the kernel can be trusted to have mapped it. */
    if (sampler_elf_view(&elf, (const void *)address, sampler_page_nbytes()) != 0 || elf.segments == NULL) return 0;
    struct sampler_loaded loaded = {
        .loader_name = "[vdso]",
        .load_bias = address,
        .segments = (const Elf64_Phdr *)(const void *)elf.segments,
        .segment_count = elf.segment_count,
        .is_vdso = true,
    };
    for (size_t i = 0; i < elf.segment_count; i++) {
        if (loaded.segments[i].p_type == PT_LOAD) loaded.load_bias = address - loaded.segments[i].p_vaddr;
    }
    return see(&loaded);
}

static void begin_refresh(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < entry_count; i++)
        entries[i]->seen = false;
}

static int on_object(struct dl_phdr_info *info, size_t info_nbytes, void *context) {
    struct refresh *refresh = context;
    bool is_first = refresh->position++ == 0;
    if (is_first) begin_refresh();
    bool has_counters = info_nbytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
    if (is_first && has_counters) {
        refresh->unchanged = counters_known && info->dlpi_adds == last_adds && info->dlpi_subs == last_subs;
        if (refresh->unchanged) return 1;
        counters_known = true;
        last_adds = info->dlpi_adds;
        last_subs = info->dlpi_subs;
    }
    struct sampler_loaded loaded = {
        .loader_name = info->dlpi_name != NULL ? info->dlpi_name : "",
        .load_bias = info->dlpi_addr,
        .segments = info->dlpi_phdr,
        .segment_count = info->dlpi_phnum,
        .is_main = is_first,
    };
    uintptr_t headers = (uintptr_t)loaded.segments;
    if (refresh->vdso != 0 && headers >= refresh->vdso && headers - refresh->vdso < sampler_page_nbytes()) return 0;
    int result = see(&loaded);
    if (result != 0) refresh->result = result;
    return 0;
}

/* ---- Sets ---- */

static int compare_maps(const void *left, const void *right) {
    const struct sampler_map *a = *(const struct sampler_map *const *)left,
                             *b = *(const struct sampler_map *const *)right;
    return (a->object.start > b->object.start) - (a->object.start < b->object.start);
}

static struct sampler_map_set *collect(void) {
    size_t count = 0;
    for (size_t i = 0; i < entry_count; i++)
        count += entries[i]->seen ? entries[i]->map_count : 0;
    struct sampler_map_set *set = malloc(sizeof *set + count * sizeof set->maps[0]);
    if (set == NULL) return NULL;
    set->count = 0;
    for (size_t i = 0; i < entry_count; i++) {
        if (!entries[i]->seen) continue;
        for (size_t k = 0; k < entries[i]->map_count; k++)
            set->maps[set->count++] = &entries[i]->maps[k];
    }
    qsort(set->maps, set->count, sizeof set->maps[0], compare_maps);
    return set;
}

/* Replaces SET by an equal one that was published before, or remembers it. */
static const struct sampler_map_set *intern(struct sampler_map_set *set) {
    for (size_t i = 0; i < set_count; i++) {
        if (sets[i]->count != set->count || memcmp(sets[i]->maps, set->maps, set->count * sizeof set->maps[0]) != 0)
            continue;
        free(set);
        return sets[i];
    }
    if (reserve(&sets, set_count, &set_capacity) != 0) {
        free(set);
        return NULL;
    }
    return sets[set_count++] = set;
}

static bool has_lost(const struct sampler_map_set *before, const struct sampler_map_set *now) {
    for (size_t i = 0; i < before->count; i++) {
        const struct sampler_map *const *found =
            bsearch(&before->maps[i], now->maps, now->count, sizeof now->maps[0], compare_maps);
        if (found == NULL || *found != before->maps[i]) return true;
    }
    return false;
}

static int publish(void) {
    struct sampler_map_set *collected = collect();
    if (collected == NULL) return -ENOMEM;
    const struct sampler_map_set *now = intern(collected);
    if (now == NULL) return -ENOMEM;
    const struct sampler_map_set *before = atomic_load_explicit(&sampler_maps_current, memory_order_relaxed);
    if (before == NULL) sampler_unwind_cache_clear();
    atomic_store_explicit(&sampler_maps_current, now, memory_order_release);
    if (before == NULL || !has_lost(before, now)) return 0;
    atomic_fetch_add_explicit(&sampler_maps_generation, 1, memory_order_release);
    return 0;
}

/* What is left to do once the loader named its objects. */
static int end_refresh(const struct refresh *refresh) {
    int result = refresh->result;
    if (refresh->unchanged) return 0;
    if (refresh->vdso != 0 && result == 0) result = see_vdso(refresh->vdso);
    int published = publish();
    if (result == 0) result = published;
    if (result != 0) counters_known = false; /* try again next time */
    return result;
}

int sampler_maps_refresh(void) {
    struct refresh refresh = {.vdso = (uintptr_t)getauxval(AT_SYSINFO_EHDR)};
    pthread_rwlock_rdlock(&fork_lock);
    dl_iterate_phdr(on_object, &refresh);
    if (refresh.position == 0) begin_refresh(); /* a program without headers */
    int result = end_refresh(&refresh);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_unlock(&fork_lock);
    return result;
}

void sampler_maps_before_fork(void) {
    pthread_rwlock_wrlock(&fork_lock);
}

void sampler_maps_after_fork_in_parent(void) {
    pthread_rwlock_unlock(&fork_lock);
}

void sampler_maps_after_fork_in_child(void) {
    pthread_rwlock_init(&fork_lock, NULL);
}
