/* jit_layout.c: see jit_layout.h. Pointers are tagged as V8's: bit 0 set for heap objects, bit 1 too for weak
 * references; small integers ("Smi") are in a word's upper half. */
#include "runtime/jit_layout.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than any function has; a length beyond it means that the layout is not what we think. */
#define MAX_TABLE_NBYTES (64u << 20)
#define MAX_ARRAY_COUNT (16u << 20)

/* ---- The constants ---- */

struct constant {
    const char *name;
    size_t field; /* offset in struct jit_layout */
};
#define CONSTANT(name, field)                                                                                          \
    { "v8dbg_" name, offsetof(struct jit_layout, field) }

static const struct constant exported[] = {
    CONSTANT("class_Map__instance_type__uint16_t", map_instance_type),
    CONSTANT("class_FixedArrayBase__length__SMI", array_length),
    CONSTANT("class_FixedArray__data__uintptr_t", array_data),
    CONSTANT("class_Code__instruction_size__int", code_instruction_size),
    CONSTANT("class_Code__instruction_start__uintptr_t", code_instruction_start),
    CONSTANT("class_BytecodeArray__data__uintptr_t", bytecode_data),
    CONSTANT("class_SharedFunctionInfo__function_data__Object", shared_function_data),
    CONSTANT("class_SharedFunctionInfo__script_or_debug_info__HeapObject", shared_script),
    CONSTANT("class_Script__line_ends__Object", script_line_ends),
    CONSTANT("class_JSFunction__shared__SharedFunctionInfo", function_shared),
    CONSTANT("class_JSFunction__code__CodeT", function_code),
    CONSTANT("off_fp_context", frame_context),
    CONSTANT("off_fp_function", frame_function),
    CONSTANT("off_fp_bytecode_array", frame_bytecode_array),
    CONSTANT("off_fp_bytecode_offset", frame_bytecode_offset),
    CONSTANT("type_BytecodeArray__BYTECODE_ARRAY_TYPE", type_bytecode_array),
    CONSTANT("type_ByteArray__BYTE_ARRAY_TYPE", type_byte_array),
    CONSTANT("type_Code__CODE_TYPE", type_code),
    CONSTANT("type_FixedArray__FIXED_ARRAY_TYPE", type_fixed_array),
    CONSTANT("type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE", type_weak_fixed_array),
    CONSTANT("type_Script__SCRIPT_TYPE", type_script),
    CONSTANT("type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", type_shared),
    CONSTANT("type_InterpreterData__INTERPRETER_DATA_TYPE", type_interpreter_data),
};

/* What V8 does not export, for V8 10.2 without pointer compression. */
static void set_unexported_10_2(struct jit_layout *layout) {
    layout->code_deoptimization_data = 16;
    layout->code_position_table = 24;
    layout->bytecode_position_table = 32;
    layout->interpreter_data_bytecode = 8;
    layout->deopt_literals = 2;
    layout->deopt_shared = 6;
    layout->deopt_inlining_positions = 7;
}

static bool read_exported(struct jit_layout *layout) {
    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
        const int *value = dlsym(RTLD_DEFAULT, exported[i].name);
        if (value == NULL) return false;
        memcpy((char *)layout + exported[i].field, value, sizeof *value);
    }
    return true;
}

static void find_bytecode_sizes(struct jit_layout *layout) {
    const uint8_t *sizes = dlsym(RTLD_DEFAULT, "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE");
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (sizes == NULL || !dladdr1(sizes, &info, (void **)&symbol, RTLD_DL_SYMENT) || symbol == NULL) return;
    if (symbol->st_size % 3 != 0 || symbol->st_size > 3 * 256) return;
    layout->bytecode_sizes = sizes;
    layout->bytecode_count = symbol->st_size / 3;
    void *name = dlsym(RTLD_DEFAULT, "_ZN2v88internal11interpreter9Bytecodes8ToStringENS1_8BytecodeE");
    memcpy(&layout->bytecode_name, &name, sizeof name);
}

#ifdef FINO_DEBUG
/* A word such as "deopt_literals+8", "array_data=0" in FINO_TEST_JIT_LAYOUT: a wrong constant, for the self-test's
 * test. */
