/* commonjs_scan.c: see commonjs_scan.h. Owns a small reader of JavaScript's tokens and the forms it looks for.
 *
 * The main loop reads every token once, minding only what tells a regular expression from a division. At a name that
 * may begin a form, a cursor of its own looks ahead; nothing that it reads is skipped by the loop. */

#include "runtime/commonjs_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"

enum token_type { END, NAME, STRING, NUMBER, TEMPLATE, REGEXP, PUNCTUATOR };

struct token {
    enum token_type type;
    const char *start, *end;
    bool after_newline;
};

struct cursor {
    const char *at, *end;
};

/* What an open bracket is, for what may come after it. */
enum bracket { PAREN, PAREN_CONTROL, BRACE_BLOCK, BRACE_FUNCTION, BRACE_EXPRESSION, BRACE_TEMPLATE, SQUARE };

struct scan {
    struct cursor cursor;
    struct token previous, before; /* the last token, and the one before that */
    enum bracket *open;
    size_t open_count, open_capacity, function_count;
    enum bracket closed;                /* the last bracket that was closed */
    bool in_arrow;                      /* in an arrow function's body that is an expression */
    struct rt_names variables, sources; /* var X = require(Y): X and Y */
    struct rt_commonjs *found;
};

/* ---- Names ---- */

void rt_names_add(struct rt_names *names, const char *name, size_t nbytes) {
    for (size_t i = 0; i < names->count; i++)
        if (strncmp(names->items[i], name, nbytes) == 0 && names->items[i][nbytes] == 0) return;
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : 16;
        names->items = rt_must(realloc(names->items, names->capacity * sizeof *names->items));
    }
    names->items[names->count++] = rt_must(strndup(name, nbytes));
}

void rt_names_free(struct rt_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct rt_names){0};
}

/* ---- Tokens ---- */

static bool is_name_byte(char c) {
    unsigned char byte = (unsigned char)c;
    return isalnum(byte) || c == '_' || c == '$' || c == '\\' || c == '#' || byte >= 0x80;
}

/* Skips white space and comments; returns whether there was a line's end. */
static bool skip_space(struct cursor *c) {
    bool newline = false;
    while (c->at < c->end) {
        if (c->at[0] == '/' && c->at + 1 < c->end && c->at[1] == '/') {
            const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
            c->at = stop ? stop : c->end;
        } else if (c->at[0] == '/' && c->at + 1 < c->end && c->at[1] == '*') {
            const char *stop = memmem(c->at + 2, (size_t)(c->end - c->at - 2), "*/", 2);
            newline = newline || (stop && memchr(c->at, '\n', (size_t)(stop - c->at)));
            c->at = stop ? stop + 2 : c->end;
        } else if (isspace((unsigned char)c->at[0])) {
            newline = newline || c->at[0] == '\n';
            c->at++;
        } else {
            break;
        }
    }
    return newline;
}

static void skip_quoted(struct cursor *c, char quote) {
    for (c->at++; c->at < c->end && *c->at != quote && *c->at != '\n'; c->at++)
        if (*c->at == '\\' && c->at + 1 < c->end) c->at++;
    if (c->at < c->end) c->at++;
}

static void skip_regexp(struct cursor *c) {
    bool in_class = false;
    for (c->at++; c->at < c->end && *c->at != '\n' && (in_class || *c->at != '/'); c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end)
            c->at++;
        else if (*c->at == '[')
            in_class = true;
        else if (*c->at == ']')
            in_class = false;
    }
    while (c->at < c->end && (*c->at == '/' || isalpha((unsigned char)*c->at)))
        c->at++;
}

/* From after a backquote or a substitution's end to the next of either. Returns whether a substitution begins. */
static bool skip_template(struct cursor *c) {
    for (; c->at < c->end; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end) {
            c->at++;
        } else if (*c->at == '`') {
            c->at++;
            return false;
        } else if (*c->at == '$' && c->at + 1 < c->end && c->at[1] == '{') {
            c->at += 2;
            return true;
        }
    }
    return false;
}

