/* typescript_constant.c: owns constant expressions: what TypeScript computes for an enum's members before run time. An
 * enum needs this to know which member is a string (it gets no reverse mapping) and what the next one counts on from.
 *
 * A member that doubles the one before it doubles its text: forty lines would be a terabyte. Of a string longer than
 * TEXT_NBYTES_MAX no more is known than that it is one, and what makes it is left to run time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

enum { TEXT_NBYTES_MAX = 4096 }; /* far more than names put together take */

static const struct rt_ts_value UNKNOWN = {0}, LONG_STRING = {.kind = VALUE_LONG_STRING};

static struct rt_ts_value binary(struct rt_ts_parser *p, int floor);

static struct rt_ts_value number(double value) {
    return (struct rt_ts_value){.kind = VALUE_NUMBER, .number = value};
}

/* ---- numbers ---- */

/* ECMA-262 section 6.1.6.1.20, Number::toString. */
void rt_ts_format_number(double value, char buffer[RT_TS_NUMBER_NBYTES]) {
    if (isnan(value) || isinf(value) || value == 0) {
        strcpy(buffer, isnan(value) ? "NaN" : value == 0 ? "0" : value > 0 ? "Infinity" : "-Infinity");
        return;
    }
    char digits[32];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(digits, sizeof digits, "%.*e", precision, fabs(value));
        if (strtod(digits, NULL) == fabs(value)) break;
    }
    char *e = strchr(digits, 'e');
    int exponent = atoi(e + 1) + 1; /* value = 0.digits * 10^exponent */
    *e = 0;
    if (digits[1] == '.') memmove(digits + 1, digits + 2, strlen(digits + 1));
    int count = (int)strlen(digits);
    const char *sign = value < 0 ? "-" : "";
    if (exponent > 21 || exponent < -5) {
        snprintf(buffer, RT_TS_NUMBER_NBYTES, "%s%c%s%se%+d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                 exponent - 1);
    } else if (exponent >= count) {
        snprintf(buffer, RT_TS_NUMBER_NBYTES, "%s%s%.*s", sign, digits, exponent - count, "0000000000000000000000");
    } else if (exponent > 0) {
        snprintf(buffer, RT_TS_NUMBER_NBYTES, "%s%.*s.%s", sign, exponent, digits, digits + exponent);
    } else {
        snprintf(buffer, RT_TS_NUMBER_NBYTES, "%s0.%.*s%s", sign, -exponent, "000000", digits);
    }
}

static struct rt_ts_value number_literal(const char *s, uint32_t nbytes) {
    char text[128];
    uint32_t n = 0;
    if (nbytes >= sizeof text || s[nbytes - 1] == 'n') return UNKNOWN;
    for (uint32_t i = 0; i < nbytes; i++) {
        if (s[i] != '_') text[n++] = s[i];
    }
    text[n] = 0;
    char kind = n > 1 && text[0] == '0' ? (char)(text[1] | 32) : 0;
    if (kind != 'b' && kind != 'o') return number(strtod(text, NULL)); /* decimal and 0x */
    double value = 0, base = kind == 'b' ? 2 : 8;
    for (uint32_t i = 2; i < n; i++)
        value = value * base + (text[i] - '0');
    return number(value);
}

static int32_t to_int32(double value) {
    if (!isfinite(value)) return 0;
    double wrapped = fmod(trunc(value), 4294967296.0);
    return (int32_t)(uint32_t)(int64_t)wrapped;
}

/* ---- strings ---- */

static void append(struct rt_ts_parser *p, const char *s, uint32_t nbytes) {
    if (!rt_ts_reserve(p, &p->strings, &p->strings_capacity, p->strings_nbytes + nbytes, 1)) return;
    memcpy(p->strings + p->strings_nbytes, s, nbytes);
    p->strings_nbytes += nbytes;
}

static void append_code_point(struct rt_ts_parser *p, uint32_t c) {
    char s[4];
    uint32_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n - 1; i > 0; i--, c >>= 6)
        s[i] = (char)(0x80 | (c & 0x3F));
    s[0] = (char)(n == 1 ? c : (0xF00u >> n & 0xFF) | c);
    append(p, s, n);
}

static uint32_t read_hex(const char **s, const char *end, int limit) {
    uint32_t value = 0;
    for (int i = 0; i < limit && *s < end && **s != '}'; i++, (*s)++) {
        char c = **s;
        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        value &= 0x1FFFFF;
    }
    return value;
}

