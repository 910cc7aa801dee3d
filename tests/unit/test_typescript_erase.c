// SOURCES: src/runtime/typescript*.c src/runtime/utf8.c
// LINK: -lm
/* test_typescript_erase.c: what is erased becomes blanks in place; errors say where; hostile input ends cleanly. What
 * each construct becomes is compared with TypeScript itself by tests/ts/cases.mjs. */
#include <errno.h>
#include <time.h>

#include "../test.h"
#include "runtime/typescript.h"

static char *erase(const char *source, size_t nbytes, const struct rt_ts_options *options) {
    char *out = NULL;
    size_t out_nbytes = 0;
    struct rt_ts_error error;
    int status = rt_ts_erase(source, nbytes, options, &out, &out_nbytes, &error);
    if (status != 0) fprintf(stderr, "%u:%u: %s\n", error.line, error.column, error.message);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(out[out_nbytes], 0);
    return out;
}

static void expect(const char *source, const char *expected) {
    char *out = erase(source, strlen(source), NULL);
    EXPECT_STR(out, expected);
    free(out);
}

static void expect_error(const char *source, size_t nbytes, int status, unsigned line, unsigned column) {
    char *out = NULL;
    size_t out_nbytes;
    struct rt_ts_error error;
    EXPECT_EQ(rt_ts_erase(source, nbytes, NULL, &out, &out_nbytes, &error), status);
    EXPECT_EQ(error.line, line);
    EXPECT_EQ(error.column, column);
    EXPECT(error.message[0] != 0);
}

#define EXPECT_ERROR(source, line, column) expect_error(source, sizeof(source) - 1, -EINVAL, line, column)

static void test_everyday(void) {
    expect("", "");
    expect("let x: number = 1;", "let x         = 1;");
    expect("const f = (a?: T): void => a!;", "const f = (a    )       => a ;");
    expect("type A = {\n  b: 1\n}\nx", "          \n      \n \nx");
    expect("class A { private x: T; }", "class A {         x   ; }");
    expect("const f = (): {\n a: 1\n} => {}", "const f = (    \n     \n) => {}");
    expect("const x = y as any\n(z)", "const x = y ;     \n(z)");
    expect("class A { x = 1\nreadonly [y] = 2 }", "class A { x = 1\n;        [y] = 2 }");
    expect("f = () => <any>{ a: 1 };", "f = () => (    { a: 1 });");
}

static void test_characters(void) {
    /* Two UTF-16 units are two blanks, one unit is one; line separators stay. */
    expect("let x: '\xF0\x9F\x98\x80' = 1", "let x       = 1");
    expect("let x: '\xC3\xA9' = 1", "let x      = 1");
    expect("type A =\xE2\x80\xA8 1\xE2\x80\xA9x", "        \xE2\x80\xA8  \xE2\x80\xA9x");
    expect("type A =\r\n 1\r\nx", "        \r\n  \r\nx");
    expect("\xEF\xBB\xBFlet x: T", "\xEF\xBB\xBFlet x   ");
    expect("#!/usr/bin/env fino: x\nlet x: T", "#!/usr/bin/env fino: x\nlet x   ");
    expect("let \xF0\xA0\xAE\xB7: T = \\u0061 as U", "let \xF0\xA0\xAE\xB7    = \\u0061     ");
}

static void test_lines_and_columns_after_lowering(void) {
    expect("enum E {\n A,\n B }\nx",
           "var E;(function(E){\n E[E[\"A\"]=0]=\"A\";\n E[E[\"B\"]=1]=\"B\"; })(E||(E={}));\nx");
    expect("namespace N {\n export const x = 1;\n}", "var N;(function(N){\n N.           x = 1;\n})(N||(N={}));");
}

/* Whatever stands in place of a decorator, LINE of the output is as it was, blanks aside: V8 knows a method by its
 * name. */
static void expect_line(const char *source, int line, const char *expected) {
    char *out = erase(source, strlen(source), NULL), *start = out;
    for (int i = 1; i < line; i++)
        start = strchr(start, '\n') + 1;
    *strchr(start, '\n') = 0;
    EXPECT_STR(start, expected);
    free(out);
}