/* The next token, a '/' being a division and a backquote alone. */
static struct token next(struct cursor *c) {
    struct token token = {.after_newline = skip_space(c)};
    token.start = c->at;
    if (c->at >= c->end) {
        token.type = END;
    } else if (isdigit((unsigned char)*c->at)) {
        token.type = NUMBER;
        while (c->at < c->end && (is_name_byte(*c->at) || *c->at == '.'))
            c->at++;
    } else if (is_name_byte(*c->at)) {
        token.type = NAME;
        while (c->at < c->end && is_name_byte(*c->at))
            c->at++;
    } else if (*c->at == '\'' || *c->at == '"') {
        token.type = STRING;
        skip_quoted(c, *c->at);
    } else {
        token.type = PUNCTUATOR;
        c->at += c->end - c->at >= 2 && memcmp(c->at, "=>", 2) == 0 ? 2 : 1;
    }
    token.end = c->at;
    return token;
}

static bool is_text(const struct token *token, const char *text) {
    size_t length = strlen(text);
    return (size_t)(token->end - token->start) == length && memcmp(token->start, text, length) == 0 &&
           (token->type == NAME || token->type == PUNCTUATOR);
}

static bool is_any(const struct token *token, const char *words) { /* "if while ..." */
    size_t length = (size_t)(token->end - token->start);
    if (token->type != NAME && token->type != PUNCTUATOR) return false;
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, token->start, length) == 0) return true;
        at += word;
    }
    return false;
}

/* ---- Looking ahead ---- */

/* Reads TEXT, a token; or leaves the cursor where it is. */
static bool take(struct cursor *c, const char *text) {
    struct cursor saved = *c;
    struct token token = next(c);
    if (is_text(&token, text)) return true;
    *c = saved;
    return false;
}

/* Reads the tokens of WORDS, separated by spaces, or nothing. */
static bool take_all(struct cursor *c, const char *words) {
    struct cursor saved = *c;
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        struct token token = next(c);
        if ((size_t)(token.end - token.start) != length || memcmp(token.start, at, length) != 0) {
            *c = saved;
            return false;
        }
        at += length;
    }
    return true;
}

static bool take_type(struct cursor *c, enum token_type type, struct token *token_out) {
    struct cursor saved = *c;
    *token_out = next(c);
    if (token_out->type == type) return true;
    *c = saved;
    return false;
}

static bool same(const struct token *a, const struct token *b) {
    size_t length = (size_t)(a->end - a->start);
    return (size_t)(b->end - b->start) == length && memcmp(a->start, b->start, length) == 0;
}

static bool take_same(struct cursor *c, const struct token *name) {
    struct cursor saved = *c;
    struct token token = next(c);
    if (same(&token, name)) return true;
    *c = saved;
    return false;
}

static bool take_exports(struct cursor *c) {
    return take(c, "exports") || take_all(c, "module . exports");
}

/* A string's text without its quotes; one with escapes is left alone. */
static void add_string(struct rt_names *names, const struct token *string) {
    size_t nbytes = (size_t)(string->end - string->start) - 2;
    if (string->end - string->start >= 2 && !memchr(string->start, '\\', nbytes + 1))
        rt_names_add(names, string->start + 1, nbytes);
}

static void add_name(struct rt_names *names, const struct token *name) {
    rt_names_add(names, name->start, (size_t)(name->end - name->start));
}

/* require('x') */
static bool take_require(struct cursor *c, struct token *string_out) {
    struct cursor saved = *c;
    if (take_all(c, "require (") && take_type(c, STRING, string_out) && take(c, ")")) return true;
    *c = saved;
    return false;
}

/* ---- The forms ---- */

/* The module that the variable NAME was given by `var NAME = require(...)`, or NULL. */
static const char *source_of(const struct scan *s, const struct token *name) {
    size_t length = (size_t)(name->end - name->start);
    for (size_t i = s->variables.count; i > 0; i--)
        if (strncmp(s->variables.items[i - 1], name->start, length) == 0 && !s->variables.items[i - 1][length])
            return s->sources.items[i - 1];
    return NULL;
}

/* `var X = require('y')`, maybe in an _interopRequireWildcard: C is after the `=`. */
static void note_variable(struct scan *s, struct cursor c, const struct token *name) {
    struct token string;
    if (take(&c, "_interopRequireWildcard") && !take(&c, "(")) return;
    if (!take_require(&c, &string)) return;
    size_t nbytes = (size_t)(string.end - string.start) - 2, count = s->variables.count;
    add_name(&s->variables, name);
    if (s->variables.count == count) return;
    s->sources.items = rt_must(realloc(s->sources.items, s->variables.capacity * sizeof *s->sources.items));
    s->sources.items[s->sources.count++] = rt_must(strndup(string.start + 1, nbytes));
}

