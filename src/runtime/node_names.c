/* node_names.c: see node_names.h. What is behind a name is src/runtime/js/node_*.js, by the table in bootstrap.js.
 */

#include "runtime/node_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/resolve.h"

static const struct {
    const char *name;
    bool is_there;
} names[] = {
    {"assert", false},
    {"assert/strict", false},
    {"async_hooks", false},
    {"buffer", true},
    {"child_process", false},
    {"cluster", false},
    {"console", false},
    {"constants", false},
    {"crypto", false},
    {"dgram", false},
    {"diagnostics_channel", false},
    {"dns", false},
    {"dns/promises", false},
    {"domain", false},
    {"events", false},
    {"fs", true},
    {"fs/promises", true},
    {"http", false},
    {"http2", false},
    {"https", false},
    {"inspector", false},
    {"inspector/promises", false},
    {"module", true},
    {"net", false},
    {"os", true},
    {"path", true},
    {"path/posix", true},
    {"path/win32", false},
    {"perf_hooks", true},
    {"process", true},
    {"punycode", false},
    {"querystring", false},
    {"readline", false},
    {"readline/promises", false},
    {"repl", false},
    {"sea", false},
    {"sqlite", false},
    {"stream", false},
    {"stream/consumers", false},
    {"stream/promises", false},
    {"stream/web", false},
    {"string_decoder", false},
    {"sys", false},
    {"test", false},
    {"timers", true},
    {"timers/promises", false},
    {"tls", false},
    {"trace_events", false},
    {"tty", true},
    {"url", true},
    {"util", false},
    {"util/types", false},
    {"v8", false},
    {"vm", false},
    {"wasi", false},
    {"worker_threads", false},
    {"zlib", false},
};
#define NAME_COUNT (sizeof names / sizeof *names)

enum rt_node_name rt_node_name(const char *name) {
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strcmp(names[i].name, name) == 0) return names[i].is_there ? RT_NODE_THERE : RT_NODE_MISSING;
    return RT_NODE_NO_NAME;
}

char *rt_node_list(void) {
    char *list = rt_must(strdup(""));
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (!names[i].is_there) continue;
        char *longer = rt_format("%s%snode:%s", list, *list ? ", " : "", names[i].name);
        free(list);
        list = longer;
    }
    return list;
}
