/* typescript_lex.c: owns the tokens of TypeScript: white space, names and keywords, literals, punctuators.
 * Which `/` starts a regular expression, how many `>` belong together and where a template goes on is the parser's
 * knowledge; it asks with rt_ts_skip_regex(), rt_ts_join_greater() and rt_ts_continue_template(). */
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Length in bytes of the white space beyond ASCII at S (category Zs and U+FEFF), or 0. */
static uint32_t wide_space(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] == 0xC2) return s[1] == 0xA0 ? 2 : 0;
    uint32_t c = (uint32_t)s[0] << 16 | (uint32_t)s[1] << 8 | s[2];
    bool is_space = c == 0xE19A80 || (c >= 0xE28080 && c <= 0xE2808A) || c == 0xE280AF || c == 0xE2819F ||
                    c == 0xE38080 || c == 0xEFBBBF;
    return is_space ? 3 : 0;
}

/* ---- sixteen bytes at once: each of these may read that far, which is why the source is padded ---- */

enum { BLOCK = 16 };

#ifdef __SSE2__

typedef __m128i block;

static inline block load(const char *s) {
    return _mm_loadu_si128((const block *)(const void *)s);
}

/* Bit I tells whether byte I is C. */
static inline uint32_t where(block bytes, char c) {
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

/* Bytes from LOW to LOW + COUNT - 1 become 0xFF, others 0. */
static inline block in_range(block bytes, unsigned char low, unsigned char count) {
    block shifted = _mm_add_epi8(bytes, _mm_set1_epi8((char)(0x80 - low)));
    return _mm_cmplt_epi8(shifted, _mm_set1_epi8((char)(0x80 + count)));
}

/* Bit I tells whether byte I is an ASCII letter, a digit, `_` or `$`. */
static inline uint32_t where_name_part(block bytes) {
    block letters = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    block digits = in_range(bytes, '0', 10);
    block others = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('$')));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letters, digits), others));
}

#else

typedef struct {
    const char *bytes;
} block;

static inline block load(const char *s) {
    return (block){s};
}

static inline uint32_t where(block b, char c) {
    uint32_t bits = 0;
    for (int i = 0; i < BLOCK; i++)
        bits |= (uint32_t)(b.bytes[i] == c) << i;
    return bits;
}

static inline uint32_t where_name_part(block b) {
    uint32_t bits = 0;
    for (int i = 0; i < BLOCK; i++)
        bits |= (uint32_t)((CLASS[(unsigned char)b.bytes[i]] & C_NAME_PART) != 0) << i;
    return bits;
}

#endif

/* The number of the lowest bit of BITS, which has one among the first BLOCK or counts as BLOCK. */
static inline uint32_t lowest(uint32_t bits) {
    return (uint32_t)__builtin_ctz(bits | 1u << BLOCK);
}

/* ---- white space and comments ---- */

static const char *skip_line_comment(const char *s) {
    for (;; s += BLOCK) {
        block b = load(s);
        /* A NUL inside a file ends nothing: see skip_more_space(). */
        uint32_t stops = where(b, '\n') | where(b, '\r') | where(b, 0) | where(b, '\xE2');
        for (; stops != 0; stops &= stops - 1) {
            const char *stop = s + lowest(stops);
            if (*stop != '\xE2' || rt_ts_is_line_separator(stop)) return stop;
        }
    }
}

static bool has_line_separator(const char *s, const char *end) {
    for (; s < end; s++) {
        if (*s == '\xE2' && rt_ts_is_line_separator(s)) return true;
    }
    return false;
}

/* Returns the byte after the comment whose text starts at S, or NULL if it never ends. */
static const char *skip_block_comment(const char *s, const char *end, bool *newline) {
    const char *start = s;
    uint32_t breaks = 0, separators = 0, closing = 0;
    for (; s < end; s += BLOCK) {
        block b = load(s);
        closing = where(b, '*') & where(load(s + 1), '/');
        uint32_t inside = closing ? (closing & -closing) - 1 : UINT32_MAX;
        breaks |= (where(b, '\n') | where(b, '\r')) & inside;
        separators |= where(b, '\xE2');
        if (closing != 0) break;
    }
    if (closing == 0) return NULL;
    s += lowest(closing);
    if (breaks != 0 || (separators != 0 && has_line_separator(start, s))) *newline = true;
    return s + 2;
}