/* `{ a, b: c, 'd': e, ...require('f') }`, up to the first member whose value is no name. C is after the brace. */
static void scan_literal(struct scan *s, struct cursor c) {
    for (;;) {
        struct token token = next(&c), value;
        if (token.type == NAME) {
            if (take(&c, ":") && !take_type(&c, NAME, &value)) return;
            add_name(&s->found->exports, &token);
        } else if (token.type == STRING && take(&c, ":")) {
            if (!take_type(&c, NAME, &value)) return;
            add_string(&s->found->exports, &token);
        } else if (is_text(&token, ".") && take_all(&c, ". .")) {
            if (take_require(&c, &token))
                add_string(&s->found->reexports, &token);
            else if (!take_type(&c, NAME, &token))
                return;
        } else {
            return;
        }
        if (!take(&c, ",")) return;
    }
}

/* What follows `exports` or, IS_MODULE, `module.exports`. */
static void scan_assignment(struct scan *s, struct cursor c, bool is_module) {
    struct token token;
    if (take(&c, ".")) {
        if (take_type(&c, NAME, &token) && take(&c, "=")) add_name(&s->found->exports, &token);
    } else if (take(&c, "[")) {
        if (take_type(&c, STRING, &token) && take(&c, "]") && take(&c, "=")) add_string(&s->found->exports, &token);
    } else if (is_module && take(&c, "=")) {
        rt_names_free(&s->found->reexports);
        if (take(&c, "{"))
            scan_literal(s, c);
        else if (take_require(&c, &token))
            add_string(&s->found->reexports, &token);
    }
}

/* `return x.y` or `return x['y']` in a getter's body, to the end of the whole definition. */
static bool take_getter_body(struct cursor *c) {
    struct token token;
    if (!take_all(c, "{ return") || !take_type(c, NAME, &token)) return false;
    if (take(c, ".") && !take_type(c, NAME, &token)) return false;
    if (take(c, "[") && !(take_type(c, STRING, &token) && take(c, "]"))) return false;
    take(c, ";");
    if (!take(c, "}")) return false;
    take(c, ",");
    return take_all(c, "} )");
}

/* `(exports, 'x', { enumerable: true, get: function () { return y.x; } })`, or with a `value:` */
static void scan_definition(struct scan *s, struct cursor c) {
    struct token string, name;
    if (!take(&c, "(") || !take_exports(&c) || !take(&c, ",") || !take_type(&c, STRING, &string)) return;
    if (!take_all(&c, ", {")) return;
    if (!take_all(&c, "enumerable : true ,")) take_all(&c, "enumerable : ! 0 ,");
    if (take_all(&c, "value :")) {
        add_string(&s->found->exports, &string);
        return;
    }
    if (!take(&c, "get")) return;
    if (take(&c, ":")) {
        if (!take(&c, "function")) return;
        struct cursor saved = c;
        if (!take_type(&c, NAME, &name)) c = saved;
    }
    if (take_all(&c, "( )") && take_getter_body(&c)) add_string(&s->found->exports, &string);
}

/* `k === "default" || k === "__esModule"`, or the first half alone */
static bool take_default_check(struct cursor *c, const struct token *key, const char *operator) {
    struct token string;
    return take_same(c, key) && take_all(c, operator) && take_type(c, STRING, &string);
}

/* `(Object.prototype.)hasOwnProperty.call(x, k)` or `x.hasOwnProperty(k)` */
static bool take_own_check(struct cursor *c, const struct token *key) {
    struct token name;
    if (take_all(c, "Object . prototype . hasOwnProperty . call (") || take_all(c, "Object . hasOwnProperty . call ("))
        return take_type(c, NAME, &name) && take(c, ",") && take_same(c, key) && take(c, ")");
    return take_type(c, NAME, &name) && take_all(c, ". hasOwnProperty (") && take_same(c, key) && take(c, ")");
}

static bool take_guards(struct cursor *c, const struct token *source, const struct token *key) {
    struct cursor saved = *c;
    if (!take_all(c, "if (")) return true;
    if (take_default_check(c, key, "! = =")) {
        if (take_all(c, "& & !") && !take_own_check(c, key)) return false;
        return take(c, ")");
    }
    *c = saved;
    if (!take_all(c, "if (") || !take_default_check(c, key, "= = =") || !take_all(c, "| |")) return false;
    if (!take_default_check(c, key, "= = =") || !take_all(c, ") return")) return false;
    take(c, ";");
    saved = *c;
    if (take_all(c, "if (") && take_own_check(c, key) && take_all(c, ") return"))
        take(c, ";");
    else
        *c = saved;
    saved = *c;
    if (take_all(c, "if (") && take_same(c, key) && take(c, "in") && take_exports(c) && take_all(c, "& &") &&
        take_exports(c) && take(c, "[") && take_same(c, key) && take_all(c, "] = = =") && take_same(c, source) &&
        take(c, "[") && take_same(c, key) && take_all(c, "] ) return"))
        take(c, ";");
    else
        *c = saved;
    return true;
}

