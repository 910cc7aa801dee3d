/* fold.c: raw samples become stacks in the accumulator; addresses get their names.
 *
 * Folding is what the handler put off. It is done in bulk: on the thread itself where frames are managed, by the helper
 * thread otherwise. Native locations are added by address alone and named later, each once.
 */
#include "sampler/fold.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "sampler/clock.h"
#include "sampler/frame_state.h"
#include "sampler/threads.h"
#include "sampler/unwind.h"

/* Inlining makes more locations than frames; beyond this many a stack is cut like one that is too deep. */
#define SINK_LIMIT 8192

/* Addresses are folded again and again; the cache spares the search for the object and the interning. 2^13 entries of
 * 24 bytes hold the working set of real programs (a few thousand addresses) in an L2 cache. */
#define CACHE_BITS 13

struct sampler_sink {
    uint32_t *locations;
    size_t count;
    size_t capacity;
};

struct pending_name {
    uint32_t location;
    uintptr_t address;
    const struct sampler_object *object;
};

struct cached_location {
    const struct sampler_map_set *maps;
    uintptr_t address;
    uint32_t location;
};

static pthread_mutex_t fold_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Serialises the search for names. */
static pthread_mutex_t naming_mutex = PTHREAD_MUTEX_INITIALIZER;

/* All of it under FOLD_MUTEX. */
static struct {
    fino_pprof *profile;
    struct sampler_sink sink;
    struct cached_location cache[1 << CACHE_BITS];
    uint32_t *mappings; /* by the object's index; FINO_PPROF_NONE: not added yet */
    size_t mapping_count;
    struct sampler_last_stack *last; /* by the thread's index */
    size_t last_count;
    struct sampler_guest *guests;
    struct pending_name *pending;
    size_t pending_count;
    size_t pending_capacity;
    const struct fino_sampler_frame_state *states;
    size_t state_count;
    struct sampler_fold_totals totals;
    int error; /* latched: memory was short */
} fold;

void sampler_fold_lock(void) {
    pthread_mutex_lock(&fold_mutex);
}

bool sampler_fold_trylock(void) {
    return pthread_mutex_trylock(&fold_mutex) == 0;
}

void sampler_fold_unlock(void) {
    pthread_mutex_unlock(&fold_mutex);
}

void sampler_fold_lock_names(void) {
    pthread_mutex_lock(&naming_mutex);
}

void sampler_fold_unlock_names(void) {
    pthread_mutex_unlock(&naming_mutex);
}

void sampler_fold_after_fork(void) {
    pthread_mutex_init(&fold_mutex, NULL);
    pthread_mutex_init(&naming_mutex, NULL);
}

static uint64_t unpredictable_seed(void) {
    uint64_t seed = sampler_clock_sig(CLOCK_MONOTONIC) ^ (uintptr_t)&seed;
    syscall(SYS_getrandom, &seed, sizeof seed, 1 /* GRND_NONBLOCK: an early boot's clock will do */);
    return seed;
}

int sampler_fold_open(void) {
    static const struct fino_pprof_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
    struct fino_pprof_config config = {.sample_types = types, .sample_type_count = 2};
    sampler_fold_lock();
    if (!fold.profile) {
        config.hash_seed = unpredictable_seed();
        fold.profile = fino_pprof_new(&config);
    }
    int result = fold.profile ? 0 : -ENOMEM;
    sampler_fold_unlock();
    return result;
}

/* ---- Locations ---- */

/* Makes room for one more of SIZE bytes in *ARRAY. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : 256;
    void *grown = realloc(*array, wanted * size);
    if (!grown) {
        fold.error = -ENOMEM;
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

static uint32_t intern(const char *text) {
    return fino_pprof_string(fold.profile, text, strlen(text));
}

static uint32_t marker_function(const char *name) {
    struct fino_pprof_function function = {.name = intern(name), .system_name = intern(name)};
    return fino_pprof_add_function(fold.profile, &function);
}

/* A frame that stands for something that has no code, such as "[truncated]". */
static uint32_t marker_location(const char *name) {
    struct fino_pprof_line line = {.function = marker_function(name)};
    return fino_pprof_add_location(fold.profile, FINO_PPROF_NONE, 0, &line, 1);
}

static struct fino_pprof_mapping describe_mapping(const struct sampler_object *object) {
    return (struct fino_pprof_mapping){
        .memory_start = object->start,
        .memory_limit = object->limit,
        .file_offset = object->file_offset,
        .filename = intern(object->path),
        .build_id = intern(object->build_id),
        .has_functions = true,
    };
}