/* After a backslash. */
static const char *append_escape(struct rt_ts_parser *p, const char *s, const char *end) {
    static const char FROM[] = "nrtbfv0", TO[] = "\n\r\t\b\f\v";
    const char *simple = *s ? strchr(FROM, *s) : NULL;
    char c = *s++;
    if (simple) {
        append(p, &TO[simple - FROM], 1);
    } else if (c == 'x') {
        append_code_point(p, read_hex(&s, end, 2));
    } else if (c == 'u' && *s == '{') {
        s++;
        append_code_point(p, read_hex(&s, end, 8));
        if (s < end) s++;
    } else if (c == 'u') {
        uint32_t unit = read_hex(&s, end, 4);
        if (unit >= 0xD800 && unit < 0xDC00 && end - s >= 6 && s[0] == '\\' && s[1] == 'u' && s[2] != '{') {
            const char *after = s + 2;
            uint32_t low = read_hex(&after, end, 4);
            if (low >= 0xDC00 && low < 0xE000) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                s = after;
            }
        }
        append_code_point(p, unit);
    } else if (c == '\r' && *s == '\n') {
        s++;
    } else if (c != '\n' && c != '\r') {
        append(p, &c, 1);
    }
    return s;
}

/* What stands between the quotes from S to END. */
static struct rt_ts_value string_literal(struct rt_ts_parser *p, const char *s, const char *end) {
    struct rt_ts_value value = {.kind = VALUE_STRING, .text = p->strings_nbytes};
    while (s < end) {
        const char *backslash = memchr(s, '\\', (size_t)(end - s));
        append(p, s, (uint32_t)((backslash ? backslash : end) - s));
        s = backslash ? append_escape(p, backslash + 1, end) : end;
    }
    value.text_nbytes = p->strings_nbytes - value.text;
    return value.text_nbytes <= TEXT_NBYTES_MAX ? value : LONG_STRING;
}

static void append_value(struct rt_ts_parser *p, const struct rt_ts_value *value) {
    char text[RT_TS_NUMBER_NBYTES];
    if (value->kind == VALUE_STRING) {
        if (!rt_ts_reserve(p, &p->strings, &p->strings_capacity, p->strings_nbytes + value->text_nbytes, 1)) return;
        memmove(p->strings + p->strings_nbytes, p->strings + value->text, value->text_nbytes);
        p->strings_nbytes += value->text_nbytes;
    } else {
        rt_ts_format_number(value->number, text);
        append(p, text, (uint32_t)strlen(text));
    }
}

static struct rt_ts_value concatenate(struct rt_ts_parser *p, const struct rt_ts_value *a,
                                      const struct rt_ts_value *b) {
    if (a->kind == VALUE_LONG_STRING || b->kind == VALUE_LONG_STRING) return LONG_STRING;
    struct rt_ts_value value = {.kind = VALUE_STRING, .text = p->strings_nbytes};
    append_value(p, a);
    append_value(p, b);
    value.text_nbytes = p->strings_nbytes - value.text;
    return value.text_nbytes <= TEXT_NBYTES_MAX ? value : LONG_STRING;
}

static struct rt_ts_value template(struct rt_ts_parser *p) {
    const char *s = p->source;
    struct rt_ts_token token = p->at.token;
    rt_ts_next(p);
    if (token.type == T_TEMPLATE) return string_literal(p, s + token.start + 1, s + token.end - 1);
    struct rt_ts_value result = string_literal(p, s + token.start + 1, s + token.end - 2);
    for (bool more = true; more;) {
        struct rt_ts_value part = binary(p, 0);
        if (part.kind == VALUE_UNKNOWN || !rt_ts_is(p, T_RBRACE)) return UNKNOWN;
        result = concatenate(p, &result, &part);
        uint32_t start = p->at.token.start;
        more = rt_ts_continue_template(p);
        part = string_literal(p, s + start + 1, s + p->at.previous_end - (more ? 2 : 1));
        result = concatenate(p, &result, &part);
    }
    return result;
}

/* ---- names ---- */

