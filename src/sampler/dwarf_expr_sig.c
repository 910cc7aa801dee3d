/* dwarf_expr_sig.c: owns evaluating the DWARF expressions that occur in call frame information.
 *
 * Runs in signal handlers: no locks, no allocation, no stdio; memory is read only where the context allows; the number
 * of operations is bounded, so a branch backwards can't hang.
 */
#include "sampler/cfi.h"
#include "sampler/stack_read.h"

/* DWARF 5 section 7.7.1. */
enum {
    DW_OP_addr = 0x03,
    DW_OP_deref = 0x06,
    DW_OP_const1u = 0x08,
    DW_OP_const1s = 0x09,
    DW_OP_const2u = 0x0a,
    DW_OP_const2s = 0x0b,
    DW_OP_const4u = 0x0c,
    DW_OP_const4s = 0x0d,
    DW_OP_const8u = 0x0e,
    DW_OP_const8s = 0x0f,
    DW_OP_constu = 0x10,
    DW_OP_consts = 0x11,
    DW_OP_dup = 0x12,
    DW_OP_drop = 0x13,
    DW_OP_over = 0x14,
    DW_OP_pick = 0x15,
    DW_OP_swap = 0x16,
    DW_OP_rot = 0x17,
    DW_OP_abs = 0x19,
    DW_OP_and = 0x1a,
    DW_OP_div = 0x1b,
    DW_OP_minus = 0x1c,
    DW_OP_mod = 0x1d,
    DW_OP_mul = 0x1e,
    DW_OP_neg = 0x1f,
    DW_OP_not = 0x20,
    DW_OP_or = 0x21,
    DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23,
    DW_OP_shl = 0x24,
    DW_OP_shr = 0x25,
    DW_OP_shra = 0x26,
    DW_OP_xor = 0x27,
    DW_OP_bra = 0x28,
    DW_OP_eq = 0x29,
    DW_OP_ge = 0x2a,
    DW_OP_gt = 0x2b,
    DW_OP_le = 0x2c,
    DW_OP_lt = 0x2d,
    DW_OP_ne = 0x2e,
    DW_OP_skip = 0x2f,
    DW_OP_lit0 = 0x30,
    DW_OP_lit31 = 0x4f,
    DW_OP_breg0 = 0x70,
    DW_OP_breg31 = 0x8f,
    DW_OP_bregx = 0x92,
    DW_OP_deref_size = 0x94,
    DW_OP_nop = 0x96,
};

/* Expressions in Debian's libraries need 4 entries and 11 operations; these leave room. */
#define STACK_DEPTH_MAX 32
#define OPERATION_COUNT_MAX 256

struct machine {
    const struct sampler_expr_context *context;
    struct sampler_cursor code;
    const uint8_t *start;
    size_t depth;
    bool failed; /* stack overflow or underflow, a register that is not known, a read outside of the stack */
    uint64_t stack[STACK_DEPTH_MAX];
};

static void push(struct machine *machine, uint64_t value) {
    if (machine->depth == STACK_DEPTH_MAX) {
        machine->failed = true;
        return;
    }
    machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine) {
    if (machine->depth == 0) {
        machine->failed = true;
        return 0;
    }
    return machine->stack[--machine->depth];
}

/* The entry INDEX below the top. */
static uint64_t peek(struct machine *machine, size_t index) {
    if (index >= machine->depth) {
        machine->failed = true;
        return 0;
    }
    return machine->stack[machine->depth - 1 - index];
}

static void push_register(struct machine *machine, uint64_t reg, int64_t offset) {
    if (reg >= MACHINE_REG_COUNT || !(machine->context->valid >> reg & 1)) {
        machine->failed = true;
        return;
    }
    push(machine, machine->context->registers[reg] + (uint64_t)offset);
}