/* The object has debug information: pprof needn't look for it. (What was inlined in native code is not told, so that
 * has_inline_frames is never set.) */
static void note_lines(const struct sampler_object *object) {
    struct fino_pprof_mapping mapping = describe_mapping(object);
    mapping.has_filenames = mapping.has_line_numbers = true;
    fino_pprof_add_mapping(fold.profile, &mapping);
}

static uint32_t mapping_of(const struct sampler_object *object) {
    while (fold.mapping_count <= object->index) {
        size_t count = fold.mapping_count ? fold.mapping_count * 2 : 64;
        uint32_t *grown = realloc(fold.mappings, count * sizeof *grown);
        if (!grown) {
            fold.error = -ENOMEM;
            return FINO_PPROF_NONE;
        }
        for (size_t i = fold.mapping_count; i < count; i++)
            grown[i] = FINO_PPROF_NONE;
        fold.mappings = grown;
        fold.mapping_count = count;
    }
    uint32_t *mapping = &fold.mappings[object->index];
    if (*mapping == FINO_PPROF_NONE) {
        struct fino_pprof_mapping added = describe_mapping(object);
        *mapping = fino_pprof_add_mapping(fold.profile, &added);
    }
    return *mapping;
}

/* pprof takes the first mapping for the program's. */
void sampler_fold_add_program(void) {
    const struct sampler_object *program = sampler_maps_find_sig((uintptr_t)getauxval(AT_ENTRY));
    if (program) mapping_of(program);
}

static uint32_t add_native(const struct sampler_map_set *maps, uintptr_t address) {
    const struct sampler_object *object = sampler_maps_find_in_sig(maps, address);
    if (!object) return marker_location("[unknown code]");
    size_t known = fino_pprof_location_count(fold.profile);
    uint32_t location = fino_pprof_add_location(fold.profile, mapping_of(object), address, NULL, 0);
    if (location != FINO_PPROF_NONE && location >= known &&
        reserve((void **)&fold.pending, &fold.pending_capacity, fold.pending_count, sizeof *fold.pending))
        fold.pending[fold.pending_count++] = (struct pending_name){location, address, object};
    return location;
}

