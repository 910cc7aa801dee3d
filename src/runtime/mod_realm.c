/* mod_realm.c: Realms for JavaScript: numbers and text in, ports and ends out. js/realm.js makes a class of it. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/builtins.h"
#include "runtime/import_rules.h"
#include "runtime/module.h"
#include "runtime/port.h"
#include "runtime/realms.h"
#include "runtime/resolve.h"

static char *text_argument(v8s_isolate *isolate, const v8s_arguments *arguments, int index) {
    v8s_value value = v8s_argument(arguments, index);
    return v8s_is_string(value) ? v8s_string_copy(isolate, value, NULL) : NULL;
}

static uint64_t id_argument(const v8s_arguments *arguments) {
    return (uint64_t)rt_number_argument(arguments, 0);
}

/* ---- The owner's side ---- */

static char *text_at(v8s_isolate *isolate, v8s_value array, size_t index) {
    v8s_value value = v8s_array_at(isolate, array, index);
    return rt_must(v8s_is_string(value) ? v8s_string_copy(isolate, value, NULL) : strdup(""));
}

/* Of a Realm that REALM makes: LIST is [denies, directive, pattern, text, directive, ...]. A sandbox's own are behind
 * them; without either, NULL. */
static struct rt_import_rules *rules_of(struct rt_realm *realm, v8s_value list) {
    enum { WORDS = 3 };
    struct rt_import_rules *owners = realm->options.rules;
    if (!v8s_is_array(list)) return owners ? rt_import_rules_new(false, owners) : NULL;
    v8s_isolate *isolate = realm->isolate;
    struct rt_import_rules *rules = rt_import_rules_new(v8s_truthy(isolate, v8s_array_at(isolate, list, 0)), owners);
    for (size_t i = 1; i + WORDS <= v8s_array_length(list); i += WORDS) {
        v8s_value directive = v8s_array_at(isolate, list, i);
        char *pattern = text_at(isolate, list, i + 1), *text = text_at(isolate, list, i + 2);
        rt_import_rules_add(rules, (enum rt_import_directive)v8s_number_of(directive), pattern, text);
        free(pattern);
        free(text);
    }
    return rules;
}

/* [heapMB, cpuMs, stackKB]; 0: none */
static struct rt_limits limits_of(const v8s_arguments *arguments, int first) {
    return (struct rt_limits){.heap_bytes = (size_t)rt_number_argument(arguments, first) << 20,
                              .cpu_ns = (uint64_t)rt_number_argument(arguments, first + 1) * 1000000u,
                              .stack_bytes = (size_t)rt_number_argument(arguments, first + 2) << 10};
}

/* realmNew(entry, source, name, kind, rules, heapMB, cpuMs, stackKB, place, address, token): [id, label, control port,
 * port]; SOURCE, RULES, ADDRESS and TOKEN may be undefined */
static v8s_value realm_new(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_realm *realm = rt_realm_of(isolate);
    char *entry = text_argument(isolate, arguments, 0), *source = text_argument(isolate, arguments, 1);
    char *name = text_argument(isolate, arguments, 2);
    char *address = text_argument(isolate, arguments, 9), *token = text_argument(isolate, arguments, 10);
    v8s_value kind = v8s_argument(arguments, 3), result = NULL;
    if (entry && name && v8s_is_number(kind)) {
        struct rt_port *control, *port;
        struct rt_import_rules *rules = rules_of(realm, v8s_argument(arguments, 4));
        const struct rt_realm_plan plan = {.entry = entry,
                                           .source = source,
                                           .name = name,
                                           .kind = (enum rt_realm_kind)v8s_number_of(kind),
                                           .rules = rules,
                                           .limits = limits_of(arguments, 5),
                                           .place = (enum rt_realm_place)rt_number_argument(arguments, 8),
                                           .address = address,
                                           .token = token};
        uint64_t id = rt_realms_new(realm, &plan, &control, &port);
        rt_import_rules_release(rules);
        v8s_value parts[4] = {v8s_number(isolate, (double)id), v8s_string(isolate, rt_realms_label(realm, id))};
        if (!(parts[2] = rt_port_object(realm, control))) rt_port_free(control);
        if (!(parts[3] = rt_port_object(realm, port))) rt_port_free(port);
        result = parts[2] && parts[3] ? v8s_array_new(isolate, parts, 4) : NULL;
    } else {
        v8s_throw_type_error(isolate, "realmNew: entry, name and kind are needed");
    }
    free(entry);
    free(source);
    free(name);
    free(address);
    free(token);
    return result;
}

/* realmStart(id, init): INIT is for internal.beginSelf there; null, or why it can't be started */
static v8s_value realm_start(v8s_isolate *isolate, const v8s_arguments *arguments) {
    struct rt_realm *realm = rt_realm_of(isolate);
    uint64_t id = id_argument(arguments);
    enum v8s_reach reach = rt_realms_is_elsewhere(realm, id) ? V8S_BEYOND_PROCESS : V8S_WITHIN_PROCESS;
    v8s_message *init = v8s_message_write(isolate, v8s_argument(arguments, 1), NULL, NULL, 0, reach, rt_clone_error);
    if (!init) return NULL;
    int error = rt_realms_start(realm, id, init);
    return error ? v8s_string(isolate, strerror(-error)) : v8s_null(isolate);
}

static v8s_value realm_stop(v8s_isolate *isolate, const v8s_arguments *arguments) {
    rt_realms_stop(rt_realm_of(isolate), id_argument(arguments));
    return NULL;
}

