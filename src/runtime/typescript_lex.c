/* typescript_lex.c: owns the tokens of TypeScript: white space, names and keywords, literals, punctuators.
 * Which `/` starts a regular expression, how many `>` belong together and where a template goes on is the parser's
 * knowledge; it asks with rt_ts_skip_regex(), rt_ts_join_greater() and rt_ts_continue_template(). */
#include <string.h>

#include "runtime/typescript_internal.h"

enum {
    C_OTHER = 0,
    C_SPACE = 1,      /* white space but not a line break */
    C_NEWLINE = 2,    /* \n or \r */
    C_NAME_START = 4, /* also every byte beyond ASCII, and the backslash of an escape */
    C_NAME_PART = 8,
    C_DIGIT = 16,
    C_HIGH = 32, /* beyond ASCII: could be a letter, a space or a line separator */
};

static const uint8_t CLASS[256] = {
    [' '] = C_SPACE,
    ['\t'] = C_SPACE,
    ['\v'] = C_SPACE,
    ['\f'] = C_SPACE,
    ['\n'] = C_NEWLINE,
    ['\r'] = C_NEWLINE,
    ['0' ... '9'] = C_DIGIT | C_NAME_PART,
    ['a' ... 'z'] = C_NAME_START | C_NAME_PART,
    ['A' ... 'Z'] = C_NAME_START | C_NAME_PART,
    ['$'] = C_NAME_START | C_NAME_PART,
    ['_'] = C_NAME_START | C_NAME_PART,
    ['\\'] = C_NAME_START,
    [0x80 ... 0xFF] = C_NAME_START | C_HIGH,
};

bool rt_ts_is_name_start(unsigned char byte) {
    return CLASS[byte] & C_NAME_START;
}

/* ---- UTF-8 ---- */

/* Returns the length of the sequence at S, of which NBYTES are there, or 0. Unicode 15, table 3-7. */
static size_t sequence_length(const unsigned char *s, size_t nbytes) {
    unsigned char lead = s[0];
    size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || length > nbytes) return 0;
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    return length;
}

size_t rt_ts_check_utf8(const char *text, size_t nbytes) {
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < nbytes) {
        uint64_t words[2];
        while (nbytes - i >= sizeof words) {
            memcpy(words, s + i, sizeof words);
            if ((words[0] | words[1]) & 0x8080808080808080u) break;
            i += sizeof words;
        }
        if (i == nbytes) break;
        if (s[i] < 0x80) {
            i++;
            continue;
        }
        size_t length = sequence_length(s + i, nbytes - i);
        if (length == 0) return i;
        i += length;
    }
    return nbytes;
}

static bool is_line_separator(const char *s) { /* U+2028, U+2029 */
    return (unsigned char)s[0] == 0xE2 && (unsigned char)s[1] == 0x80 && ((unsigned char)s[2] & 0xFE) == 0xA8;
}

/* Length in bytes of the white space beyond ASCII at S (category Zs and U+FEFF), or 0. */
static uint32_t wide_space(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] == 0xC2) return s[1] == 0xA0 ? 2 : 0;
    uint32_t c = (uint32_t)s[0] << 16 | (uint32_t)s[1] << 8 | s[2];
    bool is_space = c == 0xE19A80 || (c >= 0xE28080 && c <= 0xE2808A) || c == 0xE280AF || c == 0xE2819F ||
                    c == 0xE38080 || c == 0xEFBBBF;
    return is_space ? 3 : 0;
}

/* ---- white space and comments ---- */

static const char *skip_line_comment(const char *s) {
    for (;; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= 0x20 && c < 0x80) continue;
        if (c == '\n' || c == '\r' || c == 0) return s; /* a NUL inside a file ends nothing: see skip_space() */
        if (c == 0xE2 && is_line_separator(s)) return s;
    }
}

/* Returns the byte after the comment whose text starts at S, or NULL if it never ends. */
static const char *skip_block_comment(const char *s, const char *end, bool *newline) {
    for (;;) {
        const char *star = memchr(s, '*', (size_t)(end - s));
        if (!star) return NULL;
        if (!*newline) {
            for (const char *c = s; c < star && !*newline; c++) {
                *newline = *c == '\n' || *c == '\r' || is_line_separator(c);
            }
        }
        if (star[1] == '/') return star + 2;
        s = star + 1;
    }
}