static void dereference(struct machine *machine, unsigned nbytes) {
    const struct sampler_expr_context *context = machine->context;
    uint64_t address = pop(machine), value = 0;
    if (machine->failed || nbytes == 0 || nbytes > sizeof value ||
        !stack_read(context->read_low, context->read_limit, address, nbytes, &value)) {
        machine->failed = true;
        return;
    }
    push(machine, value);
}

static void jump(struct machine *machine, int16_t delta) {
    ptrdiff_t here = machine->code.at - machine->start, length = machine->code.end - machine->start;
    if (here + delta < 0 || here + delta > length) {
        machine->failed = true;
        return;
    }
    machine->code.at = machine->start + here + delta;
}

static uint64_t divide(struct machine *machine, uint64_t left, uint64_t right) {
    int64_t dividend = (int64_t)left, divisor = (int64_t)right;
    if (divisor == 0 || (dividend == INT64_MIN && divisor == -1)) {
        machine->failed = true;
        return 0;
    }
    return (uint64_t)(dividend / divisor);
}

static uint64_t shift_right_arithmetic(uint64_t left, uint64_t right) {
    uint64_t sign = left >> 63 ? ~(uint64_t)0 : 0;
    if (right >= 64) return sign;
    return right == 0 ? left : left >> right | sign << (64 - right);
}

/* LEFT was pushed before RIGHT. Comparisons are signed (DWARF 5 section 2.5.1.5). */
static uint64_t binary(struct machine *machine, uint8_t opcode, uint64_t left, uint64_t right) {
    switch (opcode) {
        case DW_OP_and: return left & right;
        case DW_OP_div: return divide(machine, left, right);
        case DW_OP_minus: return left - right;
        case DW_OP_mod:
            if (right == 0) machine->failed = true;
            return right == 0 ? 0 : left % right;
        case DW_OP_mul: return left * right;
        case DW_OP_or: return left | right;
        case DW_OP_plus: return left + right;
        case DW_OP_shl: return right < 64 ? left << right : 0;
        case DW_OP_shr: return right < 64 ? left >> right : 0;
        case DW_OP_shra: return shift_right_arithmetic(left, right);
        case DW_OP_xor: return left ^ right;
        case DW_OP_eq: return left == right;
        case DW_OP_ne: return left != right;
        case DW_OP_ge: return (int64_t)left >= (int64_t)right;
        case DW_OP_gt: return (int64_t)left > (int64_t)right;
        case DW_OP_le: return (int64_t)left <= (int64_t)right;
        case DW_OP_lt: return (int64_t)left < (int64_t)right;
        default: machine->failed = true; return 0;
    }
}

static void shuffle(struct machine *machine, uint8_t opcode) {
    uint64_t top, second, third;
    switch (opcode) {
        case DW_OP_dup: push(machine, peek(machine, 0)); break;
        case DW_OP_drop: pop(machine); break;
        case DW_OP_over: push(machine, peek(machine, 1)); break;
        case DW_OP_pick: push(machine, peek(machine, cursor_u8(&machine->code))); break;
        case DW_OP_swap:
            top = pop(machine), second = pop(machine);
            push(machine, top), push(machine, second);
            break;
        default: /* DW_OP_rot: the top becomes the third */
            top = pop(machine), second = pop(machine), third = pop(machine);
            push(machine, top), push(machine, third), push(machine, second);
            break;
    }
}

static void push_constant(struct machine *machine, uint8_t opcode) {
    struct sampler_cursor *code = &machine->code;
    switch (opcode) {
        case DW_OP_addr: push(machine, cursor_u64(code) + machine->context->load_bias); break;
        case DW_OP_const1u: push(machine, cursor_u8(code)); break;
        case DW_OP_const1s: push(machine, (uint64_t)(int8_t)cursor_u8(code)); break;
        case DW_OP_const2u: push(machine, cursor_u16(code)); break;
        case DW_OP_const2s: push(machine, (uint64_t)(int16_t)cursor_u16(code)); break;
        case DW_OP_const4u: push(machine, cursor_u32(code)); break;
        case DW_OP_const4s: push(machine, (uint64_t)(int32_t)cursor_u32(code)); break;
        case DW_OP_constu: push(machine, cursor_uleb(code)); break;
        case DW_OP_consts: push(machine, (uint64_t)cursor_sleb(code)); break;
        default: push(machine, cursor_u64(code)); break; /* DW_OP_const8u, DW_OP_const8s */
    }
}

