/* typescript_jsx_text.c: owns what the text between JSX elements and in their attributes means: which white space goes,
 * what entities stand for, and how the rest is written as a string. */
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

/* HTML 4's entities and &apos;, by name. */
static const struct entity {
    const char *name;
    uint32_t code;
} ENTITIES[] = {
    {"AElig", 198},   {"Aacute", 193},  {"Acirc", 194},    {"Agrave", 192},  {"Alpha", 913},    {"Aring", 197},
    {"Atilde", 195},  {"Auml", 196},    {"Beta", 914},     {"Ccedil", 199},  {"Chi", 935},      {"Dagger", 8225},
    {"Delta", 916},   {"ETH", 208},     {"Eacute", 201},   {"Ecirc", 202},   {"Egrave", 200},   {"Epsilon", 917},
    {"Eta", 919},     {"Euml", 203},    {"Gamma", 915},    {"Iacute", 205},  {"Icirc", 206},    {"Igrave", 204},
    {"Iota", 921},    {"Iuml", 207},    {"Kappa", 922},    {"Lambda", 923},  {"Mu", 924},       {"Ntilde", 209},
    {"Nu", 925},      {"OElig", 338},   {"Oacute", 211},   {"Ocirc", 212},   {"Ograve", 210},   {"Omega", 937},
    {"Omicron", 927}, {"Oslash", 216},  {"Otilde", 213},   {"Ouml", 214},    {"Phi", 934},      {"Pi", 928},
    {"Prime", 8243},  {"Psi", 936},     {"Rho", 929},      {"Scaron", 352},  {"Sigma", 931},    {"THORN", 222},
    {"Tau", 932},     {"Theta", 920},   {"Uacute", 218},   {"Ucirc", 219},   {"Ugrave", 217},   {"Upsilon", 933},
    {"Uuml", 220},    {"Xi", 926},      {"Yacute", 221},   {"Yuml", 376},    {"Zeta", 918},     {"aacute", 225},
    {"acirc", 226},   {"acute", 180},   {"aelig", 230},    {"agrave", 224},  {"alefsym", 8501}, {"alpha", 945},
    {"amp", 38},      {"and", 8743},    {"ang", 8736},     {"apos", 39},     {"aring", 229},    {"asymp", 8776},
    {"atilde", 227},  {"auml", 228},    {"bdquo", 8222},   {"beta", 946},    {"brvbar", 166},   {"bull", 8226},
    {"cap", 8745},    {"ccedil", 231},  {"cedil", 184},    {"cent", 162},    {"chi", 967},      {"circ", 710},
    {"clubs", 9827},  {"cong", 8773},   {"copy", 169},     {"crarr", 8629},  {"cup", 8746},     {"curren", 164},
    {"dArr", 8659},   {"dagger", 8224}, {"darr", 8595},    {"deg", 176},     {"delta", 948},    {"diams", 9830},
    {"divide", 247},  {"eacute", 233},  {"ecirc", 234},    {"egrave", 232},  {"empty", 8709},   {"emsp", 8195},
    {"ensp", 8194},   {"epsilon", 949}, {"equiv", 8801},   {"eta", 951},     {"eth", 240},      {"euml", 235},
    {"euro", 8364},   {"exist", 8707},  {"fnof", 402},     {"forall", 8704}, {"frac12", 189},   {"frac14", 188},
    {"frac34", 190},  {"frasl", 8260},  {"gamma", 947},    {"ge", 8805},     {"gt", 62},        {"hArr", 8660},
    {"harr", 8596},   {"hearts", 9829}, {"hellip", 8230},  {"iacute", 237},  {"icirc", 238},    {"iexcl", 161},
    {"igrave", 236},  {"image", 8465},  {"infin", 8734},   {"int", 8747},    {"iota", 953},     {"iquest", 191},
    {"isin", 8712},   {"iuml", 239},    {"kappa", 954},    {"lArr", 8656},   {"lambda", 955},   {"lang", 9001},
    {"laquo", 171},   {"larr", 8592},   {"lceil", 8968},   {"ldquo", 8220},  {"le", 8804},      {"lfloor", 8970},
    {"lowast", 8727}, {"loz", 9674},    {"lrm", 8206},     {"lsaquo", 8249}, {"lsquo", 8216},   {"lt", 60},
    {"macr", 175},    {"mdash", 8212},  {"micro", 181},    {"middot", 183},  {"minus", 8722},   {"mu", 956},
    {"nabla", 8711},  {"nbsp", 160},    {"ndash", 8211},   {"ne", 8800},     {"ni", 8715},      {"not", 172},
    {"notin", 8713},  {"nsub", 8836},   {"ntilde", 241},   {"nu", 957},      {"oacute", 243},   {"ocirc", 244},
    {"oelig", 339},   {"ograve", 242},  {"oline", 8254},   {"omega", 969},   {"omicron", 959},  {"oplus", 8853},
    {"or", 8744},     {"ordf", 170},    {"ordm", 186},     {"oslash", 248},  {"otilde", 245},   {"otimes", 8855},
    {"ouml", 246},    {"para", 182},    {"part", 8706},    {"permil", 8240}, {"perp", 8869},    {"phi", 966},
    {"pi", 960},      {"piv", 982},     {"plusmn", 177},   {"pound", 163},   {"prime", 8242},   {"prod", 8719},
    {"prop", 8733},   {"psi", 968},     {"quot", 34},      {"rArr", 8658},   {"radic", 8730},   {"rang", 9002},
    {"raquo", 187},   {"rarr", 8594},   {"rceil", 8969},   {"rdquo", 8221},  {"real", 8476},    {"reg", 174},
    {"rfloor", 8971}, {"rho", 961},     {"rlm", 8207},     {"rsaquo", 8250}, {"rsquo", 8217},   {"sbquo", 8218},
    {"scaron", 353},  {"sdot", 8901},   {"sect", 167},     {"shy", 173},     {"sigma", 963},    {"sigmaf", 962},
    {"sim", 8764},    {"spades", 9824}, {"sub", 8834},     {"sube", 8838},   {"sum", 8721},     {"sup", 8835},
    {"sup1", 185},    {"sup2", 178},    {"sup3", 179},     {"supe", 8839},   {"szlig", 223},    {"tau", 964},
    {"there4", 8756}, {"theta", 952},   {"thetasym", 977}, {"thinsp", 8201}, {"thorn", 254},    {"tilde", 732},
    {"times", 215},   {"trade", 8482},  {"uArr", 8657},    {"uacute", 250},  {"uarr", 8593},    {"ucirc", 251},
    {"ugrave", 249},  {"uml", 168},     {"upsih", 978},    {"upsilon", 965}, {"uuml", 252},     {"weierp", 8472},
    {"xi", 958},      {"yacute", 253},  {"yen", 165},      {"yuml", 255},    {"zeta", 950},     {"zwj", 8205},
    {"zwnj", 8204},
};

