/* typescript_internal.h: what the parts of the TypeScript eraser share: tokens, the parser's state, its edits.
 *
 * One recursive-descent pass over the tokens recognises TypeScript and writes down *edits* (blank these characters, put
 * that text there); no tree is built. What is ambiguous (`<`, `(`) is tried and rolled back: everything that a try may
 * change is in struct rt_ts_cursor, so that a roll-back is one assignment. Each offset is tried at most once with each
 * meaning (rt_ts_memo_*), which keeps the time linear.
 *
 * Errors latch: after the first one every token reads as T_EOF, so callers need not check after each step.
 *
 *   typescript_lex.c     tokens                         typescript_type.c    type syntax, which is all blanked
 *   typescript_edit.c    edits, output, memory, errors  typescript_expr.c    expressions, functions, patterns
 *   typescript_scope.c   names that need resolving      typescript_class.c   classes
 *   typescript_module.c  import and export              typescript_stmt.c    statements and declarations
 *   typescript_enum.c    enum                           typescript_constant.c  what an enum's members evaluate to
 *   typescript_namespace.c  namespace, import a = b.c
 *   typescript_field.c   fields, accessor               typescript_decorator.c  decorators
 *   typescript_using.c   using, await using             typescript_bracket.c  which bracket is open, for errors
 *   typescript_metadata.c  what legacy decorators learn of types
 *   typescript_jsx.c     elements                       typescript_jsx_text.c  text and entities in them
 *   typescript_columns.c  where columns are not the source's
 */
#ifndef FINO_RT_TYPESCRIPT_INTERNAL_H
#define FINO_RT_TYPESCRIPT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/typescript.h"

enum rt_ts_token_type {
    T_EOF,
    T_NUMBER,
    T_STRING,
    T_TEMPLATE,      /* `...` without substitutions */
    T_TEMPLATE_HEAD, /* `...${ */
    T_PRIVATE,       /* #name */
    T_LBRACE,
    T_RBRACE,
    T_LPAREN,
    T_RPAREN,
    T_LBRACKET,
    T_RBRACKET,
    T_SEMICOLON,
    T_COMMA,
    T_COLON,
    T_QUESTION,
    T_QUESTION_DOT,
    T_DOT,
    T_ELLIPSIS,
    T_ARROW,
    T_AT,
    T_BANG,
    T_TILDE,
    T_INCREMENT, /* ++ or -- */
    T_ASSIGN,
    T_LT,
    T_LSHIFT, /* << or <<=; rt_ts_split_lshift() turns it into T_LT */
    T_GT,     /* always one `>`; rt_ts_join_greater() makes an operator of it */
    T_PLUS,
    T_MINUS,
    T_STAR,
    T_SLASH, /* `/` or `/=`; where an operand is due it starts a regular expression */
    T_PIPE,
    T_AMPERSAND,
    T_BINARY, /* every other binary or assignment operator */

    T_IDENT, /* from here on: names */
    /* Words that are names outside their own contexts. */
    K_ABSTRACT,
    K_ACCESSOR,
    K_AS,
    K_ASSERT,
    K_ASSERTS,
    K_ASYNC,
    K_AWAIT,
    K_CONSTRUCTOR,
    K_DECLARE,
    K_FROM,
    K_GET,
    K_GLOBAL,
    K_IMPLEMENTS,
    K_INFER,
    K_INTERFACE,
    K_IS,
    K_KEYOF,
    K_LET,
    K_MODULE,
    K_NAMESPACE,
    K_OF,
    K_OUT,
    K_OVERRIDE,
    K_PRIVATE,
    K_PROTECTED,
    K_PUBLIC,
    K_READONLY,
    K_REQUIRE,
    K_SATISFIES,
    K_SET,
    K_STATIC,
    K_TYPE,
    K_UNIQUE,
    K_USING,
    K_YIELD,
    /* Reserved words. */
    K_BREAK,
    K_CASE,
    K_CATCH,
    K_CLASS,
    K_CONST,
    K_CONTINUE,
    K_DEBUGGER,
    K_DEFAULT,
    K_DELETE,
    K_DO,
    K_ELSE,
    K_ENUM,
    K_EXPORT,
    K_EXTENDS,
    K_FALSE,
    K_FINALLY,
    K_FOR,
    K_FUNCTION,
    K_IF,
    K_IMPORT,
    K_IN,
    K_INSTANCEOF,
    K_NEW,
    K_NULL,
    K_RETURN,
    K_SUPER,
    K_SWITCH,
    K_THIS,
    K_THROW,
    K_TRUE,
    K_TRY,
    K_TYPEOF,
    K_VAR,
    K_VOID,
    K_WHILE,
    K_WITH,
};

struct rt_ts_token {
    uint8_t type;
    bool newline_before;
    uint32_t start, end; /* offsets in bytes */
};