/* Returns the first byte at or after S that belongs to a token. *BAD_OUT: a comment that never ends, or unchanged. */
static const char *skip_more_space(const char *s, const char *end, bool *newline, const char **bad_out) {
    for (;;) {
        unsigned char c = (unsigned char)*s;
        uint8_t class = CLASS[c];
        if (class & C_SPACE) {
            s += lowest(~where(load(s), (char)c) & 0xFFFF);
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
            if (width == 0 && rt_ts_is_line_separator(s)) {
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

/* Could white space or a comment start with C? */
static inline bool starts_space(char c) {
    return c == '/' || CLASS[(unsigned char)c] & (C_SPACE | C_NEWLINE | C_HIGH);
}

static inline const char *skip_space(const char *s, const char *end, bool *newline, const char **bad_out) {
    s += *s == ' ';
    return starts_space(*s) ? skip_more_space(s, end, newline, bad_out) : s;
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

/* ---- names ---- */

/* Every keyword has a slot of its own. The factors were found by trying; two keywords in one slot would be a warning.
 */
enum { KEYWORD_SLOTS = 256 };
#define KEYWORD_SLOT(first, second, last, length)                                                                      \
    (((first)*148u + (second)*247u + (last)*171u + (length)*60u) % KEYWORD_SLOTS)
#define KEYWORD(first, second, last, text, type)                                                                       \
    [KEYWORD_SLOT(first, second, last, sizeof(text) - 1)] = {text, sizeof(text) - 1, type}

enum { KEYWORD_LENGTH_MIN = 2, KEYWORD_LENGTH_MAX = 11 };

static const struct keyword {
    char text[KEYWORD_LENGTH_MAX + 3];
    uint8_t length, type;
} KEYWORDS[KEYWORD_SLOTS] = {
    KEYWORD('a', 's', 's', "as", K_AS),
    KEYWORD('d', 'o', 'o', "do", K_DO),
    KEYWORD('i', 'f', 'f', "if", K_IF),
    KEYWORD('i', 'n', 'n', "in", K_IN),
    KEYWORD('i', 's', 's', "is", K_IS),
    KEYWORD('o', 'f', 'f', "of", K_OF),
    KEYWORD('f', 'o', 'r', "for", K_FOR),
    KEYWORD('g', 'e', 't', "get", K_GET),
    KEYWORD('l', 'e', 't', "let", K_LET),
    KEYWORD('n', 'e', 'w', "new", K_NEW),
    KEYWORD('o', 'u', 't', "out", K_OUT),
    KEYWORD('s', 'e', 't', "set", K_SET),
    KEYWORD('t', 'r', 'y', "try", K_TRY),
    KEYWORD('v', 'a', 'r', "var", K_VAR),
    KEYWORD('c', 'a', 'e', "case", K_CASE),
    KEYWORD('e', 'l', 'e', "else", K_ELSE),
    KEYWORD('e', 'n', 'm', "enum", K_ENUM),
    KEYWORD('f', 'r', 'm', "from", K_FROM),
    KEYWORD('n', 'u', 'l', "null", K_NULL),
    KEYWORD('t', 'h', 's', "this", K_THIS),
    KEYWORD('t', 'r', 'e', "true", K_TRUE),
    KEYWORD('t', 'y', 'e', "type", K_TYPE),
    KEYWORD('v', 'o', 'd', "void", K_VOID),
    KEYWORD('w', 'i', 'h', "with", K_WITH),
    KEYWORD('a', 's', 'c', "async", K_ASYNC),
    KEYWORD('a', 'w', 't', "await", K_AWAIT),
    KEYWORD('b', 'r', 'k', "break", K_BREAK),
    KEYWORD('c', 'a', 'h', "catch", K_CATCH),
    KEYWORD('c', 'l', 's', "class", K_CLASS),
    KEYWORD('c', 'o', 't', "const", K_CONST),
    KEYWORD('f', 'a', 'e', "false", K_FALSE),
    KEYWORD('i', 'n', 'r', "infer", K_INFER),
    KEYWORD('k', 'e', 'f', "keyof", K_KEYOF),
    KEYWORD('s', 'u', 'r', "super", K_SUPER),
    KEYWORD('t', 'h', 'w', "throw", K_THROW),
    KEYWORD('u', 's', 'g', "using", K_USING),
    KEYWORD('w', 'h', 'e', "while", K_WHILE),
    KEYWORD('y', 'i', 'd', "yield", K_YIELD),
    KEYWORD('a', 's', 't', "assert", K_ASSERT),
    KEYWORD('d', 'e', 'e', "delete", K_DELETE),
    KEYWORD('e', 'x', 't', "export", K_EXPORT),
    KEYWORD('g', 'l', 'l', "global", K_GLOBAL),
    KEYWORD('i', 'm', 't', "import", K_IMPORT),
    KEYWORD('m', 'o', 'e', "module", K_MODULE),
    KEYWORD('p', 'u', 'c', "public", K_PUBLIC),
    KEYWORD('r', 'e', 'n', "return", K_RETURN),
    KEYWORD('s', 't', 'c', "static", K_STATIC),
    KEYWORD('s', 'w', 'h', "switch", K_SWITCH),
    KEYWORD('t', 'y', 'f', "typeof", K_TYPEOF),
    KEYWORD('u', 'n', 'e', "unique", K_UNIQUE),
    KEYWORD('a', 's', 's', "asserts", K_ASSERTS),
    KEYWORD('d', 'e', 'e', "declare", K_DECLARE),
    KEYWORD('d', 'e', 't', "default", K_DEFAULT),
    KEYWORD('e', 'x', 's', "extends", K_EXTENDS),
    KEYWORD('f', 'i', 'y', "finally", K_FINALLY),
    KEYWORD('p', 'r', 'e', "private", K_PRIVATE),
    KEYWORD('r', 'e', 'e', "require", K_REQUIRE),
    KEYWORD('a', 'b', 't', "abstract", K_ABSTRACT),
    KEYWORD('a', 'c', 'r', "accessor", K_ACCESSOR),
    KEYWORD('c', 'o', 'e', "continue", K_CONTINUE),
    KEYWORD('d', 'e', 'r', "debugger", K_DEBUGGER),
    KEYWORD('f', 'u', 'n', "function", K_FUNCTION),
    KEYWORD('o', 'v', 'e', "override", K_OVERRIDE),
    KEYWORD('r', 'e', 'y', "readonly", K_READONLY),
    KEYWORD('i', 'n', 'e', "interface", K_INTERFACE),
    KEYWORD('n', 'a', 'e', "namespace", K_NAMESPACE),
    KEYWORD('p', 'r', 'd', "protected", K_PROTECTED),
    KEYWORD('s', 'a', 's', "satisfies", K_SATISFIES),
    KEYWORD('i', 'm', 's', "implements", K_IMPLEMENTS),
    KEYWORD('i', 'n', 'f', "instanceof", K_INSTANCEOF),
    KEYWORD('c', 'o', 'r', "constructor", K_CONSTRUCTOR),
};

static inline uint8_t name_type(const char *s, size_t length) {
    if (length < KEYWORD_LENGTH_MIN || length > KEYWORD_LENGTH_MAX || *s < 'a') return T_IDENT;
    unsigned slot = KEYWORD_SLOT((unsigned char)s[0], (unsigned char)s[1], (unsigned char)s[length - 1], length);
    const struct keyword *keyword = &KEYWORDS[slot];
    return keyword->length == length && memcmp(keyword->text, s, length) == 0 ? keyword->type : T_IDENT;
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
    if (!((unsigned char)*s & 0x80) || wide_space(s) > 0 || rt_ts_is_line_separator(s)) return NULL;
    do
        s++;
    while (((unsigned char)*s & 0xC0) == 0x80);
    return s;
}

/* Returns the end of the name at S. *ODD_OUT: it has escapes or letters beyond ASCII, so it is no keyword. */
static inline const char *skip_name(const char *s, bool *odd_out) {
    bool odd = false;
    for (;;) {
        uint32_t count = lowest(~where_name_part(load(s)) & 0xFFFF);
        s += count;
        if (count == BLOCK) continue;
        const char *after = CLASS[(unsigned char)*s] & C_NAME_START ? skip_odd_letter(s) : NULL;
        if (!after) break;
        odd = true;
        s = after;
    }
    *odd_out = odd;
    return s;
}

uint32_t rt_ts_name_end(const struct rt_ts_parser *p, uint32_t offset) {
    bool odd;
    return (uint32_t)(skip_name(p->source + offset, &odd) - p->source);
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
        block b = load(s);
        uint32_t stops = where(b, quote) | where(b, '\\') | where(b, '\n') | where(b, '\r');
        s += lowest(stops);
        if (stops == 0) continue;
        if (*s == quote) return s + 1;
        if (*s != '\\') return NULL;
        s += s[1] == '\r' && s[2] == '\n' ? 3 : 2;
    }
    return NULL;
}

/* S is after the backquote or the `}`. Returns the byte after the closing backquote or the `${`, or NULL. */
static const char *skip_template(const char *s, const char *end, bool *more_out) {
    while (s < end) {
        block b = load(s);
        uint32_t stops = where(b, '`') | where(b, '$') | where(b, '\\');
        s += lowest(stops);
        if (stops == 0) continue;
        *more_out = *s == '$';
        if (*s == '`') return s + 1;
        if (*s == '$' && s[1] == '{') return s + 2;
        s += *s == '\\' ? 2 : 1;
    }
    return NULL;
}

void rt_ts_skip_regex(struct rt_ts_parser *p) {
    const char *s = p->source + p->at.token.start + 1, *end = p->source + p->nbytes;
    bool in_class = false;
    for (; s < end; s++) {
        if (*s == '\n' || *s == '\r' || rt_ts_is_line_separator(s)) break;
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

/* Those of one character that start no other. */
static const uint8_t ALONE[256] = {
    ['{'] = T_LBRACE,    ['}'] = T_RBRACE, ['('] = T_LPAREN, [')'] = T_RPAREN, ['['] = T_LBRACKET, [']'] = T_RBRACKET,
    [';'] = T_SEMICOLON, [','] = T_COMMA,  [':'] = T_COLON,  ['@'] = T_AT,     ['~'] = T_TILDE,    ['>'] = T_GT,
};

/* Sets *END_OUT after any other punctuator, at S. Returns T_EOF if there is none. */
static uint8_t punctuator(const char *s, const char **end_out) {
#define RETURN(length, type)                                                                                           \
    do {                                                                                                               \
        *end_out = s + (length);                                                                                       \
        return (type);                                                                                                 \
    } while (0)
    switch (*s) {
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

/* The token after FROM. */
static void read_token(struct rt_ts_parser *p, uint32_t from) {
    bool newline = false;
    const char *bad = NULL, *end;
    const char *s = skip_space(p->source + from, p->source + p->nbytes, &newline, &bad);
    p->at.token.newline_before = newline;
    uint8_t class = CLASS[(unsigned char)*s], alone = ALONE[(unsigned char)*s];
    if (class & C_NAME_START) {
        bool odd;
        end = skip_name(s, &odd);
        if (end > s) {
            set_token(p, odd ? T_IDENT : name_type(s, (size_t)(end - s)), s, end);
            return;
        }
    } else if (alone != T_EOF) {
        set_token(p, alone, s, s + 1);
        return;
    } else if (bad) {
        set_token(p, T_EOF, s, s);
        rt_ts_fail(p, (uint32_t)(bad - p->source), "this comment has no end");
        return;
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

void rt_ts_next(struct rt_ts_parser *p) {
    uint32_t from = p->at.token.end;
    p->at.previous_end = from;
    if (p->at.failed) {
        p->at.token.type = T_EOF;
    } else if (p->ahead_of == from && from > 0) {
        p->at.token = p->ahead;
    } else {
        read_token(p, from);
    }
}

struct rt_ts_token rt_ts_look_ahead(struct rt_ts_parser *p) {
    struct rt_ts_token token = p->at.token;
    if (p->at.failed) return (struct rt_ts_token){.type = T_EOF, .start = token.end, .end = token.end};
    if (p->ahead_of == token.end) return p->ahead;
    p->speculating++;
    read_token(p, token.end);
    p->speculating--;
    p->ahead = p->at.token;
    p->ahead_of = p->at.failed ? 0 : token.end; /* the one that fails has to be read when it is due */
    p->at.failed = false;
    p->at.token = token;
    return p->ahead;
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