/* ---- a string literal that grows ---- */

/* One UTF-16 unit or code point of a literal between double quotes. */
static void put_code(struct rt_ts_text *text, uint32_t code) {
    static const char digits[] = "0123456789abcdef";
    if (code == '"' || code == '\\') {
        char escaped[2] = {'\\', (char)code};
        rt_ts_text_put(text, escaped, 2);
    } else if (code >= 0x20 && code < 0x7F) {
        char c = (char)code;
        rt_ts_text_put(text, &c, 1);
    } else {
        char escaped[10] = "\\u{", *to = escaped + 3;
        int shift = 20;
        while (shift > 0 && code >> shift == 0)
            shift -= 4;
        for (; shift >= 0; shift -= 4)
            *to++ = digits[code >> shift & 15];
        *to++ = '}';
        rt_ts_text_put(text, escaped, (size_t)(to - escaped));
    }
}

/* ---- entities ---- */

static int compare_entities(const void *key, const void *entity) {
    return strcmp(key, ((const struct entity *)entity)->name);
}

static bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The code of the number that the NBYTES at S are, or UINT32_MAX. */
static uint32_t number_code(const char *s, size_t nbytes, uint32_t base) {
    uint32_t code = 0;
    if (nbytes == 0) return UINT32_MAX;
    for (size_t i = 0; i < nbytes; i++) {
        char lower = (char)(s[i] | 0x20);
        uint32_t digit = s[i] >= '0' && s[i] <= '9'     ? (uint32_t)(s[i] - '0')
                         : lower >= 'a' && lower <= 'f' ? (uint32_t)(lower - 'a' + 10)
                                                        : 99;
        if (digit >= base) return UINT32_MAX;
        code = code * base + digit;
        if (code > 0x10FFFF) return UINT32_MAX;
    }
    return code;
}

