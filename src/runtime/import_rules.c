/* import_rules.c: see import_rules.h. Owns patterns, and the walk from a Realm's rules to its owners'. */
#include "runtime/import_rules.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"

struct rule {
    enum rt_import_directive directive;
    char *shown;   /* the pattern as it was given */
    char *pattern; /* over names */
    char *real;    /* the same, symbolic links in its directory followed */
    char *text;
};

struct rt_import_rules {
    atomic_int reference_count;
    struct rt_import_rules *owner;
    bool denies;
    struct rule *rules;
    size_t count;
};

/* ---- Patterns ---- */

/* `*` that fails takes one character more, as long as that is no slash; else the last `**` does. What either took
 * before is settled: there is no shorter way to get as far. So the time is bounded by the product of the lengths. */
static bool matches(const char *pattern, const char *name) {
    const char *star = NULL, *star_end = NULL; /* what follows the last `*`; where the text it stands for ends */
    const char *deep = NULL, *deep_end = NULL; /* the same of the last `**` */
    while (*name) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            deep = pattern += 2;
            deep_end = name;
            star = NULL;
        } else if (*pattern == '*') {
            star = ++pattern;
            star_end = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star && *star_end != '/') {
            pattern = star;
            name = ++star_end;
        } else if (deep) {
            pattern = deep;
            name = ++deep_end;
            star = NULL;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == 0;
}

/* PATTERN with the directory before its first star, or before its last name, as it really is. To free. */
static char *real_pattern(const char *pattern) {
    char *head = rt_must(strndup(pattern, strcspn(pattern, "*")));
    char *slash = strrchr(head, '/'), *real = NULL;
    if (pattern[0] == '/' && slash > head) {
        *slash = 0;
        real = realpath(head, NULL);
    }
    char *whole = real ? rt_format("%s%s", strcmp(real, "/") == 0 ? "" : real, pattern + (slash - head))
                       : rt_must(strdup(pattern));
    free(real);
    free(head);
    return whole;
}

/* ---- Rules ---- */

struct rt_import_rules *rt_import_rules_new(bool denies, struct rt_import_rules *owner) {
    struct rt_import_rules *rules = rt_must(calloc(1, sizeof *rules));
    atomic_init(&rules->reference_count, 1);
    rules->denies = denies;
    rules->owner = rt_import_rules_hold(owner);
    return rules;
}

void rt_import_rules_add_named(struct rt_import_rules *rules, const struct rt_import_rule *rule) {
    rules->rules = rt_must(realloc(rules->rules, (rules->count + 1) * sizeof *rules->rules));
    rules->rules[rules->count++] = (struct rule){
        .directive = rule->directive,
        .shown = rt_must(strdup(rule->shown)),
        .pattern = rt_must(strdup(rule->name)),
        .real = real_pattern(rule->name),
        .text = rule->text ? rt_must(strdup(rule->text)) : NULL,
    };
}

void rt_import_rules_add(struct rt_import_rules *rules, enum rt_import_directive directive, const char *pattern,
                         const char *text) {
    char *name = rt_specifier_name(pattern, "");
    char *target = directive == RT_IMPORT_REMAP ? rt_specifier_name(text, "") : NULL;
    const struct rt_import_rule rule = {
        .directive = directive,
        .shown = pattern,
        .name = name ? name : pattern, /* no import can mean it */
        .text = directive == RT_IMPORT_REMAP ? target : text,
    };
    rt_import_rules_add_named(rules, &rule);
    free(name);
    free(target);
}

bool rt_import_rules_denies(const struct rt_import_rules *rules) {
    return rules->denies;
}

size_t rt_import_rules_count(const struct rt_import_rules *rules) {
    return rules->count;
}

struct rt_import_rule rt_import_rules_at(const struct rt_import_rules *rules, size_t index) {
    const struct rule *rule = &rules->rules[index];
    return (struct rt_import_rule){rule->directive, rule->shown, rule->pattern, rule->text};
}