static void spoil_for_tests(struct jit_layout *layout) {
#define FIELD(field)                                                                                                   \
    { #field, offsetof(struct jit_layout, field) }
    static const struct constant fields[] = {JIT_LAYOUT_CONSTANTS(FIELD)};
#undef FIELD
    const char *spoil = getenv("FINO_TEST_JIT_LAYOUT");
    size_t nbytes = spoil != NULL ? strcspn(spoil, "+-=") : 0;
    for (size_t i = 0; nbytes > 0 && i < sizeof fields / sizeof *fields; i++) {
        int *field = (int *)(void *)((char *)layout + fields[i].field);
        if (strlen(fields[i].name) != nbytes || memcmp(fields[i].name, spoil, nbytes) != 0) continue;
        *field = spoil[nbytes] == '=' ? atoi(spoil + nbytes + 1) : *field + atoi(spoil + nbytes);
    }
}
#else
static void spoil_for_tests(struct jit_layout *layout) {
    (void)layout;
}
#endif

static struct jit_layout current;

static void find_layout(struct jit_layout *layout) {
    const int *major = dlsym(RTLD_DEFAULT, "_ZN2v88internal7Version6major_E");
    const int *minor = dlsym(RTLD_DEFAULT, "_ZN2v88internal7Version6minor_E");
    if (major == NULL || minor == NULL || *major != 10 || *minor != 2) return;
    set_unexported_10_2(layout);
    find_bytecode_sizes(layout);
    layout->known = read_exported(layout);
    spoil_for_tests(layout);
}

static void find_current(void) {
    find_layout(&current);
}

const struct jit_layout *jit_layout_get(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_current);
    return &current;
}

bool jit_layout_v8_inlines(void) {
    const bool *enabled = dlsym(RTLD_DEFAULT, "_ZN2v88internal19FLAG_turbo_inliningE");
    const int *budget = dlsym(RTLD_DEFAULT, "_ZN2v88internal41FLAG_max_inlined_bytecode_size_cumulativeE");
    return (enabled == NULL || *enabled) && (budget == NULL || *budget > 0);
}

void jit_layout_judge(bool holds) {
    current.proven = holds;
    current.known = holds;
}

/* ---- Objects ---- */

/* Asked of the kernel: it reads the signal set before it finds that -1 is nothing to do with it. */
static bool is_readable(uintptr_t address) {
    return syscall(SYS_rt_sigprocmask, -1, address, NULL, sizeof(uint64_t)) == 0 || errno != EFAULT;
}

/* What a wrong layout takes for an address may be anything: while it is on trial, what can't be read is zeros. */
static void read_heap(void *out, uintptr_t address, size_t nbytes) {
    for (uintptr_t at = address; !current.proven && at < address + nbytes; at += sizeof(uint64_t)) {
        if (is_readable(at)) continue;
        memset(out, 0, nbytes);
        return;
    }
    memcpy(out, (const void *)address, nbytes);
}

static uintptr_t word_at(uintptr_t address) {
    uintptr_t word;
    read_heap(&word, address, sizeof word);
    return word;
}

static bool is_object(uintptr_t tagged) {
    return (tagged & 1) != 0 && tagged > 4096;
}

static uintptr_t untag(uintptr_t tagged) {
    return tagged & ~(uintptr_t)3;
}

bool jit_layout_has_type(uintptr_t tagged, int type) {
    if (!is_object(tagged)) return false;
    uintptr_t map = word_at(untag(tagged));
    if (!is_object(map)) return false;
    uint16_t instance_type;
    read_heap(&instance_type, untag(map) + (uintptr_t)jit_layout_get()->map_instance_type, sizeof instance_type);
    return instance_type == type;
}

uintptr_t jit_layout_field(uintptr_t tagged, int offset) {
    return word_at(untag(tagged) + (uintptr_t)offset);
}

/* The length of a FixedArray, WeakFixedArray or ByteArray. */
static size_t array_length(uintptr_t tagged) {
    return jit_layout_field(tagged, jit_layout_get()->array_length) >> 32;
}

static uintptr_t array_element(uintptr_t tagged, size_t index) {
    return jit_layout_field(tagged, jit_layout_get()->array_data + (int)(index * sizeof(uintptr_t)));
}

/* Copies a ByteArray. Returns false when it is none, or memory is short; an empty one gives NULL and 0. */
static bool copy_byte_array(uintptr_t tagged, uint8_t **data_out, size_t *nbytes_out) {
    const struct jit_layout *layout = jit_layout_get();
    *data_out = NULL;
    *nbytes_out = 0;
    if (!jit_layout_has_type(tagged, layout->type_byte_array)) return false;
    size_t nbytes = array_length(tagged);
    if (nbytes > MAX_TABLE_NBYTES) return false;
    if (nbytes == 0) return true;
    uint8_t *data = malloc(nbytes);
    if (data == NULL) return false;
    read_heap(data, untag(tagged) + (uintptr_t)layout->array_data, nbytes);
    *data_out = data;
    *nbytes_out = nbytes;
    return true;
}