/* Returns the first byte at or after S that belongs to a token. *BAD_OUT: a comment that never ends, or unchanged. */
static const char *skip_space(const char *s, const char *end, bool *newline, const char **bad_out) {
    for (;;) {
        unsigned char c = (unsigned char)*s;
        uint8_t class = CLASS[c];
        if (class & C_SPACE) {
            s++;
        } else if (class & C_NEWLINE) {
            *newline = true;
            s++;
        } else if (c == '/' && s[1] == '/') {
            s = skip_line_comment(s + 2);
            while (*s == 0 && s < end)
                s = skip_line_comment(s + 1);
        } else if (c == '/' && s[1] == '*') {
            const char *after = skip_block_comment(s + 2, end, newline);
            if (!after) {
                *bad_out = s;
                return end;
            }
            s = after;
        } else if (class & C_HIGH) {
            uint32_t width = wide_space(s);
            if (width == 0 && is_line_separator(s)) {
                *newline = true;
                width = 3;
            }
            if (width == 0) return s;
            s += width;
        } else {
            return s;
        }
    }
}

unsigned char rt_ts_peek(const struct rt_ts_parser *p, bool *newline_out) {
    bool newline = false;
    const char *bad = NULL;
    const char *s = skip_space(p->source + p->at.token.end, p->source + p->nbytes, &newline, &bad);
    if (newline_out) *newline_out = newline;
    return (unsigned char)*s;
}

uint32_t rt_ts_next_offset(const struct rt_ts_parser *p) {
    bool newline = false;
    const char *bad = NULL;
    return (uint32_t)(skip_space(p->source + p->at.token.end, p->source + p->nbytes, &newline, &bad) - p->source);
}

struct rt_ts_token rt_ts_look_ahead(struct rt_ts_parser *p) {
    struct rt_ts_cursor mark = p->at;
    p->speculating++;
    rt_ts_next(p);
    struct rt_ts_token token = p->at.token;
    rt_ts_rewind(p, &mark);
    p->speculating--;
    return token;
}

/* ---- names ---- */

struct keyword {
    const char *text;
    uint8_t type;
};

/* By length, then by first letter. */
static const struct keyword KEYWORDS[] = {
    {"as", K_AS},
    {"do", K_DO},
    {"if", K_IF},
    {"in", K_IN},
    {"is", K_IS},
    {"of", K_OF},
    {"for", K_FOR},
    {"get", K_GET},
    {"let", K_LET},
    {"new", K_NEW},
    {"out", K_OUT},
    {"set", K_SET},
    {"try", K_TRY},
    {"var", K_VAR},
    {"case", K_CASE},
    {"else", K_ELSE},
    {"enum", K_ENUM},
    {"from", K_FROM},
    {"null", K_NULL},
    {"this", K_THIS},
    {"true", K_TRUE},
    {"type", K_TYPE},
    {"void", K_VOID},
    {"with", K_WITH},
    {"async", K_ASYNC},
    {"await", K_AWAIT},
    {"break", K_BREAK},
    {"catch", K_CATCH},
    {"class", K_CLASS},
    {"const", K_CONST},
    {"false", K_FALSE},
    {"infer", K_INFER},
    {"keyof", K_KEYOF},
    {"super", K_SUPER},
    {"throw", K_THROW},
    {"using", K_USING},
    {"while", K_WHILE},
    {"yield", K_YIELD},
    {"assert", K_ASSERT},
    {"delete", K_DELETE},
    {"export", K_EXPORT},
    {"global", K_GLOBAL},
    {"import", K_IMPORT},
    {"module", K_MODULE},
    {"public", K_PUBLIC},
    {"return", K_RETURN},
    {"static", K_STATIC},
    {"switch", K_SWITCH},
    {"typeof", K_TYPEOF},
    {"unique", K_UNIQUE},
    {"asserts", K_ASSERTS},
    {"declare", K_DECLARE},
    {"default", K_DEFAULT},
    {"extends", K_EXTENDS},
    {"finally", K_FINALLY},
    {"private", K_PRIVATE},
    {"require", K_REQUIRE},
    {"abstract", K_ABSTRACT},
    {"accessor", K_ACCESSOR},
    {"continue", K_CONTINUE},
    {"debugger", K_DEBUGGER},
    {"function", K_FUNCTION},
    {"override", K_OVERRIDE},
    {"readonly", K_READONLY},
    {"interface", K_INTERFACE},
    {"namespace", K_NAMESPACE},
    {"protected", K_PROTECTED},
    {"satisfies", K_SATISFIES},
    {"implements", K_IMPLEMENTS},
    {"instanceof", K_INSTANCEOF},
    {"constructor", K_CONSTRUCTOR},
};

