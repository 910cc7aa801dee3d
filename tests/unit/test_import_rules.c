// SOURCES: src/runtime/import_rules.c src/runtime/resolve.c src/runtime/tsconfig.c
// SOURCES: src/runtime/resolve_package.c src/runtime/packages.c src/runtime/node_names.c
// SOURCES: src/runtime/jsonc.c src/runtime/utf8.c src/runtime/whole_file.c
/* Patterns against a slow and plain matcher, for all short ones there are; and a pattern that backtracking alone would
 * never finish. */
#include "../test.h"
#include "runtime/import_rules.h"

static bool matches_plainly(const char *pattern, const char *name) {
    if (!*pattern) return !*name;
    bool is_deep = pattern[0] == '*' && pattern[1] == '*';
    if (*pattern != '*') return *pattern == *name && matches_plainly(pattern + 1, name + 1);
    for (;; name++) {
        if (matches_plainly(pattern + 1 + is_deep, name)) return true;
        if (!*name || (*name == '/' && !is_deep)) return false;
    }
}

static bool allows(const char *pattern, const char *name) {
    struct rt_import_decision decision;
    struct rt_import_rules *rules = rt_import_rules_new(true, NULL);
    rt_import_rules_add(rules, RT_IMPORT_ALLOW, pattern, "");
    char *by = rt_import_rules_decide(rules, name, &decision);
    if (!by) rt_import_decision_free(&decision);
    free(by);
    rt_import_rules_release(rules);
    return !by;
}

/* The text number I of those with LENGTH letters of ALPHABET. */
static void text_at(unsigned i, size_t length, const char *alphabet, char *out) {
    for (size_t at = 0; at < length; at++, i /= 3)
        out[at] = alphabet[i % 3];
    out[length] = 0;
}

int main(void) {
    static const unsigned counts[] = {1, 3, 9, 27, 81, 243};
    char pattern[8], name[8];
    for (size_t p = 0; p <= 5; p++)
        for (unsigned i = 0; i < counts[p]; i++)
            for (size_t n = 0; n <= 4; n++)
                for (unsigned j = 0; j < counts[n]; j++) {
                    text_at(i, p, "*a/", pattern);
                    text_at(j, n, "ab/", name);
                    if (pattern[0] == '/') continue; /* a path: normalised first */
                    if (allows(pattern, name) == matches_plainly(pattern, name)) continue;
                    fprintf(stderr, "'%s' and '%s'\n", pattern, name);
                    return 1;
                }
    char long_name[4096], stars[256] = "";
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    for (int i = 0; i < 20; i++)
        strcat(stars, i % 2 ? "*a" : "**a");
    EXPECT(!allows(strcat(stars, "b"), long_name));
    EXPECT(allows("/a/../b//c/*", "/b/c/d") && !allows("/a/../b//c/*", "/b/c/d/e"));
    return 0;
}