/* What is said of an end beside its reason: a signal's name, or why; NULL: nothing. To free. */
static char *detail_of(const struct rt_realm_end *end) {
    const char *name = end->signal_number ? sigabbrev_np(end->signal_number) : NULL;
    if (end->signal_number) return name ? rt_format("SIG%s", name) : rt_format("signal %d", end->signal_number);
    return end->reason ? rt_must(strdup(end->reason)) : NULL;
}

/* realmTakeEnd(id): [reason, exit code, packed error, detail], or undefined if it has not ended */
static v8s_value realm_take_end(v8s_isolate *isolate, const v8s_arguments *arguments) {
    static const char *const reasons[] = {
        [RT_STOP_NONE] = "done",
        [RT_STOP_EXIT] = "exit",
        [RT_STOP_UNCAUGHT] = "uncaught",
        [RT_STOP_SIGNAL] = "terminated",
        [RT_STOP_HEAP] = "heap",
        [RT_STOP_TERMINATED] = "terminated",
        [RT_STOP_CPU] = "cpu",
        [RT_STOP_UNSETTLED] = "unsettled",
        [RT_STOP_CRASHED] = "crashed",
        [RT_STOP_LOST] = "lost",
        [RT_STOP_UNREACHABLE] = "unreachable",
    };
    struct rt_realm_end end;
    struct v8s_caught caught;
    if (!rt_realms_take_end(rt_realm_of(isolate), id_argument(arguments), &end)) return NULL;
    v8s_value error = end.error ? v8s_message_read(isolate, end.error, NULL, 0, &caught) : NULL;
    v8s_message_free(end.error);
    char *detail = detail_of(&end);
    v8s_value parts[] = {v8s_string(isolate, reasons[end.stop]), v8s_number(isolate, end.exit_code),
                         error ? error : v8s_undefined(isolate),
                         detail ? v8s_string(isolate, detail) : v8s_undefined(isolate)};
    free(detail);
    return v8s_array_new(isolate, parts, 4);
}

/* ---- Its own ---- */

/* realmTakeInit(): [init, control port, port], once */
static v8s_value realm_take_init(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct rt_realm *realm = rt_realm_of(isolate);
    struct rt_port *control, *port;
    struct v8s_caught caught;
    v8s_message *message;
    rt_child_take_ports(realm->options.child, &control, &port, &message);
    realm->control = control;
    v8s_value init = v8s_message_read(isolate, message, NULL, 0, &caught);
    v8s_message_free(message);
    v8s_value parts[] = {init ? init : v8s_undefined(isolate), rt_port_object(realm, control),
                         rt_port_object(realm, port)};
    if (!parts[2]) rt_port_free(port);
    return parts[1] && parts[2] ? v8s_array_new(isolate, parts, 3) : NULL;
}

/* realmExports(): the main module's namespace and the promise of its evaluation */
static v8s_value realm_exports(v8s_isolate *isolate, const v8s_arguments *arguments) {
    (void)arguments;
    struct rt_realm *realm = rt_realm_of(isolate);
    v8s_value exports = rt_modules_main_exports(realm->modules);
    if (!exports || !realm->main_promise) return NULL;
    v8s_value parts[] = {exports, v8s_ref_get(isolate, realm->main_promise)};
    return v8s_array_new(isolate, parts, 2);
}

/* importRefusal(name): why this Realm may not import all of the module NAME; undefined: it may */
static v8s_value import_refusal(v8s_isolate *isolate, const v8s_arguments *arguments) {
    const struct rt_import_rules *rules = rt_realm_of(isolate)->options.rules;
    struct rt_import_decision decision;
    char *name = rules ? text_argument(isolate, arguments, 0) : NULL;
    if (!name) return NULL;
    char *by = rt_import_rules_decide(rules, name, &decision);
    if (!by && (decision.source || decision.facade_count > 0 || decision.is_remapped))
        by = rt_must(strdup("the rules allow only a part of it, or something else by its name"));
    if (!by) rt_import_decision_free(&decision);
    v8s_value result = by ? v8s_string(isolate, by) : NULL;
    free(by);
    free(name);
    return result;
}

/* holdLoop(on): something is under way that keeps the loop alive; each is given back */
static v8s_value hold_loop(v8s_isolate *isolate, const v8s_arguments *arguments) {
    bool on = v8s_truthy(isolate, v8s_argument(arguments, 0));
    rt_realm_of(isolate)->loop.pending_ref_count += on ? 1 : (uint32_t)-1;
    return NULL;
}

static const struct v8s_native_entry functions[] = {
    {"realmNew", realm_new, 11},         {"realmStart", realm_start, 2},        {"realmStop", realm_stop, 1},
    {"realmTakeEnd", realm_take_end, 1}, {"realmTakeInit", realm_take_init, 0}, {"realmExports", realm_exports, 0},
    {"holdLoop", hold_loop, 1},          {"importRefusal", import_refusal, 1},
};

static void install(struct rt_realm *realm, v8s_value native) {
    const struct rt_realm_options *options = &realm->options;
    v8s_set(realm->isolate, native, "isChild", v8s_bool(realm->isolate, options->child != NULL));
    v8s_set(realm->isolate, native, "realmId", v8s_number(realm->isolate, (double)options->id));
    v8s_set(realm->isolate, native, "realmLabel", v8s_string(realm->isolate, options->name));
    v8s_set(realm->isolate, native, "hasHeapLimit", v8s_bool(realm->isolate, options->limits.heap_bytes > 0));
    v8s_set(realm->isolate, native, "realmKind", v8s_string(realm->isolate, rt_realm_kind_name(options->kind)));
}

const struct rt_native_group rt_mod_realm = {functions, sizeof functions / sizeof *functions, install};
