/* unwind_walk.h: walks a stack as the sampler's handler does, for the tests of the unwinder. */
#ifndef FINO_TESTS_UNWIND_WALK_H
#define FINO_TESTS_UNWIND_WALK_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/unwind.h"

#define WALK_FRAMES_MAX 4096

struct walk {
    size_t count;
    enum sampler_unwind end;
    uintptr_t pcs[WALK_FRAMES_MAX];
    uintptr_t sps[WALK_FRAMES_MAX];
    bool exact[WALK_FRAMES_MAX]; /* the pc is where execution is, not a return address */
};

/* Call outside of the handler, on the thread that is going to be walked. */
static inline struct sampler_stack_bounds walk_bounds(void) {
    pthread_attr_t attributes;
    void *low;
    size_t nbytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) abort();
    if (pthread_attr_getstack(&attributes, &low, &nbytes) != 0) abort();
    pthread_attr_destroy(&attributes);
    return (struct sampler_stack_bounds){(uintptr_t)low, (uintptr_t)low + nbytes};
}

static inline void walk_registers(struct walk *walk, struct sampler_regs regs,
                                  const struct sampler_stack_bounds *bounds) {
    bool is_leaf = true;
    walk->count = 0;
    do {
        walk->pcs[walk->count] = regs.pc;
        walk->sps[walk->count] = regs.sp;
        bool was_leaf = is_leaf;
        walk->end = sampler_unwind_step_sig(&regs, bounds, is_leaf, &is_leaf);
        walk->exact[walk->count++] = was_leaf || is_leaf; /* or a signal's way back, which nobody called */
    } while (walk->end == SAMPLER_UNWIND_OK && walk->count < WALK_FRAMES_MAX);
}

static inline void walk_ucontext(struct walk *walk, const void *ucontext, const struct sampler_stack_bounds *bounds) {
    struct sampler_regs regs;
    sampler_regs_from_ucontext_sig(ucontext, &regs);
    walk_registers(walk, regs, bounds);
}

/* The name of frame INDEX; "?" in no object. Not in a handler. */
static inline const char *walk_name(const struct walk *walk, size_t index) {
    struct sampler_symbol symbol;
    uintptr_t address = walk->pcs[index] - !walk->exact[index];
    const struct sampler_object *object = sampler_maps_find_sig(address);
    if (object == NULL) return "?";
    sampler_symbol_find(object, address, &symbol);
    return symbol.name;
}

static inline void walk_print(const struct walk *walk) {
    for (size_t i = 0; i < walk->count; i++)
        fprintf(stderr, "  #%zu %#zx sp %#zx %s\n", i, walk->pcs[i], walk->sps[i], walk_name(walk, i));
    fprintf(stderr, "  end: %d\n", walk->end);
}

/* The first frame from FROM on with that name; WALK_FRAMES_MAX when there is none. */
static inline size_t walk_find(const struct walk *walk, const char *name, size_t from) {
    for (size_t i = from; i < walk->count; i++) {
        if (strcmp(walk_name(walk, i), name) == 0) return i;
    }
    return WALK_FRAMES_MAX;
}

#endif
