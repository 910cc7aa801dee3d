/* import_rules.h: what a Realm may import: rules over the names of modules, of which the last that matches decides.
 *
 * A name is what rt_specifier_name makes of an import: an absolute path, or what isn't one as it was written
 * ('fino:process', 'lodash'). A pattern is a name with stars in it: `*` stands for any text without a slash, `**` for
 * any text.
 *
 * Rules have an owner: those of the Realm that made this one. What these allow, those must allow too, so that nobody
 * can give away more than they have.
 *
 * Threads: rules don't change once they are made; any thread may read, hold and release them.
 */
#ifndef FINO_RT_IMPORT_RULES_H
#define FINO_RT_IMPORT_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum rt_import_directive {
    RT_IMPORT_ALLOW,
    RT_IMPORT_BLOCK,
    RT_IMPORT_REMAP,  /* it is what TEXT, a specifier, means in the working directory */
    RT_IMPORT_SOURCE, /* its text is TEXT */
    RT_IMPORT_FACADE, /* only those of its exports that TEXT, a module, exports from it */
};

struct rt_import_rules;

/* No rules yet. DENIES: what no rule matches is refused; else OWNER decides. OWNER (NULL: everything is allowed) is
 * held. */
struct rt_import_rules *rt_import_rules_new(bool denies, struct rt_import_rules *owner);
/* Before anybody else has them. All is copied. PATTERN is relative to the working directory. */
void rt_import_rules_add(struct rt_import_rules *rules, enum rt_import_directive directive, const char *pattern,
                         const char *text);
struct rt_import_rules *rt_import_rules_hold(struct rt_import_rules *rules); /* NULL is fine */
void rt_import_rules_release(struct rt_import_rules *rules);                 /* NULL is fine */
struct rt_import_rules *rt_import_rules_owner(const struct rt_import_rules *rules);

/* Rules one by one, to make the same in another process, whatever its working directory is. */
struct rt_import_rule {
    enum rt_import_directive directive;
    const char *shown; /* the pattern as it was given */
    const char *name;  /*   with names */
    const char *text;  /* NULL: what no file can be called */
};
bool rt_import_rules_denies(const struct rt_import_rules *rules);
size_t rt_import_rules_count(const struct rt_import_rules *rules);
/* Valid as long as the rules. */
struct rt_import_rule rt_import_rules_at(const struct rt_import_rules *rules, size_t index);
/* As rt_import_rules_add. */
void rt_import_rules_add_named(struct rt_import_rules *rules, const struct rt_import_rule *rule);

#define RT_IMPORT_FACADES_MAX 8

struct rt_import_decision {
    char *name;         /* what is to be imported; rt_import_decision_free frees it */
    bool is_remapped;   /* it isn't what was asked for */
    const char *source; /* its text; NULL: it is a file or a built-in module. Valid as long as the rules */
    const char *facades[RT_IMPORT_FACADES_MAX]; /* the nearest first; valid as long as the rules */
    size_t facade_count;
    const struct rt_import_rules *rest; /* for rt_import_rules_admit */
};

/* What RULES (not NULL) make of NAME. Returns NULL, or who refuses it, for people, to free: "rule 2, block 'fino:*'".
 */
char *rt_import_rules_decide(const struct rt_import_rules *rules, const char *name,
                             struct rt_import_decision *decision_out);
void rt_import_decision_free(struct rt_import_decision *decision);

/* DECISION's name turned out to be the file PATH (symbolic links, TypeScript's extensions): may that be imported? */
bool rt_import_rules_admit(const struct rt_import_decision *decision, const char *path);

#endif