/* `(X).forEach(function (k) { if (k === "default" || ...) return; exports[k] = X[k]; })`: what Babel and TypeScript
 * make of `export * from`. C is after `Object.keys`. */
static void scan_key_loop(struct scan *s, struct cursor c) {
    struct token source, key;
    if (!take(&c, "(") || !take_type(&c, NAME, &source) || !take_all(&c, ") . forEach ( function (")) return;
    if (!take_type(&c, NAME, &key) || !take_all(&c, ") {") || !take_guards(&c, &source, &key)) return;
    bool is_copy = false;
    if (take_all(&c, "Object . defineProperty (")) {
        is_copy =
            take_exports(&c) && take(&c, ",") && take_same(&c, &key) && take_all(&c, ", { enumerable : true , get");
        struct token name;
        if (is_copy && take(&c, ":")) is_copy = take(&c, "function") && (take_type(&c, NAME, &name) || true);
        is_copy = is_copy && take_all(&c, "( ) { return") && take_same(&c, &source) && take(&c, "[");
    } else {
        is_copy = take_exports(&c) && take(&c, "[") && take_same(&c, &key) && take_all(&c, "] =") &&
                  take_same(&c, &source) && take(&c, "[");
    }
    const char *specifier = is_copy && take_same(&c, &key) && take(&c, "]") ? source_of(s, &source) : NULL;
    if (specifier) rt_names_add(&s->found->reexports, specifier, strlen(specifier));
}

/* TOKEN is a name that begins something, the cursor after it. */
static void scan_name(struct scan *s, const struct token *token) {
    struct cursor c = s->cursor;
    struct token string, name;
    bool is_member = is_text(&s->previous, ".");
    if (!is_member && is_any(token, "require module exports __filename __dirname")) s->found->is_commonjs = true;
    if (is_any(token, "__export __exportStar")) {
        if (take(&c, "(") && take_require(&c, &string)) add_string(&s->found->reexports, &string);
    } else if (is_member) {
        return;
    } else if (is_text(token, "exports")) {
        scan_assignment(s, c, false);
    } else if (is_text(token, "module")) {
        if (take_all(&c, ". exports")) scan_assignment(s, c, true);
    } else if (is_text(token, "Object")) {
        if (take_all(&c, ". defineProperty"))
            scan_definition(s, c);
        else if (take_all(&c, ". keys"))
            scan_key_loop(s, c);
    } else if (is_any(token, "var let const") && s->open_count == 0) {
        if (take_type(&c, NAME, &name) && take(&c, "=")) note_variable(s, c, &name);
    }
}

/* ---- Is it an ES module? ---- */

static bool begins_import(struct cursor c, bool is_top) {
    struct token token = next(&c);
    if (is_text(&token, ".")) return take(&c, "meta");
    return is_top && (token.type == STRING || token.type == NAME || is_any(&token, "{ *"));
}

static bool begins_export(struct cursor c) {
    struct token token = next(&c);
    return is_any(&token, "{ * default const let var function class async");
}

static void look_for_module(struct scan *s, const struct token *token) {
    if (is_text(&s->previous, ".")) return;
    bool is_top = s->open_count == 0;
    struct cursor c = s->cursor;
    if (is_text(token, "import") && begins_import(c, is_top)) s->found->is_module = true;
    if (is_text(token, "export") && is_top && begins_export(c)) s->found->is_module = true;
    if (!is_text(token, "await") || s->function_count > 0 || s->in_arrow) return;
    struct token after = next(&c);
    bool is_operand = after.type == NAME || after.type == STRING || after.type == TEMPLATE || is_any(&after, "( [ {");
    if (is_operand && !after.after_newline && !is_any(&after, "of in instanceof")) s->found->is_module = true;
}

/* ---- The main loop ---- */

static const char value_words[] = "return typeof case do else in instanceof new void delete throw yield await of "
                                  "default extends";