struct rt_import_rules *rt_import_rules_hold(struct rt_import_rules *rules) {
    if (rules) atomic_fetch_add(&rules->reference_count, 1);
    return rules;
}

void rt_import_rules_release(struct rt_import_rules *rules) {
    while (rules && atomic_fetch_sub(&rules->reference_count, 1) == 1) {
        struct rt_import_rules *owner = rules->owner;
        for (size_t i = 0; i < rules->count; i++) {
            free(rules->rules[i].shown);
            free(rules->rules[i].pattern);
            free(rules->rules[i].real);
            free(rules->rules[i].text);
        }
        free(rules->rules);
        free(rules);
        rules = owner;
    }
}

struct rt_import_rules *rt_import_rules_owner(const struct rt_import_rules *rules) {
    return rules->owner;
}

/* ---- Deciding ---- */

static const struct rule *last_match(const struct rt_import_rules *rules, const char *name) {
    for (size_t i = rules->count; i > 0; i--) {
        const struct rule *rule = &rules->rules[i - 1];
        if (matches(rule->pattern, name) || matches(rule->real, name)) return rule;
    }
    return NULL;
}

/* RULE is NULL: none matched. */
static char *refusal(const struct rt_import_rules *rules, const struct rule *rule, bool is_owners) {
    const char *whose = is_owners ? " of a Realm that this one is owned by" : "";
    if (!rule) return rt_format("no rule%s allows it", whose);
    size_t number = (size_t)(rule - rules->rules) + 1;
    if (rule->directive == RT_IMPORT_BLOCK)
        return rt_format("rule %zu%s, block '%s', forbids it", number, whose, rule->shown);
    return rt_format("rule %zu%s, for '%s', can't be applied to it", number, whose, rule->shown);
}

/* Takes RULE, which matched decision->name, into account. Returns false if it can't be. */
static bool apply(const struct rt_import_rules *rules, const struct rule *rule, struct rt_import_decision *decision) {
    switch (rule->directive) {
        case RT_IMPORT_BLOCK: return false;
        case RT_IMPORT_ALLOW: return true;
        case RT_IMPORT_REMAP:
            if (!rule->text) return false;
            free(decision->name);
            decision->name = rt_must(strdup(rule->text));
            decision->is_remapped = true;
            decision->rest = rules->owner;
            return true;
        case RT_IMPORT_SOURCE: decision->source = rule->text; return true;
        case RT_IMPORT_FACADE:
            if (decision->facade_count == RT_IMPORT_FACADES_MAX) return false;
            decision->facades[decision->facade_count++] = rule->text;
            return true;
    }
    return false;
}

char *rt_import_rules_decide(const struct rt_import_rules *rules, const char *name,
                             struct rt_import_decision *decision_out) {
    *decision_out = (struct rt_import_decision){.name = rt_must(strdup(name)), .rest = rules};
    for (const struct rt_import_rules *at = rules; at && !decision_out->source; at = at->owner) {
        const struct rule *rule = last_match(at, decision_out->name);
        if (rule ? apply(at, rule, decision_out) : !at->denies) continue;
        rt_import_decision_free(decision_out);
        return refusal(at, rule, at != rules);
    }
    return NULL;
}

void rt_import_decision_free(struct rt_import_decision *decision) {
    free(decision->name);
    decision->name = NULL;
}

static bool has_facade(const struct rt_import_decision *decision, const struct rule *rule) {
    for (size_t i = 0; i < decision->facade_count; i++)
        if (decision->facades[i] == rule->text) return true;
    return false;
}

/* A facade of the file is no grant of the whole of it by another name. */
bool rt_import_rules_admit(const struct rt_import_decision *decision, const char *path) {
    if (strcmp(decision->name, path) == 0) return true;
    for (const struct rt_import_rules *at = decision->rest; at; at = at->owner) {
        const struct rule *rule = last_match(at, path);
        bool is_granted = rule ? rule->directive == RT_IMPORT_ALLOW || has_facade(decision, rule) : !at->denies;
        if (!is_granted) return false;
    }
    return true;
}