static void test_decorated_places(void) {
    expect_line("class A {\n  @a\n  async work() {}\n}", 3, "  async work() {}");
    expect_line("class A {\n  @a @b(1)\n  static override *work(x: T) {}\n}", 3, "  static          *work(x   ) {}");
    expect_line("class A {\n  @a\n  private get half(): T { return 1 }\n}", 3, "          get half()    { return 1 }");
    expect_line("class A {\n  @a\n  'two words'(): T {}\n}", 3, "  'two words'()    {}");
}

/* A type's name that turns up as something else later, or the other way round. */
static void test_types_and_values_of_one_name(void) {
    expect("interface T {}\nenum E { T }\nexport { T };",
           "              \nvar E;(function(E){ E[E[\"T\"]=0]=\"T\"; })(E||(E={}));\n             ");
    expect("interface T {}\nconst T = 1;\nexport { T };", "              \nconst T = 1;\nexport { T };");
    expect("import { type T, a } from 'm';\nimport { b } from 'n';\na(b as T);",
           "import {         a } from 'm';\nimport { b } from 'n';\na(b     );");
}

static void test_errors(void) {
    EXPECT_ERROR("let x: = 1", 1, 8);
    EXPECT_ERROR("let a;\nlet b: {", 2, 9);
    EXPECT_ERROR("'\xF0\x9F\x98\x80'; x +", 1, 10); /* columns are UTF-16 units */
    EXPECT_ERROR("a\r\nb\r\n  'c", 3, 3);
    EXPECT_ERROR("/* x", 1, 1);
    EXPECT_ERROR("`a${b", 1, 6);
    EXPECT_ERROR("@dec let a", 1, 6);
    EXPECT_ERROR("export = x", 1, 1);
    EXPECT_ERROR("class A { constructor(@dec x) {} }", 1, 23);
    EXPECT_ERROR("let x: [a: \a", 1, 12);          /* a character that is read ahead is an error when it is due */
    EXPECT_ERROR("import a = require('m'", 1, 23); /* also where it is never used */
    expect_error("x\n\xFF", 3, -EILSEQ, 2, 1);
    expect_error("'\xED\xA0\x80'", 5, -EILSEQ, 1, 2); /* a surrogate */
    expect_error("'\xE2\x82", 3, -EILSEQ, 1, 2);
    expect_error("a\0b", 3, -EINVAL, 1, 2);
}

static void expect_message(const char *source, const char *message) {
    char *out;
    size_t out_nbytes;
    struct rt_ts_error error;
    EXPECT(rt_ts_erase(source, strlen(source), NULL, &out, &out_nbytes, &error) == -EINVAL);
    EXPECT_STR(error.message, message);
}

static void test_open_brackets(void) {
    expect_message("f(a,\n  [b, /[(]/, `${`{`}`", "expected , or ] but the file ends: the [ at 2:3 is still open");
    expect_message("class A {\n m() {\n}\n", "expected a property name but the file ends: the { at 1:9 is still open");
    expect_message("f(1 2)", "expected , or ) but found \"2\"");
    expect_message("let x = 1; }", "nothing is open here that \"}\" could close");
    expect_message("if (a) using b = c", "a \"using\" declaration must be in a block: put { } around it");
}

static void test_commonjs(void) {
    struct rt_ts_options options = {.commonjs = true};
    const char *source = "import a = require('a');\nexport = a;";
    char *out = erase(source, strlen(source), &options);
    EXPECT_STR(out, "const  a = require('a');\nmodule.exports= a;");
    free(out);
}

static void test_verbatim(void) {
    struct rt_ts_options options = {.verbatim_module_syntax = true};
    const char *source = "import { a, type b } from 'a';";
    char *out = erase(source, strlen(source), &options);
    EXPECT_STR(out, "import { a,        } from 'a';");
    free(out);
}