static uint32_t constant_slot(const struct rt_ts_parser *p, uint32_t owner, const char *name, uint32_t nbytes) {
    uint32_t hash = owner * 0x9E3779B1u, mask = p->constant_table.capacity - 1;
    for (uint32_t i = 0; i < nbytes; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    uint32_t slot = (hash ^ hash >> 15) & mask;
    for (; p->constant_table.slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct rt_ts_constant *c = &p->constants[p->constant_table.slots[slot] - 1];
        if (c->owner == owner && c->name_nbytes == nbytes && memcmp(p->source + c->name_start, name, nbytes) == 0)
            break;
    }
    return slot;
}

void rt_ts_add_constant(struct rt_ts_parser *p, uint32_t owner, uint32_t name_start, uint32_t name_nbytes,
                        const struct rt_ts_value *value) {
    if (p->constant_count * 2 >= p->constant_table.capacity) {
        if (!rt_ts_grow_table(p, &p->constant_table)) return;
        for (uint32_t i = 0; i < p->constant_count; i++) {
            const struct rt_ts_constant *c = &p->constants[i];
            p->constant_table.slots[constant_slot(p, c->owner, p->source + c->name_start, c->name_nbytes)] = i + 1;
        }
    }
    uint32_t slot = constant_slot(p, owner, p->source + name_start, name_nbytes);
    if (p->constant_table.slots[slot] != 0) {
        p->constants[p->constant_table.slots[slot] - 1].value = *value;
        return;
    }
    if (!rt_ts_reserve(p, &p->constants, &p->constant_capacity, p->constant_count, sizeof *p->constants)) return;
    p->constants[p->constant_count++] = (struct rt_ts_constant){owner, name_start, name_nbytes, *value};
    p->constant_table.slots[slot] = p->constant_count;
}

static const struct rt_ts_value *find_constant(const struct rt_ts_parser *p, uint32_t owner, uint32_t start,
                                               uint32_t nbytes) {
    if (p->constant_table.capacity == 0) return NULL;
    uint32_t found = p->constant_table.slots[constant_slot(p, owner, p->source + start, nbytes)];
    return found != 0 ? &p->constants[found - 1].value : NULL;
}

/* A member of the enum around, or a `const` in a scope around. */
static struct rt_ts_value plain_name(struct rt_ts_parser *p, const struct rt_ts_token *name) {
    uint32_t nbytes = name->end - name->start;
    for (uint32_t scope = p->at.scope;; scope = p->scopes[scope].parent) {
        const struct rt_ts_scope *s = &p->scopes[scope];
        const struct rt_ts_value *found = s->symbol ? find_constant(p, s->symbol, name->start, nbytes) : NULL;
        if (!found) found = find_constant(p, s->start, name->start, nbytes);
        if (found) return *found;
        if (scope == 0) break;
    }
    if (nbytes == 3 && memcmp(p->source + name->start, "NaN", 3) == 0) return number(NAN);
    if (nbytes == 8 && memcmp(p->source + name->start, "Infinity", 8) == 0) return number(INFINITY);
    rt_ts_add_name(p, name); /* if it is a constant, the second pass will know */
    return UNKNOWN;
}

/* A, E.A, E["A"] */
static struct rt_ts_value named(struct rt_ts_parser *p) {
    struct rt_ts_token name = p->at.token, member;
    rt_ts_next(p);
    if (!rt_ts_is(p, T_DOT) && !rt_ts_is(p, T_LBRACKET)) return plain_name(p, &name);
    bool bracket = rt_ts_is(p, T_LBRACKET);
    rt_ts_next(p);
    member = p->at.token;
    if (bracket) {
        member.start++;
        member.end--;
        if (!rt_ts_accept(p, T_STRING) || !rt_ts_accept(p, T_RBRACKET)) return UNKNOWN;
    } else {
        rt_ts_next(p);
    }
    uint32_t number_of_name = rt_ts_find_name(p, &name);
    uint32_t symbol = number_of_name == RT_TS_NOT_FOUND ? 0 : rt_ts_find_container(p, number_of_name);
    if (symbol == 0) return UNKNOWN;
    const struct rt_ts_value *found = find_constant(p, symbol, member.start, member.end - member.start);
    return found ? *found : UNKNOWN;
}

/* ---- operators ---- */

static struct rt_ts_value primary(struct rt_ts_parser *p) {
    struct rt_ts_token token = p->at.token;
    const char *s = p->source;
    switch (token.type) {
        case T_NUMBER: rt_ts_next(p); return number_literal(s + token.start, token.end - token.start);
        case T_STRING: rt_ts_next(p); return string_literal(p, s + token.start + 1, s + token.end - 1);
        case T_TEMPLATE:
        case T_TEMPLATE_HEAD: return template(p);
        case T_LPAREN: {
            rt_ts_next(p);
            struct rt_ts_value value = binary(p, 0);
            return rt_ts_accept(p, T_RPAREN) ? value : UNKNOWN;
        }
        default: return rt_ts_is_identifier(token.type) ? named(p) : UNKNOWN;
    }
}

static struct rt_ts_value unary(struct rt_ts_parser *p) {
    uint8_t type = p->at.token.type;
    if (type != T_PLUS && type != T_MINUS && type != T_TILDE) return primary(p);
    struct rt_ts_value value = UNKNOWN;
    if (rt_ts_enter(p)) {
        rt_ts_next(p);
        value = unary(p);
    }
    rt_ts_leave(p);
    if (value.kind != VALUE_NUMBER) return UNKNOWN;
    if (type == T_MINUS) value.number = -value.number;
    if (type == T_TILDE) value.number = ~to_int32(value.number);
    return value;
}

enum operator{
    OP_NONE,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_SHL,
    OP_SHR,
    OP_SHR_UNSIGNED,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_POW
};

/* The operator at the current token (joined, if it starts with `>`) and how tight it binds. */
static enum operator operator_here(struct rt_ts_parser *p, int *level_out) {
    static const struct {
        const char *text;
        uint8_t operator, level;
    } OPERATORS[] = {{"|", OP_OR, 1},   {"^", OP_XOR, 2},  {"&", OP_AND, 3},
                     {"<<", OP_SHL, 4}, {">>", OP_SHR, 4}, {">>>", OP_SHR_UNSIGNED, 4},
                     {"+", OP_ADD, 5},  {"-", OP_SUB, 5},  {"*", OP_MUL, 6},
                     {"/", OP_DIV, 6},  {"%", OP_MOD, 6},  {"**", OP_POW, 7}};
    if (rt_ts_is(p, T_GT)) rt_ts_join_greater(p);
    uint32_t nbytes = p->at.token.end - p->at.token.start;
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++) {
        if (strlen(OPERATORS[i].text) != nbytes) continue;
        if (memcmp(OPERATORS[i].text, p->source + p->at.token.start, nbytes) != 0) continue;
        *level_out = OPERATORS[i].level;
        return OPERATORS[i].operator;
    }
    return OP_NONE;
}

