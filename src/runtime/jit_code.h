/* jit_code.h: the tables behind jit_map.h, shared by jit_map.c, which fills them, and jit_locate.c, which reads them.
 */
#ifndef FINO_RT_JIT_CODE_H
#define FINO_RT_JIT_CODE_H

#include <pthread.h>

#include "runtime/jit_layout.h"
#include "runtime/jit_map.h"
#include "runtime/jit_ranges.h"
#include "runtime/jit_table.h"

enum jit_code_kind {
    CODE_BYTECODE,
    CODE_OPTIMIZED,
    CODE_BASELINE,
    CODE_INTERPRETER, /* bytecode handlers and entry trampolines: the frame is the interpreted function's */
    CODE_BUILTIN,
    CODE_REGEXP,
    CODE_WASM,
    CODE_OTHER,
};

struct jit_code {
    uintptr_t start; /* where it is now */
    size_t nbytes;
    uint32_t references; /* places in the map, and other code made from it */
    uint32_t id;         /* never used again */
    uint32_t function;   /* index in the map's functions */
    enum jit_code_kind kind;
    struct jit_tables tables;
    struct jit_code *bytecode;  /* baseline: the code of its bytecode array */
    struct jit_code **inlinees; /* optimised: the bytecode of each of tables.inlinings (NULL: unknown) */
};

struct jit_function {
    uint32_t name_offset, name_nbytes; /* in the map's text */
    uint32_t script;                   /* index in the map's scripts */
    int32_t line;                      /* where it starts, from 1; 0 unknown */
    int32_t position;                  /* the first offset its bytecode knows: tells functions of a line apart; -1 */
    bool is_top;                       /* a script's or module's own code */
    uint32_t pprof;                    /* in the accumulator, or FINO_PPROF_NONE */
};

struct jit_script {
    uint32_t name_offset, name_nbytes;
    int32_t *line_ends; /* NULL: lines are unknown, functions start at their first line */
    size_t line_count;
};

/* Code that a collection moved, and where it still is found until jit_map_forget_moved. */
struct jit_moved {
    struct jit_code *code;
    uintptr_t from;
};

struct jit_map {
    pthread_mutex_t lock;
    uintptr_t embedded_start, embedded_limit; /* constant */
    struct jit_columns columns;
    struct jit_ranges machine_code;
    struct jit_table bytecodes; /* object address -> struct jit_code */
    struct jit_table locations; /* hash of (code, offset) -> location + 1 */
    struct jit_table function_index, script_index;
    struct jit_function *functions;
    size_t function_count, function_cap;
    struct jit_script *scripts;
    size_t script_count, script_cap;
    char *text; /* all names */
    size_t text_nbytes, text_cap;
    struct jit_moved *moved; /* what collections moved since jit_map_forget_moved */
    size_t moved_count, moved_cap;
    uint32_t next_id;
    struct jit_map_stats stats;
};

/* Codes are counted: by each place in the map, and by code made from them. */
struct jit_code *jit_code_retain(struct jit_code *code); /* NULL is fine */
void jit_code_release(struct jit_code *code);

/* The code of the bytecode array at OBJECT (untagged), or NULL. */
struct jit_code *jit_map_find_bytecode(const struct jit_map *map, uintptr_t object);

bool jit_map_is_named(const struct jit_map *map, const struct jit_code *code, const char *name);

#endif