/* Everything that a try may change. The counts are lengths of the parser's arrays: rolling back cuts them. */
struct rt_ts_cursor {
    struct rt_ts_token token;
    uint32_t previous_end; /* end of the token before */
    uint32_t depth;
    uint32_t erased; /* > 0: inside something that is blanked as a whole: no edits, no references */
    uint32_t scope;
    uint32_t edit_count, text_nbytes, reference_count, declaration_count, scope_count;
    uint32_t restricted_at; /* see rt_ts_restrict() */
    uint8_t restriction;
    bool paren_open;
    bool failed;
    bool computed_name;   /* inside the brackets of a member's name */
    bool ambient;         /* inside something that is only declared */
    uint32_t value_count; /* statements so far that leave something at run time */
    uint32_t needs;       /* NEEDS_... */
    uint32_t tail_nbytes;
    uint32_t class_count, private_count; /* how many names were made up so far */
};

/* The characters from START to END become TEXT and then blanks, newlines kept; text longer than what it replaces
 * borrows from the blanks that follow on its line. */
struct rt_ts_edit {
    uint32_t start, end;
    uint32_t text, text_nbytes;
};

/* A name that has to be resolved: one that an import, an enum or a namespace declares. Others are never looked at. */
struct rt_ts_name {
    uint32_t start, nbytes;
};

enum rt_ts_declared {
    DECLARED_VAR,
    DECLARED_LEXICAL,
    DECLARED_PARAMETER,
    DECLARED_IMPORT,
    DECLARED_EXPORT,
    DECLARED_TYPE
};

struct rt_ts_declaration {
    uint32_t name;
    uint32_t scope;  /* or, of an enum's member or a namespace's export, the symbol of that */
    uint32_t detail; /* DECLARED_IMPORT: which binding */
    uint8_t kind;
};

/* REFERENCE_SHORTHAND: { a } as an expression or an assignment pattern. REFERENCE_COMPUTED: the name of a member of a
 * type, { [a]: T }; TypeScript counts it as a use though it is blanked, unless it is ambient. */
enum rt_ts_referenced { REFERENCE_VALUE, REFERENCE_SHORTHAND, REFERENCE_COMPUTED };

struct rt_ts_reference {
    uint32_t name, scope, start;
    uint32_t alias; /* > 0: binding alias - 1 names this, so it counts only if that one is used */
    uint8_t kind;
};

struct rt_ts_scope {
    uint32_t parent;
    uint32_t start;                /* where in the source: unlike its number the same in every pass */
    uint32_t symbol;               /* of the enum or namespace whose body it is, or 0 */
    uint32_t name_start, name_end; /* that one's name */
    bool renamed;                  /* the body has a name like it: inside it is called NAME_1 */
    bool is_function;
};

/* An enum or a namespace, with all declarations that merge. Its symbol is RT_TS_SYMBOL plus its number. */
enum { RT_TS_SYMBOL = 1u << 30 };
struct rt_ts_container {
    uint32_t owner; /* start of the scope it is in, or symbol of the namespace that exports it */
    uint32_t name;
    uint32_t first; /* offset of the first declaration */
};

/* What is known about a constant expression. */
struct rt_ts_value {
    enum { VALUE_UNKNOWN, VALUE_NUMBER, VALUE_STRING, VALUE_LONG_STRING /* its text is not known */ } kind;
    double number;
    uint32_t text, text_nbytes; /* in the parser's `strings`; lone surrogates are three bytes each */
};
struct rt_ts_constant {
    uint32_t owner; /* symbol of the enum, or start of the scope of a `const` */
    uint32_t name_start, name_nbytes;
    struct rt_ts_value value;
};

/* One name that an import brings in or a local export gives away. Its edit is made empty when it is parsed, and filled
 * in when it is known whether the name has a value. */
struct rt_ts_binding_use {
    uint32_t start, end; /* what to blank if it has none */
    uint32_t edit;
    uint32_t name;
    uint32_t name_start, name_end;
    uint32_t reference; /* import a = b.c: 1 + number of the reference to b */
    bool is_export;
    bool needs_require; /* import a = require() where there is none: an error if it is used */
    bool used;
};
struct rt_ts_module_statement {
    uint32_t start, end, edit;
    uint32_t keep_end, keep_text, keep_text_nbytes; /* the edit if it stays */
    uint32_t first_binding, binding_count;
    uint32_t named_start, named_end, named_edit; /* `, { ... }` or `, * as ns` behind a default import */
    uint32_t first_named;
    uint32_t from_end; /* of an import's `from`, or 0 */
    bool guard;        /* what follows would join what stands before: leave a `;` */
};

/* Text that grows. Owns: whoever made it frees `bytes`. */
struct rt_ts_text {
    char *bytes;
    size_t nbytes, capacity;
    bool failed; /* for want of memory */
};

/* What a type of the file is, or how an accessor is annotated: for metadata. */
enum rt_ts_noted_kind {
    NOTED_OBJECT, /* an interface, a type from elsewhere */
    NOTED_CLASS,
    NOTED_ALIAS,
    NOTED_ENUM_NUMBERS, /* enums are the last */
    NOTED_ENUM_STRINGS,
    NOTED_ENUM_MIXED,
};
struct rt_ts_noted {
    uint32_t owner;                /* start of the scope or of the class's body it is in, or symbol of the namespace */
    struct rt_ts_token name, type; /* type: its first token, if it has any */
    const char *result;            /* of an alias, once that is known */
    uint8_t kind, space;
};

enum { RT_TS_MAX_DEPTH = 1200 };
enum { RT_TS_NAME_FILTER_BITS = 10 };

