/* plan_wire.c: see plan_wire.h. */
#include "runtime/plan_wire.h"

#include <stdlib.h>

#include "runtime/import_rules.h"

/* More owners than anybody has. */
#define DEPTH_MAX 1024u

/* ---- Rules ---- */

static uint32_t depth_of(const struct rt_import_rules *rules) {
    uint32_t depth = 0;
    for (; rules; rules = rt_import_rules_owner(rules))
        depth++;
    return depth;
}

static void put_chain(struct rt_wire_buffer *buffer, const struct rt_import_rules *rules) {
    if (!rules) return;
    put_chain(buffer, rt_import_rules_owner(rules));
    size_t count = rt_import_rules_count(rules);
    rt_wire_put_u32(buffer, rt_import_rules_denies(rules));
    rt_wire_put_u32(buffer, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        struct rt_import_rule rule = rt_import_rules_at(rules, i);
        rt_wire_put_u32(buffer, rule.directive);
        rt_wire_put_text(buffer, rule.shown);
        rt_wire_put_text(buffer, rule.name);
        rt_wire_put_text(buffer, rule.text);
    }
}

/* Returns false if it is none. */
static bool get_rule(struct rt_wire_reader *reader, struct rt_import_rules *rules) {
    uint32_t directive = rt_wire_get_u32(reader);
    char *shown = rt_wire_get_text(reader), *name = rt_wire_get_text(reader), *text = rt_wire_get_text(reader);
    bool is_good =
        !reader->is_bad && directive <= RT_IMPORT_FACADE && shown && name && (text || directive == RT_IMPORT_REMAP);
    if (is_good) {
        const struct rt_import_rule rule = {(enum rt_import_directive)directive, shown, name, text};
        rt_import_rules_add_named(rules, &rule);
    }
    free(shown);
    free(name);
    free(text);
    return is_good;
}

/* Returns false if they are none; *RULES_OUT is to be released. */
static bool get_rules(struct rt_wire_reader *reader, struct rt_import_rules **rules_out) {
    uint32_t depth = rt_wire_get_u32(reader);
    bool is_good = !reader->is_bad && depth <= DEPTH_MAX;
    struct rt_import_rules *rules = NULL;
    for (uint32_t i = 0; i < depth && is_good; i++) {
        bool denies = rt_wire_get_u32(reader);
        struct rt_import_rules *inner = rt_import_rules_new(denies, rules);
        rt_import_rules_release(rules);
        rules = inner;
        uint32_t count = rt_wire_get_u32(reader);
        for (uint32_t j = 0; j < count && is_good; j++)
            is_good = get_rule(reader, rules);
        is_good = is_good && !reader->is_bad;
    }
    *rules_out = rules;
    return is_good;
}

/* ---- Plans ---- */

void rt_plan_put(struct rt_wire_buffer *buffer, const struct rt_realm_plan *plan, const v8s_message *init) {
    rt_wire_put_text(buffer, plan->entry);
    rt_wire_put_text(buffer, plan->source);
    rt_wire_put_text(buffer, plan->name);
    rt_wire_put_u32(buffer, plan->kind == RT_REALM_SANDBOX);
    rt_wire_put_u64(buffer, plan->limits.heap_bytes);
    rt_wire_put_u64(buffer, plan->limits.cpu_ns);
    rt_wire_put_u64(buffer, plan->limits.stack_bytes);
    rt_wire_put_u32(buffer, depth_of(plan->rules));
    put_chain(buffer, plan->rules);
    rt_wire_put_message(buffer, init);
}

bool rt_plan_get(struct rt_wire_reader *reader, struct rt_realm_plan *plan_out, v8s_message **init_out) {
    struct rt_realm_plan plan = {.entry = rt_wire_get_text(reader)};
    plan.source = rt_wire_get_text(reader);
    plan.name = rt_wire_get_text(reader);
    plan.kind = rt_wire_get_u32(reader) ? RT_REALM_SANDBOX : RT_REALM_THREAD;
    plan.limits.heap_bytes = rt_wire_get_u64(reader);
    plan.limits.cpu_ns = rt_wire_get_u64(reader);
    plan.limits.stack_bytes = rt_wire_get_u64(reader);
    bool is_good = get_rules(reader, &plan.rules) && plan.entry && plan.name;
    v8s_message *init = is_good ? rt_wire_get_message(reader) : NULL;
    if (!init) {
        rt_plan_free(&plan);
        return false;
    }
    *plan_out = plan;
    *init_out = init;
    return true;
}

void rt_plan_free(struct rt_realm_plan *plan) {
    free((char *)plan->entry);
    free((char *)plan->source);
    free((char *)plan->name);
    rt_import_rules_release(plan->rules);
}

/* ---- Ends ---- */

void rt_end_put(struct rt_wire_buffer *buffer, const struct rt_realm_end *end) {
    rt_wire_put_u32(buffer, end->stop);
    rt_wire_put_u32(buffer, (uint32_t)end->exit_code);
    rt_wire_put_u32(buffer, end->error != NULL);
    if (end->error) rt_wire_put_message(buffer, end->error);
}

bool rt_end_get(struct rt_wire_reader *reader, struct rt_realm_end *end_out) {
    uint32_t stop = rt_wire_get_u32(reader), exit_code = rt_wire_get_u32(reader);
    v8s_message *error = rt_wire_get_u32(reader) ? rt_wire_get_message(reader) : NULL;
    *end_out = (struct rt_realm_end){.stop = (enum rt_stop)stop, .exit_code = exit_code & 0xff, .error = error};
    if (!reader->is_bad && stop <= RT_STOP_UNSETTLED) return true;
    v8s_message_free(error);
    return false;
}