/* The bytecode array behind the field where V8 keeps either it or an InterpreterData, or 0. */
static uintptr_t bytecode_or_interpreter_data(uintptr_t tagged) {
    const struct jit_layout *layout = jit_layout_get();
    if (jit_layout_has_type(tagged, layout->type_interpreter_data))
        tagged = jit_layout_field(tagged, layout->interpreter_data_bytecode);
    return jit_layout_has_type(tagged, layout->type_bytecode_array) ? untag(tagged) : 0;
}

uintptr_t jit_layout_bytecode_of_shared(uintptr_t shared) {
    const struct jit_layout *layout = jit_layout_get();
    if (!jit_layout_has_type(shared, layout->type_shared)) return 0;
    uintptr_t data = jit_layout_field(shared, layout->shared_function_data);
    if (jit_layout_has_type(data, layout->type_code))
        data = jit_layout_field(data, layout->code_deoptimization_data); /* baseline */
    return bytecode_or_interpreter_data(data);
}

uintptr_t jit_layout_bytecode_object(uintptr_t start) {
    return start - (uintptr_t)jit_layout_get()->bytecode_data;
}

int32_t *jit_layout_line_ends(uintptr_t shared, size_t *count_out) {
    const struct jit_layout *layout = jit_layout_get();
    if (!jit_layout_has_type(shared, layout->type_shared)) return NULL;
    uintptr_t script = jit_layout_field(shared, layout->shared_script);
    if (!jit_layout_has_type(script, layout->type_script)) return NULL;
    uintptr_t ends = jit_layout_field(script, layout->script_line_ends);
    if (!jit_layout_has_type(ends, layout->type_fixed_array)) return NULL;
    size_t count = array_length(ends);
    if (count == 0 || count > MAX_ARRAY_COUNT) return NULL;
    int32_t *copy = malloc(count * sizeof *copy);
    if (copy == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        copy[i] = (int32_t)(array_element(ends, i) >> 32);
        if (i > 0 && copy[i] <= copy[i - 1]) {
            free(copy);
            return NULL;
        }
    }
    *count_out = count;
    return copy;
}

/* ---- Code objects ---- */

/* The Code object of instructions at START, tagged, or 0 when it doesn't agree with the event. */
static uintptr_t code_object(uintptr_t start, size_t nbytes) {
    const struct jit_layout *layout = jit_layout_get();
    uintptr_t code = (start - (uintptr_t)layout->code_instruction_start) | 1;
    uint32_t instruction_size;
    if (!jit_layout_has_type(code, layout->type_code)) return 0;
    read_heap(&instruction_size, untag(code) + (uintptr_t)layout->code_instruction_size, sizeof instruction_size);
    return instruction_size == nbytes ? code : 0;
}

/* A source position as V8 packs it: bit 0 external, bits 1..30 offset + 1, bits 31..46 inlining id + 1. */
static struct jit_position unpack_position(uint64_t packed) {
    return (struct jit_position){
        .offset = (int32_t)((packed >> 1) & 0x3fffffff) - 1,
        .inlining = (int32_t)((packed >> 31) & 0xffff) - 1,
    };
}

/* One record of the inlining positions: the packed position of the call, and an index of the literals (-1: recursion,
 * the function of the code object itself). */
struct inlining_record {
    uint64_t position;
    int32_t literal;
    int32_t padding;
};

static bool read_inlinings(uintptr_t deopt, struct jit_tables *tables) {
    const struct jit_layout *layout = jit_layout_get();
    if (!jit_layout_has_type(deopt, layout->type_fixed_array)) return false;
    if (array_length(deopt) <= (size_t)layout->deopt_inlining_positions) return array_length(deopt) == 0;
    if (array_length(deopt) <= (size_t)layout->deopt_literals) return false;
    if (array_length(deopt) <= (size_t)layout->deopt_shared) return false;
    uintptr_t literals = array_element(deopt, (size_t)layout->deopt_literals);
    uintptr_t records = array_element(deopt, (size_t)layout->deopt_inlining_positions);
    if (!jit_layout_has_type(records, layout->type_byte_array)) return false;
    if (!jit_layout_has_type(literals, layout->type_weak_fixed_array) &&
        !jit_layout_has_type(literals, layout->type_fixed_array))
        return false;
    size_t nbytes = array_length(records), count = nbytes / sizeof(struct inlining_record);
    if (nbytes % sizeof(struct inlining_record) != 0 || count > 0xffff) return false;
    if (count == 0) return true;
    tables->inlinings = calloc(count, sizeof *tables->inlinings);
    if (tables->inlinings == NULL) return false;
    tables->inlining_count = count;
    for (size_t i = 0; i < count; i++) {
        struct inlining_record record;
        read_heap(&record, untag(records) + (uintptr_t)layout->array_data + i * sizeof record, sizeof record);
        struct jit_position call = unpack_position(record.position);
        if (call.inlining >= (int32_t)i) return false; /* callers come first, so that chains end */
        if (record.literal < -1 || record.literal >= (int32_t)array_length(literals)) return false;
        uintptr_t shared = record.literal == -1 ? array_element(deopt, (size_t)layout->deopt_shared)
                                                : array_element(literals, (size_t)record.literal);
        tables->inlinings[i] = (struct jit_inlining){
            .bytecode = jit_layout_bytecode_of_shared(shared),
            .position = call.offset,
            .parent = call.inlining,
        };
    }
    return true;
}