enum { KEYWORD_LENGTH_MIN = 2, KEYWORD_LENGTH_MAX = 11 };

/* KEYWORDS of length L start at LENGTH_START[L]. */
static const uint8_t LENGTH_START[KEYWORD_LENGTH_MAX + 2] = {0, 0, 0, 6, 14, 24, 38, 50, 57, 64, 68, 70, 71};

static uint8_t name_type(const char *s, size_t length) {
    if (length < KEYWORD_LENGTH_MIN || length > KEYWORD_LENGTH_MAX || *s < 'a') return T_IDENT;
    for (unsigned i = LENGTH_START[length]; i < LENGTH_START[length + 1]; i++) {
        if (KEYWORDS[i].text[0] > *s) break;
        if (KEYWORDS[i].text[1] == s[1] && memcmp(KEYWORDS[i].text, s, length) == 0) return KEYWORDS[i].type;
    }
    return T_IDENT;
}

/* Steps over one backslash escape or one letter beyond ASCII at S. Returns NULL if S is the end of the name. */
static const char *skip_odd_letter(const char *s) {
    if (*s == '\\') {
        if (s[1] != 'u') return NULL;
        s += 2;
        if (*s != '{') {
            for (int i = 0; i < 4; i++, s++) {
                if (!(CLASS[(unsigned char)*s] & C_NAME_PART)) return NULL;
            }
            return s;
        }
        while (CLASS[(unsigned char)*++s] & C_NAME_PART)
            continue;
        return *s == '}' ? s + 1 : NULL;
    }
    if (!((unsigned char)*s & 0x80) || wide_space(s) > 0 || is_line_separator(s)) return NULL;
    do
        s++;
    while (((unsigned char)*s & 0xC0) == 0x80);
    return s;
}

/* Returns the end of the name at S. *ODD_OUT: it has escapes or letters beyond ASCII, so it is no keyword. */
static const char *skip_name(const char *s, bool *odd_out) {
    bool odd = false;
    for (;;) {
        while (CLASS[(unsigned char)*s] & C_NAME_PART)
            s++;
        const char *after = CLASS[(unsigned char)*s] & C_NAME_START ? skip_odd_letter(s) : NULL;
        if (!after) break;
        odd = true;
        s = after;
    }
    *odd_out = odd;
    return s;
}

/* ---- literals ---- */

static const char *skip_number(const char *s) {
    if (s[0] == '0' && (s[1] | 32) >= 'b' && (s[1] | 32) <= 'x' && (s[1] | 32) != 'e') {
        s += 2; /* 0x 0b 0o */
    } else {
        while (CLASS[(unsigned char)*s] & C_DIGIT || *s == '_')
            s++;
        if (*s == '.') s++;
        while (CLASS[(unsigned char)*s] & C_DIGIT || *s == '_')
            s++;
        if ((*s | 32) == 'e') {
            s++;
            if (*s == '+' || *s == '-') s++;
        }
    }
    while (CLASS[(unsigned char)*s] & C_NAME_PART)
        s++;
    return s;
}

/* Returns the byte after the closing quote, or NULL. */
static const char *skip_string(const char *s, const char *end) {
    char quote = *s++;
    while (s < end) {
        char c = *s++;
        if (c == quote) return s;
        if (c == '\\') {
            if (s[0] == '\r' && s[1] == '\n') s++;
            s++;
        } else if (c == '\n' || c == '\r') {
            return NULL;
        }
    }
    return NULL;
}