/* COUNT copies of OPEN, then of CLOSE: a result or an error, and in time. */
static void nest(const char *before, const char *open, const char *middle, const char *close, size_t count) {
    size_t n = strlen(before) + count * (strlen(open) + strlen(close)) + strlen(middle);
    char *source = malloc(n + 1), *s = source, *out = NULL;
    s += sprintf(s, "%s", before);
    for (size_t i = 0; i < count; i++)
        s += sprintf(s, "%s", open);
    s += sprintf(s, "%s", middle);
    for (size_t i = 0; i < count; i++)
        s += sprintf(s, "%s", close);
    size_t out_nbytes;
    struct rt_ts_error error;
    clock_t start = clock();
    int status = rt_ts_erase(source, n, NULL, &out, &out_nbytes, &error);
    EXPECT(status == 0 || (status == -EINVAL && error.line == 1));
    EXPECT((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    free(out);
    free(source);
}

static void test_deep_nesting(void) {
    static const char *const SHAPES[][4] = {
        {"x = ", "(", "1", ")"},
        {"x = ", "[", "1", "]"},
        {"x = ", "{a:", "1", "}"},
        {"", "{", "", "}"},
        {"let x: ", "{a:", "b", "}"},
        {"let x: ", "[", "a", "]"},
        {"let x: ", "(", "a", ")"},
        {"let x: ", "A<", "B", ">"},
        {"x = ", "<T>(", "1", ")"},
        {"x = ", "(a = ", "1", ") => b"},
        {"x = ", "a<", "b", ">(c)"},
        {"x = ", "a < ", "b", ""},
        {"x = ", "a ? (b) : ", "c", ""},
        {"x = ", "a ? (b", "c", ") : d"},
        {"x = ", "`${", "1", "}`"},
        {"", "if (a) b; else ", "c", ""},
        {"", "if (a) ", "b", ""},
        {"x = ", "!", "y", ""},
        {"x = ", "-", "y", ""},
        {"x = ", "a => ", "b", ""},
        {"", "function f() {", "", "}"},
        {"", "class A { m() {", "", "}}"},
        {"", "namespace N { export const x = 1;", "", "}"},
        {"type T = ", "A extends infer B ? ", "C", ": D"},
        {"type T = ", "(a: ", "b", ") => c"},
        {"x = ", "new ", "y", ""},
        {"x = ", "async (", "1", ")"},
        {"enum E { A = ", "(", "1", ") }"},
        {"let ", "{a:", "b", "} = c"},
        {"x = ", "<T>", "y", ""},
        {"", "{using a = b;", "", "}"},
        {"", "for (using a of b) ", "c", ""},
        {"", "a: for (using b = c;;) ", "d", ""},
        {"", "switch (a) {case 1: await using b = c;", "", "}"},
        {"using a = b;", "(", "1", ")"},
        {"x = ", "(a, () => {using b = c;", "", "})"},
    };
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        nest(SHAPES[i][0], SHAPES[i][1], SHAPES[i][2], SHAPES[i][3], 10000);
        nest(SHAPES[i][0], SHAPES[i][1], SHAPES[i][2], SHAPES[i][3], 500);
        nest(SHAPES[i][0], SHAPES[i][1], SHAPES[i][2], "", 10000);
    }
}

/* Each of these strings is twice as long as the one before. */
static void test_doubling(void) {
    static const char *const FORMS[] = {"M%d = M%d + M%d, ", "M%d = `${M%d}${E.M%d}`, "};
    for (size_t form = 0; form < sizeof FORMS / sizeof *FORMS; form++) {
        char source[4096], *s = source + sprintf(source, "enum E {M0 = \"text\", ");
        for (int i = 1; i < 60; i++)
            s += sprintf(s, FORMS[form], i, i - 1, i - 1);
        s += sprintf(s, "}");
        char *out = erase(source, (size_t)(s - source), NULL);
        EXPECT(strlen(out) < 65536);
        EXPECT(strstr(out, "E[\"M1\"]=\"texttext\"") != NULL);
        EXPECT(strstr(out, form == 0 ? "E[\"M59\"]=E.M58 + E.M58;" : "E[\"M59\"]=`${E.M58}${E.M58}`;") != NULL);
        free(out);
    }
}

/* Line and column (from 1, in UTF-16 units) of AT in TEXT. */
static void place_of(const char *text, const char *at, uint32_t *line_out, uint32_t *column_out) {
    uint32_t line = 1, column = 1;
    for (const char *s = text; s < at; s++) {
        if (strncmp(s, "\xE2\x80\xA8", 3) == 0 || *s == '\n' || (*s == '\r' && s[1] != '\n')) {
            line++;
            column = 1;
            if ((unsigned char)*s == 0xE2) s += 2;
        } else if (((unsigned char)*s & 0xC0) != 0x80) {
            column += (unsigned char)*s >= 0xF0 ? 2 : 1;
        }
    }
    *line_out = line;
    *column_out = column;
}

/* Each HERE of SOURCE is found in the output, in the same order, at its line, and at its column by what is told of
 * columns. MOVED: some is at another column there. */
static void expect_columns(const char *source, bool moved) {
    struct rt_ts_columns columns = {0};
    struct rt_ts_options options = {.jsx = true, .jsx_mode = RT_TS_JSX_CLASSIC, .columns = &columns};
    char *out = erase(source, strlen(source), &options);
    const char *here = strstr(source, "HERE"), *found = strstr(out, "HERE");
    bool any = false;
    for (; here && found; here = strstr(here + 4, "HERE"), found = strstr(found + 4, "HERE")) {
        uint32_t line, column, found_line, found_column;
        place_of(source, here, &line, &column);
        place_of(out, found, &found_line, &found_column);
        EXPECT_EQ(found_line, line);
        EXPECT_EQ(rt_ts_source_column(&columns, found_line, found_column), column);
        any = any || found_column != column;
    }
    EXPECT(!here && !found);
    EXPECT_EQ(any, moved);
    EXPECT_EQ(columns.count > 0, moved);
    free(columns.shifts);
    free(out);
}

static void test_columns(void) {
    expect_columns("let HERE: number = HERE as any;", false);
    expect_columns("enum E { A = HERE, B = HERE } HERE", true);
    expect_columns("enum E { A = HERE, B = HERE } HERE\nHERE; let b: T = HERE\nenum F { A = HERE } let a = HERE", true);
    expect_columns("enum E { A = HERE }          HERE /* \U0001F600 */ ; enum F { A = HERE } HERE", true);
    expect_columns("enum E { A = HERE, B = HERE } HERE\rHERE\renum F { A = HERE, B = HERE }", true);
    expect_columns("enum E { A = HERE, B = HERE } HERE\u2028HERE\u2028enum F { A = HERE, B = HERE }", true);
    expect_columns("a = <b c={HERE}>{HERE}text{HERE}<d/>{HERE}</b>; HERE", true);
    /* Of what was written, the column is no later than where the source goes on. */
    struct rt_ts_columns columns = {0};
    struct rt_ts_options options = {.columns = &columns};
    char *out = erase("enum E { A = f() } g()", 22, &options);
    uint32_t last = 0;
    for (uint32_t column = 1; column <= strlen(out); column++) {
        uint32_t found = rt_ts_source_column(&columns, 1, column);
        EXPECT(found >= last && found <= 23);
        last = found;
    }
    EXPECT_EQ(rt_ts_source_column(&columns, 2, 50), 50);
    free(columns.shifts);
    free(out);
}

static void test_huge(void) {
    static const char LINE[] = "export function f<T>(a: T, b?: Array<T>): T { return (a as any)!.b < c ? d : e; }\n";
    size_t count = (50u << 20) / (sizeof LINE - 1), nbytes = count * (sizeof LINE - 1);
    char *source = malloc(nbytes);
    for (size_t i = 0; i < count; i++)
        memcpy(source + i * (sizeof LINE - 1), LINE, sizeof LINE - 1);
    char *out = erase(source, nbytes, NULL);
    EXPECT_EQ(strlen(out), nbytes);
    free(out);
    free(source);
}

int main(void) {
    test_everyday();
    test_characters();
    test_lines_and_columns_after_lowering();
    test_decorated_places();
    test_types_and_values_of_one_name();
    test_errors();
    test_open_brackets();
    test_commonjs();
    test_verbatim();
    test_deep_nesting();
    test_doubling();
    test_columns();
    test_huge();
    return 0;
}
