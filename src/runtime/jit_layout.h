/* jit_layout.h: reads, from V8's own objects, what its code objects know of source positions and inlining.
 *
 * V8 has no API for this. Offsets come from the `v8dbg_*` constants that V8 exports for post-mortem debuggers; the few
 * that it does not export are in one table per V8 version. Everything is checked: types by the objects' maps, sizes
 * against the code event, offsets ascending and inside, ids existing. What fails a check is not used.
 *
 * Threads: reads objects of an isolate on that isolate's thread, while they can't move (inside a code event).
 */
#ifndef FINO_RT_JIT_LAYOUT_H
#define FINO_RT_JIT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte offsets in untagged objects, instance types, and frame slots relative to the frame pointer. */
struct jit_layout {
    bool known;  /* false: nothing below may be used */
    bool proven; /* of this V8, by jit_selftest.h: until then it is read with care, and no signal handler uses it */
    int map_instance_type;
    int array_length, array_data; /* FixedArray, WeakFixedArray and ByteArray alike */
    int code_deoptimization_data; /* of baseline code: its bytecode */
    int code_position_table;      /* of baseline code: its bytecode offset table */
    int code_instruction_size, code_instruction_start;
    int bytecode_position_table, bytecode_data;
    int shared_function_data, shared_script, script_line_ends;
    int interpreter_data_bytecode;
    int function_shared, function_code;
    int deopt_literals, deopt_shared, deopt_inlining_positions; /* indices of elements */
    int frame_context, frame_function, frame_bytecode_array, frame_bytecode_offset;
    int type_bytecode_array, type_byte_array, type_code, type_fixed_array, type_weak_fixed_array, type_script,
        type_shared, type_interpreter_data;
    const uint8_t *bytecode_sizes; /* [3][bytecode_count]: operand scale, bytecode */
    size_t bytecode_count;
    const char *(*bytecode_name)(uint8_t bytecode); /* NULL: not known */
};

/* Its constants by name, for the test that spoils each. */
#define JIT_LAYOUT_CONSTANTS(X)                                                                                        \
    X(map_instance_type), X(array_length), X(array_data), X(code_deoptimization_data), X(code_position_table),         \
        X(code_instruction_size), X(code_instruction_start), X(bytecode_position_table), X(bytecode_data),             \
        X(shared_function_data), X(shared_script), X(script_line_ends), X(interpreter_data_bytecode),                  \
        X(function_shared), X(function_code), X(deopt_literals), X(deopt_shared), X(deopt_inlining_positions),         \
        X(frame_context), X(frame_function), X(frame_bytecode_array), X(frame_bytecode_offset),                        \
        X(type_bytecode_array), X(type_byte_array), X(type_code), X(type_fixed_array), X(type_weak_fixed_array),       \
        X(type_script), X(type_shared), X(type_interpreter_data)

/* The layout of the V8 this process runs with. KNOWN is false when the version has no table here, a constant that V8
 * exports is missing or the self-test failed: then nothing below may be called. */
const struct jit_layout *jit_layout_get(void);

/* Do V8's flags let it inline at all? */
bool jit_layout_v8_inlines(void);

/* Ends the layout's trial: it says of this V8 what is true, or is not known after all. */
void jit_layout_judge(bool holds);

/* The tagged field at OFFSET of an object, and whether an object is of an instance type. For tagged words of any
 * value while the layout is on trial, else for those of V8's heap. */
uintptr_t jit_layout_field(uintptr_t tagged, int offset);
bool jit_layout_has_type(uintptr_t tagged, int type);

/* An inlined call: who was inlined (a bytecode array's address; 0: unknown), where in its caller, and which inlining
 * that caller is (-1: the function of the code object itself). */
struct jit_inlining {
    uintptr_t bytecode;
    int32_t position;
    int32_t parent;
};

/* What a code object says of itself, copied. POSITIONS is V8's encoded source position table. */
struct jit_tables {
    uint8_t *positions;
    size_t positions_nbytes;
    struct jit_inlining *inlinings;
    size_t inlining_count;
    uint8_t *bytecode_offsets; /* baseline: V8's encoded pc -> bytecode table, */
    size_t bytecode_offsets_nbytes;
    uint8_t *bytecodes; /*   and for bytecode arrays the bytecodes themselves, to walk it with */
    size_t bytecodes_nbytes;
    uintptr_t bytecode; /* baseline: the bytecode array it was made from */
};
/* Each returns false, with *TABLES_OUT empty, when a check fails or memory is short. */
bool jit_layout_read_optimized(uintptr_t start, size_t nbytes, struct jit_tables *tables_out);
bool jit_layout_read_baseline(uintptr_t start, size_t nbytes, struct jit_tables *tables_out);
bool jit_layout_read_bytecode(uintptr_t start, size_t nbytes, struct jit_tables *tables_out);
void jit_tables_free(struct jit_tables *tables);

/* The bytecode array's address (as a frame's slot holds it, untagged) whose first bytecode is at START. */
uintptr_t jit_layout_bytecode_object(uintptr_t start);

/* The bytecode array of a SharedFunctionInfo (tagged), or 0. */
uintptr_t jit_layout_bytecode_of_shared(uintptr_t shared);

/* Copies the offsets of all line ends of the script of SHARED. Returns: the array (free it), NULL when there is none.
 */
int32_t *jit_layout_line_ends(uintptr_t shared, size_t *count_out);

/* A decoded position: OFFSET in the script's source, and which inlining it is in (-1: none). */
struct jit_position {
    int32_t offset;
    int32_t inlining;
};
/* The position of the first entry; of the last one at or before CODE_OFFSET. False when there is none. */
bool jit_positions_first(const uint8_t *positions, size_t nbytes, struct jit_position *out);
bool jit_positions_find(const uint8_t *positions, size_t nbytes, int32_t code_offset, struct jit_position *out);

/* The bytecode offset of the baseline code at CODE_OFFSET (-1: function entry), or -2. */
int32_t jit_baseline_bytecode_offset(const struct jit_tables *baseline, const struct jit_tables *bytecode,
                                     int32_t code_offset);

/* The offset of the bytecode that HANDLER, such as "AddHandler", runs, if it is the one at OFFSET or the one that ends
 * there; else -1. */
int32_t jit_layout_running_bytecode(const struct jit_tables *bytecode, int32_t offset, const char *handler,
                                    size_t handler_nbytes);

#endif
