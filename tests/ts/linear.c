/* linear.c: what rt_ts_erase() takes for a file of four times the size is four times as much, whatever the file is made
 * of. What it takes is counted, not timed: blocks of code entered (the compiler inserts the calls, see
 * test-ts-linear.sh) and bytes that the C library copies, compares and clears.
 *
 *   linear [PATTERN]     shapes whose text has PATTERN only
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript.h"

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    steps++;
}

#define COUNTED(result, name, parameters, arguments, nbytes)                                                           \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters {                                                                                  \
        steps += (nbytes) / 16 + 1;                                                                                    \
        return __real_##name arguments;                                                                                \
    }
COUNTED(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), n)
COUNTED(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), n)
COUNTED(void *, memset, (void *to, int c, size_t n), (to, c, n), n)
COUNTED(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), n)
COUNTED(size_t, strlen, (const char *s), (s), __real_strlen(s))

void *__real_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n) {
    const char *found = __real_memchr(s, c, n);
    steps += (found ? (size_t)(found - (const char *)s) : n) / 16 + 1;
    return (void *)(uintptr_t)found;
}

/* BEFORE, so many of EACH, in which %d is the number of its own, AFTER. Nesting ends at a limit: there, a file is
 * lines. */
struct shape {
    const char *before, *each, *after;
    struct rt_ts_options options;
};

#define TSX .jsx = true
static const struct shape SHAPES[] = {
    {"", "export function f%d<T>(a: T, b?: Array<T>): T { return (a as any)!.b < c ? d : e; }\n", "", {0}},
    {"", "type T%d = { a: string; b?: (x: number) => x is 1 };\n", "", {0}},
    {"", "interface I%d<T> extends J<T> { [key: string]: T; m?(): void }\n", "", {0}},
    {"", "import { a%d, type b%d } from 'm%d';\n", "", {0}},
    {"", "import a%d from 'm'; a%d();\n", "", {0}},
    {"import { ", "a%d, ", "} from 'm';", {0}},
    {"import { ", "a%d, ", "} from 'm'; let x: a1; a2;", {0}},
    {"export { ", "a%d, ", "};", {0}},
    {"interface a0 {} ", "export { a0 as b%d };", "", {0}},
    {"", "interface a%d {} export { a%d };", "", {0}},
    {"enum E { ", "A%d, ", "}", {0}},
    {"enum E { A = 1", ", A%d = A << %d", "}", {0}},
    {"enum E { A = 'x', ", "A%d = `${A}${E.A}`, ", "}", {0}},
    {"enum E { A, ", "'a b %d' = A | E['A'], ", "}", {0}},
    {"", "enum E%d { A = %d, B = A + 1 }\n", "", {0}},
    {"", "enum E { A%d = %d }\n", "", {0}},
    {"enum E { A0 } ", "enum F%d { A = E.A0 }\n", "", {0}},
    {"", "const enum E%d { A = 'x' } let x%d = E%d.A;\n", "", {0}},
    {"", "namespace N%d { export const a = %d; a; }\n", "", {0}},
    {"", "namespace N { export let a%d = %d; a%d++; }\n", "", {0}},
    {"namespace N { ", "export let a%d = %d; a%d++;\n", "}", {0}},
    {"namespace N { export let a; ", "function f%d(a) { return a } a;\n", "}", {0}},
    {"", "namespace A.B.C%d { export const x = 1; }\n", "", {0}},
    {"", "class A%d<T> extends B<T> { private x: T = 1; constructor(public y: T) { super(); } }\n", "", {0}},
    {"class A { constructor(", "private x%d: T, ", ") {} }", {0}},
    {"class A { ", "declare a%d: T; private b%d?: T = 1; m%d(): void; m%d() {}\n", "}", {0}},
    {"class A { ", "a%d: T; b%d = 1; static c%d = 2;\n", "constructor() { x(); } }", {.assign_fields = true}},
    {"class A { ", "['a' + %d] = 1;\n", "}", {.assign_fields = true}},
    {"class A { ", "accessor a%d: T = 1;\n", "}", {0}},
    {"class A { ", "@d m%d() {}\n", "}", {0}},
    {"class A { ", "@d(%d) accessor a%d = 1; @e static f%d;\n", "}", {0}},
    {"", "@d class A%d { @e x; @f static m() {} }\n", "", {0}},
    {"",
     "@d class A%d { @e x: T; m(@f a: B, b: C) {} }\n",
     "",
     {.legacy_decorators = true, .decorator_metadata = true}},
    {"class A { ", "@d m%d(a: B%d): C.D {}\n", "}", {.legacy_decorators = true, .decorator_metadata = true}},
    {"import { B } from 'b'; class A { @d m(",
     "a%d: B, ",
     ") {} }",
     {.legacy_decorators = true, .decorator_metadata = true}},
    {"", "@d ", "class A {}", {0}},
    {"", "{ using a%d = b; await using c = d; }\n", "", {0}},
    {"", "using a%d = b; export const c%d = a%d;\n", "", {0}},
    {"using a = b;", "import { a%d } from 'b%d'; function f%d() {}\n", "", {0}},
    {"function f() {", "using a%d = b, c%d = d;\n", "}", {0}},
    {"using a = b; let ", "a%d = %d, ", "z", {0}},
    {"", "<a b={c as T} {...d}>text {e} <F%d/></a>;\n", "", {TSX}},
    {"<a>", "<b/>text %d {e}\n", "</a>", {TSX}},
    {"<a ", "b%d={c} {...d} ", "/>", {TSX}},
    {"<a ", "b%d={c} key=\"x\" ", "/>", {TSX, .jsx_mode = RT_TS_JSX_CLASSIC}},
    {"<a>", "\n  lines &amp; %d", "</a>", {TSX}},
    {"", "<a b=\"%d\"/>;\n", "", {TSX, .jsx_mode = RT_TS_JSX_DEVELOPMENT, .path = "a.tsx"}},
    {"", "declare module 'm%d' { export type T = 1; }\n", "", {0}},
    {"", "declare global { var a%d: T; }\n", "", {0}},
    {"", "import A%d = B.C; A%d;\n", "", {0}},
    {"", "import A%d = require('a'); A%d;\n", "", {.commonjs = true}},
    {"", "import A%d = A.B;", "", {0}},
    {"x = ", "a < b%d || ", "c", {0}},
    {"x = ", "a<b>(c%d) + ", "c", {0}},
    {"x = ", "(a < b), ", "c", {0}},
    {"x = ", "(a%d, b?) => c, ", "c", {0}},
    {"x = ", "(a as any as T)!, ", "c", {0}},
    {"x = ", "<any>a%d, ", "c", {0}},
    {"x = y", "!.a?.b%d!", "", {0}},
    {"x = y", " as any", "", {0}},
    {"x = a", " < b", "", {0}},
    {"x = `", "${a as T} %d ", "`", {0}},
    {"x = ", "a%d ? (b) : ", "c", {0}},
    {"x = [", "a%d < b, c > (d), ", "]", {0}},
    {"f(", "a < b%d, c > d, ", ")", {0}},
    {"let x: ", "A%d<B>['c'] | ", "D", {0}},
    {"let x: {", "a%d: (b: C) => D;", "}", {0}},
    {"let x: [", "a%d?: B, ", "]", {0}},
    {"let x: A", "[]", "", {0}},
    {"type T<A> = ", "A extends infer B extends C%d ? D : ", "E", {0}},
    {"", "a%d\n(b as T)\n", "", {0}},
    {"", "type\n", "", {0}},
    {"", "abstract\n", "class A {}", {0}},
    {"", "async ", "", {0}},
    {"", "a%d: ", "b", {0}},
    {"", "// comment %d\n", "", {0}},
    {"/*", "\n", "*/", {0}},
    {"", "\xE2\x80\xA8\xF0\x9F\x98\x80", "", {0}},
    {"'", "\\n\xC3\xA9", "'", {0}},
    {"/", "[/]\\/", "/", {0}},
    {"let x: `", "${infer A} ", "`", {0}},
    {"f(", "[", "", {0}},
    {"f(", "(a = ", "", {0}},
    {"x = ", "{a:", "", {0}},
    {"", "`${", "", {0}},
    {"let x: ", "A<", "", {0}},
    {"x = ", "a<", "", {0}},
    {"", "<a>", "", {TSX}},
    {"", "}", "", {0}},
    {"", "{\n", "", {0}},
};