/* S is after the backquote or the `}`. Returns the byte after the closing backquote or the `${`, or NULL. */
static const char *skip_template(const char *s, const char *end, bool *more_out) {
    while (s < end) {
        char c = *s++;
        if (c == '`' || (c == '$' && *s == '{')) {
            *more_out = c == '$';
            return s + (c == '$');
        }
        if (c == '\\') s++;
    }
    return NULL;
}

void rt_ts_skip_regex(struct rt_ts_parser *p) {
    const char *s = p->source + p->at.token.start + 1, *end = p->source + p->nbytes;
    bool in_class = false;
    for (; s < end; s++) {
        if (*s == '\n' || *s == '\r' || is_line_separator(s)) break;
        if (*s == '\\') {
            s++;
            if (*s == '\n' || *s == '\r') break;
        } else if (*s == '[') {
            in_class = true;
        } else if (*s == ']') {
            in_class = false;
        } else if (*s == '/' && !in_class) {
            bool odd;
            p->at.token.end = (uint32_t)(skip_name(s + 1, &odd) - p->source);
            rt_ts_next(p);
            return;
        }
    }
    rt_ts_fail(p, p->at.token.start, "this regular expression has no end");
}

bool rt_ts_continue_template(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, T_RBRACE)) {
        rt_ts_expected(p, "} at the end of the template's substitution");
        return false;
    }
    bool more = false;
    const char *s = skip_template(p->source + p->at.token.start + 1, p->source + p->nbytes, &more);
    if (!s) {
        rt_ts_fail(p, p->at.token.start, "this template has no closing backquote");
        return false;
    }
    p->at.token.end = (uint32_t)(s - p->source);
    rt_ts_next(p);
    return more;
}

void rt_ts_join_greater(struct rt_ts_parser *p) {
    const char *s = p->source + p->at.token.end;
    for (int i = 0; i < 2 && *s == '>'; i++)
        s++;
    if (*s == '=') s++;
    p->at.token.end = (uint32_t)(s - p->source);
    p->at.token.type = T_BINARY;
}

void rt_ts_split_lshift(struct rt_ts_parser *p) {
    if (!rt_ts_is(p, T_LSHIFT)) return;
    p->at.token.type = T_LT;
    p->at.token.end = p->at.token.start + 1;
}

/* ---- punctuators ---- */

/* Sets *END_OUT after the punctuator at S. Returns T_EOF if there is none. */
static uint8_t punctuator(const char *s, const char **end_out) {
#define RETURN(length, type)                                                                                           \
    do {                                                                                                               \
        *end_out = s + (length);                                                                                       \
        return (type);                                                                                                 \
    } while (0)
    switch (*s) {
        case '{': RETURN(1, T_LBRACE);
        case '}': RETURN(1, T_RBRACE);
        case '(': RETURN(1, T_LPAREN);
        case ')': RETURN(1, T_RPAREN);
        case '[': RETURN(1, T_LBRACKET);
        case ']': RETURN(1, T_RBRACKET);
        case ';': RETURN(1, T_SEMICOLON);
        case ',': RETURN(1, T_COMMA);
        case ':': RETURN(1, T_COLON);
        case '@': RETURN(1, T_AT);
        case '~': RETURN(1, T_TILDE);
        case '>': RETURN(1, T_GT);
        case '.':
            if (s[1] == '.' && s[2] == '.') RETURN(3, T_ELLIPSIS);
            RETURN(1, T_DOT);
        case '?':
            if (s[1] == '?') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            if (s[1] == '.' && !(CLASS[(unsigned char)s[2]] & C_DIGIT)) RETURN(2, T_QUESTION_DOT);
            RETURN(1, T_QUESTION);
        case '=':
            if (s[1] == '>') RETURN(2, T_ARROW);
            if (s[1] == '=') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            RETURN(1, T_ASSIGN);
        case '!':
            if (s[1] == '=') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            RETURN(1, T_BANG);
        case '<':
            if (s[1] == '<') RETURN(s[2] == '=' ? 3 : 2, T_LSHIFT);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_LT);
        case '+':
            if (s[1] == '+') RETURN(2, T_INCREMENT);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_PLUS);
        case '-':
            if (s[1] == '-') RETURN(2, T_INCREMENT);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_MINUS);
        case '*':
            if (s[1] == '*') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_STAR);
        case '/': RETURN(s[1] == '=' ? 2 : 1, T_SLASH);
        case '%': RETURN(s[1] == '=' ? 2 : 1, T_BINARY);
        case '^': RETURN(s[1] == '=' ? 2 : 1, T_BINARY);
        case '|':
            if (s[1] == '|') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_PIPE);
        case '&':
            if (s[1] == '&') RETURN(s[2] == '=' ? 3 : 2, T_BINARY);
            if (s[1] == '=') RETURN(2, T_BINARY);
            RETURN(1, T_AMPERSAND);
        default: return T_EOF;
    }