/* Open addressing: indices + 1 into an array, 0 is free. The owner knows how to hash and compare. */
struct rt_ts_table {
    uint32_t *slots;
    uint32_t count, capacity;
};

/* What the output needs that the source has not: written behind its end, where everything is hoisted from. */
enum {
    NEEDS_JSX = 1,
    NEEDS_JSXS = 2,
    NEEDS_FRAGMENT = 4,
    NEEDS_CREATE_ELEMENT = 8,
    NEEDS_JSX_DEV = 16,
    NEEDS_KEYED = 32,
    NEEDS_DECORATORS = 64,
    NEEDS_LEGACY_DECORATORS = 128,
    NEEDS_USING = 256,
    NEEDS_METADATA = 512,
};

/* Which functions elements become calls of. Each text is part of the source, of the options or a constant. */
struct rt_ts_jsx_settings {
    enum rt_ts_jsx mode;
    struct rt_ts_slice {
        const char *text;
        uint32_t nbytes;
    } factory, fragment, source;
};

struct rt_ts_place {
    uint32_t line, column;
};

struct rt_ts_parser {
    const char *source; /* padded with NUL bytes */
    uint32_t nbytes;
    struct rt_ts_options options;
    struct rt_ts_cursor at;
    struct rt_ts_token ahead; /* what rt_ts_look_ahead() saw last */
    uint32_t ahead_of;        /* the end of the token before that, or 0 */
    uint32_t speculating;     /* > 0: errors are not for people */
    struct rt_ts_error *error;
    int status;

    struct rt_ts_edit *edits;
    uint32_t edit_capacity;
    char *text;
    uint32_t text_capacity;
    uint64_t *memo; /* open addressing: offset << RT_TS_MEANING_BITS | meaning; 0 is empty */
    uint32_t memo_count, memo_capacity;

    struct rt_ts_name *names;
    uint32_t name_count, name_capacity;
    struct rt_ts_table name_table;
    uint8_t name_filter[1 << RT_TS_NAME_FILTER_BITS];
    bool names_missed; /* a name was looked up that is not in the table */
    bool again;        /* a name was added after that: parse once more, knowing it */
    uint32_t alias;    /* inside b.c of import a = b.c: 1 + the number of that binding */
    uint32_t super_calls;
    struct rt_ts_place *places; /* every so many bytes of the source, once one was asked for: rt_ts_locate() */
    struct rt_ts_text tail;     /* what rt_ts_append() wrote, as far as the cursor says */
    char suffix[16];            /* see rt_ts_suffix() */
    bool suffix_chosen;
    struct rt_ts_token name_hint; /* what the anonymous class that starts at name_hint_at is assigned to */
    uint32_t name_hint_at;
    uint32_t import_options_at;        /* where the second argument of the last import() starts */
    struct rt_ts_using *using;         /* what a `using` here would be in */
    bool has_using;                    /* some list or statement is to be wrapped for one */
    bool guards_module;                /* there is one at the module's top */
    uint32_t labels_start, labels_end; /* of the last label, with those before it, and the statement behind it */
    struct rt_ts_text *exported_names; /* not NULL: `,NAME` of each variable declared goes there */
    struct rt_ts_jsx_settings jsx;
    struct rt_ts_scope *scopes;
    uint32_t scope_capacity;
    struct rt_ts_declaration *declarations;
    uint32_t declaration_capacity;
    struct rt_ts_reference *references;
    uint32_t reference_capacity;
    struct rt_ts_binding_use *bindings;
    uint32_t binding_count, binding_capacity;
    struct rt_ts_module_statement *statements;
    uint32_t statement_count, statement_capacity;
    struct rt_ts_token *type_names; /* interfaces and aliases of the module: an export may have to go for them */
    uint32_t type_name_count, type_name_capacity;
    struct rt_ts_container *containers;
    uint32_t container_count, container_capacity;
    struct rt_ts_constant *constants;
    uint32_t constant_count, constant_capacity;
    struct rt_ts_table container_table, constant_table;
    struct rt_ts_noted *noted;
    uint32_t noted_count, noted_capacity;
    struct rt_ts_table noted_table;
    char *strings;
    uint32_t strings_nbytes, strings_capacity;
};

/* ---- typescript.c ---- */

/* Goes to the first token, past a byte order mark and a hashbang line. */
void rt_ts_first_token(struct rt_ts_parser *p);

/* ---- typescript_bracket.c ---- */

/* At the file's end: the innermost bracket or `${` that is still open. Returns false if that can't be told. */
bool rt_ts_open_bracket(struct rt_ts_parser *p, struct rt_ts_token *bracket_out);

/* ---- typescript_columns.c ---- */

/* Moves PLACE, that of FROM, to TO. A character counts where it begins: both may be anywhere. */
void rt_ts_advance(const char *s, uint32_t from, uint32_t to, struct rt_ts_place *place);
/* From OFFSET of the output on, columns are SHIFT more than in the source. Returns false without memory. */
bool rt_ts_columns_add(struct rt_ts_columns *columns, uint32_t offset, uint32_t shift);
/* Once OUTPUT is complete: makes lines and columns of those offsets. */
void rt_ts_columns_place(struct rt_ts_columns *columns, const char *output);

/* ---- typescript_edit.c ---- */