static double calculate(enum operator op, double a, double b) {
    uint32_t shift = (uint32_t)to_int32(b) & 31;
    switch (op) {
        case OP_OR: return to_int32(a) | to_int32(b);
        case OP_XOR: return to_int32(a) ^ to_int32(b);
        case OP_AND: return to_int32(a) & to_int32(b);
        case OP_SHL: return (int32_t)((uint32_t)to_int32(a) << shift);
        case OP_SHR: return to_int32(a) >> shift;
        case OP_SHR_UNSIGNED: return (uint32_t)to_int32(a) >> shift;
        case OP_ADD: return a + b;
        case OP_SUB: return a - b;
        case OP_MUL: return a * b;
        case OP_DIV: return a / b;
        case OP_MOD: return fmod(a, b);
        case OP_POW: return fabs(a) == 1 && isinf(b) ? NAN : pow(a, b);
        default: return NAN;
    }
}

/* An operand and the operators after it that bind tighter than FLOOR. */
static struct rt_ts_value binary(struct rt_ts_parser *p, int floor) {
    struct rt_ts_value left = UNKNOWN;
    if (rt_ts_enter(p)) left = unary(p);
    int level = 0;
    for (enum operator op; left.kind != VALUE_UNKNOWN && (op = operator_here(p, &level)) != OP_NONE && level > floor;) {
        rt_ts_next(p);
        struct rt_ts_value right = binary(p, op == OP_POW ? level - 1 : level);
        if (left.kind == VALUE_NUMBER && right.kind == VALUE_NUMBER) {
            left.number = calculate(op, left.number, right.number);
        } else if (op == OP_ADD && right.kind != VALUE_UNKNOWN) {
            left = concatenate(p, &left, &right);
        } else {
            left = UNKNOWN;
        }
    }
    rt_ts_leave(p);
    return left;
}

struct rt_ts_value rt_ts_evaluate(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    struct rt_ts_value value = binary(p, 0);
    bool ends = rt_ts_is(p, T_COMMA) || rt_ts_is(p, T_RBRACE) || rt_ts_is(p, T_SEMICOLON) || rt_ts_is(p, T_EOF) ||
                p->at.token.newline_before;
    if (p->at.failed || !ends) value = UNKNOWN;
    if (value.kind == VALUE_UNKNOWN || value.kind == VALUE_LONG_STRING) rt_ts_rewind(p, &mark);
    p->speculating--;
    return value;
}