/* The location of ADDRESS in what was mapped when the sample was taken. */
static uint32_t native_location(const struct sampler_map_set *maps, uintptr_t address) {
    size_t slot = (size_t)(((uint64_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CACHE_BITS));
    struct cached_location *cached = &fold.cache[slot];
    if (cached->address != address || cached->maps != maps || address == 0)
        *cached = (struct cached_location){maps, address, add_native(maps, address)};
    return cached->location;
}

fino_pprof *sampler_sink_profile(struct sampler_sink *sink) {
    (void)sink;
    return fold.profile;
}

void sampler_sink_location(struct sampler_sink *sink, uint32_t location) {
    if (location == FINO_PPROF_NONE || sink->count >= SINK_LIMIT) return;
    if (reserve((void **)&sink->locations, &sink->capacity, sink->count, sizeof *sink->locations))
        sink->locations[sink->count++] = location;
}

void sampler_sink_unresolved(struct sampler_sink *sink) {
    (void)sink;
    fold.totals.unresolved_frames++;
}

/* ---- Labels ---- */

/* That of the thread, and what its runtime says of the sample. */
static uint32_t label_set_of_sample(struct sampler_managed *managed, uintptr_t state, uint32_t of_thread) {
    struct sampler_label extra[SAMPLER_LABELS_MAX];
    struct fino_pprof_label labels[SAMPLER_LABELS_MAX + 2];
    size_t own_count, extra_count = state && managed && managed->labels ? managed->labels(managed, state, extra) : 0;
    if (extra_count == 0) return of_thread;
    const struct fino_pprof_label *own = fino_pprof_get_labels(fold.profile, of_thread, &own_count);
    memcpy(labels, own, own_count * sizeof *own);
    for (size_t i = 0; i < extra_count; i++)
        labels[own_count + i] =
            (struct fino_pprof_label){.key = intern(extra[i].key), .string = intern(extra[i].value)};
    return fino_pprof_label_set(fold.profile, labels, own_count + extra_count);
}

/* TAG_VALUE may be NULL. */
static uint32_t label_set_of(const char *label, const char *tag_key, const char *tag_value) {
    struct fino_pprof_label both[2] = {{.key = intern("thread"), .string = intern(label)}};
    if (tag_value) both[1] = (struct fino_pprof_label){.key = intern(tag_key), .string = intern(tag_value)};
    return fino_pprof_label_set(fold.profile, both, tag_value ? 2 : 1);
}

static uint32_t label_set_of_guest(struct sampler_guest *guest) {
    if (guest->label_set == FINO_PPROF_NONE)
        guest->label_set = label_set_of(guest->label, guest->tag_key, guest->tag_value);
    return guest->label_set;
}

static uint32_t own_label_set(struct sampler_thread *thread) {
    if (thread->label_set == FINO_PPROF_NONE) {
        bool own = thread->managed_label[0] == '\0';
        thread->label_set = label_set_of(own ? sampler_thread_label(thread) : thread->managed_label, thread->tag_key,
                                         thread->tag_value);
    }
    return thread->label_set;
}

/* Of its guest, while it has one. */
static uint32_t label_set_of_thread(struct sampler_thread *thread) {
    struct sampler_guest *guest = atomic_load_explicit(&thread->guest, memory_order_acquire);
    return guest ? label_set_of_guest(guest) : own_label_set(thread);
}

void sampler_fold_set_label(struct sampler_thread *thread, const char *label) {
    size_t length = label ? strnlen(label, sizeof thread->managed_label - 1) : 0;
    if (length > 0) memcpy(thread->managed_label, label, length);
    thread->managed_label[length] = '\0';
    thread->label_set = FINO_PPROF_NONE;
}

void sampler_fold_set_tag(struct sampler_thread *thread, const char *key, const char *value) {
    thread->tag_key = key;
    thread->tag_value = value;
    thread->label_set = FINO_PPROF_NONE;
}

/* ---- Samples ---- */

/* Of the thread itself, whatever guest it has. NULL: memory is short, which is latched. */
static struct sampler_last_stack *own_last_stack(const struct sampler_thread *thread) {
    while (fold.last_count <= thread->index) {
        size_t before = fold.last_count;
        if (!reserve((void **)&fold.last, &fold.last_count, before, sizeof *fold.last)) return NULL;
        memset(&fold.last[before], 0, (fold.last_count - before) * sizeof *fold.last);
    }
    return &fold.last[thread->index];
}

static struct sampler_last_stack *last_stack_of(const struct sampler_thread *thread) {
    struct sampler_guest *guest = atomic_load_explicit(&thread->guest, memory_order_acquire);
    return guest ? &guest->last : own_last_stack(thread);
}

/* Keeps the stack in SINK as the thread's last one, by exchanging buffers. */
static void remember_stack(struct sampler_last_stack *last, struct sampler_sink *sink, uint32_t label_set) {
    struct sampler_sink spare = {last->locations, 0, last->capacity};
    last->locations = sink->locations;
    last->capacity = sink->capacity;
    last->count = sink->count;
    last->label_set = label_set;
    *sink = spare;
}

static void add_time(const uint32_t *stack, size_t count, uint32_t label_set, uint64_t cpu_ns) {
    int64_t values[2] = {0, (int64_t)cpu_ns};
    fino_pprof_add_sample(fold.profile, stack, count, label_set, values);
    fold.totals.cpu_ns += cpu_ns;
}

/* The time between two samples belongs half to the one, half to the other: as a whole to the later one, it would shift
 * everything in time, and what a short-lived thread does first would come out too small. Returns: what is left. */
static uint64_t share_with_last(const struct sampler_last_stack *last, const struct sampler_sink *sink,
                                uint32_t label_set, uint64_t weight_ns) {
    bool same = last->count == sink->count && last->label_set == label_set &&
                memcmp(last->locations, sink->locations, sink->count * sizeof *sink->locations) == 0;
    if (last->count == 0 || same) return weight_ns;
    add_time(last->locations, last->count, last->label_set, weight_ns / 2);
    return weight_ns - weight_ns / 2;
}

static void add_stack(struct sampler_thread *thread, struct sampler_sink *sink, uint32_t label_set,
                      uint64_t weight_ns) {
    struct sampler_last_stack *last = last_stack_of(thread);
    if (!last || sink->count == 0) return; /* memory is short, which is latched */
    uint64_t own_ns = share_with_last(last, sink, label_set, weight_ns);
    int64_t values[2] = {1, (int64_t)own_ns};
    fino_pprof_add_sample(fold.profile, sink->locations, sink->count, label_set, values);
    fold.totals.samples++;
    fold.totals.cpu_ns += own_ns;
    remember_stack(last, sink, label_set);
}

/* Returns: the word after the frame's. */
static const uint64_t *read_frame(const uint64_t *words, struct sampler_raw_frame *frame) {
    sampler_frame_unpack(*words++, frame);
    for (uint8_t i = 0; i < 2; i++)
        frame->extra[i] = i < frame->extra_count ? *words++ : 0;
    return words;
}

/* Returns: the number of the record's words. */
static uint32_t fold_record(struct sampler_thread *thread, const uint64_t *record) {
    struct sampler_managed *managed = atomic_load_explicit(&thread->managed, memory_order_acquire);
    struct sampler_record_header header = sampler_record_unpack(record[0]);
    uint64_t weight_ns = record[1];
    uintptr_t state = (uintptr_t)record[2];
    const struct sampler_map_set *maps = (const struct sampler_map_set *)(uintptr_t)record[3];
    const uint64_t *next = record + SAMPLER_RECORD_FIXED_WORDS;
    struct sampler_sink *sink = &fold.sink;
    sink->count = 0;
    for (unsigned i = 0; i < header.frame_count; i++) {
        struct sampler_raw_frame frame;
        next = read_frame(next, &frame);
        if (frame.kind == SAMPLER_FRAME_NATIVE) {
            sampler_sink_location(sink, native_location(maps, frame.is_leaf ? frame.pc : frame.pc - 1));
        } else if (managed) {
            managed->resolve(managed, &frame, state, sink);
        } else { /* its thread ended without saying good-bye */
            sampler_sink_location(sink, marker_location("[unknown managed code]"));
            sampler_sink_unresolved(sink);
        }
    }
    if (header.end != SAMPLER_END_COMPLETE) sampler_sink_location(sink, marker_location("[truncated]"));
    add_stack(thread, sink, label_set_of_sample(managed, state, label_set_of_thread(thread)), weight_ns);
    if (header.end < SAMPLER_END_COUNT) fold.totals.ends[header.end]++;
    return header.word_count;
}

void sampler_fold_drain(struct sampler_thread *thread) {
    struct sampler_ring *ring = &thread->ring;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    atomic_store_explicit(&thread->wants_drain, false, memory_order_relaxed);
    if (tail == head) return;
    uint64_t began_ns = sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID);
    while (tail != head) {
        tail += fold_record(thread, sampler_ring_record(ring, tail));
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
    }
    fold.totals.fold_ns += sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

void sampler_fold_drain_own(struct sampler_thread *thread) {
    uint64_t before_ns = fold.totals.fold_ns;
    sampler_fold_drain(thread);
    uint64_t spent_ns = fold.totals.fold_ns - before_ns;
    uint32_t folding = marker_location("[sampler] fold");
    atomic_fetch_add(&thread->accounted_cpu_ns, spent_ns);
    add_time(&folding, 1, label_set_of_thread(thread), spent_ns);
}

/* CPU time without a sample, of who was seen last in LAST (NULL: nowhere) and has LABEL_SET. */
static void account(const struct sampler_last_stack *last, uint32_t label_set, uint64_t cpu_ns) {
    if (cpu_ns == 0) return;
    if (last && last->count > 0) {
        add_time(last->locations, last->count, last->label_set, cpu_ns);
        return;
    }
    uint32_t nowhere = marker_location("[not sampled]");
    add_time(&nowhere, 1, label_set, cpu_ns);
    fold.totals.unsampled_ns += cpu_ns;
}

static void account_own_owed(struct sampler_thread *thread) {
    uint64_t owed_ns = atomic_exchange(&thread->owed_ns, 0);
    if (owed_ns != 0) account(own_last_stack(thread), own_label_set(thread), owed_ns);
}

void sampler_fold_account(struct sampler_thread *thread, uint64_t cpu_ns) {
    account_own_owed(thread);
    uint64_t before = atomic_load(&thread->accounted_cpu_ns);
    do {
        if (before >= cpu_ns) return;
    } while (!atomic_compare_exchange_weak(&thread->accounted_cpu_ns, &before, cpu_ns));
    account(last_stack_of(thread), label_set_of_thread(thread), cpu_ns - before);
}

static void account_owed(struct sampler_guest *guest) {
    account(&guest->last, label_set_of_guest(guest), atomic_exchange(&guest->owed_ns, 0));
}

void sampler_fold_account_guests(void) {
    for (struct sampler_guest *guest = fold.guests; guest; guest = guest->next)
        account_owed(guest);
}

void sampler_fold_forget_last(struct sampler_thread *thread) {
    struct sampler_last_stack *last = own_last_stack(thread);
    if (last) last->count = 0;
}

void sampler_fold_discard(struct sampler_thread *thread, uint64_t cpu_ns) {
    uint64_t head = atomic_load_explicit(&thread->ring.head, memory_order_acquire);
    atomic_store_explicit(&thread->ring.tail, head, memory_order_release);
    atomic_store(&thread->accounted_cpu_ns, cpu_ns);
    atomic_store(&thread->owed_ns, 0);
    atomic_store_explicit(&thread->wants_drain, false, memory_order_relaxed);
    sampler_fold_forget_last(thread);
}

/* ---- Guests ---- */

void sampler_fold_add_guest(struct sampler_guest *guest, const char *label, const char *tag_key,
                            const char *tag_value) {
    snprintf(guest->label, sizeof guest->label, "%s", label);
    guest->tag_key = tag_key;
    guest->tag_value = tag_value;
    guest->label_set = FINO_PPROF_NONE;
    guest->next = fold.guests;
    guest->link = &fold.guests;
    if (guest->next) guest->next->link = &guest->next;
    fold.guests = guest;
}

void sampler_fold_remove_guest(struct sampler_guest *guest) {
    if (fold.profile) account_owed(guest);
    *guest->link = guest->next;
    if (guest->next) guest->next->link = guest->link;
    free(guest->last.locations);
}

void sampler_fold_forget_guests_last(void) {
    for (struct sampler_guest *guest = fold.guests; guest; guest = guest->next)
        guest->last.count = 0;
}

void sampler_fold_discard_guests(void) {
    for (struct sampler_guest *guest = fold.guests; guest; guest = guest->next)
        atomic_store(&guest->owed_ns, 0);
}

void sampler_fold_account_unseen(uint64_t cpu_ns) {
    uint32_t nowhere = marker_location("[not sampled]");
    add_time(&nowhere, 1, label_set_of("(ended threads)", NULL, NULL), cpu_ns);
    fold.totals.unsampled_ns += cpu_ns;
}

struct sampler_fold_totals sampler_fold_totals(void) {
    return fold.totals;
}

fino_pprof_snapshot *sampler_fold_snapshot(void) {
    return fino_pprof_take_snapshot(fold.profile);
}

/* ---- Names ---- */

static void name_location(const struct pending_name *pending, const struct sampler_symbol *symbol) {
    struct fino_pprof_function function = {
        .name = intern(symbol->name),
        .system_name = intern(symbol->system_name),
        .filename = intern(symbol->filename),
        .start_line = symbol->start_line,
    };
    struct fino_pprof_line lines[2] = {
        {.function = fino_pprof_add_function(fold.profile, &function), .line = symbol->line}};
    if (symbol->line > 0) note_lines(pending->object);
    const char *state = sampler_frame_state_of(fold.states, fold.state_count, symbol->name);
    if (state) lines[1].function = marker_function(state);
    fino_pprof_set_lines(fold.profile, pending->location, lines, state ? 2 : 1);
}

/* Looking up a symbol may read a whole symbol table, so it happens without the fold lock; only the results need it. The
 * helper thread does it while the program records, a stop does what is left. */
bool sampler_fold_name_pending(uint64_t deadline_ns) {
    sampler_fold_lock_names();
    sampler_fold_lock();
    while (fold.pending_count > 0 && sampler_clock_sig(CLOCK_MONOTONIC) < deadline_ns) {
        const struct pending_name pending = fold.pending[--fold.pending_count];
        struct sampler_symbol symbol;
        sampler_fold_unlock();
        sampler_symbol_find(pending.object, pending.address, &symbol);
        sampler_fold_lock();
        name_location(&pending, &symbol);
    }
    bool done = fold.pending_count == 0;
    sampler_fold_unlock();
    sampler_fold_unlock_names();
    return done;
}

void fino_sampler_set_frame_states(const struct fino_sampler_frame_state *states, size_t count) {
    sampler_fold_lock();
    fold.states = states;
    fold.state_count = count;
    sampler_fold_unlock();
}

int sampler_fold_encode(const fino_pprof_snapshot *since, const struct fino_pprof_header *header, int gzip_level,
                        uint8_t **data_out, size_t *nbytes_out) {
    uint8_t *encoded;
    size_t nbytes;
    sampler_fold_lock();
    int result =
        fold.error ? fold.error : fino_pprof_encode(fold.profile, since, header, gzip_level, &encoded, &nbytes);
    if (result == 0) {
        /* A copy, because the builder's memory goes back to the builder and its size would have to be kept. */
        *data_out = malloc(nbytes ? nbytes : 1);
        *nbytes_out = nbytes;
        if (*data_out) memcpy(*data_out, encoded, nbytes);
        result = *data_out ? 0 : -ENOMEM;
        fino_pprof_bytes_free(fold.profile, encoded, nbytes);
    }
    sampler_fold_unlock();
    return result;
}