static void unary(struct machine *machine, uint8_t opcode) {
    uint64_t value = pop(machine);
    switch (opcode) {
        case DW_OP_abs: push(machine, (int64_t)value < 0 ? -value : value); break;
        case DW_OP_neg: push(machine, -value); break;
        case DW_OP_not: push(machine, ~value); break;
        default: push(machine, value + cursor_uleb(&machine->code)); break; /* DW_OP_plus_uconst */
    }
}

static enum sampler_cfi_status operate(struct machine *machine, uint8_t opcode) {
    struct sampler_cursor *code = &machine->code;
    uint64_t left, right, reg;
    int16_t delta;
    if (opcode >= DW_OP_lit0 && opcode <= DW_OP_lit31) {
        push(machine, opcode - DW_OP_lit0);
        return SAMPLER_CFI_OK;
    }
    if (opcode >= DW_OP_breg0 && opcode <= DW_OP_breg31) {
        push_register(machine, opcode - DW_OP_breg0, cursor_sleb(code));
        return SAMPLER_CFI_OK;
    }
    switch (opcode) {
        case DW_OP_nop: break;
        case DW_OP_deref: dereference(machine, sizeof(uint64_t)); break;
        case DW_OP_deref_size: dereference(machine, cursor_u8(code)); break;
        case DW_OP_bregx:
            reg = cursor_uleb(code);
            push_register(machine, reg, cursor_sleb(code));
            break;
        case DW_OP_skip:
            delta = (int16_t)cursor_u16(code);
            jump(machine, delta);
            break;
        case DW_OP_bra:
            delta = (int16_t)cursor_u16(code);
            if (pop(machine) != 0) jump(machine, delta);
            break;
        case DW_OP_abs:
        case DW_OP_neg:
        case DW_OP_not:
        case DW_OP_plus_uconst: unary(machine, opcode); break;
        default:
            if (opcode == DW_OP_addr || (opcode >= DW_OP_const1u && opcode <= DW_OP_consts)) {
                push_constant(machine, opcode);
            } else if (opcode >= DW_OP_dup && opcode <= DW_OP_rot) {
                shuffle(machine, opcode);
            } else if (opcode >= DW_OP_and && opcode <= DW_OP_ne) {
                right = pop(machine), left = pop(machine);
                push(machine, binary(machine, opcode, left, right));
            } else {
                return SAMPLER_CFI_UNSUPPORTED;
            }
            break;
    }
    return SAMPLER_CFI_OK;
}

enum sampler_cfi_status sampler_expr_evaluate_sig(const struct sampler_expr_context *context,
                                                  struct sampler_cursor expression, bool has_initial, uintptr_t initial,
                                                  uintptr_t *value_out) {
    struct machine machine;
    machine.context = context;
    machine.code = expression;
    machine.start = expression.at;
    machine.depth = 0;
    machine.failed = false;
    if (has_initial) push(&machine, initial);
    for (unsigned count = 0; cursor_left(&machine.code) > 0; count++) {
        if (count == OPERATION_COUNT_MAX) return SAMPLER_CFI_MALFORMED;
        enum sampler_cfi_status status = operate(&machine, cursor_u8(&machine.code));
        if (status != SAMPLER_CFI_OK) return status;
        if (machine.failed || machine.code.failed) return SAMPLER_CFI_MALFORMED;
    }
    *value_out = pop(&machine);
    return machine.failed ? SAMPLER_CFI_MALFORMED : SAMPLER_CFI_OK;
}