enum { FEW = 3000, TIMES = 4 };

static char *add(char *to, const char *text, int number) {
    for (; *text; text++) {
        if (text[0] == '%' && text[1] == 'd') {
            to += sprintf(to, "%d", number);
            text++;
        } else {
            *to++ = *text;
        }
    }
    return to;
}

static uint64_t steps_of(const struct shape *shape, int count, int *status_out) {
    size_t capacity = strlen(shape->before) + strlen(shape->after) + (size_t)count * (strlen(shape->each) + 24);
    char *source = malloc(capacity + 1), *end = add(source, shape->before, 0), *out = NULL;
    for (int i = 0; i < count; i++)
        end = add(end, shape->each, i + 1000000); /* all equally long */
    end = add(end, shape->after, 0);
    size_t out_nbytes;
    struct rt_ts_error error;
    steps = 0;
    *status_out = rt_ts_erase(source, (size_t)(end - source), &shape->options, &out, &out_nbytes, &error);
    uint64_t taken = steps;
    free(out);
    free(source);
    return taken;
}

int main(int argc, char **argv) {
    int failures = 0, tried = 0, erased = 0;
    double worst = 0;
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        const struct shape *shape = &SHAPES[i];
        if (argc > 1 && !strstr(shape->each, argv[1])) continue;
        int status;
        uint64_t few = steps_of(shape, FEW, &status), many = steps_of(shape, FEW * TIMES, &status);
        double ratio = (double)many / (double)few;
        tried++;
        erased += status == 0;
        worst = ratio > worst ? ratio : worst;
        /* Tables that double make for some unevenness. */
        if (ratio <= TIMES * 1.25 && few > 0) continue;
        printf("%.2f times the steps (%llu, %llu) for %d times as much: %s%s...%s\n", ratio, (unsigned long long)few,
               (unsigned long long)many, TIMES, shape->before, shape->each, shape->after);
        failures++;
    }
    printf("%d shapes, %d of them programs: at most %.2f times the steps for %d times as much\n", tried, erased, worst,
           TIMES);
    return failures > 0 || tried == 0;
}