bool jit_layout_read_optimized(uintptr_t start, size_t nbytes, struct jit_tables *tables_out) {
    const struct jit_layout *layout = jit_layout_get();
    memset(tables_out, 0, sizeof *tables_out);
    uintptr_t code = code_object(start, nbytes);
    if (code == 0) return false;
    if (copy_byte_array(jit_layout_field(code, layout->code_position_table), &tables_out->positions,
                        &tables_out->positions_nbytes) &&
        read_inlinings(jit_layout_field(code, layout->code_deoptimization_data), tables_out))
        return true;
    jit_tables_free(tables_out);
    return false;
}

bool jit_layout_read_baseline(uintptr_t start, size_t nbytes, struct jit_tables *tables_out) {
    const struct jit_layout *layout = jit_layout_get();
    memset(tables_out, 0, sizeof *tables_out);
    uintptr_t code = code_object(start, nbytes);
    if (code == 0) return false;
    tables_out->bytecode = bytecode_or_interpreter_data(jit_layout_field(code, layout->code_deoptimization_data));
    return tables_out->bytecode != 0 &&
           copy_byte_array(jit_layout_field(code, layout->code_position_table), &tables_out->bytecode_offsets,
                           &tables_out->bytecode_offsets_nbytes);
}

bool jit_layout_read_bytecode(uintptr_t start, size_t nbytes, struct jit_tables *tables_out) {
    const struct jit_layout *layout = jit_layout_get();
    memset(tables_out, 0, sizeof *tables_out);
    uintptr_t array = jit_layout_bytecode_object(start) | 1;
    if (array % sizeof(uintptr_t) != 1 || !jit_layout_has_type(array, layout->type_bytecode_array)) return false;
    if (array_length(array) != nbytes || nbytes > MAX_TABLE_NBYTES) return false;
    tables_out->bytecodes = malloc(nbytes);
    if (tables_out->bytecodes == NULL) return false;
    memcpy(tables_out->bytecodes, (const void *)start, nbytes);
    tables_out->bytecodes_nbytes = nbytes;
    /* A function without any position has no ByteArray here; it is still a function. */
    (void)copy_byte_array(jit_layout_field(array, layout->bytecode_position_table), &tables_out->positions,
                          &tables_out->positions_nbytes);
    return true;
}

void jit_tables_free(struct jit_tables *tables) {
    free(tables->positions);
    free(tables->inlinings);
    free(tables->bytecode_offsets);
    free(tables->bytecodes);
    memset(tables, 0, sizeof *tables);
}

/* ---- Tables ---- */

/* A cursor over V8's variable-length numbers: 7 bits a byte, lowest first, bit 7 set on all but the last. Latches. */
struct vlq {
    const uint8_t *next, *end;
    bool failed;
};

static uint64_t vlq_unsigned(struct vlq *cursor) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (cursor->next == cursor->end) break;
        uint8_t byte = *cursor->next++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    cursor->failed = true;
    return 0;
}