/* At `&`: the length of the entity there and *CODE_OUT, or 0. */
static size_t entity_length(const char *s, size_t nbytes, uint32_t *code_out) {
    char name[16];
    size_t end = 1, length;
    if (end < nbytes && s[end] == '#') end++;
    while (end < nbytes && is_word_byte(s[end]))
        end++;
    if (end >= nbytes || s[end] != ';') return 0;
    length = end - 1;
    *code_out = UINT32_MAX;
    if (s[1] == '#') {
        bool is_hex = s[2] == 'x';
        *code_out = number_code(s + 2 + is_hex, length - 1 - is_hex, is_hex ? 16 : 10);
    } else if (length > 0 && length < sizeof name) {
        memcpy(name, s + 1, length);
        name[length] = 0;
        const struct entity *found =
            bsearch(name, ENTITIES, sizeof ENTITIES / sizeof *ENTITIES, sizeof *ENTITIES, compare_entities);
        if (found) *code_out = found->code;
    }
    return *code_out == UINT32_MAX ? 0 : end + 1;
}

/* ---- UTF-8 ---- */

/* The code point at S, valid UTF-8, and its length. */
static uint32_t decode(const char *s, uint32_t *length_out) {
    const unsigned char *u = (const unsigned char *)s;
    *length_out = u[0] < 0x80 ? 1 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    if (*length_out == 1) return u[0];
    uint32_t code = u[0] & (0x7Fu >> *length_out);
    for (uint32_t i = 1; i < *length_out; i++)
        code = code << 6 | (u[i] & 0x3F);
    return code;
}

/* Source text as part of a literal, entities decoded. */
static void put_source(struct rt_ts_text *text, const char *s, uint32_t nbytes) {
    for (uint32_t i = 0; i < nbytes;) {
        uint32_t code, length = *(s + i) == '&' ? (uint32_t)entity_length(s + i, nbytes - i, &code) : 0;
        if (length == 0) code = decode(s + i, &length);
        put_code(text, code);
        i += length;
    }
}

void rt_ts_string_literal(struct rt_ts_text *text, const char *s, uint32_t nbytes) {
    rt_ts_text_put(text, "\"", 1);
    for (uint32_t i = 0, length; i < nbytes; i += length)
        put_code(text, decode(s + i, &length));
    rt_ts_text_put(text, "\"", 1);
}

void rt_ts_jsx_string(struct rt_ts_text *text, const char *s, uint32_t nbytes) {
    rt_ts_text_put(text, "\"", 1);
    put_source(text, s, nbytes);
    rt_ts_text_put(text, "\"", 1);
}

/* ---- white space ---- */

static bool is_line_break(uint32_t code) {
    return code == '\n' || code == '\r' || code == 0x2028 || code == 0x2029;
}

static bool is_blank(uint32_t code) {
    return code == ' ' || code == '\t' || code == '\v' || code == '\f' || code == 0xA0 || code == 0x85 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200B) || code == 0x202F || code == 0x205F || code == 0x3000 ||
           code == 0xFEFF;
}

/* Lines are trimmed where a line break is next to them, and joined with one space; those that are empty go. */
bool rt_ts_jsx_text(struct rt_ts_text *text, const char *s, uint32_t nbytes, uint32_t *first_out, uint32_t *last_out) {
    enum { NOTHING = UINT32_MAX };
    uint32_t line = 0, end = NOTHING; /* of the text on this line: its start, or NOTHING; the end of what isn't blank */
    bool any = false;
    *first_out = NOTHING;
    rt_ts_text_put(text, "\"", 1);
    for (uint32_t i = 0, length; i <= nbytes; i += length) {
        uint32_t code = i < nbytes ? decode(s + i, &length) : (length = 1, '\n');
        if (i < nbytes && !is_line_break(code)) {
            if (is_blank(code)) continue;
            end = i + length;
            if (line == NOTHING) line = i;
            continue;
        }
        bool is_end = i >= nbytes;
        if (line != NOTHING && (is_end || end != NOTHING)) {
            uint32_t stop = is_end ? nbytes : end;
            if (any) rt_ts_text_put(text, " ", 1);
            put_source(text, s + line, stop - line);
            if (*first_out == NOTHING) *first_out = line;
            *last_out = stop;
            any = true;
        }
        line = NOTHING;
    }
    rt_ts_text_put(text, "\"", 1);
    return any && nbytes > 0;
}