#undef RETURN
}

static void set_token(struct rt_ts_parser *p, uint8_t type, const char *start, const char *end) {
    p->at.token.type = type;
    p->at.token.start = (uint32_t)(start - p->source);
    p->at.token.end = (uint32_t)(end - p->source);
}

/* A token that starts with none of the usual characters. */
static void read_rare_token(struct rt_ts_parser *p, const char *s) {
    bool odd;
    const char *end = p->source + p->nbytes;
    if (s >= end) {
        set_token(p, T_EOF, s, s);
    } else if (*s == '#') {
        set_token(p, T_PRIVATE, s, skip_name(s + 1, &odd));
    } else {
        set_token(p, T_EOF, s, s);
        rt_ts_fail(p, (uint32_t)(s - p->source), "this character has no meaning here");
    }
}

static void read_quoted(struct rt_ts_parser *p, const char *s) {
    bool more = false;
    const char *end = p->source + p->nbytes;
    const char *after = *s == '`' ? skip_template(s + 1, end, &more) : skip_string(s, end);
    if (!after || after > end) {
        set_token(p, T_EOF, s, s);
        rt_ts_fail(p, (uint32_t)(s - p->source),
                   *s == '`' ? "this template has no closing backquote" : "this string has no closing quote");
        return;
    }
    set_token(p, *s != '`' ? T_STRING : more ? T_TEMPLATE_HEAD : T_TEMPLATE, s, after);
}

void rt_ts_next(struct rt_ts_parser *p) {
    p->at.previous_end = p->at.token.end;
    if (p->at.failed) {
        p->at.token.type = T_EOF;
        return;
    }
    bool newline = false;
    const char *bad = NULL, *end;
    const char *s = skip_space(p->source + p->at.token.end, p->source + p->nbytes, &newline, &bad);
    p->at.token.newline_before = newline;
    if (bad) {
        set_token(p, T_EOF, s, s);
        rt_ts_fail(p, (uint32_t)(bad - p->source), "this comment has no end");
        return;
    }
    uint8_t class = CLASS[(unsigned char)*s];
    if (class & C_NAME_START) {
        bool odd;
        end = skip_name(s, &odd);
        if (end > s) {
            set_token(p, odd ? T_IDENT : name_type(s, (size_t)(end - s)), s, end);
            return;
        }
    } else if (class & C_DIGIT || (*s == '.' && CLASS[(unsigned char)s[1]] & C_DIGIT)) {
        set_token(p, T_NUMBER, s, skip_number(s));
        return;
    } else if (*s == '"' || *s == '\'' || *s == '`') {
        read_quoted(p, s);
        return;
    }
    uint8_t type = punctuator(s, &end);
    if (type == T_EOF) {
        read_rare_token(p, s);
    } else {
        set_token(p, type, s, end);
    }
}

void rt_ts_expect(struct rt_ts_parser *p, enum rt_ts_token_type type, const char *what) {
    if (rt_ts_is(p, type)) {
        rt_ts_next(p);
    } else {
        rt_ts_expected(p, what);
    }
}

void rt_ts_semicolon(struct rt_ts_parser *p) {
    if (rt_ts_accept(p, T_SEMICOLON)) return;
    if (rt_ts_is(p, T_RBRACE) || rt_ts_is(p, T_EOF) || p->at.token.newline_before) return;
    rt_ts_expected(p, "; or a new line");
}