/* May a value begin after the last token, so that '/' begins a regular expression? */
static bool expects_value(const struct scan *s) {
    const struct token *previous = &s->previous;
    switch (previous->type) {
        case END: return true;
        case NAME: return is_any(previous, value_words) && !is_text(&s->before, ".");
        case PUNCTUATOR: break;
        default: return false;
    }
    if (is_text(previous, ")")) return s->closed == PAREN_CONTROL;
    if (is_text(previous, "}")) return s->closed == BRACE_BLOCK || s->closed == BRACE_FUNCTION;
    return !is_text(previous, "]");
}

static void open_bracket(struct scan *s, enum bracket bracket) {
    if (s->open_count == s->open_capacity) {
        s->open_capacity = s->open_capacity ? s->open_capacity * 2 : 64;
        s->open = rt_must(realloc(s->open, s->open_capacity * sizeof *s->open));
    }
    s->open[s->open_count++] = bracket;
    if (bracket == BRACE_FUNCTION) s->function_count++;
}

static enum bracket close_bracket(struct scan *s) {
    if (s->open_count == 0) return s->closed = BRACE_BLOCK;
    s->closed = s->open[--s->open_count];
    if (s->closed == BRACE_FUNCTION) s->function_count--;
    return s->closed;
}

static enum bracket brace_kind(const struct scan *s) {
    const struct token *previous = &s->previous;
    if (is_text(previous, "=>")) return BRACE_FUNCTION;
    if (is_text(previous, ")")) return s->closed == PAREN_CONTROL ? BRACE_BLOCK : BRACE_FUNCTION;
    if (previous->type == PUNCTUATOR && !is_any(previous, "; { }")) return BRACE_EXPRESSION;
    if (is_any(previous, "return typeof case in instanceof new void delete throw yield await of default extends"))
        return BRACE_EXPRESSION;
    return BRACE_BLOCK;
}

static void note_punctuator(struct scan *s, const struct token *token) {
    switch (*token->start) {
        case '(':
            open_bracket(s, is_any(&s->previous, "if while for with switch catch") ? PAREN_CONTROL : PAREN);
            break;
        case '[': open_bracket(s, SQUARE); break;
        case '{': open_bracket(s, brace_kind(s)); break;
        case ')':
        case ']': close_bracket(s); break;
        case ';': s->in_arrow = false; break;
        default: break;
    }
    if (is_text(token, "=>")) {
        struct cursor c = s->cursor;
        s->in_arrow = s->in_arrow || !take(&c, "{");
    }
}

/* Reads a token of the file, templates and regular expressions too. */
static struct token next_of_file(struct scan *s) {
    struct token token = next(&s->cursor);
    if (is_text(&token, "/") && expects_value(s)) {
        s->cursor.at = token.start;
        skip_regexp(&s->cursor);
        token.type = REGEXP;
    } else if (is_text(&token, "`") ||
               (is_text(&token, "}") && close_bracket(s) == BRACE_TEMPLATE)) { /* and what follows a substitution */
        token.type = TEMPLATE;
        if (skip_template(&s->cursor)) {
            open_bracket(s, BRACE_TEMPLATE);
            token.type = PUNCTUATOR; /* a value follows */
            token.start = "(";
            token.end = token.start + 1;
            return token;
        }
    }
    token.end = s->cursor.at;
    return token;
}

void rt_commonjs_scan(const char *text, size_t nbytes, struct rt_commonjs *found_out) {
    *found_out = (struct rt_commonjs){0};
    struct scan s = {.cursor = {text, text + nbytes}, .found = found_out};
    if (nbytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.cursor.at += 3;
    if (s.cursor.end - s.cursor.at >= 2 && memcmp(s.cursor.at, "#!", 2) == 0) {
        const char *line = memchr(s.cursor.at, '\n', (size_t)(s.cursor.end - s.cursor.at));
        s.cursor.at = line ? line : s.cursor.end;
    }
    for (;;) {
        struct token token = next_of_file(&s);
        if (token.type == END) break;
        if (token.after_newline && s.open_count == 0) s.in_arrow = false;
        if (token.type == NAME) {
            look_for_module(&s, &token);
            scan_name(&s, &token);
        } else if (token.type == PUNCTUATOR && token.start >= text && token.start < text + nbytes) {
            note_punctuator(&s, &token);
        }
        s.before = s.previous;
        s.previous = token;
    }
    free(s.open);
    rt_names_free(&s.variables);
    rt_names_free(&s.sources);
}

void rt_commonjs_free(struct rt_commonjs *found) {
    rt_names_free(&found->exports);
    rt_names_free(&found->reexports);
}