/* Latches the first error at OFFSET. A try's errors stay silent. */
void rt_ts_fail(struct rt_ts_parser *p, uint32_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Latches "expected WHAT" at the current token. */
void rt_ts_expected(struct rt_ts_parser *p, const char *what);
void rt_ts_fail_memory(struct rt_ts_parser *p);
/* Sets *PLACE_OUT's line, column (in UTF-16 units; both from 1) and offset. */
void rt_ts_locate(struct rt_ts_parser *p, uint32_t offset, struct rt_ts_error *place_out);
/* Grows *ARRAY of elements of SIZE bytes to hold COUNT + 1 of them. Returns false (and latches) without memory. */
bool rt_ts_reserve(struct rt_ts_parser *p, void *array, uint32_t *capacity, uint32_t count, size_t size);

void rt_ts_erase_range(struct rt_ts_parser *p, uint32_t start, uint32_t end);
void rt_ts_replace(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *text, size_t text_nbytes);
/* Forgets what was written down since MARK and blanks from START to the end of the token before. */
void rt_ts_erase_since(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t start);
/* Would the current token, if all since MARK were blank, join the statement or member before MARK that ended with a
 * line only? */
bool rt_ts_joins(const struct rt_ts_parser *p, const struct rt_ts_cursor *mark);
/* rt_ts_erase_since() for a whole statement or member: leaves a `;` when rt_ts_joins(). */
void rt_ts_erase_whole(struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t start);
bool rt_ts_has_newline(const struct rt_ts_parser *p, uint32_t start, uint32_t end);
/* Output: NUL-terminated. Returns NULL without memory. May use up the parser's copy of the source. */
char *rt_ts_apply_edits(struct rt_ts_parser *p, size_t *out_nbytes);

enum rt_ts_meaning {
    MEANING_ARROW = 1,
    MEANING_NOT_ARROW,
    MEANING_NOT_TYPE_ARGUMENTS,
    MEANING_RENAMED,    /* a namespace whose body has a name like its own */
    MEANING_COMPUTED,   /* an enum with members that are no constants */
    MEANING_USING,      /* a list of statements with a `using` */
    MEANING_USING_PART, /* a statement with a `using` in a part of it */
};
enum { RT_TS_MEANING_BITS = 3 };
void rt_ts_memo_set(struct rt_ts_parser *p, uint32_t offset, enum rt_ts_meaning meaning);
bool rt_ts_memo_has(const struct rt_ts_parser *p, uint32_t offset, enum rt_ts_meaning meaning);

/* Returns false, and latches, when nesting is too deep. Pair with rt_ts_leave(), whatever it returned. */
bool rt_ts_enter(struct rt_ts_parser *p);
static inline void rt_ts_leave(struct rt_ts_parser *p) {
    p->at.depth--;
}

/* Goes back to MARK, silent errors included. */
static inline void rt_ts_rewind(struct rt_ts_parser *p, const struct rt_ts_cursor *mark) {
    if (p->status == 0) p->at = *mark;
}

enum rt_ts_restriction { RESTRICT_NONE, RESTRICT_NEWLINE, RESTRICT_BRACE };
/* The expression that starts at the current token may not start with a line break (after `return`) or with a brace
 * (a statement, an arrow function's body). If blanking a type assertion would bring that about, the assertion's first
 * character becomes `(`, and rt_ts_close_restricted(), called after the expression with what this returned, adds `)`.
 */
bool rt_ts_restrict(struct rt_ts_parser *p, enum rt_ts_restriction restriction);
void rt_ts_close_restricted(struct rt_ts_parser *p, bool outer);
/* At the operand of assertions that start at START and whose first edit is EDIT. */
void rt_ts_check_restricted(struct rt_ts_parser *p, uint32_t start, uint32_t edit);

/* Writes text at the end of the file, where it is hoisted from: imports and function declarations. */
void rt_ts_append(struct rt_ts_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* After all else: makes that text an edit. */
void rt_ts_end_output(struct rt_ts_parser *p);
/* What is added to the names of helpers so that the source has none like them. */
const char *rt_ts_suffix(struct rt_ts_parser *p);
/* An edit at AT that changes nothing until rt_ts_fill() makes something of it. Returns its number. */
uint32_t rt_ts_placeholder(struct rt_ts_parser *p, uint32_t at);
void rt_ts_fill(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void rt_ts_text_format(struct rt_ts_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rt_ts_text_put(struct rt_ts_text *text, const char *bytes, size_t nbytes);
/* What the source from START to END becomes by the edits from number EDIT on, without what is blanked, appended to
 * TEXT. */
void rt_ts_render(struct rt_ts_parser *p, uint32_t start, uint32_t end, uint32_t edit, struct rt_ts_text *text);
/* rt_ts_replace() with formatted text. */
void rt_ts_replace_format(struct rt_ts_parser *p, uint32_t start, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Makes an edit of what rt_ts_replace(p, at, at, NULL, 0) left as number EDIT. */
void rt_ts_fill_edit(struct rt_ts_parser *p, uint32_t edit, uint32_t start, uint32_t end, const char *text,
                     size_t text_nbytes);

/* ---- typescript_scope.c ---- */

enum { RT_TS_NOT_FOUND = UINT32_MAX };
/* The number of a name that is resolved, or RT_TS_NOT_FOUND. */
uint32_t rt_ts_find_name(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* Makes NAME one of those that are resolved. Returns its number. */
uint32_t rt_ts_add_name(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* The same without asking for a second parse if it may have been missed so far. */
uint32_t rt_ts_intern_name(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* Scopes open at the current one; push returns what pop wants. */
uint32_t rt_ts_push_scope(struct rt_ts_parser *p, bool is_function);
void rt_ts_pop_scope(struct rt_ts_parser *p, uint32_t outer);
void rt_ts_declare(struct rt_ts_parser *p, const struct rt_ts_token *name, enum rt_ts_declared kind);
/* In SCOPE, which may be a symbol. */
void rt_ts_declare_in(struct rt_ts_parser *p, const struct rt_ts_token *name, enum rt_ts_declared kind, uint32_t scope,
                      uint32_t detail);
void rt_ts_reference(struct rt_ts_parser *p, const struct rt_ts_token *name, enum rt_ts_referenced kind);
/* A use of a name that the output has but the source has not: the NBYTES at TEXT. */
void rt_ts_reference_text(struct rt_ts_parser *p, const char *text, uint32_t nbytes);
/* Is something called NAME declared since MARK? */
bool rt_ts_declared_since(const struct rt_ts_parser *p, const struct rt_ts_cursor *mark, uint32_t name);
/* The enum or namespace NAME that OWNER has, made if it is not there. *IS_FIRST_OUT: no declaration stands before
 * OFFSET. */
uint32_t rt_ts_container(struct rt_ts_parser *p, uint32_t owner, uint32_t name, uint32_t offset, bool *is_first_out);
/* The symbol of the enum or namespace that NAME means in the current scope, or 0. */
uint32_t rt_ts_find_container(struct rt_ts_parser *p, uint32_t name);
/* A function or class that an enum or namespace of the same name can merge with. */
void rt_ts_declare_mergeable(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* An interface, alias or namespace without values. Only those of the module's own scope count. */
void rt_ts_declare_type(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* The declaration at OFFSET leaves nothing behind: it is not the first of SYMBOL. */
void rt_ts_forget_container(struct rt_ts_parser *p, uint32_t symbol, uint32_t offset);
/* After the first pass: asks for a second one if an export may be of a type. */
void rt_ts_check_exports(struct rt_ts_parser *p);
/* After parsing: blanks the imports that no value uses and the exports of types, and puts the namespace before the
 * references to what it exports. */
void rt_ts_resolve(struct rt_ts_parser *p);
bool rt_ts_grow_table(struct rt_ts_parser *p, struct rt_ts_table *table);

/* ---- typescript_constant.c ---- */

/* Evaluates the constant expression at the current token, up to one of `,` `}` `;` `)` or a new line, and steps past
 * it. Returns VALUE_UNKNOWN, without having moved, if it is none, and so VALUE_LONG_STRING. */
struct rt_ts_value rt_ts_evaluate(struct rt_ts_parser *p);
void rt_ts_add_constant(struct rt_ts_parser *p, uint32_t owner, uint32_t name_start, uint32_t name_nbytes,
                        const struct rt_ts_value *value);
/* JavaScript's text of VALUE into BUFFER. */
enum { RT_TS_NUMBER_NBYTES = 64 };
void rt_ts_format_number(double value, char buffer[RT_TS_NUMBER_NBYTES]);

/* ---- typescript_enum.c ---- */
/* MARK: at `enum`, `const` or the `export` before it. */
void rt_ts_enum(struct rt_ts_parser *p, const struct rt_ts_cursor *mark);

/* ---- typescript_namespace.c ---- */
void rt_ts_namespace(struct rt_ts_parser *p, const struct rt_ts_cursor *mark);
/* In a namespace's body, after `export`: var, let or const. */
void rt_ts_namespace_variables(struct rt_ts_parser *p, const struct rt_ts_cursor *mark);
/* Is the current scope a namespace's body? */
bool rt_ts_in_namespace(const struct rt_ts_parser *p);
/* Adds ` N.name=name;` after what was just parsed, and makes NAME an export of the namespace N. */
void rt_ts_namespace_export(struct rt_ts_parser *p, const struct rt_ts_token *name);
/* How an enum or namespace called NAME starts and ends: `var E; (function (E) {` and `})(E || (E = {}));`. */
struct rt_ts_frame {
    const struct rt_ts_cursor *mark; /* as in rt_ts_enum() */
    struct rt_ts_token name;
    uint32_t symbol, local_symbol;
    uint32_t outer_scope;
    bool exported; /* from a namespace */
    bool is_var;   /* `var`, as at the top and for what is dotted there, not `let` */
};
void rt_ts_open_frame(struct rt_ts_parser *p, struct rt_ts_frame *frame, uint32_t start, uint32_t end);
void rt_ts_close_frame(struct rt_ts_parser *p, struct rt_ts_frame *frame);

/* ---- typescript_lex.c ---- */

/* Is U+2028 or U+2029 at S? */
static inline bool rt_ts_is_line_separator(const char *s) {
    return (unsigned char)s[0] == 0xE2 && (unsigned char)s[1] == 0x80 && ((unsigned char)s[2] & 0xFE) == 0xA8;
}
/* Returns the offset of the first byte that is not UTF-8, or NBYTES. */
size_t rt_ts_check_utf8(const char *text, size_t nbytes);
/* Steps to the next token. */
void rt_ts_next(struct rt_ts_parser *p);
/* The first byte of the token after this one, 0 at the end; *NEWLINE_OUT tells whether a line break precedes it. */
unsigned char rt_ts_peek(const struct rt_ts_parser *p, bool *newline_out);
/* The current token is `>`: joins it with what follows into one operator. */
void rt_ts_join_greater(struct rt_ts_parser *p);
/* The current token starts with `<`: makes it just that. */
void rt_ts_split_lshift(struct rt_ts_parser *p);
/* The current token is `/` or `/=`: reads the regular expression and steps past it. */
void rt_ts_skip_regex(struct rt_ts_parser *p);
/* The current token is the `}` of a substitution: reads on and steps past. Returns true when another `${` follows. */
bool rt_ts_continue_template(struct rt_ts_parser *p);
/* Can a name start with BYTE? (Bytes beyond ASCII and backslashes count.) */
bool rt_ts_is_name_start(unsigned char byte);
/* Where the name ends that is at OFFSET or goes on there: OFFSET if none does. */
uint32_t rt_ts_name_end(const struct rt_ts_parser *p, uint32_t offset);
/* Where the token after this one starts. */
uint32_t rt_ts_next_offset(const struct rt_ts_parser *p);
/* What the token after this one is. */
struct rt_ts_token rt_ts_look_ahead(struct rt_ts_parser *p);

static inline bool rt_ts_is(const struct rt_ts_parser *p, enum rt_ts_token_type type) {
    return p->at.token.type == type;
}
static inline bool rt_ts_is_word(uint8_t type) {
    return type >= T_IDENT;
}
static inline bool rt_ts_is_identifier(uint8_t type) {
    return type >= T_IDENT && type < K_BREAK;
}
static inline bool rt_ts_accept(struct rt_ts_parser *p, enum rt_ts_token_type type) {
    if (p->at.token.type != type) return false;
    rt_ts_next(p);
    return true;
}
/* Steps past a token of TYPE or latches "expected WHAT". */
void rt_ts_expect(struct rt_ts_parser *p, enum rt_ts_token_type type, const char *what);
/* The end of a statement: `;`, or where one may be left out. */
void rt_ts_semicolon(struct rt_ts_parser *p);

/* ---- typescript_type.c: these step past and write nothing down; the callers blank ---- */
void rt_ts_skip_type(struct rt_ts_parser *p);
void rt_ts_skip_return_type(struct rt_ts_parser *p);
void rt_ts_skip_type_parameters(struct rt_ts_parser *p);
void rt_ts_skip_type_arguments(struct rt_ts_parser *p);
void rt_ts_skip_object_type(struct rt_ts_parser *p);
/* Parts of a type: A of A[] or A | B; the B of A extends B ? C : D. */
void rt_ts_skip_operand(struct rt_ts_parser *p);
void rt_ts_skip_extends(struct rt_ts_parser *p);
bool rt_ts_is_function_type(struct rt_ts_parser *p);
void rt_ts_skip_function_type(struct rt_ts_parser *p);
/* `: T`, blanked, if there is one. */
void rt_ts_erase_annotation(struct rt_ts_parser *p);
void rt_ts_erase_type_parameters(struct rt_ts_parser *p);

/* ---- typescript_expr.c ---- */
enum {
    EXPR_NO_IN = 1,       /* in a `for` head, where `in` ends the expression */
    EXPR_TRUE_BRANCH = 2, /* between `?` and `:`, where a `:` after `(x)` hardly starts a return type */
};
void rt_ts_expression(struct rt_ts_parser *p, unsigned flags);
void rt_ts_assignment(struct rt_ts_parser *p, unsigned flags);
void rt_ts_left_hand_side(struct rt_ts_parser *p);
void rt_ts_property_name(struct rt_ts_parser *p);
/* The expression between the brackets of a property's name. */
void rt_ts_computed_name(struct rt_ts_parser *p);
void rt_ts_binding(struct rt_ts_parser *p, enum rt_ts_declared kind);

struct rt_ts_parameter_property {
    uint32_t start, end; /* its name */
};
struct rt_ts_parameter_type {
    struct rt_ts_token first; /* of its type; T_EOF: it has none */
    bool is_rest;
};
/* What a method's or a constructor's parameters have beyond those of other functions. */
struct rt_ts_parameter_properties {
    struct rt_ts_parameter_property *items;
    uint32_t count, capacity;
    bool is_method;               /* only a constructor's have access modifiers */
    uint32_t index;               /* of the parameter that is read */
    struct rt_ts_text decorators; /* `,_param(0,a)` of each, if they are legacy ones */
    /* For metadata. */
    struct rt_ts_parameter_type *types;
    uint32_t type_count, type_capacity;
    struct rt_ts_token return_type; /* its first token */
};
void rt_ts_parameters(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties);
/* What stands after the `@` of a decorator. */
void rt_ts_decorator_expression(struct rt_ts_parser *p);
/* From the type parameters or `(` on. Returns false when there was no body (an overload, an ambient function).
 * PROPERTIES: where a constructor's parameter properties go, or NULL. */
bool rt_ts_function_rest(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties);
/* `function` ... as a declaration or an expression. Returns as rt_ts_function_rest(). */
bool rt_ts_function(struct rt_ts_parser *p, bool is_declaration);

/* ---- typescript_jsx_text.c ---- */

/* Appends the NBYTES of UTF-8 at S as a literal between double quotes. */
void rt_ts_string_literal(struct rt_ts_text *text, const char *s, uint32_t nbytes);
/* Appends an attribute's value, the NBYTES at S between its quotes, as a literal. */
void rt_ts_jsx_string(struct rt_ts_text *text, const char *s, uint32_t nbytes);
/* Appends the text between two elements as a literal. *FIRST_OUT, *LAST_OUT: where what stays of it starts and ends.
 * Returns false if nothing stays. */
bool rt_ts_jsx_text(struct rt_ts_text *text, const char *s, uint32_t nbytes, uint32_t *first_out, uint32_t *last_out);

/* ---- typescript_jsx.c ---- */

/* Reads the comments at the file's start for @jsx and the like. */
void rt_ts_jsx_start(struct rt_ts_parser *p);
/* Does `<` here start the type parameters of an arrow function, not an element? */
bool rt_ts_jsx_is_arrow(struct rt_ts_parser *p);
/* At `<`: an element or a fragment. */
void rt_ts_jsx(struct rt_ts_parser *p);
/* The imports and functions that the elements need, as an edit at the file's end. */
void rt_ts_jsx_end(struct rt_ts_parser *p);

/* ---- typescript_class.c ---- */

/* A class while it is read. */
struct rt_ts_class {
    bool is_declaration, is_derived;
    bool decorated;             /* the class itself: inside, its name is what the decorators make of it */
    struct rt_ts_token name;    /* T_EOF: none */
    struct rt_ts_token hint;    /* what it is assigned to, if it has no name */
    uint32_t name_edit, number; /* inside it may have to be called _classNUMBER */
    bool is_renamed;
    uint32_t body_at, body_edit; /* after its `{` */
    struct rt_ts_text start;     /* what to put there */
    struct rt_ts_text end;       /* before its `}` */
    /* What its constructor has to do first. */
    bool has_constructor, calls_super_inside;
    uint32_t init_edit, init_at;
    bool init_semicolon;
    struct rt_ts_text properties, fields;
    /* Decorated members. */
    uint32_t member_count;
    bool runs_initializers;
    struct rt_ts_text access;               /* how to reach private ones */
    struct rt_ts_text parameter_decorators; /* of the constructor, legacy ones */
};

/* A member while it is read. */
struct rt_ts_member {
    struct rt_ts_cursor mark;
    uint32_t start;
    bool erased; /* abstract, declare */
    bool is_static, is_async, is_generator;
    bool is_accessor; /* `accessor` */
    uint8_t half;     /* K_GET, K_SET or 0 */
    struct rt_ts_token name;
    uint32_t name_end;
    uint32_t before_name, after_name; /* edits: for `[` and `]`, or at the name's start and end */
    bool has_name_edits;
    bool decorated;
    uint32_t first_at, first_edit, end_edit, end_at; /* of the first `@`, and after the last decorator */
    struct rt_ts_token type;                         /* of a field, the first token, for metadata */
    uint32_t index, key;                             /* its number among the decorated; of the variable for its key */
};

void rt_ts_class(struct rt_ts_parser *p, bool is_declaration);
/* The same, from `class` to `}`, for one that is partly filled in. */
void rt_ts_class_rest(struct rt_ts_parser *p, struct rt_ts_class *class);
void rt_ts_free_class(struct rt_ts_class *class);
/* What the class is called inside of it; NULL if by nothing. Valid until the next call. */
const char *rt_ts_class_self(struct rt_ts_parser *p, struct rt_ts_class *class);

/* ---- typescript_field.c ---- */

/* After a field's name: its type, its value, and what it has to become. */
void rt_ts_field(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member);

/* ---- typescript_decorator.c ---- */

/* Latches an error if there are decorators here, where they can't be. */
void rt_ts_no_decorators(struct rt_ts_parser *p);
enum rt_ts_class_place { CLASS_DECLARATION, CLASS_EXPRESSION, CLASS_EXPORT, CLASS_EXPORT_DEFAULT };
/* At the decorators of a class. MARK: at its `export`, or the same. */
void rt_ts_decorated_class(struct rt_ts_parser *p, enum rt_ts_class_place place, const struct rt_ts_cursor *mark);
/* At the start of a member: its decorators, if there are any. */
void rt_ts_member_decorators(struct rt_ts_parser *p, struct rt_ts_member *member);
/* Is it decorated, and lowered as the standard has it? */
bool rt_ts_is_decorated(const struct rt_ts_parser *p, const struct rt_ts_member *member);
/* Once it is known what the member is: fills in what stands in place of its first `@`, and of its name. */
void rt_ts_begin_decorated(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member,
                           bool is_field);
/* After a decorated method. */
void rt_ts_end_decorated(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member);
/* Legacy: after the member's parameters. */
void rt_ts_end_legacy(struct rt_ts_parser *p, struct rt_ts_class *class, struct rt_ts_member *member, bool is_field,
                      const struct rt_ts_parameter_properties *parameters);
/* At the class's end: what has to run first and last in it. */
void rt_ts_finish_decorators(struct rt_ts_parser *p, struct rt_ts_class *class);
/* A parameter's decorators, if there are any. */
void rt_ts_parameter_decorators(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties);
void rt_ts_decorators_end(struct rt_ts_parser *p);

/* ---- typescript_metadata.c: all of it does nothing unless emitDecoratorMetadata asks for it ---- */

/* In the current scope there is a type NAME. TYPE: the first token of what an alias stands for, or NULL. */
void rt_ts_note_type(struct rt_ts_parser *p, const struct rt_ts_token *name, enum rt_ts_noted_kind kind,
                     const struct rt_ts_token *type);
/* After an accessor. */
void rt_ts_note_accessor(struct rt_ts_parser *p, const struct rt_ts_class *class, const struct rt_ts_member *member,
                         const struct rt_ts_parameter_properties *parameters);
/* After a parameter's name. */
void rt_ts_note_parameter(struct rt_ts_parser *p, struct rt_ts_parameter_properties *properties, bool is_rest);
/* At the `:` of an annotation: the type's first token; T_EOF if there is none. */
struct rt_ts_token rt_ts_annotated_type(struct rt_ts_parser *p);
/* Appends `,_metadata("design:type",String)` and what else there is to know of a decorated member. PARAMETERS: NULL
 * for a field. The names in it are references from the current scope. */
void rt_ts_member_metadata(struct rt_ts_parser *p, const struct rt_ts_class *class, const struct rt_ts_member *member,
                           const struct rt_ts_parameter_properties *parameters, struct rt_ts_text *text);
/* The same of a constructor: only its parameters. */
void rt_ts_parameter_metadata(struct rt_ts_parser *p, const struct rt_ts_parameter_properties *parameters,
                              struct rt_ts_text *text);

/* ---- typescript_using.c ---- */

/* A list of statements, a part of a statement (the clauses of a switch, a for's head), or the module. */
struct rt_ts_using {
    struct rt_ts_using *outer;
    uint32_t at;     /* where the list or the whole statement starts */
    bool is_await;   /* has an `await using` */
    bool is_wrapped; /* this pass writes what disposes around it */
    bool is_part, is_module;
    bool is_guarded, is_begun, is_open; /* the module's: has a using; that was met; a `try {` is open */
};
/* At a list's first statement, and at what ends it. */
void rt_ts_begin_list(struct rt_ts_parser *p, struct rt_ts_using *list);
void rt_ts_end_list(struct rt_ts_parser *p, struct rt_ts_using *list);
void rt_ts_begin_module(struct rt_ts_parser *p, struct rt_ts_using *list);
void rt_ts_end_module(struct rt_ts_parser *p, struct rt_ts_using *list);
/* A statement of a list. */
void rt_ts_list_statement(struct rt_ts_parser *p);
/* At `for` or `switch`, and after it. */
void rt_ts_begin_part(struct rt_ts_parser *p, struct rt_ts_using *part);
void rt_ts_end_part(struct rt_ts_parser *p, struct rt_ts_using *part);
/* Wraps the statement that PARSE reads. */
void rt_ts_wrapped_statement(struct rt_ts_parser *p, void (*parse)(struct rt_ts_parser *p));
/* Latches an error if there is a `using` declaration here, where only a list could have it. */
void rt_ts_no_using(struct rt_ts_parser *p);
/* for (using NAME of ...): a name of type T_EOF says it is none. */
struct rt_ts_for_using {
    struct rt_ts_token name;
    bool is_await;
};
/* In a for's head: reads a `using` up to `of` or `;`. Returns false if none is there. */
bool rt_ts_for_using(struct rt_ts_parser *p, struct rt_ts_for_using *each);
void rt_ts_begin_for_body(struct rt_ts_parser *p, const struct rt_ts_for_using *each);
void rt_ts_end_for_body(struct rt_ts_parser *p, const struct rt_ts_for_using *each);
void rt_ts_using_end_output(struct rt_ts_parser *p);

/* ---- typescript_stmt.c ---- */
/* At var, let or const: the whole statement. */
void rt_ts_variables(struct rt_ts_parser *p, enum rt_ts_declared kind);
/* Is `let` here the start of a declaration? */
bool rt_ts_is_let_declaration(struct rt_ts_parser *p);
void rt_ts_statement(struct rt_ts_parser *p);
void rt_ts_expression_statement(struct rt_ts_parser *p);
void rt_ts_statement_list(struct rt_ts_parser *p, enum rt_ts_token_type end);
void rt_ts_block(struct rt_ts_parser *p); /* { ... } without a scope of its own */
/* A declaration that only TypeScript has (type, interface, declare, abstract class, enum, namespace), if one starts at
 * the current token. MARK: where to blank from, at this token or an `export` before it. Returns false if none does. */
bool rt_ts_typescript_declaration(struct rt_ts_parser *p, const struct rt_ts_cursor *mark);

/* ---- typescript_module.c ---- */
void rt_ts_import(struct rt_ts_parser *p);
void rt_ts_export(struct rt_ts_parser *p);

#endif