/* Zig-zag: bit 0 is the sign. */
static int64_t vlq_signed(struct vlq *cursor) {
    uint64_t value = vlq_unsigned(cursor);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* What comes before the first instruction, and what the first entry's offset is relative to. */
#define FUNCTION_ENTRY_OFFSET (-1)

bool jit_positions_first(const uint8_t *positions, size_t nbytes, struct jit_position *out) {
    struct vlq cursor = {positions, positions + nbytes, false};
    (void)vlq_signed(&cursor);
    struct jit_position first = unpack_position((uint64_t)vlq_signed(&cursor));
    if (cursor.failed) return false;
    *out = first;
    return true;
}

bool jit_positions_find(const uint8_t *positions, size_t nbytes, int32_t code_offset, struct jit_position *out) {
    struct vlq cursor = {positions, positions + nbytes, false};
    int64_t offset = FUNCTION_ENTRY_OFFSET;
    uint64_t packed = 0;
    bool found = false;
    while (cursor.next != cursor.end) {
        /* The sign of the code offset's delta tells statements from expressions: -delta - 1 is an expression. */
        int64_t delta = vlq_signed(&cursor);
        offset += delta >= 0 ? delta : -(delta + 1);
        packed += (uint64_t)vlq_signed(&cursor);
        if (cursor.failed || offset > code_offset) break;
        *out = unpack_position(packed);
        found = true;
    }
    return found;
}

/* The size of the bytecode at OFFSET, with its prefix; 0 when it isn't one. */
static size_t bytecode_size(const struct jit_tables *bytecode, size_t offset) {
    const struct jit_layout *layout = jit_layout_get();
    enum { WIDE = 0, EXTRA_WIDE = 1 };
    size_t scale = 0, prefix = 0;
    uint8_t code = bytecode->bytecodes[offset];
    if (code == WIDE || code == EXTRA_WIDE) {
        scale = code == WIDE ? 1 : 2;
        prefix = 1;
        if (offset + 1 >= bytecode->bytecodes_nbytes) return 0;
        code = bytecode->bytecodes[offset + 1];
    }
    return code < layout->bytecode_count ? prefix + layout->bytecode_sizes[scale * layout->bytecode_count + code] : 0;
}

int32_t jit_baseline_bytecode_offset(const struct jit_tables *baseline, const struct jit_tables *bytecode,
                                     int32_t code_offset) {
    if (jit_layout_get()->bytecode_sizes == NULL || baseline->bytecode_offsets_nbytes == 0) return -2;
    struct vlq cursor = {baseline->bytecode_offsets, baseline->bytecode_offsets + baseline->bytecode_offsets_nbytes,
                         false};
    uint64_t end = vlq_unsigned(&cursor); /* the function's entry comes before the first bytecode */
    int32_t current = -1;
    size_t next = 0;
    while (!cursor.failed && (uint64_t)code_offset >= end) {
        if (cursor.next == cursor.end || next >= bytecode->bytecodes_nbytes) return current;
        size_t size = bytecode_size(bytecode, next);
        if (size == 0) return -2;
        end += vlq_unsigned(&cursor);
        current = (int32_t)next;
        next += size;
    }
    return cursor.failed ? -2 : current;
}

/* "Add" is run by "AddHandler", and by "AddWideHandler" after a prefix. */
static bool is_run_by(const struct jit_tables *bytecode, size_t offset, const char *handler, size_t handler_nbytes) {
    static const char *const endings[] = {"Handler", "WideHandler", "ExtraWideHandler"};
    const struct jit_layout *layout = jit_layout_get();
    uint8_t code = bytecode->bytecodes[offset];
    if (code <= 1 && offset + 1 < bytecode->bytecodes_nbytes) code = bytecode->bytecodes[offset + 1];
    if (code >= layout->bytecode_count) return false;
    const char *name = layout->bytecode_name(code);
    size_t nbytes = strlen(name);
    if (nbytes > 4 && memcmp(name, "Star", 4) == 0) { /* Star0 to Star15 have one handler */
        name = "ShortStar";
        nbytes = strlen(name);
    }
    if (handler_nbytes <= nbytes || memcmp(handler, name, nbytes) != 0) return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (handler_nbytes - nbytes == strlen(endings[i]) &&
            memcmp(handler + nbytes, endings[i], strlen(endings[i])) == 0)
            return true;
    return false;
}

int32_t jit_layout_running_bytecode(const struct jit_tables *bytecode, int32_t offset, const char *handler,
                                    size_t handler_nbytes) {
    const struct jit_layout *layout = jit_layout_get();
    if (layout->bytecode_sizes == NULL || layout->bytecode_name == NULL || offset < 0) return -1;
    size_t at = 0, before = SIZE_MAX;
    while (at < (size_t)offset && at < bytecode->bytecodes_nbytes) {
        size_t size = bytecode_size(bytecode, at);
        if (size == 0) return -1;
        before = at;
        at += size;
    }
    if (at >= bytecode->bytecodes_nbytes) return -1;
    /* After a prefix the register tells the bytecode behind it. */
    if (at == (size_t)offset && is_run_by(bytecode, at, handler, handler_nbytes)) return offset;
    if (before != SIZE_MAX && is_run_by(bytecode, before, handler, handler_nbytes)) return (int32_t)before;
    return -1;
}
